//! Game records as SGF, FF\[4\] (<https://www.red-bean.com/sgf/>): the main line of the first game
//! of a file, with set-up stones, handicap, komi, rules, result, names and comments.
//!
//! `scan` finds the nodes of the main line, so that variations, however deep, are skipped and not
//! parsed; the properties of each node are parsed by the crate `sgf-parse` and understood in
//! `property` and `info`; `read` and `start` make a record of them, and `write` writes. Files are
//! taken as they come: without `SZ`, `KM` or `FF`, in Latin-1, cut off after a node, with garbage
//! before the game. What cannot be understood as a game of Go is refused, naming the node.
//!
//! A record has set-up stones at its start only. Where a file sets up stones later on (`AB`, `AW`,
//! `AE`, or `PL` against the turn), the record starts over from the position there, and the moves
//! and comments before are dropped and prisoners forgotten; move numbers given to [`ReadOptions::before_move`] still count
//! the moves of the file.

mod info;
mod property;
mod read;
mod scan;
mod start;
mod write;

pub use read::{ReadOptions, parse, parse_with};
pub use write::write;
