//! Training of networks.
//!
//! [`batch`] is what is learned from, and [`data`] where it comes from.

pub mod batch;
pub mod data;
