//! Networks for Go, from file to evaluator, and decorators for evaluators of any game.
//!
//! [`network`] opens files of any family: [`katago`] reads them into [`desc::Net`], [`leela`] into
//! [`desc::leela::LeelaNet`], which say what the net is; [`checkpoint`] is keima's own format, and
//! [`arch`] makes new nets. [`candle`] and [`cpu`] make models of that, on what [`backend`] has
//! opened, and [`runner`] gives all models one face. [`features`] and [`metadata`] make a model's
//! inputs, [`output`] turns its raw outputs into figures of the game, and [`evaluator`] joins all
//! that for a search, asking as [`settings`] say. [`lineup`] says which network is for which position,
//! [`shared`] is the one in use; [`batcher`], which has threads meet at a [`rendezvous`], and [`cache`]
//! wrap evaluators.

pub mod arch;
pub mod backend;
pub mod batcher;
pub mod cache;
pub mod candle;
pub mod checkpoint;
pub mod cpu;
pub mod desc;
pub mod evaluator;
pub mod features;
pub mod katago;
pub mod leela;
pub mod lineup;
pub mod metadata;
pub mod network;
pub mod output;
pub mod rendezvous;
pub mod runner;
pub mod sample_games;
pub mod settings;
pub mod shared;
pub mod summary;
pub mod symmetrized;
pub mod trial;

use lineup::Specialty;

/// The longest side of the boards that the network for small ones is for.
pub const LONGEST_SMALL_SIDE: usize = 11;
/// Share of points with stones from which on the network for late positions plays. It has learned from
/// boards that were a fifth full and more.
pub const LATE_FULLNESS: f64 = 0.25;

/// The file of the network built into the program, if it was built with one.
pub fn default_network() -> Option<&'static [u8]> {
    #[cfg(has_default_network)]
    return Some(include_bytes!("../../weights/default.bin.gz"));
    #[cfg(not(has_default_network))]
    None
}

/// The files of the networks built in beside it, each with what it is for.
pub fn default_specialists() -> Vec<(Specialty, &'static [u8])> {
    vec![
        #[cfg(has_small_network)]
        (
            Specialty::SmallBoards {
                longest_side: LONGEST_SMALL_SIDE,
            },
            include_bytes!("../../weights/small.bin.gz"),
        ),
        #[cfg(has_late_network)]
        (
            Specialty::FullBoards {
                from: LATE_FULLNESS,
            },
            include_bytes!("../../weights/late.bin.gz"),
        ),
    ]
}
