//! File formats: text and bytes to and from the types of [`crate::go`].
//!
//! Imports `go` only, plus crates that read the formats. What comes from outside may be anything:
//! reading answers with an error that names the place, never with a panic, and prints nothing.

pub mod board_svg;
pub mod html;
pub mod rules_json;
pub mod sgf;
