//! Names of the variants: what a game is played for.

use anyhow::{Result, bail};

use super::position::{BackgammonPosition, Stakes};

/// Names of the variants, the default first.
pub const NAMES: [(&str, Stakes); 2] =
    [("one-point", Stakes::OnePoint), ("points", Stakes::Points)];

/// The variant of a name.
pub fn named(name: Option<&str>) -> Result<Stakes> {
    let Some(name) = name else {
        return Ok(NAMES[0].1);
    };
    match NAMES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
    {
        Some((_, stakes)) => Ok(*stakes),
        None => bail!(
            "there is no variant '{}' of backgammon; there are one-point (a win is a win) and points (gammons count \
             double, backgammons triple)",
            name.escape_debug()
        ),
    }
}

/// The variant, for people.
pub fn title(stakes: Stakes) -> &'static str {
    match stakes {
        Stakes::OnePoint => "backgammon for one point",
        Stakes::Points => "backgammon for points",
    }
}

/// The position with other stakes.
pub fn with_stakes(position: BackgammonPosition, stakes: Stakes) -> BackgammonPosition {
    BackgammonPosition { stakes, ..position }
}
