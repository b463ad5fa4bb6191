//! Passing after the opponent's pass, where that ends the game and is safe.

use anyhow::Result;

use super::super::judgement::{dead_groups, is_closed, views_of};
use super::SearchPlayer;
use crate::go::count::Count;
use crate::go::score::score;
use crate::go::{Move, Position, Scoring};

impl SearchPlayer {
    /// Whether to answer the opponent's pass by a pass instead of the chosen move, under rules by which
    /// players agree on dead stones: if that wins, or the move would only take a point from the mover's own
    /// territory.
    pub(super) fn passes_in_return(
        &self,
        position: &Position,
        chosen: Move,
        looks_won: bool,
    ) -> Result<bool> {
        let rules = position.rules();
        let is_agreed = rules.scoring == Scoring::Territory || rules.friendly_pass_ok;
        let mover = position.to_move();
        let is_answer = position.moves().next_back() == Some((!mover, Move::Pass));
        let Move::Play(point) = chosen else {
            return Ok(false);
        };
        if !self.params.root.friendly_pass || !is_agreed || !is_answer {
            return Ok(false);
        }
        let views = views_of(position, |view| self.judged_ownership(view))?;
        let dead = dead_groups(position, &views);
        if !is_closed(position, &dead, &views) {
            return Ok(false);
        }
        if looks_won && score(position, &dead).winner() == Some(mover) {
            return Ok(true);
        }
        let count = Count::new(position.board(), &dead, rules.scoring, rules.tax);
        let is_own = count.owner.owner(point) == Some(mover);
        Ok(rules.scoring == Scoring::Territory && is_own && !count.teire[mover].contains(point))
    }

    fn judged_ownership(&self, position: &Position) -> Result<Vec<f32>> {
        match self.searched_ownership(position)? {
            Some(ownership) => Ok(ownership),
            None => {
                let view = self.evaluators.view(position.to_move(), position.size())?;
                view.ownership(position)
            }
        }
    }
}
