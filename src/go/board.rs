//! Stones on points: placing, capturing, undoing. A board knows the point of a simple ko but not
//! the turn or history; these are in [`super::Position`].

use smallvec::SmallVec;

use super::chain::{Chains, Entry, Joined};
use super::color::{Color, PerColor};
use super::point::{BoardSize, Point};
use super::point_set::PointSet;
use super::rows::Rows;
use super::stones::{Cell, Stones};

mod prospects;

/// The stones on a board, their chains, the ko point and the number of captures.
#[derive(Clone)]
pub struct Board {
    size: BoardSize,
    stones: Stones,
    chains: Chains,
    ko: Option<Point>,
    captures: PerColor<u32>,
}

/// What is needed besides the captured stones to undo a move.
#[derive(Clone, Copy, Debug)]
pub struct Played {
    /// Where the stone was put.
    pub point: Point,
    /// Its color.
    pub color: Color,
    /// The number of stones removed: of the opponent, or for a suicide the mover's own, the
    /// stone just played included.
    pub removed: usize,
    /// Whether the removed stones were the mover's own.
    pub suicide: bool,
    ko_before: Option<Point>,
    entry_before: Entry,
    /// The first `join_count` of them, in order.
    joins: [Joined; 4],
    join_count: u8,
}

impl Board {
    /// An empty board.
    pub fn new(size: BoardSize) -> Board {
        Board {
            size,
            stones: Stones::new(size),
            chains: Chains::new(),
            ko: None,
            captures: PerColor([0; 2]),
        }
    }

    /// Width and height.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Identity of the stones alone: neither turn nor ko.
    pub fn hash(&self) -> u128 {
        self.stones.hash()
    }

    /// The stone on a point.
    #[inline]
    pub fn color_at(&self, point: Point) -> Option<Color> {
        self.stones.at(point).color()
    }

    /// Whether the point is on the board and holds no stone.
    #[inline]
    pub fn is_empty(&self, point: Point) -> bool {
        self.stones.at(point) == Cell::Empty
    }

    /// Whether the point is on the board.
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        self.stones.at(point) != Cell::Border
    }

    /// All points of the board, row by row from the top left.
    pub fn points(&self) -> impl DoubleEndedIterator<Item = Point> + Clone + use<> {
        self.size.points()
    }

    /// The neighbors that are on the board.
    pub fn neighbors(&self, point: Point) -> impl Iterator<Item = Point> + '_ {
        point.neighbors().into_iter().filter(|&n| self.contains(n))
    }

    /// The stones of each color and the empty points.
    pub(crate) fn rows(&self) -> (PerColor<Rows>, Rows) {
        self.stones.rows()
    }

    /// Number of stones of a color on the board.
    pub fn stone_count(&self, color: Color) -> usize {
        self.stones.count(color)
    }

    /// Fraction of points with stones, from 0 to 1.
    pub fn occupancy(&self) -> f64 {
        let stones = self.stone_count(Color::Black) + self.stone_count(Color::White);
        stones as f64 / self.size().area() as f64
    }

    /// Number of captured stones of a color so far.
    pub fn captures(&self, color: Color) -> u32 {
        self.captures[color]
    }

    /// An identifier of the chain of the stone on `point`: the same point for all its stones, until
    /// the next change of the board.
    #[inline]
    pub fn chain_head(&self, point: Point) -> Point {
        debug_assert!(self.color_at(point).is_some());
        self.chains.head(point)
    }

    /// Number of liberties of the chain of the stone on `point`.
    #[inline]
    pub fn liberties(&self, point: Point) -> usize {
        debug_assert!(self.color_at(point).is_some());
        self.chains.liberties(point)
    }

    /// Number of stones of the chain of the stone on `point`.
    #[inline]
    pub fn chain_len(&self, point: Point) -> usize {
        debug_assert!(self.color_at(point).is_some());
        self.chains.len(point)
    }

    /// The stones of the chain of the stone on `point`, beginning there.
    pub fn chain(&self, point: Point) -> impl Iterator<Item = Point> + '_ {
        debug_assert!(self.color_at(point).is_some());
        std::iter::successors(Some(point), move |&stone| {
            Some(self.chains.next(stone)).filter(|&next| next != point)
        })
    }

    /// The liberties of the chain of the stone on `point`.
    pub fn liberty_points(&self, point: Point) -> SmallVec<[Point; 8]> {
        let wanted = self.liberties(point);
        let mut found: SmallVec<[Point; 8]> = SmallVec::new();
        for stone in self.chain(point) {
            for neighbor in stone.neighbors() {
                if self.is_empty(neighbor) && !found.contains(&neighbor) {
                    found.push(neighbor);
                    if found.len() == wanted {
                        return found;
                    }
                }
            }
        }
        found
    }

    /// The point of a simple ko, where a single stone has just been captured.
    #[inline]
    pub fn ko(&self) -> Option<Point> {
        self.ko
    }

    /// Clears the ko, as a pass does.
    pub fn clear_ko(&mut self) {
        self.ko = None;
    }

    pub(crate) fn set_ko(&mut self, ko: Option<Point>) {
        self.ko = ko;
    }

    /// Plays a stone on an empty point, removes what it captures or, failing that, its own chain if
    /// that has no liberties, and sets the ko point. The removed stones are appended to `removed`.
    pub fn play(&mut self, point: Point, color: Color, removed: &mut Vec<Point>) -> Played {
        let ko_before = self.ko.take();
        let removed_before = removed.len();
        self.stones.put(point, color);
        self.chains.adjust(&self.stones, point, None, false);
        let entry_before = self.chains.entry(point);
        let (mut joins, mut join_count) = ([Joined::default(); 4], 0);
        self.chains.start(&self.stones, point);
        for neighbor in point.neighbors() {
            if self.stones.at(neighbor) == Cell::of(color)
                && self.chains.head(neighbor) != self.chains.head(point)
            {
                joins[join_count as usize] = self.chains.join(&self.stones, point, neighbor);
                join_count += 1;
            }
        }
        for neighbor in point.neighbors() {
            if self.stones.at(neighbor) == Cell::of(!color) && self.chains.liberties(neighbor) == 0
            {
                self.remove_chain(neighbor, !color, removed);
            }
        }
        let captured = removed.len() - removed_before;
        let suicide = captured == 0 && self.chains.liberties(point) == 0;
        if suicide {
            self.remove_chain(point, color, removed);
        } else if captured == 1 && self.chains.len(point) == 1 && self.chains.liberties(point) == 1
        {
            self.ko = removed.last().copied();
        }
        Played {
            point,
            color,
            removed: removed.len() - removed_before,
            suicide,
            ko_before,
            entry_before,
            joins,
            join_count,
        }
    }

    /// Undoes the last move. `removed` must be what [`Board::play`] appended for it.
    pub fn undo(&mut self, played: &Played, removed: &[Point]) {
        debug_assert_eq!(removed.len(), played.removed);
        let Played { point, color, .. } = *played;
        self.ko = played.ko_before;
        let owner = if played.suicide { color } else { !color };
        self.captures[owner] -= removed.len() as u32;
        for &stone in removed {
            self.stones.put(stone, owner);
            self.chains.adjust(&self.stones, stone, Some(!owner), false);
        }
        for &joined in played.joins[..played.join_count as usize].iter().rev() {
            self.chains.part(joined);
        }
        self.chains.restore(point, played.entry_before);
        self.stones.take(point, color);
        self.chains.adjust(&self.stones, point, None, true);
    }

    fn remove_chain(&mut self, point: Point, color: Color, removed: &mut Vec<Point>) {
        let start = removed.len();
        removed.extend(self.chain(point));
        for &stone in &removed[start..] {
            self.stones.take(stone, color);
        }
        for &stone in &removed[start..] {
            self.chains.adjust(&self.stones, stone, Some(!color), true);
        }
        self.captures[color] += (removed.len() - start) as u32;
    }

    /// Sets up a stone on an empty point, without capturing: the caller guarantees that every chain
    /// has a liberty in the end.
    pub(crate) fn set_up(&mut self, point: Point, color: Color) {
        self.stones.put(point, color);
        self.chains.unassign(point);
        self.chains.adjust(&self.stones, point, Some(!color), false);
        for neighbor in point.neighbors() {
            if self.stones.at(neighbor) == Cell::of(color) && !self.chains.is_loose(neighbor) {
                self.chains.clear(neighbor);
            }
        }
        self.chains.build(&self.stones, point);
    }

    /// The points that hold stones of a color.
    pub fn stones_of(&self, color: Color) -> PointSet {
        self.points()
            .filter(|&p| self.color_at(p) == Some(color))
            .collect()
    }

    /// Whether both boards have the same stones and ko point.
    pub fn is_same_as(&self, other: &Board) -> bool {
        self.size == other.size
            && self.ko == other.ko
            && self.points().all(|p| self.color_at(p) == other.color_at(p))
    }
}
