//! Comparison of a folder's settings with the requested ones.

use anyhow::Result;
use serde::Serialize;

/// The first different setting, with both values; missing settings count as null.
pub fn difference<T: Serialize>(there: &T, here: &T) -> Result<Option<String>> {
    let (there, here) = (serde_json::to_value(there)?, serde_json::to_value(here)?);
    let sides = [&there, &here]
        .into_iter()
        .filter_map(|side| side.as_object());
    let mut names = sides.flat_map(|side| side.keys());
    let found = names.find(|&name| there[name] != here[name]);
    Ok(found.map(|name| format!("{name} is {} there, not {}", there[name], here[name])))
}
