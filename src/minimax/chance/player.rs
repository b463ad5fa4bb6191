//! The choice of a move by search: all choices one deep, then the most promising ones deeper.

use super::tree::{Method, Tree};
use super::{Chance, ExpectedValue, Node};

/// How a move is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchSettings {
    /// Choices looked ahead, at least 1: with 1, positions after the move are evaluated.
    pub depth: u32,
    /// Choices that are searched one deeper than the others, at most.
    pub candidates: usize,
    /// A choice whose value is worse than the best by more than this is not searched deeper.
    pub margin: f64,
    /// The algorithm.
    pub method: Method,
    /// Size of the table: two to the power of this many entries.
    pub table_bits: u32,
}

impl Default for SearchSettings {
    fn default() -> SearchSettings {
        SearchSettings {
            depth: 1,
            candidates: 8,
            margin: 0.2,
            method: Method::Star2,
            table_bits: 16,
        }
    }
}

/// A choice with its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rated {
    /// Index of the choice.
    pub index: usize,
    /// Expected result for the side that chooses, as far as it was searched.
    pub value: f64,
    /// Choices looked ahead.
    pub depth: u32,
}

/// Rates the positions after each choice of a side, the best first. `is_max` says that the first side chooses.
/// With equal values the earlier choice comes first.
pub fn rated<P: Chance, E: ExpectedValue<P>>(
    choices: &[P],
    is_max: bool,
    evaluator: &E,
    settings: &SearchSettings,
) -> Vec<Rated> {
    let sign = if is_max { 1.0 } else { -1.0 };
    let value = |after: &P| match after.node() {
        Node::Over(result) => result,
        _ => evaluator.value(after),
    };
    let rate = |(index, after): (usize, &P)| Rated {
        index,
        value: sign * value(after),
        depth: 1,
    };
    let mut rated: Vec<Rated> = choices.iter().enumerate().map(rate).collect();
    let best_first = |one: &Rated, other: &Rated| {
        let deeper = other.depth.cmp(&one.depth);
        deeper.then(other.value.total_cmp(&one.value))
    };
    rated.sort_by(best_first);
    let mut tree = Tree::new(evaluator, settings.method).with_order_and_table(settings.table_bits);
    for depth in 2..=settings.depth {
        let Some(best) = rated.first().map(|best| best.value) else {
            break;
        };
        let is_candidate = |rated: &&Rated| rated.value >= best - settings.margin;
        let all = rated.iter().take(settings.candidates.max(1));
        let count = all.take_while(is_candidate).count();
        // A single candidate needs no comparison.
        if count < 2 {
            break;
        }
        for candidate in &mut rated[..count] {
            candidate.value = sign * tree.value(&choices[candidate.index], depth - 1);
            candidate.depth = depth;
        }
        rated.sort_by(best_first);
    }
    rated
}
