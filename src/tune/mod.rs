//! Tuning the weights of an evaluation: by a genetic algorithm over games, and by Texel's method over positions.
//!
//! [`genetic`] is the algorithm, made of [`genome`], [`select`], [`cross`] and [`replace`]; it is given the scores of individuals.
//! [`duel`] is fitness by games, [`run`] a run in a folder. [`positions`] makes positions with results, [`texel`] fits
//! weights to them. Games are known by the traits [`BoardGame`](crate::games::board_game::BoardGame) and
//! [`Weighted`](crate::games::weighted::Weighted).

pub mod cross;
pub mod duel;
pub mod genetic;
pub mod genome;
pub mod judge;
pub mod knockout;
pub mod positions;
pub mod replace;
pub mod run;
pub mod select;
pub mod texel;
pub mod texel_run;
