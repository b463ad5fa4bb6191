//! `keima play`: games other than Go, by scripts of what a person types.

use std::fs;
use std::io::{BufRead, BufReader, Write};

use crate::folders::folder;
use crate::guarded::Guarded;
use crate::running::{finish, keima, text};

const CHESS: [&str; 4] = ["chess", "--as", "both", "--save"];
const DICE: [&str; 6] = ["backgammon", "--as", "both", "--dice", "entered", "--save"];

/// A file of this name in a folder of its own.
fn file(test: &str, name: &str) -> String {
    let file = folder(&format!("play_other_{test}")).join(name);
    file.to_str().unwrap().to_owned()
}

fn said(arguments: &[&str], input: &str) -> String {
    let output = finish(keima(&[&["play"], arguments].concat()), input);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    text(&output.stdout).to_owned()
}

#[track_caller]
fn contains(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "{part} in {said}");
    }
}

#[test]
fn games_are_saved_after_each_move() {
    let cases = [
        (&CHESS[..], "a.pgn", "e4\n", "Black to move", "1. e4 *"),
        (
            &DICE,
            "a.mat",
            "31\n8/5 6/5\n",
            "dice for Black?",
            "31: 8/5 6/5",
        ),
    ];
    for (arguments, name, input, awaited, written) in cases {
        let file = file("each", name);
        let mut command = keima(&[&["play"], arguments, &[&file]].concat());
        let mut child = Guarded::spawn(&mut command);
        let mut lines = child.stdin.take().unwrap();
        lines.write_all(input.as_bytes()).unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(output.any(|line| line.unwrap().contains(awaited)), "{name}");
        child.kill().unwrap();
        contains(&fs::read_to_string(&file).unwrap(), &[written]);
    }
}

#[test]
fn a_new_game_does_not_replace_a_saved_one() {
    let (own, other) = (file("new", "own.pgn"), file("new", "other.pgn"));
    let play = [&CHESS[..], &[&own]].concat();
    let script = format!("e4\nnew\nload x.pgn\ne5\nsave {other}\nnew\n");
    let told = said(&play, &script);
    contains(
        &told,
        &["own.pgn: save it to another file first", "saved to "],
    );
    assert_eq!(
        told.matches("another game would replace").count(),
        2,
        "{told}"
    );
    // Without a move the last game stays.
    for file in [&own, &other] {
        contains(&fs::read_to_string(file).unwrap(), &["1. e4 e5 *"]);
    }
    let told = said(&CHESS[..3], "e4\nnew\nd4\nposition\n");
    contains(&told, &["PPP1PPPP/RNBQKBNR b KQkq"]);
}

#[test]
fn errors_have_no_control_characters_of_their_cause() {
    let told = said(&CHESS[..3], "e9\u{1b}c\n");
    contains(&told, &["e9c"]);
    assert!(!told.contains('\u{1b}'), "{told}");
}

#[test]
fn points_are_numbered_for_the_side_to_move() {
    let told = said(&DICE[..5], "31\n8/5 6/5\n");
    let upper = told.lines().filter(|line| line.starts_with(" +1"));
    let upper: Vec<&str> = upper.step_by(2).map(|line| &line[..9]).collect();
    assert_eq!(upper[0], " +13-14-1");
    assert_eq!(upper.last(), Some(&" +12-11-1"));
}

#[test]
fn resignation_is_recorded_and_can_be_taken_back() {
    let resigned = file("resigned", "a.pgn");
    let play = [&CHESS[..], &[&resigned]].concat();
    let told = said(&play, "e4\nresign\ne5\nhint\nEXIT\nd4\n");
    contains(
        &told,
        &[
            "White has won by resignation",
            "the game is over; type new or undo",
        ],
    );
    contains(
        &fs::read_to_string(&resigned).unwrap(),
        &["[Result \"1-0\"]", "1. e4 1-0"],
    );
    let taken_back = file("resigned", "b.pgn");
    let play = [&CHESS[..], &[&taken_back]].concat();
    said(&play, "e4\nresign\nundo\ne5\nq\n");
    contains(&fs::read_to_string(&taken_back).unwrap(), &["1. e4 e5 *"]);
    let dice = file("resigned", "a.mat");
    let told = said(
        &[&DICE[..], &[&dice]].concat(),
        "31\n8/5 6/5\nresign\nQUIT\n",
    );
    contains(&told, &["White has won: resignation"]);
    contains(&fs::read_to_string(&dice).unwrap(), &["Wins 1 point\n"]);
}

#[test]
fn the_side_to_move_is_told_and_the_board_turned() {
    let black = ["chess", "--as", "black", "--nodes", "20"];
    let told = said(&black, "help\nFEN\n");
    contains(
        &told,
        &[
            "\n   h g f e d c b a\nBlack to move\n",
            "resign     give the game up",
            " b KQkq",
        ],
    );
    assert!(!told.contains("Key:") && !told.contains("FEN:"), "{told}");
    let told = said(&["chess", "--as", "both"], "moves\n");
    contains(&told, &["\n   a b c d e f g h\nWhite to move\n"]);
    let told = said(&["draughts", "--as", "both"], "");
    contains(&told, &["White to move"]);
    let told = said(&["gomoku", "--as", "both"], "h8\n");
    contains(&told, &["Black (x) to move", "White (o) to move"]);
}

/// Games that their records call over, with the program to move on the board: file, text, further arguments, what
/// the program's move is told by.
const DECIDED: [(&str, &str, &[&str], &str); 4] = [
    (
        "a.pgn",
        "[Event \"?\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n",
        &["chess", "--nodes", "20"],
        "keima plays ",
    ),
    (
        "a.pdn",
        "[Event \"?\"]\n[Result \"2-0\"]\n\n1. 32-28 2-0\n",
        &["draughts", "--nodes", "20"],
        "keima plays ",
    ),
    (
        "a.psq",
        "Piskvorky 15x15, 11:11, 0\n8,8,0\nAnn\nBen\n-1\n2,0\n",
        &["gomoku", "--opponent", "alphabeta", "--nodes", "20"],
        "keima plays ",
    ),
    (
        "a.mat",
        " 0 point match\n\n Game 1\n Ann : 0                               Ben : 0\n  1) 31: 8/5 6/5\n      Wins 2 points\n",
        &["backgammon", "--opponent", "linear", "--dice-seed", "1"],
        "Black rolls ",
    ),
];

#[test]
fn thrown_dice_are_saved_until_they_are_played() {
    let file = file("thrown", "a.mat");
    let play = ["backgammon", "--opponent", "linear", "--as", "black"];
    let rolled = |told: &str| {
        let (_, rolled) = told.rsplit_once("rolled ").expect("a roll");
        rolled[..3].to_owned()
    };
    let told = said(
        &[&play[..], &["--dice-seed", "5", "--save", &file]].concat(),
        "quit\n",
    );
    for seed in ["6", "7"] {
        let again = [
            &play[..],
            &["--dice-seed", seed, "--load", &file, "--save", &file],
        ]
        .concat();
        assert_eq!(rolled(&said(&again, "quit\n")), rolled(&told), "{told}");
    }
    let saved = fs::read_to_string(&file).unwrap();
    assert!(saved.trim_end().ends_with(':'), "{saved}");
}

#[test]
fn entered_dice_are_saved_until_they_are_taken_back() {
    let file = file("entered", "a.mat");
    let play = [&DICE[..], &[&file]].concat();
    said(&play, "31\n8/5 6/5\n52\nquit\n");
    contains(&fs::read_to_string(&file).unwrap(), &["52:"]);
    fs::remove_file(&file).unwrap();
    said(&play, "31\n8/5 6/5\n52\nundo\nquit\n");
    let saved = fs::read_to_string(&file).unwrap();
    assert!(
        saved.contains("31: 8/5 6/5") && !saved.contains("52:"),
        "{saved}"
    );
}

#[test]
fn a_game_that_its_record_calls_over_waits() {
    for (name, record, game, moved) in DECIDED {
        let file = file("decided", name);
        fs::write(&file, record).unwrap();
        let play = [game, &["--load", &file, "--save", &file]].concat();
        let told = said(&play, "quit\n");
        contains(
            &told,
            &["result of the record: White has won; resume plays on"],
        );
        assert!(!told.contains(moved), "{told}");
        assert_eq!(fs::read_to_string(&file).unwrap(), record);
        // What is typed is no move of the program's side.
        let told = said(&play, "e5\nload x\nboard\n");
        contains(&told, &["the record has a result: resume plays on"]);
        assert!(!told.contains(moved), "{told}");
        assert_eq!(fs::read_to_string(&file).unwrap(), record);
        let told = said(&play, "resume\nresume\nquit\n");
        assert_eq!(told.matches(moved).count(), 1, "{told}");
        contains(&told, &["the game goes on"]);
        let saved = fs::read_to_string(&file).unwrap();
        let results = [" 1-0", " 2-0", "\n2,0", "Wins"];
        assert!(
            results.iter().all(|result| !saved.contains(result)),
            "{saved}"
        );
    }
}

#[test]
fn a_loaded_result_is_saved_until_a_move_is_taken_back() {
    for (name, record, game, moved) in DECIDED {
        let (file, copy) = (file("kept", name), file("kept", &format!("copy_{name}")));
        fs::write(&file, record).unwrap();
        let play = [game, &["--load", &file]].concat();
        said(&play, &format!("save! {copy}\n"));
        let copied = fs::read_to_string(&copy).unwrap();
        let last = record.lines().last().unwrap();
        let of_moves = last
            .strip_prefix("1. ")
            .and_then(|moves| moves.rsplit(' ').next());
        let result = format!("{}\n", of_moves.unwrap_or(last));
        contains(&copied, &[&result]);
        let told = said(&play, &format!("undo\nsave! {copy}\n"));
        assert!(!told.contains(moved), "{told}");
        let copied = fs::read_to_string(&copy).unwrap();
        assert!(!copied.ends_with(&result), "{copied}");
    }
    // A move of the person's takes the result back too.
    let file = file("kept", "b.pgn");
    let record = "[Event \"?\"]\n[Result \"0-1\"]\n\n1. e4 e5 0-1\n";
    fs::write(&file, record).unwrap();
    let play = ["chess", "--nodes", "20", "--load", &file, "--save", &file];
    let told = said(&play, "Nf3\n");
    contains(&told, &["Black has won; resume plays on", "keima plays "]);
    let saved = fs::read_to_string(&file).unwrap();
    contains(&saved, &["[Result \"*\"]", "2. Nf3 "]);
    // A resignation is the person's, whoever is to move.
    fs::write(&file, record.replace(" e5", "")).unwrap();
    contains(&said(&play, "resign\n"), &["Black has won by resignation"]);
}
