//! What a player says of a position apart from the move it would play: ownership, policy,
//! raw network outputs.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};

use super::thinker::{Network, RawNetwork};
use crate::go::{BoardSize, Move, Position, Symmetry};
use crate::search::evaluator::{Evaluation, Evaluator, Request};

/// Judges positions by single evaluations.
#[derive(Clone)]
pub struct Judge {
    evaluator: Arc<dyn Evaluator<Position>>,
    /// Who knows the ownership.
    ownership: Arc<dyn Evaluator<Position>>,
    network: Option<Arc<dyn Network>>,
    /// The only board size it can judge, if there is but one.
    only_size: Option<BoardSize>,
}

impl Judge {
    /// Goes by an evaluator that knows ownership, and by a network if there is one.
    pub fn new(
        evaluator: Arc<dyn Evaluator<Position>>,
        network: Option<Arc<dyn Network>>,
    ) -> Judge {
        Judge {
            ownership: Arc::clone(&evaluator),
            evaluator,
            network,
            only_size: None,
        }
    }

    /// The same for boards of one size only.
    pub fn only_on(self, size: BoardSize) -> Judge {
        Judge {
            only_size: Some(size),
            ..self
        }
    }

    /// Whether it can judge boards of this size.
    pub fn can_play_on(&self, size: BoardSize) -> bool {
        self.only_size.is_none_or(|only| only == size)
    }

    /// The same with somebody else to ask about the ownership.
    pub fn with_ownership(self, ownership: Arc<dyn Evaluator<Position>>) -> Judge {
        Judge { ownership, ..self }
    }

    /// Whether ownership comes from the evaluator that knows all else.
    pub fn asks_the_player(&self) -> bool {
        Arc::ptr_eq(&self.evaluator, &self.ownership)
    }

    /// Expected owner of each point, row by row from the top left, +1 for Black. Of a game that is
    /// over, the position before the passes is judged.
    pub fn ownership(&self, position: &Position) -> Result<Vec<f32>> {
        let open = before_the_end(position);
        let sign = f32::from(open.to_move().sign());
        let mut ownership = evaluate(&*self.ownership, open, true)?.ownership;
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
        let mut shares = vec![0.0; size.area() + 1];
        let places: Vec<usize> = open
            .legal_moves()
            .map(|made| match made {
                Move::Play(point) => size.index(point),
                Move::Pass => size.area(),
            })
            .collect();
        let policy = evaluate(&*self.evaluator, open, false)?.policy;
        for (place, share) in places.into_iter().zip(policy) {
            shares[place] = share;
        }
        Ok(shares)
    }

    /// The network's own outputs, if there is a network.
    pub fn raw_network(
        &self,
        position: &Position,
        symmetry: Symmetry,
    ) -> Result<Option<RawNetwork>> {
        self.network
            .as_ref()
            .map(|network| network.raw(position, symmetry))
            .transpose()
    }
}

/// A position of which passes may still be expected; of a game that is over, the one before them.
pub(super) fn before_the_end(position: &Position) -> Position {
    let mut open = position.clone();
    while open.is_over() && open.undo().is_some() {}
    open.resume();
    open
}

fn evaluate(
    evaluator: &dyn Evaluator<Position>,
    position: Position,
    wants_ownership: bool,
) -> Result<Evaluation> {
    let request = Request {
        position,
        is_root: true,
        wants_ownership,
        wants_games: false,
    };
    let answers = evaluator.evaluate(&[request])?;
    answers
        .into_iter()
        .next()
        .context("the evaluator gave no answer")
}
