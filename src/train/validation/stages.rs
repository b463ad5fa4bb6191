//! Errors by stage of the game; misjudged groups show in late stages.

use std::iter;
use std::ops::AddAssign;

use super::sums::impl_add_assign;

/// Stages by the fraction of moves that are legal: above this, the opening ...
const EARLY: f64 = 0.75;
/// ... below this, a late position.
const LATE: f64 = 0.55;
const NAMES: [[&str; 3]; 3] = [
    [
        "policy_kl_early",
        "value_error_early",
        "ownership_brier_early",
    ],
    [
        "policy_kl_middle",
        "value_error_middle",
        "ownership_brier_middle",
    ],
    ["policy_kl_late", "value_error_late", "ownership_brier_late"],
];

/// Sums over labels by stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageMetrics {
    stages: [Sums; NAMES.len()],
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    /// Labels with a policy, and KL divergences of the policy from its target, in nats.
    taught: f64,
    divergence: f64,
    /// Labels with an outcome, and errors of win less loss.
    valued: f64,
    value_error: f64,
    /// Labels with ownership, and mean squared errors of its probabilities.
    owned: f64,
    ownership: f64,
}

impl StageMetrics {
    /// Adds a prediction for a position with these legal moves, as far as targets are
    /// known: the policy's divergence from its target, the error of win less loss, and the mean
    /// squared error of ownership.
    pub fn add(
        &mut self,
        legal: &[bool],
        divergence: Option<f64>,
        value_error: Option<f64>,
        ownership: Option<f64>,
    ) {
        let sums = &mut self.stages[stage(legal)];
        sums.taught += f64::from(divergence.is_some());
        sums.divergence += divergence.unwrap_or(0.0);
        sums.valued += f64::from(value_error.is_some());
        sums.value_error += value_error.unwrap_or(0.0);
        sums.owned += f64::from(ownership.is_some());
        sums.ownership += ownership.unwrap_or(0.0);
    }

    /// Named means: ownership in all stages together, then each stage.
    pub fn values(&self) -> Vec<(&'static str, f64)> {
        let sum = |of: fn(&Sums) -> f64| self.stages.iter().map(of).sum::<f64>();
        let all = (
            "ownership_brier",
            sum(|sums| sums.ownership),
            sum(|sums| sums.owned),
        );
        let stages = NAMES.iter().zip(&self.stages);
        let stages = stages.flat_map(|([policy, value, ownership], sums)| {
            [
                (*policy, sums.divergence, sums.taught),
                (*value, sums.value_error, sums.valued),
                (*ownership, sums.ownership, sums.owned),
            ]
        });
        let values = iter::once(all).chain(stages);
        let known = values.filter(|(_, _, labels)| *labels > 0.0);
        known
            .map(|(name, sum, labels)| (name, sum / labels))
            .collect()
    }
}

/// Whether a position with these legal moves is in the late stage.
pub(super) fn is_late(legal: &[bool]) -> bool {
    stage(legal) == NAMES.len() - 1
}

/// Index of a position's stage.
fn stage(legal: &[bool]) -> usize {
    let legal_moves = legal.iter().filter(|legal| **legal).count();
    match legal_moves as f64 / legal.len() as f64 {
        share if share > EARLY => 0,
        share if share >= LATE => 1,
        _ => 2,
    }
}

impl_add_assign!(Sums: taught, divergence, valued, value_error, owned, ownership);

impl AddAssign for StageMetrics {
    fn add_assign(&mut self, other: StageMetrics) {
        for (sums, others) in self.stages.iter_mut().zip(other.stages) {
            *sums += others;
        }
    }
}
