//! Moves of persons and of the program, and the choice among variations.

use anyhow::{Context, Result, bail, ensure};

use super::MOST_MOVES;
use super::game::{Game, Stage};
use super::tree::NodeId;
use crate::clock::Clock;
use crate::go::{Answer, GameEnd, GameResult, Move, PerColor, WonBy};

/// Why something is refused that was meant for a game as a page shows it, and not as it is by now.
pub(super) const GONE_ON: &str = "the game has gone on";

impl Game {
    /// Whether the game is still being played: what is played then is the game, not a variation.
    pub(super) fn is_open(&self) -> bool {
        let is_over = matches!(self.tree.last_of_game().stage, Stage::Over(_));
        self.heading.loaded.is_none() && !is_over
    }

    /// Plays the move of a person after `turn` moves, and returns how many moves there are then. A move that was
    /// played there before only goes on with it; another one begins a variation, or, as long as the game is being
    /// played, makes one of what followed. A page may tell that it shows a line of `shown` moves: then one at its end
    /// is refused if there are more by now.
    pub fn play(&mut self, turn: usize, mv: Move, shown: Option<usize>) -> Result<usize> {
        let is_next = self.played(turn).is_some_and(|(_, played)| played == mv);
        if is_next {
            return Ok(turn + 1);
        }
        let length = self.position().turn();
        ensure!(shown != Some(turn) || length <= turn, GONE_ON);
        let branches = self.tree.branches(turn);
        if let Some(known) = branches.iter().find(|branch| branch.mv == mv) {
            self.go_on_with(turn, known.id)?;
            return Ok(turn + 1);
        }
        let is_last = turn == length;
        let mut position = self
            .tree
            .position_at(turn)
            .context("the game has fewer moves than that")?;
        match self.stage() {
            Stage::Playing => {}
            _ if !is_last => {}
            Stage::Over(_) => bail!("the game is over; take a move back to go on"),
            _ => bail!("both have passed: settle the dead stones, or play on"),
        }
        ensure!(turn < MOST_MOVES, "a game has at most {MOST_MOVES} moves");
        self.tree.check_room()?;
        position.resume();
        let color = position.to_move();
        ensure!(
            self.seats[color].is_person(),
            "keima plays {color} here; change the players to move yourself"
        );
        if let Err(reason) = position.try_play(mv) {
            bail!("{mv}: {reason}");
        }
        let clocks = match is_last {
            true if self.end_if_late() => return Ok(turn),
            true => self.clocks_after(color),
            false => {
                let before = self.tree.at(turn);
                before.and_then(|node| node.clocks.clone())
            }
        };
        let is_game = self.is_open();
        self.tree.add(turn, (color, mv), position, is_game);
        if !is_last {
            self.course += 1;
            self.fault = None;
        }
        self.after_move(clocks);
        Ok(turn + 1)
    }

    /// Plays what the program answers to the position as it stands.
    pub(super) fn answer(&mut self, answer: Answer) -> Result<()> {
        if self.end_if_late() {
            return Ok(());
        }
        let (color, turn) = (self.position().to_move(), self.position().turn());
        match answer {
            Answer::Resign => self.end(GameResult::Win(!color, WonBy::Resignation)),
            Answer::Move(mv) => {
                ensure!(turn < MOST_MOVES, "a game has at most {MOST_MOVES} moves");
                self.tree.check_room()?;
                let mut position = self.position().clone();
                let played = position.try_play(mv);
                played.with_context(|| format!("keima chose {mv}"))?;
                let clocks = self.clocks_after(color);
                let is_game = self.is_open();
                self.tree.add(turn, (color, mv), position, is_game);
                self.after_move(clocks);
            }
        }
        Ok(())
    }

    fn after_move(&mut self, clocks: Option<Box<PerColor<Clock>>>) {
        self.tree.last_mut().clocks = clocks;
        self.begin_turn();
        self.set_stage_by_rules();
    }

    /// Has the game go on or be counted, or end without result, as the rules say after its last move.
    pub(super) fn set_stage_by_rules(&mut self) {
        match self.position().end() {
            GameEnd::Ongoing => self.set_stage(Stage::Playing),
            GameEnd::NoResult => self.end(GameResult::Void),
            GameEnd::Passed | GameEnd::Scored => self.set_stage(Stage::Counting),
        }
    }

    /// Has the line go on after `turn` moves with the branch that begins with a move.
    pub fn choose_branch(&mut self, turn: usize, mv: Move) -> Result<()> {
        let branches = self.tree.branches(turn);
        let branch = branches.iter().find(|branch| branch.mv == mv);
        let branch = branch.with_context(|| format!("no variation begins with {mv} there"))?;
        match branch.is_shown {
            true => Ok(()),
            false => self.go_on_with(turn, branch.id),
        }
    }

    fn go_on_with(&mut self, turn: usize, branch: NodeId) -> Result<()> {
        self.tree.go_on_with(turn, branch)?;
        self.other_moves();
        Ok(())
    }

    /// What is not known any more after other moves.
    pub(super) fn other_moves(&mut self) {
        self.fault = None;
        self.course += 1;
        self.begin_turn();
    }
}
