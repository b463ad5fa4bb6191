//! Who decides on a move in Go: by a tree search, by a network alone, or by chance; and what a player does besides
//! searching: it resigns, plays on with a handicap, passes, judges.

mod advantage;
pub mod analysis;
mod cleanup;
pub mod evaluation_player;
pub mod evaluators;
mod guided;
pub mod judgement;
pub mod networks;
pub mod params;
#[expect(
    clippy::module_inception,
    reason = "the trait that the folder is about"
)]
pub mod player;
pub mod rank;
pub mod resignation;
pub mod root_params;
pub mod search_limits;
pub mod search_player;
pub mod session;
pub mod settlement;
mod symmetric_moves;
pub mod view;

pub use player::{LastReport, Nobody, Observer, Player, ReportTimes, Watch};
