//! A session: what the client has set, the position, and the search in progress.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, bail};

use super::super::bench;
use super::super::diagram::diagram_with_key;
use super::super::evaluate::Evaluation;
use super::super::evaluations::AnyEvaluation;
use super::super::fen;
use super::super::notation::{coordinates, parse_coordinates};
use super::super::position::ChessPosition;
use super::command::{Command, GoRequest};
use super::limits::limits;
use super::options::{DECLARED, Effect, Options};
use super::search::Assignment;
use crate::games::background::{Inbox, Output, Running};
use crate::games::weighted::Weighted;
use crate::input_lines::Line;
use crate::minimax::perft::divide;
use crate::minimax::{Engine, Position};
use crate::threads::locked;

/// What the session has to know about the program around it.
#[derive(Clone, Debug)]
pub struct Host {
    /// What the engine calls itself.
    pub name: String,
    /// Memory for the table, in MiB.
    pub memory: usize,
    /// Reads a text file that the client names.
    pub read_text: fn(&Path) -> Result<String>,
}

/// Serves a client until `quit` or the end of the input; an output that fails is an error. A search with limits is
/// finished before what comes next, unless that is `isready`, `stop` or `quit`; other searches are ended by it.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    host: Host,
) -> io::Result<()> {
    let parse = |line: Line| match line.text() {
        Ok(text) => Command::parse(&text),
        Err(error) => Command::Malformed(error.to_string()),
    };
    let mut inbox = Inbox::open(input, parse)?;
    let mut session = Session::new(output, host);
    while let Some(command) = inbox.next(&mut session.running, Command::is_urgent)? {
        match command {
            Command::Quit => break,
            Command::Stop => session.stop(inbox.take_waiting())?,
            command => session.answer(command)?,
        }
    }
    session.running.stop();
    Ok(())
}

struct Session<W> {
    output: Output<W>,
    host: Host,
    options: Options,
    position: ChessPosition,
    /// Keys of the positions before it.
    history: Vec<u64>,
    engine: Arc<Mutex<Engine<Evaluation>>>,
    running: Running,
}

impl<W: Write + Send + 'static> Session<W> {
    fn new(output: W, host: Host) -> Session<W> {
        let options = Options::default();
        let engine = Engine::new(Evaluation::default(), options.hash.min(host.memory));
        Session {
            output: Output::new(output),
            host,
            options,
            position: ChessPosition::start(),
            history: Vec::new(),
            engine: Arc::new(Mutex::new(engine)),
            running: Running::default(),
        }
    }

    fn say(&self, line: &str) -> io::Result<()> {
        self.output.say(line)
    }

    /// Says what is wrong.
    fn complain(&self, problem: &str) -> io::Result<()> {
        self.say(&format!("info string {}", problem.replace('\n', " ")))
    }

    /// Ends the search, and those that were asked for before the client said so.
    fn stop(&mut self, waiting: VecDeque<Command>) -> io::Result<()> {
        self.running.stop();
        for command in waiting {
            self.answer(command)?;
        }
        self.running.stop();
        Ok(())
    }

    fn answer(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::IsReady => return self.say("readyok"),
            Command::PonderHit => {
                self.running.ponder_hit();
                return Ok(());
            }
            Command::Nothing => return Ok(()),
            Command::Unknown(line) => return self.complain(&format!("unknown command: {line}")),
            Command::Malformed(problem) => return self.complain(&problem),
            _ => {}
        }
        // The rest is not meant to come during a search; it ends one that is left.
        self.running.stop();
        match command {
            Command::Uci => self.introduce(),
            Command::NewGame => {
                locked(&self.engine).clear();
                self.history.clear();
                self.position = ChessPosition::start();
                Ok(())
            }
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Command::Go(request) => self.go(&request),
            Command::Display => self.say(&diagram_with_key(&self.position, self.options.is_960)),
            Command::Eval => self.say(&locked(&self.engine).evaluator.table(&self.position.board)),
            Command::Bench => {
                let signature = bench::signature(|_, _| ());
                self.say(&format!("Nodes searched: {signature}"))
            }
            _ => Ok(()),
        }
    }

    fn introduce(&self) -> io::Result<()> {
        let author = "id author the keima developers";
        self.say(&format!(
            "id name {}\n{author}\n{DECLARED}\nuciok",
            self.host.name
        ))
    }

    fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        let effect = match self.options.set(name, value) {
            Ok(effect) => effect,
            Err(problem) => return self.complain(&problem),
        };
        let memory = self.host.memory;
        if self.options.hash > memory {
            self.options.hash = memory;
            self.complain(&format!("only {memory} MiB are available for Hash"))?;
        }
        let loaded = {
            let mut engine = locked(&self.engine);
            engine.threads = self.options.threads;
            engine.variations = self.options.multi_pv;
            engine.params.contempt = self.options.contempt;
            match effect {
                Effect::None => Ok(()),
                Effect::ResizeTable => {
                    engine.resize(self.options.hash);
                    Ok(())
                }
                Effect::ClearTable => {
                    engine.clear();
                    Ok(())
                }
                Effect::LoadWeights => self.load_evaluation().map(|evaluation| {
                    engine.evaluator = evaluation;
                    // What the table has are evaluations by the old weights.
                    engine.clear();
                }),
            }
        };
        match loaded {
            Ok(()) => Ok(()),
            Err(error) => self.complain(&format!("{error:#}; the weights stay as they were")),
        }
    }

    /// The evaluation with the weights of the file that is named, or with the built-in ones.
    fn load_evaluation(&self) -> Result<Evaluation> {
        let file = &self.options.weights;
        if file.is_empty() {
            return Ok(Evaluation::default());
        }
        let text = (self.host.read_text)(Path::new(file))?;
        match AnyEvaluation::from_json(&text).with_context(|| file.clone())? {
            AnyEvaluation::Standard(evaluation) => Ok(*evaluation),
            AnyEvaluation::Thesis(_) => bail!(
                "{file} has weights of the evaluation thesis; Weights takes those of the standard evaluation"
            ),
        }
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> io::Result<()> {
        let start = match fen {
            None => Ok(ChessPosition::start()),
            Some(text) if self.options.is_960 => fen::parse(text),
            Some(text) => fen::parse_standard(text),
        };
        match start {
            Ok(position) => self.position = position,
            Err(error) => {
                return self.complain(&format!("{error}; the position stays as it was"));
            }
        }
        self.history.clear();
        for (number, text) in moves.iter().enumerate() {
            match parse_coordinates(&self.position, text, self.options.is_960) {
                Ok(mv) => {
                    self.history.push(self.position.key());
                    self.position.play(mv);
                }
                Err(error) => {
                    let place = format!("illegal move {text} (number {})", number + 1);
                    return self
                        .complain(&format!("{place}: {error}; it and the rest are ignored"));
                }
            }
        }
        Ok(())
    }

    fn go(&mut self, request: &GoRequest) -> io::Result<()> {
        for problem in &request.problems {
            self.complain(problem)?;
        }
        if let Some(depth) = request.perft {
            return self.perft(depth);
        }
        let mut allowed = Vec::new();
        for text in &request.search_moves {
            match parse_coordinates(&self.position, text, self.options.is_960) {
                Ok(mv) => allowed.push(mv),
                Err(error) => self.complain(&format!("{error}; it is not searched"))?,
            }
        }
        if allowed.is_empty() && !request.search_moves.is_empty() {
            return self.say("bestmove (none)");
        }
        let mut limits = limits(request, self.position.to_move(), self.options.overhead);
        if let Some(most) = self.options.most_nodes() {
            limits.nodes = Some(limits.nodes.map_or(most, |nodes| nodes.min(most)));
        }
        let assignment = Assignment {
            position: self.position.clone(),
            history: self.history.clone(),
            allowed,
            limits,
            is_960: self.options.is_960,
            is_infinite: request.is_infinite,
            is_ponder: request.is_ponder,
        };
        let engine = Arc::clone(&self.engine);
        match assignment.start(&mut self.running, engine, self.output.clone()) {
            Ok(()) => Ok(()),
            Err(error) => {
                self.complain(&error.to_string())?;
                self.say("bestmove (none)")
            }
        }
    }

    /// Counts of leaves, in the form of other engines.
    fn perft(&self, depth: u64) -> io::Result<()> {
        let mut total = 0;
        for (mv, count) in divide(&self.position, depth.clamp(1, 20) as u32) {
            total += count;
            let mv = coordinates(&self.position, mv, self.options.is_960);
            self.say(&format!("{mv}: {count}"))?;
        }
        self.say(&format!("\nNodes searched: {total}\n"))
    }
}
