//! How games end: resignation, dead stones, the count; and taking moves back.

use anyhow::{Context, Result, bail, ensure};

use super::game::{Ending, Game, Stage};
use super::moves::GONE_ON;
use super::seat::Seat;
use crate::go::count::Count;
use crate::go::score::{Score, score};
use crate::go::{Color, GameResult, Point, PointSet, WonBy};
use crate::player::settlement::{account, with_changed_chains};

impl Game {
    /// Takes moves back until a person is to move, at least one; of a game that a person resigned or that is
    /// being counted, first only that. Nothing unless there are the `shown` moves of the page that asks: it does
    /// not know yet what has happened, perhaps that they are taken back.
    pub fn take_back(&mut self, shown: usize) -> Result<()> {
        if shown != self.position().turn() {
            return Ok(());
        }
        let is_settled = match self.stage() {
            Stage::Playing | Stage::Counting => false,
            Stage::Agreeing(_) => true,
            Stage::Over(ending) => ending.count.is_none() && !self.position().is_over(),
        };
        let is_persons = |game: &Game| game.seats[game.position().to_move()].is_person();
        if is_settled && is_persons(self) && !self.position().is_over() {
            self.set_stage(Stage::Playing);
            self.begin_turn();
            return Ok(());
        }
        ensure!(self.position().turn() > 0, "there is no move to take back");
        let has_person = self.seats.0.iter().any(Seat::is_person);
        while self.tree.take_back() {
            if is_persons(self) || !has_person {
                break;
            }
        }
        self.set_stage(Stage::Playing);
        self.other_moves();
        Ok(())
    }

    /// A person gives the game up: whose turn it is, or the one against the program. `named` is the color that the page
    /// takes for the loser, if it says so; if another one would lose, this is refused.
    pub fn resign(&mut self, named: Option<Color>) -> Result<()> {
        ensure!(
            matches!(self.stage(), Stage::Playing),
            "the game is over already"
        );
        let to_move = self.position().to_move();
        let mut persons = [to_move, !to_move].into_iter();
        let loser = persons.find(|&color| self.seats[color].is_person());
        let loser = loser.context("no person plays")?;
        ensure!(named.is_none_or(|named| named == loser), GONE_ON);
        self.end(GameResult::Win(!loser, WonBy::Resignation));
        Ok(())
    }

    /// Takes up what the program thinks is dead; `lead` is its score where the rules know no agreement.
    pub(super) fn judged(&mut self, dead: PointSet, judged: Score) {
        let agrees = self.position().rules().has_agreement();
        let has_person = self.seats.0.iter().any(Seat::is_person);
        match agrees && has_person {
            true => self.set_stage(Stage::Agreeing(dead)),
            false if agrees => self.settle(dead, score(self.position(), &dead)),
            false => self.settle(dead, judged),
        }
    }

    /// Calls the chain of a stone dead, or alive if it was dead.
    pub fn change_dead(&mut self, point: Point) -> Result<()> {
        let Stage::Agreeing(dead) = self.stage() else {
            bail!("dead stones are settled after both have passed");
        };
        let dead = with_changed_chains(self.position().board(), dead, &[point])?;
        self.set_stage(Stage::Agreeing(dead));
        Ok(())
    }

    /// Counts with the dead stones as they are marked.
    pub fn accept(&mut self) -> Result<()> {
        let Stage::Agreeing(dead) = *self.stage() else {
            bail!("dead stones are settled after both have passed");
        };
        self.settle(dead, score(self.position(), &dead));
        Ok(())
    }

    /// Plays on after two passes.
    pub fn resume(&mut self) -> Result<()> {
        ensure!(
            matches!(self.stage(), Stage::Agreeing(_)),
            "the game goes on"
        );
        self.tree.position_mut().resume();
        self.set_stage(Stage::Playing);
        self.begin_turn();
        Ok(())
    }

    fn settle(&mut self, dead: PointSet, total: Score) {
        let position = self.position();
        let count = Count::of(position, &dead);
        let account = |color| account(position, &count, total, color);
        let accounts = Color::BOTH.map(account).to_vec();
        self.set_stage(Stage::Over(Box::new(Ending {
            result: GameResult::from_lead(total.lead_black()),
            count: Some((dead, count)),
            accounts,
        })));
    }
}
