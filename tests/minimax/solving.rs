//! The engine as it plays: solves games, keeps to limits, gives the same result again.

use keima::minimax::engine::{Engine, Task};
use keima::minimax::plain::{Method, Plain};
use keima::minimax::score::plies_to_end;
use keima::minimax::{Control, Found, Limits, MinimaxParams, Position, Report};

use super::connect_four::{COLUMNS, ConnectFour, Middle};

fn after(moves: &[u32]) -> ConnectFour {
    let mut game = ConnectFour::default();
    moves.iter().for_each(|&cell| game.play(cell));
    game
}

fn search(game: &ConnectFour, limits: &Limits, threads: usize) -> Found<u32> {
    let mut engine = Engine::new(Middle, 2);
    engine.threads = threads;
    engine.search(Task::new(game), limits, &Control::new(false), |_| ())
}

fn to_depth(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

#[test]
fn values_at_full_depth_are_the_same_with_and_without_table() {
    // Twelve cells are taken, eight left.
    for last in 0..4 {
        let game = after(&[0, 5, 10, 15, 20, 1, 6, 11, 16, 21, 2, 7 + 5 * last]);
        let value = Plain::new(&Middle, Method::Minimax)
            .search(&game, &[], 8)
            .score;
        for table in [true, false] {
            let mut engine = Engine::new(Middle, 2);
            engine.params = MinimaxParams {
                table,
                exact_depth: false,
                ..MinimaxParams::exact()
            };
            let control = Control::new(false);
            let found = engine.search(Task::new(&game), &to_depth(8), &control, |_| ());
            assert_eq!(found.best.unwrap().score, value, "{game:?} table {table}");
        }
    }
}

#[test]
fn win_is_found_with_its_length() {
    // Three in the bottom row, open on the right.
    let game = after(&[0, 1, 5, 6, 10, 11]);
    let found = search(&game, &to_depth(6), 1);
    assert_eq!(found.mv(), Some(15));
    assert_eq!(plies_to_end(found.best.unwrap().score), Some(1));
}

#[test]
fn search_with_one_thread_is_reproducible() {
    let game = after(&[10, 11]);
    let limits = Limits {
        nodes: Some(20_000),
        ..Limits::default()
    };
    let first = search(&game, &limits, 1);
    let second = search(&game, &limits, 1);
    assert_eq!((first.mv(), first.nodes), (second.mv(), second.nodes));
    let (first, second) = (first.best.unwrap(), second.best.unwrap());
    assert_eq!((first.score, first.moves), (second.score, second.moves));
}

#[test]
fn node_limit_is_exact_with_one_thread() {
    for limit in [1, 2, 100, 1024, 5000] {
        let limits = Limits {
            nodes: Some(limit),
            ..Limits::default()
        };
        let found = search(&ConnectFour::default(), &limits, 1);
        assert_eq!(found.nodes, limit);
        assert!(found.mv().is_some());
    }
}

#[test]
fn two_threads_find_the_same_win() {
    let game = after(&[0, 1, 5, 6, 10, 11]);
    assert_eq!(search(&game, &to_depth(8), 2).mv(), Some(15));
}

#[test]
fn variations_are_ranked_and_different() {
    let mut engine = Engine::new(Middle, 2);
    engine.variations = 9;
    let last = std::sync::Mutex::new(Vec::new());
    let sink = |report| {
        if let Report::Variation(found) = report {
            last.lock().unwrap().push(found);
        }
    };
    let game = ConnectFour::default();
    engine.search(Task::new(&game), &to_depth(6), &Control::new(false), sink);
    let last = last.into_inner().unwrap();
    let deepest: Vec<_> = last.iter().filter(|found| found.depth == 6).collect();
    assert_eq!(deepest.len(), COLUMNS as usize);
    for (index, found) in deepest.iter().enumerate() {
        assert_eq!(found.rank, index + 1);
        assert!(index == 0 || found.score <= deepest[index - 1].score);
        assert!(
            deepest[..index]
                .iter()
                .all(|it| it.moves[0] != found.moves[0])
        );
    }
}

#[test]
fn only_allowed_moves_are_played() {
    let game = after(&[0, 1, 5, 6, 10, 11]);
    let task = Task {
        allowed: &[2, 7],
        ..Task::new(&game)
    };
    let mut engine = Engine::new(Middle, 1);
    let found = engine.search(task, &to_depth(5), &Control::new(false), |_| ());
    assert!(matches!(found.mv(), Some(2 | 7)));
}

#[test]
fn stopped_search_still_has_a_move() {
    let control = Control::new(false);
    control.stop();
    let found = Engine::new(Middle, 1).search(
        Task::new(&ConnectFour::default()),
        &Limits::default(),
        &control,
        |_| (),
    );
    assert!(found.mv().is_some());
}

#[test]
fn finished_game_has_no_move() {
    let game = after(&[0, 1, 5, 6, 10, 11, 15]);
    let found = search(&game, &to_depth(3), 1);
    assert_eq!((found.mv(), found.nodes), (None, 0));
}
