//! The networks that are asked: a teacher, and perhaps a player who makes the moves between labels.

use anyhow::Result;

use crate::go::Position;
use crate::nn::batch_queue::{BatchQueue, Registration};
use crate::nn::evaluator::{NetEvaluator, Question};
use crate::nn::output::NetOutput;

/// Which network is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Teacher,
    Player,
}

/// A question that waits for others.
type Asked = (Role, Position, Question);

/// Teacher and player. Threads may share it.
pub(super) struct Evaluators<'a> {
    teacher: &'a NetEvaluator,
    player: Option<&'a NetEvaluator>,
    /// Where threads unite their questions, if they do. There is one place for both networks: somebody
    /// who waits for the player could not be waited for by those with questions for the teacher.
    batch_queue: Option<BatchQueue<Asked, NetOutput>>,
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

    /// Whose threads ask together, at most so many questions at once.
    pub(super) fn in_batches(self, most: usize) -> Evaluators<'a> {
        Evaluators {
            batch_queue: Some(BatchQueue::new(most)),
            ..self
        }
    }

    pub(super) fn has_player(&self) -> bool {
        self.player.is_some()
    }

    /// Announces that this thread is going to ask again and again, until the answer is dropped.
    pub(super) fn attend(&self) -> Option<Registration<'_, Asked, NetOutput>> {
        self.batch_queue.as_ref().map(BatchQueue::register)
    }

    /// What the teacher or the player says, seen by the player to move. Without a player the teacher answers for it.
    pub(super) fn ask(
        &self,
        role: Role,
        position: &Position,
        question: &Question,
    ) -> Result<NetOutput> {
        let Some(batch_queue) = &self.batch_queue else {
            return self.network(role).ask(position, question);
        };
        let asked = vec![(role, position.clone(), *question)];
        let mut answers = batch_queue.ask(asked, &|asked| self.ask_together(asked))?;
        Ok(answers.pop().expect("one answer per question"))
    }

    fn network(&self, role: Role) -> &'a NetEvaluator {
        match role {
            Role::Teacher => self.teacher,
            Role::Player => self.player.unwrap_or(self.teacher),
        }
    }

    fn ask_together(&self, asked: &[Asked]) -> Result<Vec<NetOutput>> {
        let mut answers: Vec<Option<NetOutput>> = vec![None; asked.len()];
        for role in [Role::Teacher, Role::Player] {
            let of_role = |&place: &usize| asked[place].0 == role;
            let places: Vec<usize> = (0..asked.len()).filter(of_role).collect();
            let questions: Vec<(&Position, Question)> = places
                .iter()
                .map(|&place| (&asked[place].1, asked[place].2))
                .collect();
            let said = self.network(role).ask_together(&questions)?;
            for (place, answer) in places.into_iter().zip(said) {
                answers[place] = Some(answer);
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }
}
