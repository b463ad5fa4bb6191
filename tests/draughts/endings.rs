//! Endings of kings against a lone king: how many are won and drawn is known.

use std::time::Duration;

use keima::arena::board::{Adjudication, BoardConditions, BoardPlayer, Choice, Turn};
use keima::arena::contestant::Fault;
use keima::arena::terms::Terms;
use keima::clock::TimeControl;
use keima::games::draughts::board::{Layout, Squares, each};
use keima::games::draughts::endings::{Ending, is_prepared};
use keima::games::draughts::{DraughtsMove, DraughtsPosition, Variant};
use keima::go::PerColor;

use super::position;

/// All sets of so many squares from a number on.
fn sets(layout: &Layout, count: u32, number: u32, chosen: Squares, tell: &mut impl FnMut(Squares)) {
    if count == 0 {
        return tell(chosen);
    }
    for number in number.. {
        let Some(square) = layout.square(number) else {
            return;
        };
        sets(layout, count - 1, number + 1, chosen | square, tell);
    }
}

/// Positions of `count` kings with White to move: won, drawn, and the longest win in plies.
fn counted(variant: &str, count: u32) -> (usize, usize, u8) {
    let variant = Variant::named(Some(variant)).unwrap();
    let (ending, layout) = (
        Ending::solved(variant, count as usize),
        Layout::shared(variant),
    );
    let (mut won, mut drawn, mut longest) = (0, 0, 0);
    sets(layout, count, 1, 0, &mut |white| {
        for black in each(layout.all & !white) {
            match ending.plies(white, black, true) {
                Some(plies) => {
                    assert_eq!(plies % 2, 1, "White cannot lose with the move");
                    won += 1;
                    longest = longest.max(plies);
                }
                None => drawn += 1,
            }
        }
    });
    (won, drawn, longest)
}

#[test]
fn endings_of_kings_are_won_and_drawn_as_often_as_known() {
    // The other color is the same board turned around, hence twice.
    let twice = |variant, count| {
        let (won, drawn, _) = counted(variant, count);
        (2 * won, 2 * drawn)
    };
    assert_eq!(twice("russian", 2), (11_256, 18_504));
    assert_eq!(twice("english", 2), (29_692, 68));
    assert_eq!(twice("international", 2), (38_796, 78_804));
}

#[test]
fn three_czech_kings_win_most_endings_within_25_plies() {
    assert_eq!(counted("czech", 2), (11_256 / 2, 18_504 / 2, 7));
    assert_eq!(counted("czech", 3), (264_480 / 2, 23_200 / 2, 25));
}

/// Is never asked for a move.
struct Idle;

impl BoardPlayer<DraughtsPosition> for Idle {
    fn name(&self) -> &str {
        "idle"
    }

    fn choose(&mut self, _: &Turn<DraughtsPosition>) -> Result<Choice<DraughtsMove>, Fault> {
        unreachable!("a game without moves")
    }
}

#[test]
fn endings_are_solved_before_the_clocks_of_a_game_run() {
    let initial = position("brazilian", "start");
    let variant = initial.variant();
    let play = |time| {
        let conditions = BoardConditions {
            initial: initial.clone(),
            time,
            nodes: None,
            depth: None,
            margin: Duration::ZERO,
            max_moves: 0,
            adjudication: Adjudication::default(),
            openings: String::new(),
        };
        let (mut one, mut other) = (Idle, Idle);
        let players = PerColor::<&mut dyn BoardPlayer<_>>([&mut one, &mut other]);
        conditions
            .play(0, &conditions.bare_opening(), players)
            .unwrap();
    };
    play(TimeControl::Unlimited);
    assert!(!is_prepared(variant));
    let (main, increment) = (60.0, 0.0);
    play(TimeControl::Fischer { main, increment });
    assert!(is_prepared(variant));
}

#[test]
#[ignore = "takes seconds"]
fn three_english_kings_win_every_ending() {
    let (won, drawn, _) = counted("english", 3);
    assert_eq!((2 * won, 2 * drawn), (287_680, 0));
}
