//! Analysis of many positions at once by JSON on standard input and output, in KataGo's protocol (its
//! document "Parallel Analysis Engine"): a query or an action per line, and answers in any order.
//!
//! A thread reads lines ([`request`] parses them) and hands the positions of queries to the
//! [`scheduler`]. Workers take them by priority and search each with a player of its own; all share the
//! networks and their stored evaluations. A thread writes what [`output`] holds.
//!
//! Memory is bounded: the reader waits while too many positions do, and whoever answers waits while too
//! much has not been read by the client.

#![deny(missing_docs)]

mod answer;
pub mod engine;
mod fields;
mod hashes;
mod message;
mod options;
mod output;
mod params;
mod places;
mod query;
mod request;
mod restrictions;
mod rules;
mod scheduler;
mod server;
mod settings;
mod turns;
mod worker;

pub use engine::{Engine, ModelInfo};
pub use params::ServerParams;
pub use server::{End, Server};
