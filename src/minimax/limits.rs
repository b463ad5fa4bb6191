//! When a search ends: limits, the time for a move, and signals from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Limits of a search; without any it runs until it is stopped or has reached the deepest depth.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Limits {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes of all threads together; exact with one thread.
    pub nodes: Option<u64>,
    /// Ends when a win in this number of plies has been found.
    pub win_within: Option<u32>,
    /// Time for the move.
    pub time: Option<MoveTime>,
}

impl Limits {
    /// Whether a search with these limits ends by itself in any position; one for a win in a number of plies goes on
    /// where there is none.
    pub fn end_a_search(&self) -> bool {
        self.depth.is_some() || self.nodes.is_some() || self.time.is_some()
    }
}

/// Time for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveTime {
    /// Time after which no new iteration is begun, scaled by how settled the choice is; `None`: all
    /// of `hard` is used.
    pub soft: Option<Duration>,
    /// Time at which the search is cut short.
    pub hard: Duration,
}

/// Least time for a move.
const LEAST: Duration = Duration::from_millis(1);

impl MoveTime {
    /// All of a time that is fixed for each move, less `overhead`, which is lost on each between client and engine; at
    /// least a millisecond.
    pub fn fixed(time: Duration, overhead: Duration) -> MoveTime {
        MoveTime {
            soft: None,
            hard: time.saturating_sub(overhead).max(LEAST),
        }
    }
}

/// Moves that the rest of the game is expected to take when the clock does not say.
const MOVES_LEFT: u32 = 25;

/// A clock as chess clients send it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ClockState {
    /// Time left.
    pub left: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves until more time is added; `None` or 0: the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
}

impl ClockState {
    /// Time for the next move, at least a millisecond; `overhead` is lost on each move between
    /// client and engine.
    ///
    /// [`crate::clock`] is not used: its horizons are counted in points of a Go board.
    pub fn move_time(&self, overhead: Duration) -> MoveTime {
        let moves = self.moves_to_go.filter(|&moves| moves > 0);
        let moves = moves.unwrap_or(MOVES_LEFT).min(50);
        let spare = self.left.saturating_sub(overhead);
        let soft = spare / moves + self.increment * 3 / 4;
        let hard = match moves {
            1 => spare * 9 / 10,
            _ => (soft * 4).min(spare * 6 / 10),
        };
        MoveTime {
            soft: Some(soft.min(hard).max(LEAST)),
            hard: hard.max(LEAST),
        }
    }
}

/// Signals to a running search from other threads.
#[derive(Debug)]
pub struct Control {
    begun: Instant,
    stop: Arc<AtomicBool>,
    pondering: AtomicBool,
    /// Milliseconds after `begun` at which the clock started.
    clock_started: AtomicU64,
}

impl Control {
    /// For a search that begins now. While pondering its time limits do not count.
    pub fn new(pondering: bool) -> Control {
        Control {
            pondering: AtomicBool::new(pondering),
            ..Control::stopped_by(&Arc::default())
        }
    }

    /// For a search that begins now, and that ends as soon as possible when a flag is set.
    pub fn stopped_by(stop: &Arc<AtomicBool>) -> Control {
        Control {
            begun: Instant::now(),
            stop: Arc::clone(stop),
            pondering: AtomicBool::new(false),
            clock_started: AtomicU64::new(0),
        }
    }

    /// Ends the search as soon as possible.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the search has been told to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Set when the search has been told to end.
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// The expected move was played: the clock starts now.
    pub fn ponder_hit(&self) {
        let passed = self.begun.elapsed().as_millis() as u64;
        self.clock_started.store(passed, Ordering::Relaxed);
        self.pondering.store(false, Ordering::Release);
    }

    /// Whether the opponent is to move on the board.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Time since the search began.
    pub(super) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Time on our clock; `None` while pondering.
    pub fn on_clock(&self) -> Option<Duration> {
        if self.is_pondering() {
            return None;
        }
        let start = Duration::from_millis(self.clock_started.load(Ordering::Relaxed));
        Some(self.elapsed().saturating_sub(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_time_leaves_something_on_the_clock() {
        for left in [0, 5, 100, 10_000, 3_600_000] {
            for moves_to_go in [None, Some(1), Some(40)] {
                let clock = ClockState {
                    left: Duration::from_millis(left),
                    increment: Duration::from_millis(100),
                    moves_to_go,
                };
                let time = clock.move_time(Duration::from_millis(10));
                assert!(time.soft <= Some(time.hard));
                assert!(time.hard < clock.left.max(Duration::from_millis(2)));
            }
        }
    }

    #[test]
    fn fixed_time_is_shortened_by_the_overhead() {
        let hard = |time| {
            let time = MoveTime::fixed(Duration::from_millis(time), Duration::from_millis(10));
            time.hard.as_millis()
        };
        assert_eq!([0, 10, 100].map(hard), [1, 1, 90]);
    }

    #[test]
    fn no_moves_to_go_are_the_rest_of_the_game() {
        let time = |moves_to_go| {
            let clock = ClockState {
                left: Duration::from_secs(10),
                increment: Duration::ZERO,
                moves_to_go,
            };
            clock.move_time(Duration::ZERO)
        };
        assert_eq!(time(Some(0)), time(None));
        assert!(time(Some(1)).soft > time(None).soft);
    }

    #[test]
    fn clock_starts_with_a_ponder_hit() {
        let control = Control::new(true);
        assert_eq!(control.on_clock(), None);
        control.ponder_hit();
        assert!(
            control
                .on_clock()
                .is_some_and(|time| time <= control.elapsed())
        );
    }
}
