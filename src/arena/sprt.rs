//! Sequential tests: play until it is clear which of two hypotheses on a difference in Elo holds.
//!
//! This is the generalized sequential probability ratio test of fishtest (`LLR_logistic` in its
//! `LLRcalc.py`): the logarithm of the ratio of the likelihoods, each of the likeliest distribution
//! of results with the expected score of its hypothesis. Elo is logistic, 400 points for a factor of
//! ten. Results are pairs of games; games by themselves will do where there are no pairs. What may
//! lie beyond a bound at the end is not corrected.

use anyhow::ensure;

use super::likelihood;

/// Two hypotheses and how often each may be rejected though it holds.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sprt {
    /// H0: the first player is ahead of the second by so much at most.
    pub elo0: f64,
    /// H1: it is ahead by so much at least.
    pub elo1: f64,
    /// Probability of H1's being accepted where H0 holds.
    pub alpha: f64,
    /// Probability of H0's being accepted where H1 holds.
    pub beta: f64,
}

/// How a test ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first player is not as much stronger as hoped for.
    H0,
    /// It is.
    H1,
}

/// Hypotheses farther apart make no sense, and scores of 0 or 1 no likelihood.
const LARGEST_ELO: f64 = 2000.0;

impl Sprt {
    /// Fails unless elo0 < elo1 and both probabilities are between 0 and 1/2.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> anyhow::Result<Sprt> {
        let elo_range = -LARGEST_ELO..=LARGEST_ELO;
        ensure!(
            elo_range.contains(&elo0) && elo_range.contains(&elo1) && elo0 < elo1,
            "a test needs two Elo differences, the lower first, not {elo0} and {elo1}"
        );
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            ensure!(
                value > 0.0 && value < 0.5,
                "{name} is a probability between 0 and 0.5, not {value}"
            );
        }
        Ok(Sprt {
            elo0,
            elo1,
            alpha,
            beta,
        })
    }

    /// H0 is accepted at the first, H1 at the second (A. Wald, "Sequential Analysis", 1947).
    pub fn bounds(&self) -> (f64, f64) {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        (lower, ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The logarithm of the likelihood ratio of H1 to H0 after results counted by the first player's
    /// points, from none to all: five cells for pairs, three for games. 0 without results.
    pub fn llr(&self, counts: &[u32]) -> f64 {
        if counts.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let at = |elo| likelihood::relative(counts, expected_score(elo));
        at(self.elo1) - at(self.elo0)
    }

    /// What has been shown, if anything.
    pub fn verdict(&self, llr: f64) -> Option<Verdict> {
        let (lower, upper) = self.bounds();
        match llr {
            _ if llr >= upper => Some(Verdict::H1),
            _ if llr <= lower => Some(Verdict::H0),
            _ => None,
        }
    }
}

/// The score that goes with a difference in Elo.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}
