//! The fields `avoidMoves` and `allowMoves`.

use serde_json::Value;

use super::fields::Fields;
use super::message::FieldError;
use super::places::parsed_place;
use crate::games::go::{code, side};
use crate::go::{BoardSize, Color};
use crate::search::{MoveCode, Restrictions};

const NO_LIST: &str = "Must be a list of dicts with subfields 'player', 'moves', 'untilDepth'";
const NO_POINTS: &str = "Must be an array of GTP board vertices";
/// Deepest that moves may be forbidden.
const DEEPEST: u32 = 1_000_000_000;

/// Moves that a search must leave alone.
pub(super) fn restrictions(fields: Fields, size: BoardSize) -> Result<Restrictions, FieldError> {
    let mut restrictions = Restrictions::default();
    let (allow, avoid) = ("allowMoves", "avoidMoves");
    let field = match (fields.has(allow), fields.has(avoid)) {
        (false, false) => return Ok(restrictions),
        (true, true) => {
            let mistake = "Cannot specify both allowMoves and avoidMoves";
            return Err(FieldError::new(allow, mistake));
        }
        (true, false) => allow,
        (false, true) => avoid,
    };
    let entries: &[Value] = fields.get(field).and_then(Value::as_array).map_or_else(
        || Err(FieldError::new(field, NO_LIST)),
        |entries| Ok(entries.as_slice()),
    )?;
    if field == allow && entries.len() > 2 {
        let mistake = "Currently allowMoves only allows at most one entry per player";
        return Err(FieldError::new(field, mistake));
    }
    let mut allowed = Vec::new();
    for entry in entries {
        let (color, codes, depth) = parsed_entry(field, entry, size)?;
        if field == avoid {
            restrictions.avoid(side(color), codes, depth);
        } else if allowed.contains(&color) {
            let mistake = "Cannot specify allowMoves more than once for the same player";
            return Err(FieldError::new(field, mistake));
        } else {
            allowed.push(color);
            restrictions.allow(side(color), codes, depth);
        }
    }
    Ok(restrictions)
}

/// Whose moves, which, and down to which depth.
fn parsed_entry(
    field: &str,
    entry: &Value,
    size: BoardSize,
) -> Result<(Color, Vec<MoveCode>, u32), FieldError> {
    let no_entry = || FieldError::new(field, NO_LIST);
    let entry = Fields(entry.as_object().ok_or_else(no_entry)?);
    if !["player", "moves", "untilDepth"]
        .iter()
        .all(|name| entry.has(name))
    {
        return Err(no_entry());
    }
    let color = entry.color("player")?.ok_or_else(no_entry)?;
    let texts: Vec<&str> = entry.read("moves", NO_POINTS)?.unwrap_or_default();
    let places = texts
        .into_iter()
        .map(|text| parsed_place("moves", text, size));
    let codes: Result<Vec<MoveCode>, FieldError> = places.map(|place| place.map(code)).collect();
    let codes = codes?;
    let depth = entry.number("untilDepth", 1..=DEEPEST, "Must be a positive integer")?;
    Ok((color, codes, depth.ok_or_else(no_entry)?))
}
