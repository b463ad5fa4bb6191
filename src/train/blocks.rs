//! Blocks of the trunk: forward pass, and a hand-written backward pass.
//!
//! A block takes the trunk's values and adds its results to them or replaces them. It keeps a
//! [`Trace`] of what the backward pass needs, which turns the gradient after the block into the
//! gradient before it; that is 0 in the empty cells.

mod attention;
mod chain_pooling;
mod feed_forward;
mod plain;
mod residual;

use crate::nn::desc::{self, BlockParts};

use super::cells::{Cells, Workspace};
use super::layers::Layer;
use super::real::{Compute, Real};
use super::register::Register;
use attention::{Attention, AttentionTrace};
use chain_pooling::{ChainPooling, ChainPoolingTrace};
use feed_forward::{FeedForward, FeedForwardTrace};
use plain::{Plain, PlainTrace};
use residual::{Residual, ResidualTrace};

#[derive(Debug)]
pub enum Block<T: Real> {
    /// [`desc::ResidualParts`].
    Residual(Box<Residual<T>>),
    /// [`desc::PlainBlock`].
    Plain(Box<Plain<T>>),
    /// [`desc::AttentionBlock`].
    Attention(Box<Attention<T>>),
    /// [`desc::FeedForwardBlock`].
    FeedForward(Box<FeedForward<T>>),
    /// [`desc::ChainPoolingBlock`].
    ChainPooling(Box<ChainPooling<T>>),
}

/// Intermediate results that a block's backward pass needs.
#[derive(Debug)]
pub enum Trace<T> {
    Residual(Box<ResidualTrace<T>>),
    Plain(PlainTrace<T>),
    Attention(Box<AttentionTrace<T>>),
    FeedForward(Box<FeedForwardTrace<T>>),
    ChainPooling(Box<ChainPoolingTrace<T>>),
}

impl<T: Real> Trace<T> {
    /// Returns all buffers to the workspace.
    pub fn give_back(self, workspace: &mut Workspace<T>) {
        match self {
            Trace::Residual(trace) => trace.give_back(workspace),
            Trace::Plain(trace) => trace.give_back(workspace),
            Trace::Attention(trace) => trace.give_back(workspace),
            Trace::FeedForward(trace) => trace.give_back(workspace),
            Trace::ChainPooling(trace) => trace.give_back(workspace),
        }
    }
}

/// Scale of the norm that reads the trunk after this many residual blocks: each adds variance 1.
pub fn stack_factor(blocks: usize) -> f64 {
    1.0 / (blocks as f64 + 1.0).sqrt()
}

/// Residual blocks among `blocks`: those after the last plain block.
pub fn added(blocks: &[desc::Block]) -> usize {
    let adds = |block: &&desc::Block| !matches!(block, desc::Block::Plain(_));
    blocks.iter().rev().take_while(adds).count()
}

/// The blocks of a trunk.
pub fn blocks_of<T: Real>(
    name: &str,
    blocks: &[desc::Block],
    register: &mut Register,
) -> Vec<Block<T>> {
    let named = |(index, block)| {
        let before = added(&blocks[..index]);
        Block::new(&format!("{name}.{index}"), block, before, register)
    };
    blocks.iter().enumerate().map(named).collect()
}

impl<T: Real> Block<T> {
    /// With the number of residual blocks before it.
    pub fn new(
        name: &str,
        block: &desc::Block,
        before: usize,
        register: &mut Register,
    ) -> Block<T> {
        let factor = stack_factor(before);
        match block.parts() {
            BlockParts::Residual(parts) => {
                Block::Residual(Box::new(Residual::new(name, parts, factor, register)))
            }
            BlockParts::Plain(block) => {
                Block::Plain(Box::new(Plain::new(name, block, factor, register)))
            }
            BlockParts::Attention(block) => {
                Block::Attention(Box::new(Attention::new(name, block, register)))
            }
            BlockParts::FeedForward(block) => {
                Block::FeedForward(Box::new(FeedForward::new(name, block, register)))
            }
            BlockParts::ChainPooling(block) => {
                let block = ChainPooling::new(name, block, factor, register);
                Block::ChainPooling(Box::new(block))
            }
        }
    }

    /// The trunk's values after the block.
    pub fn forward(&self, stack: Cells<T>, workspace: &mut Workspace<T>) -> (Cells<T>, Trace<T>) {
        match self {
            Block::Residual(block) => {
                let (stack, trace) = block.forward(stack, workspace);
                (stack, Trace::Residual(Box::new(trace)))
            }
            Block::Plain(block) => {
                let (stack, trace) = block.forward(stack, workspace);
                (stack, Trace::Plain(trace))
            }
            Block::Attention(block) => {
                let (stack, trace) = block.forward(stack, workspace);
                (stack, Trace::Attention(Box::new(trace)))
            }
            Block::FeedForward(block) => {
                let (stack, trace) = block.forward(stack, workspace);
                (stack, Trace::FeedForward(Box::new(trace)))
            }
            Block::ChainPooling(block) => {
                let (stack, trace) = block.forward(stack, workspace);
                (stack, Trace::ChainPooling(Box::new(trace)))
            }
        }
    }

    /// Turns the gradient after the block into the gradient before it.
    ///
    /// # Panics
    ///
    /// Panics if the trace comes from another kind of block.
    pub fn backward(
        &self,
        trace: Trace<T>,
        stack: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        match (self, trace) {
            (Block::Residual(block), Trace::Residual(trace)) => {
                block.backward(*trace, stack, gradient, workspace);
            }
            (Block::Plain(block), Trace::Plain(trace)) => {
                block.backward(trace, stack, gradient, workspace);
            }
            (Block::Attention(block), Trace::Attention(trace)) => {
                block.backward(*trace, stack, gradient, workspace);
            }
            (Block::FeedForward(block), Trace::FeedForward(trace)) => {
                block.backward(*trace, stack, gradient, workspace);
            }
            (Block::ChainPooling(block), Trace::ChainPooling(trace)) => {
                block.backward(*trace, stack, gradient, workspace);
            }
            _ => panic!("a trace of another block"),
        }
    }
}

impl<T: Real> Layer<T> for Block<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        match self {
            Block::Residual(block) => block.load(compute, parameters),
            Block::Plain(block) => block.load(compute, parameters),
            Block::Attention(block) => block.load(compute, parameters),
            Block::FeedForward(block) => block.load(compute, parameters),
            Block::ChainPooling(block) => block.load(compute, parameters),
        }
    }
}
