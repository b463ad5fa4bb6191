//! What a manager has said about time, memory and rules (`INFO`).

use std::time::Duration;

use crate::minimax::limits::{ClockState, MoveTime};

/// Time for a move where nothing is said.
const TURN: Duration = Duration::from_secs(30);
/// What managers send for a time without end.
const ENDLESS: i64 = i32::MAX as i64;
/// Time that is lost on a move between manager and engine, and least time for a move.
const OVERHEAD: Duration = Duration::from_millis(100);
const LEAST: Duration = Duration::from_millis(5);
/// Memory of the program besides what searches keep, in MiB.
const REST: u64 = 120;

/// Settings of a manager.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Time for each move.
    turn: Duration,
    /// Time for the game, and what is left of it.
    game: Option<Duration>,
    left: Option<Duration>,
    /// Bytes that the program may use.
    memory: Option<u64>,
    /// Number of the rule, if one was sent; what is no number is [`u32::MAX`].
    pub rule: Option<u32>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            turn: TURN,
            game: None,
            left: None,
            memory: None,
            rule: None,
        }
    }
}

impl Settings {
    /// Notes a key with its value; what is not understood is ignored.
    pub fn note(&mut self, key: &str, value: &str) {
        let number = value.trim().parse::<i64>().ok();
        let time = |number: i64| Duration::from_millis(u64::try_from(number).unwrap_or_default());
        match (key.to_ascii_lowercase().as_str(), number) {
            ("timeout_turn", Some(number)) => self.turn = time(number),
            ("timeout_match", Some(number)) => self.game = (number > 0).then(|| time(number)),
            ("time_left", Some(number)) => self.left = (number < ENDLESS).then(|| time(number)),
            ("max_memory", Some(number)) => {
                self.memory = u64::try_from(number).ok().filter(|bytes| *bytes > 0);
            }
            ("rule", Some(number)) => self.rule = Some(u32::try_from(number).unwrap_or(u32::MAX)),
            ("rule", None) => self.rule = Some(u32::MAX),
            // game_type, folder, evaluate and what other programs know.
            _ => {}
        }
    }

    /// Time for a move; `used` is what the game has taken so far, where the manager does not say what is left. None
    /// if the answer is wanted at once.
    pub fn move_time(&self, used: Duration) -> Option<MoveTime> {
        if self.turn.is_zero() {
            return None;
        }
        let left = self
            .left
            .or(self.game.map(|game| game.saturating_sub(used)));
        let share = left.map(|left| {
            let clock = ClockState {
                left,
                ..ClockState::default()
            };
            clock.move_time(OVERHEAD)
        });
        let turn = less_overhead(self.turn);
        let Some(share) = share else {
            return Some(MoveTime {
                soft: None,
                hard: turn,
            });
        };
        let hard = share.hard.min(turn).max(LEAST);
        Some(MoveTime {
            soft: share.soft.map(|soft| soft.min(hard)),
            hard,
        })
    }

    /// MiB for what a search keeps, where it wants so many.
    pub fn memory(&self, wanted: usize) -> usize {
        let allowed = self.memory.map(|bytes| (bytes >> 20).saturating_sub(REST));
        allowed
            .map_or(wanted, |allowed| wanted.min(allowed as usize))
            .max(1)
    }
}

/// A time limit less a margin: [`OVERHEAD`], but not more than half of a short one.
fn less_overhead(limit: Duration) -> Duration {
    limit.saturating_sub(OVERHEAD.min(limit / 2)).max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_take_less_than_any_limit() {
        for turn in [1_i64, 50, 1_000, 30_000] {
            for left in [-5, 0, 100, 20_000, ENDLESS] {
                for game in [0, 180_000] {
                    let mut settings = Settings::default();
                    for (key, value) in [
                        ("timeout_turn", turn),
                        ("TIME_LEFT", left),
                        ("timeout_match", game),
                    ] {
                        settings.note(key, &value.to_string());
                    }
                    let time = settings.move_time(Duration::ZERO).unwrap();
                    assert!(time.soft.is_none_or(|soft| soft <= time.hard), "{time:?}");
                    let turn = Duration::from_millis(turn as u64);
                    assert!(time.hard < turn || time.hard == LEAST, "{turn:?}: {time:?}");
                    let left = Duration::from_millis(left.max(0) as u64);
                    assert!(time.hard < left || time.hard == LEAST, "{left:?}: {time:?}");
                }
            }
        }
        let mut settings = Settings::default();
        settings.note("timeout_turn", "0");
        assert_eq!(settings.move_time(Duration::ZERO), None);
    }

    #[test]
    fn the_table_fits_into_the_memory() {
        let mut settings = Settings::default();
        for (bytes, expected) in [
            ("0", 64),
            ("52428800", 1),
            ("2147483647", 64),
            ("157286400", 30),
            ("x", 30),
        ] {
            settings.note("max_memory", bytes);
            assert_eq!(settings.memory(64), expected, "{bytes}");
        }
    }
}
