//! `keima net plan`: the operations that a network becomes on a GPU.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::value_parser;

use super::stored::read_net;
use crate::cmd::settings;
use crate::console::say;
use crate::go::BoardSize;
use crate::nn::gpu::Format;
use crate::nn::plan::Plan;

/// Show the operations of a network on a GPU, with their work and memory
///
/// Needs no GPU. Each operation is one launch of a kernel. Activations are those that an operation
/// reads and writes, each once.
#[derive(clap::Args)]
pub struct PlanArguments {
    /// Network: a KataGo file or a checkpoint, or a built-in one: default or small
    #[arg(value_name = "FILE", default_value = "default")]
    file: PathBuf,

    /// Board size: 19, or width and height as in 9x7
    #[arg(long, default_value = "19", value_parser = settings::board_size)]
    size: BoardSize,

    /// Positions at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = value_parser!(u16).range(1..=4096))]
    boards: u16,

    /// Number format: f16 or f32
    #[arg(long, value_name = "FORMAT", default_value = "f16", value_parser = format)]
    precision: Format,
}

fn format(text: &str) -> Result<Format, String> {
    [Format::F16, Format::F32]
        .into_iter()
        .find(|format| format.name() == text)
        .ok_or_else(|| format!("'{text}' is not f16 or f32"))
}

/// Prints the plan.
pub fn run(arguments: &PlanArguments) -> Result<()> {
    let net = read_net(&arguments.file)?;
    let plan = Plan::new(&net);
    let plan =
        plan.context("on GPUs this network is computed by the candle library, without a plan")?;
    let (boards, bytes) = (arguments.boards.into(), arguments.precision.bytes());
    say(format_args!(
        "{} in {}\n\n{}",
        net.name,
        arguments.precision.name(),
        plan.table(arguments.size, boards, bytes)
    ))
}
