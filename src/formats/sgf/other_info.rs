//! What a file says of the game besides what records have fields for.

use super::property;
use super::scan::Node;
use crate::go::GameRecord;

/// Properties about the game as a whole in FF\[4\] that a record has no field for.
pub(super) const OTHER_INFO: [&str; 13] = [
    "AN", "BT", "CP", "GC", "GN", "ON", "OT", "PC", "RO", "SO", "TM", "US", "WT",
];

/// A property with one value, unescaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Its name, such as `PC`.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// What the nodes up to the first move say of the game, as far as the record does not; of repeated
/// properties the first.
pub(super) fn other_info(nodes: &[Node], record: &GameRecord) -> Vec<Info> {
    let mut found: Vec<Info> = Vec::new();
    for (_, property) in property::header(nodes) {
        let is_kept = OTHER_INFO.contains(&property.name.as_str())
            || property.name == "RE" && record.result.is_none();
        let value = property.values.join(" ");
        if is_kept && !value.is_empty() && found.iter().all(|info| info.name != property.name) {
            let name = property.name.clone();
            found.push(Info { name, value });
        }
    }
    found
}
