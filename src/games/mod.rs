//! Adapters of games to [`crate::search::game::Game`], and evaluators without a network.

pub mod anti_mirror;
pub mod chess;
pub mod drawn;
pub mod ending;
pub mod go;
pub mod mirror;
mod patterns;
pub mod rollout;
pub mod rollout_evaluator;
pub mod rollout_mix;
pub mod root_bonus;
