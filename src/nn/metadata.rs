//! Metadata inputs of nets trained on human games: ranks of the players, time settings, date and
//! server.
//!
//! Order, scales and the circumstances of a profile are KataGo's.

use std::f64::consts::TAU;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use anyhow::{Context, Result, ensure};

use crate::go::{BoardSize, Color};

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
const UNKNOWN_TIME: usize = 75;
const BYO_YOMI: usize = 79;
const TIME_VALUES: usize = 82;
const BOARD_AREA: usize = 86;
const DATE: usize = 87;

/// Places of the servers and collections that games are from.
const KGS: usize = 151 + 2;
const GOGOD: usize = 151 + 5;
const GO4GO: usize = 151 + 6;

/// Main time, period, and number of periods, in seconds.
const KGS_TIME: [f64; 3] = [1200.0, 30.0, 5.0];
/// Byo-yomi has none.
const CANADIAN_MOVES: f64 = 0.0;
/// Days from 1970-01-01 to 2020-03-01, and to 2016-09-01, when AlphaZero had not been seen yet.
const DAYS: i64 = 18322;
const DAYS_BEFORE_ALPHAZERO: i64 = 17045;
/// Years of professionals' games, and the first that is from Go4Go instead of GoGoD.
const YEARS: RangeInclusive<u16> = 1800..=2023;
const FIRST_OF_GO4GO: u16 = 2021;
/// Number of cycles that encode the date: the period of the first, and the ratio of the last to it.
const FIRST_CYCLE_DAYS: f64 = 7.0;
const CYCLES: usize = 32;
const CYCLE_RATIO: f64 = 80000.0;

/// The players to imitate, as KataGo names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HumanProfile {
    /// Humans of a rank in a game on KGS in 2020 with five periods of 30 seconds: `rank_5k`, from `rank_20k`
    /// to `rank_9d`; `rank_5k_3d` if White has another rank than Black. The same in 2016, before openings
    /// followed AlphaZero's: `preaz_5k`.
    Amateurs {
        /// Black's rank.
        black: Rank,
        /// White's rank.
        white: Rank,
        /// Whether it is 2016.
        is_before_alphazero: bool,
    },
    /// Professionals of a year: `proyear_1990`, from 1800 to 2023.
    Professionals {
        /// The year.
        year: u16,
    },
}

/// A rank, by its number: 9d is 1, 1d is 9, 1k is 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank(u8);

impl HumanProfile {
    /// The rank of amateurs of one rank, as `5k`.
    pub fn rank(&self) -> Option<String> {
        match self {
            HumanProfile::Amateurs { black, white, .. } if black == white => {
                Some(black.to_string())
            }
            _ => None,
        }
    }

    /// All values for a position of a game between two such players in which `mover` is to move.
    pub fn values(self, size: BoardSize, mover: Color) -> Vec<f32> {
        let mut values = vec![0.0; VALUES];
        values[..2].fill(1.0);
        let days = match self {
            HumanProfile::Amateurs {
                black,
                white,
                is_before_alphazero,
            } => {
                let ranks = match mover {
                    Color::Black => [black, white],
                    Color::White => [white, black],
                };
                set_ranks(&mut values, ranks);
                values[RATEDNESS] = 0.5;
                values[BYO_YOMI] = 1.0;
                set_time(&mut values, KGS_TIME);
                values[KGS] = 1.0;
                if is_before_alphazero {
                    DAYS_BEFORE_ALPHAZERO
                } else {
                    DAYS
                }
            }
            HumanProfile::Professionals { year } => {
                set_ranks(&mut values, [Rank(STRONGEST); 2]);
                values[UNKNOWN_TIME] = 1.0;
                set_time(&mut values, [0.0; 3]);
                let source = if year < FIRST_OF_GO4GO { GOGOD } else { GO4GO };
                values[source] = 1.0;
                days_to_june(year)
            }
        };
        values[BOARD_AREA] = 0.5 * (size.area() as f64 / 361.0).ln();
        for cycle in 0..CYCLES {
            let period = FIRST_CYCLE_DAYS * CYCLE_RATIO.powf(cycle as f64 / (CYCLES - 1) as f64);
            let (sin, cos) = (TAU * days as f64 / period).sin_cos();
            values[DATE + 2 * cycle] = cos;
            values[DATE + 2 * cycle + 1] = sin;
        }
        values.into_iter().map(|value| value as f32).collect()
    }
}

/// Of the player to move and of the opponent.
fn set_ranks(values: &mut [f64], ranks: [Rank; 2]) {
    for (start, Rank(number)) in RANKS.into_iter().zip(ranks) {
        let reached = usize::from(number).min(RANK_VALUES);
        values[start..start + reached].fill(1.0);
    }
}

fn set_time(values: &mut [f64], [main, period, periods]: [f64; 3]) {
    values[TIME_VALUES] = 0.4 * ((main + 60.0).ln() - 6.5);
    values[TIME_VALUES + 1] = 0.3 * ((period + 1.0).ln() - 3.0);
    values[TIME_VALUES + 2] = 0.5 * ((periods + 2.0).ln() - 1.5);
    values[TIME_VALUES + 3] = 0.25 * ((CANADIAN_MOVES + 2.0).ln() - 1.5);
}

/// Days from 1970-01-01 to June 1 of a year, by the Gregorian calendar.
fn days_to_june(year: u16) -> i64 {
    let leap_days = |year: i64| year / 4 - year / 100 + year / 400;
    let year = i64::from(year);
    // June 1 is 151 days after January 1, and one more in a leap year.
    365 * (year - 1970) + leap_days(year) - leap_days(1969) + 151
}

impl FromStr for HumanProfile {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<HumanProfile> {
        let profile = text.split_once('_').and_then(|(kind, rest)| match kind {
            "rank" => amateurs(rest, false),
            "preaz" => amateurs(rest, true),
            "proyear" => {
                let year = rest.parse().ok().filter(|year| YEARS.contains(year))?;
                Some(HumanProfile::Professionals { year })
            }
            _ => None,
        });
        profile.with_context(|| {
            format!(
                "unknown profile {text:?}: it is written like rank_5k, from rank_20k to rank_9d, rank_5k_3d for \
                 Black and White, preaz_5k, or proyear_1990"
            )
        })
    }
}

/// A rank, or those of Black and White.
fn amateurs(text: &str, is_before_alphazero: bool) -> Option<HumanProfile> {
    let (black, white) = text.split_once('_').unwrap_or((text, text));
    Some(HumanProfile::Amateurs {
        black: rank_of(black)?,
        white: rank_of(white)?,
        is_before_alphazero,
    })
}

/// Parses a rank like `5k`.
fn rank_of(text: &str) -> Option<Rank> {
    let (number, kind) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let number: u8 = number.parse().ok().filter(|&number| number >= 1)?;
    let rank = match kind {
        "d" => FIRST_KYU.checked_sub(number)?,
        "k" => number.checked_add(FIRST_KYU - 1)?,
        _ => return None,
    };
    (STRONGEST..=WEAKEST).contains(&rank).then_some(Rank(rank))
}

impl fmt::Display for HumanProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HumanProfile::Professionals { year } => write!(f, "proyear_{year}"),
            HumanProfile::Amateurs {
                black,
                white,
                is_before_alphazero,
            } => {
                let kind = if *is_before_alphazero {
                    "preaz"
                } else {
                    "rank"
                };
                match black == white {
                    true => write!(f, "{kind}_{black}"),
                    false => write!(f, "{kind}_{black}_{white}"),
                }
            }
        }
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            dan if dan < FIRST_KYU => write!(f, "{}d", FIRST_KYU - dan),
            kyu => write!(f, "{}k", kyu + 1 - FIRST_KYU),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        // From other tables: 2020-06-01, 1970-06-01, 2000-06-01, 1900-06-01, 1800-06-01.
        let days = [2020, 1970, 2000, 1900, 1800].map(days_to_june);
        assert_eq!(days, [18414, 151, 11109, -25416, -61940]);
    }
}
