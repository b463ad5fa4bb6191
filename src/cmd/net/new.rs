//! `keima net new`: a net with random weights.

use std::path::PathBuf;

use anyhow::Result;

use super::new_file::NewFile;
use crate::console::say;
use crate::nn::arch::Arch;

/// Create a network with random weights
#[derive(clap::Args)]
pub struct NewArguments {
    /// Architecture: bNcM for N blocks on a trunk of M channels, bNcMaK with K additional blocks of
    /// attention, bNcMchK with K blocks of chain pooling, bNcMnbt for nested bottlenecks, bNcMtf for a transformer; for example b6c96,
    /// b4c64a2, b18c384nbt or b7c96tf; or seed-9x9 and hu-9x9, small ones for 9x9; bako-l2 to
    /// bako-l6, for gomoku
    #[arg(long, value_name = "NAME", value_parser = Arch::named)]
    arch: Arch,

    /// Random seed; by default a new one each time
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// File to write; its extension gives the format: .safetensors, .safetensors.gz, .bin.gz, .bin, .txt.gz or .txt
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// Writes the file and prints its description.
pub fn run(arguments: &NewArguments) -> Result<()> {
    let file = NewFile::new(&arguments.file, arguments.force)?;
    let seed = arguments.seed.unwrap_or_else(rand::random);
    let net = arguments.arch.init(seed);
    file.write(&net)?;
    let (name, parameters) = (&net.name, net.parameters());
    say(format_args!("{name}, {parameters} parameters, seed {seed}"))
}
