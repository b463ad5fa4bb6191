//! Rotary position embedding: pairs of channels are rotated by angles that depend on the point.

use crate::go::point::MAX_SIZE;
use crate::nn::desc::angles;
use crate::train::real::Real;

/// Cosines and sines of the angles of a [`crate::nn::desc::Rope`] at every point of the largest
/// board.
#[derive(Debug)]
pub struct Rotation<T> {
    /// `[row][column][head][pair]`
    turns: Vec<(T, T)>,
    pairs: usize,
    heads: usize,
}

impl<T: Real> Rotation<T> {
    /// From the angles per column and row, `[head][pair]`.
    pub fn new(frequencies: &[(f64, f64)], pairs: usize) -> Rotation<T> {
        let turn = |angle: f64| (T::of(angle.cos()), T::of(angle.sin()));
        Rotation {
            turns: angles(frequencies).map(turn).collect(),
            pairs,
            heads: frequencies.len() / pairs,
        }
    }

    /// Rotates the channels of a head at a point, or rotates them back; channels `2p` and `2p + 1`
    /// are a pair.
    pub fn turn(&self, channels: &mut [T], head: usize, (x, y): (usize, usize), is_back: bool) {
        let first = ((y * MAX_SIZE + x) * self.heads + head) * self.pairs;
        let turns = &self.turns[first..][..self.pairs];
        for (pair, &(cos, sin)) in channels.chunks_exact_mut(2).zip(turns) {
            let sin = if is_back { -sin } else { sin };
            (pair[0], pair[1]) = (pair[0] * cos - pair[1] * sin, pair[1] * cos + pair[0] * sin);
        }
    }
}
