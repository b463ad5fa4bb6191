//! Sequential tests: play until one of two hypotheses about a difference in Elo is accepted.
//!
//! This is the generalized sequential probability ratio test of fishtest (`LLR_logistic` in its
//! `LLRcalc.py`): the log-likelihood ratio of the most likely distributions of results with the
//! expected scores of the hypotheses. Elo is logistic, 400 points for a factor of ten. Results are
//! pairs of games, or single games where there are no pairs. There is no correction for
//! overshooting a bound at the end.

use anyhow::ensure;

use super::likelihood;

/// Two hypotheses and the accepted error probabilities.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sprt {
    /// H0: the first player is at most this much stronger.
    pub elo0: f64,
    /// H1: it is at least this much stronger.
    pub elo1: f64,
    /// Probability of accepting H1 where H0 holds.
    pub alpha: f64,
    /// Probability of accepting H0 where H1 holds.
    pub beta: f64,
}

/// Outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// H0: the first player is not stronger by `elo1`.
    H0,
    /// H1: it is.
    H1,
}

/// Maximal Elo of a hypothesis: scores of 0 or 1 have no likelihood.
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

    /// The test accepts H0 below the first bound, H1 above the second (A. Wald, "Sequential
    /// Analysis", 1947).
    pub fn bounds(&self) -> (f64, f64) {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        (lower, ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of H1 to H0 for results counted by the first player's points: five
    /// cells for pairs, three for games. 0 without results.
    pub fn llr(&self, counts: &[u32]) -> f64 {
        if counts.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let at = |elo| likelihood::relative(counts, expected_score(elo));
        at(self.elo1) - at(self.elo0)
    }

    /// The hypothesis accepted, if any.
    pub fn verdict(&self, llr: f64) -> Option<Verdict> {
        let (lower, upper) = self.bounds();
        match llr {
            _ if llr >= upper => Some(Verdict::H1),
            _ if llr <= lower => Some(Verdict::H0),
            _ => None,
        }
    }
}

/// The expected score for a difference in Elo.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}
