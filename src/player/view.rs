//! What evaluates positions in one search, or answers one question about a position.

use std::sync::Arc;

use anyhow::{Result, ensure};

use crate::go::{Position, Symmetry};
use crate::nn::output::NetOutput;
use crate::search::evaluator::{Evaluator, Request};

/// A network's own outputs for a position under a symmetry, seen by White, without search or cache. The share of
/// the optimistic policy is that of the root where none is given.
pub type RawOutputs = dyn Fn(&Position, Symmetry, Option<f32>) -> Result<NetOutput> + Send + Sync;

/// Evaluators with settings that never change, so that any number of searches may run at once, each with
/// a view of its own. Clones share everything.
#[derive(Clone)]
pub struct View {
    /// Evaluates what a search visits.
    pub evaluator: Arc<dyn Evaluator<Position>>,
    /// Estimates ownership.
    ownership: Arc<dyn Evaluator<Position>>,
    raw_outputs: Option<Arc<RawOutputs>>,
    /// Multiply-adds of an evaluation, where known.
    pub multiply_adds: Option<u64>,
}

impl View {
    /// One evaluator for everything.
    pub fn new(evaluator: Arc<dyn Evaluator<Position>>) -> View {
        View {
            ownership: Arc::clone(&evaluator),
            evaluator,
            raw_outputs: None,
            multiply_adds: None,
        }
    }

    /// The same with ownership from another evaluator.
    pub fn with_ownership(self, ownership: Arc<dyn Evaluator<Position>>) -> View {
        View { ownership, ..self }
    }

    /// The same with raw outputs.
    pub fn with_raw_outputs(self, raw_outputs: Arc<RawOutputs>) -> View {
        View {
            raw_outputs: Some(raw_outputs),
            ..self
        }
    }

    /// The same with the cost of an evaluation.
    pub fn with_multiply_adds(self, multiply_adds: u64) -> View {
        View {
            multiply_adds: Some(multiply_adds),
            ..self
        }
    }

    /// Whether a search can estimate ownership, since its evaluator does.
    pub fn search_tells_ownership(&self) -> bool {
        Arc::ptr_eq(&self.evaluator, &self.ownership)
    }

    /// Expected owner of each point, row by row from the top left, +1 for Black, by one evaluation. Of a
    /// finished game, the position before the passes is evaluated.
    pub fn ownership(&self, position: &Position) -> Result<Vec<f32>> {
        let open = before_the_end(position);
        let sign = f32::from(open.to_move().sign());
        let request = Request {
            wants_ownership: true,
            ..Request::root(open)
        };
        let mut ownership = self.ownership.evaluate_one(request)?.ownership;
        ensure!(
            ownership.len() == position.size().area(),
            "the player knows no ownership"
        );
        ownership.iter_mut().for_each(|owner| *owner *= sign);
        Ok(ownership)
    }

    /// The policy at each point, row by row from the top left, then of the pass; 0 where illegal.
    pub fn policy(&self, position: &Position) -> Result<Vec<f32>> {
        let mut open = position.clone();
        open.resume();
        let size = open.size();
        let mut probabilities = vec![0.0; size.area() + 1];
        let indices: Vec<usize> = open.legal_moves().map(|mv| size.move_index(mv)).collect();
        let policy = self.evaluator.evaluate_one(Request::root(open))?.policy;
        for (index, probability) in indices.into_iter().zip(policy) {
            probabilities[index] = probability;
        }
        Ok(probabilities)
    }

    /// The network's own outputs, see [`RawOutputs`], if there is a network.
    pub fn raw_outputs(
        &self,
        position: &Position,
        symmetry: Symmetry,
        optimism: Option<f32>,
    ) -> Result<Option<NetOutput>> {
        self.raw_outputs
            .as_ref()
            .map(|outputs| outputs(position, symmetry, optimism))
            .transpose()
    }
}

/// A position as it is searched: passes do not end it, and its end may be played out.
pub(super) fn open(position: &Position) -> Position {
    let mut open = position.clone();
    open.allow_encore(true);
    open.go_on();
    open.leave_open();
    open
}

/// A position in which passes are still possible; of a finished game, the one before them.
pub(super) fn before_the_end(position: &Position) -> Position {
    let mut open = position.clone();
    while open.is_over() && open.undo().is_some() {}
    open.resume();
    open
}
