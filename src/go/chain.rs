//! Chains: solidly connected stones of one color, with the exact number of their liberties.
//!
//! Each chain is known by its *head*, one of its stones; its stones form a ring through `next`.
//! Liberties are counted while stones are joined: a liberty of the stone being added counts only
//! if no stone already in the chain touches it.
//!
//! All changes can be undone exactly: joining returns what it changed, and removed stones leave
//! their entries behind until the next stone on the same point.

use super::color::Color;
use super::point::{POINTS, Point};
use super::stones::{Cell, Stones};

/// The chains of a board.
#[derive(Clone)]
pub(crate) struct Chains {
    /// Head of the chain of each stone; unspecified at other points, except [`Chains::NONE`]
    /// for stones taken out of their chain and not yet in another.
    head: [u16; POINTS],
    /// The next stone of the chain's ring.
    next: [u16; POINTS],
    /// By head: number of liberties.
    liberties: [u16; POINTS],
    /// By head: number of stones.
    len: [u16; POINTS],
}

/// The entries for one point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    head: u16,
    next: u16,
    liberties: u16,
    len: u16,
}

/// A merge of two chains, by their heads, with the former liberties of the one whose head stays.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Joined {
    big: u16,
    small: u16,
    big_liberties: u16,
}

impl Chains {
    const NONE: u16 = 0;

    pub(crate) fn new() -> Chains {
        Chains {
            head: [Chains::NONE; POINTS],
            next: [Chains::NONE; POINTS],
            liberties: [0; POINTS],
            len: [0; POINTS],
        }
    }

    /// Head of the chain of the stone at `point`.
    #[inline]
    pub(crate) fn head(&self, point: Point) -> Point {
        Point::from_raw(self.head[point.raw()] as usize)
    }

    /// Liberties of the chain of the stone at `point`.
    #[inline]
    pub(crate) fn liberties(&self, point: Point) -> usize {
        self.liberties[self.head[point.raw()] as usize] as usize
    }

    /// Stones of the chain of the stone at `point`.
    #[inline]
    pub(crate) fn len(&self, point: Point) -> usize {
        self.len[self.head[point.raw()] as usize] as usize
    }

    /// The stone after `point` in its chain's ring.
    #[inline]
    pub(crate) fn next(&self, point: Point) -> Point {
        Point::from_raw(self.next[point.raw()] as usize)
    }

    /// Whether the stone is in no chain at present.
    pub(crate) fn is_loose(&self, point: Point) -> bool {
        self.head[point.raw()] == Chains::NONE
    }

    /// Marks a stone just put on the board as being in no chain.
    pub(crate) fn unassign(&mut self, point: Point) {
        self.head[point.raw()] = Chains::NONE;
    }

    /// Splits the chain at `point`: all its stones become unassigned.
    pub(crate) fn clear(&mut self, point: Point) {
        let mut stone = point;
        while self.head[stone.raw()] != Chains::NONE {
            self.head[stone.raw()] = Chains::NONE;
            stone = self.next(stone);
        }
    }

    /// Changes the liberties of each chain beside `point` (each chain once), of `color` or, without
    /// one, of both, by one: down if the point was filled, up if it was emptied.
    #[inline]
    pub(crate) fn adjust(
        &mut self,
        stones: &Stones,
        point: Point,
        color: Option<Color>,
        emptied: bool,
    ) {
        let mut seen = [Chains::NONE; 4];
        for (i, neighbor) in point.neighbors().into_iter().enumerate() {
            let owner = stones.at(neighbor).color();
            if owner.is_none() || color.is_some() && owner != color {
                continue;
            }
            let head = self.head[neighbor.raw()];
            if seen[..i].contains(&head) {
                continue;
            }
            seen[i] = head;
            let liberties = &mut self.liberties[head as usize];
            *liberties = if emptied {
                *liberties + 1
            } else {
                *liberties - 1
            };
        }
    }

    /// Makes a one-stone chain of a stone, whatever its neighbors.
    #[inline]
    pub(crate) fn start(&mut self, stones: &Stones, point: Point) {
        let raw = point.raw() as u16;
        self.head[point.raw()] = raw;
        self.next[point.raw()] = raw;
        self.len[point.raw()] = 1;
        let free = point
            .neighbors()
            .iter()
            .filter(|&&n| stones.at(n) == Cell::Empty)
            .count();
        self.liberties[point.raw()] = free as u16;
    }

    /// What must be restored when the stone at `point`, to be started next, is removed.
    #[inline]
    pub(crate) fn entry(&self, point: Point) -> Entry {
        Entry {
            head: self.head[point.raw()],
            next: self.next[point.raw()],
            liberties: self.liberties[point.raw()],
            len: self.len[point.raw()],
        }
    }

    /// Undoes [`Chains::start`].
    #[inline]
    pub(crate) fn restore(&mut self, point: Point, entry: Entry) {
        self.head[point.raw()] = entry.head;
        self.next[point.raw()] = entry.next;
        self.liberties[point.raw()] = entry.liberties;
        self.len[point.raw()] = entry.len;
    }

    /// Joins the chains of two stones, whose counts must be exact; they must be different chains.
    #[inline]
    pub(crate) fn join(&mut self, stones: &Stones, a: Point, b: Point) -> Joined {
        let (a, b) = (self.head(a), self.head(b));
        let (big, small) = if self.len(a) >= self.len(b) {
            (a, b)
        } else {
            (b, a)
        };
        let joined = Joined {
            big: big.raw() as u16,
            small: small.raw() as u16,
            big_liberties: self.liberties[big.raw()],
        };
        let mut stone = small;
        loop {
            self.liberties[big.raw()] += self.new_liberties(stones, stone, big);
            self.head[stone.raw()] = big.raw() as u16;
            stone = self.next(stone);
            if stone == small {
                break;
            }
        }
        self.len[big.raw()] += self.len[small.raw()];
        self.next.swap(big.raw(), small.raw());
        joined
    }

    /// Undoes the last [`Chains::join`] not yet undone.
    #[inline]
    pub(crate) fn part(&mut self, joined: Joined) {
        let (big, small) = (joined.big as usize, joined.small as usize);
        self.next.swap(big, small);
        self.len[big] -= self.len[small];
        self.liberties[big] = joined.big_liberties;
        let mut stone = small;
        loop {
            self.head[stone] = joined.small;
            stone = self.next[stone] as usize;
            if stone == small {
                break;
            }
        }
    }

    /// Liberties of a stone that are not liberties of the chain with the given head.
    fn new_liberties(&self, stones: &Stones, stone: Point, head: Point) -> u16 {
        let touches = |p: Point| {
            matches!(stones.at(p), Cell::Black | Cell::White)
                && self.head[p.raw()] == head.raw() as u16
        };
        let is_new = |&&p: &&Point| {
            stones.at(p) == Cell::Empty && !p.neighbors().iter().any(|&n| touches(n))
        };
        stone.neighbors().iter().filter(is_new).count() as u16
    }

    /// Builds the chain of an unassigned stone, from all unassigned stones connected to it.
    pub(crate) fn build(&mut self, stones: &Stones, point: Point) {
        self.start(stones, point);
        let mut stone = point;
        // The ring grows behind `stone` during the traversal, so that every stone is reached.
        loop {
            for neighbor in stone.neighbors() {
                if stones.at(neighbor) == stones.at(point) && self.is_loose(neighbor) {
                    self.append(stones, point, stone, neighbor);
                }
            }
            stone = self.next(stone);
            if stone == point {
                break;
            }
        }
    }

    /// Adds an unassigned stone to a chain, after `previous` in the ring.
    fn append(&mut self, stones: &Stones, head: Point, previous: Point, stone: Point) {
        self.liberties[head.raw()] += self.new_liberties(stones, stone, head);
        self.head[stone.raw()] = head.raw() as u16;
        self.next[stone.raw()] = self.next[previous.raw()];
        self.next[previous.raw()] = stone.raw() as u16;
        self.len[head.raw()] += 1;
    }
}
