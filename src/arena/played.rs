//! The record of a game of a match: one line of its log, from which all reports are made.

use serde::{Deserialize, Serialize};

use super::contest::Conditions;
use super::ending::Ending;
use super::openings::moves_of_text;
use super::series::{Series, SeriesGame};
use super::tally::Tally;
use super::terms::Terms;
use crate::go::{Board, Color, Move, Position};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Two passes.
    Counted,
    /// Resignation.
    Resigned,
    /// Loss on time.
    OutOfTime,
    /// An illegal move or invalid text.
    IllegalMove,
    /// An error as answer.
    Error,
    /// A player has exited.
    Crash,
    /// Move limit.
    TooLong,
    /// A cycle.
    NoResult,
    /// A win by the rules.
    Won,
    /// A draw by the rules.
    Drawn,
    /// A result that was clear to both players.
    Adjudicated,
}

/// A game of a match. Pairs of values are the first player's and the second's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// Its number in the match, from 1.
    pub number: usize,
    /// Board size, as in `9x9`.
    pub board: String,
    /// Name of the opening; empty for the empty board.
    pub opening: String,
    /// Whether the first player had Black.
    pub first_is_black: bool,
    /// Distinct names of the players.
    pub names: [String; 2],
    /// The first player's points: 1, 1/2 or 0; none if the game is void.
    pub points: Option<f64>,
    /// How it ended.
    pub kind: Kind,
    /// Anomaly of the score, if any; the rule that ended a game other than Go.
    pub remark: Option<String>,
    /// Result and reason, for display.
    pub result: String,
    /// Number of opening moves.
    pub opening_len: usize,
    /// Seconds used by each player.
    pub seconds: [f64; 2],
    /// All moves, each preceded by its color: `BQ16 WD4`.
    pub moves: String,
    /// The position before them, where it is not the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Number of the earlier game that this one repeats; it is then not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<usize>,
}

impl PlayedGame {
    /// The record of a game of a series.
    pub fn new<C: Terms>(game: &SeriesGame<C>, series: &Series<C>) -> PlayedGame {
        let (pairing, report) = (&game.pairing, &game.report);
        let division = series.division(pairing);
        let first = pairing.first_color;
        let colors = [first, !first];
        let (kind, remark) = kind(&report.ending);
        PlayedGame {
            number: pairing.game_index + 1,
            board: division.conditions.board(),
            opening: C::opening_name(series.opening(pairing)).to_owned(),
            first_is_black: first == Color::Black,
            names: colors.map(|color| report.names[color].clone()),
            points: report.ending.result().points(first),
            kind,
            remark: remark.map(str::to_owned),
            result: C::result_text(&report.ending),
            opening_len: report.opening_len,
            seconds: colors.map(|color| report.time_used[color].as_secs_f64()),
            moves: C::moves_text(&report.moves),
            start: division.conditions.start_text(&report.moves),
            repeats: None,
        }
    }

    /// Whether two games have the same moves between the same players. Games that ended by the
    /// clock or a crash never count as repetition: such chance events may occur twice.
    pub fn is_same_as(&self, other: &PlayedGame) -> bool {
        let by_chance = matches!(self.kind, Kind::OutOfTime | Kind::Crash);
        let what = |game: &PlayedGame| (game.kind, game.points, game.first_is_black);
        !by_chance
            && what(self) == what(other)
            && self.board == other.board
            && self.moves == other.moves
            && self.start == other.start
    }

    /// The color of the first player.
    pub fn first_color(&self) -> Color {
        match self.first_is_black {
            true => Color::Black,
            false => Color::White,
        }
    }

    /// Number of its pair, from 0.
    pub fn pair(&self) -> usize {
        self.number.saturating_sub(1) / 2
    }

    /// A tally of this game for the first player; empty if it repeats an earlier one.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        match self.points {
            _ if self.repeats.is_some() => {}
            Some(points) if points > 0.5 => tally.wins = 1,
            Some(points) if points < 0.5 => tally.losses = 1,
            Some(_) => tally.draws = 1,
            None => tally.void = 1,
        }
        tally
    }

    /// The final stones of a game of Go, and all moves; none if the moves are not possible.
    pub fn replayed(&self, conditions: &Conditions) -> Option<(Board, Vec<(Color, Move)>)> {
        let moves = moves_of_text(&self.moves)?;
        let mut position = Position::new(conditions.size, conditions.rules, conditions.komi);
        for &(color, mv) in &moves {
            position.play_reported(color, mv).ok()?;
        }
        Some((position.board().clone(), moves))
    }

    /// All moves.
    pub fn len(&self) -> usize {
        self.moves.split(' ').filter(|mv| !mv.is_empty()).count()
    }

    /// Whether the game has no moves.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Moves of each player, without the opening.
    pub fn own_moves(&self) -> [usize; 2] {
        let first = self.first_color();
        [first, !first].map(|color| {
            let own = self.moves.split(' ').skip(self.opening_len);
            own.filter(|mv| mv.starts_with(color.letter())).count()
        })
    }

    /// The player whose fault or decision ended the game.
    pub fn loser(&self) -> &str {
        &self.names[usize::from(self.points != Some(0.0))]
    }
}

fn kind(ending: &Ending) -> (Kind, Option<&'static str>) {
    let kind = match ending {
        Ending::Counted { basis, .. } => return (Kind::Counted, basis.remark()),
        Ending::Resigned { .. } => Kind::Resigned,
        Ending::OutOfTime { .. } => Kind::OutOfTime,
        Ending::IllegalMove { .. } => Kind::IllegalMove,
        Ending::Refused { .. } => Kind::Error,
        Ending::Crashed { .. } => Kind::Crash,
        Ending::TooLong => Kind::TooLong,
        Ending::NoResult => Kind::NoResult,
        Ending::Won { by, .. } => return (Kind::Won, Some(by)),
        Ending::Drawn { by } => return (Kind::Drawn, Some(by)),
        Ending::Adjudicated { .. } => Kind::Adjudicated,
    };
    (kind, None)
}
