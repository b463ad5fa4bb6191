//! The subcommands.

pub mod bench;
pub mod regress;
