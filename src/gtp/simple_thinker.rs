//! Thinking without a tree: a [`Player`] that looks at most one move ahead.

use anyhow::Result;

use super::judge::Judge;
use super::thinker::{Answer, RawNetwork, Thinker};
use crate::games::go::decode;
use crate::go::{BoardSize, Position, Symmetry};
use crate::search::Clock;
use crate::search::players::Player;

/// A player that keeps nothing from move to move.
pub struct SimpleThinker {
    player: Box<dyn Player<Position>>,
    judge: Judge,
}

impl SimpleThinker {
    /// Moves are the player's, judgements `judge`'s.
    pub fn new(player: Box<dyn Player<Position>>, judge: Judge) -> SimpleThinker {
        SimpleThinker { player, judge }
    }
}

impl Thinker for SimpleThinker {
    fn can_play_on(&self, size: BoardSize) -> bool {
        self.judge.can_play_on(size)
    }

    fn choose(&mut self, position: &Position, _clock: &Clock) -> Result<Answer> {
        let mut open = position.clone();
        open.allow_encore(true);
        open.resume();
        Ok(Answer::Play(decode(self.player.choose(&open)?)))
    }

    fn ownership(&mut self, position: &Position) -> Result<Vec<f32>> {
        self.judge.ownership(position)
    }

    fn raw_network(
        &mut self,
        position: &Position,
        symmetry: Symmetry,
    ) -> Result<Option<RawNetwork>> {
        self.judge.raw_network(position, symmetry)
    }

    fn policy(&mut self, position: &Position) -> Result<Vec<f32>> {
        self.judge.policy(position)
    }

    fn clear_cache(&mut self) {}
}
