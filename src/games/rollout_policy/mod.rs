//! A policy for rollouts that is learned from game records, as AlphaGo's (Silver et al. 2016): a softmax over
//! sums of weights of local features. These are the 3x3 pattern around a point, with and without the
//! liberties of the chains in it, and with the place of the last move; what a move does to chains; the distances to
//! the last two moves; answers to the last move; the line.

use std::sync::{Arc, LazyLock};

mod changes;
mod code_table;
mod file;
pub mod learning;
mod recent;
mod sampler;
mod surroundings;
mod tables;
mod tactics;
mod weights;

pub use recent::Recent;
pub use sampler::Sampler;
pub use tables::Tables;
pub use weights::Weights;

/// The weights that come with the program.
const BUILT_IN: &str = include_str!("../../../weights/rollout-policy.json");

/// The policy that comes with the program.
pub fn built_in() -> Arc<Tables> {
    static TABLES: LazyLock<Arc<Tables>> =
        LazyLock::new(|| Arc::new(Tables::new(&Weights::built_in())));
    Arc::clone(&TABLES)
}

impl Weights {
    /// The weights that come with the program.
    pub fn built_in() -> Weights {
        // A test reads them; without patterns all weights are zero.
        let weights = Weights::from_json(BUILT_IN);
        weights.unwrap_or_else(|_| Weights::new(Vec::new(), Vec::new()))
    }
}

#[cfg(test)]
mod tests;
