//! Sparse input planes, most of whose values are 0 or a constant: a convolution that reads them
//! only sums the weights of the other values.

use std::ops::Range;

use super::simd::Term;
use crate::go::BoardSize;

/// Dimensions of a convolution's weights, `[ky][kx][plane][channel]`. The kernel's sides are odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelShape {
    pub height: usize,
    pub width: usize,
    /// Number of planes.
    pub planes: usize,
    /// Number of output channels.
    pub channels: usize,
}

impl KernelShape {
    /// Number of weights.
    pub fn count(&self) -> usize {
        self.height * self.width * self.of_tap()
    }

    fn of_tap(&self) -> usize {
        self.planes * self.channels
    }
}

/// The values that differ from their planes' constants, by board and point.
#[derive(Debug)]
pub struct SparseInputs {
    shape: KernelShape,
    size: BoardSize,
    /// Offset of each one's weights in a row of the kernel, as if all points of a line had their
    /// own.
    terms: Vec<Term>,
    /// Start of each point's values; one more for the end.
    first: Vec<usize>,
}

impl SparseInputs {
    /// From `[board][point][plane]`, subtracting the constant value of each plane.
    pub fn new(
        spatial: &[f32],
        constants: &[f32],
        size: BoardSize,
        shape: KernelShape,
    ) -> SparseInputs {
        let (mut terms, mut first) = (Vec::new(), vec![0]);
        for (point, values) in spatial.chunks_exact(shape.planes).enumerate() {
            let line = point % size.width() * shape.planes;
            let values = values
                .iter()
                .zip(constants)
                .map(|(value, constants)| value - constants);
            let others = values.enumerate().filter(|(_, value)| *value != 0.0);
            terms.extend(others.map(|(plane, factor)| Term {
                start: ((line + plane) * shape.channels) as u32,
                factor,
            }));
            first.push(terms.len());
        }
        SparseInputs {
            shape,
            size,
            terms,
            first,
        }
    }

    /// The terms of the convolution at a point of a board: rows of its weights, and their factors.
    pub fn around(&self, board: usize, (x, y): (usize, usize), terms: &mut Vec<Term>) {
        let (shape, size) = (&self.shape, self.size);
        terms.clear();
        let xs = reached(x, shape.width, size.width());
        for from_y in reached(y, shape.height, size.height()) {
            // Position of the point (0, from_y) in the kernel.
            let tap = (from_y + shape.height / 2 - y) * shape.width + shape.width / 2;
            let start = (tap * shape.of_tap()) as u32;
            let start = start.wrapping_sub((x * shape.of_tap()) as u32);
            let line = (board * size.height() + from_y) * size.width();
            let read = &self.terms[self.first[line + xs.start]..self.first[line + xs.end]];
            terms.extend(read.iter().map(|term| Term {
                start: term.start.wrapping_add(start),
                ..*term
            }));
        }
    }
}

/// The coordinates along one axis that a kernel of this width reads around `at`.
fn reached(at: usize, kernel: usize, side: usize) -> Range<usize> {
    at.saturating_sub(kernel / 2)..(at + kernel / 2 + 1).min(side)
}
