//! Chains, and groups of chains that cannot be separated.

use crate::go::{Board, Point, PointSet};

/// The chains of a board, those together that share the fate of each other: between them is a point
/// where the opponent's stone would kill itself.
pub(super) fn groups(board: &Board) -> Vec<Vec<Point>> {
    let mut groups = chains(board);
    for point in board.points().filter(|&point| board.is_empty(point)) {
        let Some(color) = board.neighbors(point).find_map(|p| board.color_at(p)) else {
            continue;
        };
        let is_own = |p: Point| board.color_at(p) == Some(color);
        if !board.neighbors(point).all(is_own) || !board.is_suicide(point, !color, false) {
            continue;
        }
        let touches = |group: &Vec<Point>| board.neighbors(point).any(|p| group.contains(&p));
        let (around, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(touches);
        groups = others;
        groups.push(around.concat());
    }
    groups
}

/// The chains of a board, each with its stones row by row from the top left.
pub fn chains(board: &Board) -> Vec<Vec<Point>> {
    let mut seen = PointSet::EMPTY;
    let mut chains = Vec::new();
    for point in board.points() {
        if board.color_at(point).is_some() && !seen.contains(point) {
            let mut chain: Vec<Point> = board.chain(point).collect();
            chain.sort_by_key(|&stone| board.size().index(stone));
            for &stone in &chain {
                seen.insert(stone);
            }
            chains.push(chain);
        }
    }
    chains
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Color, diagram};

    #[test]
    fn chains_that_cannot_be_separated_belong_together() {
        let sizes = |board: &Board, color| {
            let mut sizes: Vec<usize> = groups(board)
                .iter()
                .filter(|group| board.color_at(group[0]) == Some(color))
                .map(Vec::len)
                .collect();
            sizes.sort_unstable();
            sizes
        };
        // White takes the stone in the corner by playing beside it.
        let apart = diagram::parse("X.X../OXX../OO.../...../.....").unwrap();
        assert_eq!(sizes(&apart, Color::Black), [1, 3]);
        let joined = diagram::parse("...../.XX../X.X../.X.../.....").unwrap();
        assert_eq!(sizes(&joined, Color::Black), [5]);
    }
}
