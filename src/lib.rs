//! keima, a Go engine. The modules, lowest layer first:
//!
//! 1. [`go`]: the rules; [`search`]: tree search over any game. Neither knows the other.
//! 2. [`games`]: what the searches can play; [`formats`]: SGF, JSON.
//! 3. [`nn`]: networks for Go, from file to evaluator.
//! 4. [`gtp`], [`arena`]: the protocol, and matches between players; [`train`]: new networks.
//! 5. [`cmd`]: the subcommands, which put the others together; [`cli`]: what may be typed.
//!
//! [`console`] prints, [`files`] writes files, [`threads`] starts threads, [`memory`] tells how
//! much there is; [`params`] lets things be
//! set by name.
//!
//! `docs/architecture.md` tells how data flows through them.

pub mod arena;
pub mod cli;
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
pub mod threads;
pub mod train;
