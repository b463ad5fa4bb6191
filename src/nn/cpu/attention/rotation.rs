//! Rotary position embedding: pairs of channels are rotated by angles that depend on the point.

use crate::go::point::MAX_SIZE;
use crate::nn::desc::angles;

/// The angles of [`crate::nn::desc::Rope`] at every point of the largest board.
#[derive(Debug)]
pub struct Rotation {
    pairs: usize,
    /// `[row][column][head][pair]`
    cos: Vec<f32>,
    sin: Vec<f32>,
    heads: usize,
}

impl Rotation {
    /// From the angles by row and column, `pairs` of them for each head.
    pub fn new(frequencies: &[(f64, f64)], pairs: usize) -> Rotation {
        let angles: Vec<f64> = angles(frequencies).collect();
        Rotation {
            pairs,
            cos: angles.iter().map(|angle| angle.cos() as f32).collect(),
            sin: angles.iter().map(|angle| angle.sin() as f32).collect(),
            heads: frequencies.len() / pairs,
        }
    }

    /// Rotates one head's pairs at a point.
    pub fn turn(&self, head: &mut [f32], index: usize, x: usize, y: usize) {
        let start = ((y * MAX_SIZE + x) * self.heads + index) * self.pairs;
        let cos = &self.cos[start..][..self.pairs];
        let sin = &self.sin[start..][..self.pairs];
        let (first, second) = head.split_at_mut(self.pairs);
        for ((a, b), (cos, sin)) in first.iter_mut().zip(second).zip(cos.iter().zip(sin)) {
            (*a, *b) = (*a * cos - *b * sin, *b * cos + *a * sin);
        }
    }
}
