//! The conditions of games, and what matches have to know of a game.

use std::time::Duration;

use maud::Markup;
use serde::{Deserialize, Serialize};

use super::adjudication::Adjudication;
use super::player::BoardPlayer;
use super::referee;
use crate::arena::contest::GameReport;
use crate::arena::played::PlayedGame;
use crate::arena::terms::{Terms, color_of};
use crate::clock::TimeControl;
use crate::formats::{date, piece_svg};
use crate::games::board_game::{BoardGame, replayed};
use crate::games::record::Details;
use crate::go::{Color, PerColor};

/// Conditions of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardConditions<G> {
    /// The initial position of the variant.
    pub initial: G,
    /// Both players' time.
    pub time: TimeControl,
    /// Nodes per move of players without limits of their own.
    pub nodes: Option<u64>,
    /// Plies per move of players without limits of their own.
    pub depth: Option<u32>,
    /// Tolerance per move for delays of pipes and the operating system.
    pub margin: Duration,
    /// Moves of both sides, with the opening, after which a game is a draw.
    pub max_moves: usize,
    /// When games are ended early.
    pub adjudication: Adjudication,
    /// Where the openings come from.
    pub openings: String,
}

impl<G> BoardConditions<G> {
    /// Whether nodes or time limit the search for a move.
    pub(super) fn limit_searches(&self) -> bool {
        self.nodes.is_some() || self.time != TimeControl::Unlimited
    }
}

/// The conditions as stored in the log of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoardSettings {
    /// The game with its variant.
    pub game: String,
    /// Time control.
    pub time: String,
    /// Nodes per move, if fixed.
    pub nodes: Option<u64>,
    /// Plies per move, if fixed.
    pub depth: Option<u32>,
    /// Moves after which a game is a draw.
    pub max_moves: usize,
    /// When games are ended early; empty for never.
    pub adjudication: String,
    /// Where the openings come from.
    pub openings: String,
}

/// The beginning of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardOpening<G: BoardGame> {
    /// Name in reports.
    pub name: String,
    /// Where the game begins.
    pub start: G,
    /// Its first moves.
    pub moves: Vec<G::Move>,
}

/// The moves of a finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardMoves<G: BoardGame> {
    /// Where the game began.
    pub start: G,
    /// The moves.
    pub moves: Vec<G::Move>,
    /// What the players said about each: score, depth, time.
    pub comments: Vec<String>,
}

impl<G: BoardGame> Terms for BoardConditions<G> {
    type Opening = BoardOpening<G>;
    type Contestant = dyn BoardPlayer<G>;
    type Moves = BoardMoves<G>;
    type Settings = BoardSettings;

    const FIRST: Color = Color::White;
    const RECORDS: &'static str = G::RECORDS;

    fn board(&self) -> String {
        self.initial.title()
    }

    fn text(&self) -> String {
        let mut text = self.initial.title();
        if self.time != TimeControl::Unlimited {
            text += &format!(", time {}", self.time);
        }
        if let Some(nodes) = self.nodes {
            text += &format!(", {nodes} nodes");
        }
        if let Some(depth) = self.depth {
            text += &format!(", depth {depth}");
        }
        format!("{text}{}, openings: {}", self.adjudication, self.openings)
    }

    fn settings(&self, _openings: &[BoardOpening<G>]) -> BoardSettings {
        BoardSettings {
            game: self.initial.title(),
            time: self.time.to_string(),
            nodes: self.nodes,
            depth: self.depth,
            max_moves: self.max_moves,
            adjudication: self.adjudication.to_string(),
            openings: self.openings.clone(),
        }
    }

    fn bare_opening(&self) -> BoardOpening<G> {
        BoardOpening {
            name: String::new(),
            start: self.initial.clone(),
            moves: Vec::new(),
        }
    }

    fn is_bare(&self, opening: &BoardOpening<G>) -> bool {
        opening.moves.is_empty() && opening.start == self.initial
    }

    fn opening_name(opening: &BoardOpening<G>) -> &str {
        &opening.name
    }

    fn play(
        &self,
        number: usize,
        opening: &BoardOpening<G>,
        contestants: PerColor<&mut (dyn BoardPlayer<G> + 'static)>,
    ) -> anyhow::Result<GameReport<BoardMoves<G>>> {
        referee::play(self, number, opening, contestants)
    }

    fn start_text(&self, moves: &BoardMoves<G>) -> Option<String> {
        (moves.start != self.initial).then(|| moves.start.text())
    }

    fn moves_text(moves: &BoardMoves<G>) -> String {
        let text = |(position, mv): (G, G::Move)| {
            let letter = color_of(position.to_move()).letter();
            format!("{letter}{}", position.move_text(mv))
        };
        let words = replayed(&moves.start, &moves.moves).map(text);
        words.collect::<Vec<_>>().join(" ")
    }

    fn record(&self, report: &GameReport<BoardMoves<G>>, number: usize) -> String {
        let moves = &report.moves;
        let [black, white] = report.names.0.clone();
        let ending = report.ending.termination().unwrap_or_default();
        let mut more = vec![
            ("Date".to_owned(), date::today('.')),
            ("Termination".to_owned(), ending),
        ];
        if self.time != TimeControl::Unlimited {
            more.push(("TimeControl".to_owned(), pgn_time(&self.time)));
        }
        let details = Details {
            event: "keima match".to_owned(),
            round: number.to_string(),
            white,
            black,
            more,
            comments: moves.comments.clone(),
        };
        G::write_record(
            G::RECORDS,
            &moves.start,
            &moves.moves,
            report.ending.result().points(Color::White),
            &details,
        )
    }

    fn picture(&self, game: &PlayedGame) -> Option<Markup> {
        let mut position = self.initial.clone();
        if let Some(text) = &game.start {
            position = position.another(text).ok()?;
        }
        for word in game.moves.split_whitespace() {
            let mv = position.read_move(word.get(1..)?).ok()?;
            position.play(mv);
        }
        Some(piece_svg::board(&position.squares()))
    }
}

/// A time control as the standard of PGN writes it (9.6.1); what that does not know, as on the command line.
fn pgn_time(time: &TimeControl) -> String {
    match *time {
        TimeControl::Fischer {
            main,
            increment: 0.0,
        } => main.to_string(),
        TimeControl::Fischer { main, increment } => format!("{main}+{increment}"),
        TimeControl::Canadian {
            main: 0.0,
            period,
            stones,
        } => format!("{stones}/{period}"),
        TimeControl::Canadian {
            main,
            period,
            stones,
        } => format!("{main}:{stones}/{period}"),
        TimeControl::Unlimited | TimeControl::Japanese { .. } => time.to_string(),
    }
}
