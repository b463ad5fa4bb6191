//! How many of some things are of one kind.

use std::ops::AddAssign;

use serde_json::{Value, json};

/// So many things, and those of one kind among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fraction {
    /// All of them.
    pub all: u64,
    /// Those of the kind.
    pub of_kind: u64,
}

impl Fraction {
    /// Counts so many things, which are all of the kind or all not.
    pub fn count(&mut self, things: usize, are_of_kind: bool) {
        self.all += things as u64;
        self.of_kind += if are_of_kind { things as u64 } else { 0 };
    }

    /// From 0 to 1; none of nothing.
    pub fn share(&self) -> Option<f64> {
        (self.all > 0).then(|| self.of_kind as f64 / self.all as f64)
    }

    /// Of stones: how many, and the share.
    pub(super) fn to_json(self) -> Value {
        json!({"stones": self.all, "share": self.share()})
    }
}

impl AddAssign for Fraction {
    fn add_assign(&mut self, other: Fraction) {
        self.all += other.all;
        self.of_kind += other.of_kind;
    }
}
