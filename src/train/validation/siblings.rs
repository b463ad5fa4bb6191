//! Whether a net ranks moves from the same position rightly.

use super::sums::impl_add_assign;

/// Sums over siblings of predicted and target values relative to their sibling group's means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SiblingMetrics {
    siblings: f64,
    own_squares: f64,
    target_squares: f64,
    products: f64,
}

impl SiblingMetrics {
    /// Adds predicted and target values of a sibling group; ignored if there is only one.
    pub fn add(&mut self, sibling_group: &[[f64; 2]]) {
        if sibling_group.len() < 2 {
            return;
        }
        let mean = |which: usize| {
            sibling_group.iter().map(|pair| pair[which]).sum::<f64>() / sibling_group.len() as f64
        };
        let means = [mean(0), mean(1)];
        for [own, target] in sibling_group {
            let (own, target) = (own - means[0], target - means[1]);
            self.siblings += 1.0;
            self.own_squares += own * own;
            self.target_squares += target * target;
            self.products += own * target;
        }
    }

    /// Number of siblings, root mean square error within groups and correlation, with names; empty
    /// without siblings.
    pub fn values(&self) -> Vec<(&'static str, f64)> {
        if self.siblings == 0.0 {
            return Vec::new();
        }
        let squares = self.own_squares - 2.0 * self.products + self.target_squares;
        let lengths = (self.own_squares * self.target_squares).sqrt();
        let correlation = if lengths > 0.0 {
            self.products / lengths
        } else {
            0.0
        };
        vec![
            ("siblings", self.siblings),
            ("sibling_error", (squares.max(0.0) / self.siblings).sqrt()),
            ("sibling_correlation", correlation),
        ]
    }
}

impl_add_assign!(SiblingMetrics: siblings, own_squares, target_squares, products);
