//! `keima net convert`: writes a net in another file format.

use std::path::PathBuf;

use anyhow::{Result, ensure};

use super::new_file::NewFile;
use super::stored::read_net;
use crate::files;

/// Convert a network to another format: KataGo's, or a checkpoint
#[derive(clap::Args)]
pub struct ConvertArguments {
    /// Network: a KataGo file or a checkpoint
    #[arg(value_name = "FILE")]
    input: PathBuf,

    /// File to write; its extension gives the format: .bin.gz, .bin, .txt.gz, .txt, .safetensors or .safetensors.gz
    #[arg(value_name = "OUT")]
    output: PathBuf,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &ConvertArguments) -> Result<()> {
    ensure!(
        !files::is_same(&arguments.input, &arguments.output),
        "{} is the network itself: give the new file another name",
        arguments.output.display()
    );
    let output = NewFile::new(&arguments.output, arguments.force)?;
    output.write(&read_net(&arguments.input)?)
}
