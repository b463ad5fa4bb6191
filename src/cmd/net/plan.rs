//! `keima net plan`: the operations that a network becomes.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::value_parser;

use crate::cmd::settings;
use crate::console::say;
use crate::go::BoardSize;
use crate::nn::backend::DeviceChoice;
use crate::nn::gpu::{self, Format};
use crate::nn::network::Network;
use crate::nn::plan::Plan;

/// Side of boards for networks of all sizes.
const SIDE: usize = 19;

/// Show the operations of a network, with their work and memory
///
/// Needs no GPU; on one, most operations are one launch of a kernel, pooling over chains is two, and in f16 several
/// operations of a transformer are one. Activations are those that an operation reads and writes, each once.
#[derive(clap::Args)]
pub struct PlanArguments {
    /// Network: a KataGo or Leela Zero file or a checkpoint, or a built-in one: default or small
    #[arg(value_name = "FILE", default_value = "default")]
    file: PathBuf,

    /// Board size: 19, or width and height as in 9x7; by default 19, or the only one of the network
    #[arg(long, value_parser = settings::board_size)]
    size: Option<BoardSize>,

    /// Positions at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = value_parser!(u16).range(1..=4096))]
    boards: u16,

    /// What is to compute the network: cuda, or cpu, which has no launches
    #[arg(long, value_name = "DEVICE", default_value = "cuda", value_parser = device)]
    device: DeviceChoice,

    /// Number format: f16 or f32; by default f16 on a GPU, f32 on a CPU
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    precision: Option<Format>,
}

fn device(text: &str) -> Result<DeviceChoice, String> {
    text.parse()
        .ok()
        .filter(|device| matches!(device, DeviceChoice::Cuda(_) | DeviceChoice::Cpu))
        .ok_or_else(|| format!("'{text}' is not cuda or cpu"))
}

fn format(text: &str) -> Result<Format, String> {
    [Format::F16, Format::F32]
        .into_iter()
        .find(|format| format.name() == text)
        .ok_or_else(|| format!("'{text}' is not f16 or f32"))
}

/// Prints the plan.
pub fn run(arguments: &PlanArguments) -> Result<()> {
    let network = Network::read_file(&arguments.file)?;
    let plan = match &network {
        Network::KataGo(net) => Plan::new(net),
        Network::LeelaZero(net) => Plan::of_leela(net),
    };
    let size = arguments
        .size
        .or(plan.inputs.shape.only_size)
        .unwrap_or(BoardSize::square(SIDE));
    if let Some(only) = plan.inputs.shape.only_size {
        ensure!(
            size == only,
            "this network plays on {only} only: `--size {only}`"
        );
    }
    let is_on_gpu = arguments.device != DeviceChoice::Cpu;
    let default = if is_on_gpu { Format::F16 } else { Format::F32 };
    let precision = arguments.precision.unwrap_or(default);
    let (boards, bytes) = (arguments.boards.into(), precision.bytes());
    let remark = match is_on_gpu {
        true => on_gpu(&plan, precision, size),
        false => String::new(),
    };
    say(format_args!(
        "{} in {}\n\n{}{remark}",
        network.name(),
        precision.name(),
        plan.table(size, boards, bytes)
    ))
}

/// How a GPU computes the plan.
fn on_gpu(plan: &Plan, precision: Format, size: BoardSize) -> String {
    match gpu::check(plan) {
        Ok(()) => {
            let launches = gpu::launch_count(plan, precision, size.area());
            format!("; {launches} launches of kernels on a GPU")
        }
        Err(error) => format!("\n\nOn a GPU the candle library computes it: {error}"),
    }
}
