//! The alpha-beta search on gomoku.

use keima::games::board_game::BoardGame;
use keima::games::gomoku::notation::point_text;
use keima::games::gomoku::{Evaluation, GomokuPosition};
use keima::minimax::engine::{Engine, Task};
use keima::minimax::score::plies_to_end;
use keima::minimax::{Control, Found, Limits, MinimaxParams, Position, Wanted};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{after, variant, with_stones};

fn search(position: &GomokuPosition, nodes: u64) -> Found<u16> {
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let mut engine = Engine::new(Evaluation::default(), 4);
    engine.search(Task::new(position), &limits, &Control::new(false), |_| ())
}

fn best(position: &GomokuPosition, nodes: u64) -> String {
    let mv = search(position, nodes).mv().unwrap();
    point_text(position.variant(), mv)
}

#[test]
fn rows_are_completed_and_stopped() {
    let position = with_stones("freestyle", "d8e8f8g8", "a1a2a3a4");
    assert!(["c8", "h8"].contains(&best(&position, 100).as_str()));
    let position = with_stones("freestyle", "d8e8f8g8a1", "c8d7e6a3");
    assert_eq!(best(&position, 1_000), "h8");
    // An open three is stopped beside it.
    let position = with_stones("freestyle", "g8h8i8a15", "h9c3m2");
    let answer = best(&position, 20_000);
    assert!(
        ["e8", "f8", "j8", "k8"].contains(&answer.as_str()),
        "{answer}"
    );
}

#[test]
fn a_four_is_stopped_where_both_of_its_rows_are_in_caro() {
    // At j8 White blocks the second end of e8 to i8, whose first is blocked; at e8 f8 to j8 would be left.
    let position = with_stones("caro", "f8g8h8i8", "d8a1a15");
    for nodes in [10, 2_000] {
        assert_eq!(best(&position, nodes), "j8");
    }
    let found = search(&position, 2_000).best.unwrap();
    assert_eq!(plies_to_end(found.score), None, "it is not lost");
}

#[test]
fn wins_are_seen_with_their_distance() {
    let position = with_stones("freestyle", "g8h8i8", "h9c3m2");
    let found = search(&position, 5_000);
    assert_eq!(plies_to_end(found.best.unwrap().score), Some(3));
    let lost = with_stones("freestyle", "g8h8i8j8a1", "h9c3m2c12");
    let found = search(&lost, 5_000);
    assert_eq!(plies_to_end(found.best.unwrap().score), Some(-2));
}

#[test]
fn black_never_plays_a_forbidden_point_in_renju() {
    // A straight four at h8 would also be an overline's neighbor; h8 itself is a double three.
    let position = with_stones("renju", "h9h10g8f8", "a1c1e1g1");
    for nodes in [1, 50, 5_000] {
        let found = search(&position, nodes);
        assert!(position.is_legal(found.mv().unwrap()));
    }
}

#[test]
fn equal_searches_give_equal_results() {
    for name in ["freestyle-15", "renju-15", "caro-19"] {
        let position = after(name, "h8i9h9h10i10");
        let [first, second] = [(); 2].map(|()| search(&position, 5_000));
        let moves = |found: &Found<u16>| {
            found
                .best
                .clone()
                .map(|best| (best.moves, best.score, best.depth))
        };
        assert_eq!(
            (moves(&first), first.nodes),
            (moves(&second), second.nodes),
            "{name}"
        );
    }
}

#[test]
fn moves_worth_searching_are_legal_and_never_missing() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for name in [
        "freestyle-9",
        "standard-6",
        "renju-11",
        "caro-8",
        "tictactoe",
    ] {
        for _ in 0..20 {
            let mut position = GomokuPosition::start(variant(name));
            loop {
                let (mut all, mut worthwhile) = (Vec::new(), Vec::new());
                position.moves(Wanted::All, &mut all);
                position.worthwhile(&mut worthwhile);
                assert!(worthwhile.iter().all(|mv| all.contains(mv)), "{name}");
                assert_eq!(all.is_empty(), worthwhile.is_empty(), "{name}");
                assert_eq!(all.is_empty(), !position.has_moves());
                if position.verdict(all.is_empty()).is_some() {
                    break;
                }
                position.play(all[random.random_range(0..all.len())]);
            }
        }
    }
}

#[test]
fn tic_tac_toe_is_drawn() {
    let mut engine = Engine::new(Evaluation::default(), 4);
    engine.params = MinimaxParams::exact();
    let limits = Limits {
        depth: Some(9),
        ..Limits::default()
    };
    let start = GomokuPosition::start(variant("tictactoe"));
    let found = engine.search(Task::new(&start), &limits, &Control::new(false), |_| ());
    assert_eq!(found.best.unwrap().score, 0);
}

/// The number that changes only when rules, evaluation or search do.
#[test]
fn the_signature_of_the_search_is_as_recorded() {
    let nodes = GomokuPosition::bench(&mut |_, _| ());
    assert_eq!(
        nodes.to_string(),
        include_str!("../data/gomoku.signature").trim()
    );
}

/// The search against random moves, with either color, under all rules.
#[test]
fn random_moves_are_beaten() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for (number, name) in [
        "freestyle",
        "standard-19",
        "renju",
        "caro-20",
        "caro-exact",
        "renju-13",
    ]
    .into_iter()
    .enumerate()
    {
        let mut position = GomokuPosition::start(variant(name));
        let mut ply = 0;
        let verdict = loop {
            let mut moves = Vec::new();
            position.moves(Wanted::All, &mut moves);
            if let Some(verdict) = position.verdict(moves.is_empty()) {
                break verdict;
            }
            let mv = match ply % 2 == number % 2 {
                true => search(&position, 300).mv().unwrap(),
                false => moves[random.random_range(0..moves.len())],
            };
            position.play(mv);
            ply += 1;
        };
        assert_eq!(verdict, keima::minimax::Verdict::Lost, "{name}");
        assert_eq!(
            (ply - 1) % 2,
            number % 2,
            "{name}: the search has the last move"
        );
        assert!(ply < 40, "{name}: {ply}");
    }
}
