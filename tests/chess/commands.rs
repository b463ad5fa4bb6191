//! `keima perft`, `tree`, `play` and `bench` for chess.

use keima::games::board_game::BoardGame;
use keima::games::chess::ChessPosition;
use keima::games::record::tag;
use keima::minimax::Position;

use crate::running;

/// Standard output and standard error of the program.
fn run(arguments: &[&str], input: &str) -> (String, String) {
    let output = running::run(arguments, input);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn perft_counts_and_divides() {
    let (out, _) = run(&["perft", "--game", "chess", "--depth", "3"], "");
    let counts: Vec<&str> = out
        .lines()
        .map(|line| line.split(' ').nth(1).unwrap())
        .collect();
    assert_eq!(counts, ["1", "20", "400", "8902"]);
    let fen = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
    let (out, _) = run(
        &[
            "perft",
            "--game",
            "chess",
            "--position",
            fen,
            "--depth",
            "2",
            "--divide",
        ],
        "",
    );
    let sum: u32 = out
        .lines()
        .map(|line| line.split(' ').nth(1).unwrap().parse::<u32>().unwrap())
        .sum();
    assert_eq!((out.lines().count(), sum), (14, 191));
}

#[test]
fn perft_of_go_has_options_of_its_own() {
    let (named, _) = run(
        &["perft", "--game", "go", "--size", "3", "--depth", "2"],
        "",
    );
    assert_eq!(named.lines().count(), 3, "{named}");
    let (_, err) = run(&["perft", "--game", "go", "--divide"], "");
    assert!(
        err.contains("--divide are for games other than Go"),
        "{err}"
    );
    let (_, err) = run(&["perft", "--game", "chess", "--size", "3"], "");
    assert!(err.contains("--size and --rules are for Go alone"), "{err}");
}

#[test]
fn unknown_games_and_bad_positions_are_named() {
    let (_, err) = run(&["perft", "--game", "halma"], "");
    let listed = "there is no game 'halma'; there are go, chess, draughts, gomoku and backgammon";
    assert!(err.contains(listed), "{err}");
    let (_, err) = run(&["tree", "chess", "--position", "8/8/8/8/8/8/8/K7 w"], "");
    assert!(err.contains("Black has 0 kings instead of one"), "{err}");
    let touching = "8/8/8/3kK3/8/8/8/R7 w - - 0 1";
    let (_, err) = run(&["tree", "chess", "--position", touching], "");
    assert!(err.contains("the kings stand side by side"), "{err}");
}

#[test]
fn bench_signature_is_fixed() {
    let (out, _) = run(&["bench", "--game", "chess"], "");
    assert_eq!(out.trim(), include_str!("../data/chess.signature").trim());
}

#[test]
fn tree_compares_algorithms() {
    let (out, _) = run(&["tree", "chess", "--depth", "3", "--json"], "");
    let rows: Vec<serde_json::Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 19);
    let sampled = &rows[18];
    assert_eq!(
        (&sampled["algorithm"], &sampled["nodes"]),
        (&"puct".into(), &10_000.into())
    );
    for depth in 1..=3 {
        let value = |name: &str| {
            let row = rows
                .iter()
                .find(|row| row["depth"] == depth && row["algorithm"] == name);
            row.unwrap()["value"].clone()
        };
        for name in ["alpha-beta", "ordered", "table"] {
            assert_eq!(value(name), value("minimax"), "{name}, depth {depth}");
        }
    }
    let minimax = rows
        .iter()
        .find(|row| row["depth"] == 3 && row["algorithm"] == "minimax")
        .unwrap();
    assert_eq!(
        (&minimax["nodes"], &minimax["leaves"]),
        (&9323.into(), &8902.into())
    );
    let (table, _) = run(
        &["tree", "chess", "--depth", "2", "--with", "minimax,full"],
        "",
    );
    assert_eq!(table.lines().count(), 5);
    let (table, _) = run(
        &[
            "tree",
            "chess",
            "--with",
            "uct,mcts",
            "--visits",
            "50",
            "--position",
            "7k/8/8/8/8/8/r7/2r3NK b - - 0 1",
        ],
        "",
    );
    let best: Vec<&str> = table
        .lines()
        .skip(1)
        .filter_map(|row| row.split_whitespace().nth(3))
        .collect();
    assert_eq!(best.len(), 2, "{table}");
}

#[test]
fn game_in_the_terminal_is_played_saved_and_loaded() {
    let file = format!("{}/played.pgn", env!("CARGO_TARGET_TMPDIR"));
    let script = format!(
        "moves\ne2e5\nNf3\nf3\nundo\nhint\neval\nf3\ne5\ng4\nQh4\nd4\nsave {file}\nsave\nquit\n"
    );
    let (out, err) = run(
        &["play", "chess", "--as", "both", "--nodes", "2000"],
        &script,
    );
    assert_eq!(err, "");
    for part in [
        "a3 a4 b3",
        "e2e5 is not legal: a pawn does not move from e2 to e5",
        "without search:",
        "Black has won",
        "the game is over; type new or undo",
        "save needs a file",
    ] {
        assert!(out.contains(part), "{part} in {out}");
    }
    let record = std::fs::read_to_string(&file).unwrap();
    assert!(record.contains("[Result \"0-1\"]"), "{record}");
    let (out, _) = run(
        &["play", "chess", "--as", "both", "--load", &file],
        "undo\nmoves\n",
    );
    assert!(
        out.contains("Black has won") && out.contains("Qh4#"),
        "{out}"
    );
    let (_, err) = run(&["play", "chess", "--load", "nowhere.pgn"], "");
    assert!(err.contains("nowhere.pgn"), "{err}");
}

#[test]
fn the_first_of_several_games_is_loaded_and_none_is_lost() {
    let file = format!("{}/several.pgn", env!("CARGO_TARGET_TMPDIR"));
    let one = "[Event \"one\"]\n[White \"Ann\"]\n\n1. e4 e5 2. Nf3 *\n";
    let two = "\n[Event \"two\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *\n";
    std::fs::write(&file, format!("; two games\n{one}{two}")).unwrap();
    let play = ["play", "chess", "--as", "both", "--load", &file];
    let (out, err) = run(&play, "moves\n");
    assert!(err.is_empty() && out.contains("Nc6"), "{out} {err}");
    let save = [&play[..], &["--save", &file]].concat();
    let (_, err) = run(&save, "Nc6\n");
    assert!(err.contains("--save another file"), "{err}");
    std::fs::write(&file, one).unwrap();
    run(&save, "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), one);
    run(&save, "Nc6\n");
    let record = std::fs::read_to_string(&file).unwrap();
    assert!(
        record.contains("[White \"Ann\"]") && record.contains("Nc6"),
        "{record}"
    );
    let in_latin_1 = &b"[White \"R\xe9ti\"]\n\n1. Nf3 *\n"[..];
    let with_mark = "\u{feff}[White \"Réti\"]\n\n1. Nf3 *\n".as_bytes();
    for bytes in [in_latin_1, with_mark] {
        std::fs::write(&file, bytes).unwrap();
        let (out, err) = run(&save, "Nf6\n");
        assert_eq!(err, "", "{out}");
        let record = std::fs::read_to_string(&file).unwrap();
        assert!(
            record.contains("[White \"Réti\"]\n") && record.contains("Nf6"),
            "{record}"
        );
    }
    std::fs::write(&file, b"\xff\xfe1\0.\0").unwrap();
    let (_, err) = run(&play, "");
    assert!(err.contains(&file) && err.contains("no text"), "{err}");
    std::fs::write(&file, "(;GM[1]SZ[9];B[ee])").unwrap();
    let (_, err) = run(&save, "");
    assert!(err.contains("SGF"), "{err}");
}

#[test]
fn a_loaded_result_and_all_tags_stay_until_a_move_is_made() {
    let path = |name: &str| format!("{}/{name}.pgn", env!("CARGO_TARGET_TMPDIR"));
    let (file, same, other) = (path("resigned"), path("resigned-same"), path("resigned-on"));
    let tags = "[Event \"?\"]\n[Site \"Riga\"]\n[Date \"1964.07.05\"]\n[Round \"?\"]\n[White \"A\"]\n[Black \"B\"]\n";
    let record = format!("{tags}[Result \"1-0\"]\n[ECO \"C42\"]\n\n1. e4 e5 2. Nf3 Nf6 1-0\n");
    std::fs::write(&file, &record).unwrap();
    let script = format!("save! {same}\nNc3\nsave! {other}\nquit\n");
    let (out, err) = run(&["play", "chess", "--as", "both", "--load", &file], &script);
    assert!(err.is_empty(), "{out} {err}");
    assert_eq!(std::fs::read_to_string(&same).unwrap(), record);
    let went_on = std::fs::read_to_string(&other).unwrap();
    let expected = record.replace("1-0\"", "*\"").replace("1-0", "3. Nc3 *");
    assert_eq!(went_on, expected);
}

#[test]
fn a_saved_game_names_keima_and_the_day() {
    let file = format!("{}/named.pgn", env!("CARGO_TARGET_TMPDIR"));
    let play = ["play", "chess", "--nodes", "100"];
    let (out, err) = run(&play, &format!("e4\nsave! {file}\nquit\n"));
    assert!(err.is_empty(), "{out} {err}");
    let record = std::fs::read_to_string(&file).unwrap();
    let names = "[White \"?\"]\n[Black \"keima\"]\n";
    assert!(record.contains(names), "{record}");
    let date = tag(&record, "Date").unwrap();
    let form = date.replace(|c: char| c.is_ascii_digit(), "0");
    assert_eq!(form, "0000.00.00");
    // Of a game that was loaded the day is not known.
    std::fs::write(&file, "[White \"Ann\"]\n\n1. e4 *\n").unwrap();
    let load = [&play[..], &["--as", "both", "--load", &file]].concat();
    run(&load, &format!("e5\nsave! {file}\nquit\n"));
    let record = std::fs::read_to_string(&file).unwrap();
    assert_eq!(tag(&record, "Date").as_deref(), Some("????.??.??"));
    assert_eq!(tag(&record, "Black").as_deref(), Some("?"));
}

#[test]
fn engine_answers_in_the_terminal() {
    let mate = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1";
    let arguments = [
        "play",
        "chess",
        "--as",
        "black",
        "--position",
        mate,
        "--nodes",
        "5000",
    ];
    let (out, _) = run(&arguments, "h8g8\nKh8\nquit\n");
    assert!(out.contains("no piece on h8"), "{out}");
    assert!(out.contains("keima plays Rd8#"), "{out}");
    assert!(out.contains("White has won"), "{out}");
}

#[test]
fn engine_moves_again_after_its_only_move_is_taken_back() {
    let arguments = ["play", "chess", "--as", "black", "--nodes", "500"];
    let (out, _) = run(&arguments, "undo\nmoves\n");
    assert_eq!(out.matches("keima plays ").count(), 2, "{out}");
    assert!(out.contains("Nf6"), "{out}");
}

#[test]
fn there_is_no_hint_after_a_draw() {
    let fen = "4k3/8/8/8/8/8/8/4K2R w - - 99 80";
    let arguments = [
        "play",
        "chess",
        "--as",
        "both",
        "--nodes",
        "100",
        "--position",
        fen,
    ];
    let (out, err) = run(&arguments, "Rh2\nhint\n");
    assert!((out + &err).contains("the game is over"));
}

#[test]
fn moves_may_be_written_out() {
    let mut at = ChessPosition::initial(None).unwrap();
    let written = [
        "e2-e4", "d7-d5", "e4-d5", "Ng8-f6", "d5d6", "a7a6", "d6-c7", "Ra8-a7",
    ];
    for (text, short) in written
        .into_iter()
        .zip(["e4", "d5", "exd5", "Nf6", "d6", "a6", "dxc7", "Ra7"])
    {
        let mv = at.read_move(text).unwrap();
        assert_eq!(at.move_text(mv), short);
        at.play(mv);
    }
    let mv = at.read_move("c7xd8=q").unwrap();
    assert_eq!(at.move_text(mv), "cxd8=Q+");
}

#[test]
fn the_rook_that_may_castle_is_shown() {
    let text = "4k3/8/8/8/8/8/8/RR1K4 w B - 0 1";
    let play = ["play", "chess", "--as", "both", "--position", text];
    let (out, err) = run(&play, "position\nquit\n");
    assert!(out.contains(text), "{out}{err}");
}
