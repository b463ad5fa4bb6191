//! The networks that are requests: a teacher, and perhaps a player who makes the moves between labels.

use anyhow::Result;

use crate::go::Position;
use crate::nn::batch_queue::{BatchQueue, Registration};
use crate::nn::evaluator::{NetEvaluator, NetRequest};
use crate::nn::output::NetOutput;

/// Which network is requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Teacher,
    Player,
}

/// A request with the network it is for.
type RoleRequest = (Role, Position, NetRequest);

/// Teacher and player. Can be shared between threads.
pub(super) struct Evaluators<'a> {
    teacher: &'a NetEvaluator,
    player: Option<&'a NetEvaluator>,
    /// Unites the requests of threads, if they are. One queue serves both networks: with two, threads in one
    /// would wait for threads that wait in the other.
    batch_queue: Option<BatchQueue<RoleRequest, NetOutput>>,
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

    /// The same with the requests of all threads in batches of at most `most`.
    pub(super) fn in_batches(self, most: usize) -> Evaluators<'a> {
        Evaluators {
            batch_queue: Some(BatchQueue::new(most)),
            ..self
        }
    }

    pub(super) fn has_player(&self) -> bool {
        self.player.is_some()
    }

    /// Announces that this thread will make requests until the guard is dropped.
    pub(super) fn attend(&self) -> Option<Registration<'_, RoleRequest, NetOutput>> {
        self.batch_queue.as_ref().map(BatchQueue::register)
    }

    /// The output of the teacher or the player, seen by the side to move. Without a player, the teacher's.
    pub(super) fn output_for(
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
            batch_queue.submit(requests, &|requests| self.outputs_together(requests))?;
        Ok(answers.pop().expect("one output per request"))
    }

    fn network(&self, role: Role) -> &'a NetEvaluator {
        match role {
            Role::Teacher => self.teacher,
            Role::Player => self.player.unwrap_or(self.teacher),
        }
    }

    fn outputs_together(&self, requests: &[RoleRequest]) -> Result<Vec<NetOutput>> {
        let mut answers: Vec<Option<NetOutput>> = vec![None; requests.len()];
        for role in [Role::Teacher, Role::Player] {
            let of_role = |&place: &usize| requests[place].0 == role;
            let places: Vec<usize> = (0..requests.len()).filter(of_role).collect();
            let of_network: Vec<(&Position, NetRequest)> = places
                .iter()
                .map(|&place| (&requests[place].1, requests[place].2))
                .collect();
            let said = self.network(role).outputs_together(&of_network)?;
            for (place, answer) in places.into_iter().zip(said) {
                answers[place] = Some(answer);
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }
}
