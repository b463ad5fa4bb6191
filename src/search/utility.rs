//! Utility of a leaf: winning, and a little for the score (KataGo's utility).
//!
//! All values are from the first player's point of view. The utility of a score s is
//! (2/π)·atan((s - center)/width), averaged over a normal distribution with the leaf's mean and standard
//! deviation.

use std::f64::consts::FRAC_2_PI;
use std::sync::LazyLock;

use super::evaluator::Errors;
use super::params::SearchParams;

/// An evaluation or a result, from the first player's point of view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Leaf {
    pub win_loss: f32,
    pub no_result: f32,
    pub score_mean: f32,
    pub score_stdev: f32,
    pub lead: f32,
    /// Expected error of the evaluation.
    pub errors: Option<Errors>,
}

/// Computes utilities of leaves. Fixed during a search, since the tree's averages depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LeafUtility {
    win_loss_factor: f64,
    no_result_utility: f64,
    fixed: ScoreCurve,
    dynamic: ScoreCurve,
}

/// One of the two score terms; center and width in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ScoreCurve {
    factor: f64,
    center: f64,
    width: f64,
}

impl LeafUtility {
    /// `expected_score` is the expected score at the root, from the first player's point of view:
    /// the dynamic term is steepest near it.
    pub fn new(params: &SearchParams, expected_score: f64) -> LeafUtility {
        let (static_factor, dynamic_factor) = params.score_factors();
        let dynamic_width = params.dynamic_score_width * params.score_scale;
        let center = (expected_score * (1.0 - params.dynamic_score_zero_weight))
            .max(expected_score - dynamic_width)
            .min(expected_score + dynamic_width);
        LeafUtility {
            win_loss_factor: params.win_loss_factor,
            no_result_utility: params.no_result_utility,
            fixed: ScoreCurve {
                factor: static_factor,
                center: 0.0,
                width: params.static_score_width * params.score_scale,
            },
            dynamic: ScoreCurve {
                factor: dynamic_factor,
                center: if dynamic_factor > 0.0 { center } else { 0.0 },
                width: dynamic_width,
            },
        }
    }

    /// Utility of a leaf for the first player.
    pub fn of(&self, leaf: &Leaf) -> f64 {
        self.win_loss_factor * f64::from(leaf.win_loss)
            - self.no_result_utility * f64::from(leaf.no_result)
            + self.fixed.expected(leaf)
            + self.dynamic.expected(leaf)
    }

    /// Utility gained if an expected score increases by `points`, from the first player's point of
    /// view.
    pub fn gain(&self, mean: f64, stdev: f64, points: f64) -> f64 {
        let utility = |mean| self.fixed.at(mean, stdev) + self.dynamic.at(mean, stdev);
        utility(mean + points) - utility(mean)
    }

    /// Expected error of a leaf's utility, if errors are known: that of the score counts by the
    /// slope of the score terms at the mean.
    pub fn error_of(&self, leaf: &Leaf) -> Option<f64> {
        let errors = leaf.errors?;
        let slope = self.fixed.slope(leaf) + self.dynamic.slope(leaf);
        Some(self.win_loss_factor * f64::from(errors.win_loss) + slope * f64::from(errors.score))
    }
}

impl ScoreCurve {
    fn expected(&self, leaf: &Leaf) -> f64 {
        self.at(f64::from(leaf.score_mean), f64::from(leaf.score_stdev))
    }

    fn at(&self, mean: f64, stdev: f64) -> f64 {
        if self.factor == 0.0 {
            return 0.0;
        }
        let mean = (mean - self.center) / self.width;
        let stdev = stdev / self.width;
        self.factor * FRAC_2_PI * expected_atan(mean, stdev)
    }

    /// Slope of the term at the leaf's mean.
    fn slope(&self, leaf: &Leaf) -> f64 {
        if self.factor == 0.0 {
            return 0.0;
        }
        let distance = f64::from(leaf.score_mean) - self.center;
        self.factor * FRAC_2_PI * self.width / (self.width * self.width + distance * distance)
    }
}

/// Weights of a standard normal distribution at 0, 0.1, ... 5 standard deviations.
static NORMAL_WEIGHTS: LazyLock<[f64; 51]> =
    LazyLock::new(|| std::array::from_fn(|i| (-0.5 * (i as f64 * 0.1).powi(2)).exp()));

/// Mean of the arc tangent of a normal variable.
///
/// The sum converges quickly while its step is below 1/(2·stdev), hence the stride. Opposite
/// deviations are paired so that a mirrored variable gives exactly the negated mean.
fn expected_atan(mean: f64, stdev: f64) -> f64 {
    if stdev <= 1e-6 {
        return mean.atan();
    }
    let stride = (5.0 / stdev).clamp(1.0, 8.0) as usize;
    let mut sum = mean.atan();
    let mut total = 1.0;
    for i in (stride..NORMAL_WEIGHTS.len()).step_by(stride) {
        let deviation = stdev * (i as f64 * 0.1);
        let pair = (mean + deviation).atan() + (mean - deviation).atan();
        sum += NORMAL_WEIGHTS[i] * pair;
        total += 2.0 * NORMAL_WEIGHTS[i];
    }
    sum / total
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same mean by brute force with a much finer step.
    fn expected_atan_slowly(mean: f64, stdev: f64) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for i in -8000..=8000 {
            let x = f64::from(i) / 1000.0;
            let weight = (-0.5 * x * x).exp();
            sum += weight * (mean + stdev * x).atan();
            total += weight;
        }
        sum / total
    }

    #[test]
    fn no_result_is_worth_what_the_second_player_is_told() {
        let params = SearchParams {
            no_result_utility: 0.25,
            ..SearchParams::plain()
        };
        let utility = |no_result| {
            LeafUtility::new(&params, 0.0).of(&Leaf {
                no_result,
                ..Leaf::default()
            })
        };
        assert_eq!(utility(1.0) - utility(0.0), -0.25);
    }

    #[test]
    fn expectation_over_a_normal_is_accurate() {
        for mean in [-20.0, -1.5, -0.2, 0.0, 0.7, 3.0] {
            for stdev in [0.0, 0.01, 0.3, 0.9, 1.7, 2.6, 5.0] {
                let error = expected_atan(mean, stdev) - expected_atan_slowly(mean, stdev);
                assert!(
                    error.abs() < 1e-4,
                    "mean {mean}, stdev {stdev}: off by {error}"
                );
            }
        }
    }

    #[test]
    fn utility_is_antisymmetric() {
        let params = SearchParams {
            score_scale: 9.0,
            ..SearchParams::default()
        };
        let leaf = Leaf {
            win_loss: 0.3,
            no_result: 0.0,
            score_mean: 4.7,
            score_stdev: 11.0,
            lead: 3.0,
            errors: None,
        };
        let mirrored = Leaf {
            win_loss: -0.3,
            score_mean: -4.7,
            ..leaf
        };
        let here = LeafUtility::new(&params, 2.5).of(&leaf);
        assert!(here > 0.3 && here < params.max_utility());
        assert_eq!(here, -LeafUtility::new(&params, -2.5).of(&mirrored));
    }

    #[test]
    fn dynamic_center_is_drawn_to_zero_but_not_far() {
        let params = SearchParams {
            score_scale: 10.0,
            ..SearchParams::default()
        };
        assert_eq!(LeafUtility::new(&params, 10.0).dynamic.center, 8.0);
        assert_eq!(LeafUtility::new(&params, 100.0).dynamic.center, 92.5);
        assert_eq!(LeafUtility::new(&params, -100.0).dynamic.center, -92.5);
    }
}
