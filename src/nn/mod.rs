//! Networks, from file to evaluator, and decorators for evaluators of any game. Where nothing else is said they are for
//! Go; [`board_evaluator`] is for those of other board games.
//!
//! [`network`] opens files of any family: [`katago`] reads them into [`desc::Net`], [`leela`] into
//! [`desc::leela::LeelaNet`], which say what the net is; [`checkpoint`] is keima's own format, and
//! [`arch`] makes new nets. [`plan`] lowers them to operations, which [`cpu`] and [`gpu`] compute;
//! [`candle`] computes the rest and is the tests' oracle. [`backend`] opens devices, and [`runner`] gives
//! all models one face. [`features`] and [`metadata`] make a model's
//! inputs, [`input_shape`] says how many, [`output`] turns its raw outputs into values of the game, and
//! [`evaluator`] joins all that for a search, with [`settings`] that never change; threads that share a model on a
//! GPU meet at a [`batch_queue`]. [`network_folder`] finds files by name, [`network_set`] says which network is for
//! which board; [`cache`] wraps evaluators.

pub mod arch;
pub mod backend;
pub mod batch_queue;
pub mod board_evaluator;
pub mod cache;
pub mod candle;
pub mod checkpoint;
pub mod cpu;
pub mod desc;
pub mod evaluator;
pub mod features;
pub mod gpu;
pub mod input_shape;
pub mod katago;
pub mod leela;
pub mod metadata;
pub mod network;
pub mod network_folder;
pub mod network_set;
pub mod output;
pub mod plan;
pub mod quantization_check;
pub mod regions;
pub mod runner;
pub mod sample_games;
pub mod settings;
pub mod summary;
pub mod symmetrized;
pub mod symmetry_choice;

use crate::go::BoardSize;

/// The longest side of the boards that [`default_small_network`] was trained on.
pub const LONGEST_SMALL_SIDE: usize = 11;

/// On boards of fewer points, however long, [`default_network`] answers nonsense, as on 4x19 or 6x15. On 8x15 it is
/// the better one.
const LEAST_LARGE_AREA: usize = 100;

/// Whether [`default_small_network`] is for boards of this size: small and narrow ones.
pub fn is_for_small_network(size: BoardSize) -> bool {
    size.longer_side() <= LONGEST_SMALL_SIDE || size.area() < LEAST_LARGE_AREA
}

/// The built-in network's file, if there is one.
pub fn default_network() -> Option<&'static [u8]> {
    #[cfg(has_default_network)]
    return Some(include_bytes!("../../weights/default.safetensors"));
    #[cfg(not(has_default_network))]
    None
}

/// The file of the built-in network for small boards, if there is one.
pub fn default_small_network() -> Option<&'static [u8]> {
    #[cfg(has_small_network)]
    return Some(include_bytes!("../../weights/small.bin.gz"));
    #[cfg(not(has_small_network))]
    None
}
