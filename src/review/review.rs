//! The review of a game: its positions with their analyses, the moves played, and what they lost.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::analysis::{PositionAnalysis, rounded};
use super::game::Game;
use super::settings::{MadeOf, Thresholds};
use super::summary::Summary;
use crate::formats::rules_json;
use crate::go::{Color, GameRecord};

/// Whose work the outputs are.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A review as its JSON file has it. Win rates and leads are Black's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameReview {
    /// What it says before its positions.
    #[serde(flatten)]
    pub head: Head,
    /// The positions from the start to the end.
    pub positions: Vec<ReviewedPosition>,
}

/// What a review says of the game as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Always `black`: whose win rates and leads the file has.
    pub point_of_view: String,
    /// Version of keima that made the pages.
    pub version: String,
    /// What the analysis depends on.
    pub made_of: MadeOf,
    /// From when on moves count as mistakes and blunders.
    pub thresholds: Thresholds,
    /// Name of the outputs.
    pub name: String,
    /// The game's file.
    pub file: String,
    /// [`Game::folder`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// Players, Black first.
    pub players: [PlayerName; 2],
    /// Occasion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Result as SGF has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Width and height of the board.
    pub size: [usize; 2],
    /// Points that White gets.
    pub komi: f32,
    /// The rules, in words.
    pub rules: String,
    /// Handicap stones as stated.
    pub handicap: usize,
    /// Stones before the first move, Black's and White's.
    pub stones: [Vec<String>; 2],
    /// Number of moves.
    pub moves: usize,
    /// Anomalies of the file.
    pub remarks: Vec<String>,
    /// The move that cannot be played, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The figures.
    pub summary: Summary,
}

/// A player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerName {
    /// The name, or the color.
    pub name: String,
    /// Rank, as `9d`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<String>,
}

/// A position and what was played in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewedPosition {
    /// What the search says.
    #[serde(flatten)]
    pub analysis: PositionAnalysis,
    /// The move played; none at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played: Option<String>,
    /// Points that it lost: the mover's lead before less that after it. Negative if the search finds the
    /// position after it better than the one before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<f64>,
    /// Its place among the moves searched, see [`PositionAnalysis::place`]; none if it was not searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// What the record says of the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

impl GameReview {
    /// Joins a game with the analyses of all its positions; none if one is missing.
    pub fn new(
        game: &Game,
        made_of: MadeOf,
        thresholds: Thresholds,
        analyses: &BTreeMap<usize, PositionAnalysis>,
    ) -> Option<GameReview> {
        let turns = 0..game.positions();
        let positions: Option<Vec<ReviewedPosition>> =
            turns.map(|turn| reviewed(game, turn, analyses)).collect();
        let positions = positions?;
        let record = &game.record;
        let size = record.setup.size;
        let summary = Summary::of(&positions, size.area(), thresholds);
        let head = Head {
            point_of_view: Color::Black.to_string(),
            version: VERSION.to_owned(),
            made_of,
            thresholds,
            name: game.name.clone(),
            file: game.file.clone(),
            folder: game.folder.clone(),
            players: Color::BOTH.map(|color| player_name(record, color)),
            event: record.event.clone(),
            date: record.date.clone(),
            result: record.result.map(|result| result.to_string()),
            size: [size.width(), size.height()],
            komi: record.setup.komi.points(),
            rules: rules_json::in_words(&record.setup.rules),
            handicap: record.handicap,
            stones: Color::BOTH.map(|color| stones(record, color)),
            moves: record.moves.len(),
            remarks: game.remarks.clone(),
            fault: game.fault.clone(),
            summary,
        };
        Some(GameReview { head, positions })
    }

    /// The analyses alone, by turn.
    pub fn analyses(&self) -> BTreeMap<usize, PositionAnalysis> {
        let analyses = self.positions.iter().map(|it| it.analysis.clone());
        analyses.map(|it| (it.turn, it)).collect()
    }
}

fn reviewed(
    game: &Game,
    turn: usize,
    analyses: &BTreeMap<usize, PositionAnalysis>,
) -> Option<ReviewedPosition> {
    let analysis = analyses.get(&turn)?.clone();
    let played = game.played(turn).map(|mv| mv.to_string());
    let lost = match &played {
        Some(_) => {
            let after = analyses.get(&(turn + 1))?;
            Some(rounded(analysis.for_mover(analysis.lead - after.lead), 2))
        }
        None => None,
    };
    Some(ReviewedPosition {
        rank: played.as_ref().and_then(|played| analysis.place(played)),
        comment: game.record.comments.get(&turn).cloned(),
        analysis,
        played,
        lost,
    })
}

fn player_name(record: &GameRecord, color: Color) -> PlayerName {
    let default = match color {
        Color::Black => "Black",
        Color::White => "White",
    };
    let name = record.names[color].as_deref().map(str::trim);
    PlayerName {
        name: name
            .filter(|name| !name.is_empty())
            .unwrap_or(default)
            .to_owned(),
        rank: record.ranks[color].clone(),
    }
}

fn stones(record: &GameRecord, color: Color) -> Vec<String> {
    let stones = record.setup.stones.iter().filter(|stone| stone.1 == color);
    stones.map(|(point, _)| point.to_string()).collect()
}
