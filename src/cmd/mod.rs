//! The subcommands.

pub mod bench;
mod gtp_contestant;
pub mod match_engines;
mod match_report;
pub mod regress;
