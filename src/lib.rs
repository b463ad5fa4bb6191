//! keima, a Go engine. The modules, lowest layer first:
//!
//! 1. [`go`]: the rules; [`search`]: tree search over any game. Neither knows the other.
//!    [`solver`]: life and death, on top of the rules.
//! 2. [`games`]: what the searches can play; [`formats`]: SGF, JSON; [`clock`]: time.
//! 3. [`nn`]: networks for Go, from file to evaluator.
//! 4. [`player`]: who decides on a move; [`arena`]: matches; [`data`]: labelled positions.
//! 5. [`gtp`]: the protocol; [`train`], [`selfplay`]: new networks.
//! 6. [`cmd`]: the command line, whose subcommands put the others together.
//!
//! [`console`] prints, [`files`] writes files, [`threads`] starts threads, [`memory`] tells how
//! much there is; [`params`] lets things be
//! set by name.
//!
//! `docs/architecture.md` tells how data flows through them.

pub mod arena;
pub mod clock;
pub mod cmd;
pub mod console;
pub mod data;
pub mod files;
pub mod formats;
pub mod games;
pub mod go;
pub mod gtp;
pub mod memory;
pub mod nn;
pub mod params;
pub mod player;
pub mod search;
pub mod selfplay;
pub mod solver;
pub mod threads;
pub mod train;
