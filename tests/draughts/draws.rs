//! When games are drawn.

use keima::games::board_game::BoardGame;
use keima::minimax::{Position, Verdict, Wanted};

use super::position;

/// Plies until the game is drawn if only kings move, and nothing is given away.
fn plies_to_draw(variant: &str, text: &str) -> usize {
    let mut position = position(variant, text);
    for ply in 0..200 {
        if position.verdict(!position.has_moves()) == Some(Verdict::Drawn) {
            return ply;
        }
        let mut moves = Vec::new();
        position.moves(Wanted::All, &mut moves);
        let mut after = moves.into_iter().filter_map(|mv| {
            let mut after = position.clone();
            after.play(mv);
            (position.is_king(mv.from) && !after.must_capture()).then_some(after)
        });
        position = after.next_back().expect("a safe move of a king");
    }
    panic!("{variant} {text} goes on");
}

#[test]
fn games_without_progress_are_drawn_as_each_rule_book_says() {
    let kings = "W:WK46,K47,48:BK4,K5,6";
    assert_eq!(plies_to_draw("international", kings), 50);
    let small = "W:WK29,K30,31:BK3,K4,5";
    assert_eq!(plies_to_draw("english", small), 80);
    assert_eq!(plies_to_draw("spanish", small), 50);
    assert_eq!(plies_to_draw("czech", small), 30);
    assert_eq!(plies_to_draw("russian", small), 30);
}

#[test]
fn endings_against_a_lone_king_are_limited() {
    assert_eq!(plies_to_draw("international", "W:WK46,K47:BK3"), 10);
    assert_eq!(plies_to_draw("international", "W:WK46,K47,K48:BK3"), 32);
    assert_eq!(plies_to_draw("russian", "W:WK30,K31:BK3"), 10);
    assert_eq!(plies_to_draw("brazilian", "W:WK29,K30,K31:BK3"), 30);
}

#[test]
fn a_capture_in_an_ending_leaves_no_more_moves_than_before() {
    // After six of sixteen moves White gives a king away: two kings have five.
    let played = [
        "3-26", "16-2", "26-37", "2-16", "37-46", "16-11", "14-5", "11-6", "46-32", "6-1", "32-14",
        "1-45", "25-34", "45x10",
    ];
    let mut at = position("international", "W:WK25,K3,K14:BK16");
    for text in played {
        at.play(at.read_move(text).unwrap());
    }
    assert_eq!(at.verdict(false), None);
    assert_eq!(at.plies_left(), 10);
    at.play(at.read_move("5x14").unwrap());
    assert_eq!(at.verdict(!at.has_moves()), Some(Verdict::Lost));
}

#[test]
fn a_side_without_a_move_has_lost() {
    for text in ["W:W5:B1", "W:W:B1"] {
        let stuck = position("czech", text);
        assert!(!stuck.has_moves(), "{text}");
        assert_eq!(stuck.verdict(true), Some(Verdict::Lost));
    }
}
