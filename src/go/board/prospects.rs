//! Effects of a stone on an empty point, without playing it.

use smallvec::SmallVec;

use super::super::color::Color;
use super::super::point::Point;
use super::super::stones::Cell;
use super::super::zobrist;
use super::Board;

impl Board {
    /// Whether a stone of that color there would be left without liberties: always true for a
    /// forbidden suicide. A single stone never may be suicide; with `multi_stone` larger chains
    /// may.
    #[inline]
    pub fn is_suicide(&self, point: Point, color: Color, multi_stone: bool) -> bool {
        let is_free = |&neighbor: &Point| self.stones.at(neighbor) == Cell::Empty;
        !point.neighbors().iter().any(is_free) && self.is_smothered(point, color, multi_stone)
    }

    /// [`Board::is_suicide`] for a point without empty neighbors.
    fn is_smothered(&self, point: Point, color: Color, multi_stone: bool) -> bool {
        point.neighbors().iter().all(|&neighbor| {
            let cell = self.stones.at(neighbor);
            if matches!(cell, Cell::Empty | Cell::Border) {
                return true;
            }
            let liberties = self.chains.liberties(neighbor);
            if cell == Cell::of(color) {
                !multi_stone && liberties == 1
            } else {
                liberties > 1
            }
        })
    }

    /// Whether stones and the simple ko allow the move; `multi_stone` is whether the rules allow
    /// suicide of more than one stone.
    #[inline]
    pub fn is_legal(&self, point: Point, color: Color, multi_stone: bool) -> bool {
        self.is_empty(point)
            && self.ko != Some(point)
            && !self.is_suicide(point, color, multi_stone)
    }

    /// Whether a stone of that color on an empty point would capture.
    pub fn is_capture(&self, point: Point, color: Color) -> bool {
        let is_taken = |p: Point| self.color_at(p) == Some(!color) && self.liberties(p) == 1;
        self.neighbors(point).any(is_taken)
    }

    /// The stone that `color` would capture by playing on `point`, if that is a ko: all neighbors
    /// are the opponent's, and only one of them is in a chain with one liberty, which is a single
    /// stone.
    pub fn ko_capture(&self, point: Point, color: Color) -> Option<Point> {
        if !self.is_empty(point) {
            return None;
        }
        let mut target = None;
        for neighbor in point.neighbors() {
            match self.stones.at(neighbor) {
                Cell::Border => {}
                cell if cell == Cell::of(!color) => {
                    if self.chains.liberties(neighbor) == 1 {
                        if target.is_some() || self.chains.len(neighbor) > 1 {
                            return None;
                        }
                        target = Some(neighbor);
                    }
                }
                _ => return None,
            }
        }
        target
    }

    /// The hash after a legal move, without playing it.
    pub fn hash_after(&self, point: Point, color: Color) -> u128 {
        let mut hash = self.hash() ^ zobrist::stone(point, color);
        let mut captured: SmallVec<[Point; 4]> = SmallVec::new();
        for neighbor in point.neighbors() {
            if self.color_at(neighbor) == Some(!color)
                && self.liberties(neighbor) == 1
                && !captured.contains(&self.chain_head(neighbor))
            {
                captured.push(self.chain_head(neighbor));
                for stone in self.chain(neighbor) {
                    hash ^= zobrist::stone(stone, !color);
                }
            }
        }
        if captured.is_empty() && self.is_suicide(point, color, false) {
            hash ^= zobrist::stone(point, color);
            let mut dead: SmallVec<[Point; 4]> = SmallVec::new();
            for neighbor in self.neighbors(point) {
                if self.color_at(neighbor) == Some(color)
                    && !dead.contains(&self.chain_head(neighbor))
                {
                    dead.push(self.chain_head(neighbor));
                    for stone in self.chain(neighbor) {
                        hash ^= zobrist::stone(stone, color);
                    }
                }
            }
        }
        hash
    }
}
