//! Which position is analyzed next: that of the highest priority, of several the one asked for first.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use super::query::Query;

use crate::threads::{locked, signaled};

/// A position to analyze.
#[derive(Clone)]
pub struct Job {
    /// Counts positions from the first one asked for.
    pub number: u64,
    /// What was asked.
    pub query: Arc<Query>,
    /// The position's turn.
    pub turn: usize,
    /// Ends the search when set; if it is set before, there is none.
    pub stop: Arc<AtomicBool>,
}

/// Positions that wait, and those that are being analyzed.
pub struct Scheduler {
    state: Mutex<State>,
    changed: Condvar,
    limit: usize,
}

#[derive(Default)]
struct State {
    /// By priority and number, the next one first.
    waiting: BTreeMap<(Reverse<i64>, u64), Job>,
    running: BTreeMap<u64, Job>,
    /// Positions asked for so far.
    count: u64,
    most_waiting: usize,
    /// No more positions come.
    is_complete: bool,
    /// None are accepted any more.
    is_stopped: bool,
}

impl Scheduler {
    /// Lets about `limit` positions wait: a query is taken whole.
    pub fn new(limit: usize) -> Scheduler {
        Scheduler {
            state: Mutex::default(),
            changed: Condvar::new(),
            limit,
        }
    }

    /// Adds the positions of a query, once there is room.
    pub fn add(&self, query: &Arc<Query>) {
        let mut state = self.lock();
        while state.waiting.len() >= self.limit && !state.is_stopped {
            state = signaled(&self.changed, state);
        }
        if state.is_stopped {
            return;
        }
        for (&turn, &priority) in &query.turns {
            let number = state.count;
            state.count += 1;
            let job = Job {
                number,
                query: Arc::clone(query),
                turn,
                stop: Arc::default(),
            };
            state.waiting.insert((Reverse(priority), number), job);
        }
        state.most_waiting = state.most_waiting.max(state.waiting.len());
        self.changed.notify_all();
    }

    /// The next position, as soon as there is one; none if no more will come. Its end must be told by
    /// [`Scheduler::finished`].
    pub fn take(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some((_, job)) = state.waiting.pop_first() {
                state.running.insert(job.number, job.clone());
                self.changed.notify_all();
                return Some(job);
            }
            if state.is_complete {
                return None;
            }
            state = signaled(&self.changed, state);
        }
    }

    /// Says that a position has been answered.
    pub fn finished(&self, job: &Job) {
        self.lock().running.remove(&job.number);
    }

    /// Ends the analyses for which `is_meant` is true of query and turn. Returns those that had not been
    /// begun, for which nobody else will answer; the others' workers do.
    pub fn terminate(&self, is_meant: impl Fn(&Query, usize) -> bool) -> Vec<Job> {
        let is_meant = |job: &Job| is_meant(&job.query, job.turn);
        let mut state = self.lock();
        let running = state.running.values().filter(|job| is_meant(job));
        running.for_each(|job| job.stop.store(true, Ordering::SeqCst));
        let ended = state.waiting.extract_if(.., |_, job| is_meant(job));
        let mut ended: Vec<Job> = ended.map(|(_, job)| job).collect();
        ended.sort_by_key(|job| job.number);
        self.changed.notify_all();
        ended
    }

    /// Says that no more positions come.
    pub fn complete(&self) {
        self.lock().is_complete = true;
        self.changed.notify_all();
    }

    /// Ends everything, and accepts no more positions. Those that wait are still taken, with their stop set.
    pub fn stop(&self) {
        let mut state = self.lock();
        (state.is_complete, state.is_stopped) = (true, true);
        let jobs = state.waiting.values().chain(state.running.values());
        jobs.for_each(|job| job.stop.store(true, Ordering::SeqCst));
        self.changed.notify_all();
    }

    /// Most positions that have ever waited at once.
    pub fn most_waiting(&self) -> usize {
        self.lock().most_waiting
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }
}
