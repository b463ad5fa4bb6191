//! Turns of a game: moves of persons and engines, what follows them, taking them back.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::engines::{MARGIN, Seat};
use super::game::Game;
use super::own_file::Saved;
use crate::clock::Clock;
use crate::clock::game::Clocks;
use crate::console::{say, tell};
use crate::go::{Answer, GameEnd, GameResult, Move, WonBy};
use crate::player::settlement::{in_words, name};

impl Game {
    /// Plays the move of a person.
    pub fn play(&mut self, mv: Move) -> Result<()> {
        let color = self.to_move();
        let elapsed = self.turn_began.elapsed();
        if is_late(self.session.clocks.of(color), elapsed) {
            return self.end(GameResult::Win(!color, WonBy::Time));
        }
        self.session.play(color, mv)?;
        self.reopen();
        self.session.clocks.spend(color, elapsed);
        self.begin_turn();
        self.after_move()
    }

    /// Lets the engine that is to move choose and play.
    pub fn let_engine_move(&mut self) -> Result<()> {
        let color = self.to_move();
        let clock = *self.session.clocks.of(color);
        let start = Instant::now();
        let seat = &mut self.seats[color];
        let chosen = self.session.choose_in_time(
            color,
            Duration::ZERO,
            Clocks::spend,
            |judge, position, clock| match seat {
                Seat::Judge => judge.choose(position, clock),
                Seat::Player(player) => player.choose(position, clock),
                Seat::Gtp(engine) => engine.choose(position, clock),
                Seat::Person => bail!("a person chooses its moves itself"),
            },
        );
        if is_late(&clock, start.elapsed()) {
            return self.end(GameResult::Win(!color, WonBy::Time));
        }
        let chosen = chosen?;
        if let Some(remark) = chosen.remark {
            tell(format_args!("{}: {remark}", name(color)));
        }
        match chosen.answer {
            Answer::Resign => {
                say(format_args!("{} resigns", name(color)))?;
                self.end(GameResult::Win(!color, WonBy::Resignation))
            }
            Answer::Move(mv) => {
                let name = name(color);
                match mv {
                    Move::Pass => say(format_args!("{name} passes"))?,
                    Move::Play(point) => say(format_args!("{name} plays {point}"))?,
                }
                self.session.play(color, mv)?;
                self.begin_turn();
                self.after_move()
            }
        }
    }

    /// Begins what follows a move, and keeps that.
    fn after_move(&mut self) -> Result<()> {
        self.own_file().change();
        self.see_end()?;
        self.keep_or_tell()
    }

    /// Where the moves have ended the game, begins the settlement of dead stones, or tells the result.
    pub fn see_end(&mut self) -> Result<()> {
        match self.session.position.end() {
            GameEnd::Ongoing => Ok(()),
            GameEnd::NoResult => self.declare(GameResult::Void),
            GameEnd::Passed | GameEnd::Scored => {
                let dead = self.session.dead_stones()?;
                match self.has_person() && self.session.position.rules().has_agreement() {
                    true => self.dead = Some(dead),
                    false => self.settle(&dead)?,
                }
                Ok(())
            }
        }
    }

    /// Ends the game with a result that no count gives, and keeps that.
    pub fn end(&mut self, result: GameResult) -> Result<()> {
        self.reopen();
        self.own_file().change();
        self.declare(result)?;
        self.keep_or_tell()
    }

    fn declare(&mut self, result: GameResult) -> Result<()> {
        self.outcome = Some(result);
        say(format_args!("{}", in_words(result)))
    }

    /// Takes moves back until a person is to move again; of a game that a person resigned, only that.
    pub fn undo(&mut self) -> Result<()> {
        let outcome = self.outcome.take();
        self.dead = None;
        let is_persons = self.is_person(self.to_move());
        if outcome.is_none() || self.session.position.is_over() || !is_persons {
            self.take_back()?;
        }
        self.reopen();
        self.restore_clocks();
        self.begin_turn();
        self.own_file().change();
        self.keep_or_tell()
    }

    fn take_back(&mut self) -> Result<()> {
        if self.session.position.turn() == 0 {
            bail!("there is no move to take back");
        }
        while self.session.position.turn() > 0 {
            self.session.undo(1)?;
            if self.is_person(self.to_move()) {
                break;
            }
        }
        Ok(())
    }

    /// Plays on after two passes, or where the record that was loaded has a result.
    pub fn resume(&mut self) -> Result<()> {
        if self.dead.take().is_some() {
            self.session.position.resume();
        } else if !self.reopen() {
            bail!("the game goes on");
        }
        self.begin_turn();
        self.own_file().change();
        self.keep_or_tell()
    }
}

/// Whether a move that took so long is lost on time.
fn is_late(clock: &Clock, elapsed: Duration) -> bool {
    clock.limit().is_some_and(|limit| elapsed > limit + MARGIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_late_after_main_time_and_overtime() {
        let late = |control: &str, seconds| {
            let clock = Clock::new(control.parse().unwrap());
            is_late(&clock, Duration::from_secs(seconds))
        };
        assert!(!late("none", 100_000));
        assert!(!late("10s", 10) && late("10s", 11));
        assert!(!late("10s+5sx3", 25) && late("10s+5sx3", 26));
    }
}
