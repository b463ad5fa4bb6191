//! The commands on draughts.

use std::io::Write;
use std::process::Stdio;

use super::under_test;

fn run(arguments: &[&str], input: &str) -> (String, bool) {
    let mut child = under_test::program()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that has ended does not read.
    let written = child.stdin.take().unwrap().write_all(input.as_bytes());
    written.unwrap_or_default();
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).unwrap(), output.status.success())
}

#[test]
fn perft_and_tree_take_a_variant() {
    let (text, ok) = run(
        &[
            "perft",
            "--game",
            "draughts",
            "--variant",
            "russian",
            "--depth",
            "5",
        ],
        "",
    );
    assert!(ok && text.contains("5 7482 "), "{text}");
    let (text, ok) = run(
        &["tree", "draughts", "--variant", "czech", "--depth", "3"],
        "",
    );
    assert!(ok && text.contains("302"), "{text}");
    let (text, ok) = run(&["perft", "--game", "draughts", "--variant", "german"], "");
    assert!(
        !ok && text.contains("there are international, english"),
        "{text}"
    );
    let (text, ok) = run(&["perft", "--game", "chess", "--variant", "czech"], "");
    assert!(
        !ok && text.contains("no variant 'czech' of chess"),
        "{text}"
    );
}

#[test]
fn a_game_is_played_in_the_terminal() {
    let arguments = ["play", "draughts", "--variant", "czech", "--nodes", "2000"];
    let (text, ok) = run(&arguments, "22-18\nmoves\nhint\n1-5\nundo\nquit\n");
    assert!(ok, "{text}");
    assert_eq!(text.matches("keima plays ").count(), 1, "{text}");
    assert!(
        text.contains("White to move") && text.contains("is illegal"),
        "{text}"
    );
}
