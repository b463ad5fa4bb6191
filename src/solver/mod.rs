//! Life and death: what becomes of a group in a part of the board, whoever moves first.

mod arena;
mod dfpn;
mod life;
mod order;
mod question;
mod region;
mod status;
mod table;
mod zone;

pub use arena::Side;
pub use region::{enclosed_group, region_around};
pub use status::{Outcome, Problem, ProblemError, Solver, Status};

#[cfg(test)]
mod twin;
