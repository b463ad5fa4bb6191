//! `keima play`: games of Go in the terminal, by scripts of what a person types.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::folders::folder;
use crate::guarded::Guarded;
use crate::nets::NETWORK;
use crate::running::{finish, keima, text};
use crate::under_test::PROGRAM;

/// A player that needs no network and is the same everywhere.
const ROLLOUTS: [&str; 8] = [
    "--player",
    "rollout",
    "--visits",
    "30",
    "--threads",
    "1",
    "--seed",
    "1",
];
const PERSONS: [&str; 6] = ["--black", "person", "--white", "person", "--size", "5"];

/// Black has A and B, White D and E, with a black stone at E3 that can be called dead.
const WALLS: &str = "b1\nd1\nb2\nd2\nb3\nd3\nb4\nd4\nb5\nd5\ne3\npass\npass\n";

fn command(arguments: &[&str]) -> Command {
    let mut command = keima(&["play"]);
    command.args(arguments);
    command.env("KEIMA_CONFIG", "none").env(
        "KEIMA_MODELS",
        concat!(env!("CARGO_TARGET_TMPDIR"), "/none"),
    );
    command
}

fn run(arguments: &[&str], input: &str) -> Output {
    finish(command(arguments), input)
}

/// A game that goes on while something else happens.
fn started(arguments: &[&str]) -> Guarded {
    Guarded::spawn(&mut command(&with(arguments, &ROLLOUTS)))
}

fn play(arguments: &[&str], input: &str) -> Output {
    run(&with(arguments, &ROLLOUTS), input)
}

/// What is said in a game that ends as it should.
fn said(arguments: &[&str], input: &str) -> String {
    let output = play(arguments, input);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    text(&output.stdout).to_owned()
}

/// What is said of arguments that are refused.
fn refusal(arguments: &[&str]) -> String {
    let output = play(arguments, "");
    assert_ne!(output.status.code(), Some(0), "{output:?}");
    text(&output.stderr).to_owned()
}

/// The same without options of Go.
fn refusal_of(arguments: &[&str]) -> String {
    let output = run(arguments, "");
    assert_ne!(output.status.code(), Some(0), "{output:?}");
    text(&output.stderr).to_owned()
}

fn file(name: &str) -> PathBuf {
    folder(&format!("play_{name}")).join("game.sgf")
}

fn with<'a>(arguments: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [arguments, more].concat()
}

fn path(file: &Path) -> &str {
    file.to_str().unwrap()
}

#[track_caller]
fn contains(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "{part} in {said}");
    }
}

#[test]
fn illegal_moves_are_refused_by_name_and_the_game_goes_on() {
    let script = "b3\ne3\nc4\nd4\nc2\nd2\nd3\nc3\nd3\nc3\nt19\ni3\nxyz\na2\npass\nb1\na1\nmoves\n";
    let said = said(&PERSONS, script);
    contains(
        &said,
        &[
            "D3 takes the ko back at once",
            "C3 is occupied",
            "T19 is off the board, which is 5x5",
            "there is no column I",
            "'xyz' is neither a move nor a command",
            "A1 leaves its own stones without liberties: suicide",
            "7 B D3, 8 W C3, 9 B A2,\n10 W pass, 11 B B1\n",
            "prisoners: 1",
        ],
    );
}

#[test]
fn dead_stones_are_corrected_counted_and_recorded() {
    let played = |name: &str, settled: &str| {
        let file = file(name);
        let arguments = with(&PERSONS, &["--komi", "0.5", "--save", path(&file)]);
        let said = said(&arguments, &format!("{WALLS}{settled}"));
        (said, fs::read_to_string(&file).unwrap())
    };
    let (proposed, record) = played("proposed", "ok\n");
    let (corrected, corrected_record) = played("corrected", "dead c3\ndead e3\nok\n");
    contains(&corrected, &["there is no stone on C3", "both have passed"]);
    let (won, alive) = ("RE[W+0.5]", "RE[B+5.5]");
    let proposes_dead = record.contains(won);
    let (dead, other) = match proposes_dead {
        true => (&proposed, &corrected_record),
        false => (&corrected, &record),
    };
    contains(other, &[alive]);
    contains(
        dead,
        &[
            "Black: 5 (stones) + 5 (surrounded) = 10",
            "White: 5 (stones) + 5 (surrounded) + 0.5 (komi) = 10.5",
            "White wins by 0.5 points (W+0.5)",
            " 3  b X . O x  3",
        ],
    );
    let (_, twice) = played("twice", "dead e3\ndead e3\nok\n");
    assert_eq!(twice, record);
}

#[test]
fn the_score_agrees_with_the_marks_and_with_the_result() {
    let arguments = with(&PERSONS, &["--komi", "0.5"]);
    let told = said(&arguments, &format!("{WALLS}dead e3\nscore\nok\nscore\n"));
    contains(
        &told,
        &[
            "By these marks: White wins by 0.5 points (W+0.5)",
            "By these marks: Black wins by 5.5 points (B+5.5)",
        ],
    );
    assert!(!told.contains("estimate"), "{told}");
    assert_eq!(told.matches(" (stones) + ").count(), 4, "{told}");
    let results: Vec<&str> = told
        .lines()
        .filter(|line| line.starts_with("White wins") || line.starts_with("Black wins"))
        .collect();
    assert!(
        results.len() == 3 && results.iter().all(|it| *it == results[0]),
        "{told}"
    );
}

#[test]
fn territory_counts_prisoners_and_dead_stones() {
    let rules = ["--rules", "japanese", "--komi", "6.5"];
    let arguments = with(&PERSONS, &rules);
    // White passed once more than Black.
    let told =
        ["dead e3\nok\n", "ok\n"].map(|settled| said(&arguments, &format!("{WALLS}{settled}")));
    let counted =
        "White: 5 (territory) + 0 (prisoners) + 1 (dead stones taken) + 6.5 (komi) = 12.5";
    assert!(told.iter().any(|said| said.contains(counted)), "{told:?}");
    assert!(
        told.iter()
            .all(|said| said.contains("Black: 5 (territory)")),
        "{told:?}"
    );
}

#[test]
fn play_is_resumed_after_two_passes() {
    let said = said(&PERSONS, &format!("{WALLS}c3\nresume\nresume\nc3\nmoves\n"));
    contains(
        &said,
        &[
            "resume plays on, ok counts",
            "the game goes on",
            "12 W pass, 13 B pass, 14 W C3\n",
        ],
    );
}

#[test]
fn resignation_is_recorded_and_can_be_taken_back() {
    let file = file("resigned");
    let arguments = with(&PERSONS, &["--save", path(&file)]);
    let script = "c3\nresign\nd3\n";
    let resigned = said(&arguments, script);
    contains(
        &resigned,
        &["Black wins by resignation (B+R)", "the game is over; undo"],
    );
    assert!(fs::read_to_string(&file).unwrap().contains("RE[B+R]"));
    let file = self::file("taken_back");
    let arguments = with(&PERSONS, &["--save", path(&file)]);
    said(&arguments, &format!("{script}undo\nd3\n"));
    let record = fs::read_to_string(&file).unwrap();
    assert!(
        record.contains(";B[cc];W[dc])") && !record.contains("RE["),
        "{record}"
    );
}

#[test]
fn resigning_a_settlement_makes_the_person_lose() {
    let file = file("passed");
    fs::write(&file, "(;GM[1]SZ[5];B[cc];W[cd];B[])").unwrap();
    let engine_is_black = ["--black", "keima", "--white", "person"];
    let arguments = with(&engine_is_black, &["--load", path(&file)]);
    let told = said(&arguments, "pass\nresign\n");
    contains(
        &told,
        &["both have passed", "Black wins by resignation (B+R)"],
    );
}

#[test]
fn rules_without_agreement_count_the_board_as_it_stands() {
    let arguments = with(&PERSONS, &["--rules", "tromp-taylor", "--komi", "0.5"]);
    let said = said(&arguments, &format!("{WALLS}ok\n"));
    contains(
        &said,
        &["Black wins by 5.5 points", "dead stones are settled after"],
    );
}

#[test]
fn engine_answers_gives_hints_and_its_moves_are_taken_back() {
    let file = file("engine");
    let arguments = ["--size", "5", "--save", path(&file)];
    let said = said(&arguments, "c3\nhint\nscore\nundo\nmoves\nc3\n");
    assert_eq!(said.matches("White plays ").count(), 2, "{said}");
    contains(
        &said,
        &["hint: ", " wins ", "estimate, with komi: ", "no moves yet"],
    );
    let record = fs::read_to_string(&file).unwrap();
    assert!(
        record.contains("PW[keima]DT[20") && record.contains(";B[cc];W["),
        "{record}"
    );
    assert_eq!(record.matches(";B[").count(), 1, "{record}");
}

#[test]
fn the_instruction_is_below_the_first_board() {
    let file = file("begun");
    fs::write(&file, "(;GM[1]SZ[19];B[dd])").unwrap();
    let persons = ["--black", "person", "--white", "person"];
    for begun in [["--size", "19"], ["--load", path(&file)]] {
        let told = said(&with(&persons, &begun), "board\n");
        let lines: Vec<&str> = told.lines().collect();
        // A blank line and 21 of the board come before; with the prompt these are 24 rows. The next board has a blank
        // line instead.
        assert_eq!(lines.len(), 2 * 23, "{told}");
        assert!(lines[22].starts_with("Type a move as D4, "), "{told}");
        assert_eq!(lines[45], "", "{told}");
    }
    let engine_begins = said(&["--size", "5", "--black", "keima"], "");
    let last = engine_begins.lines().next_back().unwrap();
    assert!(last.starts_with("Type a move as D4, "), "{engine_begins}");
}

#[test]
fn hints_name_symmetric_moves_together_and_the_leader() {
    let told = said(&PERSONS, "hint\na1\nhint\n");
    let rows: Vec<&str> = told.lines().filter(|row| row.contains(" wins ")).collect();
    let named = |color: &str| -> Vec<&str> {
        let rows = rows.iter().filter_map(|row| row.split_once(color));
        let words = rows.flat_map(|(names, _)| names.split([' ', ',']));
        words
            .filter(|word| !["", "or", "hint:"].contains(word))
            .collect()
    };
    let moves = named(": Black wins ");
    let distinct: BTreeSet<&str> = moves.iter().copied().collect();
    assert!(moves.len() > 3 && distinct.len() == moves.len(), "{told}");
    assert!(!named(": White wins ").is_empty(), "{told}");
    assert!(rows.iter().any(|row| row.contains(" or ")), "{told}");
    for row in rows {
        let leads = [" %, B+", " %, W+", " %, even, "];
        assert!(leads.iter().any(|lead| row.contains(lead)), "{row}");
    }
}

#[test]
fn an_estimate_says_whether_open_points_count() {
    let open = said(&PERSONS, "c3\na1\nscore\n");
    contains(
        &open,
        &[
            "estimate, with komi: about ",
            " (points without a mark count in part)\n",
        ],
    );
    // All points of the board are certainly Black's.
    let file = file("walls");
    let walls = "(;GM[1]SZ[5]KM[0.5]AB[ba][bb][bc][bd][be][da][db][dc][dd][de]PL[W])";
    fs::write(&file, walls).unwrap();
    let persons = ["--black", "person", "--white", "person"];
    let closed = said(&with(&persons, &["--load", path(&file)]), "score\n");
    contains(&closed, &["estimate, with komi: B+"]);
}

#[test]
fn engines_play_to_the_end_and_repeat_it_by_the_seed() {
    let engines = ["--black", "random", "--white", "rollout", "--size", "5"];
    let record = |name| {
        let file = file(name);
        let said = said(&with(&engines, &["--save", path(&file)]), "");
        contains(&said, &["Black plays ", "White plays ", " wins by "]);
        fs::read_to_string(&file).unwrap()
    };
    let first = record("engines");
    contains(
        &first,
        &["PB[keima (random)]", "PW[keima (rollout)]", "RE["],
    );
    assert_eq!(first, record("engines_again"));
}

#[test]
fn another_gtp_engine_plays_and_follows_an_undo() {
    let file = file("gtp");
    let engine = format!("gtp:'{PROGRAM}' gtp --player random --seed 1");
    let arguments = ["--white", &engine, "--size", "9", "--save", path(&file)];
    let said = said(&arguments, "c3\ng7\nundo\nf4\n");
    assert_eq!(said.matches("White plays ").count(), 3, "{said}");
    let record = fs::read_to_string(&file).unwrap();
    contains(&record, &["PW[keima ", ";B[cg];W[", ";B[ff];W["]);
    assert!(!record.contains("B[gc]"), "{record}");
    let missing = refusal(&["--white", "gtp:/nowhere/engine"]);
    assert!(missing.contains("cannot start the engine"), "{missing}");
}

#[test]
fn record_is_loaded_and_saved_with_names_and_comments() {
    let (start, end) = (file("load"), file("saved"));
    let sgf =
        "(;GM[1]SZ[9]KM[5.5]RU[Japanese]PB[Ann]PW[Ben]PC[Kyoto]DT[2020-01-01]C[hello];B[cc];W[gg])";
    fs::write(&start, sgf).unwrap();
    let persons = ["--black", "person", "--white", "person", "--load"];
    let script = format!("g7\nsave {}\nsave\nload nowhere.sgf\n", path(&end));
    let told = said(&with(&persons, &[path(&start)]), &script);
    contains(
        &told,
        &[
            "saved to ",
            "save needs a file",
            "cannot load nowhere.sgf",
            "japanese rules",
            "komi 5.5",
        ],
    );
    let record = fs::read_to_string(&end).unwrap();
    contains(
        &record,
        &[
            "KM[5.5]",
            "PB[Ann]",
            "PW[Ben]",
            "DT[2020-01-01]",
            "PC[Kyoto]",
            "C[hello]",
        ],
    );
    contains(&record.replace('\n', ""), &[";B[cc];W[gg];B[gc]"]);
    let again = said(&with(&persons, &[path(&end)]), "moves\n");
    contains(&again, &["1 B C7, 2 W G3, 3 B G7\n"]);
}

#[test]
fn a_record_keeps_its_variations_and_marks() {
    let file = file("beside");
    let sgf = "(;GM[1]SZ[9]KM[7];B[ee]LB[ee:A](;W[ge];B[gd])(;W[cc]C[var];B[dd]))";
    fs::write(&file, sgf).unwrap();
    let persons = ["--black", "person", "--white", "person"];
    let arguments = with(&persons, &["--load", path(&file), "--save", path(&file)]);
    said(&arguments, "g3\n");
    let kept = "LB[ee:A](;W[ge];B[gd];W[gg])(;W[cc]C[var];B[dd])";
    contains(
        &fs::read_to_string(&file).unwrap().replace('\n', ""),
        &[kept],
    );
    // Without the moves that they leave, variations go.
    said(&arguments, "undo\nundo\nundo\nundo\nc7\n");
    let record = fs::read_to_string(&file).unwrap();
    assert!(!record.contains("var"), "{record}");
    // What is not read must not be lost.
    let two = format!("{sgf}{sgf}");
    fs::write(&file, &two).unwrap();
    let refused = refusal(&arguments);
    assert!(refused.contains("--save another file"), "{refused}");
    assert_eq!(fs::read_to_string(&file).unwrap(), two);
}

#[test]
fn handicap_stones_are_placed_and_white_moves() {
    let file = file("handicap");
    let persons = ["--black", "person", "--white", "person", "--size", "9"];
    said(
        &with(&persons, &["--handicap", "3", "--save", path(&file)]),
        "e5\n",
    );
    let record = fs::read_to_string(&file).unwrap();
    contains(&record, &["HA[3]", "KM[0.5]", ";W[ee]"]);
    let many = refusal(&with(&persons, &["--handicap", "81"]));
    assert!(many.contains("leave no room"), "{many}");
}

#[test]
fn clocks_stand_beside_the_board() {
    let timed = with(&PERSONS, &["--time", "10m"]);
    let told = said(&timed, "c3\n");
    let clocks = told.lines().filter(|line| line.ends_with("  time 10:00"));
    assert!(clocks.count() >= 2, "{told}");
}

#[test]
fn undo_gives_time_back_as_it_was() {
    // Of three moves in a minute, each takes one.
    let timed = with(&PERSONS, &["--time", "0s+60s/3"]);
    let told = said(&timed, "c3\nc2\nd3\nundo\nundo\nundo\n");
    let clocks: Vec<&str> = told
        .lines()
        .filter(|line| line.contains("  time "))
        .collect();
    let moves = |line: &str| {
        line.split_once(" for ").map_or(0, |(_, rest)| {
            rest.split(' ').next().unwrap().parse().unwrap_or(1)
        })
    };
    let moves: Vec<u32> = clocks.into_iter().map(moves).collect();
    assert_eq!(moves, [3, 3, 2, 3, 2, 2, 1, 2, 2, 2, 2, 3, 3, 3], "{told}");
}

#[test]
fn a_game_is_lost_on_time_and_the_loss_taken_back() {
    let file = file("late");
    let timed = with(&PERSONS, &["--time", "3s", "--save", path(&file)]);
    let mut child = started(&timed);
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let mut wait = |part: &str| {
        let found = lines.find(|line| line.contains(part));
        found.unwrap_or_else(|| panic!("{part} is not said"))
    };
    wait("komi ");
    // Longer than the time of the game and the delay that is allowed for. The time is enough to resign in after it has
    // been given back, even on a busy machine.
    std::thread::sleep(std::time::Duration::from_millis(3_600));
    input.write_all(b"c3\nd3\n").unwrap();
    wait("White wins on time (W+T)");
    wait("the game is over; undo takes the last move back");
    assert!(fs::read_to_string(&file).unwrap().contains("RE[W+T]"));
    input.write_all(b"undo\nresign\n").unwrap();
    wait("time 0:03");
    drop(input);
    child.wait().unwrap();
    let record = fs::read_to_string(&file).unwrap();
    assert!(
        !record.contains(";B[") && record.contains("RE[W+R]"),
        "{record}"
    );
}

#[test]
fn other_files_are_not_replaced_unless_that_is_said() {
    let (own, other) = (file("own"), file("other"));
    fs::write(&other, "of somebody else").unwrap();
    let refused = refusal(&with(&PERSONS, &["--save", path(&other)]));
    contains(
        &refused,
        &["--save would replace", "go on with that game by --load"],
    );
    let script = format!("c3\nsave {0}\nsave\n", path(&other));
    let told = said(&with(&PERSONS, &["--save", path(&own)]), &script);
    contains(&told, &["exists already: save! ", "saved to "]);
    assert_eq!(fs::read_to_string(&other).unwrap(), "of somebody else");
    let script = format!("d3\nsave! {0}\n", path(&other));
    let persons = ["--black", "person", "--white", "person"];
    said(
        &with(&persons, &["--load", path(&own), "--save", path(&own)]),
        &script,
    );
    let record = fs::read_to_string(&other).unwrap();
    assert!(record.contains(";B[cc];W[dc])"), "{record}");
    let chess = refusal_of(&["chess", "--save", path(&other)]);
    assert!(chess.contains("--save would replace"), "{chess}");
}

#[test]
fn a_loaded_game_replaces_only_one_that_is_elsewhere() {
    let (own, other, copy) = (file("played"), file("loaded"), file("copy"));
    fs::write(&other, "(;GM[1]SZ[9];B[gg])").unwrap();
    let persons = ["--black", "person", "--white", "person", "--size", "9"];
    let arguments = with(&persons, &["--save", path(&own)]);
    let load = format!("load {}\n", path(&other));
    let record = |file: &Path| fs::read_to_string(file).unwrap().replace('\n', "");
    let game = ";B[ee];W[df];B[gc]";
    let told = said(&arguments, &format!("e5\nd4\ng7\n{load}moves\n"));
    contains(
        &told,
        &["another game would replace this one in ", "1 B E5, 2 W D4"],
    );
    contains(&record(&own), &[game]);
    fs::remove_file(&own).unwrap();
    let script = format!("e5\nd4\ng7\nsave {}\n{load}moves\n", path(&copy));
    contains(&said(&arguments, &script), &["1 B G3\n"]);
    contains(&record(&copy), &[game]);
    contains(&record(&own), &[";B[gg]"]);
}

#[test]
fn a_record_is_not_written_again_where_nothing_changes() {
    let file = file("looked_at");
    let sgf = "(;GM[1]SZ[9]\n\n;B[ee] ;W[gg])";
    fs::write(&file, sgf).unwrap();
    let arguments = ["--load", path(&file), "--save", path(&file)];
    said(&arguments, "moves\nboard\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), sgf);
}

#[test]
fn a_game_goes_on_where_its_file_cannot_be_written() {
    let file = file("unwritable");
    let mut child = started(&with(&PERSONS, &["--save", path(&file)]));
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut told = String::new();
    output.read_line(&mut told).unwrap();
    fs::remove_dir_all(file.parent().unwrap()).unwrap();
    input.write_all(b"c3\nd3\nmoves\n").unwrap();
    drop(input);
    output.read_to_string(&mut told).unwrap();
    contains(&told, &["1 B C3, 2 W D3\n"]);
    assert_eq!(told.matches("cannot write ").count(), 2, "{told}");
    assert!(!child.wait().unwrap().success());
    let refused = refusal(&["--save", path(&file)]);
    assert!(refused.contains("there is no folder"), "{refused}");
}

#[test]
fn messages_have_no_control_characters_of_their_cause() {
    let file = file("controls");
    fs::write(&file, "(;GM[1]SZ[9]KM[\u{1b}cx];B[cc])").unwrap();
    let script = format!("xyz\u{1b}c\nload {}\n", path(&file));
    let output = play(&PERSONS, &script);
    let (told, remarks) = (text(&output.stdout), text(&output.stderr));
    contains(told, &["'xyzc' is neither a move nor a command"]);
    contains(remarks, &["has no number that is a komi"]);
    assert!(!told.contains('\u{1b}') && !remarks.contains('\u{1b}'));
}

#[test]
fn unknown_games_are_refused_with_the_names_of_all() {
    let told = refusal_of(&["shogi"]);
    assert!(
        told.contains(
            "there is no game 'shogi'; there are go, chess, draughts, gomoku and backgammon"
        ),
        "{told}"
    );
}

#[test]
fn a_network_of_human_play_plays_like_a_rank() {
    let human = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s15m.bin.gz");
    let networks = ["--model", NETWORK, "--human-model", human];
    let limits = ["--visits", "4", "--threads", "1", "--seed", "1"];
    let options = ["--size", "9", "--rank", "5k"];
    let output = run(&[&networks[..], &limits, &options].concat(), "e5\n");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    contains(text(&output.stdout), &["White: keima (5k)", "White plays "]);
}

#[test]
fn a_rank_to_imitate_is_nothing_to_players_without_network() {
    let human = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s15m.bin.gz");
    let networks = ["--model", NETWORK, "--human-model", human];
    let limits = ["--visits", "2", "--threads", "1", "--seed", "1"];
    let options = ["--size", "5", "--rank", "5k"];
    let programs = ["--black", "random", "--white", "keima"];
    let output = run(&[&networks[..], &limits, &options, &programs].concat(), "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    contains(text(&output.stdout), &["Black plays ", "White plays "]);
}

#[test]
fn remarks_on_the_configuration_are_made_once() {
    let config = folder("play_remarks").join("p.cfg");
    fs::write(&config, "maxVisits = abc\nnoKey = 1\n").unwrap();
    let human = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s15m.bin.gz");
    let options = ["--model", NETWORK, "--config", path(&config)];
    let limits = ["--visits", "2", "--threads", "1", "--seed", "1"];
    let board = ["--size", "5"];
    let imitation = ["--human-model", human, "--rank", "5k"];
    let programs = ["--black", "policy", "--white", "keima"];
    for more in [imitation, programs] {
        let output = run(&[&options[..], &limits, &board, &more].concat(), "");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let remarks = text(&output.stderr);
        for part in ["is no value for maxVisits", "does not use noKey"] {
            assert_eq!(remarks.matches(part).count(), 1, "{remarks}");
        }
    }
}

#[test]
fn ranks_need_no_network_of_human_play() {
    let options = ["--size", "9", "--rank", "15k", "--seed", "1"];
    let output = run(&options, "e5\nhint\n");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    contains(
        text(&output.stdout),
        &["White: keima (15k)", "White plays "],
    );
}

#[test]
fn options_that_do_not_fit_say_what_to_do() {
    let rank = run(&["--rank", "20k"], "");
    let ranks = "not a rank from 15k to 3d, as 5k, or from 20k to 9d with a network";
    assert!(text(&rank.stderr).contains(ranks));
    let both = run(&["--rank", "5k", "--visits", "9"], "");
    assert!(text(&both.stderr).contains("--visits: --rank says how long"));
    assert!(refusal(&["--rank", "5k"]).contains("searches with a network"));
    assert!(refusal(&["--rank", "50k"]).contains(ranks));
    assert!(refusal(&["--handicap", "1"]).contains("leave --handicap out"));
    assert!(refusal_of(&["gomoku", "--size", "19"]).contains("gomoku --variant 19"));
    assert!(refusal(&["--set", "visit=3"]).contains("did you mean maxVisits?"));
    assert!(refusal(&["--as", "second"]).contains("keima play chess"));
    assert!(refusal(&["chess", "--handicap", "2"]).contains("--handicap is for Go alone"));
    assert!(refusal(&["--black", "computer"]).contains("person"));
}

#[test]
fn a_file_with_more_than_is_read_is_not_replaced() {
    let place = |index: u8| (char::from(b'a' + index % 19), char::from(b'a' + index / 19));
    let odd_moves = (0..110).map(|index| {
        let (color, (x, y)) = (["b", "w"][usize::from(index % 2)], place(index));
        format!(";{color}[{x}{y}]")
    });
    let odd_moves: String = odd_moves.collect();
    let records = [
        // Problems beside each other, of which one is read.
        "(;GM[1]SZ[9](;AB[aa][ba]AW[ab][bb];B[ca])(;AB[gg]AW[gh];B[ii]))".to_owned(),
        // Marks of a position before the set-up.
        "(;GM[1]SZ[9]TR[aa];AB[aa]AW[bb];B[cc])".to_owned(),
        // An illegal move that is executed, from which the record starts over.
        "(;GM[1]SZ[9];B[ee];W[cc];B[gg];W[ee]KO[];B[dd])".to_owned(),
        // Another game after more remarks than are kept.
        format!("(;GM[1]SZ[19]{odd_moves})(;GM[1]SZ[9];B[ee])"),
    ];
    for (number, sgf) in records.iter().enumerate() {
        let file = file(&format!("more_{number}"));
        fs::write(&file, sgf).unwrap();
        let told = refusal(&["--load", path(&file), "--save", path(&file)]);
        contains(&told, &["has more than is read of it"]);
        assert_eq!(&fs::read_to_string(&file).unwrap(), sgf);
    }
}

#[test]
fn a_game_that_its_record_calls_over_waits() {
    let file = file("decided");
    let sgf = "(;GM[1]SZ[9]KM[7]RE[B+R]\n;B[ee];W[gg];B[cc])";
    let arguments = ["--load", path(&file), "--save", path(&file)];
    let told_of = |script: &str| {
        fs::write(&file, sgf).unwrap();
        let told = said(&arguments, script);
        contains(&told, &["result of the record: B+R; resume plays on"]);
        (told, fs::read_to_string(&file).unwrap())
    };
    let (told, record) = told_of("quit\n");
    assert!(!told.contains("White plays "), "{told}");
    assert_eq!(record, sgf);
    let (told, record) = told_of("d4\nok\nboard\n");
    contains(&told, &["the record has a result: resume plays on"]);
    assert!(!told.contains("White plays "), "{told}");
    assert_eq!(record, sgf);
    let (told, record) = told_of("resume\nresume\n");
    assert_eq!(told.matches("White plays ").count(), 1, "{told}");
    contains(&told, &["the game goes on"]);
    assert!(!record.contains("RE["), "{record}");
    let (told, record) = told_of("undo\n");
    assert!(!told.contains("White plays "), "{told}");
    contains(&record.replace('\n', ""), &[";B[ee];W[gg])"]);
    assert!(!record.contains("RE["), "{record}");
    // A move of the person's takes the result back, also if it is the one that was taken back.
    let (told, record) = told_of("undo\nc7\n");
    contains(&told, &["White plays "]);
    assert!(!record.contains("RE["), "{record}");
}
