//! Training of networks.
//!
//! [`batch`] is what is learned from.

pub mod batch;
