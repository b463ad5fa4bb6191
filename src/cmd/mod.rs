//! The command line and its subcommands, which assemble players, engines and matches.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::nn::network_folder;
use crate::threads::start_pool;

mod analysis;
mod backgammon;
mod bench;
mod bench_search;
mod bench_tune;
mod board_games;
mod board_page;
mod completed;
mod config;
mod curves;
mod device;
mod doctor;
mod dxp;
mod engine_config;
mod gate;
mod genconfig;
mod gomoku;
mod gtp;
mod hub;
mod interrupts;
mod label;
mod learn;
mod manual;
pub mod matches;
mod net;
mod network_chooser;
mod perft;
mod piskvork;
mod play;
mod player_arguments;
mod players;
mod record_files;
mod regress;
mod report;
mod review;
mod rollout_policy;
mod rules_arguments;
mod selfplay;
mod serve;
mod session_log;
mod settings;
mod solve;
mod terminal;
mod train;
mod train_progress;
mod tree;
mod tree_go;
mod tune;
mod uci;

/// A Go engine that speaks GTP.
#[derive(Parser)]
#[command(name = "keima", version, about, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// Subcommand; `gtp` by default.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The options of `gtp`.
    #[command(flatten)]
    pub gtp: gtp::GtpArguments,
}

/// The subcommands, as `--help` lists them. Those without a comment have their help at their arguments.
#[derive(Subcommand)]
pub enum Command {
    /// Play over GTP on stdin and stdout; the default command
    Gtp(gtp::GtpArguments),
    Play(Box<play::PlayArguments>),
    Serve(Box<serve::ServeArguments>),
    Review(Box<review::ReviewArguments>),
    Analysis(analysis::AnalysisArguments),
    Doctor(Box<doctor::DoctorArguments>),
    Config(config::ConfigArguments),
    Genconfig(genconfig::GenconfigArguments),
    Match(matches::MatchArguments),
    Solve(solve::SolveArguments),
    Net(net::NetArguments),
    #[command(visible_alias = "benchmark")]
    Bench(bench_search::BenchArguments),
    Regress(regress::RegressArguments),
    Label(label::LabelArguments),
    Train(train::TrainArguments),
    Selfplay(selfplay::SelfplayArguments),
    Gate(gate::GateArguments),
    Learn(Box<learn::LearnArguments>),
    RolloutPolicy(rollout_policy::RolloutPolicyArguments),
    Report(report::ReportArguments),
    Uci(uci::UciArguments),
    Hub(hub::HubArguments),
    Dxp(dxp::DxpArguments),
    Piskvork(piskvork::PiskvorkArguments),
    Gomoku(gomoku::GomokuArguments),
    Backgammon(backgammon::BackgammonArguments),
    Tree(tree::TreeArguments),
    /// Count the leaves of the game tree
    Perft(perft::PerftArguments),
    Tune(tune::TuneArguments),
    Completions(manual::CompletionsArguments),
    Man(manual::ManArguments),
}

/// The long options that KataGo takes with a single dash.
const KATAGO_OPTIONS: [&str; 10] = [
    "-model",
    "-config",
    "-override-config",
    "-override-version",
    "-human-model",
    "-output",
    "-analysis-threads",
    "-quit-without-waiting",
    "-visits",
    "-threads",
];

/// A command line with two dashes before KataGo's long options, and before `version`, which is a command there.
pub fn with_two_dashes(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let is_katagos = |argument: &OsString| {
        let name = argument.to_str().and_then(|text| text.split('=').next());
        name.is_some_and(|name| KATAGO_OPTIONS.contains(&name))
    };
    let longer = |argument: OsString| match is_katagos(&argument) {
        true => [OsString::from("-"), argument].into_iter().collect(),
        false => argument,
    };
    let mut arguments: Vec<OsString> = arguments.map(longer).collect();
    if let [_, command] = &mut arguments[..]
        && *command == "version"
    {
        *command = "--version".into();
    }
    arguments
}

pub fn run(cli: Cli) -> Result<ExitCode> {
    start_pool(device::pool_threads());
    let loads_configuration = matches!(
        cli.command,
        None | Some(
            Command::Gtp(_)
                | Command::Analysis(_)
                | Command::Review(_)
                | Command::Serve(_)
                | Command::Config(_)
                | Command::Doctor(_)
                | Command::Play(_)
        )
    );
    if !loads_configuration {
        network_folder::search_in(engine_config::networks_folder());
    }
    match cli.command {
        None if piskvork::is_program_name() => piskvork::run(&Default::default()),
        None => gtp::run(cli.gtp, true),
        Some(Command::Gtp(arguments)) => gtp::run(arguments, false),
        Some(Command::Analysis(arguments)) => Ok(analysis::run(arguments)),
        Some(Command::Review(arguments)) => review::run(&arguments),
        Some(Command::Serve(arguments)) => serve::run(&arguments),
        Some(Command::Match(arguments)) => matches::run(&arguments),
        Some(Command::Gate(arguments)) => gate::run(&arguments),
        Some(Command::Regress(arguments)) => regress::run(&arguments),
        Some(Command::Net(arguments)) => net::run(&arguments),
        Some(Command::Label(arguments)) => label::run(&arguments),
        Some(Command::Train(arguments)) => train::run(&arguments),
        Some(Command::Learn(arguments)) => learn::run(&arguments),
        Some(Command::RolloutPolicy(arguments)) => rollout_policy::run(&arguments),
        Some(Command::Selfplay(arguments)) => selfplay::run(&arguments),
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::Solve(arguments)) => solve::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
        Some(Command::Config(arguments)) => config::run(arguments),
        Some(Command::Genconfig(arguments)) => genconfig::run(&arguments),
        Some(Command::Doctor(arguments)) => doctor::run(*arguments),
        Some(Command::Completions(arguments)) => manual::completions(&arguments),
        Some(Command::Man(arguments)) => manual::man(&arguments),
        Some(Command::Perft(arguments)) => perft::run(&arguments),
        Some(Command::Uci(arguments)) => uci::run(&arguments),
        Some(Command::Hub(arguments)) => hub::run(&arguments),
        Some(Command::Dxp(arguments)) => dxp::run(&arguments),
        Some(Command::Piskvork(arguments)) => piskvork::run(&arguments),
        Some(Command::Gomoku(arguments)) => gomoku::run(&arguments),
        Some(Command::Backgammon(arguments)) => backgammon::run(&arguments),
        Some(Command::Play(arguments)) => play::run(*arguments),
        Some(Command::Tree(arguments)) => tree::run(&arguments),
        Some(Command::Tune(arguments)) => tune::run(&arguments),
    }
}
