//! What one thread of a search owns, and when it stops.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::busy::Busy;
use super::limits::{Control, Limits};
use super::line::Line;
use super::ordering::{History, Queue};
use super::params::MinimaxParams;
use super::position::{Position, StaticEval, Verdict};
use super::pruning::Reductions;
use super::score::{Score, clamped, lost_at};
use super::table::{Entry, NO_EVAL, Table};
use crate::search::game::Side;

/// Longest path in plies.
pub(super) const MAX_PLY: usize = 200;

/// Nodes between two looks at the clock: some hundredths of a second where nodes are slowest.
const INTERVAL: u64 = 256;

/// The search has been stopped; its unfinished results are void.
#[derive(Debug)]
pub(super) struct Stopped;

/// What the threads of a search share.
pub(super) struct Shared<'a, E> {
    pub table: &'a Table,
    pub evaluator: &'a E,
    pub params: MinimaxParams,
    pub limits: &'a Limits,
    pub control: &'a Control,
    pub reductions: Reductions,
    pub busy: Busy,
    /// Nodes of all threads, added in portions.
    pub nodes: AtomicU64,
    /// A limit has been reached, or the first thread is done.
    pub ended: AtomicBool,
    /// There is one move, and a depth has been completed: no time on the clock is worth spending.
    pub is_forced: AtomicBool,
}

impl<E> Shared<'_, E> {
    /// Whether all threads are to stop.
    pub fn is_over(&self) -> bool {
        self.ended.load(Ordering::Relaxed) || self.control.is_stopped()
    }
}

/// Memory of one ply, kept between nodes.
pub(super) struct Frame<P: Position> {
    /// Principal variation from here.
    pub line: Vec<P::Move>,
    pub moves: Vec<P::Move>,
    pub queue: Queue<P::Move>,
    pub tried: Vec<P::Move>,
    /// Static evaluation; [`NO_EVAL`] if unsettled.
    pub eval: Score,
    /// Shape of the move being searched; `None` for a null move.
    pub shape: Option<usize>,
}

impl<P: Position> Default for Frame<P> {
    fn default() -> Frame<P> {
        Frame {
            line: Vec::new(),
            moves: Vec::new(),
            queue: Queue::default(),
            tried: Vec::new(),
            eval: NO_EVAL,
            shape: None,
        }
    }
}

/// One thread of a search.
pub(super) struct Worker<'a, P: Position, E> {
    pub shared: &'a Shared<'a, E>,
    pub line: Line,
    pub history: History<P>,
    pub frames: Vec<Frame<P>>,
    /// The side that searches, for contempt.
    pub root_side: Side,
    /// Null moves are not tried above this ply, while one is verified.
    pub null_move_from: usize,
    pub selective_depth: usize,
    /// Nodes of this thread.
    pub nodes: u64,
    /// Those that are in `Shared::nodes`.
    added: u64,
    next_check: u64,
}

impl<'a, P: Position, E: StaticEval<P>> Worker<'a, P, E> {
    pub fn new(shared: &'a Shared<'a, E>, position: &P, history: &[u64]) -> Worker<'a, P, E> {
        let mut worker = Worker {
            shared,
            line: Line::new(history),
            history: History::new(MAX_PLY + 2),
            frames: std::iter::repeat_with(Frame::default)
                .take(MAX_PLY + 2)
                .collect(),
            root_side: position.to_move(),
            null_move_from: 0,
            selective_depth: 0,
            nodes: 0,
            added: 0,
            next_check: 0,
        };
        worker.plan_check();
        worker
    }

    /// Counts a node; an error if the search is to end.
    pub fn count(&mut self, ply: usize) -> Result<(), Stopped> {
        self.nodes += 1;
        self.selective_depth = self.selective_depth.max(ply);
        if self.nodes < self.next_check {
            return Ok(());
        }
        let total = self.add_nodes();
        self.plan_check();
        let is_out_of_nodes = self.shared.limits.nodes.is_some_and(|most| total >= most);
        let is_out_of_time = || {
            let is_forced = self.shared.is_forced.load(Ordering::Relaxed);
            let on_clock = self.shared.control.on_clock();
            self.shared
                .limits
                .time
                .zip(on_clock)
                .is_some_and(|(time, passed)| {
                    passed >= time.hard || is_forced && time.soft.is_some()
                })
        };
        if is_out_of_nodes || is_out_of_time() {
            self.shared.ended.store(true, Ordering::Relaxed);
        }
        match self.shared.is_over() {
            true => Err(Stopped),
            false => Ok(()),
        }
    }

    /// Adds this thread's nodes to the common count, which is returned.
    pub fn add_nodes(&mut self) -> u64 {
        let new = self.nodes - self.added;
        self.added = self.nodes;
        self.shared.nodes.fetch_add(new, Ordering::Relaxed) + new
    }

    fn plan_check(&mut self) {
        let left = self.shared.limits.nodes.map(|most| {
            let total = self.shared.nodes.load(Ordering::Relaxed);
            most.saturating_sub(total).max(1)
        });
        self.next_check = self.nodes + left.map_or(INTERVAL, |left| left.min(INTERVAL));
    }

    /// Score of a draw: worse than nothing by the contempt, for the side that searches.
    pub fn drawn(&self, position: &P) -> Score {
        let contempt = self.shared.params.contempt;
        if position.to_move() == self.root_side {
            -contempt
        } else {
            contempt
        }
    }

    /// Score of a finished game.
    pub fn judged(&self, position: &P, verdict: Verdict, ply: usize) -> Score {
        match verdict {
            Verdict::Lost => lost_at(ply),
            Verdict::Drawn => self.drawn(position),
        }
    }

    /// Score of a node at which the game is over, repetitions included.
    pub fn over(&self, position: &P, key: u64, ply: usize) -> Option<Score> {
        if self.line.is_repetition(key, position.reversible()) {
            return Some(self.drawn(position));
        }
        let verdict = position.verdict(false)?;
        Some(self.judged(position, verdict, ply))
    }

    pub fn evaluate(&self, position: &P) -> Score {
        clamped(self.shared.evaluator.evaluate(position))
    }

    /// Asks for the table's memory of a position that will be searched next.
    #[inline]
    pub fn touch(&self, position: &P) {
        if self.shared.params.table {
            self.shared.table.touch(position.key());
        }
    }

    /// Shape of the move that led to this ply; `None` for a null move.
    pub fn shape_before(&self, ply: usize) -> Option<usize> {
        self.frames[ply.checked_sub(1)?].shape
    }

    /// What the table knows about a position.
    pub fn known(&self, key: u64) -> Option<Entry> {
        let table = self.shared.params.table.then_some(self.shared.table)?;
        table.get(key)
    }

    /// The evaluation of a settled position, from the table if it is there; otherwise [`NO_EVAL`].
    pub fn static_eval(&self, position: &P, known: Option<&Entry>) -> Score {
        match known {
            _ if !position.is_settled() => NO_EVAL,
            Some(entry) if entry.eval != NO_EVAL => entry.eval,
            _ => self.evaluate(position),
        }
    }

    /// A principal variation from `ply`: this move and the variation after it.
    pub fn set_line(&mut self, ply: usize, mv: P::Move) {
        let (above, below) = self.frames.split_at_mut(ply + 1);
        let line = &mut above[ply].line;
        line.clear();
        line.push(mv);
        line.extend_from_slice(&below[0].line);
    }
}
