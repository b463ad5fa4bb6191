//! The subcommands.

pub mod regress;
