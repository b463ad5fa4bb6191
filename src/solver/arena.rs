//! The part of the board that a search plays on, as sets of bits, with fast copies of positions.
//!
//! A [`Bits`] has one bit for each point of the smallest rectangle around the region, rows apart by
//! one unused column. What lies outside never changes: next to attackers that cannot be captured,
//! or to points that count as theirs, an attacker's stone is [`Arena::wall`]-bound and safe, and next
//! to defenders who live there, a defender's stone is [`Arena::friend`]-bound and safe.

use std::ops::Not;

use crate::go::zobrist::table;
use crate::go::{BoardSize, Point, PointSet};

/// A set of points of an [`Arena`].
pub(super) type Bits = u128;

/// No point of an arena.
pub(super) const NOWHERE: u8 = 255;

/// Who wants the target captured, and who wants it to live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Wants to capture the target.
    Attacker,
    /// Owns the target.
    Defender,
}

impl Not for Side {
    type Output = Side;

    fn not(self) -> Side {
        match self {
            Side::Attacker => Side::Defender,
            Side::Defender => Side::Attacker,
        }
    }
}

/// The stones of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// Stones of the attacker and of the defender.
    pub(super) stones: [Bits; 2],
    /// Points whose stone belongs to the target and has never been captured.
    pub(super) target: Bits,
    /// Where the side to move may not take back a ko, or [`NOWHERE`].
    pub(super) ko: u8,
    /// Identity of all of this (Zobrist, 1970), without the side to move.
    pub(super) key: u128,
}

/// The region, and what its border means.
#[derive(Clone, Debug)]
pub(super) struct Arena {
    stride: u32,
    /// All points that may be played on.
    pub(super) region: Bits,
    /// Points next to the attacker's safe surroundings.
    pub(super) wall: Bits,
    /// Points next to the defender's safe surroundings.
    pub(super) friend: Bits,
    points: Vec<Option<Point>>,
}

/// Kinds of keys besides the two sides' stones.
const TARGET: usize = 2;
const KO: usize = 3;

/// Keys of positions, by place and kind.
static KEYS: [u128; 512] = table(0x7473_756d_6567_6f00);

fn key(place: u8, kind: usize) -> u128 {
    KEYS[4 * usize::from(place) + kind]
}

impl Arena {
    /// None if the region is empty or its rectangle has more than 128 points, unused ones included.
    pub(super) fn new(size: BoardSize, region: &PointSet) -> Option<Arena> {
        let inside = || size.points().filter(|&point| region.contains(point));
        let columns = (
            inside().map(Point::column).min()?,
            inside().map(Point::column).max()?,
        );
        let rows = (
            inside().map(Point::row).min()?,
            inside().map(Point::row).max()?,
        );
        let (width, height) = (columns.1 - columns.0 + 1, rows.1 - rows.0 + 1);
        // Rows lie along the longer side, which takes fewer unused points.
        let is_turned = height > width;
        let (along, across) = (width.max(height), width.min(height));
        if (along + 1) * across > 128 {
            return None;
        }
        let stride = along + 1;
        let mut arena = Arena {
            stride: stride as u32,
            region: 0,
            wall: 0,
            friend: 0,
            points: vec![None; 128],
        };
        for point in inside() {
            let (x, y) = (point.column() - columns.0, point.row() - rows.0);
            let (x, y) = if is_turned { (y, x) } else { (x, y) };
            let place = y * stride + x;
            arena.points[place] = Some(point);
            arena.region |= 1 << place;
        }
        Some(arena)
    }

    /// The point of the board.
    pub(super) fn point(&self, place: u8) -> Option<Point> {
        self.points.get(usize::from(place)).copied().flatten()
    }

    /// The place of a point of the board.
    pub(super) fn place(&self, point: Point) -> Option<u8> {
        let place = self.points.iter().position(|&p| p == Some(point))?;
        Some(place as u8)
    }

    /// The points of the board that are in a set.
    pub(super) fn points_of(&self, set: Bits) -> impl Iterator<Item = Point> + '_ {
        places(set).filter_map(|place| self.point(place))
    }

    /// Identity of a position by its stones, target and ko.
    pub(super) fn state(&self, stones: [Bits; 2], target: Bits, ko: u8) -> State {
        let mut key = 0;
        for (set, kind) in [(stones[0], 0), (stones[1], 1), (target, TARGET)] {
            key ^= key_of(set, kind);
        }
        key ^= ko_key(ko);
        State {
            stones,
            target,
            ko,
            key,
        }
    }

    /// The points of the region next to a set.
    #[inline]
    pub(super) fn near(&self, set: Bits) -> Bits {
        // Rows are shorter than 64 points: known to the compiler, that saves half of the work.
        let stride = self.stride & 63;
        (set << 1 | set >> 1 | set << stride | set >> stride) & self.region
    }

    /// The points of `within` that are connected to `seed`, which must be some of them.
    #[inline]
    pub(super) fn flood(&self, seed: Bits, within: Bits) -> Bits {
        let mut area = seed;
        loop {
            let larger = (area | self.near(area)) & within;
            if larger == area {
                return area;
            }
            area = larger;
        }
    }

    /// The connected parts of `within` that have points of `seeds`, which must all be in it.
    #[inline]
    pub(super) fn parts(&self, seeds: Bits, within: Bits) -> impl Iterator<Item = Bits> + '_ {
        let mut rest = seeds;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let part = self.flood(lowest(rest), within);
                rest &= !part;
                part
            })
        })
    }

    /// Points without a stone.
    #[inline]
    pub(super) fn empty(&self, state: &State) -> Bits {
        self.region & !(state.stones[0] | state.stones[1])
    }

    /// Points next to what is safe outside the region for a side.
    #[inline]
    pub(super) fn haven(&self, side: Side) -> Bits {
        match side {
            Side::Attacker => self.wall,
            Side::Defender => self.friend,
        }
    }

    /// The position after a stone on an empty point; none if that is suicide. The ko point is set
    /// if `has_ko_rule`: if the other side may not take back at once.
    pub(super) fn play(
        &self,
        state: &State,
        side: Side,
        place: u8,
        has_ko_rule: bool,
    ) -> Option<State> {
        let bit: Bits = 1 << place;
        let near = self.near(bit);
        let mut stones = state.stones;
        stones[side as usize] |= bit;
        let other = stones[!side as usize];
        let empty = self.region & !(stones[0] | stones[1]);
        let captured = self.captured(near & other, other, empty, self.haven(!side));
        let own = stones[side as usize];
        let open = empty | captured;
        if near & open == 0 && bit & self.haven(side) == 0 {
            let chain = self.flood(bit, own);
            if self.near(chain) & open == 0 && chain & self.haven(side) == 0 {
                return None;
            }
        }
        let takes_ko = captured.count_ones() == 1
            && near & own == 0
            && near & open == captured
            && bit & self.haven(side) == 0;
        stones[!side as usize] &= !captured;
        let target = state.target & stones[Side::Defender as usize];
        let ko = match takes_ko && has_ko_rule {
            true => captured.trailing_zeros() as u8,
            false => NOWHERE,
        };
        let mut key = state.key ^ key(place, side as usize);
        key ^= key_of(captured, !side as usize);
        key ^= key_of(state.target & !target, TARGET);
        key ^= ko_key(state.ko) ^ ko_key(ko);
        Some(State {
            stones,
            target,
            ko,
            key,
        })
    }

    /// The position after a pass: the ko may be taken back.
    pub(super) fn pass(&self, state: &State) -> State {
        State {
            ko: NOWHERE,
            key: state.key ^ ko_key(state.ko),
            ..*state
        }
    }

    /// The stones of the chains of `seeds` that have no liberty and are not safe.
    #[inline]
    fn captured(&self, seeds: Bits, stones: Bits, empty: Bits, haven: Bits) -> Bits {
        self.parts(seeds, stones)
            .filter(|&chain| self.near(chain) & empty == 0 && chain & haven == 0)
            .fold(0, |captured, chain| captured | chain)
    }
}

fn key_of(set: Bits, kind: usize) -> u128 {
    places(set).fold(0, |all, place| all ^ key(place, kind))
}

fn ko_key(ko: u8) -> u128 {
    match ko {
        NOWHERE => 0,
        place => key(place, KO),
    }
}

/// The first point of a set.
#[inline]
pub(super) fn lowest(set: Bits) -> Bits {
    set & set.wrapping_neg()
}

/// The places of the points of a set, in order.
pub(super) fn places(set: Bits) -> impl Iterator<Item = u8> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let place = rest.trailing_zeros() as u8;
        (rest != 0).then(|| {
            rest &= rest - 1;
            place
        })
    })
}
