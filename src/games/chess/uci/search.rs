//! What a client asks to be searched, and the answer.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use cozy_chess::Move;

use super::super::evaluate::Evaluation;
use super::super::position::ChessPosition;
use super::text;
use crate::games::background::{Ongoing, Output, Running, SearchKind};
use crate::minimax::Limits;
use crate::minimax::engine::{Engine, Task};
use crate::threads::locked;

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

impl Assignment {
    /// Starts the search, which ends with a line `bestmove`. One with limits is let finish.
    pub fn start<W: Write + Send + 'static>(
        self,
        running: &mut Running,
        engine: Arc<Mutex<Engine<Evaluation>>>,
        output: Output<W>,
    ) -> io::Result<()> {
        let kind = SearchKind {
            is_ponder: self.is_ponder,
            is_infinite: self.is_infinite,
            may_finish: self.limits.end_a_search(),
        };
        running.start(kind, move |ongoing| {
            // The reader is gone if this fails, which ends the session as well.
            search(&self, &mut locked(&engine), ongoing, &output).unwrap_or_default();
        })
    }
}

/// Searches, waits for leave to answer, answers.
fn search<W: Write + Send>(
    assignment: &Assignment,
    engine: &mut Engine<Evaluation>,
    ongoing: &Ongoing,
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
    let found = engine.search(task, &assignment.limits, &ongoing.control, |report| {
        let line = text::info(position, *is_960, &report);
        if output.say(&line).is_err() {
            // Nobody reads the answer.
            ongoing.control.stop();
        }
    });
    if found.best.is_none() {
        let score = if position.is_check() {
            "mate 0"
        } else {
            "cp 0"
        };
        output.say(&format!("info depth 0 score {score}"))?;
    }
    ongoing.wait_to_answer();
    let moves = found.best.map(|best| best.moves).unwrap_or_default();
    output.say(&text::best_move(position, *is_960, &moves))
}
