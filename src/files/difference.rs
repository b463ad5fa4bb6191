//! In what the settings of a folder differ from those that somebody means.

use anyhow::Result;
use serde::Serialize;

/// The first setting that is otherwise, with both values; settings that are left out where they are
/// not given count as null.
pub fn difference<T: Serialize>(there: &T, here: &T) -> Result<Option<String>> {
    let (there, here) = (serde_json::to_value(there)?, serde_json::to_value(here)?);
    let sides = [&there, &here]
        .into_iter()
        .filter_map(|side| side.as_object());
    let mut names = sides.flat_map(|side| side.keys());
    let found = names.find(|&name| there[name] != here[name]);
    Ok(found.map(|name| format!("{name} is {} there, not {}", there[name], here[name])))
}
