//! What a match is about: the game that is played, and the conditions of its games. Series, statistics and logs
//! are generic over this.

use std::fmt::Debug;

use maud::Markup;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::contest::GameReport;
use super::ending::Ending;
use super::played::PlayedGame;
use crate::go::{Color, PerColor};
use crate::search::game::Side;

/// The color of a side in games other than Go, of which White is the first side.
pub(super) fn color_of(side: Side) -> Color {
    match side {
        Side::First => Color::White,
        Side::Second => Color::Black,
    }
}

/// The conditions of games of a match. Those of Go are [`Conditions`](super::contest::Conditions), those of
/// other board games [`BoardConditions`](super::board::BoardConditions).
pub trait Terms: Clone + Debug + PartialEq + Send + Sync {
    /// The first moves of a game.
    type Opening: Clone + Debug + PartialEq + Send + Sync;
    /// A player, `dyn Trait`.
    type Contestant: ?Sized;
    /// The moves of a finished game, with what else has to be known to replay them.
    type Moves: Clone + Debug + PartialEq + Send;
    /// The conditions as a match log stores them.
    type Settings: Clone + Debug + PartialEq + Serialize + DeserializeOwned;

    /// The color of the first player in the first game.
    const FIRST: Color;
    /// How names of game records end.
    const RECORDS: &'static str;

    /// Names the board in reports: `9x9`.
    fn board(&self) -> String;

    /// The conditions, for people.
    fn text(&self) -> String;

    /// The conditions with these openings, as stored in the log: a match whose log says otherwise is
    /// another match.
    fn settings(&self, openings: &[Self::Opening]) -> Self::Settings;

    /// The opening without moves.
    fn bare_opening(&self) -> Self::Opening;

    /// Whether an opening has no moves and begins where games usually begin.
    fn is_bare(&self, opening: &Self::Opening) -> bool;

    /// Name of an opening in reports; may be empty.
    fn opening_name(opening: &Self::Opening) -> &str;

    /// Plays the game of this number, from 0. Fails if the opening does not fit the conditions or a
    /// contestant cannot start.
    fn play(
        &self,
        number: usize,
        opening: &Self::Opening,
        contestants: PerColor<&mut Self::Contestant>,
    ) -> anyhow::Result<GameReport<Self::Moves>>;

    /// The position before the first move, where it is not the usual one.
    fn start_text(&self, moves: &Self::Moves) -> Option<String> {
        let _ = moves;
        None
    }

    /// All moves, each preceded by its color: `BQ16 WD4`.
    fn moves_text(moves: &Self::Moves) -> String;

    /// Result and reason, for display.
    fn result_text(ending: &Ending) -> String {
        ending.text_for_white()
    }

    /// What a won game counts, where games are played for points; none where wins alone count.
    fn points(&self, game: &PlayedGame) -> Option<u8> {
        let _ = game;
        None
    }

    /// The game as a record. `number` is that of the game, from 1.
    fn record(&self, report: &GameReport<Self::Moves>, number: usize) -> String;

    /// The final position of a game of these conditions; none if it cannot be replayed.
    fn picture(&self, game: &PlayedGame) -> Option<Markup>;
}
