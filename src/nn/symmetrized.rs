//! Symmetries of the board for a network's inputs and outputs.

use crate::go::{BoardSize, Point, Symmetry};

use super::features::PLANES;
use super::output::RawOutput;

/// The map of points of boards of one size under a symmetry.
pub struct PointMap {
    /// Size of the image.
    size: BoardSize,
    /// Image of each point, both as indices of boards.
    image: Vec<usize>,
}

impl PointMap {
    /// The map of a symmetry.
    pub fn new(symmetry: Symmetry, size: BoardSize) -> PointMap {
        let image = symmetry.size(size);
        let index = |column, row| image.index(symmetry.point(size, Point::new(column, row)));
        // The map is affine: a step to the right, or down, is the same at all points.
        let top = size.height() - 1;
        let first = index(0, top);
        let (right, down) = (index(1, top), index(0, top - 1));
        let moved = |steps: usize, to: usize| {
            first.wrapping_add(to.wrapping_sub(first).wrapping_mul(steps))
        };
        let mut points = Vec::with_capacity(size.area());
        for row in 0..size.height() {
            let start = moved(row, down).wrapping_sub(first);
            points.extend((0..size.width()).map(|column| moved(column, right).wrapping_add(start)));
        }
        PointMap {
            size: image,
            image: points,
        }
    }

    /// The size of the image.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Transforms values `[point][channel]`.
    pub fn turn(&self, values: &[f32], channels: usize) -> Vec<f32> {
        let mut transformed = vec![0.0; values.len()];
        match channels {
            PLANES => self.turn_points::<PLANES>(values, &mut transformed),
            _ => {
                for (values, &to) in values.chunks_exact(channels).zip(&self.image) {
                    transformed[to * channels..][..channels].copy_from_slice(values);
                }
            }
        }
        transformed
    }

    /// For a number of channels that is known to the compiler.
    fn turn_points<const CHANNELS: usize>(&self, values: &[f32], transformed: &mut [f32]) {
        let (values, _) = values.as_chunks::<CHANNELS>();
        let (transformed, _) = transformed.as_chunks_mut::<CHANNELS>();
        for (values, &to) in values.iter().zip(&self.image) {
            transformed[to] = *values;
        }
    }

    /// Transforms outputs for the image back to the original.
    pub fn restore(&self, raw: &mut RawOutput) {
        let area = self.image.len();
        for values in raw
            .policy
            .chunks_exact_mut(area)
            .chain([raw.ownership.as_mut_slice()])
        {
            let image = values.to_vec();
            for (value, &from) in values.iter_mut().zip(&self.image) {
                *value = image[from];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_of_points_is_that_of_the_symmetry() {
        for (width, height) in [(2, 2), (2, 25), (19, 19), (13, 9)] {
            let size = BoardSize::new(width, height).expect("a size");
            for symmetry in Symmetry::all() {
                let map = PointMap::new(symmetry, size);
                let image = symmetry.size(size);
                assert_eq!(map.size(), image);
                let expected = size
                    .points()
                    .map(|it| image.index(symmetry.point(size, it)));
                assert!(
                    map.image.iter().copied().eq(expected),
                    "{size}, {symmetry:?}"
                );
            }
        }
    }
}
