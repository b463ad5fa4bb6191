//! Calibration of a net's error estimates.

use std::ops::AddAssign;

/// Sums over labels of expected and actual errors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorMetrics {
    labels: f64,
    told: f64,
    found: f64,
    told_squares: f64,
    found_squares: f64,
    products: f64,
}

impl ErrorMetrics {
    /// Adds the expected and the actual error of one prediction.
    pub fn add(&mut self, told: f64, found: f64) {
        self.labels += 1.0;
        self.told += told;
        self.found += found;
        self.told_squares += told * told;
        self.found_squares += found * found;
        self.products += told * found;
    }

    /// Both means and the correlation, with names; empty without labels.
    pub fn values(&self) -> Vec<(&'static str, f64)> {
        if self.labels == 0.0 {
            return Vec::new();
        }
        let mean = |sum: f64| sum / self.labels;
        let spread = |squares: f64, sum: f64| (mean(squares) - mean(sum).powi(2)).max(0.0).sqrt();
        let spreads = spread(self.told_squares, self.told) * spread(self.found_squares, self.found);
        let covariance = mean(self.products) - mean(self.told) * mean(self.found);
        let correlation = if spreads > 0.0 {
            covariance / spreads
        } else {
            0.0
        };
        vec![
            ("value_error", mean(self.found)),
            ("value_error_told", mean(self.told)),
            ("value_error_correlation", correlation),
        ]
    }
}

impl AddAssign for ErrorMetrics {
    fn add_assign(&mut self, other: ErrorMetrics) {
        self.labels += other.labels;
        self.told += other.told;
        self.found += other.found;
        self.told_squares += other.told_squares;
        self.found_squares += other.found_squares;
        self.products += other.products;
    }
}
