//! `keima solve` as users start it.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::folders;
use crate::running::{self, done, keima, printed, refused};

/// Three points in a row: whoever plays B9 first wins.
const STRAIGHT_THREE: &str =
    "(;GM[1]SZ[9]AB[da][ab][bb][cb][db]AW[ea][eb][ac][bc][cc][dc][ec]PL[W])";

/// Black in the corner: with Black first a ko from B9.
const L_GROUP: &str = "(;GM[1]SZ[9]AB[cb][ac][bc][cc]AW[db][dc][ad][bd][cd][dd])";

/// Black in the corner, who lives in a narrow region, but dies in a wider one.
const LONG_L_GROUP: &str = "(;GM[1]SZ[9]AB[db][ac][bc][cc][dc]AW[eb][ec][ad][bd][cd][dd][ed])";

/// Black's only liberty is C1.
const ONE_LIBERTY: &str = "(;GM[1]SZ[4]AB[cb][ac][bc][cc]AW[ba][ca][ab][bb][db][dc][ad][bd][dd])";

fn solve(arguments: &[&str]) -> Command {
    keima(&[&["solve"], arguments].concat())
}

fn text(arguments: &[&str]) -> String {
    printed(solve(arguments))
}

/// What is said of arguments that are refused.
fn refusal(arguments: &[&str], code: i32) -> String {
    running::refusal(solve(arguments), code)
}

/// A folder for one test, empty.
fn folder(name: &str) -> PathBuf {
    folders::folder(&format!("solve-{name}"))
}

/// A problem in a folder of its own.
fn problem(name: &str, sgf: &str) -> String {
    let path = folder(name).join("problem.sgf");
    std::fs::write(&path, sgf).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn an_unsettled_group_is_told_for_both_sides() {
    let text = text(&[&problem("both", STRAIGHT_THREE)]);
    assert!(text.contains("target: black"), "{text}");
    assert!(
        text.contains("white first (attacker): dead by B9"),
        "{text}"
    );
    assert!(
        text.contains("black first (defender): alive by B9"),
        "{text}"
    );
}

#[test]
fn a_region_is_told_as_it_was_given() {
    let file = problem("region", STRAIGHT_THREE);
    let text = text(&[&file, "--region", "A8-E9,A7", "--nodes", "1000"]);
    assert!(text.ends_with("region: A8-E9,A7\n"), "{text}");
}

#[test]
fn answers_for_different_regions_name_both() {
    let text = text(&[&problem("regions", LONG_L_GROUP), "--target", "A7"]);
    let narrow = "A7 B7 C7 D7 A8 B8 C8 D8 A9 B9 C9 D9 E9";
    let regions =
        format!("\nregion with black first: {narrow}\nregion with white first: {narrow} F9\n");
    assert!(text.ends_with(&regions), "{text}");
}

#[test]
fn a_region_without_a_liberty_of_the_target_is_refused() {
    let file = problem("liberty", ONE_LIBERTY);
    let refusal = refusal(&[&file, "--target", "C3", "--region", "A2-C4"], 1);
    assert!(
        refusal.contains("no liberty in the region: C1 is outside"),
        "{refusal}"
    );
}

#[test]
fn json_has_status_moves_and_target() {
    let file = problem("json", STRAIGHT_THREE);
    let text = text(&[&file, "--json", "--all", "--to-play", "black"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["defender"], "black");
    assert_eq!(found["target_chosen"], "found");
    assert_eq!(found["to_move"], "white");
    let answers = found["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0]["first"], "defender");
    assert_eq!(answers[0]["status"], "alive");
    assert_eq!(answers[0]["best"], "B9");
    assert_eq!(answers[0]["moves"], serde_json::json!(["B9"]));
}

#[test]
fn marks_choose_the_target() {
    let sgf = STRAIGHT_THREE.replace("PL[W]", "PL[W]TR[ea]");
    let text = text(&[&problem("marks", &sgf), "--nodes", "1000"]);
    assert!(text.contains("target: white"), "{text}");
    assert!(text.contains("as marked in the file"), "{text}");
}

#[test]
fn the_proof_is_a_tree_in_sgf() {
    let file = problem("tree", STRAIGHT_THREE);
    let tree = file.replace("problem.sgf", "tree.sgf");
    text(&[&file, "--tree", &tree]);
    let written = std::fs::read_to_string(&tree).unwrap();
    assert!(
        written.contains(";W[ba]C[white first (attacker): dead]"),
        "{written}"
    );
    assert!(
        written.contains(";B[ba]C[black first (defender): alive]"),
        "{written}"
    );
    assert_eq!(
        written.matches('(').count(),
        written.matches(')').count(),
        "{written}"
    );
    assert!(refusal(&[&file, "--tree", &tree], 1).contains("exists already"));
    text(&[&file, "--tree", &tree, "--force"]);
}

#[test]
fn the_proof_of_a_ko_answers_all_moves_of_the_loser() {
    let file = problem("ko", L_GROUP);
    let tree = file.replace("problem.sgf", "tree.sgf");
    text(&[
        &file, "--target", "A7", "--first", "defender", "--tree", &tree,
    ]);
    let written = std::fs::read_to_string(&tree).unwrap();
    let (_, moves) = written.split_once(";B[ba]").unwrap();
    let ends = moves.split(')').filter_map(|line| line.rsplit_once(';'));
    let ends: Vec<&str> = ends.map(|(_, end)| end).collect();
    assert!(ends.len() > 5, "{written}");
    assert!(ends.iter().all(|end| end.starts_with("B[")), "{written}");
}

#[test]
fn a_folder_gives_a_table_with_a_summary() {
    let folder = folder("folder");
    std::fs::write(folder.join("a.sgf"), STRAIGHT_THREE).unwrap();
    std::fs::write(folder.join("b.sgf"), STRAIGHT_THREE).unwrap();
    let text = text(&[folder.to_str().unwrap()]);
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.contains("2 problems: 2 solved, 0 unknown"), "{text}");
}

#[test]
fn files_that_are_no_problems_are_counted_and_told() {
    let folder = folder("broken");
    std::fs::write(folder.join("a.sgf"), STRAIGHT_THREE).unwrap();
    std::fs::write(folder.join("b.sgf"), "nothing").unwrap();
    let output = solve(&[folder.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("1 problem: 1 solved"), "{text}");
    assert!(text.contains("1 file could not be read"), "{text}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let file = problem("refused", STRAIGHT_THREE);
    assert!(refusal(&[&file, "--target", "J1"], 1).contains("no stone on J1"));
    assert!(refusal(&[&file, "--target", "A8,E9"], 1).contains("of one color"));
    assert!(refusal(&[&file, "--target", "K1"], 1).contains("not on the board"));
    assert!(refusal(&[&file, "--region", "I1"], 2).contains("'I1' is no point"));
    let empty = problem("empty", "(;SZ[9])");
    assert!(refusal(&[&empty], 1).contains("--target"));
    let large = problem("large", &STRAIGHT_THREE.replace("SZ[9]", "SZ[19]"));
    let whole = refusal(&[&large, "--region", "A1-T19"], 1);
    assert!(whole.contains("too large"), "{whole}");
}

#[test]
fn a_small_budget_leaves_the_status_unknown() {
    let file = problem("budget", STRAIGHT_THREE);
    let text = text(&[&file, "--nodes", "1"]);
    assert!(text.contains("unknown"), "{text}");
}

#[test]
fn small_boards_have_their_published_values() {
    for (size, value, best) in [
        ("2x2", "Black wins by 1", "best: A2 B2 A1 B1"),
        ("3", "Black wins by 9", "best: B2\n"),
        ("3x2", "a draw", "best: pass"),
        ("1x5", "a draw", "best: A4 A3 A2 pass"),
        ("7x1", "Black wins by 2", "best: B1 D1 F1"),
        ("3x4", "Black wins by 4", "best: B3 B2"),
    ] {
        let text = text(&["--board", size]);
        assert!(
            text.contains(value) && text.contains(best),
            "{size}: {text}"
        );
    }
}

#[test]
fn a_whole_board_is_read_from_a_record() {
    // White has the center of 3x3, and moves.
    let file = problem("board", "(;GM[1]SZ[3]AW[bb]PL[W])");
    let arguments = ["--board", &file, "--superko", "situational", "--json"];
    let answer: Value = serde_json::from_str(&text(&arguments)).unwrap();
    assert_eq!(answer["black_lead"], -9, "{answer}");
    assert_eq!(answer["superko"], "situational");
    assert_eq!(answer["to_play"], "white");
}

#[test]
fn whole_boards_that_are_too_large_or_hard_are_refused() {
    assert!(refusal(&["--board", "6x5"], 1).contains("up to 25 points"));
    assert!(refusal(&["--board", "4x4", "--nodes", "1000"], 1).contains("--nodes"));
    assert!(refusal(&["--board", "nothing.sgf"], 1).contains("a size as in 3x3"));
    assert!(refusal(&["--superko", "positional", "x.sgf"], 1).contains("--board"));
}

#[test]
fn the_tree_of_a_small_board_compares_algorithms() {
    let text = done(&[
        "tree", "go", "--size", "2x2", "--depth", "5", "--visits", "400", "--json",
    ]);
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    // Three algorithms at each of five depths, then two that sample.
    assert_eq!(rows.len(), 17, "{text}");
    for depth in rows[..15].chunks(3) {
        assert!(
            depth.iter().all(|row| row["value"] == depth[0]["value"]),
            "{text}"
        );
        assert!(
            depth[1]["nodes"].as_u64() <= depth[0]["nodes"].as_u64(),
            "{text}"
        );
    }
    assert!(
        rows[12]["nodes"].as_u64() > rows[13]["nodes"].as_u64(),
        "{text}"
    );
    assert_eq!(rows[15]["nodes"], 400);
    assert!(refused(&["tree", "chess", "--size", "5x5"]).contains("are for go"));
}
