//! The rules of Go: boards from 2x2 to 25x25, rule sets, scoring, ladders, pass-alive chains.
//!
//! Conventions: rows count from the bottom and arrays run from the top left (see [`point`]); komi
//! is in half points and positive for White; scores name their color. This module is independent of
//! networks, searches and protocols.

mod answer;
pub mod area;
mod benson;
pub mod board;
mod chain;
pub mod color;
pub mod count;
pub mod diagram;
pub mod encore;
pub mod handicap;
pub mod komi;
pub mod ladder;
mod parse_error;
pub mod perft;
pub mod point;
pub mod point_set;
pub mod position;
pub mod record;
pub mod result;
mod rows;
pub mod rules;
pub mod score;
pub mod setup;
mod stones;
pub mod symmetry;
pub mod validate;
pub(crate) mod zobrist;

pub use answer::Answer;
pub use area::{AreaMap, ScoredArea};
pub use board::{Board, Played};
pub use color::{Color, PerColor};
pub use komi::Komi;
pub use ladder::{Ladders, caught_in_ladders, ladders};
pub use parse_error::ParseError;
pub use point::{BoardSize, Move, Point};
pub use point_set::PointSet;
pub use position::{GameEnd, IllegalMove, Position};
pub use record::{GameRecord, ReplayError};
pub use result::{GameResult, WonBy};
pub use rules::{HandicapBonus, KoRule, Rules, Scoring, Tax};
pub use score::Score;
pub use setup::{Setup, SetupError, SetupErrors};
pub use symmetry::Symmetry;
