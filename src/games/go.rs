//! Go for the search: [`Side::First`] is Black, the code of a move is the raw index of its point,
//! or 0 for a pass.

use smallvec::SmallVec;

use crate::go::score::settled;
use crate::go::{Board, Color, GameEnd, Move, Point, Position};
use crate::search::game::{Game, MoveCode, Outcome, Side};

/// Extent of a pattern around its move, in columns and rows.
const WINDOW_RADIUS: usize = 2;
/// Bits per point of a pattern.
const POINT_BITS: usize = 3;
/// Bits of all points of a pattern.
const WINDOW_BITS: usize = POINT_BITS * (2 * WINDOW_RADIUS + 1) * (2 * WINDOW_RADIUS + 1);
/// Bits for the location of a pattern.
const PLACE_BITS: usize = 10;
/// Code of points outside the board.
const OFF_BOARD: u128 = 3;

/// Repetitions that take more moves than this are not anticipated.
const REPETITION_BOUND: usize = 11;

pub fn code(mv: Move) -> MoveCode {
    MoveCode(mv.point().map_or(0, |point| point.raw() as u16))
}

pub fn decode(code: MoveCode) -> Move {
    match code.0 {
        0 => Move::Pass,
        raw => Move::Play(Point::from_raw(usize::from(raw))),
    }
}

/// The side of a color.
pub fn side(color: Color) -> Side {
    match color {
        Color::Black => Side::First,
        Color::White => Side::Second,
    }
}

/// What the game comes to if it ends here: the exact score (see [`settled`]), unless the rules have ended it without
/// result.
pub fn outcome_as_it_stands(position: &Position) -> Outcome {
    if position.end() == GameEnd::NoResult {
        return Outcome {
            no_result: true,
            ..Outcome::default()
        };
    }
    let score = settled(position).lead_black();
    Outcome {
        win_loss: if score == 0.0 { 0.0 } else { score.signum() },
        score,
        no_result: false,
    }
}

impl Game for Position {
    fn to_move(&self) -> Side {
        side(self.to_move())
    }

    fn legal_moves(&self, moves: &mut Vec<MoveCode>) {
        moves.clear();
        moves.reserve(self.size().area() + 1);
        self.legal_moves().for_each(|mv| moves.push(code(mv)));
    }

    fn play(&mut self, mv: MoveCode) {
        self.play_unchecked(decode(mv));
    }

    fn outcome(&self) -> Option<Outcome> {
        self.is_finished().then(|| outcome_as_it_stands(self))
    }

    /// KataGo's pattern: the move, the one before it, the color to move, the ko, and the stones
    /// around the point with those in atari marked. None for a pass, and at the start of the game.
    fn pattern(&self, mv: MoveCode) -> Option<u128> {
        let point = decode(mv).point()?;
        let (_, before) = self.moves().next_back()?;
        let before = before.point().map_or(0, Point::raw);
        let ko = self.ko().map_or(0, Point::raw);
        let places = [point.raw(), before, ko].into_iter();
        let key = places.fold(self.to_move() as u128, |key, place| {
            key << PLACE_BITS | place as u128
        });
        Some(key << WINDOW_BITS | window(self.board(), point))
    }

    /// History is ignored if the last move cannot soon be part of a repetition: its chain would
    /// have to be captured and the space be filled again (KataGo's bound).
    fn transposition(&self) -> Option<u128> {
        let (_, mv) = self.moves().next_back()?;
        let is_lasting = has_room(self.board(), mv.point()?, REPETITION_BOUND);
        is_lasting.then(|| self.state_key())
    }

    fn key(&self) -> u128 {
        self.key()
    }
}

/// Whether the chain at `point` with the adjacent empty regions has more than `bound` points;
/// without a chain, after a suicide, the empty region alone.
fn has_room(board: &Board, point: Point, bound: usize) -> bool {
    let mut found = SmallVec::<[Point; 32]>::new();
    if board.is_empty(point) {
        found.push(point);
    } else {
        if board.chain_len(point) > bound {
            return true;
        }
        found.extend(board.chain(point));
    }
    let mut next = 0;
    while found.len() <= bound && next < found.len() {
        for neighbor in board.neighbors(found[next]) {
            if board.is_empty(neighbor) && !found.contains(&neighbor) {
                found.push(neighbor);
            }
        }
        next += 1;
    }
    found.len() > bound
}

/// The points around a point row by row, a few bits each: contents, and whether in atari.
fn window(board: &Board, center: Point) -> u128 {
    let size = board.size();
    let shifted = |place: usize, shift: usize, end: usize| {
        let shifted = (place + shift).checked_sub(WINDOW_RADIUS);
        shifted.filter(|&place| place < end)
    };
    let mut bits = 0;
    for up in 0..=2 * WINDOW_RADIUS {
        for right in 0..=2 * WINDOW_RADIUS {
            let row = shifted(center.row(), up, size.height());
            let column = shifted(center.column(), right, size.width());
            let point = row.zip(column).map(|(row, column)| Point::new(column, row));
            bits = bits << POINT_BITS | point.map_or(OFF_BOARD, |point| contents(board, point));
        }
    }
    bits
}

fn contents(board: &Board, point: Point) -> u128 {
    match board.color_at(point) {
        None => 0,
        Some(color) => {
            let in_atari = u128::from(board.liberties(point) == 1);
            (1 + color as u128) | in_atari << 2
        }
    }
}
