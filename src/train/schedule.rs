//! The learning rate over a run: warm-up, constant rate, decay to 0.
//!
//! A run with a constant rate can always be continued; a release is a branch of it that decays.

/// A learning-rate schedule, in samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The constant rate.
    pub peak: f64,
    /// Samples of warm-up.
    pub warmup: u64,
    /// Begin and end of the linear decay to 0, if any.
    pub decay: Option<(u64, u64)>,
}

impl Schedule {
    /// The rate after this many samples.
    pub fn rate(&self, samples: u64) -> f64 {
        let share = |done: u64, all: u64| (done as f64 / all.max(1) as f64).min(1.0);
        let risen = match self.warmup {
            0 => 1.0,
            // Counted from 1, so that the first step has a rate above 0.
            warmup => share(samples.max(1), warmup),
        };
        let left = match self.decay {
            None => 1.0,
            Some((start, end)) => {
                1.0 - share(samples.saturating_sub(start), end.saturating_sub(start))
            }
        };
        self.peak * risen * left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_rise_stay_and_fall() {
        let schedule = Schedule {
            peak: 2.0,
            warmup: 100,
            decay: Some((300, 400)),
        };
        let rates = [50, 100, 300, 350, 400, 500].map(|samples| schedule.rate(samples));
        assert_eq!(rates, [1.0, 2.0, 2.0, 1.0, 0.0, 0.0]);
        assert!(schedule.rate(0) > 0.0);
    }
}
