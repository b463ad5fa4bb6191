//! A position in a game: board, side, dice, and what a win counts.

use super::board::{Board, HOME, MEN, men_left, men_off};
use super::plays::{Dice, Play, plays, rolls};
use crate::minimax::chance::{Chance, Node};
use crate::search::game::Side;

/// What a game is played for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stakes {
    /// A match to one point: a win is a win.
    #[default]
    OnePoint,
    /// Points, without doubling cube: a gammon counts 2, a backgammon 3.
    Points,
}

/// A position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackgammonPosition {
    /// Seen from the side to move.
    pub board: Board,
    /// The side to roll, or to play the dice.
    pub turn: Side,
    /// The dice to be played; none before the roll.
    pub dice: Option<Dice>,
    /// What the game is played for.
    pub stakes: Stakes,
}

impl BackgammonPosition {
    /// The initial position; the first side is to roll.
    pub fn start(stakes: Stakes) -> BackgammonPosition {
        BackgammonPosition {
            board: Board::start(),
            turn: Side::First,
            dice: None,
            stakes,
        }
    }

    /// The same with dice.
    pub fn rolled(&self, dice: Dice) -> BackgammonPosition {
        BackgammonPosition {
            dice: Some(dice),
            ..*self
        }
    }

    /// All plays of the dice; none without dice.
    pub fn plays(&self) -> Vec<Play> {
        let mut list = Vec::new();
        if let Some(dice) = self.dice {
            plays(&self.board, dice, &mut list);
        }
        list
    }

    /// The position after a play: the other side is to roll.
    pub fn after(&self, play: &Play) -> BackgammonPosition {
        BackgammonPosition {
            board: play.after.turned(),
            turn: !self.turn,
            dice: None,
            stakes: self.stakes,
        }
    }

    /// The points of a finished game that the side that was to move last has won, gammons included whatever the stakes.
    pub fn points_won(&self) -> Option<u8> {
        (men_left(&self.board.other) == 0).then(|| points_lost(&self.board))
    }

    /// What a result counts, seen from the first side: the points of the winner.
    pub fn worth(&self, points: u8, winner: Side) -> f64 {
        let points = match self.stakes {
            Stakes::OnePoint => 1.0,
            Stakes::Points => f64::from(points),
        };
        points * winner.sign()
    }
}

/// What the side to move has lost if the other has borne off all men.
pub fn points_lost(board: &Board) -> u8 {
    let in_winners_home = board.own[24 - HOME..].iter().any(|&count| count > 0);
    match men_off(&board.own) {
        0 if in_winners_home => 3,
        0 => 2,
        _ => 1,
    }
}

/// How promising a position looks to the side that has just played, without evaluating it: points made, blots,
/// men of the other side on the bar.
fn promise(board: &Board) -> i32 {
    let points = (0..24).map(|index| match board.own[index] {
        0 => 0,
        1 if index < 18 => -3,
        1 => -1,
        _ if index < 8 => 4,
        _ => 2,
    });
    let off = i32::from(MEN - men_left(&board.own).min(MEN));
    points.sum::<i32>() + 8 * i32::from(board.other[24]) + 4 * off
}

impl Chance for BackgammonPosition {
    fn node(&self) -> Node {
        match (self.points_won(), self.dice, self.turn) {
            (Some(points), _, turn) => Node::Over(self.worth(points, !turn)),
            (None, None, _) => Node::Roll,
            (None, Some(_), Side::First) => Node::Max,
            (None, Some(_), Side::Second) => Node::Min,
        }
    }

    fn key(&self) -> u64 {
        let dice = self.dice.map_or(0, |dice| dice.high * 7 + dice.low);
        let rest = u64::from(dice) * 4 + u64::from(self.turn == Side::Second) * 2;
        let rest = rest + u64::from(self.stakes == Stakes::Points);
        (self.board.key() ^ rest.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .wrapping_mul(0xbf58_476d_1ce4_e5b9)
            ^ rest
    }

    fn choices(&self, list: &mut Vec<BackgammonPosition>) {
        let mut plays = self.plays();
        if plays.len() > 1 {
            plays.sort_by_cached_key(|play| -promise(&play.after));
        }
        list.extend(plays.iter().map(|play| self.after(play)));
    }

    fn outcomes(&self, list: &mut Vec<(f64, BackgammonPosition)>) {
        list.extend(rolls().map(|dice| (dice.probability(), self.rolled(dice))));
    }
}

/// Numbers of sequences of rolls and plays: each roll once, and each as often as it occurs among the 36.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Every one of the 21 rolls counts once.
    pub distinct: u64,
    /// Every one of the 36 pairs of dice counts.
    pub weighted: u64,
}

/// Counts sequences of this many rolls with their plays.
pub fn perft(board: &Board, depth: u32) -> Counts {
    if depth == 0 || men_left(&board.other) == 0 {
        return Counts {
            distinct: 1,
            weighted: 1,
        };
    }
    let mut sum = Counts::default();
    let mut list = Vec::new();
    for dice in rolls() {
        list.clear();
        plays(board, dice, &mut list);
        let weight = if dice.is_double() { 1 } else { 2 };
        for play in &list {
            let part = match depth {
                1 => Counts {
                    distinct: 1,
                    weighted: 1,
                },
                _ => perft(&play.after.turned(), depth - 1),
            };
            sum.distinct += part.distinct;
            sum.weighted += weight * part.weighted;
        }
    }
    sum
}
