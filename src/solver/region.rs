//! What to look at, where nobody says so: the enclosed group, and the points that matter for it.

use std::collections::VecDeque;

use crate::go::{Board, Color, Point, PointSet};

/// How many empty points in a row are followed from a group's stones, in a first look and in a second
/// one.
pub(super) const REACHES: [usize; 2] = [2, 3];
/// An attacker's chain with so many liberties, if it touches the region, may get captured.
const SHORT_OF_LIBERTIES: usize = 2;
/// So may one with no more liberties outside the region than these.
const LIBERTIES_OUTSIDE: usize = 1;
/// A defender's chain with so many liberties, if it is not in the target, counts as alive.
const SURELY_ALIVE: usize = 6;

/// The points that both may play on: those that a group can reach over few empty points without
/// crossing the attacker's stones, and the attacker's chains around it that are short of liberties,
/// with those liberties.
pub(super) fn region_around(board: &Board, target: &PointSet, reach: usize) -> PointSet {
    let Some(owner) = target.iter().find_map(|point| board.color_at(point)) else {
        return PointSet::EMPTY;
    };
    let mut stones = *target;
    let mut captured = PointSet::EMPTY;
    loop {
        let mut region = reachable(board, owner, &stones, reach);
        region.extend(captured.iter());
        let before = (stones.len(), captured.len());
        for chain in chains_around(board, &region, !owner) {
            let liberties = board.liberty_points(chain);
            let outside = liberties
                .iter()
                .filter(|&&liberty| !region.contains(liberty));
            if outside.count() <= LIBERTIES_OUTSIDE || liberties.len() <= SHORT_OF_LIBERTIES {
                captured.extend(board.chain(chain));
                for liberty in liberties {
                    captured.insert(liberty);
                    captured.extend(
                        board
                            .neighbors(liberty)
                            .filter(|&near| board.is_empty(near)),
                    );
                }
            }
        }
        captured.extend(bridges(board, owner, &region));
        for chain in chains_around(board, &captured, owner) {
            if !is_surely_alive(board, chain, target) {
                stones.extend(board.chain(chain));
            }
        }
        if before == (stones.len(), captured.len()) {
            return region;
        }
    }
}

/// The empty points beside a region that touch other stones of its owner: ways to connect.
fn bridges(board: &Board, owner: Color, region: &PointSet) -> Vec<Point> {
    let is_other = |&stone: &Point| board.color_at(stone) == Some(owner) && !region.contains(stone);
    let inside = region.iter().filter(|&p| board.color_at(p) != Some(!owner));
    let beside = inside.flat_map(|point| board.neighbors(point));
    let empty = beside.filter(|&point| board.is_empty(point) && !region.contains(point));
    empty
        .filter(|&point| board.neighbors(point).any(|stone| is_other(&stone)))
        .collect()
}

/// The heads of a color's chains in a set or next to it.
fn chains_around(board: &Board, set: &PointSet, color: Color) -> Vec<Point> {
    let mut heads = Vec::new();
    for point in set.iter() {
        for near in board.neighbors(point).chain([point]) {
            if board.color_at(near) == Some(color) && !heads.contains(&board.chain_head(near)) {
                heads.push(board.chain_head(near));
            }
        }
    }
    heads
}

fn is_surely_alive(board: &Board, stone: Point, target: &PointSet) -> bool {
    board.liberties(stone) >= SURELY_ALIVE && !board.chain(stone).any(|p| target.contains(p))
}

/// The points to which `owner` gets from some of his stones over at most `reach` empty points.
fn reachable(board: &Board, owner: Color, from: &PointSet, reach: usize) -> PointSet {
    let mut found = *from;
    let mut queue: VecDeque<(Point, usize)> = from.iter().map(|point| (point, 0)).collect();
    while let Some((point, steps)) = queue.pop_front() {
        for neighbor in board.neighbors(point) {
            if found.contains(neighbor) {
                continue;
            }
            match board.color_at(neighbor) {
                None if steps < reach => {
                    found.insert(neighbor);
                    queue.push_back((neighbor, steps + 1));
                }
                Some(color) if color == owner && !is_surely_alive(board, neighbor, from) => {
                    for stone in board.chain(neighbor) {
                        found.insert(stone);
                        queue.push_front((stone, steps));
                    }
                }
                _ => {}
            }
        }
    }
    found
}

/// The stones of the group that is most enclosed: of the color that is farther from the open part of
/// the board, the largest chain that is not outside, with the chains it reaches easily.
pub fn enclosed_group(board: &Board) -> Option<PointSet> {
    let open = open_part(board)?;
    let ways = Color::BOTH.map(|color| way_out(board, color, &open));
    let average = |color: Color| {
        let stones = board.stones_of(color);
        let sum: usize = stones
            .iter()
            .map(|stone| ways[color as usize][stone.raw()])
            .sum();
        (!stones.is_empty()).then(|| sum as f64 / stones.len() as f64)
    };
    let [black, white] = Color::BOTH.map(average);
    let owner = match black? >= white? {
        true => Color::Black,
        false => Color::White,
    };
    let way = &ways[owner as usize];
    let stones = board.stones_of(owner);
    let start = stones
        .iter()
        .max_by_key(|&stone| board.chain_len(stone).min(6) * way[stone.raw()])?;
    let chain: PointSet = board.chain(start).collect();
    let is_outside = |stone: Point| way[stone.raw()] <= OUTSIDE;
    let mut group = chain;
    loop {
        let before = group.len();
        let region = region_around(board, &group, REACHES[1]);
        let inside = region
            .iter()
            .filter(|&point| board.color_at(point) == Some(owner));
        group.extend(inside.filter(|&point| !is_outside(point)));
        if group.len() == before {
            return Some(group);
        }
    }
}

/// A stone that is so near to the open part of the board is outside.
const OUTSIDE: usize = 5;

/// The empty points that are far from all stones.
fn open_part(board: &Board) -> Option<PointSet> {
    let all: Vec<Point> = board.points().collect();
    let stones: Vec<Point> = all
        .iter()
        .copied()
        .filter(|&p| !board.is_empty(p))
        .collect();
    let distance = |point: &Point| {
        let to = |stone: &Point| {
            let across = point.column().abs_diff(stone.column());
            across.max(point.row().abs_diff(stone.row()))
        };
        stones.iter().map(to).min().unwrap_or(0)
    };
    let farthest = all.iter().map(distance).max()?;
    (farthest > 0).then(|| {
        all.iter()
            .copied()
            .filter(|p| distance(p) >= farthest.min(4))
            .collect()
    })
}

/// For each point by [`Point::raw`] how far it is from the open part of the board, past stones of
/// `color`, at most [`FAR`]: a step on the first or second line counts for several.
fn way_out(board: &Board, color: Color, open: &PointSet) -> Vec<usize> {
    let mut steps = vec![FAR; crate::go::point::POINTS];
    let mut queue: VecDeque<Point> = open.iter().collect();
    for point in open.iter() {
        steps[point.raw()] = 0;
    }
    while let Some(point) = queue.pop_front() {
        for neighbor in board.neighbors(point) {
            let cost = match board.color_at(neighbor) {
                None => step(board, neighbor),
                Some(other) if other == color => 0,
                Some(_) => continue,
            };
            let way = steps[point.raw()] + cost;
            if way < steps[neighbor.raw()] {
                steps[neighbor.raw()] = way;
                queue.push_back(neighbor);
            }
        }
    }
    steps
}

fn step(board: &Board, point: Point) -> usize {
    let (size, x, y) = (board.size(), point.column(), point.row());
    let line = x
        .min(y)
        .min(size.width() - 1 - x)
        .min(size.height() - 1 - y);
    match line {
        0 => 3,
        1 => 2,
        _ => 1,
    }
}

/// What counts for points that are cut off from the open part of the board, or nearly.
const FAR: usize = 14;
