//! The signature of backgammon: plays generated and leaves of searches on fixed positions; comparison of algorithms.

use anyhow::{Context, Result};

use super::fibs::read_position_id;
use super::linear::Linear;
use super::model::{Judge, Model};
use super::notation::play_text;
use super::player::Searcher;
use super::plays::{Dice, Play};
use super::position::{BackgammonPosition, Stakes, perft};
use crate::games::dice_game::TreeRow;
use crate::minimax::chance::tree::{Method, Tree};
use crate::minimax::chance::{Bounds, Chance, ExpectedValue};
use crate::search::game::Side;

/// Positions by their IDs, with dice: openings, middle games, men back, two races.
pub const POSITIONS: [(&str, [u8; 2]); 10] = [
    ("4HPwATDgc/ABMA", [3, 1]),
    ("4HPkASLgc/ABMA", [5, 4]),
    ("4HPkBSAcZ8YBMA", [2, 1]),
    ("jOfgASTotsFBEA", [5, 3]),
    ("aDP4AFiM5xoDCA", [6, 5]),
    ("bLcNABjsbg4CEA", [5, 2]),
    ("7LYSAyDuxwYGAA", [5, 2]),
    ("8+wMBgCzmcHBAA", [3, 1]),
    ("13sDAICWAAAAAA", [2, 1]),
    ("VwAAANu7BwAAAA", [2, 1]),
];
/// Choices looked ahead by the signature.
const DEPTH: u32 = 2;

/// Counts of plays and leaves.
pub fn signature(note: &mut dyn FnMut(&str, u64)) -> u64 {
    let start = BackgammonPosition::start(Stakes::Points);
    let plays = perft(&start.board, 2).distinct;
    note("plays of two rolls", plays);
    let judge = Judge {
        model: std::sync::Arc::new(Model::Linear(Linear::default())),
        stakes: Stakes::Points,
    };
    let mut total = plays;
    for (id, dice) in POSITIONS {
        let Ok(board) = read_position_id(id) else {
            continue;
        };
        let position = BackgammonPosition { board, ..start };
        let position = position.rolled(Dice::new(dice[0], dice[1]));
        let mut tree = Tree::new(&judge, Method::Star2);
        tree.value(&position, DEPTH);
        note(&format!("{id} {}-{}", dice[0], dice[1]), tree.leaves);
        total += tree.leaves;
    }
    total
}

/// Compares the algorithms on a position, for each depth up to one.
pub fn tree(
    position: &BackgammonPosition,
    depth: u32,
    note: &mut dyn FnMut(TreeRow) -> Result<()>,
) -> Result<()> {
    position
        .dice
        .context("the position needs dice, as in --dice 31")?;
    let judge = Searcher::built_in()?.judge(position);
    for depth in 1..=depth {
        for (name, method) in [
            ("expectiminimax", Method::Expectiminimax),
            ("star1", Method::Star1),
            ("star2", Method::Star2),
        ] {
            note(row(position, depth, name, Tree::new(&judge, method)))?;
        }
        let ordered = Tree::new(&judge, Method::Star2).with_order_and_table(18);
        note(row(position, depth, "star2, ordered, table", ordered))?;
    }
    Ok(())
}

/// A search of a position with dice, whose best play is told.
fn row<E: ExpectedValue<BackgammonPosition>>(
    position: &BackgammonPosition,
    depth: u32,
    method: &'static str,
    mut tree: Tree<E>,
) -> TreeRow {
    let is_first = position.turn == Side::First;
    let sign = position.turn.sign();
    let mut choices = Vec::new();
    position.choices(&mut choices);
    if tree.is_ordered && depth > 1 {
        let value = |after: &BackgammonPosition| sign * tree.evaluator.value(after);
        choices.sort_by(|one, other| value(other).total_cmp(&value(one)));
        tree.ordered += choices.len() as u64;
    }
    let Bounds {
        least: mut alpha,
        greatest: mut beta,
    } = tree.evaluator.bounds();
    let mut best: Option<(f64, BackgammonPosition)> = None;
    for after in choices {
        let value = tree.search(&after, depth - 1, alpha, beta);
        if best.is_none_or(|(best, _)| sign * value > sign * best) {
            best = Some((value, after));
            match is_first {
                true => alpha = value,
                false => beta = value,
            }
        }
    }
    let leads_there = |play: &&Play| best.is_some_and(|(_, after)| position.after(play) == after);
    let plays = position.plays();
    TreeRow {
        method,
        depth,
        value: sign * best.map_or(0.0, |(value, _)| value),
        best: plays
            .iter()
            .find(leads_there)
            .map(play_text)
            .unwrap_or_default(),
        leaves: tree.leaves,
        ordered: tree.ordered,
    }
}
