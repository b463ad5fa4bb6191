//! Time settings and what the clocks show. Times are in seconds, fractions and nonsense allowed:
//! a referee's settings are never refused because they are odd.

use anyhow::{Result, bail};

use super::super::arguments::Arguments;
use super::super::clock::milliseconds;
use super::super::engine::Engine;
use super::super::thinker::TimeControl;

/// Main time, period and stones for it: Canadian. No period means absolute time, a period for no
/// stones no limit.
pub(super) fn time_settings(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let control = canadian(arguments, 0)?;
    engine.clocks.set_control(control, None);
    Ok(String::new())
}

/// Color, time, and stones or periods left; 0 of these in main time.
pub(super) fn time_left(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let color = arguments.color(0)?;
    let (left_ms, count) = (duration(arguments, 1)?, count(arguments, 2)?);
    engine.clocks.report(color, left_ms, count);
    Ok(String::new())
}

/// The kind of timing by name, then its times.
pub(super) fn named_time_settings(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let mut cap_ms = None;
    let control = match (
        arguments.word(0)?.to_ascii_lowercase().as_str(),
        arguments.len(),
    ) {
        ("none", 1) => None,
        ("absolute", 2) => Some(TimeControl::Absolute {
            main_ms: span(arguments, 1)?,
        }),
        ("canadian", 4) => canadian(arguments, 1)?,
        ("byoyomi", 4) => Some(japanese(arguments)?),
        ("fischer", 3) => Some(fischer(arguments)?),
        ("fischer-capped", 5) => {
            let cap = duration(arguments, 3)?;
            cap_ms = (cap >= 0).then_some(cap);
            arguments.number(4)?;
            Some(fischer(arguments)?)
        }
        _ => bail!("syntax error"),
    };
    engine.clocks.set_control(control, cap_ms);
    Ok(String::new())
}

pub(super) fn list_time_settings(_: &mut Engine, _: &Arguments) -> Result<String> {
    Ok("none absolute byoyomi canadian fischer fischer-capped".to_owned())
}

/// Main time, period and stones from this place on.
fn canadian(arguments: &Arguments, place: usize) -> Result<Option<TimeControl>> {
    let main_ms = span(arguments, place)?;
    let period_ms = span(arguments, place + 1)?;
    let stones = count(arguments, place + 2)?;
    Ok(match (period_ms, stones) {
        (0, _) => Some(TimeControl::Absolute { main_ms }),
        (_, 0) => None,
        _ => Some(TimeControl::Canadian {
            main_ms,
            period_ms,
            stones,
        }),
    })
}

/// Main time, period and number of periods after the name.
fn japanese(arguments: &Arguments) -> Result<TimeControl> {
    let (main_ms, period_ms) = (span(arguments, 1)?, span(arguments, 2)?);
    let periods = count(arguments, 3)?;
    Ok(if period_ms == 0 || periods == 0 {
        TimeControl::Absolute { main_ms }
    } else {
        TimeControl::Japanese {
            main_ms,
            period_ms,
            periods,
        }
    })
}

/// Main time and increment after the name.
fn fischer(arguments: &Arguments) -> Result<TimeControl> {
    let (main_ms, increment_ms) = (span(arguments, 1)?, span(arguments, 2)?);
    Ok(TimeControl::Fischer {
        main_ms,
        increment_ms,
    })
}

/// Milliseconds, possibly negative.
fn duration(arguments: &Arguments, place: usize) -> Result<i64> {
    Ok(milliseconds(arguments.number(place)?))
}

/// Milliseconds; a negative time, which some bridges compute, counts as none.
fn span(arguments: &Arguments, place: usize) -> Result<i64> {
    Ok(duration(arguments, place)?.max(0))
}

/// A number of stones or periods; a fraction is cut off, a negative number counts as none.
fn count(arguments: &Arguments, place: usize) -> Result<u32> {
    Ok(arguments.number(place)? as u32)
}
