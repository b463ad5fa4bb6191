//! `keima gtp`: the engine.

use std::io::{BufRead, BufReader, Cursor, IsTerminal, Read};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use super::board_games::{serve_piskvork, serve_uci};
use super::engine_config::{ConfigSource, EngineConfig, Purpose, value_name};
use super::piskvork::PiskvorkArguments;
use super::player_arguments::{PlayerArguments, text};
use super::rules_arguments::RulesArguments;
use super::session_log::{LogLevel, Logged, SessionLog};
use super::{players, settings};
use crate::console::{tell, tell_as_is};
use crate::go::BoardSize;
use crate::gtp::engine::{Engine, Identity};
use crate::gtp::run::serve;
use crate::gtp::terminal::GREETING;

/// The version of KataGo whose GTP commands keima has.
const KATAGO_VERSION: &str = "1.16.0";

/// So many bytes hold the line `uci` or the first word of Piskvork's protocol, with its end and some blanks.
const FIRST_WORD: u64 = 16;
/// What managers of Piskvork's protocol may begin with.
const PISKVORK: [&str; 4] = ["START", "RECTSTART", "ABOUT", "INFO"];

/// Options of the engine.
#[derive(Args, Clone)]
pub struct GtpArguments {
    /// How moves are found.
    #[command(flatten)]
    pub player: PlayerArguments,

    /// Rules and komi.
    #[command(flatten)]
    pub rules: RulesArguments,

    /// Board size at the start: 19, the default, or width and height as in 9x7
    #[arg(long, value_parser = settings::board_size)]
    pub size: Option<BoardSize>,

    /// Think on the opponent's time (pondering)
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub ponder: Option<bool>,

    /// Answer to the GTP command `name`; by default keima, or where it is the first command, as GUIs
    /// choose their dialect by it then, "KataGo-compatible keima"
    #[arg(long, value_name = "TEXT")]
    pub gtp_name: Option<String>,

    /// Answer to the GTP command `version`; by default keima's, or where the first command is `name`,
    /// that of the KataGo whose commands keima has
    #[arg(long, alias = "override-version", value_name = "TEXT")]
    pub gtp_version: Option<String>,

    /// Write the evaluation of each move to stderr in the form that gtp2ogs shows to spectators
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub ogs_chat: Option<bool>,

    /// File to write a log to; full ones are kept as FILE.1 to FILE.3
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,

    /// What is logged; by default commands and answers
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub log_level: Option<LogLevel>,
}

impl GtpArguments {
    /// The options as a source of the configuration.
    pub fn source(self) -> Result<ConfigSource> {
        let mut source = self.player.source()?;
        source.add("size", text(self.size));
        source.add_as("ponder", "ponderingEnabled", text(self.ponder));
        source.add("gtp-name", self.gtp_name);
        source.add("gtp-version", self.gtp_version);
        source.add("ogs-chat", text(self.ogs_chat));
        source.add("log", self.log);
        source.add("log-level", self.log_level.map(|it| value_name(&it)));
        self.rules.add_to(&mut source);
        Ok(source)
    }
}

/// Plays until the input ends or says `quit`. With `may_be_other`, a first line of another protocol starts a session
/// of chess (`uci`) or gomoku (Piskvork) instead, for clients that cannot pass arguments.
pub fn run(arguments: GtpArguments, may_be_other: bool) -> Result<ExitCode> {
    let config = EngineConfig::load(Purpose::Play, arguments.source()?)?;
    let log = open_log(&config)?;
    let player = players::build(&config)?;
    let remark = remarks(log.clone());
    let version = env!("CARGO_PKG_VERSION");
    remark(&format!("version {version}, {}", player.description));
    let (rules, komi, size) = (config.rules, config.start_komi(), config.size);
    let mut engine = Engine::new(player.player, identity(&config), size, rules, komi);
    engine.tell_remarks_to(remarks(log.clone()));
    let is_terminal = std::io::stdin().is_terminal();
    if config.gtp_name.is_none() && !is_terminal {
        engine.identify_to_guis(identity_for_guis(&config));
    }
    if config.ogs_chat {
        remark("evaluations of moves follow in the form of KataGo");
        engine.tell_evaluations_to(tell_as_is);
    }
    engine.prepare();
    if is_terminal {
        tell(format_args!("{GREETING}"));
        engine.help_person();
    }
    let mut input = BufReader::new(Logged::input(std::io::stdin(), log.clone()));
    let output = Logged::output(std::io::stdout(), log);
    let mut start = Vec::new();
    if may_be_other {
        // An input that fails is found out by the session.
        let mut limited = Read::by_ref(&mut input).take(FIRST_WORD);
        limited.read_until(b'\n', &mut start).unwrap_or_default();
    }
    let text = String::from_utf8_lossy(&start).into_owned();
    let word = text.split_whitespace().next().unwrap_or_default();
    let input = Cursor::new(start).chain(input);
    match word {
        "uci" if text.trim() == word => serve_uci(input, output).context("cannot answer")?,
        word if PISKVORK.contains(&word) => {
            serve_piskvork(&PiskvorkArguments::default().options(), input, output)?;
        }
        _ => serve(&mut engine, input, output, reader_is_gone).context("cannot answer")?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What it calls itself.
fn identity(config: &EngineConfig) -> Identity {
    let own = |text: &str| text.to_owned();
    Identity {
        name: config.gtp_name.clone().unwrap_or_else(|| own("keima")),
        version: config
            .gtp_version
            .clone()
            .unwrap_or_else(|| own(env!("CARGO_PKG_VERSION"))),
    }
}

/// The same to clients that use KataGo's commands only with what calls itself so.
fn identity_for_guis(config: &EngineConfig) -> Identity {
    let version = config.gtp_version.clone();
    Identity {
        name: "KataGo-compatible keima".to_owned(),
        version: version.unwrap_or_else(|| KATAGO_VERSION.to_owned()),
    }
}

/// The log, if there is to be one. A file speaks of all sessions, of which some cannot write there.
fn open_log(config: &EngineConfig) -> Result<Option<SessionLog>> {
    let Some(path) = &config.log else {
        return Ok(None);
    };
    let setting = config.source.find("log");
    match SessionLog::open(path, config.log_level) {
        Ok(log) => Ok(Some(log)),
        Err(error) if setting.is_some_and(|setting| setting.origin.is_general()) => {
            tell(format_args!("there is no log: {error:#}"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Writes remarks to standard error and to the log.
fn remarks(log: Option<SessionLog>) -> impl Fn(&str) + Send + 'static {
    move |remark| {
        tell(format_args!("{remark}"));
        if let Some(log) = &log {
            log.remark(remark);
        }
    }
}

/// Waits until nobody can read standard output any more, perhaps for ever.
#[cfg(all(unix, not(target_vendor = "apple")))]
pub(super) fn reader_is_gone() -> bool {
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

/// Is found out when something is written: Apple's `poll` waits for what it is asked for alone.
#[cfg(not(all(unix, not(target_vendor = "apple"))))]
pub(super) fn reader_is_gone() -> bool {
    false
}
