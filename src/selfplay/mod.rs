//! Self-play: games of a player against itself, and what training learns from them.
//!
//! A run is a folder that any number of processes work on and that nobody serves. [`nets`] tells which
//! network is the newest ([`initial_evaluator`] plays before there is one), [`start`] how games begin, some of them
//! at places of [`human_games`], [`game`] how they are played, [`targets`] what is made of them: labels
//! as a teacher's, see [`crate::data::label`]. [`parts`] stores them as shards, [`worker`] plays
//! many games at once. Nothing here knows networks but by their files: what evaluates positions comes
//! from outside.

pub mod game;
pub mod human_games;
pub mod initial_evaluator;
pub mod nets;
pub mod params;
pub mod parts;
pub mod start;
pub mod targets;
pub mod worker;
