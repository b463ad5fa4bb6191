//! The board size of each shard, such that any range of shards has about the planned fractions.

use anyhow::{Context, Result, ensure};

use crate::go::BoardSize;

use super::line::MAX_AREA;

/// Step around a circle of length 1, by the golden ratio: any number of steps is evenly
/// distributed.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Board sizes and their fractions.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeMix {
    shares: Vec<(BoardSize, f64)>,
}

impl Default for SizeMix {
    /// Half 19x19, much 9x9 and 13x13, some of each size from 7 to 18, few rectangles.
    fn default() -> SizeMix {
        let mut shares = vec![(19, 19, 50.0), (13, 13, 15.0), (9, 9, 20.0)];
        let between = [7, 8, 10, 11, 12, 14, 15, 16, 17, 18];
        shares.extend(between.map(|side| (side, side, 1.3)));
        shares.extend([(9, 7, 0.5), (8, 11, 0.5), (13, 9, 0.5), (15, 19, 0.5)]);
        let size = |width, height| BoardSize::new(width, height).expect("a board size");
        let shares = shares
            .iter()
            .map(|&(width, height, share)| (size(width, height), share));
        SizeMix {
            shares: shares.collect(),
        }
    }
}

impl SizeMix {
    /// Parses `19:50`, `13:15`, `9x7:2`, ...: a size and its weight. Without weights all are equal.
    pub fn parse(texts: &[String]) -> Result<SizeMix> {
        ensure!(!texts.is_empty(), "no board sizes");
        let shares: Result<Vec<_>> = texts.iter().map(|text| share(text)).collect();
        let shares = shares?;
        ensure!(
            shares.iter().any(|&(_, share)| share > 0.0),
            "no board size has a share"
        );
        Ok(SizeMix { shares })
    }

    /// Text that [`SizeMix::parse`] can read.
    pub fn texts(&self) -> Vec<String> {
        let text = |(size, share): &(BoardSize, f64)| format!("{size}:{share}");
        self.shares.iter().map(text).collect()
    }

    /// Whether shards of this size occur.
    pub fn has(&self, size: BoardSize) -> bool {
        self.sizes().any(|other| other == size)
    }

    /// The sizes of which shards occur.
    pub fn sizes(&self) -> impl Iterator<Item = BoardSize> {
        let shares = self.shares.iter().filter(|(_, share)| *share > 0.0);
        shares.map(|&(size, _)| size)
    }

    /// The size of a shard.
    pub fn size_of(&self, shard: u32, seed: u64) -> BoardSize {
        let offset = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1u64 << 53) as f64;
        let total: f64 = self.shares.iter().map(|(_, share)| share).sum();
        let mut place = (offset + f64::from(shard) * GOLDEN).fract() * total;
        for &(size, share) in &self.shares {
            if place < share {
                return size;
            }
            place -= share;
        }
        // Reached by rounding only.
        self.shares[0].0
    }
}

fn share(text: &str) -> Result<(BoardSize, f64)> {
    let wrong = || format!("'{text}' is no board size with a share, as 19:50 or 9x7:2");
    let (size, share) = text.split_once(':').unwrap_or((text, "1"));
    let (width, height) = size.split_once('x').unwrap_or((size, size));
    let size = BoardSize::new(
        width.parse().with_context(wrong)?,
        height.parse().with_context(wrong)?,
    );
    let size = size
        .filter(|size| size.area() <= MAX_AREA)
        .with_context(wrong)?;
    let share: f64 = share.parse().with_context(wrong)?;
    ensure!(share.is_finite() && share >= 0.0, wrong());
    Ok((size, share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_kept_to_in_short_runs() {
        let mix = SizeMix::default();
        for seed in [0, 1, 77] {
            let of_19 = |shards: u32| {
                (0..shards)
                    .filter(|&shard| mix.size_of(shard, seed) == BoardSize::square(19))
                    .count()
            };
            assert!((9..=11).contains(&of_19(20)), "{}", of_19(20));
            assert!((498..=502).contains(&of_19(1000)), "{}", of_19(1000));
        }
    }

    #[test]
    fn texts_are_read_back() {
        let mix = SizeMix::default();
        assert_eq!(SizeMix::parse(&mix.texts()).unwrap(), mix);
        for wrong in ["", "1", "30", "9x", "9:x", "9:-1", "9:inf", "23"] {
            assert!(SizeMix::parse(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
        assert!(SizeMix::parse(&["9:0".to_owned()]).is_err());
    }
}
