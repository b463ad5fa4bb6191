//! keima, a Go engine that also plays chess, draughts, gomoku and backgammon. The modules, lowest layer first:
//!
//! 1. [`go`]: the rules; [`search`]: tree search over any game. They are independent.
//!    [`solver`]: life and death, on top of the rules. [`minimax`]: alpha-beta search over any game.
//! 2. [`games`]: adapters between games and search; [`formats`]: SGF, JSON; [`clock`]: time.
//! 3. [`nn`]: networks, from file to evaluator.
//! 4. [`player`]: choosing moves; [`arena`]: matches; [`tune`]: weights of evaluations; [`data`]: labelled
//!    positions.
//! 5. [`gtp`], [`analysis`]: the protocols; [`review`]: reviews of games; [`train`], [`selfplay`]: new
//!    networks.
//! 6. [`serve`]: games and analyses for pages that stay connected.
//! 7. [`cmd`]: the command line, whose subcommands combine the others.
//!
//! [`console`] prints, [`files`] writes files, [`process`] runs engines, [`threads`] starts threads, [`input_lines`]
//! reads lines, [`memory`] finds the available memory; [`params`] declares parameters with names, [`splitmix`] makes
//! numbers for hashes.
//!
//! `docs/architecture.md` describes the data flow.

pub mod analysis;
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
pub mod input_lines;
pub mod memory;
pub mod minimax;
pub mod nn;
pub mod params;
pub mod player;
pub mod process;
pub mod review;
pub mod search;
pub mod selfplay;
pub mod serve;
pub mod solver;
pub mod splitmix;
pub mod threads;
pub mod train;
pub mod tune;
