//! A session: what the client has set, the position, and the search in progress.

use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::super::endings;
use super::super::evaluate::Evaluation;
use super::super::position::{DraughtsMove, DraughtsPosition};
use super::super::variant::{VARIANTS, Variant};
use super::text;
use crate::games::background::{Inbox, Output, Running, SearchKind};
use crate::games::hub_line::HubLine;
use crate::input_lines::Line;
use crate::minimax::engine::{Engine, Task};
use crate::minimax::limits::{ClockState, MoveTime};
use crate::minimax::{Limits, Position, Report};
use crate::threads::locked;

/// The protocol's name of international draughts.
const NORMAL: &str = "normal";
/// Default of the parameter `tt-size`, the binary logarithm of the number of entries.
const TABLE_BITS: u32 = 20;
/// Bytes of an entry of the table, about.
const ENTRY_BYTES: u64 = 16;
/// Longest time in seconds; longer ones are as good as this.
const LONGEST: f64 = 1e9;
/// Time lost on each move between client and engine.
const OVERHEAD: Duration = Duration::from_millis(20);

/// Serves a client until `quit` or the end of the input; an output that fails is an error. A search with limits is
/// finished before what comes next, unless that is `ping`, `stop` or `quit`; other searches are ended by it. `memory` is
/// what the table may have, in MiB.
pub fn serve(
    variant: Option<&str>,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    memory: usize,
) -> Result<()> {
    let variant = Variant::named(variant.filter(|name| *name != NORMAL))?;
    let parse = |line: Line| line.text().map(|text| HubLine::parse(&text));
    let mut inbox = Inbox::open(input, parse)?;
    let mut session = Session::new(variant, output, memory);
    let is_urgent = |command: &Result<HubLine>| ["ping", "stop", "quit"].contains(&name(command));
    while let Some(command) = inbox
        .next(&mut session.running, is_urgent)
        .context("cannot read")?
    {
        match name(&command) {
            "quit" => break,
            "stop" => session.stop(inbox.take_waiting())?,
            _ => session.answer(command)?,
        }
    }
    session.running.stop();
    Ok(())
}

/// The first word of a line.
fn name(command: &Result<HubLine>) -> &str {
    command.as_ref().map_or("", |line| line.name.as_str())
}

struct Session<W> {
    output: Output<W>,
    memory: usize,
    variant: &'static Variant,
    table_bits: u32,
    threads: usize,
    position: DraughtsPosition,
    /// Keys of the positions before it.
    history: Vec<u64>,
    level: Level,
    engine: Arc<Mutex<Engine<Evaluation>>>,
    running: Running,
}

/// How long is searched.
#[derive(Clone, Debug, Default)]
struct Level {
    limits: Limits,
    clock: Option<ClockState>,
    is_infinite: bool,
}

/// What a search is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Think,
    Ponder,
    Analyze,
}

impl<W: Write + Send + 'static> Session<W> {
    fn new(variant: &'static Variant, output: W, memory: usize) -> Session<W> {
        let engine = Engine::new(Evaluation::default(), mebibytes(TABLE_BITS).min(memory));
        Session {
            output: Output::new(output),
            memory,
            variant,
            table_bits: TABLE_BITS,
            threads: 1,
            position: DraughtsPosition::start(variant),
            history: Vec::new(),
            level: Level::default(),
            engine: Arc::new(Mutex::new(engine)),
            running: Running::default(),
        }
    }

    /// Ends the search, and those that were asked for before the client said so.
    fn stop(&mut self, waiting: VecDeque<Result<HubLine>>) -> Result<()> {
        self.running.stop();
        for command in waiting {
            self.answer(command)?;
        }
        self.running.stop();
        Ok(())
    }

    /// Obeys, or tells what is wrong.
    fn answer(&mut self, command: Result<HubLine>) -> Result<()> {
        if let Err(error) = command.and_then(|command| self.obey(&command)) {
            let message = format!("{error:#}").replace(['"', '\n'], "'");
            self.output.say(&format!("error message=\"{message}\""))?;
        }
        Ok(())
    }

    fn obey(&mut self, command: &HubLine) -> Result<()> {
        match &command.name[..] {
            "ping" => return Ok(self.output.say("pong")?),
            "ponder-hit" => {
                self.running.ponder_hit();
                return Ok(());
            }
            // They are not meant to come during a search; they end one that is left.
            "hub" | "set-param" | "init" | "new-game" | "pos" | "level" | "go" => {
                self.running.stop();
            }
            _ => return Ok(()),
        }
        match &command.name[..] {
            "hub" => self.introduce(),
            "set-param" => self.set_parameter(command),
            "init" => {
                let mut engine = locked(&self.engine);
                engine.threads = self.threads;
                engine.resize(mebibytes(self.table_bits).min(self.memory));
                drop(engine);
                endings::prepare(self.variant);
                Ok(self.output.say("ready")?)
            }
            "new-game" => {
                locked(&self.engine).clear();
                Ok(())
            }
            "pos" => self.set_position(command),
            "level" => self.set_level(command),
            "go" => self.go(command),
            _ => Ok(()),
        }
    }

    fn introduce(&self) -> Result<()> {
        let names = VARIANTS.iter().map(protocol_name);
        let variants = names.collect::<Vec<_>>().join(" ");
        let lines = [
            format!(
                "id name=keima version={} author=\"the keima developers\"",
                env!("CARGO_PKG_VERSION")
            ),
            format!(
                "param name=variant value={} type=enum values=\"{variants}\"",
                protocol_name(self.variant)
            ),
            format!(
                "param name=threads value={} type=int min=1 max=256",
                self.threads
            ),
            format!(
                "param name=tt-size value={} type=int min=10 max=30",
                self.table_bits
            ),
            "wait".to_owned(),
        ];
        Ok(self.output.say(&lines.join("\n"))?)
    }

    fn set_parameter(&mut self, command: &HubLine) -> Result<()> {
        let value = command.get("value").unwrap_or_default();
        let number = |least: u32, most: u32| {
            let number = value
                .parse()
                .ok()
                .filter(|number| (least..=most).contains(number));
            number.with_context(|| format!("'{value}' is not a number from {least} to {most}"))
        };
        match command.get("name") {
            Some("variant") => {
                let name = Some(value).filter(|name| *name != NORMAL);
                self.variant = Variant::named(name)?;
                self.position = DraughtsPosition::start(self.variant);
                self.history.clear();
                endings::prepare(self.variant);
            }
            Some("threads") => self.threads = number(1, 256)? as usize,
            Some("tt-size") => self.table_bits = number(10, 30)?,
            _ => {}
        }
        Ok(())
    }

    /// After an error the position is the last one that could be reached.
    fn set_position(&mut self, command: &HubLine) -> Result<()> {
        self.position = match command.get("pos") {
            Some(text) => text::parse_position(self.variant, text)?,
            None => DraughtsPosition::start(self.variant),
        };
        self.history.clear();
        for word in command.get("moves").unwrap_or_default().split_whitespace() {
            let mv = text::parse_move(&self.position, word)?;
            self.history.push(self.position.key());
            self.position.play(mv);
        }
        Ok(())
    }

    fn set_level(&mut self, command: &HubLine) -> Result<()> {
        let whole = |name: &str| -> Result<Option<u64>> {
            let parsed = command.get(name).map(|text| text.parse::<u64>());
            parsed
                .transpose()
                .with_context(|| format!("{name} is not a whole number"))
        };
        // In seconds; with the increment, which is added before the move. Until then the clock may be below zero.
        let seconds = |name: &str, increment: Duration| -> Result<Option<Duration>> {
            let parsed = command.get(name).map(|text| {
                let seconds = text
                    .parse::<f64>()
                    .ok()
                    .map(|it| it + increment.as_secs_f64());
                let time =
                    seconds.and_then(|it| Duration::try_from_secs_f64(it.clamp(0.0, LONGEST)).ok());
                time.with_context(|| format!("{name} is not a number of seconds"))
            });
            parsed.transpose()
        };
        let mut level = Level {
            is_infinite: command.has("infinite"),
            ..Level::default()
        };
        level.limits.depth = whole("depth")?.map(|depth| depth.clamp(1, 1_000) as u32);
        level.limits.nodes = whole("nodes")?.map(|nodes| nodes.max(1));
        let fixed = seconds("move-time", Duration::ZERO)?;
        level.limits.time = fixed.map(|time| MoveTime::fixed(time, OVERHEAD));
        let moves = whole("moves")?;
        let increment = seconds("inc", Duration::ZERO)?.unwrap_or_default();
        level.clock = seconds("time", increment)?.map(|left| ClockState {
            left,
            increment,
            moves_to_go: moves.map(|moves| moves.min(1_000) as u32),
        });
        self.level = level;
        Ok(())
    }

    fn go(&mut self, command: &HubLine) -> Result<()> {
        let purpose = match () {
            () if command.has("ponder") => Purpose::Ponder,
            () if command.has("analyze") => Purpose::Analyze,
            () => Purpose::Think,
        };
        // Draws are left to the client, which may count otherwise.
        if !self.position.has_moves() {
            bail!("the game is over");
        }
        let mut limits = self.level.limits.clone();
        if let Some(clock) = self.level.clock {
            limits.time = Some(clock.move_time(OVERHEAD));
        }
        let is_infinite = self.level.is_infinite || purpose == Purpose::Analyze;
        if is_infinite {
            limits.time = None;
        }
        let (position, history) = (self.position.clone(), self.history.clone());
        let (engine, output) = (Arc::clone(&self.engine), self.output.clone());
        let kind = SearchKind {
            is_ponder: purpose == Purpose::Ponder,
            is_infinite,
            may_finish: limits.end_a_search(),
        };
        let started = self.running.start(kind, move |ongoing| {
            let control = &ongoing.control;
            let task = Task {
                history: &history,
                ..Task::new(&position)
            };
            let found = locked(&engine).search(task, &limits, control, |report| {
                if let Report::Variation(found) = report
                    && output.say(&text::info(&position, &found)).is_err()
                {
                    // The reader is gone, which ends the session as well.
                    control.stop();
                }
            });
            ongoing.wait_to_answer();
            let moves = found.best.map(|best| best.moves).unwrap_or_default();
            output.say(&answer(&position, &moves)).unwrap_or_default();
        });
        started.context("cannot start a search")
    }
}

/// The line `done`, with the reply that is expected.
fn answer(position: &DraughtsPosition, moves: &[DraughtsMove]) -> String {
    let line = text::line(position, moves);
    let mut words = line.split(' ');
    let mut answer = format!("done move={}", words.next().unwrap_or_default());
    if let Some(reply) = words.next() {
        answer += &format!(" ponder={reply}");
    }
    answer
}

/// A variant as the protocol names it.
pub fn protocol_name(variant: &Variant) -> &'static str {
    match variant.name {
        "international" => NORMAL,
        name => name,
    }
}

/// Size of a table of so many entries.
fn mebibytes(bits: u32) -> usize {
    ((ENTRY_BYTES << bits) >> 20).max(1) as usize
}
