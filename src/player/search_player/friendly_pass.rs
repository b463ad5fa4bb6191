//! Passing after the opponent's pass, where that ends the game and is safe.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;

use super::super::judgement::{dead_groups, is_closed, views_of};
use super::super::player::Player;
use super::SearchPlayer;
use super::timing::limits_within;
use crate::go::count::Count;
use crate::go::score::score;
use crate::go::{Move, Position, Scoring};

impl SearchPlayer {
    /// Whether to answer the opponent's pass by a pass instead of the chosen move, under rules by which
    /// players agree on dead stones: if that wins, or the move would only take a point from the mover's own
    /// territory.
    pub(super) fn passes_in_return(
        &mut self,
        position: &Position,
        chosen: Move,
        looks_won: bool,
        stop: &AtomicBool,
    ) -> Result<bool> {
        let rules = position.rules();
        let mover = position.to_move();
        let is_answer = position.moves().next_back() == Some((!mover, Move::Pass));
        let Move::Play(point) = chosen else {
            return Ok(false);
        };
        if !self.params.root.friendly_pass || !rules.has_agreement() || !is_answer {
            return Ok(false);
        }
        let left = self.time_left();
        if left.is_some_and(|left| left.is_zero()) {
            return Ok(false);
        }
        // A search with either side to move, and reading.
        let (begun, time) = (self.time.now(), left.map(|left| left / 3));
        let views = views_of(position, |view| self.judged_ownership(view, time, stop))?;
        let dead = dead_groups(position, &views, time);
        self.note_planned(begun);
        if !is_closed(position, &dead, &views) {
            return Ok(false);
        }
        if looks_won && score(position, &dead).winner() == Some(mover) {
            return Ok(true);
        }
        let count = Count::of(position, &dead);
        let is_own = count.owner.owner(point) == Some(mover);
        Ok(rules.scoring == Scoring::Territory && is_own && !count.teire[mover].contains(point))
    }

    fn judged_ownership(
        &self,
        position: &Position,
        time: Option<Duration>,
        stop: &AtomicBool,
    ) -> Result<Vec<f32>> {
        match self.searched_ownership(position, &limits_within(time), stop)? {
            Some(ownership) => Ok(ownership),
            None => {
                let (mover, size) = (position.to_move(), position.size());
                let view = self.evaluators.neutral_view(mover, size)?;
                view.ownership(position)
            }
        }
    }
}
