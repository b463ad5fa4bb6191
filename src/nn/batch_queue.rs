//! Where many threads meet to have their questions answered together.
//!
//! Callers put their questions into the batch that is being formed and wait. It is closed when it is
//! full, when every thread present is waiting (nobody could add to it), or when a caller is not
//! present at all and so cannot be reckoned with. One of its callers, the leader, then has it
//! answered while others may form the next batch. An error reaches every caller of the batch, and
//! so does a panic of who answers, as an error.
//!
//! A thread that is present but blocks elsewhere holds the others up.

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use anyhow::{Result, anyhow, ensure};

/// Unites questions `Q`, each of which gets an answer `A`.
#[derive(Debug)]
pub struct BatchQueue<Q, A> {
    most: usize,
    state: Mutex<State<Q, A>>,
    /// Signalled when a thread departs and when answers have come.
    changed: Condvar,
}

#[derive(Debug)]
struct State<Q, A> {
    present: HashMap<ThreadId, usize>,
    /// Callers in the forming batch and in those being answered.
    waiting: HashSet<ThreadId>,
    forming: Vec<Q>,
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
struct Closed<Q> {
    number: u64,
    questions: Vec<Q>,
    callers: Vec<ThreadId>,
}

impl<Q, A> BatchQueue<Q, A> {
    /// For at most so many questions at once.
    pub fn new(most: usize) -> BatchQueue<Q, A> {
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
    pub fn register(&self) -> Registration<'_, Q, A> {
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

    /// The answers to some questions, in order. `answer` must give one for each of those it is shown,
    /// and be the same for all callers: any of them may lead.
    pub fn ask(
        &self,
        questions: Vec<Q>,
        answer: &dyn Fn(&[Q]) -> Result<Vec<A>>,
    ) -> Result<Vec<A>> {
        if questions.is_empty() {
            return Ok(Vec::new());
        }
        let len = questions.len();
        let mut state = self.lock();
        let number = state.batch;
        let first = state.join(questions);
        drop(state);
        let mut state = self.wait(number, answer);
        state.fetch(number, first, len)
    }

    fn lock(&self) -> MutexGuard<'_, State<Q, A>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the batch `number` has its answers, as its leader if it comes to that. Whoever
    /// completes a batch by joining it leads it; the others need to look again only when a thread
    /// departs.
    fn wait(
        &self,
        number: u64,
        answer: &dyn Fn(&[Q]) -> Result<Vec<A>>,
    ) -> MutexGuard<'_, State<Q, A>> {
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
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn lead(&self, closed: Closed<Q>, answer: &dyn Fn(&[Q]) -> Result<Vec<A>>) {
        let mut publication = Publication {
            batch_queue: self,
            number: closed.number,
            callers: closed.callers,
            answers: Some(Err("whoever was asked panicked".to_string())),
        };
        publication.answers = Some(
            self.answers(&closed.questions, answer)
                .map(|answers| answers.into_iter().map(Some).collect())
                .map_err(|error| format!("{error:#}")),
        );
    }

    fn answers(&self, questions: &[Q], answer: &dyn Fn(&[Q]) -> Result<Vec<A>>) -> Result<Vec<A>> {
        let mut answers = Vec::with_capacity(questions.len());
        for chunk in questions.chunks(self.most) {
            let part = answer(chunk)?;
            ensure!(part.len() == chunk.len(), "requests were left unanswered");
            answers.extend(part);
        }
        Ok(answers)
    }
}

impl<Q, A> State<Q, A> {
    /// Adds a caller's questions to the forming batch and returns the place of the first.
    fn join(&mut self, questions: Vec<Q>) -> usize {
        let first = self.forming.len();
        self.forming.extend(questions);
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

    fn close(&mut self) -> Closed<Q> {
        let closed = Closed {
            number: self.batch,
            questions: std::mem::take(&mut self.forming),
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
struct Publication<'a, Q, A> {
    batch_queue: &'a BatchQueue<Q, A>,
    number: u64,
    callers: Vec<ThreadId>,
    answers: Option<Result<Vec<Option<A>>, String>>,
}

impl<Q, A> Drop for Publication<'_, Q, A> {
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
pub struct Registration<'a, Q, A> {
    batch_queue: &'a BatchQueue<Q, A>,
    thread: ThreadId,
    stays: PhantomData<*const ()>,
}

impl<Q, A> Drop for Registration<'_, Q, A> {
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
