//! A game as it stands: moves, who plays, how far the end is settled, what searches have found.

use std::collections::BTreeMap;
use std::mem;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::seat::Seat;
use super::timing::Timing;
use super::tree::Tree;
use crate::formats::sgf::Heading;
use crate::go::count::Count;
use crate::go::{Color, GameResult, Move, PerColor, Point, PointSet, Position, Setup};

/// Positions that may be set up by hand, one in the game of the other.
const MOST_LEFT: usize = 20;

/// What a search found about a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
    pub(super) tree: Tree,
    pub(super) heading: Heading,
    /// The games that were left for positions set up by hand, the last one at the end.
    left: Vec<(Tree, Heading)>,
    /// Who plays.
    pub(super) seats: PerColor<Seat>,
    /// How it is timed; none without limits.
    pub(super) timing: Option<Timing>,
    /// What is odd about the record that it was loaded from.
    pub(super) remarks: Vec<String>,
    /// Why the program does not play on.
    pub(super) fault: Option<String>,
    /// Changes when moves are taken back or replaced. It begins anywhere, so that pages notice when the
    /// program has been started anew; below 2^53, as numbers in JavaScript.
    pub(super) course: u64,
}

impl Game {
    /// A game that goes on from a position.
    pub fn new(position: Position, heading: Heading, seats: PerColor<Seat>) -> Game {
        let mut game = Game::with_moves(Tree::new(position), heading, seats.clone());
        game.set_seats(seats);
        game
    }

    /// A game with variations.
    pub(super) fn with_moves(tree: Tree, heading: Heading, seats: PerColor<Seat>) -> Game {
        Game {
            tree,
            heading,
            left: Vec::new(),
            seats,
            timing: None,
            remarks: Vec::new(),
            fault: None,
            course: u64::from(rand::random::<u32>()),
        }
    }

    /// The position after all moves of the line that is shown.
    pub fn position(&self) -> &Position {
        self.tree.position()
    }

    pub(super) fn stage(&self) -> &Stage {
        &self.tree.last().stage
    }

    pub(super) fn set_stage(&mut self, stage: Stage) {
        self.tree.last_mut().stage = stage;
    }

    /// What searches have found of each position of the line.
    pub(super) fn values(&self) -> BTreeMap<usize, Value> {
        let values = self.tree.line().map(|node| node.value).enumerate();
        values
            .filter_map(|(turn, value)| Some((turn, value?)))
            .collect()
    }

    pub(super) fn heading(&self) -> &Heading {
        &self.heading
    }

    /// Whether there is a game to go back to.
    pub(super) fn has_left(&self) -> bool {
        self.is_set_up() || !self.tree.is_game()
    }

    /// Whether the position was set up by hand, so that there is a game before it.
    pub(super) fn is_set_up(&self) -> bool {
        !self.left.is_empty()
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

    /// Changes who plays. Games that are over, and records, keep the names of those who played them.
    pub fn set_seats(&mut self, seats: PerColor<Seat>) {
        if self.is_open() {
            self.heading.names = PerColor(Color::BOTH.map(|color| seats[color].name()));
        }
        self.seats = seats;
        self.fault = None;
    }

    pub(super) fn end(&mut self, result: GameResult) {
        self.set_stage(Stage::Over(Box::new(Ending {
            result,
            count: None,
            accounts: Vec::new(),
        })));
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
        ensure!(
            self.left.len() < MOST_LEFT,
            "{MOST_LEFT} positions were set up by hand, one after the other: go back to the game first"
        );
        let position = setup.position()?;
        let name = |color| self.heading().name(color).map(str::to_owned);
        let heading = Heading {
            names: PerColor(Color::BOTH.map(name)),
            ..Heading::default()
        };
        let tree = mem::replace(&mut self.tree, Tree::new(position));
        let heading = mem::replace(&mut self.heading, heading);
        if !self.is_set_up() || tree.has_moves() {
            self.left.push((tree, heading));
        }
        self.other_moves();
        Ok(())
    }

    /// Goes back to the game that was left for a position set up by hand, or for a variation.
    pub fn go_back(&mut self) -> Result<()> {
        ensure!(self.has_left(), "no other moves were played");
        if let Some(left) = self.left.pop() {
            (self.tree, self.heading) = left;
        }
        self.tree.go_to_game()?;
        self.other_moves();
        let seats = self.seats.clone();
        self.set_seats(seats);
        Ok(())
    }

    /// Notes what a search found, unless a deeper one is known.
    pub(super) fn note(&mut self, turn: usize, value: Value) -> bool {
        let Some(node) = self.tree.at_mut(turn) else {
            return false;
        };
        let known = node.value;
        let is_better = known.is_none_or(|known| known.visits <= value.visits);
        if is_better {
            node.value = Some(value);
        }
        is_better
    }

    /// The game as SGF, with its variations.
    pub fn sgf(&self) -> Result<String> {
        let result = match &self.tree.last_of_game().stage {
            Stage::Over(ending) => Some(ending.result),
            _ => None,
        };
        let position = self.tree.position_of_game()?;
        let variations = self.tree.variations();
        Ok(self.heading.text(&position, result, variations))
    }

    /// The games that were left for positions set up by hand, the last one at the end.
    pub(super) fn left(&self) -> &[(Tree, Heading)] {
        &self.left
    }

    /// The same game with those to go back to.
    pub(super) fn with_left(self, left: Vec<(Tree, Heading)>) -> Game {
        Game { left, ..self }
    }

    /// What it consists of.
    pub(super) fn into_parts(self) -> (Tree, Heading) {
        (self.tree, self.heading)
    }
}
