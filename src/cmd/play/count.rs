//! The end of a game after two passes: the agreement on dead stones, and the count explained.

use anyhow::{Context, Result};

use super::game::Game;
use super::look::Look;
use super::own_file::Saved;
use super::picture::Picture;
use crate::console::say;
use crate::go::count::Count;
use crate::go::score::{Score, score};
use crate::go::{Color, GameResult, Point, PointSet};
use crate::player::settlement::{account, in_words, with_changed_chains};

/// What is said where there are no dead stones to agree on.
const NOT_YET: &str = "dead stones are settled after both have passed";

impl Game {
    /// Calls the chains of these stones dead, or alive if they were dead.
    pub fn toggle_dead(&mut self, points: &[Point]) -> Result<()> {
        let dead = self.dead.as_ref().context(NOT_YET)?;
        let board = self.session.position.board();
        self.dead = Some(with_changed_chains(board, dead, points)?);
        Ok(())
    }

    /// Counts with the stones that are dead now and ends the game.
    pub fn accept(&mut self) -> Result<()> {
        let dead = self.dead.take().context(NOT_YET)?;
        self.own_file().change();
        self.settle(&dead)?;
        self.keep_or_tell()
    }

    /// The result with the stones that are marked as dead, as long as they are being agreed on.
    pub fn result_by_marks(&self) -> Option<GameResult> {
        let dead = self.dead.as_ref()?;
        let total = score(&self.session.position, dead);
        Some(GameResult::from_lead(total.lead_black()))
    }

    /// Counts, explains the count, and ends the game.
    pub fn settle(&mut self, dead: &PointSet) -> Result<()> {
        let total = match self.session.position.rules().has_agreement() {
            true => score(&self.session.position, dead),
            false => self.session.judged_score()?,
        };
        self.outcome = Some(GameResult::from_lead(total.lead_black()));
        self.explain(dead, total)
    }

    /// Draws what is dead and whose the points are, and tells how the result comes about.
    pub fn explain(&self, dead: &PointSet, total: Score) -> Result<()> {
        let position = &self.session.position;
        let count = Count::of(position, dead);
        let mut picture = Picture::of(position.board(), None);
        picture.dead = *dead;
        picture.owner = Box::new(|point| count.owner.owner(point));
        self.draw(&picture, "")?;
        say(format_args!("{}", Look::of_stdout().legend()))?;
        for color in Color::BOTH {
            say(format_args!("{}", account(position, &count, total, color)))?;
        }
        let result = GameResult::from_lead(total.lead_black());
        say(format_args!("{}", in_words(result)))
    }
}
