//! Rotary positions: pairs of channels turn by angles that depend on the point.

use crate::go::point::MAX_SIZE;
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
    /// Of angles per column and row, `[head][pair]`, so many pairs for each head.
    pub fn new(frequencies: &[(f64, f64)], pairs: usize) -> Rotation<T> {
        let turn = |point: usize, (by_x, by_y): &(f64, f64)| {
            let (x, y) = (point % MAX_SIZE, point / MAX_SIZE);
            let (sin, cos) = (x as f64 * by_x + y as f64 * by_y).sin_cos();
            (T::of(cos), T::of(sin))
        };
        let points = 0..MAX_SIZE * MAX_SIZE;
        Rotation {
            turns: points
                .flat_map(|point| frequencies.iter().map(move |by| turn(point, by)))
                .collect(),
            pairs,
            heads: frequencies.len() / pairs,
        }
    }

    /// Turns the channels of a head at a point, `2p` and `2p + 1` being a pair; or back.
    pub fn turn(&self, channels: &mut [T], head: usize, (x, y): (usize, usize), is_back: bool) {
        let first = ((y * MAX_SIZE + x) * self.heads + head) * self.pairs;
        let turns = &self.turns[first..][..self.pairs];
        for (pair, &(cos, sin)) in channels.chunks_exact_mut(2).zip(turns) {
            let sin = if is_back { -sin } else { sin };
            (pair[0], pair[1]) = (pair[0] * cos - pair[1] * sin, pair[1] * cos + pair[0] * sin);
        }
    }
}
