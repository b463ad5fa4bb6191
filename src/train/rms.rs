//! RMS norm of transformer blocks, over the channels of each point (Zhang and Sennrich 2019,
//! <https://arxiv.org/abs/1910.07467>).

use std::ops::Range;

use super::cells::{Cells, Workspace};
use super::layers::Layer;
use super::real::{Compute, Real};

/// See [`crate::nn::desc::RmsNorm`].
#[derive(Debug)]
pub struct RmsNorm<T> {
    /// Epsilon, added to the mean of squares.
    pub epsilon: f64,
    pub place: Range<usize>,
    gain: Vec<T>,
}

impl<T: Real> RmsNorm<T> {
    /// Parameters are loaded later.
    pub fn new(epsilon: f64, place: Range<usize>) -> RmsNorm<T> {
        RmsNorm {
            epsilon,
            place,
            gain: Vec::new(),
        }
    }

    /// The normalised points of `x`; empty cells of the result are 0.
    pub fn forward(&self, x: &Cells<T>, y: &mut Cells<T>, workspace: &Workspace<T>) {
        let (grid, width) = (workspace.grid, workspace.grid.size.width());
        for (_, first) in grid.lines() {
            for (x, y) in x.line(first, width).zip(y.line_mut(first, width)) {
                let factor = self.factor(x);
                for ((x, y), gain) in x.iter().zip(y).zip(&self.gain) {
                    *y = *x * factor * *gain;
                }
            }
        }
        y.clear_between(grid);
    }

    /// 1 over the root mean square.
    fn factor(&self, x: &[T]) -> T {
        let squares = x.iter().fold(T::default(), |sum, x| sum + *x * *x);
        let mean = squares.to_f64() / x.len() as f64;
        T::of(1.0 / (mean + self.epsilon).sqrt())
    }

    /// Turns the gradient of the results into that of the inputs, with zeros in the empty cells;
    /// adds the gradient of the parameters.
    pub fn backward(
        &self,
        x: &Cells<T>,
        dy: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &Workspace<T>,
    ) {
        let (grid, width) = (workspace.grid, workspace.grid.size.width());
        let of_gain = &mut gradient[self.place.clone()];
        for (_, first) in grid.lines() {
            for (x, dy) in x.line(first, width).zip(dy.line_mut(first, width)) {
                let factor = self.factor(x);
                let mut along = T::default();
                let each = x.iter().zip(&mut *dy).zip(&self.gain).zip(&mut *of_gain);
                for (((x, dy), gain), of_gain) in each {
                    *of_gain += *dy * *x * factor;
                    *dy = *dy * *gain;
                    along += *dy * *x;
                }
                let along = along * factor * factor * T::of(1.0 / x.len() as f64);
                for (x, dy) in x.iter().zip(dy) {
                    *dy = (*dy - *x * along) * factor;
                }
            }
        }
        dy.clear_between(grid);
    }
}

impl<T: Real> Layer<T> for RmsNorm<T> {
    fn load(&mut self, _: Compute, parameters: &[T]) {
        self.gain = parameters[self.place.clone()].to_vec();
    }
}
