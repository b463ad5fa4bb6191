//! Board sizes, points, stones and moves in queries.

use super::fields::Fields;
use super::message::FieldError;
use crate::go::point::{MAX_SIZE, MIN_SIZE};
use crate::go::{BoardSize, Color, Move, Point};

const NO_MOVES: &str = "Must be an array of pairs of the form: [\"b\" or \"w\", GTP board vertex]";

/// The size of the board, which must be given.
pub(super) fn board_size(fields: Fields) -> Result<BoardSize, FieldError> {
    let mistake = format!("Must provide an integer from {MIN_SIZE} to {MAX_SIZE}");
    let names = ["boardXSize", "boardYSize"];
    if let Some(missing) = names.into_iter().find(|name| !fields.has(name)) {
        return Err(FieldError::new(missing, mistake));
    }
    let [width, height] = names.map(|name| fields.number(name, MIN_SIZE..=MAX_SIZE, &mistake));
    let size = BoardSize::new(width?.unwrap_or_default(), height?.unwrap_or_default());
    size.ok_or_else(|| FieldError::new("boardXSize", mistake))
}

/// A place on a board: GTP's text, or `(x,y)` counted from the top left, from 0.
fn place(text: &str, size: BoardSize) -> Option<Move> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('(') {
        let (x, y) = inner.strip_suffix(')')?.split_once(',')?;
        let [x, y] = [x, y].map(|number| number.trim().parse::<usize>().ok());
        let (x, y) = (x?, y?);
        let is_inside = x < size.width() && y < size.height();
        return is_inside.then(|| Move::Play(size.point_at(y * size.width() + x)));
    }
    let mv: Move = match text.eq_ignore_ascii_case("pss") {
        true => Move::Pass,
        false => text.parse().ok()?,
    };
    let is_inside = mv.point().is_none_or(|point| size.contains(point));
    is_inside.then_some(mv)
}

/// As [`place`], with the mistake.
pub(super) fn parsed_place(field: &str, text: &str, size: BoardSize) -> Result<Move, FieldError> {
    place(text, size)
        .ok_or_else(|| FieldError::new(field, format!("Could not parse board location: {text}")))
}

/// A list of moves.
pub(super) fn moves(
    fields: Fields,
    field: &str,
    size: BoardSize,
) -> Result<Option<Vec<(Color, Move)>>, FieldError> {
    let pairs = fields.read::<Vec<(&str, &str)>>(field, NO_MOVES)?;
    let parsed = |(color, text): (&str, &str)| {
        let mistake = |_| FieldError::new(field, format!("Could not parse player: {color}"));
        let color = color.parse().map_err(mistake)?;
        Ok((color, parsed_place(field, text, size)?))
    };
    pairs
        .map(|pairs| pairs.into_iter().map(parsed).collect())
        .transpose()
}

/// The stones of the starting position. Of several on a point the last one counts.
pub(super) fn stones(fields: Fields, size: BoardSize) -> Result<Vec<(Point, Color)>, FieldError> {
    let field = "initialStones";
    let mut stones: Vec<(Point, Color)> = Vec::new();
    for (color, mv) in moves(fields, field, size)?.unwrap_or_default() {
        let Move::Play(point) = mv else {
            let mistake = format!("Could not parse board location: {mv}");
            return Err(FieldError::new(field, mistake));
        };
        stones.retain(|(other, _)| *other != point);
        stones.push((point, color));
    }
    Ok(stones)
}
