//! Residual and plain blocks: forward, and backward by hand.
//!
//! A block takes the stack and returns it with its own results added or in its place, and a [`Trace`] of what the
//! way back needs. The way back changes the gradient of the stack after the block to that before it;
//! it is 0 in the empty cells.

use anyhow::{Result, bail};

use crate::nn::desc;

use super::cells::{Cells, Workspace};
use super::layers::{Conv, Layer, NormAct};
use super::pool::{add_everywhere, sums};
use super::pool_branch::{Pool, PoolTrace};
use super::real::{Compute, Real};
use super::register::Register;

/// A block of one of the kinds that can be trained.
#[derive(Debug)]
pub enum Block<T: Real> {
    /// [`desc::OrdinaryBlock`] or [`desc::GlobalPoolingBlock`].
    Residual(Box<Residual<T>>),
    /// [`desc::NestedBottleneckBlock`].
    Nested(Box<Nested<T>>),
    /// [`desc::PlainBlock`].
    Plain(Box<Plain<T>>),
}

/// What a block remembers of its way forward.
#[derive(Debug)]
pub enum Trace<T> {
    /// Of a [`Residual`].
    Residual(Box<ResidualTrace<T>>),
    /// Of a [`Nested`].
    Nested(Box<NestedTrace<T>>),
    /// Of a [`Plain`].
    Plain(PlainTrace<T>),
}

impl<T: Real> Trace<T> {
    /// Gives all buffers back.
    pub fn give_back(self, workspace: &mut Workspace<T>) {
        match self {
            Trace::Residual(trace) => {
                if let Some(pool) = trace.pool {
                    pool.give_back(workspace);
                }
                workspace.give([trace.stack, trace.u, trace.a, trace.v]);
            }
            Trace::Nested(trace) => {
                let inner = trace.blocks.into_iter();
                inner.for_each(|block| block.give_back(workspace));
                workspace.give([trace.stack, trace.u, trace.inner, trace.v]);
            }
            Trace::Plain(trace) => workspace.give([trace.stack, trace.u]),
        }
    }
}

/// The factor of the norm that reads a stack to which so many blocks were added: each adds the
/// variance 1.
pub fn stack_factor(blocks: usize) -> f64 {
    1.0 / (blocks as f64 + 1.0).sqrt()
}

/// How many blocks were added to the stack that there is after some: those after the last plain
/// one.
pub fn added(blocks: &[desc::Block]) -> usize {
    let adds = |block: &&desc::Block| !matches!(block, desc::Block::Plain(_));
    blocks.iter().rev().take_while(adds).count()
}

/// The blocks of a stack.
pub fn blocks_of<T: Real>(
    name: &str,
    blocks: &[desc::Block],
    register: &mut Register,
) -> Result<Vec<Block<T>>> {
    let named = |(index, block)| {
        let before = added(&blocks[..index]);
        Block::new(&format!("{name}.{index}"), block, before, register)
    };
    blocks.iter().enumerate().map(named).collect()
}

impl<T: Real> Block<T> {
    /// With the number of blocks before it on the same stack.
    pub fn new(
        name: &str,
        block: &desc::Block,
        before: usize,
        register: &mut Register,
    ) -> Result<Block<T>> {
        let factor = stack_factor(before);
        Ok(match block {
            desc::Block::Ordinary(block) => {
                let (a, b) = (&block.conv_a, &block.conv_b);
                let norms = (&block.pre, factor, &block.mid);
                let block = Residual::new(name, norms, (a, b), None, register)?;
                Block::Residual(Box::new(block))
            }
            desc::Block::GlobalPooling(block) => {
                let (a, b) = (&block.conv_a, &block.conv_b);
                let norms = (&block.pre, factor, &block.mid);
                let block = Residual::new(name, norms, (a, b), Some(block), register)?;
                Block::Residual(Box::new(block))
            }
            desc::Block::NestedBottleneck(block) => {
                Block::Nested(Box::new(Nested::new(name, block, factor, register)?))
            }
            desc::Block::Plain(block) => Block::Plain(Box::new(Plain {
                pre: register.norm(&format!("{name}.pre"), &block.pre, factor),
                conv: register.conv(&format!("{name}.conv"), &block.conv)?,
            })),
            desc::Block::Attention(_) | desc::Block::FeedForward(_) => {
                bail!("{name}: blocks of transformers cannot be trained")
            }
        })
    }

    /// The stack after the block.
    pub fn forward(&self, stack: Cells<T>, workspace: &mut Workspace<T>) -> (Cells<T>, Trace<T>) {
        match self {
            Block::Residual(block) => {
                let (stack, trace) = block.forward(stack, workspace);
                (stack, Trace::Residual(Box::new(trace)))
            }
            Block::Nested(block) => {
                let (stack, trace) = block.forward(stack, workspace);
                (stack, Trace::Nested(Box::new(trace)))
            }
            Block::Plain(block) => {
                let (stack, trace) = block.forward(stack, workspace);
                (stack, Trace::Plain(trace))
            }
        }
    }

    /// From the gradient of the stack after the block to that before it.
    ///
    /// # Panics
    ///
    /// Panics if the trace is not of this block.
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
            (Block::Nested(block), Trace::Nested(trace)) => {
                block.backward(*trace, stack, gradient, workspace);
            }
            (Block::Plain(block), Trace::Plain(trace)) => {
                block.backward(trace, stack, gradient, workspace);
            }
            _ => panic!("a trace of another block"),
        }
    }
}

impl<T: Real> Layer<T> for Block<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        match self {
            Block::Residual(block) => block.load(compute, parameters),
            Block::Nested(block) => block.load(compute, parameters),
            Block::Plain(block) => block.load(compute, parameters),
        }
    }
}

/// Two convolutions, with figures of the whole board added between them if there is a pool.
#[derive(Debug)]
pub struct Residual<T: Real> {
    pre: NormAct<T>,
    conv_a: Conv<T>,
    pool: Option<Pool<T>>,
    mid: NormAct<T>,
    conv_b: Conv<T>,
}

/// What the way back of a [`Residual`] needs.
#[derive(Debug)]
pub struct ResidualTrace<T> {
    stack: Cells<T>,
    /// The stack normed.
    u: Cells<T>,
    pool: Option<PoolTrace<T>>,
    /// Between the convolutions.
    a: Cells<T>,
    /// The same normed.
    v: Cells<T>,
}

impl<T: Real> Residual<T> {
    fn new(
        name: &str,
        (pre, factor, mid): (&desc::NormAct, f64, &desc::NormAct),
        (conv_a, conv_b): (&desc::Conv, &desc::Conv),
        pool: Option<&desc::GlobalPoolingBlock>,
        register: &mut Register,
    ) -> Result<Residual<T>> {
        let name = |layer: &str| format!("{name}.{layer}");
        Ok(Residual {
            pre: register.norm(&name("pre"), pre, factor),
            conv_a: register.conv(&name("conv_a"), conv_a)?,
            pool: match pool {
                Some(block) => {
                    let layers = (&block.pool_conv, &block.pool_norm, &block.pool_matmul);
                    Some(Pool::new(name, layers, register)?)
                }
                None => None,
            },
            mid: register.norm(&name("mid"), mid, 1.0),
            conv_b: register.conv(&name("conv_b"), conv_b)?,
        })
    }

    fn forward(
        &self,
        stack: Cells<T>,
        workspace: &mut Workspace<T>,
    ) -> (Cells<T>, ResidualTrace<T>) {
        let mut u = workspace.take(self.conv_a.inputs);
        self.pre.forward(&stack, &mut u, workspace);
        let mut a = workspace.take(self.conv_a.outputs);
        self.conv_a.forward(&u, &mut a, false, workspace);
        let pool = self.pool.as_ref().map(|pool| {
            let (biases, trace) = pool.forward(&u, workspace);
            add_everywhere(&mut a, &biases, workspace);
            trace
        });
        let mut v = workspace.take(self.conv_b.inputs);
        self.mid.forward(&a, &mut v, workspace);
        let mut sum = workspace.take(stack.channels());
        sum.copy_from(&stack);
        self.conv_b.forward(&v, &mut sum, true, workspace);
        let trace = ResidualTrace {
            stack,
            u,
            pool,
            a,
            v,
        };
        (sum, trace)
    }

    fn backward(
        &self,
        trace: ResidualTrace<T>,
        stack: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        self.conv_b
            .add_gradient(&trace.v, stack, gradient, workspace);
        let mut of_a = workspace.take(self.conv_b.inputs);
        self.conv_b.backward(stack, &mut of_a, false, workspace);
        self.mid.backward(&trace.a, &mut of_a, gradient, workspace);
        self.conv_a
            .add_gradient(&trace.u, &of_a, gradient, workspace);
        let mut of_u = workspace.take(self.conv_a.inputs);
        self.conv_a.backward(&of_a, &mut of_u, false, workspace);
        if let (Some(pool), Some(of_pool)) = (&self.pool, trace.pool) {
            let biases = sums(&of_a, workspace);
            pool.backward((of_pool, &trace.u), &biases, &mut of_u, gradient, workspace);
        }
        self.pre
            .backward(&trace.stack, &mut of_u, gradient, workspace);
        stack.add(&of_u);
        workspace.give([trace.stack, trace.u, trace.a, trace.v, of_a, of_u]);
    }
}

impl<T: Real> Layer<T> for Residual<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.pre.load(compute, parameters);
        self.conv_a.load(compute, parameters);
        if let Some(pool) = &mut self.pool {
            pool.load(compute, parameters);
        }
        self.mid.load(compute, parameters);
        self.conv_b.load(compute, parameters);
    }
}

/// One convolution.
#[derive(Debug)]
pub struct Plain<T: Real> {
    pre: NormAct<T>,
    conv: Conv<T>,
}

/// What the way back of a [`Plain`] needs.
#[derive(Debug)]
pub struct PlainTrace<T> {
    stack: Cells<T>,
    /// The stack normed.
    u: Cells<T>,
}

impl<T: Real> Plain<T> {
    fn forward(&self, stack: Cells<T>, workspace: &mut Workspace<T>) -> (Cells<T>, PlainTrace<T>) {
        let mut u = workspace.take(self.conv.inputs);
        self.pre.forward(&stack, &mut u, workspace);
        let mut after = workspace.take(self.conv.outputs);
        self.conv.forward(&u, &mut after, false, workspace);
        (after, PlainTrace { stack, u })
    }

    fn backward(
        &self,
        trace: PlainTrace<T>,
        stack: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        self.conv.add_gradient(&trace.u, stack, gradient, workspace);
        let mut of_u = workspace.take(self.conv.inputs);
        self.conv.backward(stack, &mut of_u, false, workspace);
        self.pre
            .backward(&trace.stack, &mut of_u, gradient, workspace);
        let after = std::mem::replace(stack, of_u);
        workspace.give([trace.stack, trace.u, after]);
    }
}

impl<T: Real> Layer<T> for Plain<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.pre.load(compute, parameters);
        self.conv.load(compute, parameters);
    }
}

/// Blocks of a smaller width between two convolutions.
#[derive(Debug)]
pub struct Nested<T: Real> {
    pre: NormAct<T>,
    conv_in: Conv<T>,
    blocks: Vec<Block<T>>,
    post: NormAct<T>,
    conv_out: Conv<T>,
}

/// What the way back of a [`Nested`] needs.
#[derive(Debug)]
pub struct NestedTrace<T> {
    stack: Cells<T>,
    /// The stack normed.
    u: Cells<T>,
    blocks: Vec<Trace<T>>,
    /// The inner stack after its blocks.
    inner: Cells<T>,
    /// The same normed.
    v: Cells<T>,
}

impl<T: Real> Nested<T> {
    fn new(
        name: &str,
        block: &desc::NestedBottleneckBlock,
        factor: f64,
        register: &mut Register,
    ) -> Result<Nested<T>> {
        let name = |layer: &str| format!("{name}.{layer}");
        Ok(Nested {
            pre: register.norm(&name("pre"), &block.pre, factor),
            conv_in: register.conv(&name("conv_in"), &block.conv_in)?,
            blocks: blocks_of(&name("blocks"), &block.blocks, register)?,
            post: register.norm(&name("post"), &block.post, stack_factor(block.blocks.len())),
            conv_out: register.conv(&name("conv_out"), &block.conv_out)?,
        })
    }

    fn forward(&self, stack: Cells<T>, workspace: &mut Workspace<T>) -> (Cells<T>, NestedTrace<T>) {
        let mut u = workspace.take(self.conv_in.inputs);
        self.pre.forward(&stack, &mut u, workspace);
        let mut inner = workspace.take(self.conv_in.outputs);
        self.conv_in.forward(&u, &mut inner, false, workspace);
        let mut blocks = Vec::new();
        for block in &self.blocks {
            let trace;
            (inner, trace) = block.forward(inner, workspace);
            blocks.push(trace);
        }
        let mut v = workspace.take(self.conv_out.inputs);
        self.post.forward(&inner, &mut v, workspace);
        let mut sum = workspace.take(stack.channels());
        sum.copy_from(&stack);
        self.conv_out.forward(&v, &mut sum, true, workspace);
        let trace = NestedTrace {
            stack,
            u,
            blocks,
            inner,
            v,
        };
        (sum, trace)
    }

    fn backward(
        &self,
        trace: NestedTrace<T>,
        stack: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        self.conv_out
            .add_gradient(&trace.v, stack, gradient, workspace);
        let mut of_inner = workspace.take(self.conv_out.inputs);
        self.conv_out
            .backward(stack, &mut of_inner, false, workspace);
        self.post
            .backward(&trace.inner, &mut of_inner, gradient, workspace);
        for (block, trace) in self.blocks.iter().zip(trace.blocks).rev() {
            block.backward(trace, &mut of_inner, gradient, workspace);
        }
        self.conv_in
            .add_gradient(&trace.u, &of_inner, gradient, workspace);
        let mut of_u = workspace.take(self.conv_in.inputs);
        self.conv_in
            .backward(&of_inner, &mut of_u, false, workspace);
        self.pre
            .backward(&trace.stack, &mut of_u, gradient, workspace);
        stack.add(&of_u);
        workspace.give([trace.stack, trace.u, trace.inner, trace.v, of_inner, of_u]);
    }
}

impl<T: Real> Layer<T> for Nested<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.pre.load(compute, parameters);
        self.conv_in.load(compute, parameters);
        for block in &mut self.blocks {
            block.load(compute, parameters);
        }
        self.post.load(compute, parameters);
        self.conv_out.load(compute, parameters);
    }
}
