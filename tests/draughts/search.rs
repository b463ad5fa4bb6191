//! The search on draughts.

use keima::games::board_game::BoardGame;
use keima::games::draughts::{DraughtsPosition, Evaluation, bench};
use keima::minimax::engine::{Engine, Task};
use keima::minimax::score::plies_to_end;
use keima::minimax::{Control, Limits, Position};

use super::position;

fn best(position: &DraughtsPosition, nodes: u64) -> (String, i32) {
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let mut engine = Engine::new(Evaluation::default(), 16);
    let found = engine.search(Task::new(position), &limits, &Control::new(false), |_| ());
    let score = found.best.as_ref().unwrap().score;
    (position.move_text(found.mv().unwrap()), score)
}

#[test]
fn combinations_are_found() {
    // White gives two men and takes all.
    let (_, score) = best(
        &position("international", "W:W32,37,38,42:B21,22,23"),
        200_000,
    );
    assert!(score > 100, "{score}");
    let (mv, score) = best(&position("russian", "W:WK1,22:B18,6"), 100_000);
    assert!(
        plies_to_end(score).is_some_and(|plies| plies > 0) || score > 200,
        "{mv} {score}"
    );
}

/// Whose move it is belongs to the hash. Without it the search takes a position for the same one with the other side to
/// move, here so often that it never sees that Black gets a king for a man.
#[test]
fn positions_differ_by_whose_move_it_is() {
    for variant in ["international", "czech"] {
        let [white, black] =
            ["W", "B"].map(|side| position(variant, &format!("{side}:WK5,26,31:B3,6,7")));
        assert_ne!(white.key(), black.key());
    }
    let (mv, score) = best(
        &position(
            "international",
            "B:WK5,26,31,37,38,41,42,43,44:B3,6,7,11,16,20,34,35",
        ),
        1_000_000,
    );
    assert_eq!(mv, "34-40");
    assert!(score > -100, "{score}");
}

/// The ending is solved, so that a small search wins it within the 15 moves of the rule.
#[test]
fn three_kings_win_against_one_off_the_main_diagonal() {
    let mut position = position("czech", "W:WK12,K22,K26:BK3");
    let mut plies = 0;
    while position.has_moves() {
        let (text, score) = best(&position, 2_000);
        assert_eq!(score > 0, plies % 2 == 0, "{text} {score}");
        position.play(position.read_move(&text).unwrap());
        plies += 1;
        assert!(plies <= 25);
    }
    assert_eq!(plies % 2, 1, "Black has no move left");
}

#[test]
fn the_signature_is_as_recorded() {
    assert_eq!(bench::signature(|_, _| ()), 212_415);
}
