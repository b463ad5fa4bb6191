//! `keima gtp`: the engine.

use std::io::{BufRead, BufReader, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use super::board_games::serve_uci;
use super::engine_config::{ConfigSource, EngineConfig, Setting};
use super::player_arguments::PlayerArguments;
use super::{players, settings};
use crate::console::tell;
use crate::go::{BoardSize, Komi, Rules};
use crate::gtp::engine::{Engine, Identity};
use crate::gtp::run::serve;
use crate::gtp::terminal::GREETING;

/// Options of the engine.
#[derive(Args, Clone)]
pub struct GtpArguments {
    /// How moves are found.
    #[command(flatten)]
    pub player: PlayerArguments,

    /// Rule set at the start: chinese, japanese, tromp-taylor, aga, ..., or KataGo's JSON
    #[arg(long, default_value = "tromp-taylor", value_parser = settings::rules)]
    pub rules: Rules,

    /// Komi at the start; by default the one usual under the rules
    #[arg(long, value_name = "POINTS", value_parser = settings::komi, allow_negative_numbers = true)]
    pub komi: Option<Komi>,

    /// Board size at the start: 19, or width and height as in 9x7
    #[arg(long, default_value = "19", value_parser = settings::board_size)]
    pub size: BoardSize,

    /// Think on the opponent's time (pondering)
    #[arg(long)]
    pub ponder: bool,

    /// Answer to the GTP command `name`
    #[arg(long, value_name = "TEXT", default_value = "keima")]
    pub gtp_name: String,

    /// Answer to the GTP command `version`
    #[arg(long, value_name = "TEXT", default_value = env!("CARGO_PKG_VERSION"))]
    pub gtp_version: String,
}

/// Plays until the input ends or says `quit`. With `may_be_uci`, a first line `uci` starts a session
/// of chess instead, for clients that cannot pass arguments.
pub fn run(arguments: GtpArguments, may_be_uci: bool) -> Result<ExitCode> {
    // While the first line is awaited nothing else happens; pondering would.
    let may_be_uci = may_be_uci && !arguments.ponder && !std::io::stdin().is_terminal();
    let (size, rules) = (arguments.size, arguments.rules);
    let komi = arguments.komi.unwrap_or_else(|| rules.usual_komi());
    let mut options = arguments.player.source()?;
    if arguments.ponder {
        let setting = Setting::new("--ponder", "ponderingEnabled", true);
        options.settings.push(setting);
    }
    let environment = ConfigSource::of_environment(|name| std::env::var(name).ok())?;
    let player = players::build(&EngineConfig::resolve([environment, options])?)?;
    tell(format_args!(
        "version {}, {}",
        env!("CARGO_PKG_VERSION"),
        player.description
    ));
    let identity = Identity {
        name: arguments.gtp_name,
        version: arguments.gtp_version,
    };
    let mut engine = Engine::new(player.player, identity, size, rules, komi);
    engine.prepare();
    if std::io::stdin().is_terminal() {
        tell(format_args!("{GREETING}"));
        engine.help_person();
    }
    let mut input = BufReader::new(std::io::stdin());
    if may_be_uci && begins_with_uci(&mut input) {
        serve_uci(input, std::io::stdout()).context("cannot answer")?;
        return Ok(ExitCode::SUCCESS);
    }
    serve(&mut engine, input, std::io::stdout(), reader_is_gone).context("cannot answer")?;
    Ok(ExitCode::SUCCESS)
}

/// Whether the first line of the input is `uci`; takes nothing out of it.
fn begins_with_uci(input: &mut impl BufRead) -> bool {
    // An input that fails is found out by the session.
    let start = input.fill_buf().unwrap_or_default();
    let line = start.split(|byte| *byte == b'\n').next();
    line.is_some_and(|line| line.trim_ascii() == b"uci")
}

/// Waits until nobody can read standard output any more, perhaps for ever.
#[cfg(unix)]
fn reader_is_gone() -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    let output = std::io::stdout();
    // Without asking for anything: errors and hang-ups are told all the same.
    let mut polled = [PollFd::new(&output, PollFlags::empty())];
    loop {
        match poll(&mut polled, None) {
            Err(Errno::INTR) => {}
            result => return result.is_ok(),
        }
    }
}

/// Is found out when something is written.
#[cfg(not(unix))]
fn reader_is_gone() -> bool {
    false
}
