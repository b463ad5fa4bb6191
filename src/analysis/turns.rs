//! The fields `analyzeTurns`, `priorities` and `priority`.

use std::collections::BTreeMap;

use super::fields::Fields;
use super::message::FieldError;

/// Largest priority, and the smallest with the other sign.
const MAX_PRIORITY: i64 = (1 << 62) - 1;

/// Turns to analyze with their priorities, as far as these are given one by one.
pub(super) fn turns(fields: Fields, moves: usize) -> Result<BTreeMap<usize, i64>, FieldError> {
    let no_turns = "Must specify an array of integers indicating turns to analyze";
    let turns = fields.whole_numbers("analyzeTurns", no_turns)?;
    let parsed = |turn: i64| {
        let index = usize::try_from(turn).ok().filter(|&index| index <= moves);
        let mistake = format!("Invalid turn number: {turn}");
        index.ok_or_else(|| FieldError::new("analyzeTurns", mistake))
    };
    let numbers = turns.clone().unwrap_or_else(|| vec![moves as i64]);
    let numbers: Vec<usize> = numbers.into_iter().map(parsed).collect::<Result<_, _>>()?;
    let field = "priorities";
    let no_priorities = "Must specify an array of integers indicating priorities";
    let Some(priorities) = fields.whole_numbers(field, no_priorities)? else {
        return Ok(numbers.into_iter().map(|turn| (turn, 0)).collect());
    };
    if turns.is_none() {
        let mistake = "Can only specify when also specifying analyzeTurns";
        return Err(FieldError::new(field, mistake));
    }
    if priorities.len() != numbers.len() {
        let mistake = "Must be of matching length to analyzeTurns";
        return Err(FieldError::new(field, mistake));
    }
    let is_allowed = |priority: &&i64| (-MAX_PRIORITY..=MAX_PRIORITY).contains(*priority);
    if let Some(priority) = priorities.iter().find(|priority| !is_allowed(priority)) {
        let mistake = format!("Invalid priority: {priority}");
        return Err(FieldError::new(field, mistake));
    }
    Ok(numbers.into_iter().zip(priorities).collect())
}

/// The same with one priority for all, if that is given.
pub(super) fn with_priority(
    fields: Fields,
    turns: BTreeMap<usize, i64>,
) -> Result<BTreeMap<usize, i64>, FieldError> {
    let field = "priority";
    if fields.has(field) && fields.has("priorities") {
        let mistake = "Cannot specify both priority and priorities";
        return Err(FieldError::new(field, mistake));
    }
    let mistake = "Must be a number between -2^62 and 2^62";
    let priority = fields.number(field, -MAX_PRIORITY..=MAX_PRIORITY, mistake)?;
    Ok(match priority {
        Some(priority) => turns.into_keys().map(|turn| (turn, priority)).collect(),
        None => turns,
    })
}
