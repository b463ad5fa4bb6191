//! `keima net convert`: the same net in a file of another form.

use std::path::PathBuf;

use anyhow::Result;

use super::new_file::NewFile;
use super::stored::read_net;

/// Write a network in another form: KataGo's, or a checkpoint
#[derive(clap::Args)]
pub struct ConvertArguments {
    /// Network: a file of KataGo's or a checkpoint
    #[arg(value_name = "FILE")]
    input: PathBuf,

    /// File to write; its end says in which form: .bin.gz, .bin, .txt.gz, .txt or .safetensors
    #[arg(value_name = "OUT")]
    output: PathBuf,

    /// Replace the file if there is one
    #[arg(long)]
    force: bool,
}

/// Writes the file.
pub fn run(arguments: &ConvertArguments) -> Result<()> {
    let output = NewFile::new(&arguments.output, arguments.force)?;
    output.write(&read_net(&arguments.input)?)
}
