//! The subcommands.

pub mod bench;
pub mod gtp_contestant;
pub mod match_engines;
mod match_openings;
mod match_report;
pub mod regress;
