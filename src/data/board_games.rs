//! Games of board games besides Go, as networks learn from them: records, or games of self-play with
//! their searches. Files of the latter are lines of JSON.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::files;
use crate::games::board_game::BoardGame;
use crate::games::coded::win_loss;
use crate::games::network_inputs::NetworkInputs;
use crate::minimax::Wanted;
use crate::nn::board_evaluator::{check, described};
use crate::nn::desc::{GameInputs, Net};

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
        let inputs = default_inputs::<G>()?;
        let start = G::initial(Some(&stored.variant))?;
        ensure!(
            [1.0, 0.0, -1.0].contains(&stored.result),
            "{} is no result: 1, 0 or -1",
            stored.result
        );
        let mut searches = stored.searches.iter().peekable();
        let mut position = start.clone();
        let mut moves = Vec::new();
        for (ply, text) in stored.moves.iter().map(Some).chain([None]).enumerate() {
            while let Some(search) = searches.next_if(|search| search.ply == ply) {
                search
                    .check(&inputs, &position)
                    .with_context(|| format!("the search before move {}", ply + 1))?;
            }
            if let Some(text) = text {
                let mv = position.read_move(text)?;
                position.play(mv);
                moves.push(mv);
            }
        }
        ensure!(
            searches.next().is_none(),
            "searches are not in the order of the moves"
        );
        Ok(LearningGame {
            start,
            opening: moves.len(),
            moves,
            result: Some(stored.result),
            searches: stored.searches,
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

impl Search {
    /// Refuses numbers that nothing can be learned from, and cells without a legal move.
    fn check<G: BoardGame>(&self, inputs: &NetworkInputs<G>, position: &G) -> Result<()> {
        let mut moves = Vec::new();
        position.moves(Wanted::All, &mut moves);
        let legal: Vec<usize> = moves
            .iter()
            .map(|&mv| (inputs.cell)(position, mv))
            .collect();
        for (cell, share) in &self.policy {
            ensure!(
                (0.0..=1.0).contains(share) && legal.contains(&usize::from(*cell)),
                "{share} of the search for the cell {cell}"
            );
        }
        let sum: f32 = self.policy.iter().map(|(_, share)| share).sum();
        ensure!(
            sum > 0.0 && (-1.0..=1.0).contains(&self.win_loss),
            "no moves, or the value {}",
            self.win_loss
        );
        Ok(())
    }
}

/// For messages: that networks do not play a game.
fn no_networks<G: BoardGame>() -> String {
    format!("no network plays {}", G::NAME)
}

/// How networks see a game by default.
pub fn default_inputs<G: BoardGame>() -> Result<NetworkInputs<G>> {
    let first = G::NETWORK_INPUTS.first().copied();
    first.with_context(no_networks::<G>)
}

/// All ways in which networks see a game, the default first, as networks say it. An error if there is none.
pub fn described_inputs<G: BoardGame>() -> Result<Vec<GameInputs>> {
    ensure!(!G::NETWORK_INPUTS.is_empty(), no_networks::<G>());
    Ok(G::NETWORK_INPUTS.iter().map(described).collect())
}

/// How this network sees the game. An error if it is not for the game.
pub fn inputs_for<G: BoardGame>(net: &Net) -> Result<NetworkInputs<G>> {
    let mut known = G::NETWORK_INPUTS.iter();
    match known.find(|inputs| check(net, inputs).is_ok()) {
        Some(inputs) => Ok(*inputs),
        None => {
            let inputs = default_inputs::<G>()?;
            check(net, &inputs)?;
            Ok(inputs)
        }
    }
}

/// The games of files and of all files in folders: stored ones, and records by the names of the game's
/// records. Records in folders that cannot be read are skipped, and told to `remark`; so are files of other kinds,
/// silently.
pub fn read_games<G: BoardGame>(
    paths: &[PathBuf],
    opening: usize,
    remark: &mut dyn FnMut(String),
) -> Result<Vec<LearningGame<G>>> {
    let mut games = Vec::new();
    for path in paths {
        ensure!(files::exists(path), "there is no {}", path.display());
        let is_folder = path.is_dir();
        let files = match is_folder {
            true => files::files_below(path)?,
            false => vec![path.clone()],
        };
        for file in files {
            let name = file.display();
            match read_file(&file, opening) {
                Ok(Some(read)) => games.extend(read),
                Ok(None) if is_folder => {}
                Ok(None) => bail!(
                    "{name} is no record (.{}) and no games (.{STORED})",
                    G::RECORDS
                ),
                Err(error) if is_folder && has_ending(&file, G::RECORDS) => {
                    remark(format!("skipped {name}: {error:#}"));
                }
                Err(error) => return Err(error.context(name.to_string())),
            }
        }
    }
    Ok(games)
}

/// The games of a file; none if its ending is of another kind.
fn read_file<G: BoardGame>(path: &Path, opening: usize) -> Result<Option<Vec<LearningGame<G>>>> {
    if has_ending(path, STORED) {
        return read_stored(path).map(Some);
    }
    if !has_ending(path, G::RECORDS) {
        return Ok(None);
    }
    let text = files::read_text(path)?;
    Ok(Some(vec![LearningGame::of_record(&text, opening)?]))
}

fn has_ending(path: &Path, ending: &str) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().eq_ignore_ascii_case(ending)
}

/// The games of a file of lines; an incomplete last one is ignored.
pub fn read_stored<G: BoardGame>(path: &Path) -> Result<Vec<LearningGame<G>>> {
    let bytes = files::read_regular(path, files::TRAINING_LIMIT)?;
    let text = String::from_utf8(bytes).context("the file is no text in UTF-8")?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut games = Vec::new();
    for (number, line) in whole.lines().enumerate() {
        let game = serde_json::from_str(line).map_err(Into::into);
        let game = game.and_then(LearningGame::read);
        games.push(game.with_context(|| format!("line {}", number + 1))?);
    }
    Ok(games)
}
