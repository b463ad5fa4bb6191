//! The worked trees of lectures on game playing: values and numbers of leaves.

use keima::minimax::plain::{Method, Plain, Searched, fewest_leaves};
use keima::search::Side;

use super::written_tree::{LeafValue, Tree, WrittenGame};

fn searched(tree: &str, depth: u32, method: Method) -> Searched<u16> {
    let game = WrittenGame {
        tree: Tree::parse(tree),
        to_move: Side::First,
    };
    Plain::new(&LeafValue::default(), method).search(&game, &[], depth)
}

#[test]
fn three_by_three_tree_has_value_3_by_7_of_9_leaves() {
    let tree = "((3 12 8) (2 4 6) (14 5 2))";
    let minimax = searched(tree, 2, Method::Minimax);
    assert_eq!((minimax.score, minimax.best), (3, Some(0)));
    assert_eq!((minimax.leaves, minimax.nodes), (9, 13));
    let alpha_beta = searched(tree, 2, Method::AlphaBeta);
    assert_eq!((alpha_beta.score, alpha_beta.best), (3, Some(0)));
    assert_eq!(alpha_beta.leaves, 7);
}

#[test]
fn binary_tree_of_depth_3_has_value_4_by_5_of_8_leaves() {
    let tree = "(((4 1) (5 0)) ((2 1) (7 7)))";
    let minimax = searched(tree, 3, Method::Minimax);
    assert_eq!((minimax.score, minimax.leaves), (4, 8));
    let alpha_beta = searched(tree, 3, Method::AlphaBeta);
    assert_eq!((alpha_beta.score, alpha_beta.leaves), (4, 5));
    assert_eq!(fewest_leaves(2.0, 3), 5.0);
}

#[test]
fn only_the_order_of_values_matters() {
    let small = searched("((1 2) (2 4))", 2, Method::Minimax);
    let large = searched("((1 20) (20 400))", 2, Method::Minimax);
    assert_eq!((small.best, large.best), (Some(1), Some(1)));
    assert_eq!((small.score, large.score), (2, 20));
}

#[test]
fn beam_misses_a_move_that_looks_bad() {
    // Inner nodes evaluate to 0, so that the beam keeps the first moves of equal promise.
    let tree = "((1 2) (3 4) (9 9))";
    assert_eq!(searched(tree, 2, Method::Beam(3)).score, 9);
    let narrow = searched(tree, 2, Method::Beam(2));
    assert_eq!((narrow.score, narrow.best), (3, Some(1)));
    assert!(narrow.nodes < searched(tree, 2, Method::Minimax).nodes);
}
