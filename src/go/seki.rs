//! Detection of living stones in seki, as far as possible: groups with almost no territory that
//! share small dame regions with such groups of the other color.

use super::board::Board;
use super::color::Color;
use super::point::Point;
use super::point_set::PointSet;

/// A group with less territory than this cannot live by it.
const ENOUGH_TERRITORY: usize = 2;

/// Larger dame regions are not yet played out.
const LARGEST_SHARED: usize = 6;

/// Connected points without living stones, and the living stones around them.
struct Region {
    points: usize,
    border: Vec<Point>,
}

/// The stones in seki, with `dead` stones removed.
pub fn seki_stones(board: &Board, dead: &PointSet) -> PointSet {
    let regions = regions(board, dead);
    let groups = Groups::new(board, &regions);
    let is_poor = |stone: Point| groups.territory(board, stone) < ENOUGH_TERRITORY;
    let mut seki = Vec::new();
    for region in &regions {
        let owned_by =
            |color| move |stone: &Point| board.color_at(*stone) == Some(color) && is_poor(*stone);
        let poor = Color::BOTH.map(|color| {
            let stones = region.border.iter().copied();
            stones.filter(owned_by(color)).collect::<Vec<Point>>()
        });
        if region.points <= LARGEST_SHARED && poor.iter().all(|stones| !stones.is_empty()) {
            seki.extend(poor.concat());
        }
    }
    let heads: Vec<Point> = seki.iter().map(|&stone| groups.of(board, stone)).collect();
    let stones = board
        .points()
        .filter(|&point| board.color_at(point).is_some());
    stones
        .filter(|&stone| !dead.contains(stone) && heads.contains(&groups.of(board, stone)))
        .collect()
}

/// All maximal regions of points that are empty or hold dead stones.
fn regions(board: &Board, dead: &PointSet) -> Vec<Region> {
    let is_open = |point: Point| board.is_empty(point) || dead.contains(point);
    let mut seen = PointSet::EMPTY;
    let mut regions = Vec::new();
    for start in board.points().filter(|&point| is_open(point)) {
        if !seen.insert(start) {
            continue;
        }
        let (mut found, mut border) = (vec![start], Vec::new());
        let mut next = 0;
        while next < found.len() {
            for neighbor in board.neighbors(found[next]) {
                if !is_open(neighbor) {
                    border.push(neighbor);
                } else if seen.insert(neighbor) {
                    found.push(neighbor);
                }
            }
            next += 1;
        }
        regions.push(Region {
            points: found.len(),
            border,
        });
    }
    regions
}

/// Chains of a color that share territory belong together.
struct Groups {
    /// The head of another chain of the group, or its own, by the head of a chain.
    parents: Vec<(Point, Point)>,
    /// Points of territory by the head of a group.
    territory: Vec<(Point, usize)>,
}

impl Groups {
    fn new(board: &Board, regions: &[Region]) -> Groups {
        let mut groups = Groups {
            parents: Vec::new(),
            territory: Vec::new(),
        };
        let owned = regions.iter().filter(|region| {
            let mut colors = region.border.iter().map(|&stone| board.color_at(stone));
            let first = colors.next();
            first.is_some() && colors.all(|color| Some(color) == first)
        });
        let owned: Vec<&Region> = owned.collect();
        for region in &owned {
            let first = groups.of(board, region.border[0]);
            for &stone in &region.border {
                let head = groups.of(board, stone);
                if head != first {
                    groups.parents.push((head, first));
                }
            }
        }
        for region in owned {
            let head = groups.of(board, region.border[0]);
            groups.territory.push((head, region.points));
        }
        groups
    }

    /// The head of a stone's group.
    fn of(&self, board: &Board, stone: Point) -> Point {
        let mut head = board.chain_head(stone);
        while let Some((_, parent)) = self.parents.iter().find(|(child, _)| *child == head) {
            head = *parent;
        }
        head
    }

    fn territory(&self, board: &Board, stone: Point) -> usize {
        let group = self.of(board, stone);
        let parts = self.territory.iter().filter(|(head, _)| *head == group);
        parts.map(|(_, points)| points).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::diagram;

    fn seki(text: &str) -> Vec<usize> {
        let board = diagram::parse(text).expect("a diagram");
        let stones = seki_stones(&board, &PointSet::EMPTY);
        stones
            .iter()
            .map(|stone| board.size().index(stone))
            .collect()
    }

    fn sorted(mut places: Vec<usize>) -> Vec<usize> {
        places.sort_unstable();
        places
    }

    #[test]
    fn groups_without_eyes_that_share_liberties_are_in_seki() {
        // The walls live by their territory; the chains between them share two liberties.
        let found = seki(".OXX.OOX./.OXX.OOX./OOOOOXXX./....OX.../....OX...");
        assert_eq!(sorted(found), [2, 3, 5, 6, 11, 12, 14, 15]);
    }

    #[test]
    fn neutral_points_between_living_groups_make_no_seki() {
        assert!(seki(".X.O./.X.O./.X.O./.X.O./.X.O.").is_empty());
        assert!(seki("...../.X.../...../...O./.....").is_empty());
    }
}
