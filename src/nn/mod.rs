//! Networks for Go, from file to evaluator, and decorators for evaluators of any game.
//!
//! [`network`] opens files of any family: [`katago`] reads them into [`desc::Net`], [`leela`] into
//! [`desc::leela::LeelaNet`], which say what the net is. [`candle`] makes a
//! model of that. [`features`] and [`metadata`] make its inputs, [`output`] turns its raw outputs into
//! figures of the game, and [`evaluator`] joins the three for a search, asking as [`settings`] say.
//! [`shared`] is the network in use; [`batcher`] and [`cache`] wrap evaluators.

pub mod batcher;
pub mod cache;
pub mod candle;
pub mod desc;
pub mod evaluator;
pub mod features;
pub mod katago;
pub mod leela;
pub mod metadata;
pub mod network;
pub mod output;
pub mod settings;
pub mod shared;
pub mod summary;
pub mod symmetrized;

/// The file of the network built into the program, if it was built with one.
pub fn default_network() -> Option<&'static [u8]> {
    #[cfg(has_default_network)]
    return Some(include_bytes!("../../weights/default.bin.gz"));
    #[cfg(not(has_default_network))]
    None
}
