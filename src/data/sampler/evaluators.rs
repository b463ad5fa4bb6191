//! The networks of a sampler: the teacher, and an optional player for the moves between labels.

use anyhow::Result;

use crate::go::Position;
use crate::nn::batch_queue::{BatchQueue, Registration};
use crate::nn::evaluator::{NetEvaluator, NetRequest};
use crate::nn::output::NetOutput;

/// The network's role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Teacher,
    Player,
}

/// A request that waits for its batch.
type Request = (Role, Position, NetRequest);

/// Teacher and player. Can be shared between threads.
pub(super) struct Evaluators<'a> {
    teacher: &'a NetEvaluator,
    player: Option<&'a NetEvaluator>,
    /// Where threads join their requests, if they do: one queue for both networks, so that a batch
    /// never waits for a thread that itself waits in another queue.
    batch_queue: Option<BatchQueue<Request, NetOutput>>,
}

impl<'a> Evaluators<'a> {
    pub(super) fn new(teacher: &'a NetEvaluator) -> Evaluators<'a> {
        Evaluators {
            teacher,
            player: None,
            batch_queue: None,
        }
    }

    pub(super) fn with_player(self, player: Option<&'a NetEvaluator>) -> Evaluators<'a> {
        Evaluators { player, ..self }
    }

    /// Joins requests of threads in batches of up to this many.
    pub(super) fn in_batches(self, most: usize) -> Evaluators<'a> {
        Evaluators {
            batch_queue: Some(BatchQueue::new(most)),
            ..self
        }
    }

    pub(super) fn has_player(&self) -> bool {
        self.player.is_some()
    }

    /// Registers this thread as a source of requests, until the returned value is dropped.
    pub(super) fn attend(&self) -> Option<Registration<'_, Request, NetOutput>> {
        self.batch_queue.as_ref().map(BatchQueue::register)
    }

    /// Evaluates from the point of view of the player to move. Without a player the teacher is
    /// used.
    pub(super) fn evaluate(
        &self,
        role: Role,
        position: &Position,
        request: &NetRequest,
    ) -> Result<NetOutput> {
        let Some(batch_queue) = &self.batch_queue else {
            return self.network(role).output_for(position, request);
        };
        let requests = vec![(role, position.clone(), *request)];
        let mut answers =
            batch_queue.submit(requests, &|requests| self.evaluate_batch(requests))?;
        Ok(answers.pop().expect("one answer per request"))
    }

    fn network(&self, role: Role) -> &'a NetEvaluator {
        match role {
            Role::Teacher => self.teacher,
            Role::Player => self.player.unwrap_or(self.teacher),
        }
    }

    fn evaluate_batch(&self, requests: &[Request]) -> Result<Vec<NetOutput>> {
        let mut answers: Vec<Option<NetOutput>> = vec![None; requests.len()];
        for role in [Role::Teacher, Role::Player] {
            let of_role = |&place: &usize| requests[place].0 == role;
            let places: Vec<usize> = (0..requests.len()).filter(of_role).collect();
            let questions: Vec<(&Position, NetRequest)> = places
                .iter()
                .map(|&place| (&requests[place].1, requests[place].2))
                .collect();
            let said = self.network(role).outputs_together(&questions)?;
            for (place, answer) in places.into_iter().zip(said) {
                answers[place] = Some(answer);
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }
}
