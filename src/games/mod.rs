//! Games: adapters of Go to [`crate::search::game::Game`] with evaluators without a network, and
//! other board games for [`crate::minimax`], each in a folder of its own.

pub mod anti_mirror;
pub mod backgammon;
pub mod background;
pub mod board_game;
pub mod chess;
pub mod chooser;
pub mod coded;
pub mod coded_evaluators;
pub mod dice_game;
pub mod draughts;
pub mod ending;
pub mod go;
pub mod go_minimax;
pub mod gomoku;
pub mod hub_line;
pub mod mirror;
pub mod network_inputs;
mod patterns;
pub mod record;
pub mod rollout;
pub mod rollout_evaluator;
pub mod rollout_mix;
pub mod rollout_policy;
pub mod root_bonus;
pub mod weighted;
