//! Games of board games besides Go, as networks learn from them: records, or games of self-play with
//! their searches. Files of the latter are lines of JSON.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::files;
use crate::games::board_game::BoardGame;
use crate::games::coded::win_loss;

/// How names of files with games of self-play end.
pub const STORED: &str = "games";

/// A game of self-play as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredGame {
    /// Variant of the game.
    pub variant: String,
    /// From the initial position, in the game's notation.
    pub moves: Vec<String>,
    /// The result for the side to move at the start: 1 won, 0 drawn, -1 lost.
    pub result: f32,
    /// In the order of the moves.
    pub searches: Vec<Search>,
}

/// What a search has found in one of a game's positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Moves before it.
    pub ply: usize,
    /// Probability of winning less probability of losing, for the side to move.
    pub win_loss: f32,
    /// Cells of moves with their shares of the search, of those that have one.
    pub policy: Vec<(u16, f32)>,
}

/// A game to learn from.
#[derive(Clone, Debug)]
pub struct LearningGame<G: BoardGame> {
    /// The initial position.
    pub start: G,
    /// All moves.
    pub moves: Vec<G::Move>,
    /// The result for the side to move at the start, 1, 0 or -1, if it is known.
    pub result: Option<f32>,
    /// The searches; none for records.
    pub searches: Vec<Search>,
    /// Moves from which on moves are learned as played, in records; what is before is an opening.
    pub opening: usize,
}

impl<G: BoardGame> LearningGame<G> {
    /// Reads a stored game.
    pub fn read(stored: StoredGame) -> Result<LearningGame<G>> {
        let start = G::initial(Some(&stored.variant))?;
        let mut position = start.clone();
        let mut moves = Vec::new();
        for text in &stored.moves {
            let mv = position.read_move(text)?;
            position.play(mv);
            moves.push(mv);
        }
        let area = area(&start)?;
        for search in &stored.searches {
            let cells = search.policy.iter();
            let is_sound = search.ply <= moves.len()
                && cells
                    .clone()
                    .all(|(cell, share)| usize::from(*cell) < area && *share >= 0.0)
                && cells.map(|(_, share)| share).sum::<f32>() > 0.0
                && (-1.0..=1.0).contains(&search.win_loss);
            ensure!(
                is_sound,
                "the search before move {} is damaged",
                search.ply + 1
            );
        }
        Ok(LearningGame {
            start,
            moves,
            result: Some(stored.result),
            searches: stored.searches,
            opening: stored.moves.len(),
        })
    }

    /// Reads a record, of whose first `opening` moves nothing is learned. The result is that of the last
    /// position; unknown if the game is not over there.
    pub fn of_record(text: &str, opening: usize) -> Result<LearningGame<G>> {
        let (start, moves) = G::read_record(text)?;
        let mut position = start.clone();
        moves.iter().for_each(|&mv| position.play(mv));
        let verdict = position.verdict(!position.has_moves());
        let result = verdict.map(|verdict| {
            let of_first = win_loss(verdict, position.to_move());
            (of_first * start.to_move().sign()) as f32
        });
        Ok(LearningGame {
            start,
            moves,
            result,
            searches: Vec::new(),
            opening,
        })
    }

    /// The result for the side to move after so many moves.
    pub fn result_at(&self, position: &G) -> Option<f32> {
        let same = position.to_move() == self.start.to_move();
        self.result
            .map(|result| if same { result } else { -result })
    }
}

/// Points of the board that networks see.
fn area<G: BoardGame>(position: &G) -> Result<usize> {
    let inputs = G::NETWORK_INPUTS.with_context(|| no_networks::<G>())?;
    let (width, height) = (inputs.size)(position);
    Ok(width * height)
}

/// For messages: that networks do not play a game.
pub fn no_networks<G: BoardGame>() -> String {
    format!("no network plays {}", G::NAME)
}

/// The games of files and of all files in folders: stored ones, and records by the names of the game's
/// records. Records that cannot be read are skipped, and told to `remark`.
pub fn read_games<G: BoardGame>(
    paths: &[PathBuf],
    opening: usize,
    remark: &mut dyn FnMut(String),
) -> Result<Vec<LearningGame<G>>> {
    let mut games = Vec::new();
    for path in files_below(paths)? {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        if extension == STORED {
            games.extend(read_stored(&path).with_context(|| path.display().to_string())?);
        } else if extension.eq_ignore_ascii_case(G::RECORDS) {
            match files::read_text(&path).and_then(|text| LearningGame::of_record(&text, opening)) {
                Ok(game) => games.push(game),
                Err(error) => remark(format!("skipped {}: {error:#}", path.display())),
            }
        }
    }
    Ok(games)
}

/// The games of a file of lines; an incomplete last one is ignored.
pub fn read_stored<G: BoardGame>(path: &Path) -> Result<Vec<LearningGame<G>>> {
    let text = files::read_text(path)?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut games = Vec::new();
    for (number, line) in whole.lines().enumerate() {
        let game = serde_json::from_str(line).map_err(Into::into);
        let game = game.and_then(LearningGame::read);
        games.push(game.with_context(|| format!("line {}", number + 1))?);
    }
    Ok(games)
}

/// Files, and those in folders and in folders within, by name.
fn files_below(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let cannot = || format!("cannot read the folder {}", path.display());
        let entries = fs::read_dir(path).with_context(cannot)?;
        let inside = entries.map(|entry| Ok(entry?.path()));
        let mut inside: Vec<PathBuf> = inside.collect::<Result<_>>().with_context(cannot)?;
        inside.sort();
        found.extend(files_below(&inside)?);
    }
    Ok(found)
}
