//! Alpha-beta, plain or with everything that is exact, returns minimax's value.

use keima::minimax::engine::{Engine, Task};
use keima::minimax::plain::{Method, Plain};
use keima::minimax::{Control, Limits, MinimaxParams, Position, Score, StaticEval};
use proptest::prelude::*;

use super::cases::cases;
use super::connect_four::{ConnectFour, Middle};
use super::random_game::{HashValue, RandomGame};

/// The engine's value at a depth, without pruning; `None` if there is no move.
fn exact<P: Position, E: StaticEval<P>>(
    position: &P,
    depth: u32,
    evaluator: E,
    change: impl Fn(&mut Engine<E>),
) -> Option<Score> {
    let mut engine = Engine::new(evaluator, 1);
    engine.params = MinimaxParams::exact();
    change(&mut engine);
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let found = engine.search(Task::new(position), &limits, &Control::new(false), |_| ());
    found.best.map(|best| best.score)
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn alpha_beta_equals_minimax_on_random_games(seed: u64, depth in 1u32..8) {
        let game = RandomGame::new(seed);
        let minimax = Plain::new(&HashValue, Method::Minimax).search(&game, &[], depth);
        for method in [Method::AlphaBeta, Method::OrderedAlphaBeta] {
            let found = Plain::new(&HashValue, method).search(&game, &[], depth);
            prop_assert_eq!(found.score, minimax.score);
            prop_assert!(found.nodes <= minimax.nodes);
        }
        let wide = Plain::new(&HashValue, Method::Beam(100)).search(&game, &[], depth);
        prop_assert_eq!(wide.score, minimax.score);
    }

    #[test]
    fn engine_without_pruning_equals_minimax_on_random_games(seed: u64, depth in 1u32..8) {
        let game = RandomGame::new(seed);
        let minimax = Plain::new(&HashValue, Method::Minimax).search(&game, &[], depth);
        let value = minimax.best.map(|_| minimax.score);
        prop_assert_eq!(exact(&game, depth, HashValue, |_| ()), value);
        prop_assert_eq!(exact(&game, depth, HashValue, |it| it.params.table = false), value);
        prop_assert_eq!(exact(&game, depth, HashValue, |it| it.params.aspiration = 7), value);
        prop_assert_eq!(exact(&game, depth, HashValue, |it| it.threads = 2), value);
    }

    #[test]
    fn all_agree_on_connect_four(moves in prop::collection::vec(0usize..5, 0..12), depth in 1u32..7) {
        let mut game = ConnectFour::default();
        for choice in moves {
            let mut list = Vec::new();
            game.moves(keima::minimax::Wanted::All, &mut list);
            if let Some(&mv) = list.get(choice % list.len().max(1)) {
                game.play(mv);
            }
        }
        let minimax = Plain::new(&Middle, Method::Minimax).search(&game, &[], depth);
        let alpha_beta = Plain::new(&Middle, Method::AlphaBeta).search(&game, &[], depth);
        prop_assert_eq!(alpha_beta.score, minimax.score);
        if minimax.best.is_some() {
            prop_assert_eq!(exact(&game, depth, Middle, |_| ()), Some(minimax.score));
        }
    }
}

#[test]
fn capped_minimax_visits_no_more_than_the_rest_of_open_nodes() {
    let game = ConnectFour::default();
    let mut plain = Plain::new(&Middle, Method::Minimax);
    plain.max_nodes = 1000;
    let found = plain.search(&game, &[], 8);
    assert!(found.nodes >= 1000);
    // Each of the at most eight open nodes may have four more moves.
    assert!(found.nodes <= 1000 + 8 * 4, "{}", found.nodes);
    assert!(found.best.is_some());
}
