//! An evaluator that unites the requests of many threads, to test the queue with any game.

use anyhow::Result;
use keima::nn::batch_queue::{BatchQueue, Registration};
use keima::search::evaluator::Attendance;
use keima::search::{Evaluation, Evaluator, Game, Request};

/// Unites requests for another evaluator.
pub struct Batcher<G, E> {
    inner: E,
    queue: BatchQueue<Request<G>, Evaluation>,
}

/// A thread's registration.
pub struct Present<'a, G>(#[expect(dead_code, reason = "kept until dropped")] Registered<'a, G>);

type Registered<'a, G> = Registration<'a, Request<G>, Evaluation>;

impl<G> Attendance for Present<'_, G> {}

impl<G: Game, E: Evaluator<G>> Batcher<G, E> {
    /// Asks `inner` for at most `most` positions at once.
    pub fn new(inner: E, most: usize) -> Batcher<G, E> {
        Batcher {
            inner,
            queue: BatchQueue::new(most),
        }
    }

    pub fn inner(&self) -> &E {
        &self.inner
    }

    pub fn register(&self) -> Present<'_, G> {
        Present(self.queue.register())
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Batcher<G, E> {
    fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>> {
        let inner = |requests: &[Request<G>]| self.inner.evaluate(requests);
        self.queue.submit(requests.to_vec(), &inner)
    }

    fn attend(&self) -> Box<dyn Attendance + '_> {
        Box::new(self.register())
    }
}
