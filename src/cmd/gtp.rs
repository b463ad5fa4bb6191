//! `keima gtp`: the engine.

use std::io::{BufReader, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::players;
use crate::cli::GtpArguments;
use crate::console::tell;
use crate::gtp::engine::{Engine, Identity};
use crate::gtp::run::serve;
use crate::gtp::terminal::GREETING;

/// Plays until the input ends or says `quit`.
pub fn run(arguments: GtpArguments) -> Result<ExitCode> {
    let (size, rules) = (arguments.size, arguments.rules);
    let komi = arguments.komi.unwrap_or_else(|| rules.usual_komi());
    let mut player = players::build(&arguments.player)?;
    if arguments.ponder {
        let thinker = &mut player.thinker;
        let set = thinker.set_parameter("ponderingEnabled", "true");
        set.context("this player does not search: leave --ponder out")?;
    }
    if !players::sets(&arguments.player, "allowResignation") {
        // Unless it has been said otherwise, players that can tell when to give up do so.
        let _ = player.thinker.set_parameter("allowResignation", "true");
    }
    tell(format_args!(
        "version {}, {}",
        env!("CARGO_PKG_VERSION"),
        player.description
    ));
    let identity = Identity {
        name: arguments.gtp_name,
        version: arguments.gtp_version,
    };
    let mut engine = Engine::new(player.thinker, identity, size, rules, komi);
    engine.prepare();
    if std::io::stdin().is_terminal() {
        tell(format_args!("{GREETING}"));
        engine.help_person();
    }
    serve(
        &mut engine,
        BufReader::new(std::io::stdin()),
        std::io::stdout(),
        reader_is_gone,
    )
    .context("cannot answer")?;
    Ok(ExitCode::SUCCESS)
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
