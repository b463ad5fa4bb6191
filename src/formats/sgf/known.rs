//! Checks that a file is a game at all: `(;` also occurs in other texts.

use anyhow::{Result, ensure};

use super::scan::Node;

/// Properties of all versions of the format that may occur in a game of Go.
const KNOWN: &[&str] = &[
    "AB", "AE", "AN", "AP", "AR", "AW", "B", "BL", "BM", "BR", "BT", "C", "CA", "CH", "CP", "CR",
    "DD", "DM", "DO", "DT", "EL", "EV", "EX", "FF", "FG", "GB", "GC", "GM", "GN", "GW", "HA", "HO",
    "ID", "IT", "KM", "KO", "L", "LB", "LN", "LT", "M", "MA", "MN", "N", "OB", "OM", "ON", "OP",
    "OT", "OV", "OW", "PB", "PC", "PL", "PM", "PW", "RE", "RG", "RO", "RU", "SC", "SE", "SI", "SL",
    "SO", "SQ", "ST", "SU", "SZ", "TB", "TC", "TE", "TM", "TR", "TT", "TW", "UC", "US", "V", "VW",
    "W", "WL", "WR", "WT",
];

/// An error unless some property is known, or there is only structure.
pub(super) fn check(nodes: &[Node], text: &str) -> Result<()> {
    let mut names = nodes.iter().flatten().map(|property| &property.name[..]);
    let is_game = names.any(|name| KNOWN.binary_search(&name).is_ok());
    let is_structure = |c: char| "();".contains(c) || c.is_whitespace();
    ensure!(
        is_game || text.chars().all(is_structure),
        "no game found: what begins with \"(;\" has none of the format's properties"
    );
    Ok(())
}
