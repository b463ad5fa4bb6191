//! Training of networks from batches of [`crate::data`].
//!
//! [`model`] is a net in training: a list of parameters ([`register`]) and the layers that use them
//! ([`graph`], of [`stem`], [`blocks`], [`heads`] and [`layers`]), which compute on [`cells`],
//! attention on a [`matrix`] per board, with numbers of a type in [`real`]. [`objective`] computes
//! [`losses`] and their gradients; [`trainer`] makes steps with an [`optimizer`] at the learning
//! rate of a [`schedule`]. [`run`] is a training run in a folder, [`validation`] measures nets on
//! held-out data, [`accuracy`] those of other games than Go, [`nets`] are those that passed a gate. Only [`run`], [`validation`] and [`nets`] read or write files.

pub mod accuracy;
mod activation;
pub mod blocks;
pub mod cells;
pub mod engine;
mod flat_heads;
pub mod gpu;
pub mod graph;
pub mod growth;
pub mod heads;
pub mod layers;
pub mod losses;
pub mod matrix;
mod mixed;
pub mod model;
mod muon;
pub mod nets;
pub mod objective;
pub mod optimizer;
pub mod outputs;
mod pool;
mod pool_branch;
pub mod real;
pub mod register;
mod rms;
pub mod run;
pub mod schedule;
pub mod stem;
mod tensors;
mod terms;
mod threads;
pub mod trainer;
pub mod validation;
mod value_head;
pub mod weight_sharing;
mod winograd;
