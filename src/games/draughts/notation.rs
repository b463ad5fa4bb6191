//! Moves and positions as text: numbers of squares from the upper left, Black's side, or from White's where the
//! variant's players do; also letters and numbers as in chess.

use anyhow::{Context, Result, bail, ensure};

use super::board::{Squares, each};
use super::captures::{self, Path};
use super::position::{DraughtsMove, DraughtsPosition};
use super::variant::{CaptureRule, Variant};
use crate::minimax::{Position, Wanted};
use crate::search::game::Side;

/// Captures named in an error message.
const NAMED: usize = 6;

/// A legal move: `32-28`, `28x19`, or with all squares in between where that is ambiguous.
pub fn move_text(position: &DraughtsPosition, mv: DraughtsMove) -> String {
    let number = |square: Squares| position.layout().number(square).to_string();
    if mv.captured == 0 {
        return format!("{}-{}", number(mv.from), number(mv.to));
    }
    let captures = captures::with_paths(position, 0);
    let alike = |(other, _): &&(DraughtsMove, Path)| (other.from, other.to) == (mv.from, mv.to);
    let is_clear = captures.iter().filter(alike).count() < 2;
    let path = captures.iter().find(|(other, _)| *other == mv);
    match path.filter(|_| !is_clear) {
        Some((_, path)) => {
            let squares: Vec<String> = path.iter().map(|&square| number(square)).collect();
            squares.join("x")
        }
        None => format!("{}x{}", number(mv.from), number(mv.to)),
    }
}

/// Reads a legal move. The error names the rule that an illegal one breaks.
pub fn parse_move(position: &DraughtsPosition, text: &str) -> Result<DraughtsMove> {
    match &meant(position, text)?[..] {
        [mv] => Ok(*mv),
        found => bail!("'{text}' is ambiguous: {}", listed(position, found)),
    }
}

/// Reads a move of a record, where a short capture is the first of its ways if all take as many pieces.
pub fn parse_recorded_move(position: &DraughtsPosition, text: &str) -> Result<DraughtsMove> {
    let count = |mv: &DraughtsMove| mv.captured.count_ones();
    match &meant(position, text)?[..] {
        [first, others @ ..] if others.iter().all(|mv| count(mv) == count(first)) => Ok(*first),
        found => bail!("'{text}' is ambiguous: {}", listed(position, found)),
    }
}

/// The legal moves that a text may mean, at least one.
fn meant(position: &DraughtsPosition, text: &str) -> Result<Vec<DraughtsMove>> {
    let words = text.trim().split(['-', 'x', 'X', ':', '*']);
    let squares = words.map(|word| parse_square(position, word));
    let squares = squares.collect::<Result<Vec<Squares>>>();
    let squares = squares.with_context(|| format!("'{text}' is no move: type 32-28 or 28x19"))?;
    let [from, between @ .., to] = &squares[..] else {
        bail!("'{text}' is no move: type 32-28 or 28x19");
    };
    let matches = |mv: &DraughtsMove| (mv.from, mv.to) == (*from, *to);
    if position.must_capture() {
        let between = between.iter().fold(0, |all, square| all | square);
        let captures = captures::with_paths(position, between);
        // Squares in between may be those of a longer notation, or the captured pieces.
        let takes = |mv: &DraughtsMove| between & !mv.captured == 0;
        let found: Vec<DraughtsMove> = captures
            .iter()
            .filter(|(mv, path)| matches(mv) && (captures::goes_over(path, between) || takes(mv)))
            .map(|(mv, _)| *mv)
            .collect();
        ensure!(
            !found.is_empty(),
            why_no_capture(position, text, *from, &captures)
        );
        return Ok(found);
    }
    let mut moves = Vec::new();
    position.moves(Wanted::All, &mut moves);
    let found = moves
        .into_iter()
        .find(|mv| matches(mv) && between.is_empty());
    let found = found.with_context(|| why_no_step(position, text, *from))?;
    Ok(vec![found])
}

/// A square by its number, or as in chess.
fn parse_square(position: &DraughtsPosition, word: &str) -> Result<Squares> {
    let layout = position.layout();
    let squares = position.variant().squares();
    let mut letters = word.chars();
    let square = match letters.next() {
        Some(letter @ 'a'..='j') => letters.as_str().parse::<u32>().ok().and_then(|rank| {
            let side = u32::from(position.variant().side);
            let row = side.checked_sub(rank)?;
            let column = u32::from(letter) - u32::from('a');
            each(layout.all).find(|&at| (layout.row_of(at), layout.column(at)) == (row, column))
        }),
        _ => word.parse().ok().and_then(|number| layout.square(number)),
    };
    square.with_context(|| format!("there is no square '{word}': they are 1 to {squares}"))
}

fn listed(position: &DraughtsPosition, moves: &[DraughtsMove]) -> String {
    let texts: Vec<String> = moves
        .iter()
        .take(NAMED)
        .map(|mv| move_text(position, *mv))
        .collect();
    let more = if moves.len() > NAMED { ", ..." } else { "" };
    texts.join(", ") + more
}

fn why_no_capture(
    position: &DraughtsPosition,
    text: &str,
    from: Squares,
    captures: &[(DraughtsMove, Path)],
) -> String {
    let moves: Vec<DraughtsMove> = captures.iter().map(|(mv, _)| *mv).collect();
    let listed = listed(position, &moves);
    if position.own() & from == 0 {
        return format!("'{text}' is illegal: there is no piece of yours; possible: {listed}");
    }
    let by_king = moves.iter().all(|mv| position.is_king(mv.from));
    let rule = match position.variant().captures {
        CaptureRule::KingFirst if by_king && !position.is_king(from) => "a king must capture",
        CaptureRule::MostPieces | CaptureRule::MostPiecesThenKings | CaptureRule::Italian
            if text.contains(['x', ':', 'X', '*']) =>
        {
            "as many pieces as possible must be captured"
        }
        _ => "you must capture, to the end",
    };
    format!("'{text}' is illegal: {rule}: {listed}")
}

fn why_no_step(position: &DraughtsPosition, text: &str, from: Squares) -> String {
    let reason = match () {
        () if position.own() & from != 0 => "the piece cannot go there",
        () if position.others() & from != 0 => "the piece is not yours",
        () => "there is no piece",
    };
    format!("'{text}' is illegal: {reason}")
}

/// A position as `W:W31-50:BK3,4`: the side to move, then the pieces of each.
pub fn position_text(position: &DraughtsPosition) -> String {
    let side = |is_white| {
        let mut numbers: Vec<(u32, bool)> = each(position.pieces(is_white))
            .map(|square| (position.layout().number(square), position.is_king(square)))
            .collect();
        numbers.sort_unstable();
        let king = |is_king| if is_king { "K" } else { "" };
        let texts = numbers
            .iter()
            .map(|(number, is_king)| format!("{}{number}", king(*is_king)));
        texts.collect::<Vec<_>>().join(",")
    };
    let mover = if position.white_moves() { 'W' } else { 'B' };
    format!("{mover}:W{}:B{}", side(true), side(false))
}

/// Reads a position: ranges of squares, `K` before kings, the sides in any order, a full stop at the end
/// and counters behind it are understood. Men on their last row are kings.
pub fn parse_position(variant: &'static Variant, text: &str) -> Result<DraughtsPosition> {
    let text = text.trim().trim_matches('"').trim_end_matches('.');
    let mut parts = text.split(':');
    let mover = parts.next().unwrap_or_default().trim();
    let white_moves = match mover {
        "W" | "w" => true,
        "B" | "b" => false,
        _ => bail!("a position begins with W: or B: for the side to move, not with '{mover}'"),
    };
    let empty = DraughtsPosition::new(variant, [0, 0], 0, white_moves);
    let (mut pieces, mut kings) = ([None, None], 0);
    for part in parts {
        let part = part.trim();
        let index = match part.chars().next() {
            Some('W' | 'w') => 0,
            Some('B' | 'b') => 1,
            // Counters of moves.
            Some('H' | 'F') => continue,
            _ => bail!("'{part}' in a position begins with neither W nor B"),
        };
        ensure!(
            pieces[index].is_none(),
            "'{part}': a second list of the same side"
        );
        let mut own = 0;
        for word in part[1..]
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            let is_king = word.starts_with(['K', 'k']);
            let numbers = word.trim_start_matches(['K', 'k']);
            for square in squares(&empty, numbers)? {
                ensure!(
                    (own | pieces[1 - index].unwrap_or(0)) & square == 0,
                    "'{word}': two pieces on a square"
                );
                own |= square;
                if is_king {
                    kings |= square;
                }
            }
        }
        pieces[index] = Some(own);
    }
    let [Some(white), Some(black)] = pieces else {
        bail!("'{text}' does not list the pieces of both sides, as in W:W31-50:B1-20");
    };
    let layout = empty.layout();
    let crowned = white & layout.last_row(true) | black & layout.last_row(false);
    Ok(DraughtsPosition::new(
        variant,
        [white, black],
        kings | crowned,
        white_moves,
    ))
}

/// A square, or a range of them.
fn squares(board: &DraughtsPosition, text: &str) -> Result<Vec<Squares>> {
    let Some((first, last)) = text.split_once('-') else {
        return Ok(vec![parse_square(board, text)?]);
    };
    let number = |word| anyhow::Ok(board.layout().number(parse_square(board, word)?));
    let (first, last) = (number(first)?, number(last)?);
    ensure!(first <= last, "the range {text} is empty");
    Ok((first..=last)
        .filter_map(|number| board.layout().square(number))
        .collect())
}

/// The board as text, with this side at the bottom.
pub fn diagram(position: &DraughtsPosition, below: Side) -> String {
    let layout = position.layout();
    let side = u32::from(position.variant().side);
    let mut places: Vec<u32> = (0..side).collect();
    if below == Side::Second {
        places.reverse();
    }
    let line = |&row: &u32| {
        let at = |&column: &u32| each(layout.row(row)).find(|&it| layout.column(it) == column);
        let squares: Vec<_> = places.iter().map(at).collect();
        let leftmost = squares.iter().flatten().next();
        let number = leftmost.map_or(0, |&square| layout.number(square));
        let letters = squares.iter().map(|square| {
            let letter = square.map_or(' ', |square| letter(position, square));
            format!(" {letter}")
        });
        let line = format!("{number:>3} {}", letters.collect::<String>());
        line.trim_end().to_owned()
    };
    let lines: Vec<String> = places.iter().map(line).collect();
    lines.join("\n")
}

/// The squares, White below, each with the character of its piece.
pub fn squares_of(position: &DraughtsPosition) -> Vec<Vec<(bool, char)>> {
    let layout = position.layout();
    let side = u32::from(position.variant().side);
    let square = |row: u32, column: u32| {
        let square = each(layout.row(row)).find(|&square| layout.column(square) == column);
        let figure = square.map_or(' ', |square| match letter(position, square) {
            'w' => '⛀',
            'W' => '⛁',
            'b' => '⛂',
            'B' => '⛃',
            _ => ' ',
        });
        (square.is_some(), figure)
    };
    (0..side)
        .map(|row| (0..side).map(|column| square(row, column)).collect())
        .collect()
}

fn letter(position: &DraughtsPosition, square: Squares) -> char {
    let letter = match () {
        () if position.pieces(true) & square != 0 => 'w',
        () if position.pieces(false) & square != 0 => 'b',
        () => return '.',
    };
    match position.is_king(square) {
        true => letter.to_ascii_uppercase(),
        false => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_may_pass_over_any_of_a_kings_landing_squares() {
        let variant = Variant::named(None).unwrap();
        let position = parse_position(variant, "W:WK41:B23,37").unwrap();
        let short = parse_move(&position, "41x5").unwrap();
        for text in ["41x28x5", "41x32x5"] {
            assert_eq!(parse_move(&position, text).unwrap(), short, "{text}");
        }
        assert!(parse_move(&position, "41x46x5").is_err());
    }
}
