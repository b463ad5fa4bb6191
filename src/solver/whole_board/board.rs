//! Small boards as bit sets: stones, moves, captures, area.

use crate::go::{Color, PerColor};

/// Largest number of points.
pub const MOST_POINTS: usize = 25;

/// Points as bits, row by row from the top left.
pub(super) type Points = u32;

/// Width and height of a board, with what depends on them.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    pub(super) width: usize,
    pub(super) height: usize,
    /// All points.
    pub(super) all: Points,
    /// All but the first column, all but the last.
    not_first: Points,
    not_last: Points,
}

impl Geometry {
    /// None if a side is 0 or there are more points than 25.
    pub(super) fn new(width: usize, height: usize) -> Option<Geometry> {
        let is_known = (1..=MOST_POINTS).contains(&width) && (1..=MOST_POINTS).contains(&height);
        if !is_known || width * height > MOST_POINTS {
            return None;
        }
        let column = |at: usize| (0..height).fold(0, |set, row| set | 1 << (row * width + at));
        let all = (1 << (width * height)) - 1;
        Some(Geometry {
            width,
            height,
            all,
            not_first: all & !column(0),
            not_last: all & !column(width - 1),
        })
    }

    /// Number of points.
    pub(super) fn area(&self) -> usize {
        self.width * self.height
    }

    /// The points beside those of a set; may be of the set.
    #[inline]
    pub(super) fn beside(&self, set: Points) -> Points {
        let vertical = set << self.width | set >> self.width;
        let horizontal = (set & self.not_last) << 1 | (set & self.not_first) >> 1;
        (vertical | horizontal) & self.all
    }

    /// The connected part of `within` that holds `seed`.
    #[inline]
    pub(super) fn connected(&self, seed: Points, within: Points) -> Points {
        let mut found = seed & within;
        loop {
            let larger = (found | self.beside(found)) & within;
            if larger == found {
                return found;
            }
            found = larger;
        }
    }

    /// The connected parts of a set.
    pub(super) fn parts(&self, set: Points) -> impl Iterator<Item = Points> + '_ {
        let mut rest = set;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let part = self.connected(rest & rest.wrapping_neg(), rest);
                rest &= !part;
                part
            })
        })
    }
}

/// Stones, and who is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Board {
    pub(super) stones: PerColor<Points>,
    pub(super) to_move: Color,
    /// Whether the last move was a pass.
    pub(super) has_passed: bool,
}

impl Board {
    /// The stones as a number.
    #[inline]
    pub(super) fn stones_key(&self) -> u64 {
        u64::from(self.stones[Color::Black]) | u64::from(self.stones[Color::White]) << MOST_POINTS
    }

    /// All of it as a number.
    #[inline]
    pub(super) fn key(&self) -> u64 {
        self.stones_key()
            | (self.to_move as u64) << (2 * MOST_POINTS)
            | u64::from(self.has_passed) << (2 * MOST_POINTS + 1)
    }

    /// Number of stones.
    #[inline]
    pub(super) fn stone_count(&self) -> u32 {
        (self.stones[Color::Black] | self.stones[Color::White]).count_ones()
    }

    /// After a pass.
    #[inline]
    pub(super) fn passed(&self) -> Board {
        Board {
            to_move: !self.to_move,
            has_passed: true,
            ..*self
        }
    }

    /// After a stone on an empty point; none if that is suicide.
    #[inline]
    pub(super) fn played(&self, geometry: &Geometry, point: usize) -> Option<Board> {
        let (own, other) = (self.to_move, !self.to_move);
        let stone = 1 << point;
        let mut stones = self.stones;
        stones[own] |= stone;
        let mut attacked = geometry.beside(stone) & stones[other];
        while attacked != 0 {
            let chain = geometry.connected(attacked & attacked.wrapping_neg(), stones[other]);
            attacked &= !chain;
            let taken = stones[Color::Black] | stones[Color::White];
            if geometry.beside(chain) & !taken == 0 {
                stones[other] &= !chain;
            }
        }
        let chain = geometry.connected(stone, stones[own]);
        let taken = stones[Color::Black] | stones[Color::White];
        (geometry.beside(chain) & !taken != 0).then_some(Board {
            stones,
            to_move: other,
            has_passed: false,
        })
    }

    /// Black's stones and the empty areas that touch only these, less White's.
    pub(super) fn area_lead(&self, geometry: &Geometry) -> i32 {
        let (black, white) = (self.stones[Color::Black], self.stones[Color::White]);
        let mut lead = black.count_ones() as i32 - white.count_ones() as i32;
        for part in geometry.parts(geometry.all & !(black | white)) {
            let border = geometry.beside(part);
            let size = part.count_ones() as i32;
            match (border & black != 0, border & white != 0) {
                (true, false) => lead += size,
                (false, true) => lead -= size,
                _ => {}
            }
        }
        lead
    }
}
