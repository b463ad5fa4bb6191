//! The strong search: iterative deepening on one or more threads that share a table.
//!
//! Threads run the same iterations, half of them one ply deeper (lazy SMP); they help each other through the table, and
//! try first what no other one is searching (`busy`). The first one reports and decides. With one thread and limits of
//! depth or nodes a search gives the same result every time, provided that the table was cleared.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::busy::Busy;
use super::limits::{Control, Limits};
use super::params::MinimaxParams;
use super::position::{Position, StaticEval};
use super::pruning::Reductions;
use super::report::{Found, Report, Variation};
use super::root::{Root, root_moves};
use super::table::Table;
use super::worker::{Shared, Worker};
use crate::threads;

/// Settings, evaluation and memory of searches.
pub struct Engine<E> {
    /// Settings of the search.
    pub params: MinimaxParams,
    /// Evaluates positions.
    pub evaluator: E,
    /// Number of threads, at least 1.
    pub threads: usize,
    /// Number of principal variations, at least 1.
    pub variations: usize,
    table: Table,
}

/// What is searched.
#[derive(Clone, Copy)]
pub struct Task<'a, P: Position> {
    /// The root.
    pub position: &'a P,
    /// Keys of the positions of the game before it, oldest first.
    pub history: &'a [u64],
    /// Legal moves to choose from; all if empty.
    pub allowed: &'a [P::Move],
}

impl<'a, P: Position> Task<'a, P> {
    /// A position without history.
    pub fn new(position: &'a P) -> Task<'a, P> {
        Task {
            position,
            history: &[],
            allowed: &[],
        }
    }
}

impl<E> Engine<E> {
    /// One thread, one variation, a table of this many MiB.
    pub fn new(evaluator: E, mebibytes: usize) -> Engine<E> {
        Engine {
            params: MinimaxParams::default(),
            evaluator,
            threads: 1,
            variations: 1,
            table: Table::new(mebibytes),
        }
    }

    /// Empties the table.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// Replaces the table by an empty one of this many MiB.
    pub fn resize(&mut self, mebibytes: usize) {
        // The old memory is given back first.
        self.table = Table::new(1);
        self.table = Table::new(mebibytes);
    }

    /// Searches until a limit is reached or `control` says so, and sends reports to `sink`.
    pub fn search<P: Position>(
        &mut self,
        task: Task<P>,
        limits: &Limits,
        control: &Control,
        sink: impl Fn(Report<P::Move>) + Sync,
    ) -> Found<P::Move>
    where
        E: StaticEval<P>,
    {
        self.table.begin_search();
        let moves = root_moves(task.position, task.allowed);
        if moves.is_empty() {
            return Found {
                best: None,
                nodes: 0,
            };
        }
        let shared = Shared {
            table: &self.table,
            evaluator: &self.evaluator,
            params: self.params,
            limits,
            control,
            reductions: Reductions::new(),
            busy: Busy::new(self.threads),
            nodes: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            is_forced: AtomicBool::new(false),
        };
        let number = AtomicUsize::new(0);
        let work = || {
            let number = number.fetch_add(1, Ordering::Relaxed);
            let mut root = Root {
                worker: Worker::new(&shared, task.position, task.history),
                position: task.position,
                moves: moves.clone(),
                is_whole: task.allowed.is_empty(),
                variations: self.variations.max(1),
                sink: (number == 0).then_some(&sink),
            };
            let depth = root.iterate(1 + number as u32 % 2);
            root.worker.add_nodes();
            if number > 0 {
                return None;
            }
            shared.ended.store(true, Ordering::Relaxed);
            Some(root.described(depth, 0))
        };
        let results = threads::together(self.threads.max(1), "search", work);
        let nodes = shared.nodes.load(Ordering::Relaxed);
        let best = results.into_iter().flatten().next();
        let best = best.map(|best| Variation { nodes, ..best });
        Found { best, nodes }
    }
}
