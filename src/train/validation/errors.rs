//! Calibration of a net's error estimates.

use super::sums::impl_add_assign;

/// Sums over labels of expected and actual errors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorMetrics {
    labels: f64,
    expected: f64,
    actual: f64,
    expected_squares: f64,
    actual_squares: f64,
    products: f64,
}

impl ErrorMetrics {
    /// Adds the expected and the actual error of one prediction.
    pub fn add(&mut self, expected: f64, actual: f64) {
        self.labels += 1.0;
        self.expected += expected;
        self.actual += actual;
        self.expected_squares += expected * expected;
        self.actual_squares += actual * actual;
        self.products += expected * actual;
    }

    /// Both means and the correlation, with names; empty without labels.
    pub fn values(&self) -> Vec<(&'static str, f64)> {
        if self.labels == 0.0 {
            return Vec::new();
        }
        let mean = |sum: f64| sum / self.labels;
        let spread = |squares: f64, sum: f64| (mean(squares) - mean(sum).powi(2)).max(0.0).sqrt();
        let spreads =
            spread(self.expected_squares, self.expected) * spread(self.actual_squares, self.actual);
        let covariance = mean(self.products) - mean(self.expected) * mean(self.actual);
        let correlation = if spreads > 0.0 {
            covariance / spreads
        } else {
            0.0
        };
        vec![
            ("value_error", mean(self.actual)),
            ("value_error_told", mean(self.expected)),
            ("value_error_correlation", correlation),
        ]
    }
}

impl_add_assign!(ErrorMetrics: labels, expected, actual, expected_squares, actual_squares, products);
