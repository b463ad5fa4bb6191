//! Pass-alive chains: those that live even if their owner passes forever (Benson, "Life in the
//! game of Go", 1976), and the regions they enclose.
//!
//! For one color at a time. A *region* is a maximal connected set of points that do not hold that
//! color; it is *vital* to a chain that touches every point where the enemy could stay. A chain
//! lives with two vital regions all of whose surrounding chains live too.

use smallvec::SmallVec;

use super::area::{AreaMap, AreaParts};
use super::board::Board;
use super::color::Color;
use super::point::Point;
use super::rows::Rows;

/// A maximal connected set of points without stones of the color in question.
struct Region {
    points: Rows,
    /// Heads of the chains it is vital to.
    vital: SmallVec<[Point; 4]>,
    has_opponent: bool,
    /// Whether at most one of its points touches no stone of the color.
    is_small: bool,
    /// Whether all chains around it are still considered alive.
    is_sound: bool,
}

/// The regions and chains of one color.
struct View<'a> {
    board: &'a Board,
    color: Color,
    own: Rows,
    empty: Rows,
    /// Points that must touch a chain for their region to be vital to it.
    required: Rows,
    /// Points without a stone of the color that touch one.
    touching: Rows,
}

/// Marks in `map` the pass-alive area of `color`, and with the options of `parts`, what it merely
/// surrounds. With `suicide`, the opponent may kill his own stones to make room.
pub(crate) fn mark(
    board: &Board,
    color: Color,
    parts: AreaParts,
    suicide: bool,
    map: &mut AreaMap,
) {
    if board.stone_count(color) == 0 {
        return;
    }
    let (stones, empty) = board.rows();
    let (own, others) = (stones[color], stones[!color] | empty);
    let view = View {
        board,
        color,
        own,
        empty,
        required: if suicide { others } else { empty },
        touching: own.neighbors() & others,
    };
    let mut regions: Vec<Region> = others.areas().map(|points| view.region(points)).collect();
    let alive = view.eliminate(&mut regions);
    for stone in alive.iter() {
        map.set(stone, Some(color));
    }
    for region in &regions {
        let certain =
            region.is_sound && (region.is_small || parts.safe_big && !region.has_opponent);
        let surrounded = parts.unsafe_big && !region.has_opponent;
        if !certain && !surrounded {
            continue;
        }
        for point in region.points.iter() {
            if certain || map.owner(point).is_none() {
                map.set(point, Some(color));
            }
        }
    }
}

impl View<'_> {
    fn region(&self, points: Rows) -> Region {
        Region {
            points,
            vital: self.vital(&points),
            has_opponent: !points.is_within(&self.empty),
            is_small: (points & !self.touching).len() <= 1,
            is_sound: true,
        }
    }

    /// Heads of the chains that a region is vital to.
    fn vital(&self, region: &Rows) -> SmallVec<[Point; 4]> {
        let required = *region & self.required;
        let mut vital = SmallVec::new();
        if !required.is_within(&self.touching) {
            return vital;
        }
        let mut points = required.iter();
        let Some(first) = points.next() else {
            return vital;
        };
        for head in self.heads_around(first) {
            if !vital.contains(&head) {
                vital.push(head);
            }
        }
        for point in points {
            vital.retain(|head| self.heads_around(point).any(|other| other == *head));
            if vital.is_empty() {
                break;
            }
        }
        vital
    }

    /// The heads of the chains that touch a point, with repeats.
    fn heads_around(&self, point: Point) -> impl Iterator<Item = Point> + '_ {
        let own = |&neighbor: &Point| self.board.color_at(neighbor) == Some(self.color);
        let stones = point.neighbors().into_iter().filter(own);
        stones.map(|stone| self.board.chain_head(stone))
    }

    /// Removes chains with fewer than two vital regions and regions that touch such chains, until
    /// nothing changes; returns the stones of the remaining chains.
    fn eliminate(&self, regions: &mut [Region]) -> Rows {
        let mut alive = self.own;
        loop {
            let kept = self.with_two_eyes(regions);
            for region in regions.iter_mut() {
                let border = region.points.neighbors() & self.own;
                region.is_sound = region.is_sound && border.is_within(&kept);
            }
            if kept == alive {
                return alive;
            }
            alive = kept;
        }
    }

    /// The stones of chains with at least two vital regions.
    fn with_two_eyes(&self, regions: &[Region]) -> Rows {
        let mut heads: SmallVec<[Point; 16]> = SmallVec::new();
        for region in regions.iter().filter(|region| region.is_sound) {
            heads.extend_from_slice(&region.vital);
        }
        heads.sort_unstable();
        let mut stones = Rows::EMPTY;
        for pair in heads.windows(2).filter(|pair| pair[0] == pair[1]) {
            for stone in self.board.chain(pair[0]) {
                stones.insert(stone);
            }
        }
        stones
    }
}
