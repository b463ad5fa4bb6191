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
use super::point::{POINTS, Point};
use super::point_set::PointSet;

/// A maximal connected set of points without stones of the color in question.
struct Region {
    /// Its points are `Regions::points[start..end]`.
    start: usize,
    end: usize,
    /// The heads of the chains around it are `Regions::borders[borders_start..borders_end]`.
    borders_start: usize,
    borders_end: usize,
    /// Heads of the chains it is vital to.
    vital: SmallVec<[Point; 4]>,
    has_opponent: bool,
    /// Number of points that touch no stone of the color.
    internal: usize,
    /// Whether no chain around it was found wanting.
    is_sound: bool,
}

/// All regions of one color on a board.
struct Regions<'a> {
    board: &'a Board,
    color: Color,
    regions: Vec<Region>,
    points: Vec<Point>,
    borders: Vec<Point>,
    seen: PointSet,
    /// By head of a chain: one more than the index of the last region found to touch it.
    touched_by: [u16; POINTS],
}

/// Marks in `map` what `color` holds for certain, and as `parts` asks, what it merely surrounds.
/// With `suicide`, the enemy is supposed to be able to kill stones of his own to make room.
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
    let mut regions = Regions::of(board, color, suicide);
    let alive = regions.eliminate();
    for &head in &alive {
        for stone in board.chain(head) {
            map.set(stone, Some(color));
        }
    }
    for region in &regions.regions {
        let certain =
            region.is_sound && (region.internal <= 1 || parts.safe_big && !region.has_opponent);
        let surrounded = parts.unsafe_big && !region.has_opponent;
        for &point in &regions.points[region.start..region.end] {
            if certain || surrounded && map.owner(point).is_none() {
                map.set(point, Some(color));
            }
        }
    }
}

impl<'a> Regions<'a> {
    fn of(board: &'a Board, color: Color, suicide: bool) -> Regions<'a> {
        let mut all = Regions {
            board,
            color,
            regions: Vec::with_capacity(32),
            points: Vec::with_capacity(board.size().area()),
            borders: Vec::with_capacity(64),
            seen: PointSet::EMPTY,
            touched_by: [0; POINTS],
        };
        for point in board.points() {
            if board.color_at(point) != Some(color) && all.seen.insert(point) {
                all.explore(point, suicide);
            }
        }
        all
    }

    /// Adds the region of a point just seen for the first time.
    fn explore(&mut self, first: Point, suicide: bool) {
        let number = self.regions.len() as u16 + 1;
        let (start, borders_start) = (self.points.len(), self.borders.len());
        self.points.push(first);
        let mut vital: Option<SmallVec<[Point; 4]>> = None;
        let (mut has_opponent, mut internal) = (false, 0);
        let mut next = start;
        while let Some(&point) = self.points.get(next) {
            next += 1;
            let mut touching = self.step(point, number);
            internal += usize::from(touching.is_empty());
            let is_empty = self.board.is_empty(point);
            has_opponent |= !is_empty;
            if is_empty || suicide {
                match &mut vital {
                    None => {
                        touching.sort_unstable();
                        touching.dedup();
                        vital = Some(touching);
                    }
                    Some(chains) => chains.retain(|head| touching.contains(head)),
                }
            }
        }
        self.regions.push(Region {
            start,
            end: self.points.len(),
            borders_start,
            borders_end: self.borders.len(),
            vital: vital.unwrap_or_default(),
            has_opponent,
            internal,
            is_sound: true,
        });
    }

    /// Queues the neighbors of a point that belong to its region; returns the heads of the chains
    /// it touches, with repeats.
    fn step(&mut self, point: Point, number: u16) -> SmallVec<[Point; 4]> {
        let mut touching = SmallVec::new();
        for neighbor in point.neighbors() {
            if self.board.color_at(neighbor) == Some(self.color) {
                let head = self.board.chain_head(neighbor);
                touching.push(head);
                if std::mem::replace(&mut self.touched_by[head.raw()], number) != number {
                    self.borders.push(head);
                }
            } else if self.board.contains(neighbor) && self.seen.insert(neighbor) {
                self.points.push(neighbor);
            }
        }
        touching
    }

    /// Strikes out chains with fewer than two vital regions and regions that touch such chains,
    /// until nothing changes; returns the heads of the chains left.
    fn eliminate(&mut self) -> Vec<Point> {
        let (board, color) = (self.board, self.color);
        let is_head = |&p: &Point| board.color_at(p) == Some(color) && board.chain_head(p) == p;
        let mut alive: Vec<Point> = board.points().filter(is_head).collect();
        let mut is_dead = PointSet::EMPTY;
        loop {
            let mut eyes = [0u16; POINTS];
            for region in self.regions.iter().filter(|region| region.is_sound) {
                for head in &region.vital {
                    eyes[head.raw()] += 1;
                }
            }
            let before = alive.len();
            alive.retain(|head| eyes[head.raw()] >= 2 || !is_dead.insert(*head));
            if alive.len() == before {
                return alive;
            }
            for region in &mut self.regions {
                let borders = &self.borders[region.borders_start..region.borders_end];
                region.is_sound &= !borders.iter().any(|&head| is_dead.contains(head));
            }
        }
    }
}
