//! Networks for Go, from file to evaluator.
//!
//! [`katago`] reads a file into [`desc::Net`], which says what the net is. [`candle`] makes a
//! model of that. [`features`] turns positions into its inputs, [`output`] its raw outputs into
//! figures of the game, and [`evaluator`] joins the three for a search.

pub mod candle;
pub mod desc;
pub mod evaluator;
pub mod features;
pub mod katago;
pub mod output;
pub mod symmetrized;
