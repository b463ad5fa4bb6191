//! Game records as SGF, FF\[4\] (<https://www.red-bean.com/sgf/>): the main line of the first game
//! of a file, with set-up stones, handicap, komi, rules, result, names and comments.
//!
//! `decode` makes text of the bytes, in the encoding they are in; `scan` takes the main line's
//! nodes apart, so that variations, however deep, are skipped; the properties are understood in
//! `property`, `number` and `info`; `read` and `start` make a record of them, and `write` writes.
//! Files are taken as they come: without `SZ`, `KM` or `FF`, in Latin-1 or Shift-JIS, cut off after a
//! node, with garbage before the game. What is odd, but leaves the board in no doubt, is told in a
//! [`Remark`]; what cannot be understood as a game of Go is refused, naming the node. No move is left
//! out without a word.
//!
//! A record has set-up stones at its start only. Where a file sets up stones later on (`AB`, `AW`,
//! `AE`, or `PL` against the turn, or an illegal move with `KO`), the record starts over from the
//! position there, which a remark tells; the moves and comments before are dropped and prisoners
//! forgotten; move numbers given to [`ReadOptions::before_move`] still count the moves of the file.

mod decode;
mod info;
mod known;
mod number;
mod property;
mod read;
mod remark;
mod scan;
mod start;
mod write;

pub use read::{ReadOptions, Reading, parse, parse_with, read};
pub use remark::{Kind, Remark};
pub use write::{Variation, write, write_with_variations};
