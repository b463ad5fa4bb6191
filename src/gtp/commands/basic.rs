//! Who the engine is, what it can do, and commands that only want to be taken note of.

use std::fs;

use anyhow::Result;

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use super::{joined, names};

pub(super) fn protocol_version(_: &mut Engine, _: &Arguments) -> Result<String> {
    Ok("2".to_owned())
}

pub(super) fn name(engine: &mut Engine, _: &Arguments) -> Result<String> {
    Ok(engine.identity.name.clone())
}

pub(super) fn version(engine: &mut Engine, _: &Arguments) -> Result<String> {
    Ok(engine.identity.version.clone())
}

pub(super) fn known_command(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let searches = engine.searches();
    let is_known = arguments
        .words()
        .first()
        .is_some_and(|name| names(searches).any(|known| known == *name));
    Ok(is_known.to_string())
}

pub(super) fn list_commands(engine: &mut Engine, _: &Arguments) -> Result<String> {
    Ok(joined(names(engine.searches()), "\n"))
}

pub(super) fn quit(engine: &mut Engine, _: &Arguments) -> Result<String> {
    engine.is_quit = true;
    Ok(String::new())
}

/// What is said on the server by `kgs-chat game|private NAME TEXT`; the answer is said aloud there.
pub(super) fn chat(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let (name, version) = (&engine.identity.name, &engine.identity.version);
    Ok(format!(
        "{name} {version}, a Go program. I do not understand what people write."
    ))
}

/// Nothing to do: nothing is running, or the news is of no use.
pub(super) fn accept(_: &mut Engine, _: &Arguments) -> Result<String> {
    Ok(String::new())
}

/// Whatever was running has ended by now; thinking on the opponent's time ends too.
pub(super) fn stop(engine: &mut Engine, _: &Arguments) -> Result<String> {
    engine.session.stop_playing();
    Ok(String::new())
}

/// Seconds of processor time; where the system does not tell, of time since the start.
pub(super) fn cputime(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let elapsed = || engine.started.elapsed().as_secs_f64();
    Ok(format!(
        "{:.2}",
        processor_seconds().unwrap_or_else(elapsed)
    ))
}

/// Linux: user and system time of all threads, fields 14 and 15 of `/proc/self/stat` (proc(5)),
/// of which the second may contain blanks and ends with the last parenthesis. The unit is
/// USER_HZ, which is 100 everywhere.
fn processor_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, after_name) = text.rsplit_once(')')?;
    let mut ticks = after_name.split_ascii_whitespace().skip(11);
    let user: f64 = ticks.next()?.parse().ok()?;
    let system: f64 = ticks.next()?.parse().ok()?;
    Some((user + system) / 100.0)
}
