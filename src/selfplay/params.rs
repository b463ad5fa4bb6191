//! Settings of self-play.

use crate::params::parameters;
use crate::search::params::SearchParams;

/// Parameters that came after the first version: a folder of games names them only where they are not at their defaults.
pub const LATER: [&str; 5] = [
    "alphazero",
    "root_temperature",
    "noise",
    "temperature_early",
    "temperature",
];

parameters! {
    /// Settings of self-play games and their labels.
    SelfplayParams;

    /// Visits of a search for training.
    visits: u32 = 64, 1 => 1e6;
    /// Visits of other searches.
    fast_visits: u32 = 16, 1 => 1e6;
    /// Fraction of searches for training (playout cap randomization; KataGo: 0.25).
    full_share: f64 = 0.25, 0 => 1;
    /// Mean number of moves, as a fraction of the board's points, drawn from the policy before the
    /// first search.
    opening: f64 = 0.04, 0 => 1;
    /// Fraction of games with handicap stones.
    handicap: f64 = 0.1, 0 => 1;
    /// Fraction of games that start at a position of an earlier game.
    fork: f64 = 0.05, 0 => 1;
    /// Fraction of games that start at a position of a human game, if --starts gives any.
    people: f64 = 0.3, 0 => 1;
    /// Fraction of training weight assigned by the divergence of the search's policy from the
    /// network's.
    surprise: f64 = 0.5, 0 => 0.7;
    /// Fraction of training weight assigned by the difference of the search's value from the
    /// network's.
    value_surprise: f64 = 0.1, 0 => 0.3;
    /// Fraction of the game's result in value targets; the rest comes from searches.
    result_share: f64 = 0.3, 0 => 1;
    /// Moves on 19x19 over which the values of searches are averaged.
    horizon: f64 = 16.0, 0 => 1000;
    /// Win less loss above which, for some moves, a game counts as decided.
    decided: f64 = 0.9, 0 => 1;
    /// Weight of positions of decided games, which are searched with a third of the visits.
    decided_weight: f64 = 0.1, 0 => 1;
    /// Moves, as a multiple of the board's points, after which a game is scored as it stands.
    longest: f64 = 2.5, 0.1 => 100;
    /// Searches as with --preset alphazero, whose exploration constant is 5.
    alphazero: bool = false, 0 => 0;
    /// Temperature of the policy at the root of searches for training. KataGo: 1.25 to 1.1.
    root_temperature: f64 = 1.1, 0.1 => 10;
    /// Fraction of noise in that policy. KataGo: 0.25.
    noise: f64 = 0.25, 0 => 1;
    /// Temperature of move selection early in a game. KataGo: 0.75.
    temperature_early: f64 = 0.75, 0 => 100;
    /// The same late. KataGo: 0.15.
    temperature: f64 = 0.15, 0 => 100;
}

parameters! {
    /// Settings of self-play at board games besides Go.
    BoardSelfplayParams;

    /// Visits of a search that is learned from.
    visits: u32 = 100, 2 => 1e6;
    /// Visits of other searches.
    fast_visits: u32 = 24, 2 => 1e6;
    /// Fraction of searches that are learned from.
    full_share: f64 = 0.4, 0.01 => 1;
    /// Most moves drawn from the policy before the first search.
    opening: u32 = 6, 0 => 100;
    /// Temperature of that.
    opening_temperature: f64 = 1.5, 0.1 => 10;
    /// Win less loss, of either side, from which on an opening is drawn again.
    even: f64 = 0.6, 0.01 => 2;
    /// Temperature of the policy at the root of searches that are learned from.
    root_temperature: f64 = 1.2, 0.1 => 10;
    /// Fraction of noise in that policy.
    noise: f64 = 0.25, 0 => 1;
    /// Temperature of move selection early in a game.
    temperature_early: f64 = 0.7, 0 => 100;
    /// The same late.
    temperature: f64 = 0.1, 0 => 100;
    /// Share of the game's result in the value that is learned; the rest is the search's.
    result_share: f64 = 0.5, 0 => 1;
}

impl SelfplayParams {
    /// Search settings for a board of this area.
    pub fn search(&self, area: usize, is_full: bool, seed: u64) -> SearchParams {
        let preset = match self.alphazero {
            true => SearchParams::alphazero(),
            false => SearchParams::default(),
        };
        let base = SearchParams {
            temperature_early: self.temperature_early,
            temperature: self.temperature,
            // The lower confidence bound would sharpen uncertain policies.
            lcb_deviations: 0.0,
            max_tree_bytes: 1 << 28,
            seed,
            ..preset
        };
        let explored = SearchParams {
            root_policy_temperature: self.root_temperature,
            noise_weight: self.noise,
            ..base
        };
        let chosen = if is_full { explored } else { base };
        chosen.for_board(area)
    }
}
