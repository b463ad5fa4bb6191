//! Ranks for games against people: a ladder of strengths below that of the full search.
//!
//! A rank plays by the network's policy, or by a very short search, and overlooks moves
//! ([`OversightParams`](super::search_player::OversightParams)). The steps were set by matches so that each rank
//! beats the one below in about two games of three on 19x19 (docs/strength.md).

use std::fmt;
use std::str::FromStr;

use anyhow::{Result, bail};

use super::player::Player;

/// Name, visits, and probability that a move is overlooked.
const LADDER: [(&str, u32, f64); 18] = [
    ("15k", 1, 0.862),
    ("14k", 1, 0.838),
    ("13k", 1, 0.811),
    ("12k", 1, 0.781),
    ("11k", 1, 0.749),
    ("10k", 1, 0.712),
    ("9k", 1, 0.656),
    ("8k", 1, 0.583),
    ("7k", 1, 0.496),
    ("6k", 1, 0.428),
    ("5k", 1, 0.351),
    ("4k", 1, 0.277),
    ("3k", 1, 0.216),
    ("2k", 1, 0.150),
    ("1k", 1, 0.078),
    ("1d", 1, 0.0),
    ("2d", 4, 0.0),
    ("3d", 8, 0.0),
];

/// A rank from 15k to 3d.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    place: usize,
}

impl Rank {
    /// All ranks, the weakest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Rank> {
        (0..LADDER.len()).map(|place| Rank { place })
    }

    /// Makes a searching player play at this rank.
    pub fn limit(self, player: &mut dyn Player) -> Result<()> {
        for (name, value) in self.parameters() {
            player.set_parameter(name, &value)?;
        }
        Ok(())
    }

    /// Parameters of a searching player at this rank, by name.
    pub fn parameters(self) -> [(&'static str, String); 4] {
        let (_, visits, oversight) = LADDER[self.place];
        [
            ("maxVisits", visits.to_string()),
            ("maxPlayouts", String::new()),
            ("maxTime", String::new()),
            ("chosenMoveOversight", oversight.to_string()),
        ]
    }
}

impl FromStr for Rank {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Rank> {
        let place = LADDER
            .iter()
            .position(|(name, ..)| name.eq_ignore_ascii_case(text));
        match place {
            Some(place) => Ok(Rank { place }),
            None => bail!("not a rank from 15k to 3d, as 5k"),
        }
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(LADDER[self.place].0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_sees_or_searches_more_than_the_one_below() {
        let steps = LADDER
            .windows(2)
            .all(|pair| pair[0].1 < pair[1].1 || pair[0].2 > pair[1].2);
        assert!(steps);
        for rank in Rank::all() {
            assert_eq!(rank.to_string().parse::<Rank>().unwrap(), rank);
        }
        assert!("16k".parse::<Rank>().is_err());
    }
}
