//! A game as it stands: moves, who plays, how far the end is settled, what searches have found.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;

use super::MOST_MOVES;
use super::seat::Seat;
use crate::formats::sgf::Heading;
use crate::go::count::Count;
use crate::go::{
    Answer, Color, GameEnd, GameResult, Move, PerColor, Point, PointSet, Position, Setup, WonBy,
};

/// What a search found about a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Value {
    /// Black's win rate from 0 to 1, a draw counting half.
    pub winrate: f64,
    /// Black's lead in points.
    pub lead: f64,
    /// Visits of the search.
    pub visits: u32,
}

/// How far a game has come.
#[derive(Clone)]
pub(super) enum Stage {
    /// Moves are played.
    Playing,
    /// Both have passed, and the program looks for dead stones.
    Counting,
    /// Persons agree on these dead stones.
    Agreeing(PointSet),
    /// The game is over.
    Over(Box<Ending>),
}

/// How a game ended.
#[derive(Clone)]
pub(super) struct Ending {
    pub(super) result: GameResult,
    /// Dead stones and points of both colors, after a count.
    pub(super) count: Option<(PointSet, Count)>,
    /// How each color's points come about.
    pub(super) accounts: Vec<String>,
}

/// Moves, and what belongs to them.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) position: Position,
    pub(super) stage: Stage,
    values: BTreeMap<usize, Value>,
    heading: Heading,
}

/// What the program has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Choose a move.
    Move,
    /// Look for dead stones.
    Judgement,
}

/// A game.
pub struct Game {
    pub(super) line: Line,
    /// The game that was left for other moves, or for another position.
    left: Option<Line>,
    /// Who plays.
    pub(super) seats: PerColor<Seat>,
    /// What is odd about the record that it was loaded from.
    pub(super) remarks: Vec<String>,
    /// Why the program does not play on.
    pub(super) fault: Option<String>,
    /// Changes when moves are taken back or replaced.
    pub(super) course: u64,
}

impl Game {
    /// A game that goes on from a position.
    pub fn new(position: Position, heading: Heading, seats: PerColor<Seat>) -> Game {
        let mut game = Game {
            line: Line {
                position,
                stage: Stage::Playing,
                values: BTreeMap::new(),
                heading,
            },
            left: None,
            seats: PerColor([Seat::Person, Seat::Person]),
            remarks: Vec::new(),
            fault: None,
            course: 0,
        };
        game.set_seats(seats);
        game
    }

    /// The position after all moves.
    pub fn position(&self) -> &Position {
        &self.line.position
    }

    pub(super) fn stage(&self) -> &Stage {
        &self.line.stage
    }

    pub(super) fn values(&self) -> &BTreeMap<usize, Value> {
        &self.line.values
    }

    pub(super) fn heading(&self) -> &Heading {
        &self.line.heading
    }

    /// Whether there is a game to go back to.
    pub(super) fn has_left(&self) -> bool {
        self.left.is_some()
    }

    /// The position after `turn` moves, with whoever moved then to move; none if there are fewer.
    pub fn position_at(&self, turn: usize) -> Option<Position> {
        let mut position = self.position().clone();
        let mut next = None;
        for _ in turn..position.turn() {
            next = position.undo().map(|(color, _)| color);
        }
        if let Some(color) = next {
            position.set_to_move(color);
        }
        (position.turn() == turn).then_some(position)
    }

    /// The move after `turn` moves.
    pub fn played(&self, turn: usize) -> Option<(Color, Move)> {
        self.position().moves().nth(turn)
    }

    /// What the program has to do now.
    pub(super) fn need(&self) -> Option<Need> {
        match self.stage() {
            Stage::Counting => Some(Need::Judgement),
            Stage::Playing if !self.seats[self.position().to_move()].is_person() => {
                Some(Need::Move)
            }
            _ => None,
        }
    }

    /// Changes who plays.
    pub fn set_seats(&mut self, seats: PerColor<Seat>) {
        let names = Color::BOTH.map(|color| seats[color].name());
        self.line.heading.names = PerColor(names);
        self.seats = seats;
        self.fault = None;
    }

    /// Plays the move of a person after `turn` moves, and returns how many moves there are then. The same move as
    /// that of the game only goes on in it; another one replaces what followed.
    pub fn play(&mut self, turn: usize, mv: Move) -> Result<usize> {
        let is_next = self.played(turn).is_some_and(|(_, played)| played == mv);
        if is_next {
            return Ok(turn + 1);
        }
        let is_last = turn == self.position().turn();
        let mut position = self
            .position_at(turn)
            .context("the game has fewer moves than that")?;
        match self.stage() {
            Stage::Playing => {}
            _ if !is_last => {}
            Stage::Over(_) => bail!("the game is over; take a move back to go on"),
            _ => bail!("both have passed: settle the dead stones, or play on"),
        }
        ensure!(turn < MOST_MOVES, "a game has at most {MOST_MOVES} moves");
        position.resume();
        let color = position.to_move();
        ensure!(
            self.seats[color].is_person(),
            "keima plays {color} here; change the players to move yourself"
        );
        if let Err(reason) = position.try_play(mv) {
            bail!("{mv}: {reason}");
        }
        if !is_last {
            self.leave();
            self.cut(turn);
        }
        self.line.position = position;
        self.after_move();
        Ok(turn + 1)
    }

    /// Plays what the program answers to the position as it stands.
    pub(super) fn answer(&mut self, answer: Answer) -> Result<()> {
        let color = self.position().to_move();
        match answer {
            Answer::Resign => self.end(GameResult::Win(!color, WonBy::Resignation)),
            Answer::Move(mv) => {
                ensure!(
                    self.position().turn() < MOST_MOVES,
                    "a game has at most {MOST_MOVES} moves"
                );
                let played = self.line.position.try_play(mv);
                played.with_context(|| format!("keima chose {mv}"))?;
                self.after_move();
            }
        }
        Ok(())
    }

    fn after_move(&mut self) {
        self.line.stage = match self.position().end() {
            GameEnd::Ongoing => Stage::Playing,
            GameEnd::NoResult => return self.end(GameResult::Void),
            GameEnd::Passed | GameEnd::Scored => Stage::Counting,
        };
    }

    pub(super) fn end(&mut self, result: GameResult) {
        self.line.stage = Stage::Over(Box::new(Ending {
            result,
            count: None,
            accounts: Vec::new(),
        }));
    }

    /// Keeps the game as it is, to be gone back to, unless another one is kept already.
    pub(super) fn leave(&mut self) {
        if self.left.is_none() {
            self.left = Some(self.line.clone());
        }
    }

    /// What is not known any more once there are only `turn` moves.
    pub(super) fn cut(&mut self, turn: usize) {
        self.line.values.retain(|&at, _| at <= turn);
        self.line.stage = Stage::Playing;
        self.fault = None;
        self.course += 1;
    }

    /// Goes on from a position set up by hand, under the same rules and komi.
    pub fn set_up(&mut self, stones: Vec<(Point, Color)>, to_move: Color) -> Result<()> {
        let setup = Setup {
            stones,
            to_move,
            size: self.position().size(),
            rules: *self.position().rules(),
            komi: self.position().komi(),
        };
        let position = setup.position().map_err(|errors| {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            anyhow::anyhow!("{}", errors.join("; "))
        })?;
        self.leave();
        let name = |color| self.heading().name(color).map(str::to_owned);
        let names = PerColor(Color::BOTH.map(name));
        self.line = Line {
            position,
            stage: Stage::Playing,
            values: BTreeMap::new(),
            heading: Heading {
                names,
                loaded: None,
            },
        };
        self.course += 1;
        self.fault = None;
        Ok(())
    }

    /// Goes back to the game that was left.
    pub fn go_back(&mut self) -> Result<()> {
        let line = self.left.take().context("no other moves were played")?;
        self.line = line;
        self.course += 1;
        self.fault = None;
        let seats = self.seats.clone();
        self.set_seats(seats);
        Ok(())
    }

    /// Notes what a search found, unless a deeper one is known.
    pub(super) fn note(&mut self, turn: usize, value: Value) -> bool {
        let known = self.line.values.get(&turn);
        let is_better = known.is_none_or(|known| known.visits <= value.visits);
        if is_better {
            self.line.values.insert(turn, value);
        }
        is_better
    }

    /// The game as SGF.
    pub fn sgf(&self) -> String {
        let result = match self.stage() {
            Stage::Over(ending) => Some(ending.result),
            _ => None,
        };
        self.heading().text(self.position(), result)
    }
}
