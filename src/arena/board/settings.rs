//! Settings in descriptions of players: `depth=4 time=0.5`.

use std::time::Duration;

use anyhow::{Context, Result};

/// Sets each setting of a player's description; an error names it.
pub fn set_each<'a>(
    description: &str,
    settings: impl IntoIterator<Item = &'a str>,
    mut set: impl FnMut(&str, &str) -> Result<()>,
) -> Result<()> {
    settings.into_iter().try_for_each(|setting| {
        let parts = setting.split_once('=').context("a setting is NAME=VALUE");
        parts
            .and_then(|(name, value)| set(name, value))
            .with_context(|| format!("'{setting}' of the player '{description}'"))
    })
}

/// The time for each move, in seconds.
pub fn move_time(value: &str) -> Result<Duration> {
    let seconds = value.parse().ok().filter(|seconds| *seconds > 0.0);
    let time = seconds.and_then(|time| Duration::try_from_secs_f64(time).ok());
    time.context("time is a number of seconds for each move")
}
