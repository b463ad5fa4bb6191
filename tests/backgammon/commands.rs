//! The commands on backgammon.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

use super::client::{Client, run};
use super::folders;
use super::guarded::Guarded;
use super::under_test;

fn folder(name: &str) -> PathBuf {
    folders::folder(&format!("backgammon-{name}"))
}

#[test]
fn perft_counts_rolls_once_and_by_weight() {
    let (text, ok) = run(&["perft", "--game", "backgammon", "--depth", "2"], "");
    assert!(ok && text.contains("2 202782 weighted 419783 "), "{text}");
    let (text, ok) = run(
        &["perft", "--game", "backgammon", "--variant", "nackgammon"],
        "",
    );
    assert!(!ok && text.contains("there are one-point"), "{text}");
}

#[test]
fn tree_compares_algorithms() {
    let (text, ok) = run(
        &[
            "tree",
            "backgammon",
            "--dice",
            "31",
            "--depth",
            "2",
            "--json",
        ],
        "",
    );
    assert!(ok, "{text}");
    let rows: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 8);
    assert_eq!(rows[0]["leaves"], 16);
    assert!(rows.iter().all(|row| row["best"] == "8/5 6/5"), "{text}");
    let (text, ok) = run(&["tree", "backgammon"], "");
    assert!(!ok && text.contains("give --dice 31"), "{text}");
    let (text, ok) = run(&["tree", "backgammon", "--dice", "70"], "");
    assert!(!ok && text.contains("is no pair of dice"), "{text}");
}

#[test]
fn bench_prints_the_signature() {
    let (text, ok) = run(&["bench", "--game", "backgammon"], "");
    let signature = include_str!("../data/backgammon.signature").trim();
    assert!(ok && text.lines().any(|line| line == signature), "{text}");
}

#[test]
fn a_game_is_played_in_the_terminal() {
    let file = folder("play").join("game.mat");
    let arguments = [
        "play",
        "backgammon",
        "--dice",
        "entered",
        "--opponent",
        "linear",
    ];
    let input = format!(
        "33\n31\n8/5 7/5\n8/5 6/5\n64\nundo\nhint\nmoves\neval\n8/5 6/5\n52\nsave {}\nquit\n",
        file.display()
    );
    let (text, ok) = run(&arguments, &input);
    assert!(ok, "{text}");
    assert!(text.contains("dice for White?"), "{text}");
    assert!(
        text.contains("the first roll of a game is no double"),
        "{text}"
    );
    assert!(text.contains("no man on point 7"), "{text}");
    assert!(text.contains("1. 8/5 6/5"), "{text}");
    assert!(text.contains("side to roll: wins"), "{text}");
    assert_eq!(text.matches("Black rolls ").count(), 2, "{text}");
    let record = fs::read_to_string(&file).unwrap();
    assert!(record.contains("  1) 31: 8/5 6/5"), "{record}");
    let (text, ok) = run(
        &[
            "play",
            "backgammon",
            "--load",
            file.to_str().unwrap(),
            "--dice",
            "entered",
        ],
        "quit\n",
    );
    assert!(ok && text.contains("dice for White?"), "{text}");
}

#[test]
fn entered_dice_are_taken_back() {
    let entered = ["play", "backgammon", "--dice", "entered", "--as", "both"];
    let (text, ok) = run(&entered, "61\nundo\n31\n8/5 6/5\nundo\nundo\nundo\nquit\n");
    assert!(ok, "{text}");
    assert_eq!(text.matches("dice for White?").count(), 3, "{text}");
    assert_eq!(text.matches("dice for Black?").count(), 1, "{text}");
    assert!(text.contains("there is no play to take back"), "{text}");
}

#[test]
fn nothing_of_a_loaded_record_is_lost() {
    let file = folder("loaded").join("game.mat");
    let name = file.to_str().unwrap();
    let record = "; [Event \"a match\"]\n 0 point match\n\n Game 1\n Ann : 0                               Ben : 0\n  1) 31: 8/5 6/5\n";
    fs::write(&file, record).unwrap();
    let play = ["play", "backgammon", "--as", "both", "--dice", "entered"];
    let arguments = [&play[..], &["--load", name, "--save", name]].concat();
    assert!(run(&arguments, "quit\n").1);
    assert_eq!(fs::read_to_string(&file).unwrap(), record);
    let (text, ok) = run(&arguments, "42\n8/4 6/4\nquit\n");
    assert!(ok, "{text}");
    let saved = fs::read_to_string(&file).unwrap();
    assert!(saved.starts_with(record.trim_end()), "{saved}");
    assert!(saved.contains("42: 8/4 6/4"), "{saved}");
    let two = format!("{record}\n Game 2\n Ann : 0   Ben : 1\n");
    fs::write(&file, &two).unwrap();
    let (text, ok) = run(&arguments, "quit\n");
    assert!(!ok && text.contains("--save another file"), "{text}");
    assert_eq!(fs::read_to_string(&file).unwrap(), two);
    let (text, ok) = run(
        &[&play[..], &["--load", name, "--variant", "one-point"]].concat(),
        "",
    );
    assert!(!ok && text.contains("leave out --variant"), "{text}");
}

#[test]
fn thrown_dice_follow_the_seed() {
    let play = |seed: &str| {
        let (text, ok) = run(
            &["play", "backgammon", "--as", "second", "--dice-seed", seed],
            "quit\n",
        );
        assert!(ok && text.contains("White rolls "), "{text}");
        text
    };
    assert_eq!(play("5"), play("5"));
    assert_ne!(play("5"), play("6"));
}

#[test]
fn options_of_other_games_are_refused() {
    let (text, ok) = run(&["play", "backgammon", "--nodes", "5"], "");
    assert!(
        !ok && text.contains("--nodes is not for games with dice"),
        "{text}"
    );
    let (text, ok) = run(&["play", "chess", "--opponent", "net"], "");
    assert!(!ok && text.contains("no network plays chess"), "{text}");
    let (text, ok) = run(&["play", "chess", "--opponent", "linear"], "");
    let players = "at chess --opponent is alphabeta, not 'linear'";
    assert!(!ok && text.contains(players), "{text}");
    let (text, ok) = run(&["play", "backgammon", "--opponent", "gnu"], "");
    assert!(
        !ok && text.contains("there are net, linear, random, keima"),
        "{text}"
    );
    let (text, ok) = run(&["tune", "texel", "backgammon", "x"], "");
    assert!(!ok && text.contains("a game with dice"), "{text}");
}

#[test]
fn players_of_the_program_play_matches() {
    let out = folder("match");
    let out = out.to_str().unwrap();
    let arguments = [
        "match",
        "--game",
        "backgammon",
        "--first",
        "linear",
        "--second",
        "random seed=2",
        "--games",
        "6",
        "--out",
        out,
    ];
    let (text, ok) = run(&arguments, "");
    assert!(ok, "{text}");
    assert!(text.contains("linear") && text.contains("gammon"), "{text}");
    let record = fs::read_to_string(format!("{out}/mat/game-0002.mat")).unwrap();
    assert!(record.contains("random seed=2 : 0"), "{record}");
    let log = fs::read_to_string(format!("{out}/games.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 7);
    assert!(
        fs::read_to_string(format!("{out}/match.html"))
            .unwrap()
            .contains("+13-14-15")
    );
    assert!(!text.contains("\npoints: "), "{text}");
    // For points they are counted.
    let options = "--game backgammon --variant points --second random --games 4 --first";
    let options: Vec<&str> = options.split(' ').chain(["linear depth=1"]).collect();
    let (text, ok) = run(&[&["match"][..], &options].concat(), "");
    assert!(ok && text.contains(" a game\n"), "{text}");
    let points = |by: &str, each: usize| each * text.matches(by).count();
    let won = points("(single game)", 1) + points("(gammon)", 2) + points("(backgammon)", 3);
    let line = text.lines().find(|line| line.starts_with("points: "));
    let counted = line.unwrap()["points: ".len()..].split([',', '-']);
    let counted = counted.take(2).map(|word| word.parse::<usize>().unwrap());
    assert_eq!(counted.sum::<usize>(), won, "{text}");
    // The same command resumes; nothing is left to play.
    let (again, ok) = run(&arguments, "");
    assert!(
        ok && again.contains("6 games are played already"),
        "{again}"
    );
    let (text, ok) = run(
        &[
            "match",
            "--game",
            "backgammon",
            "--first",
            "net",
            "--second",
            "net dept=2",
        ],
        "",
    );
    assert!(!ok && text.contains("there is no setting 'dept'"), "{text}");
    let (text, ok) = run(
        &[
            "match",
            "--game",
            "backgammon",
            "--first",
            "net",
            "--second",
            "linear",
            "--time",
            "1s/move",
        ],
        "",
    );
    assert!(
        !ok && text.contains("--time is not for games with dice"),
        "{text}"
    );
}

#[test]
fn the_language_is_spoken_on_stdin_and_stdout() {
    let mut client = Client::new(&["backgammon", "--player", "linear"]);
    client.send("version");
    let lines: Vec<String> = (0..4).map(|_| client.line()).collect();
    assert!(
        lines[0] == "Interface: 2" && lines[3].contains("keima"),
        "{lines:?}"
    );
    client.send("fibsboard nonsense");
    assert!(client.line().starts_with("Error: "));
    client.end("exit");
}

#[test]
fn a_server_plays_a_match() {
    let mut command = under_test::program();
    command.args(["backgammon", "--listen", "0", "--player", "linear"]);
    let mut server = Guarded::spawn(command.stderr(Stdio::piped()));
    let mut told = String::new();
    BufReader::new(server.stderr.take().unwrap())
        .read_line(&mut told)
        .unwrap();
    let address = told.trim().rsplit(' ').next().unwrap().to_owned();
    // A name may have several addresses.
    let port = address.rsplit(':').next().unwrap();
    let external = format!("external:localhost:{port}");
    let (text, ok) = run(
        &[
            "match",
            "--game",
            "backgammon",
            "--first",
            &external,
            "--second",
            "random",
            "--games",
            "4",
        ],
        "",
    );
    drop(server);
    assert!(ok, "{text}");
    assert!(
        !text.contains("illegal") && !text.contains("crash"),
        "{text}"
    );
    let (text, ok) = run(
        &[
            "match",
            "--game",
            "backgammon",
            "--first",
            &external,
            "--second",
            "random",
            "--games",
            "2",
        ],
        "",
    );
    assert!(!ok && text.contains("nobody listens at"), "{text}");
}

#[test]
fn an_engine_that_ends_at_once_is_told_with_its_last_words() {
    let engine = "sh -c 'echo no dice >&2; exit 3'";
    let players = ["--first", engine, "--second", "random", "--games", "2"];
    let command = [&["match", "--game", "backgammon"], &players[..]].concat();
    let (text, ok) = run(&command, "");
    assert!(!ok, "{text}");
    assert!(
        text.contains("exit status: 3") && text.contains("no dice"),
        "{text}"
    );
}

#[test]
fn training_writes_its_folder_and_goes_on() {
    let out = folder("train");
    let run_folder = out.join("run");
    let run_text = run_folder.to_str().unwrap();
    let arguments = [
        "backgammon",
        "train",
        run_text,
        "--hidden",
        "4",
        "--games",
        "80",
        "--judge-games",
        "2",
    ];
    let (text, ok) = run(&arguments, "");
    assert!(ok && text.contains("80 games:"), "{text}");
    let weights = fs::read(run_folder.join("net")).unwrap();
    assert!(
        fs::read_to_string(run_folder.join("report.html"))
            .unwrap()
            .contains("4 hidden units")
    );
    // The same command has nothing left to do; another one is refused.
    let (text, ok) = run(&arguments, "");
    assert!(ok && text.contains("80 games are played already"), "{text}");
    let (text, ok) = run(
        &[
            "backgammon",
            "train",
            run_text,
            "--hidden",
            "5",
            "--games",
            "80",
        ],
        "",
    );
    assert!(!ok && text.contains("a run with other settings"), "{text}");
    // Another run with the same settings has the same weights.
    let other = out.join("other");
    let mut again = arguments;
    again[2] = other.to_str().unwrap();
    assert!(run(&again, "").1);
    assert_eq!(fs::read(other.join("net")).unwrap(), weights);
    let player = format!("net weights={}", other.join("net").display());
    let (text, ok) = run(
        &[
            "match",
            "--game",
            "backgammon",
            "--first",
            &player,
            "--second",
            "random",
            "--games",
            "2",
        ],
        "",
    );
    assert!(ok, "{text}");
}
