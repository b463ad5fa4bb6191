//! Sets of points of any board, as bits.

use std::fmt;

use super::point::{POINTS, Point};

/// A set of points.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PointSet([u64; POINTS.div_ceil(64)]);

impl PointSet {
    /// The empty set.
    pub const EMPTY: PointSet = PointSet([0; POINTS.div_ceil(64)]);

    /// Whether it has no points.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the point is in it.
    pub fn contains(&self, point: Point) -> bool {
        self.0[point.raw() / 64] >> (point.raw() % 64) & 1 != 0
    }

    /// The points in it, in order of [`Point::raw`].
    pub fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        self.0.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    Point::from_raw(index * 64 + bit)
                })
            })
        })
    }

    /// Adds a point; true if it was not there.
    pub fn insert(&mut self, point: Point) -> bool {
        let new = !self.contains(point);
        self.0[point.raw() / 64] |= 1 << (point.raw() % 64);
        new
    }

    /// Removes a point; true if it was there.
    pub fn remove(&mut self, point: Point) -> bool {
        let present = self.contains(point);
        self.0[point.raw() / 64] &= !(1 << (point.raw() % 64));
        present
    }
}

impl Default for PointSet {
    fn default() -> PointSet {
        PointSet::EMPTY
    }
}

impl fmt::Debug for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> PointSet {
        let mut set = PointSet::EMPTY;
        set.extend(points);
        set
    }
}

impl Extend<Point> for PointSet {
    fn extend<I: IntoIterator<Item = Point>>(&mut self, points: I) {
        points.into_iter().for_each(|point| {
            self.insert(point);
        });
    }
}
