//! Detects divergence: too many gradients that are far too long or not finite.

use std::collections::VecDeque;

/// A gradient is bad if its norm exceeds the clipping limit by this factor.
pub const BAD_LENGTH: f64 = 50.0;
/// This many consecutive bad gradients are divergence ...
const IN_A_ROW: usize = 8;
/// ... and so is this many among the last [`REMEMBERED`].
const TOO_MANY: usize = 25;
const REMEMBERED: usize = 100;

/// Watches gradient norms.
#[derive(Clone, Debug, Default)]
pub struct Watchdog {
    /// Whether recent gradients were bad, the newest last.
    bad: VecDeque<bool>,
    in_a_row: usize,
}

impl Watchdog {
    /// Whether training has diverged, after a gradient whose norm was this many times the limit;
    /// None if it was not finite.
    pub fn alarm(&mut self, length: Option<f64>) -> bool {
        let is_bad = !length.is_some_and(|length| length <= BAD_LENGTH);
        self.in_a_row = if is_bad { self.in_a_row + 1 } else { 0 };
        self.bad.push_back(is_bad);
        if self.bad.len() > REMEMBERED {
            self.bad.pop_front();
        }
        let bad = self.bad.iter().filter(|&&bad| bad).count();
        self.in_a_row >= IN_A_ROW || bad >= TOO_MANY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of gradients until divergence is reported.
    fn patience(lengths: impl Iterator<Item = Option<f64>>) -> Option<usize> {
        let mut dog = Watchdog::default();
        lengths.map(|length| dog.alarm(length)).position(|it| it)
    }

    #[test]
    fn a_few_bad_gradients_are_borne() {
        let bad = |every: usize, count: usize| {
            (0..count).map(move |step| Some(if step % every == 0 { 51.0 } else { 50.0 }))
        };
        assert_eq!(patience(bad(1, 20)), Some(7));
        assert_eq!(patience(std::iter::repeat_n(None, 20)), Some(7));
        assert_eq!(patience(bad(3, 200)), Some(72));
        assert_eq!(patience(bad(5, 1000)), None);
        assert_eq!(patience(std::iter::repeat_n(Some(f64::NAN), 20)), Some(7));
    }
}
