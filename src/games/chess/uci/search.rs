//! A search on a thread of its own, so that the session goes on listening.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use cozy_chess::Move;

use super::super::evaluate::Evaluation;
use super::super::position::ChessPosition;
use super::text;
use crate::minimax::engine::{Engine, Task};
use crate::minimax::{Control, Limits};
use crate::threads;

/// Where lines go: searches and the session write to it.
pub struct Output<W>(Arc<Mutex<W>>);

impl<W> Clone for Output<W> {
    fn clone(&self) -> Output<W> {
        Output(Arc::clone(&self.0))
    }
}

impl<W: Write> Output<W> {
    pub fn new(output: W) -> Output<W> {
        Output(Arc::new(Mutex::new(output)))
    }

    /// Writes a line, or several, at once.
    pub fn say(&self, line: &str) -> io::Result<()> {
        let mut output = locked(&self.0);
        output.write_all(format!("{line}\n").as_bytes())?;
        output.flush()
    }
}

/// The contents of a lock, whatever happened to other threads.
pub fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is to be searched, and how long.
pub struct Assignment {
    pub position: ChessPosition,
    pub history: Vec<u64>,
    pub allowed: Vec<Move>,
    pub limits: Limits,
    pub is_960: bool,
    /// The answer waits for `stop`.
    pub is_infinite: bool,
    pub is_ponder: bool,
}

/// A search in progress.
pub struct Running {
    control: Arc<Control>,
    thread: JoinHandle<()>,
}

impl Running {
    /// Starts a search, which ends with a line `bestmove`.
    pub fn start<W: Write + Send + 'static>(
        assignment: Assignment,
        engine: Arc<Mutex<Engine<Evaluation>>>,
        output: Output<W>,
    ) -> io::Result<Running> {
        let control = Arc::new(Control::new(assignment.is_ponder));
        let shared = Arc::clone(&control);
        let thread = threads::start(move || {
            // The reader is gone if this fails, which ends the session as well.
            search(&assignment, &mut locked(&engine), &shared, &output).unwrap_or_default();
        })?;
        Ok(Running { control, thread })
    }

    pub fn ponder_hit(&self) {
        self.control.ponder_hit();
        self.thread.thread().unpark();
    }

    /// Ends the search and waits for its answer.
    pub fn stop(self) {
        self.control.stop();
        self.thread.thread().unpark();
        // A panic has been reported; the session goes on.
        self.thread.join().unwrap_or_default();
    }
}

/// Searches, waits for leave to answer, answers.
fn search<W: Write + Send>(
    assignment: &Assignment,
    engine: &mut Engine<Evaluation>,
    control: &Control,
    output: &Output<W>,
) -> io::Result<()> {
    let Assignment {
        position, is_960, ..
    } = assignment;
    let task = Task {
        position,
        history: &assignment.history,
        allowed: &assignment.allowed,
    };
    let found = engine.search(task, &assignment.limits, control, |report| {
        let line = text::info(position, *is_960, &report);
        output.say(&line).unwrap_or_default();
    });
    if found.best.is_none() {
        let score = if position.is_check() {
            "mate 0"
        } else {
            "cp 0"
        };
        output.say(&format!("info depth 0 score {score}"))?;
    }
    let may_answer = || {
        let is_over = !assignment.is_infinite && !control.is_pondering();
        is_over || control.is_stopped()
    };
    while !may_answer() {
        thread::park();
    }
    let moves = found.best.map(|best| best.moves).unwrap_or_default();
    output.say(&text::best_move(position, *is_960, &moves))
}
