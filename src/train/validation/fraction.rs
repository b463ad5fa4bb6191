//! Counts of a kind.

use serde_json::{Value, json};

use super::sums::impl_add_assign;

/// A total, and how many of it are of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fraction {
    pub all: u64,
    pub of_kind: u64,
}

impl Fraction {
    /// Adds `count` to the total, all of them of the kind or none.
    pub fn count(&mut self, count: usize, are_of_kind: bool) {
        self.all += count as u64;
        self.of_kind += if are_of_kind { count as u64 } else { 0 };
    }

    /// From 0 to 1; none if the total is 0.
    pub fn share(&self) -> Option<f64> {
        (self.all > 0).then(|| self.of_kind as f64 / self.all as f64)
    }

    /// As JSON: stones and their fraction.
    pub(super) fn to_json(self) -> Value {
        json!({"stones": self.all, "share": self.share()})
    }
}

impl_add_assign!(Fraction: all, of_kind);
