//! Global pooling: mean and maximum over all points, as in KataGo's nets.

use super::cells::{Cells, Workspace};
use super::real::Real;
use crate::nn::desc::relative_side;
use crate::nn::plan::Third;

/// Pooled values per channel.
pub const VALUES_PER_CHANNEL: usize = 3;

/// Lower limit of maxima.
const LEAST_MAXIMUM: f64 = -1.0;

/// Results of pooling, and what the backward pass needs.
#[derive(Debug)]
pub struct Pooled<T> {
    /// `[board][3 * channel]`.
    pub values: Vec<T>,
    /// `[board][channel]`: the cell with the maximum, if maxima are pooled.
    greatest: Vec<Option<usize>>,
}

/// Factors of the mean for the second and third value.
fn factors<T: Real>(workspace: &Workspace<T>) -> (T, T) {
    let side = relative_side(workspace.grid.size);
    (T::of(side * 0.1), T::of(side * side * 0.01 - 0.1))
}

/// The pooled values of all channels of all boards.
pub fn pool<T: Real>(cells: &Cells<T>, third: Third, workspace: &Workspace<T>) -> Pooled<T> {
    let (by_side, by_square) = factors(workspace);
    let share = T::of(1.0 / workspace.grid.size.area() as f64);
    let mut pooled = Pooled {
        values: Vec::new(),
        greatest: Vec::new(),
    };
    for board in 0..workspace.grid.boards {
        let (sums, greatest) = sums_and_greatest(cells, board, workspace);
        let means = sums.iter().map(|sum| *sum * share);
        pooled.values.extend(means.clone());
        pooled
            .values
            .extend(means.clone().map(|mean| mean * by_side));
        match third {
            Third::Maximum => {
                let least = T::of(LEAST_MAXIMUM);
                let counts = |&(value, cell): &(T, usize)| (value > least).then_some(cell);
                let bounded = |&(value, _): &(T, usize)| if value > least { value } else { least };
                pooled.values.extend(greatest.iter().map(bounded));
                pooled.greatest.extend(greatest.iter().map(counts));
            }
            Third::Square => pooled.values.extend(means.map(|mean| mean * by_square)),
        }
    }
    pooled
}

/// By channel: the sum, and the maximum with its cell.
fn sums_and_greatest<T: Real>(
    cells: &Cells<T>,
    board: usize,
    workspace: &Workspace<T>,
) -> (Vec<T>, Vec<(T, usize)>) {
    let width = workspace.grid.size.width();
    let mut sums = vec![T::default(); cells.channels()];
    let mut greatest = vec![(T::of(f64::NEG_INFINITY), 0); cells.channels()];
    for first in workspace.grid.lines_of(board) {
        for (cell, values) in (first..).zip(cells.line(first, width)) {
            for ((sum, greatest), value) in sums.iter_mut().zip(&mut greatest).zip(values) {
                *sum += *value;
                if *value > greatest.0 {
                    *greatest = (*value, cell);
                }
            }
        }
    }
    (sums, greatest)
}

/// Adds to `dx` the gradient through the pooled values, whose gradient is `dy`.
pub fn pool_back<T: Real>(
    pooled: &Pooled<T>,
    dy: &[T],
    third: Third,
    dx: &mut Cells<T>,
    workspace: &Workspace<T>,
) {
    let (by_side, by_square) = factors(workspace);
    let share = T::of(1.0 / workspace.grid.size.area() as f64);
    let (channels, width) = (dx.channels(), workspace.grid.size.width());
    for (board, dy) in dy.chunks_exact(VALUES_PER_CHANNEL * channels).enumerate() {
        let mut everywhere: Vec<T> = (0..channels)
            .map(|c| dy[c] + dy[channels + c] * by_side)
            .collect();
        let last = &dy[2 * channels..];
        match third {
            Third::Square => super::layers::add_multiple(&mut everywhere, last, by_square),
            Third::Maximum => {
                let cells = &pooled.greatest[board * channels..][..channels];
                for (channel, (cell, dy)) in cells.iter().zip(last).enumerate() {
                    if let Some(cell) = cell {
                        dx.from_mut(*cell)[channel] += *dy;
                    }
                }
            }
        }
        for first in workspace.grid.lines_of(board) {
            for dx in dx.line_mut(first, width) {
                super::layers::add_multiple(dx, &everywhere, share);
            }
        }
    }
}

/// Adds values, `[board][channel]`, to all points of their boards.
pub fn add_everywhere<T: Real>(cells: &mut Cells<T>, values: &[T], workspace: &Workspace<T>) {
    let (width, channels) = (workspace.grid.size.width(), cells.channels());
    for (board, first) in workspace.grid.lines() {
        let values = &values[board * channels..][..channels];
        for cell in cells.line_mut(first, width) {
            super::layers::add(cell, values);
        }
    }
}

/// The sums over all points of each board, `[board][channel]`.
pub fn sums<T: Real>(cells: &Cells<T>, workspace: &Workspace<T>) -> Vec<T> {
    let (width, channels) = (workspace.grid.size.width(), cells.channels());
    let mut sums = vec![T::default(); workspace.grid.boards * channels];
    for (board, first) in workspace.grid.lines() {
        let sums = &mut sums[board * channels..][..channels];
        for cell in cells.line(first, width) {
            super::layers::add(sums, cell);
        }
    }
    sums
}
