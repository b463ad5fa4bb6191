//! Policy and value heads, and the pooling they and some blocks use.

use anyhow::{Context, Result};
use candle_core::Tensor;

use super::super::desc::{self, Activation};
use super::super::output::RawOutput;
use super::grid::Grid;
use super::layers::{Conv, NormAct, activate, matrix, vector};
use super::place::Place;

/// Board sides are seen relative to this.
const CENTRAL_SIDE: f64 = 14.0;

/// `[board][3 * channel]` of masked cells: mean, mean times side, maximum (not below -1).
pub fn pool_with_max(cells: &Tensor, grid: &Grid) -> Result<Tensor> {
    let mean = grid.mean(cells)?;
    let by_side = (&mean * (side(grid) * 0.1))?;
    let max = grid.max(cells)?.maximum(-1.0)?;
    Ok(Tensor::cat(&[mean, by_side, max], 1)?)
}

/// `[board][3 * channel]` of masked cells: mean, mean times side, mean times square of side.
fn pool_for_value(cells: &Tensor, grid: &Grid) -> Result<Tensor> {
    let mean = grid.mean(cells)?;
    let side = side(grid);
    let by_side = (&mean * (side * 0.1))?;
    let by_square = (&mean * (side * side * 0.01 - 0.1))?;
    Ok(Tensor::cat(&[mean, by_side, by_square], 1)?)
}

fn side(grid: &Grid) -> f64 {
    (grid.size().area() as f64).sqrt() - CENTRAL_SIDE
}

/// See [`desc::PolicyHead`].
pub struct PolicyHead {
    conv: Conv,
    pool_conv: Conv,
    pool_norm: NormAct,
    pool_matrix: Tensor,
    norm: NormAct,
    conv_out: Conv,
    pass: PassHead,
}

impl PolicyHead {
    /// Brings the weights to a place.
    pub fn new(head: &desc::PolicyHead, place: &Place) -> Result<PolicyHead> {
        Ok(PolicyHead {
            conv: Conv::new(&head.conv, place)?,
            pool_conv: Conv::new(&head.pool_conv, place)?,
            pool_norm: NormAct::new(&head.pool_norm, place)?,
            pool_matrix: matrix(&head.pool_matmul, place)?,
            norm: NormAct::new(&head.norm, place)?,
            conv_out: Conv::new(&head.conv_out, place)?,
            pass: PassHead::new(&head.pass, place)?,
        })
    }

    /// How far its widest convolution looks, in cells.
    pub fn reach(&self) -> usize {
        self.conv
            .reach()
            .max(self.pool_conv.reach())
            .max(self.conv_out.reach())
    }

    /// Writes the policy of each board.
    pub fn forward(&self, tip: &Tensor, grid: &Grid, outputs: &mut [RawOutput]) -> Result<()> {
        let pooled = self
            .pool_norm
            .forward(&self.pool_conv.forward(tip, grid)?, grid)?;
        let pooled = pool_with_max(&pooled, grid)?;
        let inner = self.conv.forward(tip, grid)?;
        let inner = grid.add_per_board(&inner, &pooled.matmul(&self.pool_matrix)?)?;
        let logits = self
            .conv_out
            .forward(&self.norm.forward(&inner, grid)?, grid)?;
        let passes = self.pass.forward(&pooled)?.to_vec2()?;
        let boards = grid.points(&logits)?.to_vec2()?.into_iter().zip(passes);
        for (output, (policy, pass)) in outputs.iter_mut().zip(boards) {
            output.policy = policy;
            output.pass = pass;
        }
        Ok(())
    }
}

/// See [`desc::PassHead`].
enum PassHead {
    Linear(Tensor),
    Hidden {
        hidden: Tensor,
        bias: Tensor,
        activation: Activation,
        output: Tensor,
    },
}

impl PassHead {
    fn new(head: &desc::PassHead, place: &Place) -> Result<PassHead> {
        Ok(match head {
            desc::PassHead::Linear(weights) => PassHead::Linear(matrix(weights, place)?),
            desc::PassHead::Hidden {
                hidden,
                bias,
                activation,
                output,
            } => PassHead::Hidden {
                hidden: matrix(hidden, place)?,
                bias: vector(&bias.weights, place)?,
                activation: *activation,
                output: matrix(output, place)?,
            },
        })
    }

    fn forward(&self, pooled: &Tensor) -> Result<Tensor> {
        Ok(match self {
            PassHead::Linear(weights) => pooled.matmul(weights)?,
            PassHead::Hidden {
                hidden,
                bias,
                activation,
                output,
            } => {
                let inner = pooled.matmul(hidden)?.broadcast_add(bias)?;
                activate(&inner, *activation)?.matmul(output)?
            }
        })
    }
}

/// See [`desc::ValueHead`].
pub struct ValueHead {
    conv: Conv,
    norm: NormAct,
    hidden: Tensor,
    hidden_bias: Tensor,
    hidden_activation: Activation,
    value: Tensor,
    value_bias: Tensor,
    score: Tensor,
    score_bias: Tensor,
    ownership: Conv,
}

impl ValueHead {
    /// Brings the weights to a place.
    pub fn new(head: &desc::ValueHead, place: &Place) -> Result<ValueHead> {
        Ok(ValueHead {
            conv: Conv::new(&head.conv, place)?,
            norm: NormAct::new(&head.norm, place)?,
            hidden: matrix(&head.hidden, place)?,
            hidden_bias: vector(&head.hidden_bias.weights, place)?,
            hidden_activation: head.hidden_activation,
            value: matrix(&head.value, place)?,
            value_bias: vector(&head.value_bias.weights, place)?,
            score: matrix(&head.score, place)?,
            score_bias: vector(&head.score_bias.weights, place)?,
            ownership: Conv::new(&head.ownership, place)?,
        })
    }

    /// How far its widest convolution looks, in cells.
    pub fn reach(&self) -> usize {
        self.conv.reach().max(self.ownership.reach())
    }

    /// Writes value, score and ownership of each board.
    pub fn forward(&self, tip: &Tensor, grid: &Grid, outputs: &mut [RawOutput]) -> Result<()> {
        let cells = self.norm.forward(&self.conv.forward(tip, grid)?, grid)?;
        let pooled = pool_for_value(&cells, grid)?;
        let hidden = pooled
            .matmul(&self.hidden)?
            .broadcast_add(&self.hidden_bias)?;
        let hidden = activate(&hidden, self.hidden_activation)?;
        let values = hidden
            .matmul(&self.value)?
            .broadcast_add(&self.value_bias)?;
        let scores = hidden
            .matmul(&self.score)?
            .broadcast_add(&self.score_bias)?;
        let ownership = grid
            .points(&self.ownership.forward(&cells, grid)?)?
            .to_vec2()?;
        let values = values.to_vec2::<f32>()?;
        let scores = scores.to_vec2()?;
        for (index, (output, ownership)) in outputs.iter_mut().zip(ownership).enumerate() {
            let value = values[index].as_slice();
            output.value = value
                .try_into()
                .context("the value head has three outputs")?;
            output.score.clone_from(&scores[index]);
            output.ownership = ownership;
        }
        Ok(())
    }
}
