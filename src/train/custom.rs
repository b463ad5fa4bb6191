//! Blocks as operations of candle, with our own way back.
//!
//! The trainer itself keeps its net as a plain list of layers (see [`super::graph`]). As an
//! operation of candle, a block can stand in a graph of tensors beside other operations, and its
//! gradients can be compared with those that candle finds.

use std::sync::Mutex;

use anyhow::{Result, ensure};
use candle_core::{CpuStorage, CustomOp2, Layout, Shape, Tensor, bail};

use crate::go::BoardSize;
use crate::nn::cpu::simd::Kernels;
use crate::nn::desc;

use super::blocks::Block;
use super::cells::{Cells, Grid, Workspace};
use super::layers::Layer;
use super::real::Compute;
use super::register::{Parameter, Part, Register};

/// A block that reads a stack `[board][y][x][channel]` and a vector of all its parameters, both f32
/// on the CPU, and gives the stack after it.
#[derive(Debug)]
pub struct BlockOp {
    compute: Compute,
    channels: usize,
    parameters: Vec<Parameter>,
    block: Mutex<Block<f32>>,
}

impl BlockOp {
    /// A block like that of a net, on so many channels, with so many blocks before it.
    pub fn new(
        block: &desc::Block,
        channels: usize,
        before: usize,
        kernels: Kernels,
    ) -> Result<BlockOp> {
        ensure!(
            block.outputs(channels) == channels,
            "a block that changes the width of its stack"
        );
        let mut register = Register::default();
        register.enter(Part::Trunk);
        let block = Block::new("block", block, before, &mut register)?;
        Ok(BlockOp {
            compute: Compute::exact(kernels),
            channels,
            parameters: register.into_parameters(),
            block: Mutex::new(block),
        })
    }

    /// What is where in the vector of parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn workspace(&self, dims: &[usize]) -> candle_core::Result<Workspace<f32>> {
        let &[boards, height, width, channels] = dims else {
            bail!("a stack has four sides, not {dims:?}")
        };
        let Some(size) = BoardSize::new(width, height).filter(|_| channels == self.channels) else {
            bail!("no stack of this block: {dims:?}")
        };
        Ok(Workspace::new(self.compute, Grid { size, boards }))
    }
}

/// Boards with empty cells between them.
fn spread(values: &[f32], channels: usize, workspace: &mut Workspace<f32>) -> Cells<f32> {
    let (grid, mut cells) = (workspace.grid, workspace.take(channels));
    let width = grid.size.width();
    for ((_, first), line) in grid.lines().zip(values.chunks_exact(width * channels)) {
        let points = line.chunks_exact(channels);
        for (cell, point) in cells.line_mut(first, width).zip(points) {
            cell.copy_from_slice(point);
        }
    }
    cells
}

/// The inverse of [`spread`].
fn gather(cells: &Cells<f32>, workspace: &Workspace<f32>) -> Vec<f32> {
    let (grid, width) = (workspace.grid, workspace.grid.size.width());
    let lines = grid.lines();
    lines
        .flat_map(|(_, first)| cells.line(first, width).flatten())
        .copied()
        .collect()
}

fn floats<'a>(storage: &'a CpuStorage, layout: &Layout) -> candle_core::Result<&'a [f32]> {
    let Some((start, end)) = layout.contiguous_offsets() else {
        bail!("the tensor is not contiguous")
    };
    Ok(&storage.as_slice::<f32>()?[start..end])
}

impl CustomOp2 for BlockOp {
    fn name(&self) -> &'static str {
        "block"
    }

    fn cpu_fwd(
        &self,
        stack: &CpuStorage,
        stack_layout: &Layout,
        parameters: &CpuStorage,
        parameters_layout: &Layout,
    ) -> candle_core::Result<(CpuStorage, Shape)> {
        let mut workspace = self.workspace(stack_layout.dims())?;
        let mut block = self.block.lock().expect("no block panics");
        block.load(self.compute, floats(parameters, parameters_layout)?);
        let stack = spread(floats(stack, stack_layout)?, self.channels, &mut workspace);
        let (stack, _) = block.forward(stack, &mut workspace);
        let values = gather(&stack, &workspace);
        Ok((CpuStorage::F32(values), stack_layout.shape().clone()))
    }

    /// Goes forward once more, since candle keeps nothing but tensors.
    fn bwd(
        &self,
        stack: &Tensor,
        parameters: &Tensor,
        _: &Tensor,
        of_result: &Tensor,
    ) -> candle_core::Result<(Option<Tensor>, Option<Tensor>)> {
        let mut workspace = self.workspace(stack.dims())?;
        let mut block = self.block.lock().expect("no block panics");
        let flat = |tensor: &Tensor| tensor.flatten_all()?.to_vec1::<f32>();
        let values = flat(parameters)?;
        block.load(self.compute, &values);
        let cells = spread(&flat(stack)?, self.channels, &mut workspace);
        let (result, trace) = block.forward(cells, &mut workspace);
        workspace.give([result]);
        let mut of_stack = spread(&flat(of_result)?, self.channels, &mut workspace);
        of_stack.clear_between(workspace.grid);
        let mut gradient = vec![0.0; values.len()];
        block.backward(trace, &mut of_stack, &mut gradient, &mut workspace);
        let of_stack = gather(&of_stack, &workspace);
        let device = stack.device();
        Ok((
            Some(Tensor::from_vec(of_stack, stack.shape(), device)?),
            Some(Tensor::from_vec(gradient, parameters.shape(), device)?),
        ))
    }
}
