//! Positions, moves and scores as the protocol writes them.

use anyhow::{Context, Result, bail, ensure};

use super::super::board::{Squares, each};
use super::super::position::{DraughtsMove, DraughtsPosition};
use super::super::variant::Variant;
use crate::minimax::score::plies_to_end;
use crate::minimax::{Position, Score, Variation, Wanted};

/// A position: the side to move, then each square in order: `w`, `b` and their kings in capitals, `e`.
pub fn parse_position(variant: &'static Variant, text: &str) -> Result<DraughtsPosition> {
    let empty = DraughtsPosition::new(variant, [0, 0], 0, true);
    let mut letters = text.chars();
    let white_moves = match letters.next() {
        Some('W') => true,
        Some('B') => false,
        _ => bail!("a position begins with W or B for the side to move"),
    };
    let squares = variant.squares();
    let found = letters.clone().count();
    ensure!(
        found == squares,
        "the position has {found} squares, and {} has {squares}",
        variant.name
    );
    let (mut pieces, mut kings) = ([0, 0], 0);
    for (number, letter) in (1..).zip(letters) {
        let square = empty.layout().square(number).unwrap_or(0);
        let side = match letter.to_ascii_lowercase() {
            'w' => 0,
            'b' => 1,
            'e' => continue,
            _ => bail!("'{letter}' in a position is none of w, W, b, B, e"),
        };
        pieces[side] |= square;
        if letter.is_ascii_uppercase() {
            kings |= square;
        }
    }
    Ok(DraughtsPosition::new(variant, pieces, kings, white_moves))
}

/// A position as [`parse_position`] reads it.
pub fn position_text(position: &DraughtsPosition) -> String {
    let mover = if position.white_moves() { 'W' } else { 'B' };
    let letter = |number| {
        let square = position.layout().square(number).unwrap_or(0);
        let piece = match () {
            () if position.pieces(true) & square != 0 => 'w',
            () if position.pieces(false) & square != 0 => 'b',
            () => return 'e',
        };
        match position.is_king(square) {
            true => piece.to_ascii_uppercase(),
            false => piece,
        }
    };
    let squares = position.variant().squares() as u32;
    [mover]
        .into_iter()
        .chain((1..=squares).map(letter))
        .collect()
}

/// `32-28`, or `28x17` followed by the captured squares.
pub fn move_text(position: &DraughtsPosition, mv: DraughtsMove) -> String {
    let number = |square| position.layout().number(square);
    let (from, to) = (number(mv.from), number(mv.to));
    if mv.captured == 0 {
        return format!("{from}-{to}");
    }
    let mut captured: Vec<u32> = each(mv.captured).map(number).collect();
    captured.sort_unstable();
    let captured: String = captured.iter().map(|number| format!("x{number}")).collect();
    format!("{from}x{to}{captured}")
}

/// Reads a legal move; captured squares may be in any order, and may be left out where the move is clear.
pub fn parse_move(position: &DraughtsPosition, text: &str) -> Result<DraughtsMove> {
    let square = |word: &str| {
        let number = word.parse().ok();
        number.and_then(|number| position.layout().square(number))
    };
    let squares: Option<Vec<Squares>> = text.split(['-', 'x']).map(square).collect();
    let squares = squares.filter(|squares| squares.len() > 1);
    let squares = squares.with_context(|| format!("'{text}' is no move"))?;
    let captured = squares[2..].iter().fold(0, |all, square| all | square);
    let mut moves = Vec::new();
    position.moves(Wanted::All, &mut moves);
    moves.retain(|mv| (mv.from, mv.to) == (squares[0], squares[1]));
    moves.retain(|mv| captured == 0 || mv.captured == captured);
    match moves[..] {
        [mv] => Ok(mv),
        [] => bail!("'{text}' is illegal"),
        _ => bail!("'{text}' does not say what is captured"),
    }
}

/// Moves one after another.
pub fn line(position: &DraughtsPosition, moves: &[DraughtsMove]) -> String {
    let mut position = position.clone();
    let text = |&mv: &DraughtsMove| {
        let text = move_text(&position, mv);
        position.play(mv);
        text
    };
    moves.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// In men; a win in n plies is 100 - n/100, which clients tell by being above 90.
fn score(score: Score) -> f64 {
    match plies_to_end(score) {
        None => f64::from(score) / 100.0,
        Some(plies) if plies > 0 => 100.0 - f64::from(plies) / 100.0,
        Some(plies) => -100.0 - f64::from(plies) / 100.0,
    }
}

/// A line `info` about what a search has found.
pub fn info(position: &DraughtsPosition, found: &Variation<DraughtsMove>) -> String {
    let seconds = found.elapsed.as_secs_f64();
    let millions = found.nodes as f64 / seconds.max(1e-6) / 1e6;
    format!(
        "info depth={} mean-depth={:.1} score={:.2} nodes={} time={seconds:.2} nps={millions:.2} pv=\"{}\"",
        found.depth,
        f64::from(found.depth),
        score(found.score),
        found.nodes,
        line(position, &found.moves),
    )
}
