//! Decorator: unites the requests of many threads into batches.
//!
//! Callers put their requests into the batch that is being formed and wait. It is closed when it is
//! full, when every thread present is waiting (nobody could add to it), or when a caller is not
//! present at all and so cannot be reckoned with. One of its callers, the leader, then has it
//! evaluated while others may form the next batch. An error reaches every caller of the batch, and
//! so does a panic of the inner evaluator, as an error.
//!
//! See [`Evaluator::attend`] for presence. A thread that is present but blocks elsewhere holds the
//! others up.

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use anyhow::{Result, anyhow, ensure};

use crate::search::evaluator::{Attendance, Evaluation, Evaluator, Request};
use crate::search::game::Game;

/// Unites requests for another evaluator.
#[derive(Debug)]
pub struct Batcher<G, E> {
    inner: E,
    max_batch: usize,
    state: Mutex<State<G>>,
    /// Signalled when a thread departs and when answers have come.
    changed: Condvar,
}

#[derive(Debug)]
struct State<G> {
    present: HashMap<ThreadId, usize>,
    /// Callers in the forming batch and in those being evaluated.
    waiting: HashSet<ThreadId>,
    forming: Vec<Request<G>>,
    /// Number of the batch being formed.
    batch: u64,
    /// A caller of the forming batch is not present.
    has_stranger: bool,
    /// Callers in the forming batch.
    callers: Vec<ThreadId>,
    finished: HashMap<u64, Finished>,
}

/// Answers that not all callers have fetched.
#[derive(Debug)]
struct Finished {
    /// The error as text, since each caller gets one.
    answers: Result<Vec<Option<Evaluation>>, String>,
    callers_left: usize,
}

/// A closed batch on its way through the inner evaluator.
struct Closed<G> {
    number: u64,
    requests: Vec<Request<G>>,
    callers: Vec<ThreadId>,
}

impl<G: Game, E: Evaluator<G>> Batcher<G, E> {
    /// Asks `inner` for at most `max_batch` positions at once.
    pub fn new(inner: E, max_batch: usize) -> Batcher<G, E> {
        let state = State {
            present: HashMap::new(),
            waiting: HashSet::new(),
            forming: Vec::new(),
            batch: 0,
            has_stranger: false,
            callers: Vec::new(),
            finished: HashMap::new(),
        };
        Batcher {
            inner,
            max_batch: max_batch.max(1),
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// The evaluator behind it.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    /// Counts the calling thread as present until the guard is dropped.
    pub fn register(&self) -> Registration<'_, G, E> {
        *self
            .lock()
            .present
            .entry(thread::current().id())
            .or_default() += 1;
        Registration {
            batcher: self,
            thread: thread::current().id(),
            stays: PhantomData,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<G>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the batch `number` has its answers, as its leader if it comes to that. Whoever
    /// completes a batch by joining it leads it; the others need to look again only when a thread
    /// departs.
    fn wait(&self, number: u64) -> MutexGuard<'_, State<G>> {
        let mut state = self.lock();
        loop {
            if state.finished.contains_key(&number) {
                return state;
            }
            if state.batch == number && state.is_due(self.max_batch) {
                let closed = state.close();
                drop(state);
                self.lead(closed);
                state = self.lock();
            } else {
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn lead(&self, closed: Closed<G>) {
        let mut publication = Publication {
            batcher: self,
            number: closed.number,
            callers: closed.callers,
            answers: Some(Err("the evaluator panicked".to_string())),
        };
        publication.answers = Some(
            self.ask(&closed.requests)
                .map(|answers| answers.into_iter().map(Some).collect())
                .map_err(|error| format!("{error:#}")),
        );
    }

    fn ask(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>> {
        let mut answers = Vec::with_capacity(requests.len());
        for chunk in requests.chunks(self.max_batch) {
            let part = self.inner.evaluate(chunk)?;
            ensure!(
                part.len() == chunk.len(),
                "the evaluator left requests unanswered"
            );
            answers.extend(part);
        }
        Ok(answers)
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Batcher<G, E> {
    fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>> {
        if requests.is_empty() {
            return Ok(Vec::new());
        }
        let mut state = self.lock();
        let number = state.batch;
        let first = state.join(requests);
        drop(state);
        let mut state = self.wait(number);
        state.fetch(number, first, requests.len())
    }

    fn fingerprint(&self, is_root: bool) -> u64 {
        self.inner.fingerprint(is_root)
    }

    fn attend(&self) -> Box<dyn Attendance + '_> {
        Box::new(self.register())
    }
}

impl<G: Game> State<G> {
    /// Adds a caller's requests to the forming batch and returns the place of the first.
    fn join(&mut self, requests: &[Request<G>]) -> usize {
        let first = self.forming.len();
        self.forming.extend_from_slice(requests);
        let caller = thread::current().id();
        self.has_stranger |= !self.present.contains_key(&caller);
        self.waiting.insert(caller);
        self.callers.push(caller);
        first
    }

    fn is_due(&self, max_batch: usize) -> bool {
        self.forming.len() >= max_batch
            || self.has_stranger
            || self
                .present
                .keys()
                .all(|thread| self.waiting.contains(thread))
    }

    fn close(&mut self) -> Closed<G> {
        let closed = Closed {
            number: self.batch,
            requests: std::mem::take(&mut self.forming),
            callers: std::mem::take(&mut self.callers),
        };
        self.batch += 1;
        self.has_stranger = false;
        closed
    }

    /// Takes a caller's answers out of a finished batch.
    fn fetch(&mut self, number: u64, first: usize, len: usize) -> Result<Vec<Evaluation>> {
        let finished = self.finished.get_mut(&number).expect("waited for");
        finished.callers_left -= 1;
        let is_last = finished.callers_left == 0;
        let answers = match &mut finished.answers {
            Ok(answers) => Ok(answers[first..first + len]
                .iter_mut()
                .filter_map(Option::take)
                .collect()),
            Err(message) => Err(anyhow!("{message}")),
        };
        if is_last {
            self.finished.remove(&number);
        }
        answers
    }
}

/// Publishes a batch's answers when dropped, so that a panic does not leave its callers waiting.
struct Publication<'a, G: Game, E: Evaluator<G>> {
    batcher: &'a Batcher<G, E>,
    number: u64,
    callers: Vec<ThreadId>,
    answers: Option<Result<Vec<Option<Evaluation>>, String>>,
}

impl<G: Game, E: Evaluator<G>> Drop for Publication<'_, G, E> {
    fn drop(&mut self) {
        let Some(answers) = self.answers.take() else {
            return;
        };
        let mut state = self.batcher.lock();
        for caller in &self.callers {
            state.waiting.remove(caller);
        }
        // A leader that panics fetches nothing.
        let callers_left = self.callers.len() - usize::from(thread::panicking());
        if callers_left > 0 {
            state.finished.insert(
                self.number,
                Finished {
                    answers,
                    callers_left,
                },
            );
        }
        self.batcher.changed.notify_all();
    }
}

/// A thread's presence at a [`Batcher`]. Stays on its thread.
#[derive(Debug)]
pub struct Registration<'a, G: Game, E: Evaluator<G>> {
    batcher: &'a Batcher<G, E>,
    thread: ThreadId,
    stays: PhantomData<*const ()>,
}

impl<G: Game, E: Evaluator<G>> Attendance for Registration<'_, G, E> {}

impl<G: Game, E: Evaluator<G>> Drop for Registration<'_, G, E> {
    fn drop(&mut self) {
        let mut state = self.batcher.lock();
        if let Some(count) = state.present.get_mut(&self.thread) {
            *count -= 1;
            if *count == 0 {
                state.present.remove(&self.thread);
            }
        }
        self.batcher.changed.notify_all();
    }
}
