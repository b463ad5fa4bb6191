//! Policy and value heads, and global pooling.

use anyhow::Result;
use candle_core::Tensor;

use super::super::desc::{self, Activation};
use super::grid::Grid;
use super::layers::{Conv, Dense, NormAct, matrix};
use super::loader::Loader;

/// `[board][3 * channel]` of masked cells: mean, mean times side, maximum (not below -1).
pub fn pool_with_max(cells: &Tensor, grid: &Grid) -> Result<Tensor> {
    let mean = grid.mean(cells)?;
    let by_side = (&mean * (desc::relative_side(grid.size()) * 0.1))?;
    let max = grid.max(cells)?.maximum(-1.0)?;
    Ok(Tensor::cat(&[mean, by_side, max], 1)?)
}

/// `[board][3 * channel]` of masked cells: mean, mean times side, mean times square of side.
fn pool_for_value(cells: &Tensor, grid: &Grid) -> Result<Tensor> {
    let mean = grid.mean(cells)?;
    let side = desc::relative_side(grid.size());
    let by_side = (&mean * (side * 0.1))?;
    let by_square = (&mean * (side * side * 0.01 - 0.1))?;
    Ok(Tensor::cat(&[mean, by_side, by_square], 1)?)
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
    /// Loads the weights.
    pub fn new(head: &desc::PolicyHead, loader: &Loader) -> Result<PolicyHead> {
        Ok(PolicyHead {
            conv: Conv::new(&head.conv, &loader.at("conv"))?,
            pool_conv: Conv::new(&head.pool_conv, &loader.at("pool_conv"))?,
            pool_norm: NormAct::new(&head.pool_norm, &loader.at("pool_norm"))?,
            pool_matrix: matrix(&head.pool_matmul, &loader.at("pool_matmul"))?,
            norm: NormAct::new(&head.norm, &loader.at("norm"))?,
            conv_out: Conv::new(&head.conv_out, &loader.at("conv_out"))?,
            pass: PassHead::new(&head.pass, &loader.at("pass"))?,
        })
    }

    /// The policies of each board.
    pub fn forward(&self, tip: &Tensor, grid: &Grid) -> Result<Policies> {
        let pooled = self
            .pool_norm
            .forward(&self.pool_conv.forward(tip, grid)?, grid)?;
        let pooled = pool_with_max(&pooled, grid)?;
        let inner = self.conv.forward(tip, grid)?;
        let inner = grid.add_per_board(&inner, &pooled.matmul(&self.pool_matrix)?)?;
        let cells = self.norm.forward(&inner, grid)?;
        let (passes, values) = self.pass.forward(&pooled)?;
        Ok(Policies {
            points: grid.points(&self.conv_out.forward(&cells, grid)?)?,
            passes,
            cells,
            values,
        })
    }
}

/// Outputs of a policy head, in f32, before any softmax.
pub struct Policies {
    /// `[board][channel * y * x]`.
    pub points: Tensor,
    /// `[board][channel]`.
    pub passes: Tensor,
    /// Input of the last layer of the points, `[cell][channel]`.
    pub cells: Tensor,
    /// Input of the last layer of the passes, `[board][value]`.
    pub values: Tensor,
}

/// See [`desc::PassHead`].
enum PassHead {
    Linear(Tensor),
    Hidden { hidden: Dense, output: Tensor },
}

impl PassHead {
    fn new(head: &desc::PassHead, loader: &Loader) -> Result<PassHead> {
        Ok(match head {
            desc::PassHead::Linear(weights) => PassHead::Linear(matrix(weights, loader)?),
            desc::PassHead::Hidden {
                hidden,
                bias,
                activation,
                output,
            } => PassHead::Hidden {
                hidden: Dense::named((hidden, bias), *activation, loader, ("hidden", "bias"))?,
                output: matrix(output, &loader.at("output"))?,
            },
        })
    }

    /// Logits, and the input of the last matrix.
    fn forward(&self, pooled: &Tensor) -> Result<(Tensor, Tensor)> {
        Ok(match self {
            PassHead::Linear(weights) => (pooled.matmul(weights)?, pooled.clone()),
            PassHead::Hidden { hidden, output } => {
                let inner = hidden.forward(pooled)?;
                (inner.matmul(output)?, inner)
            }
        })
    }
}

/// See [`desc::ValueHead`].
pub struct ValueHead {
    conv: Conv,
    norm: NormAct,
    hidden: Dense,
    value: Dense,
    score: Dense,
    ownership: Conv,
}

impl ValueHead {
    /// Loads the weights.
    pub fn new(head: &desc::ValueHead, loader: &Loader) -> Result<ValueHead> {
        let dense = |parts, activation, names| Dense::named(parts, activation, loader, names);
        let linear = |parts, names| dense(parts, Activation::Identity, names);
        Ok(ValueHead {
            conv: Conv::new(&head.conv, &loader.at("conv"))?,
            norm: NormAct::new(&head.norm, &loader.at("norm"))?,
            hidden: dense(
                (&head.hidden, &head.hidden_bias),
                head.hidden_activation,
                ("hidden", "hidden_bias"),
            )?,
            value: linear((&head.value, &head.value_bias), ("value", "value_bias"))?,
            score: linear((&head.score, &head.score_bias), ("score", "score_bias"))?,
            ownership: Conv::new(&head.ownership, &loader.at("ownership"))?,
        })
    }

    /// Value, score and ownership of each board.
    pub fn forward(&self, tip: &Tensor, grid: &Grid) -> Result<Values> {
        let cells = self.norm.forward(&self.conv.forward(tip, grid)?, grid)?;
        let hidden = self.hidden.forward(&pool_for_value(&cells, grid)?)?;
        Ok(Values {
            value: self.value.forward(&hidden)?,
            score: self.score.forward(&hidden)?,
            ownership: grid.points(&self.ownership.forward(&cells, grid)?)?,
        })
    }
}

/// Outputs of a value head, in f32.
pub struct Values {
    /// `[board][3]`: logits of win, loss and no result.
    pub value: Tensor,
    /// `[board][value]`: raw score outputs.
    pub score: Tensor,
    /// `[board][y * x]`, before tanh.
    pub ownership: Tensor,
}
