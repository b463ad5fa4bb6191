//! The steps of an evaluation.

use super::attention::{Attend, Gate};
use super::chain_pooling::ChainPooling;
use super::conv::ConvStep;
use super::memory::Memory;
use super::norm::RmsNorm;
use super::stem::Stem;
use super::vectors::{Pool, Turn, run_dense};
use crate::nn::features::InputBatch;
use crate::nn::plan::Dense;

/// A step. An operation of a plan becomes one or two of them.
#[derive(Debug)]
pub enum Step {
    Stem(Box<Stem>),
    Conv(Box<ConvStep>),
    ChainPooling(Box<ChainPooling>),
    RmsNorm(Box<RmsNorm>),
    Attend(Box<Attend>),
    Gate(Gate),
    Pool(Pool),
    Turn(Turn),
    Dense(Box<Dense>),
}

impl Step {
    /// Writes its values.
    pub fn run(&self, inputs: &InputBatch, memory: &mut Memory) {
        match self {
            Step::Stem(stem) => stem.run(inputs, memory),
            Step::Conv(conv) => conv.run(memory),
            Step::ChainPooling(pooling) => pooling.run(memory),
            Step::RmsNorm(norm) => norm.run(memory),
            Step::Attend(attend) => attend.run(memory),
            Step::Gate(gate) => gate.run(memory),
            Step::Pool(pool) => pool.run(memory),
            Step::Turn(turn) => turn.run(memory),
            Step::Dense(dense) => run_dense(dense, memory),
        }
    }

    /// Whether it leaves the operands of a convolution where they are.
    pub fn keeps_operands(&self) -> bool {
        matches!(self, Step::Pool(_) | Step::Turn(_) | Step::Dense(_))
    }
}
