//! Inputs of `seed-9x9`: ten planes, derived from those of version 7.
//!
//! | plane | 1 at | of version 7 |
//! |---|---|---|
//! | 0 | all points of the board | plane 0 |
//! | 1 | own stones | plane 1 |
//! | 2 | the opponent's stones | plane 2 |
//! | 3, 4, 5 | chains with one, two, three liberties | planes 3, 4, 5 |
//! | 6 | points that ko rules forbid | plane 6 |
//! | 7 | the opponent's last move | plane 9 |
//! | 8 | the own move before it | plane 10 |
//! | 9 | all points, if komi is for the player to move | value 5 above 0 |
//!
//! A pass leaves planes 7 and 8 empty. The size of komi and the rules are no inputs, so a net
//! assumes those of its training.

use super::{FeatureSettings, GLOBALS, PLANES, write_modern};
use crate::go::Position;

/// Source of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The plane of version 7 with this number.
    Plane(usize),
    /// 1 everywhere if the global value with this number is above 0.
    Positive(usize),
}

/// The planes in their order.
pub const SEED_PLANES: [Source; 10] = [
    Source::Plane(0),
    Source::Plane(1),
    Source::Plane(2),
    Source::Plane(3),
    Source::Plane(4),
    Source::Plane(5),
    Source::Plane(6),
    Source::Plane(9),
    Source::Plane(10),
    Source::Positive(5),
];

/// The planes `[position][y][x][plane]` of positions on boards of this area, from their inputs of
/// version 7.
pub fn seed_planes(area: usize, spatial: &[f32], global: &[f32]) -> Vec<f32> {
    let points = |(spatial, global): (&[f32], &[f32])| {
        let of_point = |values: &[f32; PLANES]| {
            SEED_PLANES.map(|source| match source {
                Source::Plane(plane) => values[plane],
                Source::Positive(value) => f32::from(global[value] > 0.0),
            })
        };
        let points = spatial.as_chunks().0.iter();
        points.flat_map(of_point).collect::<Vec<f32>>()
    };
    let positions = spatial.chunks_exact(area * PLANES);
    let positions = positions.zip(global.chunks_exact(GLOBALS));
    positions.flat_map(points).collect()
}

/// Writes the planes `[y][x][plane]` of a position.
pub fn write_seed(position: &Position, settings: &FeatureSettings, spatial: &mut [f32]) {
    let area = position.size().area();
    let mut planes = vec![0.0; area * PLANES];
    let mut global = [0.0; GLOBALS];
    let turns = position.valid_turns();
    write_modern(position, settings, turns, &mut planes, &mut global);
    spatial.copy_from_slice(&seed_planes(area, &planes, &global));
}
