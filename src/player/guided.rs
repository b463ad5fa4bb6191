//! An evaluator with a second policy, by which a search may explore too: that of a network of human play.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use anyhow::{Result, ensure};

use crate::go::Position;
use crate::search::evaluator::register_with;
use crate::search::{Evaluation, Evaluator, Request};

/// Evaluations of one evaluator with the policy of another beside.
pub(super) struct Guided {
    own: Arc<dyn Evaluator<Position>>,
    guide: Arc<dyn Evaluator<Position>>,
    /// Whether other positions than the root of a search get a second policy.
    below_root: bool,
}

impl Guided {
    /// Asks `guide` about roots, and with `below_root` about all positions.
    pub fn new(
        own: Arc<dyn Evaluator<Position>>,
        guide: Arc<dyn Evaluator<Position>>,
        below_root: bool,
    ) -> Guided {
        Guided {
            own,
            guide,
            below_root,
        }
    }

    fn asks(&self, is_root: bool) -> bool {
        is_root || self.below_root
    }
}

impl Evaluator<Position> for Guided {
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        let mut evaluations = self.own.evaluate(requests)?;
        let asked = requests.iter().filter(|it| self.asks(it.is_root));
        let asked: Vec<Request<Position>> = asked
            .map(|request| Request {
                wants_ownership: false,
                wants_games: false,
                ..request.clone()
            })
            .collect();
        if asked.is_empty() {
            return Ok(evaluations);
        }
        let guides = self.guide.evaluate(&asked)?;
        ensure!(
            guides.len() == asked.len(),
            "the second policy has {} answers to {} requests",
            guides.len(),
            asked.len()
        );
        let both = requests.iter().zip(&mut evaluations);
        let waiting = both.filter(|(request, _)| self.asks(request.is_root));
        for ((_, evaluation), guide) in waiting.zip(guides) {
            evaluation.guide = guide.policy;
        }
        Ok(evaluations)
    }

    fn fingerprint(&self, is_root: bool) -> u64 {
        let own = self.own.fingerprint(is_root);
        let guide = self.asks(is_root).then(|| self.guide.fingerprint(is_root));
        let mut hasher = DefaultHasher::new();
        (own, guide).hash(&mut hasher);
        hasher.finish()
    }

    register_with!(self, self.own);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{BoardSize, Rules};
    use crate::search::{HashEvaluator, UniformEvaluator};

    #[test]
    fn a_second_policy_below_the_root_only_where_wanted() {
        let rules = Rules::TROMP_TAYLOR;
        let position = Position::new(BoardSize::square(3), rules, rules.usual_komi());
        let requests = [
            Request::root(position.clone()),
            Request::inner(position.clone()),
        ];
        let known = HashEvaluator.evaluate(&requests[..1]).unwrap()[0]
            .policy
            .clone();
        for below_root in [false, true] {
            let guided = Guided::new(
                Arc::new(UniformEvaluator),
                Arc::new(HashEvaluator),
                below_root,
            );
            let answers = guided.evaluate(&requests).unwrap();
            assert_eq!(answers[0].guide, known);
            assert_eq!(!answers[1].guide.is_empty(), below_root);
            assert_eq!(answers[0].policy, vec![0.1; 10]);
        }
    }
}
