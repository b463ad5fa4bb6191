//! Victory by continuous fours: a win in which each move of the attacker threatens to win at once. The fewest
//! fours are found, by iterative deepening.

use std::collections::HashMap;

use super::board::{Board, Point};
use super::classes::PointClass;
use super::forbidden::forbidden;
use super::geometry::DIRECTIONS;
use super::rule::Color;

/// Most fours of a line.
const DEEPEST: u8 = 100;
/// Fours tried between looks at the time.
const ASK_EVERY: u64 = 256;

/// What a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vcf {
    /// A win with the fewest fours: the moves of both sides in turn, the attacker's first. The last one is a four
    /// that cannot be answered, or completes a row.
    Won(Vec<Point>),
    /// There is none.
    Refuted,
    /// The limit was reached.
    Unknown,
}

/// A result with its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solved {
    /// The answer.
    pub answer: Vcf,
    /// Fours tried.
    pub nodes: u64,
}

impl Solved {
    /// Number of fours of the win; 0 if a row can be completed at once.
    pub fn fours(&self, board: &Board, attacker: Color) -> Option<usize> {
        let Vcf::Won(line) = &self.answer else {
            return None;
        };
        match board.count(attacker, PointClass::Five) {
            0 => Some(line.len().div_ceil(2)),
            _ => Some(0),
        }
    }
}

/// Searches for a win of the side to move with at most `limit` fours tried. The board is as before afterwards.
pub fn solve(board: &mut Board, attacker: Color, limit: u64) -> Solved {
    solve_until(board, attacker, limit, &|| false)
}

/// The same until it is time to end, which is asked now and then.
pub fn solve_until(
    board: &mut Board,
    attacker: Color,
    limit: u64,
    is_time: &dyn Fn() -> bool,
) -> Solved {
    let mut search = Search {
        board,
        attacker,
        defender: attacker.other(),
        nodes: 0,
        limit,
        is_time,
        failed: HashMap::new(),
        line: Vec::new(),
    };
    let mut answer = Vcf::Unknown;
    for fours in 0..=DEEPEST {
        match search.win(fours, None) {
            Outcome::Won => {
                let line = std::mem::take(&mut search.line);
                answer = Vcf::Won(line.into_iter().rev().collect());
            }
            Outcome::Never => answer = Vcf::Refuted,
            Outcome::NotYet => continue,
            Outcome::Stopped => {}
        }
        break;
    }
    Solved {
        answer,
        nodes: search.nodes,
    }
}

/// The empty points where a color would complete a row through this stone.
pub fn completions(board: &Board, stone: Point, color: Color) -> impl Iterator<Item = Point> {
    let beside = move |direction| board.beside(board.stones(), stone, color, direction);
    let points = (0..DIRECTIONS).flat_map(beside);
    points.filter(move |&point| board.class(point, color) == PointClass::Five)
}

/// What is known of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Won,
    /// Not with so many fours.
    NotYet,
    /// Not with any number of fours.
    Never,
    /// The limit was reached.
    Stopped,
}

struct Search<'a> {
    board: &'a mut Board,
    attacker: Color,
    defender: Color,
    nodes: u64,
    limit: u64,
    is_time: &'a dyn Fn() -> bool,
    /// By key: the number of fours that do not suffice; [`u8::MAX`] if none does.
    failed: HashMap<u64, u8>,
    /// The winning line from its end.
    line: Vec<Point>,
}

impl Search<'_> {
    /// Whether the attacker, who is to move, wins with at most so many fours; `last` is its last move.
    fn win(&mut self, fours: u8, last: Option<Point>) -> Outcome {
        if self.board.count(self.attacker, PointClass::Five) > 0 {
            let five = self
                .board
                .with_class(self.attacker, |class| class == PointClass::Five)
                .next();
            self.line.extend(five);
            return Outcome::Won;
        }
        let key = self.board.key();
        match self.failed.get(&key) {
            Some(&u8::MAX) => return Outcome::Never,
            Some(&failed) if failed >= fours => return Outcome::NotYet,
            _ => {}
        }
        let moves = self.moves(last);
        let mut outcome = match (moves.is_empty(), fours) {
            (true, _) => Outcome::Never,
            (_, 0) => Outcome::NotYet,
            _ => Outcome::Never,
        };
        if outcome == Outcome::Never {
            for point in moves {
                match self.four(point, fours) {
                    Outcome::Never => {}
                    Outcome::NotYet => outcome = Outcome::NotYet,
                    decided => return decided,
                }
            }
        }
        let failed = if outcome == Outcome::Never {
            u8::MAX
        } else {
            fours
        };
        self.failed.insert(key, failed);
        outcome
    }

    /// The fours of the attacker, best first: those that win, those with a three, those near the last move.
    fn moves(&self, last: Option<Point>) -> Vec<Point> {
        let (board, attacker) = (&*self.board, self.attacker);
        let is_five = |class| class == PointClass::Five;
        let is_four = PointClass::is_four;
        let threats = board.count(self.defender, PointClass::Five);
        // From beyond their ends one stone may stop several fives.
        let is_free = threats == 0 || board.variant().rule.stops_beyond();
        let mut moves: Vec<Point> = match threats {
            _ if is_free => board.with_class(attacker, is_four).collect(),
            1 => {
                let forced = board.with_class(self.defender, is_five);
                forced
                    .filter(|&point| is_four(board.class(point, attacker)))
                    .collect()
            }
            _ => Vec::new(),
        };
        let width = board.variant().width as i32;
        let distance = |point: Point| {
            let last = i32::from(last.unwrap_or(point));
            let point = i32::from(point);
            (point % width - last % width)
                .abs()
                .max((point / width - last / width).abs())
        };
        moves.sort_by_key(|&point| {
            (
                std::cmp::Reverse(board.class(point, attacker)),
                distance(point),
            )
        });
        moves
    }

    /// Tries a four of the attacker.
    fn four(&mut self, point: Point, fours: u8) -> Outcome {
        let (attacker, defender) = (self.attacker, self.defender);
        // The last four must be one that cannot be answered.
        let class = self.board.class(point, attacker);
        let may_be_last =
            class == PointClass::Winning || self.board.variant().rule.restricts(defender);
        if fours == 1 && !may_be_last {
            return Outcome::NotYet;
        }
        if forbidden(self.board, point, attacker).is_some() {
            return Outcome::Never;
        }
        let is_time = self.nodes.is_multiple_of(ASK_EVERY) && (self.is_time)();
        if self.nodes >= self.limit || is_time {
            return Outcome::Stopped;
        }
        self.nodes += 1;
        self.board.place(point, attacker);
        let outcome = self.answer(point, fours);
        self.board.remove(point);
        if outcome == Outcome::Won {
            self.line.push(point);
        }
        outcome
    }

    /// The defender's answer to a four.
    fn answer(&mut self, four: Point, fours: u8) -> Outcome {
        if self.board.count(self.defender, PointClass::Five) > 0 {
            return Outcome::Never;
        }
        if self.board.variant().rule.stops_beyond() {
            return self.answers(four, fours);
        }
        let mut points = completions(self.board, four, self.attacker);
        let (first, second) = (points.next(), points.next());
        drop(points);
        let Some(forced) = first else {
            return Outcome::Never;
        };
        if second.is_some() || forbidden(self.board, forced, self.defender).is_some() {
            return Outcome::Won;
        }
        if fours == 1 {
            return Outcome::NotYet;
        }
        self.board.place(forced, self.defender);
        let outcome = self.win(fours - 1, Some(four));
        self.board.remove(forced);
        if outcome == Outcome::Won {
            self.line.push(forced);
        }
        outcome
    }

    /// The defender's answers to a four where stones beyond the ends of a row stop it, too: all of them must lose.
    fn answers(&mut self, four: Point, fours: u8) -> Outcome {
        if self.board.count(self.attacker, PointClass::Five) == 0 {
            return Outcome::Never;
        }
        let stops = self.stops(four);
        if fours == 1 && !stops.is_empty() {
            return Outcome::NotYet;
        }
        let mut longest = Vec::new();
        for stop in stops {
            self.board.place(stop, self.defender);
            let outcome = self.win(fours - 1, Some(four));
            self.board.remove(stop);
            if outcome != Outcome::Won {
                self.line.clear();
                return outcome;
            }
            self.line.push(stop);
            if self.line.len() > longest.len() {
                std::mem::swap(&mut self.line, &mut longest);
            }
            self.line.clear();
        }
        self.line = longest;
        Outcome::Won
    }

    /// The points after which a four leaves no row to complete.
    fn stops(&mut self, four: Point) -> Vec<Point> {
        let defender = self.defender;
        let mut near: Vec<Point> = (0..DIRECTIONS)
            .flat_map(|direction| self.board.around(four, direction))
            .filter(|&point| self.board.at(point).is_none())
            .collect();
        near.retain(|&point| {
            self.board.place(point, defender);
            let is_stopped = self.board.count(self.attacker, PointClass::Five) == 0;
            self.board.remove(point);
            is_stopped
        });
        near
    }
}
