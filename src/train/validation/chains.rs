//! Errors about chains of stones. A network recognises small ones locally; it may take large ones
//! for alive at one end and dead at the other.

use std::ops::AddAssign;

use serde_json::{Map, Value, json};

use super::diagnosis::Case;
use super::fraction::Fraction;
use crate::go::{Board, Color, Point};

/// Size classes of chains: from 1, from 3, and from [`LARGE`] stones on.
pub const CLASSES: [&str; 3] = ["1-2", "3-6", "7+"];
/// Minimal stones of the largest class.
const LARGE: usize = 7;
/// A stone counts as alive or dead from this ownership on. Labels keep ownership in steps of 1/7;
/// below 6/7 the teacher expects ko, seki or an open fight.
const SETTLED: f64 = 0.75;
/// A larger difference of ownership within one chain is a contradiction: all stones of a chain live
/// or die together.
const UNEVEN: f64 = 0.5;

/// Counts of stones on boards with known ownership.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainCounts {
    /// Dead stones by size class, and those taken for alive.
    pub dead: [Fraction; CLASSES.len()],
    /// Living stones by size class, and those taken for dead.
    pub living: [Fraction; CLASSES.len()],
    /// Stones of large chains, and those in chains with contradictory ownership.
    pub uneven: Fraction,
    /// The same in the labels; empty where labels are final results.
    pub uneven_known: Fraction,
}

impl ChainCounts {
    /// Adds a board.
    pub(super) fn add(&mut self, case: &Case) {
        let board = case.position.board();
        for point in board.points() {
            if let Some(color) = board.color_at(point) {
                self.add_stone(case, point, color);
                if board.chain_head(point) == point && board.chain_len(point) >= LARGE {
                    self.add_large_chain(case, point);
                }
            }
        }
    }

    fn add_stone(&mut self, case: &Case, point: Point, color: Color) {
        let board = case.position.board();
        let sign = if color == case.position.to_move() {
            1.0
        } else {
            -1.0
        };
        let at = board.size().index(point);
        let (owner, known) = (sign * case.ownership[at], sign * case.known[at]);
        let class = class(board.chain_len(point));
        if known <= -SETTLED {
            self.dead[class].count(1, owner > 0.0);
        } else if known >= SETTLED {
            self.living[class].count(1, owner < 0.0);
        }
    }

    fn add_large_chain(&mut self, case: &Case, head: Point) {
        let board = case.position.board();
        let stones = board.chain_len(head);
        let is_uneven = |ownership: &[f64]| spread(board, head, ownership) > UNEVEN;
        self.uneven.count(stones, is_uneven(case.ownership));
        if case.is_expectation {
            self.uneven_known.count(stones, is_uneven(case.known));
        }
    }

    /// Counts and fractions by name.
    pub(super) fn to_json(self) -> Map<String, Value> {
        let classes = |fractions: [Fraction; CLASSES.len()]| -> Value {
            let classes = CLASSES.iter().zip(fractions);
            let classes = classes.map(|(class, it)| ((*class).to_owned(), it.to_json()));
            classes.collect::<Map<_, _>>().into()
        };
        Map::from_iter([
            ("dead_taken_for_alive".to_owned(), classes(self.dead)),
            ("living_taken_for_dead".to_owned(), classes(self.living)),
            (
                "in_uneven_chains".to_owned(),
                json!({
                    "network": self.uneven.to_json(), "labels": self.uneven_known.to_json(),
                }),
            ),
        ])
    }
}

/// Index among [`CLASSES`].
fn class(stones: usize) -> usize {
    match stones {
        ..3 => 0,
        3..LARGE => 1,
        _ => 2,
    }
}

/// The range of ownership within a chain.
fn spread(board: &Board, head: Point, ownership: &[f64]) -> f64 {
    let stones = board
        .chain(head)
        .map(|stone| ownership[board.size().index(stone)]);
    let (least, most) = stones.fold((f64::MAX, f64::MIN), |(least, most), owner| {
        (least.min(owner), most.max(owner))
    });
    most - least
}

impl AddAssign for ChainCounts {
    fn add_assign(&mut self, other: ChainCounts) {
        for class in 0..CLASSES.len() {
            self.dead[class] += other.dead[class];
            self.living[class] += other.living[class];
        }
        self.uneven += other.uneven;
        self.uneven_known += other.uneven_known;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Komi, Position, Rules, diagram};

    /// Black has a chain of seven stones and one of one, White one of five.
    const BOARD: &str = "
        XXXX.
        XXX.O
        ....O
        X.OOO
        .....";

    fn position(to_move: Color) -> Position {
        let board = diagram::parse(BOARD).unwrap();
        Position::from_board(board, to_move, Rules::CHINESE, Komi::default())
    }

    /// Ownership by rows: digits are tenths for the player to move, letters from `a` tenths for the
    /// opponent.
    fn owners(rows: &str) -> Vec<f64> {
        let owner = |symbol: char| match symbol {
            '0'..='9' => f64::from(symbol as u8 - b'0') / 10.0,
            _ => -f64::from(symbol as u8 - b'a') / 10.0,
        };
        rows.split_whitespace()
            .flat_map(|row| row.chars().map(owner))
            .collect()
    }

    fn counts(to_move: Color, known: &str, ownership: &str, is_expectation: bool) -> ChainCounts {
        let mut metrics = ChainCounts::default();
        metrics.add(&Case {
            position: &position(to_move),
            ownership: &owners(ownership),
            known: &owners(known),
            is_expectation,
            value_error: 0.0,
        });
        metrics
    }

    fn of(all: u64, of_kind: u64) -> Fraction {
        Fraction { all, of_kind }
    }

    const OPPONENTS: &str = "jjjjj jjjjj jjjjj jjjjj jjjjj";

    #[test]
    fn dead_stones_taken_for_alive_are_counted_by_chain_size() {
        // Black's chains are dead, of which one half of the large one and the small one seem alive.
        let metrics = counts(
            Color::Black,
            OPPONENTS,
            "11110 jjjjj jjjjj 1jjjj jjjjj",
            true,
        );
        assert_eq!(metrics.dead, [of(1, 1), of(0, 0), of(7, 4)]);
        assert_eq!(metrics.living, [of(0, 0), of(5, 0), of(0, 0)]);
    }

    #[test]
    fn living_stones_taken_for_dead_are_counted_by_chain_size() {
        let metrics = counts(
            Color::White,
            OPPONENTS,
            "11111 jjjjj jjjjj jj22j jjjjj",
            true,
        );
        // Black is the opponent and owns all: so White's stones are dead.
        assert_eq!(metrics.living, [of(1, 0), of(0, 0), of(7, 4)]);
        assert_eq!(metrics.dead, [of(0, 0), of(5, 2), of(0, 0)]);
    }

    #[test]
    fn stones_of_unsettled_owners_are_neither_dead_nor_alive() {
        let open = "hhhhh hhhhh hhhhh hhhhh hhhhh";
        let metrics = counts(Color::Black, open, OPPONENTS, true);
        assert_eq!(metrics.dead, [of(0, 0); 3]);
        assert_eq!(metrics.living, [of(0, 0); 3]);
    }

    #[test]
    fn contradicting_owners_are_found_in_large_chains_only() {
        let halves = "11110 ffj00 0000j 000j0 00000";
        let even = "11110 dda00 0000j 000j0 00000";
        let metrics = counts(Color::Black, even, halves, true);
        assert_eq!((metrics.uneven, metrics.uneven_known), (of(7, 7), of(7, 0)));
        let metrics = counts(Color::Black, halves, even, true);
        assert_eq!((metrics.uneven, metrics.uneven_known), (of(7, 0), of(7, 7)));
    }

    #[test]
    fn results_of_games_say_nothing_of_uneven_chains() {
        let metrics = counts(Color::Black, OPPONENTS, OPPONENTS, false);
        assert_eq!((metrics.uneven, metrics.uneven_known), (of(7, 0), of(0, 0)));
    }
}
