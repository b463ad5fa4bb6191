//! Decorator: unites the requests of many threads into batches, at a [`BatchQueue`].
//!
//! See [`Evaluator::attend`] for presence.

use anyhow::Result;

use crate::search::evaluator::{Attendance, Evaluation, Evaluator, Request};
use crate::search::game::Game;

use super::batch_queue::{BatchQueue, Registration};

/// Unites requests for another evaluator.
#[derive(Debug)]
pub struct Batcher<G, E> {
    inner: E,
    batch_queue: BatchQueue<Request<G>, Evaluation>,
}

impl<G: Game, E: Evaluator<G>> Batcher<G, E> {
    /// Asks `inner` for at most `max_batch` positions at once.
    pub fn new(inner: E, max_batch: usize) -> Batcher<G, E> {
        Batcher {
            inner,
            batch_queue: BatchQueue::new(max_batch),
        }
    }

    /// The evaluator behind it.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    /// Counts the calling thread as present until the guard is dropped.
    pub fn register(&self) -> Registration<'_, Request<G>, Evaluation> {
        self.batch_queue.register()
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Batcher<G, E> {
    fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>> {
        let inner = |requests: &[Request<G>]| self.inner.evaluate(requests);
        self.batch_queue.submit(requests.to_vec(), &inner)
    }

    fn fingerprint(&self, is_root: bool) -> u64 {
        self.inner.fingerprint(is_root)
    }

    fn attend(&self) -> Box<dyn Attendance + '_> {
        Box::new(self.register())
    }
}

impl<G: Game> Attendance for Registration<'_, Request<G>, Evaluation> {}
