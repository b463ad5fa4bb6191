//! An engine in another process as a player of a board game. What protocols have in common: starting it, asking
//! it, starting it again after it has exited.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::gtp_contestant::Patience;
use crate::arena::board::{BoardPlayer, Choice, GameStart, Turn};
use crate::arena::contestant::Fault;
use crate::games::board_game::BoardGame;
use crate::process::{LineEngine, NoLine};

/// How long an engine may take to end.
const FAREWELL: Duration = Duration::from_millis(500);

/// An engine to be started.
#[derive(Clone, Debug)]
pub struct EngineStart {
    /// Its command line; no shell is used.
    pub command_line: String,
    /// Options that the user gave, with their values.
    pub options: Vec<(String, String)>,
    /// Timeouts.
    pub patience: Patience,
}

/// A running engine, asked a line at a time.
pub struct Link {
    engine: LineEngine,
    /// Timeouts.
    pub patience: Patience,
    /// What ends the engine.
    last_line: &'static str,
}

impl Link {
    /// Sends a line that has no answer.
    pub fn tell(&mut self, line: &str) -> Result<(), Fault> {
        self.engine.send(line).map_err(fault)
    }

    /// Sends a line and reads until an answer is understood.
    pub fn ask<T>(
        &mut self,
        line: &str,
        timeout: Duration,
        understand: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Fault> {
        let begun = Instant::now();
        self.tell(line)?;
        let end = begun.checked_add(timeout).unwrap_or_else(|| begun + LONG);
        self.engine.read_until(end, understand).map_err(fault)
    }
}

/// Longer than any game.
const LONG: Duration = Duration::from_secs(1 << 30);

fn fault(problem: NoLine) -> Fault {
    match problem {
        NoLine::Exited(details) => Fault::Crashed(details),
        NoLine::TimedOut => Fault::Silent,
    }
}

/// A protocol, with what it has to remember of an engine.
pub trait Dialect: Sized {
    /// What ends an engine.
    const LAST_LINE: &'static str = "quit";

    /// Makes an engine that has just been started ready for this game; gives its name. `options` are the user's.
    fn introduce<G: BoardGame>(
        link: &mut Link,
        options: &[(String, String)],
        game: &GameStart<G>,
    ) -> Result<(Self, String)>;

    /// Begins a game.
    fn begin<G: BoardGame>(&self, link: &mut Link, game: &GameStart<G>) -> Result<()>;

    /// Waits until the engine can take lines again after its last answer.
    fn rest(&self) {}

    /// Asks for a move.
    fn choose<G: BoardGame>(
        &self,
        link: &mut Link,
        turn: &Turn<G>,
    ) -> Result<Choice<G::Move>, Fault>;
}

/// An engine that speaks a protocol.
pub struct EngineContestant<D> {
    start: EngineStart,
    name: String,
    running: Option<(Link, D)>,
}

impl<D: Dialect> EngineContestant<D> {
    /// The engine is started with its first game.
    pub fn new(start: EngineStart) -> EngineContestant<D> {
        EngineContestant {
            name: start.command_line.clone(),
            start,
            running: None,
        }
    }

    fn run_anew<G: BoardGame>(&mut self, game: &GameStart<G>) -> Result<()> {
        // The old one is ended first.
        self.running = None;
        let command_line = &self.start.command_line;
        let cannot_start = || format!("cannot start the engine '{command_line}'");
        let mut link = Link {
            engine: LineEngine::spawn(command_line).with_context(cannot_start)?,
            patience: self.start.patience,
            last_line: D::LAST_LINE,
        };
        let introduced = D::introduce(&mut link, &self.start.options, game);
        let (dialect, name) = introduced.with_context(cannot_start)?;
        if !name.is_empty() {
            self.name = name;
        }
        dialect.begin(&mut link, game).with_context(cannot_start)?;
        self.running = Some((link, dialect));
        Ok(())
    }
}

impl<G: BoardGame, D: Dialect> BoardPlayer<G> for EngineContestant<D> {
    fn name(&self) -> &str {
        &self.name
    }

    /// An engine that has exited since the last game, or does not answer, is started anew.
    fn start(&mut self, game: &GameStart<G>) -> Result<()> {
        let begun = match &mut self.running {
            Some((link, dialect)) => dialect.begin(link, game).is_ok(),
            None => false,
        };
        match begun {
            true => Ok(()),
            false => self.run_anew(game),
        }
    }

    fn rest(&mut self) {
        if let Some((_, dialect)) = &self.running {
            dialect.rest();
        }
    }

    fn choose(&mut self, turn: &Turn<G>) -> Result<Choice<G::Move>, Fault> {
        let Some((link, dialect)) = &mut self.running else {
            return Err(Fault::Crashed("the engine is not running".to_owned()));
        };
        let choice = dialect.choose(link, turn);
        if matches!(choice, Err(Fault::Crashed(_) | Fault::Silent)) {
            self.running = None;
        }
        choice
    }
}

impl<D> Drop for EngineContestant<D> {
    fn drop(&mut self) {
        if let Some((link, _)) = &mut self.running {
            link.engine.quit(link.last_line, FAREWELL);
        }
    }
}

/// A fault before the first move, as an error.
pub fn no_answer(fault: Fault, line: &str) -> anyhow::Error {
    match fault {
        Fault::Crashed(details) => anyhow::anyhow!("{details}"),
        Fault::Silent => anyhow::anyhow!("no answer to '{line}'"),
        Fault::Refused(message) => anyhow::anyhow!("'{line}' is answered by the error '{message}'"),
        Fault::NotAMove(text) => anyhow::anyhow!("'{line}' is answered by '{text}'"),
        Fault::AgainstRule { answer, reason } => anyhow::anyhow!("{answer}: {reason}"),
    }
}

/// Checks that an option is among those that an engine offers. Names are compared without case.
pub fn check_option(name: &str, offered: &[String]) -> Result<()> {
    if offered.iter().any(|offer| offer.eq_ignore_ascii_case(name)) {
        return Ok(());
    }
    bail!(
        "the engine has no option '{name}'; it has {}",
        offered.join(", ")
    )
}

/// A legal move from an engine's answer, or the rule it breaks.
pub fn legal<G: BoardGame>(turn: &Turn<G>, text: &str) -> Result<G::Move, Fault> {
    let read = turn.position.read_engine_move(turn.start, text);
    read.map_err(|error| Fault::AgainstRule {
        answer: text.to_owned(),
        reason: format!("{error:#}"),
    })
}
