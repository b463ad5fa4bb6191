//! Metadata inputs of nets trained on human games: ranks of the players, time settings, date and
//! server.
//!
//! Order, scales and the circumstances of a profile are KataGo's.

use std::f64::consts::TAU;
use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Result, ensure};

use crate::go::BoardSize;

/// Number of values.
pub const VALUES: usize = 192;

/// Numbers of ranks: 9d is 1, 1d is 9, 1k is 10.
const STRONGEST: u8 = 1;
const FIRST_KYU: u8 = 10;
const WEAKEST: u8 = 29;

/// Offsets of the ranks of the player to move and of the opponent, and the number of values for
/// each.
const RANKS: [usize; 2] = [6, 40];
const RANK_VALUES: usize = 34;
const RATEDNESS: usize = 74;
const BYO_YOMI: usize = 79;
const TIME_VALUES: usize = 82;
const BOARD_AREA: usize = 86;
const DATE: usize = 87;
const KGS: usize = 151 + 2;

const MAIN_SECONDS: f64 = 1200.0;
const PERIOD_SECONDS: f64 = 30.0;
const PERIODS: f64 = 5.0;
/// Byo-yomi has none.
const CANADIAN_MOVES: f64 = 0.0;
/// From 1970-01-01 to 2020-03-01.
const DAYS: f64 = 18322.0;
/// Number of cycles that encode the date: the period of the first, and the ratio of the last to it.
const FIRST_CYCLE_DAYS: f64 = 7.0;
const CYCLES: usize = 32;
const CYCLE_RATIO: f64 = 80000.0;

/// The players to imitate: humans of one rank, in a game on KGS in 2020 with five periods of 30
/// seconds. Written `rank_5k`, from `rank_20k` to `rank_9d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HumanProfile {
    rank: u8,
}

impl HumanProfile {
    /// All values for a game between two such players.
    pub fn values(self, size: BoardSize) -> Vec<f32> {
        let mut values = vec![0.0; VALUES];
        values[..2].fill(1.0);
        for start in RANKS {
            let reached = (self.rank as usize).min(RANK_VALUES);
            values[start..start + reached].fill(1.0);
        }
        values[RATEDNESS] = 0.5;
        values[BYO_YOMI] = 1.0;
        values[TIME_VALUES] = 0.4 * ((MAIN_SECONDS + 60.0).ln() - 6.5);
        values[TIME_VALUES + 1] = 0.3 * ((PERIOD_SECONDS + 1.0).ln() - 3.0);
        values[TIME_VALUES + 2] = 0.5 * ((PERIODS + 2.0).ln() - 1.5);
        values[TIME_VALUES + 3] = 0.25 * ((CANADIAN_MOVES + 2.0).ln() - 1.5);
        values[BOARD_AREA] = 0.5 * (size.area() as f64 / 361.0).ln();
        for cycle in 0..CYCLES {
            let days = FIRST_CYCLE_DAYS * CYCLE_RATIO.powf(cycle as f64 / (CYCLES - 1) as f64);
            let (sin, cos) = (TAU * DAYS / days).sin_cos();
            values[DATE + 2 * cycle] = cos;
            values[DATE + 2 * cycle + 1] = sin;
        }
        values[KGS] = 1.0;
        values.into_iter().map(|value| value as f32).collect()
    }
}

impl FromStr for HumanProfile {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<HumanProfile> {
        let rank = text.strip_prefix("rank_").and_then(rank_of);
        let rank = rank.with_context(|| {
            format!(
                "unknown profile {text:?}: it is written like rank_5k, from rank_20k to rank_9d"
            )
        })?;
        Ok(HumanProfile { rank })
    }
}

/// Parses a rank like `5k`.
fn rank_of(text: &str) -> Option<u8> {
    let (number, kind) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let number: u8 = number.parse().ok().filter(|&number| number >= 1)?;
    let rank = match kind {
        "d" => FIRST_KYU.checked_sub(number)?,
        "k" => number.checked_add(FIRST_KYU - 1)?,
        _ => return None,
    };
    (STRONGEST..=WEAKEST).contains(&rank).then_some(rank)
}

impl fmt::Display for HumanProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rank {
            dan if dan < FIRST_KYU => write!(f, "rank_{}d", FIRST_KYU - dan),
            kyu => write!(f, "rank_{}k", kyu + 1 - FIRST_KYU),
        }
    }
}

/// Refuses profiles for nets without metadata inputs, and nets with such inputs without a profile.
pub fn check_profile(is_wanted: bool, profile: Option<HumanProfile>) -> Result<()> {
    ensure!(
        profile.is_some() || !is_wanted,
        "this network imitates human players of a rank: it needs a profile, such as rank_5k"
    );
    ensure!(
        is_wanted || profile.is_none(),
        "this network does not imitate human players of a rank: it takes no profile"
    );
    Ok(())
}
