//! Evaluators of Go positions, each from a closure.

use anyhow::Result;
use keima::go::{Move, Position};
use keima::search::{Evaluation, Evaluator, Request};

/// Evaluates each position by a closure; ownership that is not requested is left out.
pub struct By<F>(pub F);

impl<F> Evaluator<Position> for By<F>
where
    F: Fn(&Position) -> Evaluation + Send + Sync,
{
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        let answer = |request: &Request<Position>| {
            let mut evaluation = (self.0)(&request.position);
            if !request.wants_ownership {
                evaluation.ownership.clear();
            }
            evaluation
        };
        Ok(requests.iter().map(answer).collect())
    }
}

/// Takes the position for even, with a policy of these weights, whatever their sum.
pub fn by_weights(position: &Position, weight: impl Fn(Move) -> f32) -> Evaluation {
    Evaluation {
        policy: position.legal_moves().map(weight).collect(),
        ..Evaluation::default()
    }
}
