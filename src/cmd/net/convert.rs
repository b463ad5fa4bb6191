//! `keima net convert`: writes a net in another file format.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::new_file::NewFile;
use super::stored::read_net;

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
    let (input, output) = (&arguments.input, &arguments.output);
    let real = |path: &Path| path.canonicalize().ok();
    ensure!(
        real(input).is_none() || real(input) != real(output),
        "{} is the network itself: give the new file another name",
        output.display()
    );
    let output = NewFile::new(&arguments.output, arguments.force)?;
    output.write(&read_net(&arguments.input)?)
}
