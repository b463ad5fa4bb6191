//! File formats: text and bytes to and from the types of [`crate::go`].
//!
//! Imports `go` only, plus parser crates. Input may be arbitrary: readers return an error that
//! names the place, never panic, and print nothing.

pub mod board_svg;
pub mod date;
pub mod html;
pub mod ownership;
pub mod piece_svg;
pub mod rules_json;
pub mod sgf;
