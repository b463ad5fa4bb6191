//! Self-play: games of a player against itself, and their labels for training.
//!
//! A run is a folder that any number of processes work on without a server. [`nets`] finds the
//! newest network ([`initial_evaluator`] is used before there is one), [`start`] sets up games,
//! some of them at positions of [`human_games`], [`game`] plays them, [`targets`] makes labels like
//! a teacher's, see [`crate::data::label`]. [`parts`] stores them as shards, [`worker`] plays many
//! games at once. [`policy_games`] are games of bare policies, from which a network learns by policy
//! gradients. Evaluators are passed in: this module knows networks only as files.

pub mod board_games;
pub mod game;
pub mod human_games;
pub mod initial_evaluator;
pub mod nets;
pub mod params;
pub mod parts;
pub mod policy_games;
pub mod policy_params;
pub mod start;
pub mod targets;
pub mod worker;
