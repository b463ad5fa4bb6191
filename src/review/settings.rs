//! What a review depends on besides the game.

use serde::{Deserialize, Serialize};

use crate::files;

/// What an analysis of a game is made of. Analyses made of something else are not mixed with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeOf {
    /// SHA-256 of the game's file.
    pub game: String,
    /// The network, by its own name.
    pub network: String,
    /// Visits of each position; none if something else limits the search.
    pub visits: Option<u64>,
    /// SHA-256 of everything else that the searches depend on.
    pub settings: String,
}

impl MadeOf {
    /// A short text that differs for different contents.
    pub fn digest(&self) -> String {
        let MadeOf {
            game,
            network,
            visits,
            settings,
        } = self;
        let all = format!("{game}\n{network}\n{visits:?}\n{settings}");
        files::sha256(all.as_bytes())[..16].to_owned()
    }
}

/// From how many points lost on a move has a name.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// A mistake.
    pub mistake: f64,
    /// A blunder, which is no mistake then.
    pub blunder: f64,
}

impl Default for Thresholds {
    /// By keima's convention: 2 points are more than the noise of searches with a hundred visits, 6 are three
    /// times as much.
    fn default() -> Thresholds {
        Thresholds {
            mistake: 2.0,
            blunder: 6.0,
        }
    }
}

/// The name of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Less than half a mistake.
    Fine,
    /// At least half a mistake.
    Doubtful,
    /// A mistake.
    Mistake,
    /// A blunder.
    Blunder,
}

impl Thresholds {
    /// The name of a loss in points.
    pub fn grade(&self, lost: f64) -> Grade {
        if lost >= self.blunder {
            Grade::Blunder
        } else if lost >= self.mistake {
            Grade::Mistake
        } else if lost >= self.mistake / 2.0 {
            Grade::Doubtful
        } else {
            Grade::Fine
        }
    }
}
