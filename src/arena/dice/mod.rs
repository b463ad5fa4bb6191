//! Matches at games with dice: conditions, the referee, the interface of players.
//!
//! Games are known by the trait [`DiceGame`](crate::games::dice_game::DiceGame). White is the first side. The two games
//! of a pair have the same dice, with sides exchanged; they follow from the seed of the match and the number of the
//! pair.

mod conditions;
mod player;
mod referee;

pub use conditions::{DiceConditions, DiceMoves, DiceOpening, DiceSettings};
pub use player::{DiceContestant, Local};
