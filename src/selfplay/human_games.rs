//! Human games, whose positions some games of self-play start from.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use rand::Rng;
use rand::seq::IndexedRandom;

use crate::data::collection::{Collection, HELD_OUT, Part};
use crate::data::line::Line;
use crate::go::BoardSize;

/// Games by board size.
#[derive(Default)]
pub struct HumanGames {
    collection: Collection,
    by_size: HashMap<BoardSize, Vec<usize>>,
}

impl HumanGames {
    /// Reads files and folders as `keima label` does, without games held out for validation. It is an error if they
    /// contain no games.
    pub fn read(paths: &[PathBuf]) -> Result<HumanGames> {
        let (collection, tally) = Collection::read(paths, &|_| ())?;
        ensure!(!collection.is_empty(), "no games to begin at: {tally}");
        let mut by_size: HashMap<BoardSize, Vec<usize>> = HashMap::new();
        for ((width, height), games) in collection.part(Part::Train, HELD_OUT) {
            by_size.extend(BoardSize::new(width, height).map(|size| (size, games)));
        }
        Ok(HumanGames {
            collection,
            by_size,
        })
    }

    /// A random game on boards of a size, if there is one.
    pub fn draw(&self, size: BoardSize, rng: &mut impl Rng) -> Option<Line> {
        let game = self.by_size.get(&size)?.choose(rng)?;
        Some(self.collection.line(*game))
    }
}
