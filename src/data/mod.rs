//! What training learns from: positions of games, labelled by a teacher, stored, and read back.
//!
//! [`sources`] reads games, [`collection`] keeps them as [`line::Line`]s of two bytes a move.
//! [`sampler`] walks through them and through games of the teacher against itself, with rules and
//! komi of [`variety`], and asks the teacher about what it meets: a [`label::Label`] each.
//! [`shard`] is the file they are stored in, and [`run`] the folder of such files, which several
//! processes may fill; [`generations`] are the folders that self-play fills. [`stream`] reads
//! folders back as shuffled batches ([`batch`]), of those [`boards`] that are wanted.
//! [`won_positions`] are not learned from: they examine networks.

pub mod batch;
pub mod boards;
pub mod check;
pub mod collection;
pub mod generations;
pub mod label;
pub mod line;
pub mod plan;
pub mod run;
pub mod sampler;
pub mod shard;
pub mod sources;
pub mod stream;
pub mod tally;
mod tsv;
pub mod variety;
pub mod won_positions;
