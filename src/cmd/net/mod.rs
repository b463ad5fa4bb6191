//! `keima net`: what a network file holds, what it says of a position, how fast it is; new files.

use std::process::ExitCode;

use anyhow::Result;

mod bench;
mod convert;
mod eval;
mod eval_text;
mod info;
mod info_text;
mod new;
mod new_file;
mod picture;
mod sanity;
mod stages;
mod stored;
mod terminal;
mod test;
mod test_text;
mod workload;

/// Inspect, evaluate, measure, make and convert network files
#[derive(clap::Args)]
pub struct NetArguments {
    #[command(subcommand)]
    command: NetCommand,
}

/// What to do with a network.
#[derive(clap::Subcommand)]
enum NetCommand {
    Info(info::InfoArguments),
    Eval(eval::EvalArguments),
    Bench(bench::BenchArguments),
    New(new::NewArguments),
    Test(test::TestArguments),
    Sanity(sanity::SanityArguments),
    #[command(visible_alias = "export")]
    Convert(convert::ConvertArguments),
}

/// Does what the command line says.
pub fn run(arguments: &NetArguments) -> Result<ExitCode> {
    match &arguments.command {
        NetCommand::Info(arguments) => info::run(arguments)?,
        NetCommand::Eval(arguments) => eval::run(arguments)?,
        NetCommand::Bench(arguments) => bench::run(arguments)?,
        NetCommand::New(arguments) => new::run(arguments)?,
        NetCommand::Test(arguments) => test::run(arguments)?,
        NetCommand::Sanity(arguments) => return sanity::run(arguments),
        NetCommand::Convert(arguments) => convert::run(arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}
