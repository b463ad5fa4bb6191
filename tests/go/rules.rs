//! The rules of Go on diagrams: captures, ko, superko, suicide, the end of the game, scores.

use keima::go::area::{AreaMap, AreaParts, SekiParts, area, independent_life};
use keima::go::score::{chinese_text, score, settled};
use keima::go::{
    Board, BoardSize, Color, GameEnd, IllegalMove, Komi, Move, Point, PointSet, Position, Rules,
    Score, Setup, SetupError, Tax, diagram, handicap,
};

use Color::{Black, White};

fn board(text: &str) -> Board {
    diagram::parse(text).expect("a diagram")
}

fn position(text: &str, to_move: Color, rules: Rules) -> Position {
    Position::from_board(board(text), to_move, rules, Komi::default())
}

fn at(text: &str) -> Point {
    text.parse().expect("a point")
}

/// Plays moves in turn; all must be legal.
fn play(position: &mut Position, moves: &str) {
    for mv in moves.split_whitespace() {
        position.play(mv.parse().expect("a move"));
    }
}

fn refusal(position: &Position, point: &str) -> Option<IllegalMove> {
    position.check(Move::Play(at(point))).err()
}

fn stones(position: &Position) -> String {
    diagram::compact(position.board())
}

fn picture(board: &Board, map: &AreaMap) -> String {
    diagram::rows(board.size(), |point| match map.owner(point) {
        Some(Black) => 'X',
        Some(White) => 'O',
        None => '.',
    })
}

const KO: &str = ".XO../X.XO./.XO../...../.....";
/// White sends two stones at B1, Black takes them at D1, White takes one back at C1.
const SEND_TWO: &str = "...../...../...../XXXOO/X.O.O";
const TRIPLE_KO: &str = ".XO./X.XO/.XO./.XO./XO.O/.XO./.XO./X.XO/.XO.";
/// Two groups without room for a second eye around the dame F4.
const SEKI: &str = "XXO.O.X.XOO/XXOOOOXXXOO/XXXXXXOOOOO/.X.XXXOO.O.";

#[test]
fn a_stone_takes_every_chain_it_leaves_without_liberties() {
    let mut game = position(".OX../O.OX./XOX../.X.../.....", Black, Rules::TROMP_TAYLOR);
    play(&mut game, "B4");
    assert_eq!(stones(&game), ".OX../OX.X./X.X../.X.../.....");
    assert_eq!(game.board().captures(White), 2);
    assert_eq!(refusal(&game, "Z25"), Some(IllegalMove::OffBoard));
    assert_eq!(refusal(&game, "B4"), Some(IllegalMove::Occupied));
}

#[test]
fn a_snapback_is_no_ko() {
    let mut game = position("OX..O/OXXXO/OOOOO/.....", White, Rules::CHINESE);
    play(&mut game, "C4 D4");
    assert_eq!(stones(&game), "OX.XO/OXXXO/OOOOO/.....");
    assert_eq!(game.ko(), None);
    play(&mut game, "C4");
    assert_eq!(stones(&game), "O.O.O/O...O/OOOOO/.....");
    assert_eq!(game.board().captures(Black), 5);
}

#[test]
fn a_ko_may_be_retaken_after_a_move_elsewhere_or_a_pass() {
    for rules in [
        Rules::CHINESE,
        Rules::TROMP_TAYLOR,
        Rules::AGA,
        Rules::JAPANESE,
    ] {
        let mut game = position(KO, White, rules);
        play(&mut game, "B4");
        assert_eq!(game.ko(), Some(at("C4")));
        assert_eq!(refusal(&game, "C4"), Some(IllegalMove::Ko));
        play(&mut game, "E1 E2 C4");
        assert_eq!(game.ko(), Some(at("B4")));
        assert_eq!(refusal(&game, "B4"), Some(IllegalMove::Ko));
        play(&mut game, "pass E3");
        assert_eq!(refusal(&game, "B4"), None);
    }
}

#[test]
fn sending_two_and_returning_one_depends_on_the_ko_rule() {
    for (rules, expected) in [
        (Rules::TROMP_TAYLOR, Some(IllegalMove::Superko)),
        (Rules::CHINESE_SERVER, Some(IllegalMove::Superko)),
        (Rules::AGA, None),
        (Rules::CHINESE, None),
    ] {
        let mut game = position(SEND_TWO, White, rules);
        play(&mut game, "B1 D1");
        assert_eq!(stones(&game), "...../...../...../XXXOO/X..XO");
        assert_eq!(refusal(&game, "C1"), expected, "{rules:?}");
        let banned = game.superko_banned();
        assert_eq!(banned.contains(at("C1")), expected.is_some());
        assert_eq!(banned.len(), usize::from(expected.is_some()));
    }
}

#[test]
fn in_situational_superko_a_position_returns_for_the_other() {
    let mut game = position(SEND_TWO, White, Rules::NEW_ZEALAND);
    play(&mut game, "B1 D1 C1 pass");
    assert_eq!(stones(&game), SEND_TWO);
    assert_eq!(refusal(&game, "B1"), Some(IllegalMove::Superko));
    assert_eq!(refusal(&game, "D1"), None);
}

#[test]
fn a_triple_ko_ends_without_result_under_simple_ko_only() {
    let cycle = "B8 C5 B2 C8 B5 C2";
    let mut simple = position(TRIPLE_KO, White, Rules::JAPANESE);
    play(&mut simple, cycle);
    assert_eq!(stones(&simple), TRIPLE_KO);
    assert!(!simple.is_finished());
    play(&mut simple, cycle);
    assert!(simple.end() == GameEnd::NoResult && simple.is_finished() && simple.is_over());
    simple.undo();
    assert!(!simple.is_finished());

    for rules in [Rules::TROMP_TAYLOR, Rules::AGA] {
        let mut game = position(TRIPLE_KO, White, rules);
        play(&mut game, "B8 C5 B2 C8 B5");
        assert_eq!(refusal(&game, "C2"), Some(IllegalMove::Superko));
    }
}

#[test]
fn suicide_is_a_matter_of_rules_but_never_for_a_single_stone() {
    let two = "X.O../OO.../...../...../.....";
    for (rules, expected) in [
        (Rules::TROMP_TAYLOR, None),
        (Rules::NEW_ZEALAND, None),
        (Rules::CHINESE, Some(IllegalMove::Suicide)),
        (Rules::JAPANESE, Some(IllegalMove::Suicide)),
    ] {
        let game = position(two, Black, rules);
        assert_eq!(refusal(&game, "B5"), expected, "{rules:?}");
        let single = position(".O.../O..../...../...../.....", Black, rules);
        assert_eq!(refusal(&single, "A5"), Some(IllegalMove::Suicide));
    }
    let mut game = position(two, Black, Rules::TROMP_TAYLOR);
    play(&mut game, "B5");
    assert_eq!(stones(&game), "..O../OO.../...../...../.....");
    assert_eq!(game.board().captures(Black), 2);
    assert_eq!(game.board().captures(White), 0);
    game.undo();
    assert_eq!(stones(&game), two);
    assert_eq!(game.board().captures(Black), 0);
}

#[test]
fn two_passes_end_the_game_and_a_move_between_does_not() {
    let mut game = position("...../...../...../...../.....", Black, Rules::TROMP_TAYLOR);
    play(&mut game, "pass C3 pass");
    assert!(!game.is_finished() && game.pass_would_end_game());
    play(&mut game, "pass");
    assert_eq!(game.end(), GameEnd::Scored);
    assert_eq!(settled(&game).to_string(), "W+25");
    play(&mut game, "B2");
    assert!(!game.is_finished());
    assert_eq!(game.passes(), 0);
}

#[test]
fn the_button_takes_the_first_pass_and_half_a_point() {
    let mut game = Position::new(BoardSize::square(9), Rules::AGA_BUTTON, Komi::from_half(14));
    assert!(game.has_button() && !game.can_be_drawn());
    play(&mut game, "pass");
    assert!(!game.has_button());
    assert_eq!((game.passes(), game.bonus_half()), (0, -1));
    play(&mut game, "pass");
    assert!(!game.is_finished());
    play(&mut game, "pass");
    assert!(game.is_finished());
    assert_eq!(settled(&game).to_string(), "W+6.5");
}

#[test]
fn passing_twice_in_one_situation_ends_games_of_simple_ko() {
    for (rules, ends) in [(Rules::CHINESE, true), (Rules::NEW_ZEALAND, false)] {
        let mut game = position(SEND_TWO, Black, rules);
        play(&mut game, "pass B1 D1");
        if game.is_legal(Move::Play(at("C1"))) {
            play(&mut game, "C1");
            assert_eq!(game.pass_would_end_game(), ends, "{rules:?}");
            assert!(!game.pass_would_end_by_agreement());
            play(&mut game, "pass");
        }
        assert_eq!(game.is_finished(), ends, "{rules:?}");
    }
}

#[test]
fn clean_up_phases_are_entered_only_where_allowed() {
    let mut game = Position::new(BoardSize::square(5), Rules::JAPANESE, Komi::from_half(13));
    play(&mut game, "C3 pass pass");
    assert!(game.end() == GameEnd::Passed && game.is_over() && !game.is_finished());
    assert_eq!((game.phase(), game.valid_turns()), (0, 1));

    game.undo();
    game.allow_encore(true);
    play(&mut game, "pass");
    assert!(!game.is_over());
    assert_eq!((game.phase(), game.passes(), game.valid_turns()), (1, 0, 0));
    play(&mut game, "pass pass");
    assert_eq!(game.phase(), 2);
    let start = game
        .encore()
        .expect("the encore")
        .second_start(Black)
        .copied();
    assert_eq!(start, Some(PointSet::from_iter([at("C3")])));
    play(&mut game, "pass pass");
    assert!(game.is_finished());
    assert_eq!(settled(&game).to_string(), "B+17.5");
}

#[test]
fn a_ko_taken_in_the_encore_is_blocked_until_passed_for() {
    let mut game = position(KO, White, Rules::JAPANESE);
    game.allow_encore(true);
    play(&mut game, "pass pass B4");
    let taken = stones(&game);
    assert!(
        game.encore()
            .expect("the encore")
            .blocked()
            .contains(at("B4"))
    );
    play(&mut game, "C4");
    assert_eq!(stones(&game), taken, "a pass for the ko");
    play(&mut game, "E1 C4");
    assert_eq!(game.board().captures(White), 1);
    assert!(
        game.encore()
            .expect("the encore")
            .blocked()
            .contains(at("C4"))
    );
}

#[test]
fn the_wrong_color_starts_the_history_afresh() {
    let mut game = position(SEND_TWO, White, Rules::TROMP_TAYLOR);
    play(&mut game, "B1 D1");
    let before = game.key();
    assert_eq!(game.play_reported(Black, Move::Pass), Ok(()));
    assert_eq!(
        (game.to_move(), game.turn(), game.valid_turns()),
        (White, 3, 1)
    );
    assert_eq!(refusal(&game, "C1"), None, "nothing to repeat any more");
    game.undo();
    assert_eq!(game.key(), before);
    assert_eq!(refusal(&game, "C1"), Some(IllegalMove::Superko));
    assert_eq!(
        game.play_reported(White, Move::Play(at("C1"))),
        Ok(()),
        "superko is put up with"
    );
    let occupied = game.play_reported(White, Move::Play(at("C1")));
    assert_eq!(occupied, Err(IllegalMove::Occupied));
}

#[test]
fn setup_error_lists_all_problems() {
    let size = BoardSize::square(3);
    let mut setup = Setup::new(size, Rules::CHINESE, Komi::default());
    setup.stones = vec![(at("A1"), Black), (at("A2"), White), (at("B1"), White)];
    setup.stones.extend([(at("A2"), White), (at("D4"), Black)]);
    let errors = setup.position().err().expect("a bad setup");
    let expected = [
        SetupError::Twice(at("A2")),
        SetupError::OffBoard(at("D4")),
        SetupError::NoLiberties(at("A1")),
    ];
    assert_eq!(errors.0, expected);
}

/// The tables of the GTP draft, as points in the order of the draft.
#[test]
fn fixed_handicap_follows_the_tables() {
    for side in 2..=25 {
        let limit = match side {
            0..7 => 0,
            7 => 4,
            _ if side % 2 == 0 => 4,
            _ => 9,
        };
        let size = BoardSize::square(side);
        for stones in 0..=12 {
            let points = handicap::fixed(size, stones);
            assert_eq!(
                points.is_some(),
                (2..=limit).contains(&stones),
                "{stones} on {side}"
            );
            let Some(points) = points else { continue };
            assert_eq!(PointSet::from_iter(points.iter().copied()).len(), stones);
            let center = Point::new(side / 2, side / 2);
            assert_eq!(points.contains(&center), stones >= 5 && stones % 2 == 1);
        }
    }
    for (side, stones, expected) in [
        (19, 2, "D4 Q16"),
        (19, 3, "D4 Q16 D16"),
        (19, 4, "D4 Q16 D16 Q4"),
        (19, 5, "D4 Q16 D16 Q4 K10"),
        (19, 6, "D4 Q16 D16 Q4 D10 Q10"),
        (19, 7, "D4 Q16 D16 Q4 D10 Q10 K10"),
        (19, 8, "D4 Q16 D16 Q4 D10 Q10 K4 K16"),
        (19, 9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        (13, 9, "D4 K10 D10 K4 D7 K7 G4 G10 G7"),
        (12, 2, "C3 K10"),
        (11, 9, "C3 J9 C9 J3 C6 J6 F3 F9 F6"),
        (9, 9, "C3 G7 C7 G3 C5 G5 E3 E7 E5"),
        (7, 4, "C3 E5 C5 E3"),
        (8, 4, "C3 F6 C6 F3"),
        (10, 4, "C3 H8 C8 H3"),
        (14, 4, "D4 L11 D11 L4"),
        (17, 9, "D4 O14 D14 O4 D9 O9 J4 J14 J9"),
    ] {
        let points = handicap::fixed(BoardSize::square(side), stones).expect("in the table");
        let texts: Vec<String> = points.iter().map(Point::to_string).collect();
        assert_eq!(texts.join(" "), expected, "{stones} on {side}");
    }
}

#[test]
fn handicap_stones_give_white_points_where_rules_say_so() {
    for (rules, expected) in [
        (Rules::CHINESE, "B+71.5"),
        (Rules::AGA, "B+72.5"),
        (Rules::TROMP_TAYLOR, "B+73.5"),
    ] {
        let size = BoardSize::square(9);
        let mut setup = Setup::new(size, rules, Komi::from_half(15));
        let points = handicap::fixed(size, 2).expect("in the table");
        setup.stones = points.iter().map(|&point| (point, Black)).collect();
        setup.to_move = White;
        let mut game = setup.position().expect("a good setup");
        play(&mut game, "pass pass");
        assert_eq!(settled(&game).to_string(), expected, "{rules:?}");

        let mut reported = Position::new(size, rules, Komi::from_half(15));
        for point in points {
            reported
                .play_reported(Black, Move::Play(point))
                .expect("an empty point");
        }
        assert_eq!(reported.handicap_stones(), 2);
        assert_eq!(score(&reported, &PointSet::EMPTY).to_string(), expected);
    }
}

#[test]
fn moves_that_set_a_position_up_are_no_handicap() {
    let mut game = Position::new(BoardSize::square(5), Rules::CHINESE, Komi::default());
    let mut record = |color, point| {
        game.play_recorded(color, Move::Play(at(point)))
            .expect("legal");
        game.handicap_stones()
    };
    assert_eq!(record(Black, "B2"), 0);
    assert_eq!(record(Black, "D4"), 2);
    assert_eq!(record(White, "B4"), 2, "White's first move");
    assert_eq!(record(White, "D2"), 0, "one color after the other");
}

#[test]
fn komi_may_be_integer_or_negative() {
    let wall = ".X.O./.X.O./.X.O./.X.O./.X.O.";
    for (half, expected, draw) in [
        (0, "0", true),
        (15, "W+7.5", false),
        (12, "W+6", true),
        (-7, "B+3.5", false),
        (-6, "B+3", true),
    ] {
        let komi = Komi::from_half(half);
        for rules in [Rules::CHINESE, Rules::JAPANESE, Rules::STONE_SCORING] {
            let game = Position::from_board(board(wall), Black, rules, komi);
            assert_eq!(score(&game, &PointSet::EMPTY).to_string(), expected);
            assert_eq!(game.can_be_drawn(), draw);
        }
    }
}

#[test]
fn scores_are_by_name_from_either_side() {
    let score = Score::from_half(80, 95);
    assert_eq!(score.lead_half_for(White), 15);
    assert_eq!(score.lead_half_for(Black), -15);
    assert_eq!((score.lead_black(), score.winner()), (-7.5, Some(White)));
    assert_eq!(Score::from_half(4, 4).winner(), None);
}

#[test]
fn seki_counts_as_the_rules_have_it() {
    for (rules, tax, black, white) in [
        (Rules::CHINESE, Tax::None, 44, 42),
        (Rules::CHINESE, Tax::Seki, 42, 40),
        (Rules::CHINESE, Tax::All, 38, 36),
        (Rules::JAPANESE, Tax::None, 6, 6),
        (Rules::JAPANESE, Tax::Seki, 4, 4),
        (Rules::JAPANESE, Tax::All, 0, 0),
    ] {
        let rules = Rules { tax, ..rules };
        let mut game = position(SEKI, Black, rules);
        game.allow_encore(true);
        let counted = score(&game, &PointSet::EMPTY);
        assert_eq!(
            (counted.half(Black), counted.half(White)),
            (black, white),
            "{rules:?}"
        );
        while !game.is_finished() {
            play(&mut game, "pass");
        }
        let exact = settled(&game).lead_half_for(Black);
        assert_eq!(exact, black - white, "{rules:?}");
    }
}

#[test]
fn dead_stones_are_prisoners_and_free_their_points() {
    let text = ".XO../.XO../OXO.X/.XO../.XO..";
    let dead: PointSet = [at("A3"), at("E3")].into_iter().collect();
    let area = score(&position(text, Black, Rules::CHINESE), &dead);
    assert_eq!((area.half(Black), area.half(White)), (20, 30));
    let territory = score(&position(text, Black, Rules::JAPANESE), &dead);
    assert_eq!((territory.half(Black), territory.half(White)), (12, 22));
    let alive = score(&position(text, Black, Rules::CHINESE), &PointSet::EMPTY);
    assert_eq!((alive.half(Black), alive.half(White)), (12, 12));
}

#[test]
fn taking_a_dead_stone_costs_a_point_of_territory_only() {
    for (rules, untouched, taken) in [
        (Rules::JAPANESE, "B+18", "B+17"),
        (Rules::CHINESE, "B+25", "B+25"),
    ] {
        let mut game = position("...../.XXX./.XO.X/.XXX./.....", Black, rules);
        let dead = PointSet::from_iter([at("C3")]);
        assert_eq!(score(&game, &dead).to_string(), untouched);
        play(&mut game, "D3");
        assert_eq!(score(&game, &PointSet::EMPTY).to_string(), taken);
        game.undo();
        assert_eq!(score(&game, &dead).to_string(), untouched);
    }
}

#[test]
fn stones_in_certain_area_are_dead_when_the_board_decides() {
    let text = "XXXXXX/X.OX.X/XXXXXX/....../......";
    let mut game = position(text, Black, Rules::TROMP_TAYLOR);
    play(&mut game, "pass pass");
    assert_eq!(settled(&game).to_string(), "B+30");
    assert_eq!(score(&game, &PointSet::EMPTY).to_string(), "B+27");
    let dead = PointSet::from_iter([at("C4")]);
    assert_eq!(score(&game, &dead).to_string(), "B+30");
}

#[test]
fn chinese_counting_tells_stones_over_half_the_board() {
    let wall = ".X.O./.X.O./.X.O./.X.O./.X.O.";
    let text = |half| {
        let komi = Komi::from_half(half);
        let game = Position::from_board(board(wall), Black, Rules::CHINESE, komi);
        chinese_text(&game, &PointSet::EMPTY)
    };
    assert_eq!(text(15), "white 12 1/2 stones, wins by 3 3/4 stones");
    assert_eq!(text(-3), "black 12 1/2 stones, wins by 3/4 stones");
    assert_eq!(text(0), "black 12 1/2 stones, a draw");
}

#[test]
fn pass_alive_chains_depend_on_suicide() {
    let corner = board(".OO/OO./X.X");
    for (parts, suicide, expected) in [
        (AreaParts::ALL, true, "OOO/OO./X.X"),
        (AreaParts::ALL, false, "OOO/OOO/OOO"),
        (AreaParts::CERTAIN, true, ".../.../..."),
        (AreaParts::CERTAIN, false, "OOO/OOO/OOO"),
    ] {
        let map = area(&corner, parts, suicide);
        assert_eq!(picture(&corner, &map), expected, "{parts:?} {suicide}");
    }
}

#[test]
fn seki_is_left_out_of_independent_life() {
    let seki = board(".X.XO.O/XX.XO.O/X.XXOOO/XXXOOXX/OOOO.X.");
    let all = area(&seki, AreaParts::ALL, true);
    assert_eq!(
        picture(&seki, &all),
        "XXXXOOO/XXXXOOO/XXXXOOO/XXXOOXX/OOOO.XX"
    );
    let safe = AreaParts {
        stones: false,
        safe_big: true,
        unsafe_big: false,
    };
    let map = area(&seki, safe, true);
    assert_eq!(
        picture(&seki, &map),
        "XXXX.../XXXX.../XXXX.../XXX..../......."
    );
    for (territories, stones, expected) in [
        (false, false, "XXXX.../XXXX.../XXXX.../XXX..../......."),
        (false, true, "XXXXO.O/XXXXO.O/XXXXOOO/XXXOOXX/OOOO.X."),
        (true, false, "XXXX.O./XXXX.O./XXXX.../XXX..../......X"),
    ] {
        let life = independent_life(
            &seki,
            SekiParts {
                territories,
                stones,
            },
            true,
        );
        assert_eq!(picture(&seki, &life.map), expected);
        assert_eq!(life.lives[White] as i32 - life.lives[Black] as i32, -1);
    }
}

#[test]
fn finished_game_can_be_resumed() {
    for rules in [Rules::TROMP_TAYLOR, Rules::JAPANESE, Rules::CHINESE] {
        let mut position = Position::new(BoardSize::square(5), rules, Komi::default());
        position.play(Move::Play(Point::new(2, 2)));
        position.play(Move::Pass);
        position.play(Move::Pass);
        assert!(position.is_over());
        let bonus = position.bonus_half();
        position.resume();
        assert!(!position.is_over());
        assert_eq!(position.bonus_half(), bonus);
        position.play(Move::Pass);
        assert!(!position.is_over(), "one pass after going on ends nothing");
        position.play(Move::Pass);
        assert!(position.is_over());
    }
}

#[test]
fn illegal_moves_change_key() {
    let board = diagram::parse("X.O./OO../....").expect("a diagram");
    let before = Position::from_board(board, Black, Rules::CHINESE, Komi::default());
    let suicide = Move::Play("B3".parse().expect("a point"));
    assert!(!before.is_legal(suicide));
    let mut reported = before.clone();
    reported.play_reported(Black, suicide).expect("put up with");
    let mut trusted = before.clone();
    trusted.play_unchecked(suicide);
    assert_eq!((reported.lawful_turns(), trusted.lawful_turns()), (0, 1));
    assert!(reported.board().is_same_as(trusted.board()));
    assert_ne!(reported.key(), trusted.key());
}

#[test]
fn illegal_ko_recaptures_are_accepted_in_records_only() {
    let before = position(".XO./X.XO/.XO./....", White, Rules::JAPANESE);
    let (take, retake) = (Move::Play(at("B3")), Move::Play(at("C3")));
    let mut game = before.clone();
    game.play(take);
    assert_eq!(
        game.play_reported(Black, retake),
        Err(IllegalMove::Ko),
        "not to be reported"
    );
    assert_eq!((game.valid_turns(), game.lawful_turns()), (1, 1));
    let mut recorded = game.clone();
    assert_eq!(recorded.play_recorded(Black, retake), Ok(()));
    assert_eq!(stones(&recorded), stones(&before));
    assert_eq!((recorded.valid_turns(), recorded.lawful_turns()), (2, 0));
    game.play_tolerated(retake);
    assert_eq!(stones(&game), stones(&before));
    assert_eq!((game.valid_turns(), game.lawful_turns()), (2, 0));
    game.play_tolerated(Move::Pass);
    assert_eq!((game.valid_turns(), game.lawful_turns()), (3, 1));
    game.undo();
    game.undo();
    assert_eq!(refusal(&game, "C3"), Some(IllegalMove::Ko));
    assert_eq!((game.valid_turns(), game.lawful_turns()), (1, 1));
}

#[test]
fn moves_of_the_wrong_color_keep_the_history_of_a_record() {
    let mut record = Position::new(BoardSize::square(5), Rules::CHINESE, Komi::default());
    let moves = [
        (Black, "B2"),
        (Black, "D4"),
        (White, "C3"),
        (Black, "C2"),
        (Black, "A1"),
    ];
    for (color, point) in moves {
        record
            .play_recorded(color, Move::Play(at(point)))
            .expect("legal");
    }
    assert_eq!(record.handicap_stones(), 2);
    assert_eq!((record.valid_turns(), record.lawful_turns()), (1, 1));
    let mut reported = Position::new(BoardSize::square(5), Rules::CHINESE, Komi::default());
    for (color, point) in moves {
        reported
            .play_reported(color, Move::Play(at(point)))
            .expect("legal");
    }
    assert_eq!(reported.handicap_stones(), 0, "as if set up");

    // Black takes a ko back after passing; White's pass is not in the record.
    let mut record = position(".XO./X.XO/.XO./....", White, Rules::TROMP_TAYLOR);
    for (color, mv) in [(White, Move::Play(at("B3"))), (Black, Move::Pass)] {
        record.play_recorded(color, mv).expect("legal");
    }
    let before = record.clone();
    let occupied = record.play_recorded(Black, Move::Play(at("B3")));
    assert_eq!(occupied, Err(IllegalMove::Occupied));
    assert_eq!(record.key(), before.key(), "nothing changed");
    record
        .play_recorded(Black, Move::Play(at("C3")))
        .expect("put up with");
    assert_eq!(
        (record.valid_turns(), record.lawful_turns()),
        (1, 0),
        "superko"
    );
}

#[test]
fn the_order_of_moves_long_ago_is_part_of_the_long_key_only() {
    let played = |moves: &str| {
        let mut game = Position::new(BoardSize::square(9), Rules::CHINESE, Komi::default());
        for mv in moves.split(' ') {
            game.play(mv.parse().unwrap());
        }
        game
    };
    let recent = "G3 G4 G5 G6 G7 H3";
    let one = played(&format!("C3 C4 D3 D4 {recent}"));
    let other = played(&format!("D3 C4 C3 D4 {recent}"));
    assert_eq!(one.key(), other.key());
    assert_ne!(one.long_key(8), other.long_key(8));
    assert_eq!(
        one.long_key(8),
        played(&format!("C3 C4 D3 D4 {recent}")).long_key(8)
    );
}
