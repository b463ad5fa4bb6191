//! The log of a match: its settings on the first line, then each finished game, as JSON lines.
//! Opening an existing log resumes the match.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use super::go::Board;
use super::played::PlayedGame;
use super::series::Series;
use super::terms::Terms;
use crate::files::difference::difference;
use crate::files::lines::JsonLines;

/// Format version.
const FORMAT: u32 = 1;

/// Settings of a match. The number of games and the test are not part of it and may change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heading<B = Board> {
    /// Format version.
    pub format: u32,
    /// The first player and the second.
    pub engines: [String; 2],
    /// Conditions of the games on each board.
    pub boards: Vec<B>,
}

impl<B> Heading<B> {
    /// Settings of a series between two engines.
    pub fn new<C: Terms<Settings = B>>(engines: &[String; 2], series: &Series<C>) -> Heading<B> {
        let divisions = series.divisions.iter();
        Heading {
            format: FORMAT,
            engines: engines.clone(),
            boards: divisions
                .map(|division| division.conditions.settings(division.openings()))
                .collect(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line<H, G> {
    Match(H),
    Game(G),
}

/// An open log.
pub struct MatchLog {
    lines: JsonLines,
}

impl MatchLog {
    /// Opens or creates the log of a match and returns its games. The log of another match is an
    /// error.
    pub fn open<B: Serialize + DeserializeOwned>(
        path: &Path,
        heading: &Heading<B>,
    ) -> Result<(MatchLog, Vec<PlayedGame>)> {
        let (mut lines, found) = JsonLines::open::<Line<Heading<B>, PlayedGame>>(path)?;
        let mut found = found.into_iter();
        match found.next() {
            None => lines.add(&Line::<_, PlayedGame>::Match(heading))?,
            Some(Line::Match(known)) => check(&known, heading, path)?,
            Some(Line::Game(_)) => bail!("{} does not say which match it is", path.display()),
        }
        let mut numbers = BTreeSet::new();
        let mut games = Vec::new();
        for line in found {
            let Line::Game(game) = line else {
                bail!("{} is of two matches", path.display());
            };
            ensure!(game.number > 0, "{} has a game 0", path.display());
            if numbers.insert(game.number) {
                games.push(game);
            }
        }
        Ok((MatchLog { lines }, games))
    }

    /// Size of an incomplete last line that was removed when the log was opened.
    pub fn cut_off(&self) -> usize {
        self.lines.cut_off()
    }

    /// Appends a game.
    pub fn add(&mut self, game: &PlayedGame) -> Result<()> {
        self.lines.add(&Line::<Heading, _>::Game(game))
    }
}

fn check<B: Serialize>(known: &Heading<B>, heading: &Heading<B>, path: &Path) -> Result<()> {
    match difference(known, heading)? {
        Some(difference) => bail!("{} is of another match: {difference}", path.display()),
        None => Ok(()),
    }
}
