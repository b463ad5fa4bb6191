//! The outputs of the heads, and the policy head: forward pass, and a hand-written backward pass.
//!
//! Besides the policies in the net's file, the policy head learns auxiliary policies that only help
//! to train the trunk: [`EXTRA_POLICIES`].

use crate::nn::desc::{self, Activation};

use super::activation::{slope, value};
use super::cells::{Cells, Workspace};
use super::layers::{Conv, Dense, Layer, NormAct, add};
use super::pool::{add_everywhere, sums};
use super::pool_branch::{Pool, PoolTrace};
use super::real::{Compute, Real};
use super::register::{Axis, Register};

/// From pooled values to values of the whole board, which have no direction.
const OF_POOLED: [Axis; 2] = [Axis::Pooled, Axis::Plain];

/// Auxiliary policies that are not in the net's file: a soft one, the opponent's reply, and the
/// move of a human player.
pub const EXTRA_POLICIES: usize = 3;

/// Index of the mean score in the raw score outputs.
pub const SCORE_MEAN: usize = 0;
/// Index of the lead.
pub const LEAD: usize = 2;
/// Index of the short-term error of win less loss.
pub const SHORTTERM_VALUE: usize = 4;

/// Raw outputs of the heads for one board, or their gradient.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// `[channel][move]`: the policies of the file, then [`EXTRA_POLICIES`]; the pass is the last
    /// move.
    pub policy: Vec<Vec<f64>>,
    /// Logits of win, loss and no result.
    pub value: Vec<f64>,
    /// Raw score outputs.
    pub score: Vec<f64>,
    /// `[point]`, before tanh.
    pub ownership: Vec<f64>,
}

/// Logits of all points.
#[derive(Debug)]
pub(super) struct Points<T: Real> {
    pub conv: Conv<T>,
}

impl<T: Real> Points<T> {
    /// `[board][channel][point]`.
    pub fn forward(&self, x: &Cells<T>, workspace: &mut Workspace<T>) -> Vec<Vec<Vec<f64>>> {
        let y = self.conv.forward(x, workspace);
        let grid = workspace.grid;
        let channel = |board: usize, channel: usize| {
            let lines = grid.lines_of(board);
            let points = lines.flat_map(|first| y.line(first, grid.size.width()));
            points.map(|point| point[channel].to_f64()).collect()
        };
        let of_board = |board: usize| (0..self.conv.outputs).map(|c| channel(board, c)).collect();
        let results = (0..grid.boards).map(of_board).collect();
        workspace.give([y]);
        results
    }

    /// From gradients `[board][channel][move]`, of which only the points are read.
    pub fn backward<'a>(
        &self,
        x: &Cells<T>,
        dy: impl Fn(usize, usize) -> &'a [f64],
        of_x: (&mut Cells<T>, bool),
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        let mut of_y = workspace.take(self.conv.outputs);
        of_y.clear();
        let grid = workspace.grid;
        for board in 0..grid.boards {
            for (y, first) in grid.lines_of(board).enumerate() {
                let point = y * grid.size.width();
                for (x, cell) in of_y.line_mut(first, grid.size.width()).enumerate() {
                    for (channel, value) in cell.iter_mut().enumerate() {
                        *value = T::of(dy(board, channel)[point + x]);
                    }
                }
            }
        }
        self.conv.backward_onto(x, &of_y, of_x, gradient, workspace);
        workspace.give([of_y]);
    }
}

/// See [`desc::PolicyHead`].
#[derive(Debug)]
pub struct PolicyHead<T: Real> {
    conv: Conv<T>,
    pool: Pool<T>,
    norm: NormAct<T>,
    output: Points<T>,
    extra_output: Points<T>,
    hidden: Option<(Dense<T>, Activation)>,
    pass: Dense<T>,
    extra_pass: Dense<T>,
}

/// Intermediate results for the backward pass of [`PolicyHead`].
#[derive(Debug)]
pub struct PolicyTrace<T> {
    pool: PoolTrace<T>,
    /// With the pooled values added.
    a: Cells<T>,
    /// The same, normalised.
    v: Cells<T>,
    /// The pass's hidden layer before its activation.
    z: Vec<T>,
    /// After the activation; without a hidden layer, the pooled values.
    h: Vec<T>,
}

impl<T: Real> PolicyTrace<T> {
    /// Returns all buffers to the workspace.
    pub fn give_back(self, workspace: &mut Workspace<T>) {
        self.pool.give_back(workspace);
        workspace.give([self.a, self.v]);
    }
}

impl<T: Real> PolicyHead<T> {
    /// Of a net's head.
    pub fn new(head: &desc::PolicyHead, register: &mut Register) -> PolicyHead<T> {
        let name = |layer: &str| format!("policy_head.{layer}");
        let own = head.conv.outputs;
        let layers = (&head.pool_conv, &head.pool_norm, &head.pool_matmul);
        let extra = desc::Conv {
            name: String::new(),
            kernel_height: 1,
            kernel_width: 1,
            inputs: own,
            outputs: EXTRA_POLICIES,
            weights: Vec::new(),
        };
        let conv = register.conv(&name("conv"), &head.conv);
        let pool = Pool::new(name, layers, register);
        let norm = register.norm(&name("norm"), &head.norm, 1.0);
        let output = register.output_conv(&name("conv_out"), &head.conv_out);
        let extra_output = register.output_conv(&name("extra_conv_out"), &extra);
        let (hidden, pass) = match &head.pass {
            desc::PassHead::Linear(matrix) => {
                let shape = (matrix.shape(), OF_POOLED);
                (None, register.dense(&name("pass"), shape, None))
            }
            desc::PassHead::Hidden {
                hidden,
                activation,
                output,
                ..
            } => {
                let bias = name("pass.bias");
                let shape = (hidden.shape(), OF_POOLED);
                let hidden = register.dense(&name("pass.hidden"), shape, Some(&bias));
                let shape = (output.shape(), [Axis::Plain; 2]);
                let output = register.dense(&name("pass.output"), shape, None);
                (Some((hidden, *activation)), output)
            }
        };
        let of_extra = match &hidden {
            None => OF_POOLED,
            Some(_) => [Axis::Plain; 2],
        };
        let extra = ([pass.inputs, EXTRA_POLICIES], of_extra);
        PolicyHead {
            conv,
            pool,
            norm,
            output: Points { conv: output },
            extra_output: Points { conv: extra_output },
            hidden,
            extra_pass: register.dense(&name("extra_pass"), extra, None),
            pass,
        }
    }

    /// Writes the policies of each board.
    pub fn forward(
        &self,
        tip: &Cells<T>,
        predictions: &mut [Prediction],
        workspace: &mut Workspace<T>,
    ) -> PolicyTrace<T> {
        let (biases, pool) = self.pool.forward(tip, workspace);
        let mut a = self.conv.forward(tip, workspace);
        add_everywhere(&mut a, &biases, workspace);
        let mut v = workspace.take(self.conv.outputs);
        self.norm.forward(&a, &mut v, workspace);
        let (z, h) = match &self.hidden {
            None => (Vec::new(), pool.pooled.values.clone()),
            Some((hidden, activation)) => {
                let z = hidden.forward(&pool.pooled.values);
                let h = z.iter().map(|z| value(*activation, *z)).collect();
                (z, h)
            }
        };
        let points = self.output.forward(&v, workspace);
        let extra_points = self.extra_output.forward(&v, workspace);
        let passes = self.pass.forward(&h);
        let extra_passes = self.extra_pass.forward(&h);
        let boards = points.into_iter().zip(extra_points);
        let passes = passes
            .chunks_exact(self.pass.outputs)
            .zip(extra_passes.chunks_exact(EXTRA_POLICIES));
        for ((prediction, points), passes) in predictions.iter_mut().zip(boards).zip(passes) {
            let points = points.0.into_iter().chain(points.1);
            let passes = passes.0.iter().chain(passes.1);
            let join = |(mut points, pass): (Vec<f64>, &T)| {
                points.push(pass.to_f64());
                points
            };
            prediction.policy = points.zip(passes).map(join).collect();
        }
        PolicyTrace { pool, a, v, z, h }
    }

    /// Given the gradients of the policies; adds to the gradient of the trunk's output.
    pub fn backward(
        &self,
        (trace, tip): (PolicyTrace<T>, &Cells<T>),
        predictions: &[Prediction],
        of_tip: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        let of_file = self.pass.outputs;
        let mut of_a = workspace.take(self.conv.outputs);
        let dy = |board: usize, channel: usize| &predictions[board].policy[channel][..];
        let to = (&mut of_a, false);
        self.output.backward(&trace.v, dy, to, gradient, workspace);
        let dy = |board: usize, channel: usize| &predictions[board].policy[of_file + channel][..];
        let to = (&mut of_a, true);
        self.extra_output
            .backward(&trace.v, dy, to, gradient, workspace);
        self.norm.backward(&trace.a, &mut of_a, gradient, workspace);
        let biases = sums(&of_a, workspace);
        let mut of_pooled = self.pool.of_pooled(&trace.pool, &biases, gradient);
        add(
            &mut of_pooled,
            &self.pass_backward(&trace, predictions, gradient),
        );
        let pool = (trace.pool, tip);
        self.pool
            .backward_from(pool, &of_pooled, of_tip, gradient, workspace);
        self.conv
            .backward_onto(tip, &of_a, (of_tip, true), gradient, workspace);
        workspace.give([trace.a, trace.v, of_a]);
    }

    /// The gradient of the pooled values through the pass logits.
    fn pass_backward(
        &self,
        trace: &PolicyTrace<T>,
        predictions: &[Prediction],
        gradient: &mut [T],
    ) -> Vec<T> {
        let pass = |moves: &Vec<f64>| T::of(*moves.last().expect("moves end with the pass"));
        let of_file = self.pass.outputs;
        let some = |from: usize, count: usize| -> Vec<T> {
            let boards = predictions.iter();
            boards
                .flat_map(|board| board.policy[from..from + count].iter().map(pass))
                .collect()
        };
        let mut of_h = self.pass.backward(&trace.h, &some(0, of_file), gradient);
        let extra = some(of_file, EXTRA_POLICIES);
        let of_extra = self.extra_pass.backward(&trace.h, &extra, gradient);
        add(&mut of_h, &of_extra);
        match &self.hidden {
            None => of_h,
            Some((hidden, activation)) => {
                scale_by_slopes(*activation, &trace.z, &mut of_h);
                hidden.backward(&trace.pool.pooled.values, &of_h, gradient)
            }
        }
    }
}

pub(super) fn scale_by_slopes<T: Real>(activation: Activation, z: &[T], dy: &mut [T]) {
    for (dy, z) in dy.iter_mut().zip(z) {
        *dy = *dy * slope(activation, *z);
    }
}

impl<T: Real> Layer<T> for PolicyHead<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.conv.load(compute, parameters);
        self.pool.load(compute, parameters);
        self.norm.load(compute, parameters);
        self.output.conv.load(compute, parameters);
        self.extra_output.conv.load(compute, parameters);
        if let Some((hidden, _)) = &mut self.hidden {
            hidden.load(compute, parameters);
        }
        self.pass.load(compute, parameters);
        self.extra_pass.load(compute, parameters);
    }
}
