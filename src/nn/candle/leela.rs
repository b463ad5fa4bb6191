//! Leela Zero networks as candle models.

use anyhow::{Context, Result, ensure};
use candle_core::{Device, Tensor};

use super::super::desc::leela::{LeelaNet, NormedConv, PLANES, SIDE};
use super::super::desc::{self, Activation};
use super::super::features::InputBatch;
use super::super::output::RawOutput;
use super::grid::Grid;
use super::layers::{Conv, NormAct, activate, matrix, vector};
use crate::go::BoardSize;

/// How far its convolutions look, in cells.
const REACH: usize = 1;
/// The logit of what cannot be.
const NEVER: f32 = -1e30;

/// A network ready to compute.
pub struct LeelaModel {
    device: Device,
    input: Layer,
    blocks: Vec<[Layer; 2]>,
    policy_conv: Layer,
    policy: (Tensor, Tensor),
    value_conv: Layer,
    value_hidden: (Tensor, Tensor),
    value: (Tensor, Tensor),
}

/// A convolution and the norm that follows, perhaps with an activation.
struct Layer {
    conv: Conv,
    norm: NormAct,
}

impl Layer {
    fn new(layer: &NormedConv, activation: Activation, device: &Device) -> Result<Layer> {
        let norm = desc::NormAct {
            norm: layer.norm.clone(),
            activation,
        };
        Ok(Layer {
            conv: Conv::new(&layer.conv, device)?,
            norm: NormAct::new(&norm, device)?,
        })
    }

    fn forward(&self, cells: &Tensor, grid: &Grid) -> Result<Tensor> {
        self.norm.forward(&self.conv.forward(cells, grid)?, grid)
    }
}

impl LeelaModel {
    /// Brings a net's weights to a device.
    pub fn new(net: &LeelaNet, device: &Device) -> Result<LeelaModel> {
        gemm::set_threading_threshold(usize::MAX);
        let relu = |layer: &NormedConv| Layer::new(layer, Activation::Relu, device);
        let dense =
            |matmul, bias| -> Result<_> { Ok((matrix(matmul, device)?, vector(bias, device)?)) };
        let block = |[first, second]: &[NormedConv; 2]| -> Result<_> {
            let second = Layer::new(second, Activation::Identity, device)?;
            Ok([relu(first)?, second])
        };
        Ok(LeelaModel {
            device: device.clone(),
            input: relu(&net.input)?,
            blocks: net.blocks.iter().map(block).collect::<Result<_>>()?,
            policy_conv: relu(&net.policy_conv)?,
            policy: dense(&net.policy.0, &net.policy.1)?,
            value_conv: relu(&net.value_conv)?,
            value_hidden: dense(&net.value_hidden.matmul, &net.value_hidden.bias)?,
            value: dense(&net.value.0, &net.value.1)?,
        })
    }

    /// One answer per position of the batch, without score and ownership.
    pub fn forward(&self, batch: &InputBatch) -> Result<Vec<RawOutput>> {
        let size = BoardSize::square(SIDE);
        ensure!(
            batch.size == size,
            "a Leela Zero network plays on {SIDE}x{SIDE} only, not on {}",
            batch.size
        );
        let boards = batch.spatial.len() / (size.area() * PLANES);
        ensure!(
            batch.spatial.len() == boards * size.area() * PLANES && batch.global.is_empty(),
            "inputs of the wrong length"
        );
        if boards == 0 {
            return Ok(Vec::new());
        }
        let grid = Grid::new(size, boards, REACH, &self.device)?;
        let tower = self.tower(&grid.scatter(&batch.spatial, PLANES)?, &grid)?;
        let policy = self.per_board(&self.policy_conv.forward(&tower, &grid)?, &grid)?;
        let policy = dense(&policy, &self.policy)?.to_vec2()?;
        let value = self.per_board(&self.value_conv.forward(&tower, &grid)?, &grid)?;
        let hidden = activate(&dense(&value, &self.value_hidden)?, Activation::Relu)?;
        let values = dense(&hidden, &self.value)?.flatten_all()?.to_vec1()?;
        policy.into_iter().zip(values).map(raw_output).collect()
    }

    fn tower(&self, planes: &Tensor, grid: &Grid) -> Result<Tensor> {
        let mut stack = self.input.forward(planes, grid)?;
        for [first, second] in &self.blocks {
            let inner = second.forward(&first.forward(&stack, grid)?, grid)?;
            stack = (inner + stack)?.relu()?;
        }
        Ok(stack)
    }

    /// `[board][channel * y * x]`, channels slowest.
    fn per_board(&self, cells: &Tensor, grid: &Grid) -> Result<Tensor> {
        let shape = (grid.boards(), cells.dim(1)? * grid.size().area());
        Ok(Tensor::from_vec(
            grid.gather(cells)?.concat(),
            shape,
            &self.device,
        )?)
    }
}

fn dense(input: &Tensor, (weights, bias): &(Tensor, Tensor)) -> Result<Tensor> {
    Ok(input.matmul(weights)?.broadcast_add(bias)?)
}

/// With a value v, (1 + tanh v) / 2 is the share of e^v in e^v + e^-v.
fn raw_output((mut policy, value): (Vec<f32>, f32)) -> Result<RawOutput> {
    let pass = policy.pop().context("the policy ends with the pass")?;
    Ok(RawOutput {
        policy,
        pass: vec![pass],
        value: [value, -value, NEVER],
        ..RawOutput::default()
    })
}
