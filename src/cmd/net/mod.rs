//! `keima net`: inspect, evaluate, measure, create and convert network files.

use std::process::ExitCode;

use anyhow::Result;

mod bench;
mod convert;
mod eval;
mod eval_text;
#[cfg(feature = "cuda")]
mod gpu_stages;
mod info;
mod info_text;
mod new;
pub(super) mod new_file;
mod picture;
mod plan;
mod sanity;
mod stages;
mod stored;
mod test;
mod test_text;
mod workload;

/// Inspect, evaluate, measure, create and convert network files
#[derive(clap::Args)]
pub struct NetArguments {
    #[command(subcommand)]
    command: NetCommand,
}

#[derive(clap::Subcommand)]
enum NetCommand {
    Info(info::InfoArguments),
    Eval(eval::EvalArguments),
    Bench(bench::BenchArguments),
    Plan(plan::PlanArguments),
    New(new::NewArguments),
    Test(test::TestArguments),
    Sanity(sanity::SanityArguments),
    #[command(visible_alias = "export")]
    Convert(convert::ConvertArguments),
}

pub fn run(arguments: &NetArguments) -> Result<ExitCode> {
    match &arguments.command {
        NetCommand::Info(arguments) => info::run(arguments)?,
        NetCommand::Eval(arguments) => eval::run(arguments)?,
        NetCommand::Bench(arguments) => bench::run(arguments)?,
        NetCommand::Plan(arguments) => plan::run(arguments)?,
        NetCommand::New(arguments) => new::run(arguments)?,
        NetCommand::Test(arguments) => test::run(arguments)?,
        NetCommand::Sanity(arguments) => return sanity::run(arguments),
        NetCommand::Convert(arguments) => convert::run(arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}
