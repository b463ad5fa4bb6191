//! Where the requests of many threads are united into batches.
//!
//! Callers add their requests to the batch that is forming and wait. The batch is closed when it is full or has no
//! room for the requests of the next caller, when a
//! caller is not registered, or when every registered thread is waiting; in the last case only while few batches
//! are being answered, since the next would have to wait anyway and may grow meanwhile. One of its callers, the
//! leader, then has it answered while others may form the next batch: whoever closes it by joining, or one that is
//! woken when another thread closes it by departing. The others sleep until the answers are there; each batch
//! wakes its own callers only. An error reaches every caller of the batch, and so does a panic, as an error.
//!
//! A registered thread that blocks elsewhere holds the others up.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, ThreadId};

use anyhow::{Result, anyhow, ensure};

use crate::threads::{locked, signaled};

/// While a device answers so many batches, the next is closed only if it is full: one is computed, one is prepared.
const ENOUGH: usize = 2;

/// Unites requests `R`, each of which gets an answer `A`.
#[derive(Debug)]
pub struct BatchQueue<R, A> {
    most: usize,
    state: Mutex<State<R, A>>,
}

#[derive(Debug)]
struct State<R, A> {
    present: HashMap<ThreadId, Presence>,
    /// Registered threads that do not wait for answers, and expected ones.
    active: usize,
    forming: Forming<R, A>,
    /// Batches that are closed and not answered.
    answering: usize,
    /// See [`ENOUGH`].
    enough: usize,
}

/// A registered thread.
#[derive(Debug, Default)]
struct Presence {
    registrations: usize,
    /// Batches that it waits for: more than one if answering takes requests.
    waits: usize,
}

/// The batch that is forming.
#[derive(Debug)]
struct Forming<R, A> {
    requests: Vec<R>,
    /// Callers that are registered.
    callers: Vec<ThreadId>,
    /// A caller is not registered.
    has_stranger: bool,
    slot: Arc<Slot<R, A>>,
}

/// Where the callers of a batch wait.
#[derive(Debug)]
struct Slot<R, A> {
    state: Mutex<SlotState<R, A>>,
    changed: Condvar,
}

#[derive(Debug)]
struct SlotState<R, A> {
    /// The batch, for one of its callers to lead.
    to_lead: Option<Closed<R>>,
    /// The error as text, since each caller gets one.
    answers: Option<Result<Vec<Option<A>>, String>>,
}

/// A closed batch on its way to its answers.
#[derive(Debug)]
struct Closed<R> {
    requests: Vec<R>,
    callers: Vec<ThreadId>,
}

/// A closed batch, and where its callers wait.
type Due<R, A> = (Closed<R>, Arc<Slot<R, A>>);

impl<R, A> BatchQueue<R, A> {
    /// Batches of at most `most` requests.
    pub fn new(most: usize) -> BatchQueue<R, A> {
        BatchQueue {
            most: most.max(1),
            state: Mutex::new(State {
                present: HashMap::new(),
                active: 0,
                forming: Forming::new(),
                answering: 0,
                enough: ENOUGH,
            }),
        }
    }

    /// For batches that so many devices answer at the same time.
    pub fn for_devices(self, devices: usize) -> BatchQueue<R, A> {
        self.lock().enough = ENOUGH * devices.max(1);
        self
    }

    /// Counts the calling thread as present until the guard is dropped.
    pub fn register(&self) -> Registration<'_, R, A> {
        let thread = thread::current().id();
        let mut state = self.lock();
        let presence = state.present.entry(thread).or_default();
        presence.registrations += 1;
        if presence.registrations == 1 {
            state.active += 1;
        }
        drop(state);
        Registration {
            batch_queue: self,
            thread,
            stays: PhantomData,
        }
    }

    /// Counts a thread that is about to register as present until the guard is dropped.
    pub fn expect(&self) -> Expectation<'_, R, A> {
        self.lock().active += 1;
        Expectation { batch_queue: self }
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
        let without_room = state.close_if_short_of(len, self.most);
        let first = state.join(requests);
        let slot = Arc::clone(&state.forming.slot);
        let closed = state.close_if_due(self.most).map(|(closed, _)| closed);
        drop(state);
        if let Some((closed, slot)) = without_room {
            slot.hand_over(closed);
        }
        if let Some(closed) = closed.or_else(|| slot.to_lead()) {
            self.lead(closed, &slot, answer);
        }
        slot.fetch(first, len)
    }

    fn lock(&self) -> MutexGuard<'_, State<R, A>> {
        locked(&self.state)
    }

    /// Closes the forming batch if it is due, and has one of its callers lead it.
    fn hand_over_if_due(&self, mut state: MutexGuard<'_, State<R, A>>) {
        let due = state.close_if_due(self.most);
        drop(state);
        if let Some((closed, slot)) = due {
            slot.hand_over(closed);
        }
    }

    fn lead(&self, closed: Closed<R>, slot: &Slot<R, A>, answer: &dyn Fn(&[R]) -> Result<Vec<A>>) {
        let mut publication = Publication {
            batch_queue: self,
            slot,
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
        let first = self.forming.requests.len();
        self.forming.requests.extend(requests);
        let caller = thread::current().id();
        match self.present.get_mut(&caller) {
            Some(presence) => {
                presence.waits += 1;
                self.active -= usize::from(presence.waits == 1);
                self.forming.callers.push(caller);
            }
            None => self.forming.has_stranger = true,
        }
        first
    }

    fn is_due(&self, most: usize) -> bool {
        let forming = &self.forming;
        !forming.requests.is_empty()
            && (forming.requests.len() >= most
                || forming.has_stranger
                || self.active == 0 && self.answering < self.enough)
    }

    /// Closes the forming batch if it is due.
    fn close_if_due(&mut self, most: usize) -> Option<Due<R, A>> {
        self.is_due(most).then(|| self.close())
    }

    /// Closes the forming batch if the requests of another caller would make it too large.
    fn close_if_short_of(&mut self, len: usize, most: usize) -> Option<Due<R, A>> {
        let forming = self.forming.requests.len();
        (forming > 0 && forming + len > most).then(|| self.close())
    }

    fn close(&mut self) -> Due<R, A> {
        self.answering += 1;
        let forming = std::mem::replace(&mut self.forming, Forming::new());
        let closed = Closed {
            requests: forming.requests,
            callers: forming.callers,
        };
        (closed, forming.slot)
    }

    /// A batch is answered: its callers wait no more.
    fn answered(&mut self, callers: &[ThreadId]) {
        self.answering -= 1;
        for caller in callers {
            if let Some(presence) = self.present.get_mut(caller) {
                presence.waits -= 1;
                self.active += usize::from(presence.waits == 0);
            }
        }
    }

    /// A registration ends.
    fn depart(&mut self, thread: ThreadId) {
        let Some(presence) = self.present.get_mut(&thread) else {
            return;
        };
        presence.registrations -= 1;
        if presence.registrations == 0 {
            self.active -= usize::from(presence.waits == 0);
            self.present.remove(&thread);
        }
    }
}

impl<R, A> Forming<R, A> {
    fn new() -> Forming<R, A> {
        let state = SlotState {
            to_lead: None,
            answers: None,
        };
        Forming {
            requests: Vec::new(),
            callers: Vec::new(),
            has_stranger: false,
            slot: Arc::new(Slot {
                state: Mutex::new(state),
                changed: Condvar::new(),
            }),
        }
    }
}

impl<R, A> Slot<R, A> {
    /// Has one of the callers lead the batch.
    fn hand_over(&self, closed: Closed<R>) {
        locked(&self.state).to_lead = Some(closed);
        self.changed.notify_one();
    }

    /// Waits for the answers, unless the batch is to be led by this caller.
    fn to_lead(&self) -> Option<Closed<R>> {
        let mut state = locked(&self.state);
        loop {
            if let Some(closed) = state.to_lead.take() {
                return Some(closed);
            }
            if state.answers.is_some() {
                return None;
            }
            state = signaled(&self.changed, state);
        }
    }

    /// Takes a caller's answers, which are there.
    fn fetch(&self, first: usize, len: usize) -> Result<Vec<A>> {
        match &mut locked(&self.state).answers {
            Some(Ok(answers)) => Ok(answers[first..first + len]
                .iter_mut()
                .filter_map(Option::take)
                .collect()),
            Some(Err(message)) => Err(anyhow!("{message}")),
            None => Err(anyhow!("requests were left unanswered")),
        }
    }
}

/// Publishes a batch's answers when dropped, so that a panic does not leave its callers waiting.
struct Publication<'a, R, A> {
    batch_queue: &'a BatchQueue<R, A>,
    slot: &'a Slot<R, A>,
    callers: Vec<ThreadId>,
    answers: Option<Result<Vec<Option<A>>, String>>,
}

impl<R, A> Drop for Publication<'_, R, A> {
    fn drop(&mut self) {
        let mut state = self.batch_queue.lock();
        state.answered(&self.callers);
        self.batch_queue.hand_over_if_due(state);
        locked(&self.slot.state).answers = self.answers.take();
        self.slot.changed.notify_all();
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
        state.depart(self.thread);
        self.batch_queue.hand_over_if_due(state);
    }
}

/// A thread that will register at a [`BatchQueue`].
#[derive(Debug)]
pub struct Expectation<'a, R, A> {
    batch_queue: &'a BatchQueue<R, A>,
}

impl<R, A> Drop for Expectation<'_, R, A> {
    fn drop(&mut self) {
        let mut state = self.batch_queue.lock();
        state.active -= 1;
        self.batch_queue.hand_over_if_due(state);
    }
}
