//! Game records as SGF, FF\[4\] (<https://www.red-bean.com/sgf/>): the main line of the first game
//! of a file, with setup stones, handicap, komi, rules, result, names and comments.
//!
//! `decode` converts bytes to text by their encoding; `scan` splits the main line into nodes, so
//! that variations of any depth are skipped; `property`, `number` and `info` parse properties;
//! `read` and `start` build a record, `beside` keeps variations and other properties, `write` writes a record,
//! `annotated` adds remarks and variations, and `heading` keeps what a record says while its game goes on. Real files
//! are accepted: without `SZ`, `KM` or `FF`, in Latin-1 or Shift-JIS, truncated after a node, with garbage before the
//! game. An anomaly that leaves the board clear yields a [`Remark`]; a file that is not clearly a game of Go is
//! refused, naming the node. No move is dropped silently.
//!
//! A record has setup stones at its start only. Where a file sets up stones later (`AB`, `AW`,
//! `AE`, or `PL` against the turn, or an illegal move with `KO`), the record restarts from the
//! position there, with a remark; earlier moves, comments and prisoners are dropped; move numbers
//! in [`ReadOptions::before_move`] still count the moves of the file.

mod annotated;
mod beside;
mod decode;
mod heading;
mod info;
mod known;
mod number;
mod other_info;
mod property;
mod read;
mod remark;
mod scan;
mod start;
mod write;

pub use annotated::{Annotation, write_annotated};
pub use beside::{Beside, SideLine, SideNode};
pub use heading::Heading;
pub use other_info::Info;
pub use read::{ReadOptions, Reading, parse, parse_with, read, read_with_variations};
pub use remark::{Kind, Remark};
pub use scan::Property;
pub use write::{Variation, write, write_with_variations};
