//! When games are drawn.

use keima::games::board_game::BoardGame;
use keima::games::draughts::DraughtsPosition;
use keima::minimax::{Position, Verdict, Wanted};

use super::position;

/// Plies until the game is drawn if only kings move, and nothing is given away.
fn plies_to_draw(variant: &str, text: &str) -> usize {
    plies_to_draw_with(variant, text, &[])
}

/// The same with men moving at some plies.
fn plies_to_draw_with(variant: &str, text: &str, moves_of_men: &[usize]) -> usize {
    let plies = plies_on(&position(variant, text), 0, moves_of_men);
    plies.unwrap_or_else(|| panic!("{variant} {text} goes on, or nothing is safe"))
}

/// Its plies in all, if `plies` have been played and there is a way on.
fn plies_on(position: &DraughtsPosition, plies: usize, moves_of_men: &[usize]) -> Option<usize> {
    if position.verdict(!position.has_moves()) == Some(Verdict::Drawn) {
        return Some(plies);
    }
    let mut moves = Vec::new();
    position.moves(Wanted::All, &mut moves);
    moves.into_iter().rev().find_map(|mv| {
        let mut after = position.clone();
        after.play(mv);
        let fits = position.is_king(mv.from) != moves_of_men.contains(&plies);
        let is_safe = fits && !after.must_capture() && plies < 200;
        is_safe.then(|| plies_on(&after, plies + 1, moves_of_men))?
    })
}

#[test]
fn games_without_progress_are_drawn_as_each_rule_book_says() {
    let kings = "W:WK46,K47,48:BK4,K5,6";
    assert_eq!(plies_to_draw("international", kings), 50);
    let small = "W:WK29,K30,31:BK3,K4,5";
    assert_eq!(plies_to_draw("english", small), 80);
    let from_white = "W:WK4,K3,2:BK30,K29,28";
    assert_eq!(plies_to_draw("spanish", from_white), 50);
    assert_eq!(plies_to_draw("czech", small), 30);
    assert_eq!(plies_to_draw("russian", small), 30);
}

#[test]
fn russian_endings_with_kings_end_by_their_number_of_pieces() {
    let plies = |text: &str| plies_to_draw_with("russian", text, &[24, 48, 72, 96]);
    assert_eq!(plies("W:WK30,K31,28:BK3"), 60);
    assert_eq!(plies("W:WK30,K31,29:BK1,K2,K3"), 120);
    // With eight only moves by kings alone count.
    assert_eq!(plies("W:WK30,K31,K32,29:BK1,K2,K3,K4"), 127);
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
fn the_capture_that_brings_an_ending_about_does_not_count() {
    for (variant, text, capture, left) in [
        ("international", "W:WK46,K2,K3:B41,K50", "46x5", 32),
        ("international", "W:WK46,K2:B41,K50", "46x10", 10),
        ("russian", "W:WK29,K30,K32:B25,K3", "29x22", 30),
    ] {
        let mut at = position(variant, text);
        at.play(at.read_move(capture).unwrap());
        assert_eq!(plies_on(&at, 0, &[]), Some(left), "{variant} {text}");
    }
}

/// Black's man is blocked by the tenth ply, the last one of such an ending.
#[test]
fn a_blocked_side_has_lost_when_the_moves_are_used_up() {
    let played = [
        "8-12", "5-9", "12-16", "9-5", "16-20", "5-9", "20-24", "9-5", "24-28", "5-32",
    ];
    let mut at = position("russian", "B:WK5:B8");
    for text in played {
        assert_eq!(at.verdict(false), None, "before {text}");
        at.play(at.read_move(text).unwrap());
    }
    assert_eq!(at.plies_left(), 0);
    assert!(!at.has_moves());
    for is_stuck in [false, true] {
        assert_eq!(at.verdict(is_stuck), Some(Verdict::Lost));
    }
}

#[test]
fn a_side_without_a_move_has_lost() {
    for text in ["W:W5:B1", "W:W:B1"] {
        let stuck = position("czech", text);
        assert!(!stuck.has_moves(), "{text}");
        assert_eq!(stuck.verdict(true), Some(Verdict::Lost));
    }
}
