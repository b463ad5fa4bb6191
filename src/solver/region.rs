//! What to look at, where nobody says so: the enclosed group, and the points that matter for it.

use std::collections::VecDeque;

use crate::go::{Board, Color, Point, PointSet};

/// How many empty points in a row are followed from a group's stones.
const REACH: usize = 3;
/// An attacker's chain with so many liberties, if it touches the region, may get captured.
const SHORT_OF_LIBERTIES: usize = 2;
/// A defender's chain with so many liberties, if it is not in the target, counts as alive.
const SURELY_ALIVE: usize = 6;

/// The points that both may play on: those that a group can reach over few empty points without
/// crossing the attacker's stones, and the attacker's chains around it that are short of liberties,
/// with those liberties.
pub fn region_around(board: &Board, target: &PointSet) -> PointSet {
    let Some(owner) = target.iter().find_map(|point| board.color_at(point)) else {
        return PointSet::EMPTY;
    };
    let mut region = reachable(board, owner, target, REACH);
    loop {
        let mut added = PointSet::EMPTY;
        for point in region.iter() {
            for neighbor in board.neighbors(point) {
                if region.contains(neighbor) || board.color_at(neighbor) != Some(!owner) {
                    continue;
                }
                let liberties = board.liberty_points(neighbor);
                let is_inside = liberties.iter().all(|&liberty| region.contains(liberty));
                if is_inside || liberties.len() <= SHORT_OF_LIBERTIES {
                    added.extend(board.chain(neighbor));
                    added.extend(liberties);
                }
            }
        }
        if added.is_empty() {
            break;
        }
        region.extend(added.iter());
        let with_defenders: Vec<Point> = added.iter().collect();
        for point in with_defenders {
            for neighbor in board.neighbors(point) {
                if board.color_at(neighbor) == Some(owner) && !is_surely_alive(board, neighbor, target) {
                    region.extend(board.chain(neighbor));
                }
            }
        }
    }
    region
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
        let sum: usize = stones.iter().map(|point| ways[color as usize][point.raw()]).sum();
        (!stones.is_empty()).then(|| sum as f64 / stones.len() as f64)
    };
    let [black, white] = Color::BOTH.map(average);
    let owner = match black? >= white? {
        true => Color::Black,
        false => Color::White,
    };
    let way = &ways[owner as usize];
    let is_outside = |stone: Point| way[stone.raw()] <= OUTSIDE;
    let stones = board.stones_of(owner);
    let start = stones.iter().max_by_key(|&stone| {
        (!is_outside(stone), board.chain_len(stone), way[stone.raw()])
    })?;
    let chain: PointSet = board.chain(start).collect();
    let group = reachable(board, owner, &chain, 2);
    Some(
        group
            .iter()
            .filter(|&point| board.color_at(point) == Some(owner))
            .filter(|&point| chain.contains(point) || !is_outside(point))
            .collect(),
    )
}

/// A stone that is so few steps from the open part of the board is outside.
const OUTSIDE: usize = 4;

/// The empty points that are far from all stones.
fn open_part(board: &Board) -> Option<PointSet> {
    let all: Vec<Point> = board.points().collect();
    let stones: Vec<Point> = all.iter().copied().filter(|&p| !board.is_empty(p)).collect();
    let distance = |point: &Point| {
        let to = |stone: &Point| {
            let across = point.column().abs_diff(stone.column());
            across.max(point.row().abs_diff(stone.row()))
        };
        stones.iter().map(to).min().unwrap_or(0)
    };
    let farthest = all.iter().map(distance).max()?;
    (farthest > 0).then(|| all.iter().copied().filter(|p| distance(p) >= farthest.min(4)).collect())
}

/// For each point by [`Point::raw`] the number of empty points from the open part of the board, past
/// stones of `color`.
fn way_out(board: &Board, color: Color, open: &PointSet) -> Vec<usize> {
    let mut steps = vec![FAR; crate::go::point::POINTS];
    let mut queue = VecDeque::new();
    for point in open.iter() {
        steps[point.raw()] = 0;
        queue.push_back(point);
    }
    while let Some(point) = queue.pop_front() {
        let here = steps[point.raw()];
        for neighbor in board.neighbors(point) {
            let cost = match board.color_at(neighbor) {
                None => 1,
                Some(other) if other == color => 0,
                Some(_) => continue,
            };
            if here + cost < steps[neighbor.raw()] {
                steps[neighbor.raw()] = here + cost;
                match cost {
                    0 => queue.push_front(neighbor),
                    _ => queue.push_back(neighbor),
                }
            }
        }
    }
    steps
}

/// What counts for points that are cut off from the open part of the board.
const FAR: usize = 20;
