//! The worker loop: one thread at a time holds the tree.
//!
//! A worker locks the tree, gathers leaves, unlocks it, has them evaluated, locks it again and
//! applies the results in order. An evaluator may want few workers that gather several leaves each
//! instead of a thread for each leaf, since threads wake each other slowly. Nothing blocks inside the
//! tree: a descent that collides counts as in flight until the gathering ends, so that the next goes
//! elsewhere; after a few collisions the gathering ends. A worker that gathered nothing waits until
//! another one has applied something, which must happen as long as leaves are in flight; each result
//! wakes one worker. A worker that is too far ahead also waits: if another one loses its core to some
//! other program, its leaf would otherwise have no value, and so be avoided, for a large part of the
//! search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::evaluator::{Attendance, Evaluator, Request};
use super::game::{Game, MoveCode};
use super::limits::Limits;
use super::memory::Usage;
use super::pace::{Pacer, State, TimeSource};
use super::params::SearchParams;
use super::playout::{Descent, PendingLeaf, evaluate};
use super::report::{Detail, Report};
use super::restrictions::Restrictions;
use super::root::Candidate;
use super::tree::Tree;
use crate::threads::{locked, together, unlocked};

/// Collisions after which a gathering ends, or as many as it is to gather leaves.
const MOST_COLLISIONS: usize = 8;
/// A search of a tiny position, which takes no memory, ends before its counts overflow.
const MOST_VISITS: u32 = u32::MAX / 2;

/// Reports on a running search at an interval.
pub struct Progress<'a> {
    /// Time to the first report.
    pub first: Duration,
    /// Time between reports.
    pub interval: Duration,
    /// Contents of the reports.
    pub detail: Detail,
    /// Receives reports, on one thread at a time and without a lock on the tree.
    pub sink: Sink<'a>,
}

/// A receiver of reports.
pub type Sink<'a> = &'a mut (dyn FnMut(Report) + Send);

/// Parameters of all workers of a run.
pub(super) struct Task<'a, G> {
    pub root: &'a G,
    pub params: &'a SearchParams,
    /// The root's moves with the evaluator's priors.
    pub legal: &'a [Candidate],
    pub excluded: &'a [MoveCode],
    pub restrictions: &'a Restrictions,
    pub wants_ownership: bool,
    pub evaluator: &'a dyn Evaluator<G>,
    pub limits: &'a Limits,
    pub stop: &'a AtomicBool,
    pub time: &'a dyn TimeSource,
    /// Of the memory that searches share, if they do.
    pub usage: Option<&'a Usage>,
}

impl<G> Task<'_, G> {
    /// Whether no memory is left for a tree that has this size in bytes.
    fn is_full(&self, bytes: u64) -> bool {
        bytes >= self.params.max_tree_bytes || self.usage.is_some_and(|usage| usage.is_full(bytes))
    }
}

/// Result of a run.
pub(super) struct Ran {
    /// Number of playouts.
    pub playouts: u64,
    /// Time from the start at which it was to end, if it ended by time.
    pub due: Option<Duration>,
    /// Whether no memory was left.
    pub is_full: bool,
}

/// Searches from an expanded root until a limit is reached.
pub(super) fn run<'a, 'p, G: Game>(
    task: &'a Task<'a, G>,
    tree: &'a mut Tree,
    start: Instant,
    progress: Option<Progress<'p>>,
) -> Result<Ran> {
    let next_report = progress.as_ref().and_then(|p| start.checked_add(p.first));
    let threads = task.params.threads.max(1);
    let workers = task
        .evaluator
        .callers()
        .map_or(threads, |most| threads.min(most.max(1)));
    let pool = WorkerPool {
        task,
        shared: Mutex::new(Shared {
            tree,
            pacer: Pacer::new(task.limits, task.time, start),
            playouts: 0,
            next_report,
            flights: Vec::new(),
            waiting: 0,
            expected: Vec::new(),
            is_over: false,
            is_full: false,
            error: None,
        }),
        leaves: task.params.lanes().div_ceil(workers) as usize,
        applied: Condvar::new(),
        reporting: progress.as_ref().map(|p| (p.interval, p.detail)),
        sink: progress.map(|p| Mutex::new(p.sink)),
    };
    together(workers as usize, "search", || pool.work());
    let shared = unlocked(pool.shared);
    match shared.error {
        Some(error) => Err(error),
        None => Ok(Ran {
            playouts: shared.playouts,
            due: shared.pacer.due(),
            is_full: shared.is_full,
        }),
    }
}

/// State of a run in progress.
struct WorkerPool<'a, 'p, G> {
    task: &'a Task<'a, G>,
    shared: Mutex<Shared<'a>>,
    /// Leaves that a worker gathers for a batch.
    leaves: usize,
    /// Signalled once for each result that has been applied, and to all at the end.
    applied: Condvar,
    reporting: Option<(Duration, Detail)>,
    /// Separate from `shared`, so that a slow receiver of reports does not block the tree.
    sink: Option<Mutex<Sink<'p>>>,
}

struct Shared<'a> {
    tree: &'a mut Tree,
    pacer: Pacer<'a>,
    /// Playouts backed up in this run.
    playouts: u64,
    next_report: Option<Instant>,
    /// For each batch in evaluation, the number of playouts backed up when it started.
    flights: Vec<u64>,
    /// Workers that wait for results of others.
    waiting: usize,
    /// For each of them that has been woken and does not run yet.
    expected: Vec<Box<dyn Attendance + Send + 'a>>,
    is_over: bool,
    /// Whether no memory is left.
    is_full: bool,
    error: Option<anyhow::Error>,
}

impl Shared<'_> {
    /// Playouts backed up since the oldest batch in evaluation started.
    fn ahead(&self) -> u64 {
        let first = self.flights.iter().min();
        first.map_or(0, |&before| self.playouts - before)
    }
}

/// Leaves of one batch.
struct Batch<G> {
    requests: Vec<Request<G>>,
    leaves: Vec<PendingLeaf>,
    /// Visits that needed no evaluation.
    free_visits: u64,
}

impl<'a, G: Game> WorkerPool<'a, '_, G> {
    fn work(&self) {
        let _wake_others = WakeOnPanic(self);
        let mut attendance = None;
        // Copied without the lock.
        let mut start = Some(self.task.root.clone());
        let mut shared = self.lock();
        while !self.is_over(&mut shared) {
            if let Some(report) = self.due_report(&mut shared) {
                drop(shared);
                self.send(report);
                shared = self.lock();
            }
            attendance.get_or_insert_with(|| self.task.evaluator.attend());
            let batch = self.gather(&mut shared, &mut start);
            if !batch.leaves.is_empty() {
                shared = self.evaluate_and_apply(&batch, shared, &mut start);
            } else if shared.tree.in_flight() > 0 {
                // Nothing was found, or enough visits were made while others are evaluating.
                attendance = None;
                shared = self.wait_for_others(shared, &mut attendance);
            }
        }
    }

    /// Whether the run has ended or must end now.
    fn is_over(&self, shared: &mut Shared<'_>) -> bool {
        let startable = self.startable(shared);
        shared.is_full |= !shared.is_over && self.task.is_full(shared.tree.bytes() as u64);
        shared.is_over |= self.task.stop.load(Ordering::Relaxed)
            || startable == 0
            || shared.tree.root().proof.is_some()
            || shared.tree.root().visits >= MOST_VISITS
            || shared.is_full;
        if !shared.is_over {
            let state = State {
                tree: shared.tree,
                params: self.task.params,
                excluded: self.task.excluded,
                playouts: shared.playouts,
                left: startable.saturating_add(shared.tree.in_flight().into()),
            };
            shared.is_over = shared.pacer.is_over(&state);
        }
        if shared.is_over {
            self.applied.notify_all();
        }
        shared.is_over
    }

    /// Number of playouts that may still be started.
    fn startable(&self, shared: &Shared<'_>) -> u64 {
        let in_flight = u64::from(shared.tree.in_flight());
        let visits = shared.tree.all_visits() + in_flight;
        self.task
            .limits
            .playouts_left(visits, shared.playouts + in_flight)
    }

    /// Descends until the batch is full, limits are reached, or too many playouts collide. `start` is the root's
    /// position if it has been copied already.
    fn gather(&self, shared: &mut Shared<'_>, start: &mut Option<G>) -> Batch<G> {
        let params = self.task.params;
        let most_free = (params.free_visit_factor * f64::from(params.lanes())).max(1.0) as u64;
        let most_ahead = u64::from(params.lanes()).saturating_add(most_free);
        let mut batch = Batch {
            requests: Vec::new(),
            leaves: Vec::new(),
            free_visits: 0,
        };
        let mut collisions = Vec::new();
        while batch.leaves.len() < self.leaves
            && batch.free_visits < most_free
            && collisions.len() < MOST_COLLISIONS.max(self.leaves)
            && shared.ahead() < most_ahead
            && shared.tree.in_flight() < flight_limit(shared.tree, params)
            && self.startable(shared) > 0
        {
            match shared.tree.descend(self.task.root, start, params) {
                Descent::Leaf(leaf, position) => {
                    batch.leaves.push(leaf);
                    batch.requests.push(Request {
                        wants_ownership: self.task.wants_ownership,
                        wants_games: params.wants_games(),
                        ..Request::inner(position)
                    });
                }
                Descent::Finished => {
                    batch.free_visits += 1;
                    shared.playouts += 1;
                }
                Descent::Collision(leaf) => collisions.push(leaf),
            }
        }
        for leaf in &collisions {
            shared.tree.give_up(leaf);
        }
        batch
    }

    /// Evaluates a batch, without the lock of the tree.
    fn evaluate_and_apply<'m>(
        &'m self,
        batch: &Batch<G>,
        mut shared: MutexGuard<'m, Shared<'a>>,
        start: &mut Option<G>,
    ) -> MutexGuard<'m, Shared<'a>> {
        let before = shared.playouts;
        shared.flights.push(before);
        drop(shared);
        let begun = self.task.time.now();
        let answers = evaluate(self.task.evaluator, &batch.requests);
        start.get_or_insert_with(|| self.task.root.clone());
        let mut shared = self.lock();
        shared.pacer.evaluated(begun);
        let flight = shared.flights.iter().position(|&other| other == before);
        shared.flights.swap_remove(flight.expect("it was pushed"));
        match answers {
            Ok(expansions) => {
                for (leaf, expansion) in batch.leaves.iter().zip(expansions) {
                    shared.tree.apply(leaf, expansion, self.task.restrictions);
                    shared.playouts += 1;
                    self.wake_one(&mut shared);
                }
            }
            Err(error) => {
                batch
                    .leaves
                    .iter()
                    .for_each(|leaf| shared.tree.cancel(leaf));
                shared.error.get_or_insert(error);
                shared.is_over = true;
                self.applied.notify_all();
            }
        }
        shared
    }

    /// Wakes a worker that waits, if there is one, and has the evaluator wait for it.
    fn wake_one(&self, shared: &mut Shared<'a>) {
        if shared.expected.len() < shared.waiting {
            shared.expected.push(self.task.evaluator.expect());
            self.applied.notify_one();
        }
    }

    /// Waits until woken by another worker, or until the run is over.
    fn wait_for_others<'m>(
        &self,
        mut shared: MutexGuard<'m, Shared<'a>>,
        attendance: &mut Option<Box<dyn Attendance + 'a>>,
    ) -> MutexGuard<'m, Shared<'a>> {
        shared.waiting += 1;
        while shared.expected.is_empty() && !shared.is_over {
            shared = self
                .applied
                .wait(shared)
                .expect("a worker that panics ends the search");
        }
        shared.waiting -= 1;
        if let Some(expected) = shared.expected.pop() {
            *attendance = Some(self.task.evaluator.attend());
            drop(expected);
        }
        shared
    }

    fn due_report(&self, shared: &mut Shared<'_>) -> Option<Report> {
        let (interval, detail) = self.reporting?;
        let now = Instant::now();
        if shared.next_report.is_none_or(|due| now < due) {
            return None;
        }
        shared.next_report = now.checked_add(interval);
        let Task {
            params,
            legal,
            excluded,
            ..
        } = self.task;
        Report::of(
            shared.tree,
            params,
            legal,
            excluded,
            shared.playouts,
            shared.is_full,
            detail,
        )
    }

    fn send(&self, report: Report) {
        if let Some(Ok(mut sink)) = self.sink.as_ref().map(|sink| sink.lock()) {
            sink(report);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared<'a>> {
        self.shared
            .lock()
            .expect("a worker that panics ends the search")
    }
}

/// Maximal leaves in flight: few while the tree is small, as each is selected without the others'
/// values (KataGo limits its threads to the same number).
fn flight_limit(tree: &Tree, params: &SearchParams) -> u32 {
    (tree.root().visits.saturating_add(7) / 8).clamp(1, params.lanes())
}

/// Ends the run when its worker panics, so that the others do not wait forever.
struct WakeOnPanic<'r, 'a, 'p, G: Game>(&'r WorkerPool<'a, 'p, G>);

impl<G: Game> Drop for WakeOnPanic<'_, '_, '_, G> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            locked(&self.0.shared).is_over = true;
            self.0.applied.notify_all();
        }
    }
}
