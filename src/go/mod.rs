//! The rules of Go.

pub mod color;
pub mod point;
