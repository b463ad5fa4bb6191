//! Property tests that try the same cases in every run.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// A number of cases, always the same.
pub fn cases(number: u32) -> ProptestConfig {
    ProptestConfig {
        cases: number,
        rng_seed: RngSeed::Fixed(361),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
