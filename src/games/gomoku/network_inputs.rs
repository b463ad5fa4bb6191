//! What networks read of a position. No plane is about a direction, so that networks can be equivariant under the
//! symmetries of the board; only which win by fours is found first depends on how the board lies.

use super::board::Point;
use super::classes::PointClass;
use super::forbidden::forbidden;
use super::lines::LineClass;
use super::position::GomokuPosition;
use super::rule::{Color, Rule};
use super::vcf::{Vcf, solve};
use crate::games::network_inputs::NetworkInputs;
use crate::minimax::{Position, Wanted};

/// Fours tried for a win by fours, of either side.
const FOURS: u64 = 300;

/// The planes of each point; 1 where it is so. "Own" is the side to move.
#[derive(Clone, Copy)]
enum Plane {
    /// On the board.
    Board,
    /// Own stone; the opponent's follows.
    Stone,
    /// An own stone would win; the same for the opponent follows, as for the next ones.
    Five = 3,
    /// It would make a straight four or several fours.
    Winning = 5,
    /// It would make a four.
    Four = 7,
    /// It would make a three.
    Three = 9,
    /// Forbidden to Black.
    Forbidden = 11,
    /// The first move of the opponent's win by fours, were it to move.
    Threat,
    /// Legal.
    Legal,
}
/// Number of planes.
const PLANES: usize = Plane::Legal as usize + 1;

/// The values of the board.
#[derive(Clone, Copy)]
enum Value {
    /// 1 for the rule: freestyle, standard, renju, caro; two of them for the exact variant of caro.
    Rule,
    /// In renju, -1 with Black to move, 1 with White to move.
    RenjuSide = 4,
    /// 1 if the opponent would win by fours, were it to move.
    Threat,
    /// 1 if it is proven that it would not.
    NoThreat,
    /// Share of points with stones.
    Stones,
    /// 1 if Black is to move.
    Black,
}
/// Number of values.
const VALUES: usize = Value::Black as usize + 1;

/// Gomoku for networks.
pub(super) const INPUTS: NetworkInputs<GomokuPosition> = NetworkInputs {
    name: "gomoku-1",
    planes: PLANES,
    values: VALUES,
    size: |position| {
        let variant = position.variant();
        (variant.width, variant.height)
    },
    write,
    cell: |_, mv| usize::from(mv),
    moves: |position, list| position.sensible(list),
    winning_move,
};

/// The same without knowledge of the game: where the board is, stones, who is to move.
pub(super) const STONES: NetworkInputs<GomokuPosition> = NetworkInputs {
    name: "gomoku-stones-1",
    planes: STONE_PLANES,
    values: 1,
    write: write_stones,
    ..INPUTS
};
/// The first of [`Plane`], with the opponent's stones.
const STONE_PLANES: usize = Plane::Stone as usize + 2;

fn write_stones(position: &GomokuPosition, planes: &mut [f32], values: &mut [f32]) {
    let (board, own) = (position.board(), position.color());
    let points = board.points();
    for (point, planes) in points.zip(planes.chunks_exact_mut(STONE_PLANES)) {
        planes[Plane::Board as usize] = 1.0;
        if let Some(color) = board.at(point) {
            planes[Plane::Stone as usize + usize::from(color != own)] = 1.0;
        }
    }
    values[0] = f32::from(own == Color::Black);
}

/// A row that can be completed, or the first move of a win by fours.
fn winning_move(position: &GomokuPosition) -> Option<Point> {
    match fours(position, position.color()) {
        Vcf::Won(line) => line.first().copied(),
        Vcf::Refuted | Vcf::Unknown => None,
    }
}

fn fours(position: &GomokuPosition, attacker: Color) -> Vcf {
    solve(&mut position.board().clone(), attacker, FOURS).answer
}

fn write(position: &GomokuPosition, planes: &mut [f32], values: &mut [f32]) {
    let (board, own) = (position.board(), position.color());
    let rule = position.variant().rule;
    let is_restricted = rule.restricts(Color::Black);
    let sides = [own, own.other()];
    for (point, planes) in board.points().zip(planes.chunks_exact_mut(PLANES)) {
        let mut mark = |plane: Plane, side: usize| planes[plane as usize + side] = 1.0;
        mark(Plane::Board, 0);
        if let Some(color) = board.at(point) {
            mark(Plane::Stone, usize::from(color != own));
            continue;
        }
        for (side, color) in sides.into_iter().enumerate() {
            match board.class(point, color) {
                PointClass::Five => mark(Plane::Five, side),
                PointClass::Winning => mark(Plane::Winning, side),
                PointClass::Less | PointClass::Two | PointClass::Twos => continue,
                _ => {}
            }
            let lines = board.line_classes(point, color);
            if lines.iter().any(|line| line.fours() > 0) {
                mark(Plane::Four, side);
            }
            if lines.iter().any(|line: &LineClass| line.is_three()) {
                mark(Plane::Three, side);
            }
        }
        if is_restricted && forbidden(board, point, Color::Black).is_some() {
            mark(Plane::Forbidden, 0);
        }
        if position.is_legal(point) {
            mark(Plane::Legal, 0);
        }
    }
    let places: &[usize] = match rule {
        Rule::Freestyle | Rule::TicTacToe => &[0],
        Rule::Standard => &[1],
        Rule::Renju => &[2],
        Rule::Caro => &[3],
        Rule::CaroExact => &[1, 3],
    };
    for place in places {
        values[Value::Rule as usize + place] = 1.0;
    }
    let is_black = own == Color::Black;
    if rule == Rule::Renju {
        values[Value::RenjuSide as usize] = if is_black { -1.0 } else { 1.0 };
    }
    match fours(position, own.other()) {
        Vcf::Won(line) => {
            values[Value::Threat as usize] = 1.0;
            if let Some(&first) = line.first() {
                planes[usize::from(first) * PLANES + Plane::Threat as usize] = 1.0;
            }
        }
        Vcf::Refuted => values[Value::NoThreat as usize] = 1.0,
        Vcf::Unknown => {}
    }
    let stones: usize = Color::BOTH
        .map(|color| board.stone_count(color))
        .iter()
        .sum();
    values[Value::Stones as usize] = stones as f32 / position.variant().points() as f32;
    values[Value::Black as usize] = f32::from(is_black);
}

impl GomokuPosition {
    /// Appends the moves of which one is best, unless all lose: what completes a row, what stops one, what may stop a
    /// straight four, otherwise all.
    fn sensible(&self, list: &mut Vec<Point>) {
        let (mover, other) = (self.color(), self.color().other());
        let rule = self.variant().rule;
        if let Some(point) = self.five(mover) {
            list.push(point);
            return;
        }
        // In caro a row is also stopped beyond its end; in renju a stone of White may make Black's point forbidden.
        let is_plain = !rule.stops_beyond() && !rule.restricts(other);
        match self.five(other).filter(|&point| self.is_legal(point)) {
            Some(point) if !rule.stops_beyond() => list.push(point),
            None if is_plain && self.board().count(other, PointClass::Winning) > 0 => {
                self.defenses(list);
            }
            _ => {}
        }
        if list.is_empty() {
            self.moves(Wanted::All, list);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::notation::{parse_point, parse_position};
    use super::super::rule::Variant;
    use super::*;

    fn position(variant: &str, moves: &str) -> GomokuPosition {
        let variant = Variant::named(Some(variant)).expect("a variant");
        parse_position(variant, moves).expect("a position")
    }

    fn marked(position: &GomokuPosition, plane: usize) -> Vec<Point> {
        let (planes, _) = INPUTS.of(position);
        let board = position.board();
        let is_marked = |point: &Point| planes[usize::from(*point) * PLANES + plane] == 1.0;
        board.points().filter(is_marked).collect()
    }

    #[test]
    fn planes_are_seen_by_the_side_to_move() {
        // Black has four in a row, White three; White is to move.
        let position = position("freestyle-15", "h8a1i8b1j8c1k8");
        let point = |text| parse_point(position.variant(), text).expect("a point");
        let mut stones = marked(&position, Plane::Stone as usize);
        stones.sort_unstable();
        assert_eq!(stones, [point("a1"), point("b1"), point("c1")]);
        let fives = marked(&position, Plane::Five as usize + 1);
        assert_eq!(fives, [point("g8"), point("l8")]);
        assert_eq!(
            marked(&position, Plane::Four as usize),
            [point("d1"), point("e1")]
        );
        let (_, values) = INPUTS.of(&position);
        assert_eq!(values[Value::Threat as usize], 1.0);
        assert_eq!(values[Value::Black as usize], 0.0);
        let mut moves = Vec::new();
        (INPUTS.moves)(&position, &mut moves);
        assert_eq!(moves, [point("g8")]);
    }

    #[test]
    fn a_straight_four_is_found_and_must_be_stopped_beforehand() {
        let open = position("freestyle-15", "h8a1i8c1j8o15");
        assert!((INPUTS.winning_move)(&open).is_some());
        let to_stop = position("freestyle-15", "h8a1i8c1j8");
        assert_eq!((INPUTS.winning_move)(&to_stop), None);
        let mut moves = Vec::new();
        (INPUTS.moves)(&to_stop, &mut moves);
        let variant = to_stop.variant();
        let wanted =
            ["f8", "g8", "k8", "l8"].map(|text| parse_point(variant, text).expect("a point"));
        assert_eq!(moves, wanted);
    }

    #[test]
    fn moves_are_not_left_out_where_others_could_stop_a_threat() {
        let count = |position: &GomokuPosition| {
            let mut moves = Vec::new();
            (INPUTS.moves)(position, &mut moves);
            moves.len()
        };
        // Black threatens to make a straight four.
        for (variant, is_all) in [
            ("freestyle-15", false),
            ("standard-15", false),
            ("renju-15", true),
            ("caro-15", true),
        ] {
            let threat = position(variant, "h8a1i8c1j8");
            assert_eq!(count(&threat) == 225 - 5, is_all, "{variant}");
        }
        // White threatens; Black has forbidden points, White has none.
        let threat = position("renju-15", "a1h8c1i8e1j8");
        assert!(count(&threat) < 10);
    }

    #[test]
    fn forbidden_points_are_marked_for_either_side() {
        // Two threes meet at h8.
        let moves = ["i8a1j8c1h7e1h6g1", "i8a1j8c1h7e1h6g1o15"];
        for moves in moves {
            let position = position("renju", moves);
            let h8 = parse_point(position.variant(), "h8").expect("a point");
            assert!(marked(&position, Plane::Forbidden as usize).contains(&h8));
            let is_white = position.color() == Color::White;
            assert_eq!(
                marked(&position, Plane::Legal as usize).contains(&h8),
                is_white
            );
        }
    }
}
