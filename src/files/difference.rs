//! Comparison of a folder's settings with the requested ones.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Letters of a value that are shown.
const SHOWN: usize = 60;

/// Stores settings in a file unless it is there, as other processes may do at the same time. The first
/// difference between those that are there now and these.
pub fn stored_difference<T: Serialize + DeserializeOwned>(
    file: &Path,
    settings: &T,
) -> Result<Option<String>> {
    if !super::exists(file) {
        let written = super::write_json(file, settings, false);
        // Another process may have been faster.
        written.or_else(|error| super::exists(file).then_some(()).ok_or(error))?;
    }
    difference(&super::read_json(file)?, settings)
}

/// The first different setting, with both values; missing settings count as null.
pub fn difference<T: Serialize>(there: &T, here: &T) -> Result<Option<String>> {
    let (there, here) = (serde_json::to_value(there)?, serde_json::to_value(here)?);
    Ok(found(&there, &here).map(|(path, [there, here])| {
        let name = path.join(".");
        format!("{name} is {} there, not {}", shown(there), shown(here))
    }))
}

/// The names and indices that lead to the first difference, and both values.
fn found<'a>(there: &'a Value, here: &'a Value) -> Option<(Vec<String>, [&'a Value; 2])> {
    let names: Vec<String> = match (there, here) {
        _ if there == here => return None,
        (Value::Object(there), Value::Object(here)) => {
            there.keys().chain(here.keys()).cloned().collect()
        }
        (Value::Array(there), Value::Array(here)) if there.len() == here.len() => {
            (0..there.len()).map(|index| index.to_string()).collect()
        }
        _ => return Some((Vec::new(), [there, here])),
    };
    names.into_iter().find_map(|name| {
        let of = |value: &'a Value| match name.parse::<usize>() {
            Ok(index) if value.is_array() => &value[index],
            _ => &value[name.as_str()],
        };
        let (mut path, values) = found(of(there), of(here))?;
        path.insert(0, name.clone());
        Some((path, values))
    })
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_is_named_with_its_place() {
        let there = json!({"rate": 1, "boards": [{"size": 9}, {"size": 13, "visits": 10}]});
        let mut here = there.clone();
        assert_eq!(difference(&there, &here).unwrap(), None);
        here["boards"][1]["visits"] = json!(20);
        let text = difference(&there, &here).unwrap().unwrap();
        assert_eq!(text, "boards.1.visits is 10 there, not 20");
        here["boards"] = json!(["x".repeat(100)]);
        let text = difference(&there, &here).unwrap().unwrap();
        assert!(text.ends_with("xxx..."), "{text}");
        here = json!({"boards": there["boards"]});
        let text = difference(&there, &here).unwrap().unwrap();
        assert_eq!(text, "rate is 1 there, not null");
    }
}
