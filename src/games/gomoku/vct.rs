//! Victory by continuous threats: a win in which each move of the attacker is a four, or threatens to win by fours.
//!
//! A threat is the line of fours that would win if the defender passed. An answer loses if the same line still wins
//! after it, which is played through for every answer; others are searched. So no argument about distant points is needed.
//! Deepened iteratively by the cost of the attacker's moves: [`FOUR`] for a four, [`THREAT`] for another threat, nothing for a
//! forced one.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::board::{Board, Point};
use super::classes::PointClass;
use super::forbidden::forbidden;
use super::rule::Color;
use super::vcf::{Vcf, completions, solve as solve_fours};

/// Cost of a four.
const FOUR: u8 = 1;
/// Cost of another threat.
const THREAT: u8 = 2;
/// Highest cost of a line.
const MOST: u8 = 16;
/// Longest line in moves of the attacker.
const LONGEST: usize = 40;
/// Fours tried in a search for a win or a threat by fours.
const FOURS: u64 = 1_000;

/// What a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vct {
    /// A win, with the longest of the lines that were looked at; the last move is a four that cannot be answered, or completes a
    /// row.
    Won(Vec<Point>),
    /// Not found with the moves and the number of positions that were tried. There may be one.
    NotFound,
}

/// A result with its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searched {
    /// The answer.
    pub answer: Vct,
    /// Positions with the attacker to move, and threats.
    pub nodes: u64,
}

/// Searches for a win of the side to move in at most `limit` nodes. The board is as before afterwards. Nothing is found
/// where rows are also stopped beyond their ends (caro): two completions need not win there.
pub fn solve(board: &mut Board, attacker: Color, limit: u64) -> Searched {
    if board.variant().rule.stops_beyond() {
        return Searched {
            answer: Vct::NotFound,
            nodes: 0,
        };
    }
    let mut search = Search {
        board,
        attacker,
        defender: attacker.other(),
        nodes: 0,
        limit,
        failed: HashMap::new(),
        refutations: HashMap::new(),
    };
    let found = (0..=MOST).find_map(|cost| search.attack(cost, 0).transpose());
    let answer = match found {
        Some(Ok(line)) => Vct::Won(line),
        Some(Err(Stopped)) | None => Vct::NotFound,
    };
    Searched {
        answer,
        nodes: search.nodes.min(limit),
    }
}

/// The limit was reached.
struct Stopped;

/// A line that wins, if there is one.
type Found = Result<Option<Vec<Point>>, Stopped>;

struct Search<'a> {
    board: &'a mut Board,
    attacker: Color,
    defender: Color,
    nodes: u64,
    limit: u64,
    /// By key, with the attacker to move: the cost that does not suffice.
    failed: HashMap<u64, u8>,
    /// How often an answer after a threat at a point has refuted it.
    refutations: HashMap<(Point, Point), u32>,
}

impl Search<'_> {
    fn count(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        if self.nodes > self.limit {
            Err(Stopped)
        } else {
            Ok(())
        }
    }

    /// Whether the attacker, who is to move, wins at a cost of at most `most`.
    fn attack(&mut self, most: u8, ply: usize) -> Found {
        self.count()?;
        let fives = self.board.count(self.defender, PointClass::Five);
        let is_lost = fives > 1 && self.board.count(self.attacker, PointClass::Five) == 0;
        if is_lost || ply >= LONGEST {
            return Ok(None);
        }
        if let Vcf::Won(line) = solve_fours(self.board, self.attacker, FOURS).answer {
            return Ok(Some(line));
        }
        let key = self.board.key();
        if self.failed.get(&key).is_some_and(|&failed| failed >= most) {
            return Ok(None);
        }
        for point in self.threats(fives) {
            let is_four = self.board.class(point, self.attacker).is_four();
            let cost = match is_four {
                _ if fives > 0 => 0,
                true => FOUR,
                false => THREAT,
            };
            let Some(left) = most.checked_sub(cost) else {
                continue;
            };
            self.board.place(point, self.attacker);
            let found = self.defend(point, left, ply);
            self.board.remove(point);
            if let Some(mut line) = found? {
                line.insert(0, point);
                return Ok(Some(line));
            }
        }
        self.failed.insert(key, most);
        Ok(None)
    }

    /// Moves of the attacker that may threaten something, the strongest first; the only answer to a four.
    fn threats(&self, fives: usize) -> Vec<Point> {
        let (board, attacker) = (&*self.board, self.attacker);
        let is_threat = |class| class >= PointClass::Three && class <= PointClass::Winning;
        let mut points: Vec<Point> = match fives {
            0 => board.with_class(attacker, is_threat).collect(),
            _ => board
                .with_class(self.defender, |class| class == PointClass::Five)
                .collect(),
        };
        points.retain(|&point| forbidden(board, point, attacker).is_none());
        points.sort_by_key(|&point| {
            let class = |color| board.class(point, color);
            (Reverse(class(attacker)), Reverse(class(self.defender)))
        });
        points
    }

    /// Whether the attacker wins after its move at `last`, whatever the defender answers.
    fn defend(&mut self, last: Point, most: u8, ply: usize) -> Found {
        let (attacker, defender) = (self.attacker, self.defender);
        if self.board.count(defender, PointClass::Five) > 0 {
            return Ok(None);
        }
        let fives: Vec<Point> = completions(self.board, last, attacker).collect();
        match fives[..] {
            [] => {}
            [only] if forbidden(self.board, only, defender).is_none() => {
                let found = self.after(only, most, ply);
                return Ok(found?.map(|line| joined(only, line)));
            }
            _ => return Ok(Some(Vec::new())),
        }
        self.count()?;
        let Vcf::Won(threat) = solve_fours(self.board, attacker, FOURS).answer else {
            return Ok(None);
        };
        let mut longest = Vec::new();
        for answer in self.answers(last, &threat) {
            match self.after(answer, most, ply)? {
                None => {
                    *self.refutations.entry((last, answer)).or_default() += 1;
                    return Ok(None);
                }
                Some(line) if line.len() >= longest.len() => longest = joined(answer, line),
                Some(_) => {}
            }
        }
        Ok(Some(longest))
    }

    fn after(&mut self, answer: Point, most: u8, ply: usize) -> Found {
        self.board.place(answer, self.defender);
        let found = self.attack(most, ply + 1);
        self.board.remove(answer);
        found
    }

    /// The defender's answers after which a threat does not win any more, those that threaten themselves first.
    fn answers(&mut self, last: Point, threat: &[Point]) -> Vec<Point> {
        let defender = self.defender;
        let mut answers = Vec::new();
        for point in self.board.points() {
            if self.board.at(point).is_some() || forbidden(self.board, point, defender).is_some() {
                continue;
            }
            let class = self.board.class(point, defender);
            self.board.place(point, defender);
            if !self.still_wins(threat) {
                let refuted = self.refutations.get(&(last, point)).copied().unwrap_or(0);
                answers.push((Reverse(refuted), Reverse(class), point));
            }
            self.board.remove(point);
        }
        answers.sort_unstable();
        answers.into_iter().map(|(.., point)| point).collect()
    }

    /// Whether a line of fours wins, move by move.
    fn still_wins(&mut self, line: &[Point]) -> bool {
        let (attacker, defender) = (self.attacker, self.defender);
        let [four, rest @ ..] = line else {
            return false;
        };
        if self.board.at(*four).is_some() {
            return false;
        }
        if self.board.class(*four, attacker) == PointClass::Five {
            return true;
        }
        if forbidden(self.board, *four, attacker).is_some() {
            return false;
        }
        self.board.place(*four, attacker);
        let fives: Vec<Point> = completions(self.board, *four, attacker).collect();
        let wins = match fives[..] {
            _ if self.board.count(defender, PointClass::Five) > 0 => false,
            [] => false,
            [only] if forbidden(self.board, only, defender).is_none() => {
                rest.first() == Some(&only) && {
                    self.board.place(only, defender);
                    let wins = self.still_wins(&rest[1..]);
                    self.board.remove(only);
                    wins
                }
            }
            _ => true,
        };
        self.board.remove(*four);
        wins
    }
}

fn joined(first: Point, mut rest: Vec<Point>) -> Vec<Point> {
    rest.insert(0, first);
    rest
}
