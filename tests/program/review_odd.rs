//! `keima review` of odd records, and of one that is killed again and again.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use keima::formats::sgf::{self, Beside, ReadOptions, Reading};
use serde_json::Value;

use crate::folders::folder;
use crate::guarded::Guarded;
use crate::review::{games, json, review, review_command};
use crate::running::{finish, text};

const ODD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/odd_games");

fn read(file: &Path) -> (Reading, Beside) {
    sgf::read_with_variations(&fs::read(file).unwrap(), &ReadOptions::default()).unwrap()
}

/// The outputs of a review of all odd records, and what it told.
fn reviewed_odd_games(name: &str) -> (PathBuf, String) {
    let home = folder(&format!("review-{name}"));
    let output = review(&home, &[ODD, "--out", "out", "--visits", "2"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    (home.join("out"), text(&output.stderr).to_owned())
}

#[test]
fn review_tells_what_is_wrong_with_odd_games() {
    let (out, told) = reviewed_odd_games("odd-told");
    for part in [
        "collection.sgf: node 4: the file has more games, which are not read",
        "empty.sgf: no game found: the file is empty",
        "occupied.sgf: move 4, white G6: point is occupied: reviewed up to there",
        "off_board.sgf: node 3: column 16 of row 4 from the top is not on a board of 9x9",
        "suicide.sgf: move 6, white A9: suicide: reviewed up to there",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    for absent in ["empty", "off_board"] {
        assert!(!out.join(format!("{absent}.json")).exists(), "{absent}");
    }
    let moves = |name: &str| json(&out.join(format!("{name}.json")))["moves"].clone();
    let counts = ["occupied", "suicide", "collection", "no_size", "variations"].map(moves);
    assert_eq!(counts, [3, 5, 3, 7, 7].map(Value::from));
    let page = fs::read_to_string(out.join("suicide.html")).unwrap();
    assert!(page.contains("The record goes on with an impossible move (move 6"));
}

#[test]
fn review_keeps_board_players_and_comments_of_odd_games() {
    let (out, _) = reviewed_odd_games("odd-kept");
    let found = |name: &str| json(&out.join(format!("{name}.json")));
    let chinese = found("chinese");
    assert_eq!(chinese["players"][0]["name"], "柯洁");
    assert_eq!(chinese["players"][0]["rank"], "九段");
    assert_eq!(chinese["positions"][0]["comment"], "黑先。𠮷字四字节");
    let japanese = found("japanese");
    assert_eq!(japanese["players"][0]["name"], "表 能太郎");
    assert_eq!(japanese["size"], serde_json::json!([13, 13]));
    assert_eq!(japanese["positions"][2]["comment"], "ソの字も");
    let nine = found("nine");
    let comment = "A bracket ] and a backslash \\ and a colon :\nsecond line joined";
    assert_eq!(nine["positions"][0]["comment"], comment);
    let page = fs::read_to_string(out.join("nine.html")).unwrap();
    assert!(page.contains("\\u003cb>not bold\\u003c/b>") && !page.contains("<b>not"));
    let tall = found("tall");
    assert_eq!(tall["size"], serde_json::json!([13, 19]));
    let area = |found: &Value| found["positions"][0]["ownership"].as_str().unwrap().len();
    assert_eq!((area(&tall), area(&nine)), (247, 81));
    let set_up = found("set_up");
    assert_eq!(set_up["stones"][0].as_array().unwrap().len(), 5);
    assert_eq!(set_up["positions"][0]["to_move"], "W");
    let handicap = found("handicap");
    assert_eq!(
        (&handicap["handicap"], &handicap["komi"]),
        (&4.into(), &0.5.into())
    );
    assert_eq!(handicap["positions"][0]["to_move"], "W");
    let no_size = found("no_size");
    assert_eq!(no_size["size"], serde_json::json!([19, 19]));
    assert_eq!(
        (&no_size["result"], &no_size["positions"][3]["played"]),
        (&"B+R".into(), &"pass".into())
    );
}

#[test]
fn review_keeps_variations_and_other_properties() {
    let (out, _) = reviewed_odd_games("odd-variations");
    let (original, beside) = read(&Path::new(ODD).join("variations.sgf"));
    let (written, kept) = read(&out.join("variations.sgf"));
    assert!(written.remarks.is_empty(), "{:?}", written.remarks);
    assert_eq!(written.record.moves, original.record.moves);
    let of_review = ["V", "GB", "GW", "DM", "BM", "DO", "TE"];
    let others = |beside: &Beside| {
        let mut all = beside.properties.clone();
        all.retain(|(_, it)| !of_review.contains(&it.name.as_str()));
        all
    };
    let names: Vec<String> = others(&beside).into_iter().map(|it| it.1.name).collect();
    assert_eq!(names, ["LB", "ST", "XYZ", "TB", "TW", "KO", "SBKV", "TR"]);
    assert_eq!(others(&kept), others(&beside));
    // The review's own opinion stands alone.
    let is_opinion = |name: &str| matches!(name, "GB" | "GW" | "DM");
    let opinions = kept
        .properties
        .iter()
        .filter(|(turn, it)| *turn == 1 && is_opinion(&it.name));
    assert!(opinions.count() <= 1, "{kept:?}");
    let of_file = |line: &&sgf::SideLine| !line.nodes[0].comment().starts_with("The best line");
    let kept: Vec<_> = kept.lines.iter().filter(of_file).collect();
    assert_eq!(kept.len(), 4, "{kept:?}");
    // Inner ones are closed first.
    for line in &beside.lines {
        assert!(kept.contains(&line), "{line:?}");
    }
    let sizes: BTreeSet<_> = beside
        .lines
        .iter()
        .map(|it| (it.turn, it.nodes.len()))
        .collect();
    assert_eq!(sizes, BTreeSet::from([(1, 2), (1, 4), (3, 2), (5, 3)]));
    // The game of a record that ends early stays the main line.
    let (short, _) = read(&out.join("occupied.sgf"));
    assert_eq!(short.record.moves.len(), 3);
}

/// A game of 40 moves that are all legal: two columns each.
fn long_game() -> String {
    let rows = "abcdefghij";
    let moves = ["B", "W"].map(|color| {
        let columns = if color == "B" { "dg" } else { "jm" };
        let all = columns
            .chars()
            .flat_map(|column| rows.chars().map(move |row| (column, row)));
        all.map(|(column, row)| format!(";{color}[{column}{row}]"))
            .collect::<Vec<_>>()
    });
    let [black, white] = moves;
    let moves: String = black.into_iter().zip(white).map(|(b, w)| b + &w).collect();
    format!("(;SZ[19]KM[7]{moves})")
}

/// The turns that a file of positions analyzed so far has, whole lines only.
fn stored(file: &Path) -> Vec<u64> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let whole = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let turn = |line: &str| serde_json::from_str::<Value>(line).ok()?["turn"].as_u64();
    whole.filter_map(turn).collect()
}

#[test]
fn review_killed_five_times_does_nothing_twice() {
    let home = games("killed", &[("a.sgf", &long_game())]);
    let options = ["games", "--out", "out", "--visits", "150"];
    let lines = home.join("out/a.jsonl");
    let mut before = 0;
    for round in 0..5 {
        let mut child = Guarded::spawn(&mut review_command(&home, &options));
        while stored(&lines).len() <= before {
            let status = child.try_wait().unwrap();
            assert!(status.is_none(), "round {round}: all is done already");
            std::thread::sleep(Duration::from_millis(2));
        }
        // On Unix that is SIGKILL.
        drop(child);
        let turns = stored(&lines);
        let distinct: BTreeSet<u64> = turns.iter().copied().collect();
        assert_eq!(distinct.len(), turns.len(), "searched twice: {turns:?}");
        before = turns.len();
    }
    assert!((5..41).contains(&before), "{before} of 41 are stored");
    let output = finish(review_command(&home, &options), "");
    let told = text(&output.stdout);
    let rest = 41 - before;
    let said = format!(
        "1 game reviewed, {rest} position{} analyzed",
        if rest == 1 { "" } else { "s" }
    );
    assert!(told.starts_with(&said), "{said} in {told}");
    let found = json(&home.join("out/a.json"));
    assert_eq!(found["positions"].as_array().unwrap().len(), 41);
}
