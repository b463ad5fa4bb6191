//! Estimates the delays of moves beyond their plan, so that later plans allow for them: a busy
//! machine answers late by an amount that must be measured.

use std::time::Duration;

/// Fraction of the longest delay that is still expected one move later.
const MEMORY: f64 = 0.95;

/// Weight of the latest delay in the mean.
const NEWEST: f64 = 0.2;

/// Factor from the longest delay so far to the next possible one, on an idle machine. Delays vary
/// more on a busy one.
const CAUTION: f64 = 1.25;

/// A smaller share of the machine than this counts as this.
const LEAST_SHARE: f64 = 0.3;

/// Delays of the moves so far, in seconds. Before the first, no delay is expected.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reserve {
    longest: f64,
    mean: f64,
    /// Seconds of demand per second of processor time received, less 1.
    missing: f64,
}

impl Reserve {
    /// Records a move that ended `late` after its planned time.
    pub fn note(&mut self, late: Duration) {
        let late = late.as_secs_f64();
        self.longest = late.max(MEMORY * self.longest);
        self.mean += NEWEST * (late - self.mean);
    }

    /// Records that in this time of a search, `threads` threads computed for `worked`, in sum.
    pub fn note_share(&mut self, worked: Duration, time: Duration, threads: u32) {
        let wanted = time.as_secs_f64() * f64::from(threads.max(1));
        if wanted > 0.0 {
            let missing = 1.0 - (worked.as_secs_f64() / wanted).clamp(LEAST_SHARE, 1.0);
            self.missing += NEWEST * (missing - self.missing);
        }
    }

    /// Seconds to reserve before the upper limit of a move.
    pub fn held(&self) -> f64 {
        CAUTION * self.longest / (1.0 - self.missing)
    }

    /// Mean seconds that a move takes beyond its plan.
    pub fn per_move(&self) -> f64 {
        self.mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn the_longest_delay_is_forgotten_slowly() {
        let mut reserve = Reserve::default();
        assert_eq!(reserve.held(), 0.0);
        reserve.note(millis(100));
        assert!((reserve.held() - 0.125).abs() < 1e-9);
        (0..10).for_each(|_| reserve.note(millis(1)));
        assert!((0.06..0.1).contains(&reserve.held()), "{reserve:?}");
        assert!(reserve.per_move() < 0.01, "{reserve:?}");
        (0..100).for_each(|_| reserve.note(millis(1)));
        assert!(reserve.held() < 0.002, "{reserve:?}");
    }

    #[test]
    fn a_smaller_share_of_the_machine_means_more_caution() {
        let held = |worked| {
            let mut reserve = Reserve::default();
            reserve.note(millis(10));
            (0..20).for_each(|_| reserve.note_share(millis(worked), millis(100), 2));
            reserve.held()
        };
        assert!(held(200) < held(100) && held(100) < held(20));
        assert_eq!(held(60), held(0), "there is an end to it");
        assert!(held(0) < 0.05);
    }
}
