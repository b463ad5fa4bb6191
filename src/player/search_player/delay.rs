//! Moves that are delayed, so that people do not get their answer at once: longer ones where the move was not
//! to be expected, each time another time (KataGo's `delayMoveScale`).

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};

use super::SearchPlayer;
use crate::go::{Answer, Move, Position};
use crate::params::parameters;
use crate::search::limits::Limits;

parameters! {
    /// How long moves are delayed. The names are KataGo's.
    DelayParams;

    /// Seconds that a move whose probability is 0.4 is delayed on average; a certain one about half as long, an
    /// unlikely one up to five times. 0 is off.
    scale as "delayMoveScale": f64 = 0.0, 0 => 10_000;
    /// Longest delay, in seconds. Under a clock none goes beyond the time that the move may take.
    most as "delayMoveMax": f64 = 1e6, 0 => 1e6;
}

/// Added to the probability of the move, so that the mean is limited (KataGo).
const FLOOR: f64 = 0.1;

/// How often a delay looks whether it is to end.
const STEP: Duration = Duration::from_millis(20);

impl DelayParams {
    /// The delay of a move that has this probability.
    fn of(&self, probability: f64, random: &mut ChaCha8Rng) -> Duration {
        if self.scale <= 0.0 || self.most <= 0.0 {
            return Duration::ZERO;
        }
        let mean = 0.5 * self.scale / (probability.clamp(0.0, 1.0) + FLOOR);
        // Of shape 2, so that its mean is twice its scale.
        let drawn = Gamma::new(2.0, 0.5 * mean).map_or(mean, |gamma| gamma.sample(random));
        Duration::from_secs_f64(drawn.min(self.most))
    }
}

impl SearchPlayer {
    /// Waits before a move whose search began at `start`, unless `stop` is set.
    pub(super) fn delay(
        &self,
        position: &Position,
        answer: Answer,
        start: Instant,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Result<()> {
        let params = self.params.delay;
        let Answer::Move(mv) = answer else {
            return Ok(());
        };
        if params.scale <= 0.0 {
            return Ok(());
        }
        let mut random = ChaCha8Rng::seed_from_u64(self.params.search.seed);
        random.set_stream(position.key() as u64);
        let mut delay = params.of(self.expectation(position, mv)?, &mut random);
        if limits.pace.most.is_some() {
            let taken = self.time.now().saturating_duration_since(start);
            let left = limits.time.unwrap_or_default().saturating_sub(taken);
            delay = delay.min(left);
        }
        let begun = Instant::now();
        while begun.elapsed() < delay && !stop.load(Ordering::SeqCst) {
            std::thread::sleep(STEP.min(delay.saturating_sub(begun.elapsed())));
        }
        Ok(())
    }

    /// The probability of a move by the network of human play, or else by the one that searches.
    fn expectation(&self, position: &Position, mv: Move) -> Result<f64> {
        let (mover, size) = (position.to_move(), position.size());
        let view = match self.imitating() {
            Some(human) => human.view(mover, size)?,
            None => self.evaluators.view(mover, size)?,
        };
        let policy = view.policy(position)?;
        Ok(policy
            .get(size.move_index(mv))
            .copied()
            .unwrap_or_default()
            .into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(params: DelayParams, probability: f64) -> f64 {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let delays = (0..4000).map(|_| params.of(probability, &mut random).as_secs_f64());
        delays.sum::<f64>() / 4000.0
    }

    #[test]
    fn unexpected_moves_are_delayed_longer() {
        let params = DelayParams {
            scale: 2.0,
            ..DelayParams::default()
        };
        for (probability, expected) in [(0.4, 2.0), (0.9, 1.0), (0.0, 10.0)] {
            let mean = mean(params, probability);
            assert!(
                (mean / expected - 1.0).abs() < 0.05,
                "{probability}: {mean}"
            );
        }
    }

    #[test]
    fn delays_have_a_limit_and_can_be_off() {
        let of = |scale, most| DelayParams { scale, most };
        assert!(mean(of(2.0, 0.5), 0.0) <= 0.5);
        assert_eq!(mean(of(0.0, 1e6), 0.0), 0.0);
        assert_eq!(mean(of(2.0, 0.0), 0.0), 0.0);
    }
}
