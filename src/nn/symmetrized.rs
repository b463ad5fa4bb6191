//! Symmetries of the board for a network's inputs and outputs.

use crate::go::{BoardSize, Symmetry};

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
        let index = |point| image.index(symmetry.point(size, point));
        PointMap {
            size: image,
            image: size.points().map(index).collect(),
        }
    }

    /// The size of the image.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Transforms values `[point][channel]`.
    pub fn turn(&self, values: &[f32], channels: usize) -> Vec<f32> {
        let mut transformed = vec![0.0; values.len()];
        for (values, &to) in values.chunks_exact(channels).zip(&self.image) {
            transformed[to * channels..][..channels].copy_from_slice(values);
        }
        transformed
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
