//! The commands on gomoku.

use std::fs;

use keima::games::gomoku::notation::parse_pair;

use super::client::run;
use super::folders::{folder, vacant};
use super::variant;

#[test]
fn perft_and_tree_take_a_variant() {
    let perft = [
        "perft",
        "--game",
        "gomoku",
        "--variant",
        "renju-9",
        "--depth",
        "2",
    ];
    let (text, ok) = run(&perft, "");
    assert!(ok && text.contains("2 6480 "), "{text}");
    let tree = [
        "tree",
        "gomoku",
        "--variant",
        "tictactoe",
        "--depth",
        "2",
        "--with",
        "minimax,full",
    ];
    let (text, ok) = run(&tree, "");
    assert!(ok && text.contains("minimax"), "{text}");
    let (text, ok) = run(&["perft", "--game", "gomoku", "--variant", "pente"], "");
    assert!(
        !ok && text.contains("there are freestyle, standard, renju"),
        "{text}"
    );
}

#[test]
fn a_game_is_played_in_the_terminal() {
    let file = vacant("gomoku-played.psq");
    let save = format!("save {}\n", file.display());
    let arguments = [
        "play",
        "gomoku",
        "--variant",
        "renju",
        "--as",
        "black",
        "--nodes",
        "500",
    ];
    let (text, ok) = run(
        &arguments,
        &format!("h8\nh8\nz9\nundo\nh8\nhint\n{save}quit\n"),
    );
    assert!(ok, "{text}");
    assert_eq!(text.matches("keima plays ").count(), 2, "{text}");
    assert!(
        text.contains("h8 is occupied") && text.contains("z9 is beyond the board"),
        "{text}"
    );
    let record = fs::read_to_string(&file).unwrap();
    assert!(
        record.starts_with("Piskvorky 15x15, 11:11, 0\n8,8,0\n"),
        "{record}"
    );
    assert!(record.ends_with("?\nkeima\n-1\n0,4\n"), "{record}");
    let load = [
        "play",
        "gomoku",
        "--as",
        "both",
        "--load",
        file.to_str().unwrap(),
    ];
    let (text, ok) = run(&load, "i9\nquit\n");
    assert!(ok && text.contains("Black (x) to move"), "{text}");
}

#[test]
fn records_are_saved_in_the_format_of_their_names() {
    let folder = folder("gomoku-formats");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (psq, sgf) = (path("a.psq"), path("a.sgf"));
    let record = "Piskvorky 15x15, 11:11, 0\n8,8,250\n9,9,0\nAnn\nBen\n-1\n0,1\n";
    fs::write(&psq, record).unwrap();
    let play = ["play", "gomoku", "--as", "both", "--load"];
    let script = format!("save {sgf}\nsave! {psq}\nquit\n");
    let (text, ok) = run(&[&play[..], &[&psq]].concat(), &script);
    assert!(ok, "{text}");
    assert_eq!(fs::read_to_string(&psq).unwrap(), record);
    let written = fs::read_to_string(&sgf).unwrap();
    assert!(
        written.contains("PB[Ann]PW[Ben]") && written.contains(";B[hh]C[0.250s]"),
        "{written}"
    );
    // SGF without variations is not lost.
    let (text, ok) = run(&[&play[..], &[&sgf, "--save", &sgf]].concat(), "i7\nquit\n");
    assert!(ok, "{text}");
    let written = fs::read_to_string(&sgf).unwrap();
    assert!(written.contains("RU[standard]PB[Ann]"), "{written}");
    assert!(written.contains(";B[ii])"), "{written}");
}

#[test]
fn a_saved_game_names_keima_and_the_day() {
    let file = vacant("gomoku-named.sgf");
    let script = format!("h8\nsave {}\nquit\n", file.display());
    let (text, ok) = run(&["play", "gomoku", "--nodes", "20"], &script);
    assert!(ok, "{text}");
    let record = fs::read_to_string(&file).unwrap();
    let dates = record.replace(|c: char| c.is_ascii_digit(), "0");
    assert!(dates.contains("]PW[keima]DT[0000-00-00]RE[?]"), "{record}");
}

#[test]
fn the_variant_is_that_of_moves_and_of_a_new_game() {
    let folder = folder("gomoku-variants");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (moves, psq) = (path("moves.txt"), path("a.psq"));
    fs::write(&moves, "h8i9\n").unwrap();
    fs::write(&psq, "Piskvorky 9x9, 11:11, 0\n5,5,0\na\nb\n-1\n0,4\n").unwrap();
    let play = ["play", "gomoku", "--as", "both", "--load"];
    let renju = [&play[..], &[&moves, "--variant", "renju-10"]].concat();
    let (text, ok) = run(&renju, "k11\nquit\n");
    assert!(
        ok && text.contains("k11 is beyond the board of 10x10"),
        "{text}"
    );
    let (text, ok) = run(&[&play[..], &[&psq]].concat(), "new\nk11\nquit\n");
    assert!(
        ok && text.contains("k11 is beyond the board of 9x9"),
        "{text}"
    );
    let (text, ok) = run(&[&play[..], &[&psq, "--variant", "renju-10"]].concat(), "");
    let message = "is a game of gomoku renju-9, not of gomoku renju-10";
    assert!(!ok && text.contains(message), "{text}");
}

#[test]
fn the_side_that_moves_first_is_black() {
    for (side, begins) in [
        ("first", false),
        ("second", true),
        ("white", true),
        ("black", false),
    ] {
        let arguments = ["play", "gomoku", "--as", side, "--nodes", "20"];
        let (text, _) = run(&arguments, "quit\n");
        assert_eq!(text.contains("keima plays "), begins, "{side}: {text}");
    }
}

const PUZZLE: &str = "j12l12h7m6l7o13m10h8g14k12l13l11k6i8j7g11j6j13g6o12g10g13g9";

#[test]
fn solve_prints_the_win_with_the_fewest_fours() {
    let solve = [
        "gomoku",
        "solve",
        "--variant",
        "freestyle-20",
        "--moves",
        PUZZLE,
    ];
    let (text, ok) = run(&solve, "");
    assert!(ok && text.starts_with("White wins by 4 fours ("), "{text}");
    let (json, ok) = run(&[&solve[..], &["--json"]].concat(), "");
    assert!(
        ok && json.contains("\"answer\":\"won\",\"fours\":4,\"line\":[\""),
        "{json}"
    );
    let (text, ok) = run(&["gomoku", "solve", "--moves", "h8h9"], "");
    assert!(
        ok && text.starts_with("Black has no win by fours (0 nodes)"),
        "{text}"
    );
    let (text, ok) = run(&["gomoku", "solve", "--moves", "h8a1h9a2h10a3h11a4"], "");
    assert!(ok && text.starts_with("Black completes a row: h"), "{text}");
    let (text, ok) = run(&["gomoku", "solve", "--moves", "h8a1h8"], "");
    assert!(!ok && text.contains("move 3: h8 is occupied"), "{text}");
    let threats = ["gomoku", "solve", "--vct", "--moves", "h9a1h10n2g8b14f8o9"];
    let (text, ok) = run(&threats, "");
    assert!(ok && text.starts_with("Black wins by threats ("), "{text}");
    let caro = [&threats[..], &["--variant", "caro"]].concat();
    let (text, ok) = run(&caro, "");
    assert!(!ok && text.contains("leave --vct out"), "{text}");
    let few = [&solve[..], &["--nodes", "2"]].concat();
    let (text, ok) = run(&few, "");
    assert!(ok && text.contains("not decided within 2 nodes"), "{text}");
}

#[test]
fn forbidden_points_are_drawn_and_listed() {
    let moves = "h9a1h10c1g8e1f8g1";
    let (text, ok) = run(&["gomoku", "forbidden", "--moves", moves], "");
    assert!(ok && text.ends_with("h8 double three\n"), "{text}");
    assert!(
        text.contains(" 8 . . . . . x x 3 . . . . . . . 8"),
        "{text}"
    );
    let (json, ok) = run(&["gomoku", "forbidden", "--json", "--moves", moves], "");
    assert!(
        ok && json.contains("{\"point\":\"h8\",\"reason\":\"double three\"}"),
        "{json}"
    );
    let (text, ok) = run(
        &["gomoku", "forbidden", "--variant", "caro", "--moves", moves],
        "",
    );
    assert!(
        !ok && text.contains("only renju has forbidden points, not caro"),
        "{text}"
    );
}

#[test]
fn records_are_converted() {
    let folder = folder("gomoku-convert");
    let (sgf, psq) = (folder.join("gomoku.sgf"), folder.join("gomoku.psq"));
    let (sgf, psq) = (sgf.to_str().unwrap(), psq.to_str().unwrap());
    let moves = "a1b1a2b2a3b3a4b4a5";
    let (text, ok) = run(
        &[
            "gomoku",
            "convert",
            "--force",
            "--variant",
            "standard-19",
            "--moves",
            moves,
            sgf,
        ],
        "",
    );
    assert!(ok, "{text}");
    let record = fs::read_to_string(sgf).unwrap();
    assert!(
        record.contains("SZ[19]RU[standard]RE[B+]\n;B[as]\n;W[bs]"),
        "{record}"
    );
    let (text, ok) = run(&["gomoku", "convert", "--force", "--moves", sgf, psq], "");
    assert!(ok, "{text}");
    let upper = folder.join("T.PSQ");
    let upper = upper.to_str().unwrap();
    let options = ["--variant", "tictactoe", "--moves", "a1b1a2b2a3", upper];
    let (text, ok) = run(&[&["gomoku", "convert"][..], &options].concat(), "");
    assert!(ok, "{text}");
    let record = fs::read_to_string(upper).unwrap();
    assert!(record.ends_with("-1\n1,tictactoe\n"), "{record}");
    let (text, ok) = run(&["gomoku", "convert", "--moves", moves, psq], "");
    assert!(!ok && text.contains("--force replaces it"), "{text}");
    let record = fs::read_to_string(psq).unwrap();
    assert!(
        record.starts_with("Piskvorky 19x19") && record.ends_with("-1\n1,1\n"),
        "{record}"
    );
}

#[test]
fn managers_need_no_arguments() {
    let (text, ok) = run(
        &["--model", "small"],
        "START 15\r\nINFO timeout_turn 0\r\nBEGIN\r\nABOUT\r\nEND\r\n",
    );
    let lines: Vec<&str> = text.lines().collect();
    assert!(ok && lines[0] == "OK", "{text}");
    assert!(parse_pair(variant("freestyle"), lines[1]).is_ok(), "{text}");
    assert!(lines[2].starts_with("name=\"keima\""), "{text}");
}

#[test]
fn records_are_counted_up_to_symmetries() {
    let folder = folder("gomoku-count");
    // The second is the first mirrored, the third has two moves exchanged.
    let games = [
        "a1b1a2b2a3b3a4b4a5",
        "o1n1o2n2o3n3o4n4o5",
        "a1b1a3b2a2b3a4b4a5",
        "h8h9",
    ];
    for (number, moves) in games.into_iter().enumerate() {
        let file = folder.join(format!("{number}.psq"));
        let (text, ok) = run(
            &[
                "gomoku",
                "convert",
                "--force",
                "--moves",
                moves,
                file.to_str().unwrap(),
            ],
            "",
        );
        assert!(ok, "{text}");
    }
    let (text, ok) = run(&["gomoku", "count", folder.to_str().unwrap()], "");
    assert!(ok, "{text}");
    assert!(
        text.contains("4 games, 3 different up to symmetries of the board (75.0 %)"),
        "{text}"
    );
    assert!(
        text.contains("the first player won 3, drew 0, lost 0"),
        "{text}"
    );
    assert!(text.contains("0 to 9           4 100.0 %"), "{text}");
}
