//! `keima gtp`: the engine.

use std::ffi::OsString;
use std::io::{BufReader, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use super::engine_config::{ConfigSource, EngineConfig, Setting};
use super::player_arguments::{PlayerArguments, text};
use super::{players, settings};
use crate::console::tell;
use crate::formats::rules_json;
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

    /// Rule set at the start: tromp-taylor, the default, chinese, japanese, aga, ..., or KataGo's JSON
    #[arg(long, value_parser = settings::rules)]
    pub rules: Option<Rules>,

    /// Komi at the start; by default the one usual under the rules
    #[arg(long, value_name = "POINTS", value_parser = settings::komi, allow_negative_numbers = true)]
    pub komi: Option<Komi>,

    /// Board size at the start: 19, the default, or width and height as in 9x7
    #[arg(long, value_parser = settings::board_size)]
    pub size: Option<BoardSize>,

    /// Think on the opponent's time (pondering)
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub ponder: Option<bool>,

    /// Answer to the GTP command `name`
    #[arg(long, value_name = "TEXT")]
    pub gtp_name: Option<String>,

    /// Answer to the GTP command `version`
    #[arg(long, value_name = "TEXT")]
    pub gtp_version: Option<String>,
}

impl GtpArguments {
    /// The options as a source of the configuration.
    pub fn source(self) -> Result<ConfigSource> {
        let mut source = self.player.source()?;
        let mut add = |option: &str, name: &str, value: Option<OsString>| {
            let settings = &mut source.settings;
            settings.extend(value.map(|value| Setting::of_option(option, name, value)));
        };
        add(
            "--rules",
            "rules",
            text(self.rules.map(|rules| rules_json::text(&rules))),
        );
        add("--komi", "komi", text(self.komi));
        add("--size", "size", text(self.size));
        add("--ponder", "ponderingEnabled", text(self.ponder));
        add("--gtp-name", "gtp-name", text(self.gtp_name));
        add("--gtp-version", "gtp-version", text(self.gtp_version));
        Ok(source)
    }
}

/// Plays until the input ends or says `quit`.
pub fn run(arguments: GtpArguments) -> Result<ExitCode> {
    let config = EngineConfig::load(arguments.source()?)?;
    let player = players::build(&config)?;
    tell(format_args!(
        "version {}, {}",
        env!("CARGO_PKG_VERSION"),
        player.description
    ));
    let (rules, komi, size) = (config.rules, config.start_komi(), config.size);
    let own = |text: &str| text.to_owned();
    let identity = Identity {
        name: config.gtp_name.unwrap_or_else(|| own("keima")),
        version: config
            .gtp_version
            .unwrap_or_else(|| own(env!("CARGO_PKG_VERSION"))),
    };
    let mut engine = Engine::new(player.player, identity, size, rules, komi);
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
