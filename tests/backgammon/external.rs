//! The language of external players.

use std::io::Cursor;

use keima::games::backgammon::external::serve;
use keima::games::backgammon::player::Searcher;
use keima::games::backgammon::{BackgammonPosition, Dice, Stakes, fibs};

/// The answers to lines.
fn answers(lines: &[&str]) -> Vec<String> {
    let mut output = Vec::new();
    let input = Cursor::new(lines.join("\n") + "\n");
    serve(
        &mut Searcher::built_in().unwrap(),
        "test",
        input,
        &mut output,
    )
    .unwrap();
    let text = String::from_utf8(output).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn line(dice: Option<[u8; 2]>) -> String {
    let mut start = BackgammonPosition::start(Stakes::OnePoint);
    start.dice = dice.map(|dice| Dice::new(dice[0], dice[1]));
    fibs::text(&start, ["You", "opp"])
}

#[test]
fn boards_are_answered_by_plays() {
    let (board, before) = (line(Some([3, 1])), line(None));
    let fibs = format!("fibsboard {board}");
    assert_eq!(
        answers(&[&board, &fibs, &before]),
        ["8/5 6/5", "8/5 6/5", "roll"]
    );
}

#[test]
fn doubles_are_accepted_or_rejected() {
    let even = line(None).replace(":1:1:1:0:1:-1:", ":1:1:1:1:1:-1:");
    assert_eq!(answers(&[&even]), ["accept"]);
    let mut lost = BackgammonPosition::start(Stakes::Points);
    lost.board.own = super::men(&[(1, 1)]);
    let board = keima::games::backgammon::Board::new(
        super::men(&[(1, 1)]),
        super::men(&[(20, 9), (23, 6)]),
    );
    lost.board = board;
    let lost = fibs::text(&lost, ["a", "b"]).replace(":1:1:1:0:1:-1:", ":1:1:1:1:1:-1:");
    assert_eq!(answers(&[&lost]), ["reject"]);
}

#[test]
fn evaluations_are_six_numbers() {
    let board = line(None);
    for plies in ["0", "1"] {
        let ask = format!("evaluation fibsboard {board} PLIES {plies} CUBE OFF CUBELESS");
        let answer = answers(&[&ask]).swap_remove(0);
        let numbers: Vec<f64> = answer
            .split(' ')
            .map(|word| word.parse().unwrap())
            .collect();
        assert_eq!(numbers.len(), 6, "{answer}");
        assert!(
            (numbers[5] - (2.0 * numbers[0] - 1.0)).abs() < 1e-4,
            "{answer}"
        );
        assert!((0.48..0.58).contains(&numbers[0]), "{answer}");
    }
}

#[test]
fn mistakes_are_answered_and_the_session_goes_on() {
    let board = line(Some([3, 1]));
    let wrong = board.replace(":3:1:0:0:", ":7:1:0:0:");
    let found = answers(&[
        "xyzzy",
        "",
        "evaluation",
        "board:1:2",
        &wrong,
        "set depth 9",
        "set depth 1",
        &board,
    ]);
    assert!(
        found[..6]
            .iter()
            .all(|answer| answer.starts_with("Error: ")),
        "{found:?}"
    );
    assert!(found[4].contains("dice are from 1 to 6"), "{found:?}");
    assert_eq!(found[6..], ["ok", "8/5 6/5"]);
}

#[test]
fn exit_ends_the_session() {
    let found = answers(&["version", "exit", "version"]);
    assert_eq!(found.len(), 4);
    assert_eq!(found[0], "Interface: 2");
}

#[test]
fn junk_is_survived() {
    let mut bytes: Vec<u8> = (0..200_000u64)
        .map(|index| (index * index % 251) as u8)
        .collect();
    bytes.extend(b"\nversion\n");
    let mut output = Vec::new();
    serve(
        &mut Searcher::built_in().unwrap(),
        "test",
        Cursor::new(bytes),
        &mut output,
    )
    .unwrap();
    assert!(String::from_utf8_lossy(&output).contains("Interface: 2"));
}

#[test]
fn a_line_beyond_all_measure_is_refused() {
    let (long, board) = ("1".repeat(17 << 20), line(Some([3, 1])));
    assert_eq!(
        answers(&[&long, &board]),
        ["Error: the line is too long", "8/5 6/5"]
    );
}

#[test]
fn the_last_game_of_a_match_is_played_for_one_point() {
    let line = "board:gnubg:root:7:6:6:-1:-1:0:0:2:2:3:2:2:0:1:0:-3:1:-2:0:0:-3:0:-5:2:0:0:0:0:0:-1:1:5:1:5:2:0:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";
    let [to_one, cube_on_two] = [":1:0:0:", ":7:5:5:"].map(|score| line.replace(":7:6:6:", score));
    for line in [line, &to_one, &cube_on_two] {
        assert_eq!(answers(&[line]), ["bar/24 6/1"], "{line}");
        assert_eq!(
            fibs::read(line).unwrap().position.stakes,
            Stakes::OnePoint,
            "{line}"
        );
    }
    for score in [":7:6:4:", ":7:4:5:", ":0:6:6:", ":9999:6:6:"] {
        let line = line.replace(":7:6:6:", score);
        let stakes = fibs::read(&line).unwrap().position.stakes;
        assert_eq!(stakes, Stakes::Points, "{line}");
    }
}

#[test]
fn a_drop_that_loses_the_match_is_not_answered() {
    // Nothing can be won any more.
    let lost = |score: &str, cube: u8| {
        let mut lost = BackgammonPosition::start(Stakes::Points);
        lost.board = keima::games::backgammon::Board::new(
            super::men(&[(1, 1)]),
            super::men(&[(20, 9), (23, 6)]),
        );
        let line = fibs::text(&lost, ["a", "b"]);
        let line = line.replace("board:a:b:0:0:0:", &format!("board:a:b:{score}:"));
        line.replace(":1:1:1:0:1:-1:", &format!(":{cube}:1:1:1:1:-1:"))
    };
    let found = answers(&[
        &lost("7:5:0", 2),
        &lost("7:6:0", 1),
        &lost("7:5:0", 1),
        &lost("0:5:0", 2),
    ]);
    assert_eq!(found, ["accept", "accept", "reject", "reject"]);
    // In the middle of a game.
    let line = "board:root:gnubg:7:5:0:0:0:2:0:-2:2:0:3:4:2:2:0:0:0:-1:0:0:0:0:-3:-2:-1:-2:-2:-2:0:1:0:0:0:0:2:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:1";
    assert_eq!(answers(&[line]), ["accept"]);
}
