//! Training data: positions labelled by a teacher, stored, and read back.
//!
//! [`sources`] reads games, [`collection`] keeps them as [`line::Line`]s of two bytes per move.
//! [`sampler`] selects positions of these games and of games of the teacher against itself, with
//! rules and komi from [`variety`], and evaluates them with the teacher: the result is a
//! [`label::Label`] each. [`shard`] is the file format, and [`label_folder`] a folder of shards that several
//! processes may fill; [`generations`] are the folders of self-play, [`records`] those of labels made
//! from recorded games alone. [`network_games`] are those that networks played for labels. [`stream`] reads folders back
//! as shuffled batches ([`batch`]) of selected [`boards`]. [`won_positions`] are for evaluating
//! networks only. [`board_games`], [`board_samples`] and [`board_summary`] are for board games besides Go.

pub mod batch;
pub mod board_games;
pub mod board_samples;
pub mod board_summary;
pub mod boards;
pub mod check;
pub mod collection;
pub mod generations;
pub mod label;
pub mod label_folder;
pub mod line;
pub mod network_games;
pub mod plan;
pub mod records;
pub mod sampler;
pub mod shard;
pub mod sources;
pub mod stream;
pub mod tally;
pub mod tsv;
pub mod variety;
pub mod won_positions;
