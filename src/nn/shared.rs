//! The network in use, behind one door: whoever asks a network of a player asks here, and here it
//! is exchanged, or asked otherwise, for all of them at once.

use std::sync::{Arc, PoisonError, RwLock};

use anyhow::Result;

use super::evaluator::NetEvaluator;
use crate::go::Position;
use crate::search::evaluator::{Evaluation, Evaluator, Request};

/// A network that may be exchanged. Questions under way are answered by the one they began with.
pub struct SharedNet {
    current: RwLock<Arc<NetEvaluator>>,
}

impl SharedNet {
    /// Begins with this network.
    pub fn new(evaluator: NetEvaluator) -> SharedNet {
        SharedNet {
            current: RwLock::new(Arc::new(evaluator)),
        }
    }

    /// The network in use.
    pub fn current(&self) -> Arc<NetEvaluator> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts another in its place.
    pub fn exchange(&self, evaluator: NetEvaluator) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(evaluator);
    }
}

impl Evaluator<Position> for SharedNet {
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        self.current().evaluate(requests)
    }

    fn fingerprint(&self, is_root: bool) -> u64 {
        self.current().fingerprint(is_root)
    }
}
