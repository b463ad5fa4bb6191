//! Players without a tree, which look at most one move ahead.

use anyhow::Result;

use super::evaluators::Evaluators;
use super::player::Player;
use super::view::open;
use crate::clock::Clock;
use crate::games::go::decode;
use crate::go::{Answer, Position};
use crate::search::players::{PolicyPlayer, value_move};

/// How a move is chosen from single evaluations.
pub enum Choice {
    /// By the policy.
    Policy(Box<PolicyPlayer>),
    /// The move after which the value is best.
    Value,
}

/// A player that keeps nothing from move to move.
pub struct EvaluationPlayer {
    choice: Choice,
    evaluators: Box<dyn Evaluators>,
}

impl EvaluationPlayer {
    /// Chooses moves in this way by these evaluations.
    pub fn new(choice: Choice, evaluators: Box<dyn Evaluators>) -> EvaluationPlayer {
        EvaluationPlayer { choice, evaluators }
    }
}

impl Player for EvaluationPlayer {
    fn choose(&mut self, position: &Position, _clock: &Clock) -> Result<Answer> {
        let root = open(position);
        let evaluator = self.evaluators.view(root.to_move(), root.size())?.evaluator;
        let code = match &mut self.choice {
            Choice::Policy(player) => player.choose(&*evaluator, &root)?,
            Choice::Value => value_move(&*evaluator, &root)?,
        };
        Ok(Answer::Move(decode(code)))
    }

    fn evaluators(&self) -> &dyn Evaluators {
        &*self.evaluators
    }

    fn evaluators_mut(&mut self) -> &mut dyn Evaluators {
        &mut *self.evaluators
    }
}
