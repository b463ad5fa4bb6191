//! Where the requests of many threads are united into batches.
//!
//! Callers add their requests to the batch that is forming and wait. The batch is closed when it is full, when
//! every registered thread is waiting, or when a caller is not registered. One of its callers, the leader, then
//! has it answered while others may form the next batch. An error reaches every caller of the batch, and so
//! does a panic, as an error.
//!
//! A registered thread that blocks elsewhere holds the others up.

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread::{self, ThreadId};

use anyhow::{Result, anyhow, ensure};

use crate::threads::{locked, signaled};

/// Unites requests `R`, each of which gets an answer `A`.
#[derive(Debug)]
pub struct BatchQueue<R, A> {
    most: usize,
    state: Mutex<State<R, A>>,
    /// Signalled when a thread departs and when answers have come.
    changed: Condvar,
}

#[derive(Debug)]
struct State<R, A> {
    present: HashMap<ThreadId, usize>,
    /// Callers in the forming batch and in those being answered.
    waiting: HashSet<ThreadId>,
    forming: Vec<R>,
    /// Number of the batch being formed.
    batch: u64,
    /// A caller of the forming batch is not present.
    has_stranger: bool,
    /// Callers in the forming batch.
    callers: Vec<ThreadId>,
    finished: HashMap<u64, Finished<A>>,
}

/// Answers that not all callers have fetched.
#[derive(Debug)]
struct Finished<A> {
    /// The error as text, since each caller gets one.
    answers: Result<Vec<Option<A>>, String>,
    callers_left: usize,
}

/// A closed batch on its way to its answers.
struct Closed<R> {
    number: u64,
    requests: Vec<R>,
    callers: Vec<ThreadId>,
}

impl<R, A> BatchQueue<R, A> {
    /// Batches of at most `most` requests.
    pub fn new(most: usize) -> BatchQueue<R, A> {
        let state = State {
            present: HashMap::new(),
            waiting: HashSet::new(),
            forming: Vec::new(),
            batch: 0,
            has_stranger: false,
            callers: Vec::new(),
            finished: HashMap::new(),
        };
        BatchQueue {
            most: most.max(1),
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Counts the calling thread as present until the guard is dropped.
    pub fn register(&self) -> Registration<'_, R, A> {
        *self
            .lock()
            .present
            .entry(thread::current().id())
            .or_default() += 1;
        Registration {
            batch_queue: self,
            thread: thread::current().id(),
            stays: PhantomData,
        }
    }

    /// The answers to some requests, in order. `answer` must give one for each request, and be the same for all
    /// callers, since any of them may be the leader.
    pub fn submit(
        &self,
        requests: Vec<R>,
        answer: &dyn Fn(&[R]) -> Result<Vec<A>>,
    ) -> Result<Vec<A>> {
        if requests.is_empty() {
            return Ok(Vec::new());
        }
        let len = requests.len();
        let mut state = self.lock();
        let number = state.batch;
        let first = state.join(requests);
        drop(state);
        let mut state = self.wait(number, answer);
        state.fetch(number, first, len)
    }

    fn lock(&self) -> MutexGuard<'_, State<R, A>> {
        locked(&self.state)
    }

    /// Waits until the batch `number` has its answers, as its leader if it comes to that. Whoever
    /// completes a batch by joining it leads it; the others need to look again only when a thread
    /// departs.
    fn wait(
        &self,
        number: u64,
        answer: &dyn Fn(&[R]) -> Result<Vec<A>>,
    ) -> MutexGuard<'_, State<R, A>> {
        let mut state = self.lock();
        loop {
            if state.finished.contains_key(&number) {
                return state;
            }
            if state.batch == number && state.is_due(self.most) {
                let closed = state.close();
                drop(state);
                self.lead(closed, answer);
                state = self.lock();
            } else {
                state = signaled(&self.changed, state);
            }
        }
    }

    fn lead(&self, closed: Closed<R>, answer: &dyn Fn(&[R]) -> Result<Vec<A>>) {
        let mut publication = Publication {
            batch_queue: self,
            number: closed.number,
            callers: closed.callers,
            answers: Some(Err("the evaluator panicked".to_string())),
        };
        publication.answers = Some(
            self.answers(&closed.requests, answer)
                .map(|answers| answers.into_iter().map(Some).collect())
                .map_err(|error| format!("{error:#}")),
        );
    }

    fn answers(&self, requests: &[R], answer: &dyn Fn(&[R]) -> Result<Vec<A>>) -> Result<Vec<A>> {
        let mut answers = Vec::with_capacity(requests.len());
        for chunk in requests.chunks(self.most) {
            let part = answer(chunk)?;
            ensure!(part.len() == chunk.len(), "requests were left unanswered");
            answers.extend(part);
        }
        Ok(answers)
    }
}

impl<R, A> State<R, A> {
    /// Adds a caller's requests to the forming batch and returns the place of the first.
    fn join(&mut self, requests: Vec<R>) -> usize {
        let first = self.forming.len();
        self.forming.extend(requests);
        let caller = thread::current().id();
        self.has_stranger |= !self.present.contains_key(&caller);
        self.waiting.insert(caller);
        self.callers.push(caller);
        first
    }

    fn is_due(&self, most: usize) -> bool {
        self.forming.len() >= most
            || self.has_stranger
            || self
                .present
                .keys()
                .all(|thread| self.waiting.contains(thread))
    }

    fn close(&mut self) -> Closed<R> {
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
    fn fetch(&mut self, number: u64, first: usize, len: usize) -> Result<Vec<A>> {
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
struct Publication<'a, R, A> {
    batch_queue: &'a BatchQueue<R, A>,
    number: u64,
    callers: Vec<ThreadId>,
    answers: Option<Result<Vec<Option<A>>, String>>,
}

impl<R, A> Drop for Publication<'_, R, A> {
    fn drop(&mut self) {
        let Some(answers) = self.answers.take() else {
            return;
        };
        let mut state = self.batch_queue.lock();
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
        self.batch_queue.changed.notify_all();
    }
}

/// A thread's presence at a [`BatchQueue`]. Stays on its thread.
#[derive(Debug)]
pub struct Registration<'a, R, A> {
    batch_queue: &'a BatchQueue<R, A>,
    thread: ThreadId,
    stays: PhantomData<*const ()>,
}

impl<R, A> Drop for Registration<'_, R, A> {
    fn drop(&mut self) {
        let mut state = self.batch_queue.lock();
        if let Some(count) = state.present.get_mut(&self.thread) {
            *count -= 1;
            if *count == 0 {
                state.present.remove(&self.thread);
            }
        }
        self.batch_queue.changed.notify_all();
    }
}
