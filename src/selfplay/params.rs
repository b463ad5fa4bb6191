//! What can be set about self-play.

use crate::params::parameters;
use crate::search::params::SearchParams;

/// Exponent 1/T on the policy of the root of searches that are learned from. KataGo: 1.25 to 1.1.
const ROOT_TEMPERATURE: f64 = 1.1;
/// Share of noise in that policy. KataGo: 0.25.
const NOISE: f64 = 0.25;
/// Temperatures of the choice of move, early and late. KataGo: 0.75 and 0.15.
const EARLY_TEMPERATURE: f64 = 0.75;
const LATE_TEMPERATURE: f64 = 0.15;

parameters! {
    /// How games are played and what is learned from them.
    SelfplayParams;

    /// Visits of a search that is learned from.
    visits: u32 = 64, 1 => 1e6;
    /// Visits of all other searches.
    fast_visits: u32 = 16, 1 => 1e6;
    /// Share of searches that are learned from (playout cap randomisation; KataGo: 0.25).
    full_share: f64 = 0.25, 0 => 1;
    /// Mean number of moves, in points of the board, drawn from the policy before the first search.
    opening: f64 = 0.04, 0 => 1;
    /// Share of games with handicap stones.
    handicap: f64 = 0.1, 0 => 1;
    /// Share of games that begin at a place of an earlier game.
    fork: f64 = 0.05, 0 => 1;
    /// Share of games that begin at a place of one of the games given by --starts, if there are any.
    people: f64 = 0.3, 0 => 1;
    /// Share of weight that positions get by how far the search's policy is from the network's.
    surprise: f64 = 0.5, 0 => 0.7;
    /// The same by how far its value is.
    value_surprise: f64 = 0.1, 0 => 0.3;
    /// Share of the game's result in what values are learned; the rest comes from searches.
    result_share: f64 = 0.3, 0 => 1;
    /// Moves on 19x19 over which the values of searches are averaged.
    horizon: f64 = 16.0, 0 => 1000;
    /// Winning less losing probability above which, for some moves, a game counts as decided.
    decided: f64 = 0.9, 0 => 1;
    /// Weight of positions of decided games, which are searched with a third of the visits.
    decided_weight: f64 = 0.1, 0 => 1;
    /// Moves, in points of the board, after which a game is counted as it stands.
    longest: f64 = 2.5, 0.1 => 100;
}

impl SelfplayParams {
    /// Of the searches on a board of so many points.
    pub fn search(&self, area: usize, is_full: bool, seed: u64) -> SearchParams {
        let usual = SearchParams {
            temperature_early: EARLY_TEMPERATURE,
            temperature: LATE_TEMPERATURE,
            // What the search is unsure of shall not become sharper by being learned.
            lcb_deviations: 0.0,
            max_tree_bytes: 1 << 28,
            seed,
            ..SearchParams::default()
        };
        let explored = SearchParams {
            root_policy_temperature: ROOT_TEMPERATURE,
            noise_weight: NOISE,
            ..usual
        };
        let chosen = if is_full { explored } else { usual };
        chosen.for_board(area)
    }
}
