//! Time settings and what the clocks show. Times are in seconds, fractions and nonsense allowed:
//! a referee's settings are never refused because they are odd.

use anyhow::{Result, bail};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use crate::clock::{Clock, TimeControl};

/// Main time, period and stones for it: Canadian. No period means absolute time, a period for no
/// stones no limit.
pub(super) fn time_settings(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let control = canadian(arguments, 0)?;
    Ok(start(engine, Clock::new(control)))
}

/// Times the game. The first move on a clock would be much slower than the others.
fn start(engine: &mut Engine, clock: Clock) -> String {
    engine.session.clocks.set(clock);
    let is_over = engine.session.position.is_over();
    if clock.control() != TimeControl::Unlimited && !is_over {
        let warmed = engine.session.player.warm_up(&engine.session.position);
        // Should it matter, the first move will say so.
        warmed.unwrap_or_default();
    }
    String::new()
}

/// Color, time, and stones or periods left; 0 of these in main time.
pub(super) fn time_left(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let color = arguments.color(0)?;
    let (seconds, count) = (arguments.number(1)?, count(arguments, 2)?);
    engine.session.clocks.report(color, seconds, count);
    Ok(String::new())
}

/// The kind of timing by name, then its times.
pub(super) fn named_time_settings(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let (mut cap, mut most_per_move) = (None, None);
    let control = match (
        arguments.word(0)?.to_ascii_lowercase().as_str(),
        arguments.len(),
    ) {
        ("none", 1) => TimeControl::Unlimited,
        ("absolute", 2) => TimeControl::sudden_death(arguments.number(1)?),
        ("canadian", 4) => canadian(arguments, 1)?,
        ("byoyomi", 4) => japanese(arguments)?,
        ("fischer", 3) => fischer(arguments)?,
        ("fischer-capped", 5) => {
            // Negative numbers are no limits.
            cap = Some(arguments.number(3)?).filter(|&cap| cap >= 0.0);
            most_per_move = Some(arguments.number(4)?).filter(|&most| most >= 0.0);
            fischer(arguments)?
        }
        _ => bail!("syntax error"),
    };
    let clock = Clock::new(control).with_cap(cap);
    Ok(start(engine, clock.with_most_per_move(most_per_move)))
}

pub(super) fn list_time_settings(_: &mut Engine, _: &Arguments) -> Result<String> {
    Ok("none absolute byoyomi canadian fischer fischer-capped".to_owned())
}

/// Main time, period and stones from this place on.
fn canadian(arguments: &Arguments, place: usize) -> Result<TimeControl> {
    let (main, period) = (arguments.number(place)?, arguments.number(place + 1)?);
    let stones = count(arguments, place + 2)?;
    Ok(TimeControl::from_gtp(main, period, stones))
}

/// Main time, period and number of periods after the name.
fn japanese(arguments: &Arguments) -> Result<TimeControl> {
    let (main, period) = (arguments.number(1)?, arguments.number(2)?);
    Ok(match count(arguments, 3)? {
        periods if periods > 0 && period > 0.0 => TimeControl::Japanese {
            main,
            period,
            periods,
        },
        _ => TimeControl::sudden_death(main),
    })
}

/// Main time and increment after the name.
fn fischer(arguments: &Arguments) -> Result<TimeControl> {
    let (main, increment) = (arguments.number(1)?, arguments.number(2)?);
    Ok(TimeControl::Fischer { main, increment })
}

/// A number of stones or periods; a fraction is cut off, a negative number counts as none.
fn count(arguments: &Arguments, place: usize) -> Result<u32> {
    Ok(arguments.number(place)? as u32)
}
