//! Plays, positions and records as text.

use keima::games::backgammon::bench::POSITIONS;
use keima::games::backgammon::board::Board;
use keima::games::backgammon::plays::rolls;
use keima::games::backgammon::{
    BackgammonPosition, Dice, Stakes, diagram, fibs, notation, records,
};
use keima::games::dice_game::{DiceGame, DiceResult, Rolled};
use keima::games::record::Details;
use keima::search::Side;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{plays, position};

/// A game of random plays.
fn random_game(
    seed: u64,
) -> (
    BackgammonPosition,
    Vec<Rolled<<BackgammonPosition as DiceGame>::Play>>,
) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let start = BackgammonPosition::start(Stakes::Points);
    let (mut position, mut turns) = (start, Vec::new());
    while position.points_won().is_none() {
        let dice = [random.random_range(1..=6), random.random_range(1..=6)];
        let rolled = BackgammonPosition::rolled(&position, Dice::new(dice[0], dice[1]));
        let plays = BackgammonPosition::plays(&rolled);
        let play = plays[random.random_range(0..plays.len())];
        position = BackgammonPosition::after(&rolled, &play);
        turns.push(Rolled { dice, play });
    }
    (start, turns)
}

#[test]
fn plays_are_read_back() {
    let (start, turns) = random_game(1);
    let (mut position, mut seen) = (start, 0);
    for turn in turns {
        let rolled = BackgammonPosition::rolled(&position, Dice::new(turn.dice[0], turn.dice[1]));
        for play in BackgammonPosition::plays(&rolled) {
            let text = notation::play_text(&play);
            let read = notation::read_play(&rolled, &text).unwrap();
            assert_eq!(read.after, play.after, "{text}");
            seen += 1;
        }
        position = BackgammonPosition::after(&rolled, &turn.play);
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn plays_are_written_as_players_do() {
    let hit = position(&[(24, 1), (6, 2)], &[(7, 1)], [6, 2]);
    assert!(
        plays(&hit).contains(&"24/18*/16".to_owned()),
        "{:?}",
        plays(&hit)
    );
    // The order of the dice decides whether the blot is hit.
    assert!(plays(&hit).contains(&"24/16".to_owned()));
    let read = |text| notation::read_play(&hit, text).map(|play| notation::play_text(&play));
    assert_eq!(read("24/18*/16").unwrap(), "24/18*/16");
    assert_eq!(read("24/18* 18/16").unwrap(), "24/18*/16");
    assert_eq!(read("24/16").unwrap(), "24/16");
    assert_eq!(read(" 6/4, 24/18* ").unwrap(), "24/18* 6/4");
}

#[test]
fn illegal_plays_name_the_rule() {
    let opening = BackgammonPosition::start(Stakes::OnePoint).rolled(Dice::new(6, 3));
    let error = |position: &BackgammonPosition, text| {
        notation::read_play(position, text).unwrap_err().to_string()
    };
    assert!(error(&opening, "24/18").contains("as many dice as possible"));
    assert!(error(&opening, "8/5 7/1").contains("no man on point 7"));
    assert!(error(&opening, "24/15 1/2").contains("goes backward"));
    assert!(error(&opening, "13/7 24/18 24/18").contains("6-3 does not allow that"));
    assert!(error(&opening, "24/20").contains("6-3 does not allow that"));
    assert!(error(&opening, "knight f3").contains("is no play"));
    assert!(error(&opening, "pass").contains("can be played, so you have to"));
    let blocked = BackgammonPosition::start(Stakes::OnePoint).rolled(Dice::new(5, 5));
    assert!(error(&blocked, "24/19").contains("point 19 is the other side's"));
    let on_bar = position(&[(25, 1), (6, 2)], &[(1, 2)], [3, 2]);
    assert!(error(&on_bar, "6/3 6/4").contains("men on the bar come in first"));
    let closed: Vec<(usize, u8)> = (1..=6).map(|point| (point, 2)).collect();
    let shut = position(&[(25, 1)], &closed, [3, 2]);
    assert!(error(&shut, "bar/22").contains("no man can be moved"));
    assert!(notation::read_play(&shut, "pass").is_ok());
}

#[test]
fn plays_too_short_and_plays_of_other_dice_are_told_apart() {
    let told = |dice: [u8; 2], text| {
        let dice = Dice::new(dice[0], dice[1]);
        let rolled = BackgammonPosition::start(Stakes::OnePoint).rolled(dice);
        notation::read_play(&rolled, text).unwrap_err().to_string()
    };
    for (dice, text) in [
        ([4, 1], "8/5 6/5"),
        ([4, 1], "8/7 6/5"),
        ([4, 1], "6/3"),
        ([2, 2], "13/10 6/5"),
        ([2, 2], "13/11 6/5"),
    ] {
        let told = told(dice, text);
        assert!(told.contains(" does not allow that"), "{text}: {told}");
    }
    for (dice, text) in [([4, 1], "24/20"), ([4, 1], "6/5"), ([2, 2], "13/9 6/4")] {
        let told = told(dice, text);
        assert!(told.contains("as many dice as possible"), "{text}: {told}");
    }
}

#[test]
fn fibs_lines_are_read_back_from_both_sides() {
    for (id, dice) in POSITIONS {
        let board = fibs::read_position_id(id).unwrap();
        assert_eq!(fibs::position_id(&board), id);
        for (turn, stakes) in [
            (Side::First, Stakes::OnePoint),
            (Side::Second, Stakes::Points),
        ] {
            let position = BackgammonPosition {
                board,
                turn,
                dice: Some(Dice::new(dice[0], dice[1])),
                stakes,
            };
            let line = fibs::text(&position, ["You", "opponent"]);
            assert_eq!(fibs::read(&line).unwrap().position, position, "{line}");
        }
    }
}

#[test]
fn line_of_another_program_is_understood() {
    let line = "board:You:opp:1:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0";
    let start = BackgammonPosition::start(Stakes::OnePoint).rolled(Dice::new(3, 1));
    assert_eq!(fibs::read(line).unwrap().position, start);
    // The same with the other color and the other direction.
    let line = "board:You:opp:1:0:0:0:2:0:0:0:0:-5:0:-3:0:0:0:5:-5:0:0:0:3:0:5:0:0:0:0:-2:0:1:3:1:0:0:1:1:1:0:1:1:25:0:0:0:0:0:2:0:0:0";
    assert_eq!(fibs::read(line).unwrap().position, start);
}

#[test]
fn men_on_the_bar_are_read_as_gnu_backgammon_writes_them() {
    // Its fields for men on the bar are always 0.
    let line = "board:keima:opponent:1:0:0:-1:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-4:0:0:0:0:1:1:1:5:2:0:0:1:0:1:0:1:-1:0:25:0:0:0:0:0:0:0:0";
    let BackgammonPosition { board, dice, .. } = fibs::read(line).unwrap().position;
    assert_eq!((board.own[24], board.other[24]), (1, 1));
    assert_eq!(board.own.iter().sum::<u8>(), 15);
    assert_eq!(board.other.iter().sum::<u8>(), 15);
    let rolled = BackgammonPosition::start(Stakes::OnePoint).rolled(dice.unwrap());
    let entered = BackgammonPosition { board, ..rolled };
    assert!(notation::read_play(&entered, "13/8 6/4").is_err());
    // The same with the other color and the other direction.
    let line = "board:keima:opponent:1:0:0:-1:-1:0:0:0:0:4:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:1:-1:5:2:0:0:1:0:1:0:-1:1:25:0:0:0:0:0:0:0:0:0";
    assert_eq!(fibs::read(line).unwrap().position.board, board);
}

#[test]
fn wrong_lines_are_refused_with_a_reason() {
    let line = fibs::text(&BackgammonPosition::start(Stakes::OnePoint), ["a", "b"]);
    let error = |line: &str| format!("{:#}", fibs::read(line).unwrap_err());
    assert!(error("board:x:y").contains("fields"));
    assert!(error(&line.replace(":5:", ":x:")).contains("is no number"));
    assert!(error(&line.replace(":5:", ":9:")).contains("a side has"));
    assert!(fibs::read_position_id("4HPwATDgc/ABM").is_err());
    assert!(fibs::read_position_id("//////////////").is_err());
    assert!(fibs::read_position_id("AAAAAAAAAAAAAA").is_err());
}

#[test]
fn records_are_read_back() {
    for seed in 0..5 {
        let (start, turns) = random_game(seed);
        let last = turns.iter().fold(start, |position, turn| {
            let rolled =
                BackgammonPosition::rolled(&position, Dice::new(turn.dice[0], turn.dice[1]));
            BackgammonPosition::after(&rolled, &turn.play)
        });
        let result = DiceGame::result(&last);
        let text = records::write(&start, &turns, None, result, &Details::default());
        let read = records::read(&text).unwrap();
        assert_eq!((read.start, read.dice), (start, None));
        assert_eq!(read.turns.len(), turns.len(), "{text}");
        for (one, other) in read.turns.iter().zip(&turns) {
            assert_eq!((one.dice, one.play.after), (other.dice, other.play.after));
        }
    }
    let doubled = " 3 point match\n\n Game 1\n a : 0   b : 0\n  1) 31: 8/5 6/5                       42: 8/4 6/4   Doubles => 2\n";
    assert_eq!(records::read(doubled).unwrap().turns.len(), 2);
    assert!(records::read("no game").is_err());
    let illegal = " 1 point match\n\n Game 1\n a : 0   b : 0\n  1) 31: 24/12\n";
    let error = format!("{:#}", records::read(illegal).unwrap_err());
    assert!(error.contains("line 5"), "{error}");
}

#[test]
fn dice_that_are_not_played_yet_are_kept() {
    let (start, turns) = random_game(5);
    let mut position = start;
    for (kept, turn) in turns.iter().enumerate().take(8) {
        // Where there is but one play it is taken for made.
        let has_choice = |dice: &Dice| BackgammonPosition::plays(&position.rolled(*dice)).len() > 1;
        let dice = rolls().find(has_choice).map(|dice| [dice.high, dice.low]);
        let text = records::write(&start, &turns[..kept], dice, None, &Details::default());
        let read = records::read(&text).unwrap();
        assert_eq!((read.turns.len(), read.dice), (kept, dice), "{text}");
        let rolled = position.rolled(Dice::new(turn.dice[0], turn.dice[1]));
        position = BackgammonPosition::after(&rolled, &turn.play);
    }
    let more = " 1 point match\n\n Game 1\n a : 0   b : 0\n  1) 31:    42: 8/4 6/4\n";
    let error = format!("{:#}", records::read(more).unwrap_err());
    assert!(error.contains("3-1 before it is not played"), "{error}");
}

#[test]
fn records_of_other_positions_keep_them() {
    let start = position(&[(6, 2), (25, 1)], &[(3, 3)], [4, 1]);
    let start = BackgammonPosition {
        dice: None,
        ..start
    };
    let rolled = BackgammonPosition::rolled(&start, Dice::new(4, 1));
    let play = BackgammonPosition::plays(&rolled)[0];
    let turns = [Rolled { dice: [4, 1], play }];
    let text = records::write(&start, &turns, None, None, &Details::default());
    assert_eq!(records::read(&text).unwrap().start, start, "{text}");
}

#[test]
fn headings_of_records_are_written_again() {
    let (start, turns) = random_game(3);
    let details = Details {
        event: "a match".to_owned(),
        white: "Ann 1".to_owned(),
        black: "Ben".to_owned(),
        more: vec![("Place".to_owned(), "Riga".to_owned())],
        ..Details::default()
    };
    let text = records::write(&start, &turns, None, None, &details);
    let heading = records::heading(&text);
    assert_eq!((&heading.details, heading.lost), (&details, None), "{text}");
    let (with_cube, longer) = (
        text.replace("  2) ", "  2)  Doubles => 2  "),
        text.replace("0 point", "7 point"),
    );
    for more in [format!("{text}\n Game 2\n"), with_cube, longer] {
        assert!(records::heading(&more).lost.is_some(), "{more}");
    }
}

#[test]
fn diagram_shows_all_men() {
    for dice in rolls().take(3) {
        let text = diagram::diagram(&BackgammonPosition::start(Stakes::OnePoint).rolled(dice));
        let drawn = |letter| {
            text.lines()
                .filter(|line| line.starts_with(" |"))
                .map(|line| line[..42].matches(letter).count())
                .sum::<usize>()
        };
        assert_eq!((drawn('X'), drawn('O')), (15, 15), "{text}");
        assert!(text.contains(&format!("rolled {}-{}", dice.high, dice.low)));
    }
    let tall = position(&[(6, 15)], &[(1, 15)], [2, 1]);
    assert!(diagram::diagram(&tall).contains("15"));
    assert_eq!(Board::start(), Board::start().turned());
}

#[test]
fn results_of_records_are_read_by_their_column() {
    let (start, turns) = random_game(4);
    let turns = &turns[..3];
    for (winner, points) in [(Side::First, 2), (Side::Second, 1)] {
        let by = "resignation";
        let result = Some(DiceResult { winner, points, by });
        let text = records::write(&start, turns, None, result, &Details::default());
        let read = records::result(&text).unwrap();
        assert_eq!((read.winner, read.points), (winner, points), "{text}");
        let of_first = f64::from(winner == Side::First);
        assert_eq!(records::heading(&text).result, Some(of_first));
        assert_eq!(records::read(&text).unwrap().turns.len(), turns.len());
    }
    let game =
        " 7 point match\n\n Game 1\n Wins 3 points : 0             b : 0\n  1) 61:  Doubles => 2\n";
    let dropped = format!("{game}  2)  Drops                       Wins 1 point \n");
    let read = records::result(&dropped).unwrap();
    assert_eq!((read.winner, read.points), (Side::Second, 1));
    let second = format!("{game}\n Game 2\n a : 0   b : 0\n      Wins 1 point\n");
    for none in [game, &second, "; Wins 1 point\n", "Wins\n"] {
        assert_eq!(records::result(none), None, "{none}");
    }
}
