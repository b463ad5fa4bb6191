//! Go as a game of matches.

use maud::Markup;
use serde::{Deserialize, Serialize};

use super::contest::{Conditions, GameReport, play_game};
use super::contestant::Contestant;
use super::ending::Ending;
use super::openings::{Opening, moves_text};
use super::played::PlayedGame;
use super::terms::Terms;
use crate::formats::{board_svg, rules_json, sgf};
use crate::go::{Color, Move, PerColor};

/// Conditions of the games on a board, as stored in the log of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Board {
    /// Its size, as `9x9`.
    pub size: String,
    /// Komi.
    pub komi: String,
    /// Rule set: name or properties.
    pub rules: String,
    /// Time control.
    pub time: String,
    /// Visits per move, if fixed.
    pub visits: Option<u32>,
    /// Move limit, after which a game is void.
    pub max_moves: usize,
    /// Moves of each opening.
    pub openings: Vec<String>,
}

impl Terms for Conditions {
    type Opening = Opening;
    type Contestant = dyn Contestant;
    type Moves = Vec<(Color, Move)>;
    type Settings = Board;

    const FIRST: Color = Color::Black;
    const RECORDS: &'static str = "sgf";

    fn board(&self) -> String {
        self.size.to_string()
    }

    fn text(&self) -> String {
        let (size, komi, time) = (self.size, self.komi, self.time);
        let rules = rules_json::text(&self.rules);
        let text = format!("{size}, komi {komi}, {rules} rules, time {time}");
        match self.visits {
            Some(visits) => format!("{text}, {visits} visits"),
            None => text,
        }
    }

    fn settings(&self, openings: &[Opening]) -> Board {
        Board {
            size: self.size.to_string(),
            komi: self.komi.to_string(),
            rules: rules_json::text(&self.rules),
            time: self.time.to_string(),
            visits: self.visits,
            max_moves: self.max_moves,
            openings: openings.iter().map(|opening| opening.text()).collect(),
        }
    }

    fn bare_opening(&self) -> Opening {
        Opening::default()
    }

    fn is_bare(&self, opening: &Opening) -> bool {
        opening.moves.is_empty()
    }

    fn opening_name(opening: &Opening) -> &str {
        &opening.name
    }

    fn play(
        &self,
        _number: usize,
        opening: &Opening,
        contestants: PerColor<&mut (dyn Contestant + 'static)>,
    ) -> anyhow::Result<GameReport> {
        let PerColor([black, white]) = contestants;
        play_game(self, opening, PerColor([black, white]))
    }

    fn moves_text(moves: &Vec<(Color, Move)>) -> String {
        moves_text(moves)
    }

    fn result_text(ending: &Ending) -> String {
        ending.to_string()
    }

    fn record(&self, report: &GameReport, _number: usize) -> String {
        sgf::write(&report.record(self))
    }

    fn picture(&self, game: &PlayedGame) -> Option<Markup> {
        let (board, moves) = game.replayed(self)?;
        Some(board_svg::numbered(&board, &moves))
    }
}
