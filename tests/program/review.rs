//! `keima review` as users start it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use keima::formats::sgf::{self, ReadOptions};
use serde_json::Value;

use crate::folders::folder;
use crate::nets::NETWORK;
use crate::running::{finish, keima, text};

/// A short game with a comment and facts that keima itself has no use for.
const GAME: &str = "(;GM[1]FF[4]SZ[9]KM[7]RU[Chinese]PB[A </script> B]PW[C & D]BR[3k]RE[W+R]PC[Kyoto]RO[2 (final)]\
    TM[1800];B[ee];W[ge]C[a \\] comment];B[gd];W[fe];B[fd];W[ed])";
/// White's second move is on an occupied point.
const ILLEGAL: &str = "(;SZ[9]KM[7];B[ee];W[ge];B[gd];W[gd];B[aa])";

/// A review with a small network; whatever the user has configured does not matter.
pub fn review_command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = keima(&["review", "--config", "none", "--model", NETWORK]);
    command.args(["--threads", "2", "--precision", "f32"]);
    command.args(arguments);
    at(command, home)
}

/// A command in a folder that is also the user's home.
fn at(mut command: Command, home: &Path) -> Command {
    command
        .current_dir(home)
        .env("XDG_CONFIG_HOME", home)
        .env("XDG_DATA_HOME", home);
    command
}

/// Runs a review to its end.
pub fn review(home: &Path, arguments: &[&str]) -> Output {
    finish(review_command(home, arguments), "")
}

/// A folder with game records.
pub fn games(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
    let home = folder(&format!("review-{name}"));
    fs::create_dir(home.join("games")).unwrap();
    for (file, sgf) in files {
        fs::write(home.join("games").join(file), sgf).unwrap();
    }
    home
}

pub fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

const OPTIONS: [&str; 5] = ["games", "--out", "out", "--visits", "4"];

#[test]
fn each_position_has_values_moves_and_ownership() {
    let home = games("values", &[("a.sgf", GAME)]);
    let output = review(&home, &OPTIONS);
    assert!(output.status.success(), "{output:?}");
    let told = text(&output.stdout);
    assert!(
        told.starts_with("1 game reviewed, 7 positions analyzed"),
        "{told}"
    );
    let found = json(&home.join("out/a.json"));
    assert_eq!(found["point_of_view"], "black");
    let positions = found["positions"].as_array().unwrap();
    assert_eq!(positions.len(), 7);
    for (turn, position) in positions.iter().enumerate() {
        assert_eq!(position["turn"], turn);
        assert!(position["visits"].as_u64().unwrap() >= 4, "{position}");
        assert!(!position["moves"][0]["pv"].as_array().unwrap().is_empty());
        assert_eq!(position["ownership"].as_str().unwrap().len(), 81);
    }
    let lead = |turn: usize| positions[turn]["lead"].as_f64().unwrap();
    let lost = |turn: usize| positions[turn]["lost"].as_f64().unwrap();
    assert!((lost(0) - (lead(0) - lead(1))).abs() < 0.006);
    assert!((lost(1) - (lead(2) - lead(1))).abs() < 0.006);
    assert_eq!(positions[1]["played"], "G5");
    assert!(positions[6].get("played").is_none());
    assert_eq!(positions[2]["comment"], "a ] comment");
    assert!(!home.join("out/a.jsonl").exists() && !home.join("out/a.lock").exists());
}

#[test]
fn mistakes_and_blunders_begin_where_it_is_said() {
    // In the corners, where the program's own network knows better.
    let corners = "(;SZ[9]KM[7];B[aa];W[ia];B[ai];W[ii];B[ba];W[ha])";
    let home = games("thresholds", &[("a.sgf", corners)]);
    let review = |out: &str, limits: [&str; 4]| {
        let mut command = keima(&["review", "games", "--out", out, "--config", "none"]);
        command.args(["--model", "small", "--visits", "4", "--threads", "1"]);
        command.args(limits).current_dir(&home);
        finish(command, "")
    };
    let counts = |out: &str, mistake: &str, blunder: &str| {
        let output = review(out, ["--mistake", mistake, "--blunder", blunder]);
        assert!(output.status.success(), "{output:?}");
        let found = json(&home.join(out).join("a.json"));
        ["mistakes", "blunders"].map(|grade| {
            let of = |color: &str| found["summary"][color]["all"][grade].as_u64().unwrap();
            of("black") + of("white")
        })
    };
    let [mistakes, blunders] = counts("late", "0.5", "1000");
    assert!(mistakes > 2 && blunders == 0, "{mistakes} {blunders}");
    assert_eq!(counts("early", "0.5", "0.5"), [0, mistakes]);
    let refused = review("none", ["--mistake", "2", "--blunder", "1"]);
    let told = text(&refused.stderr);
    let reason = "--mistake 2 is more than --blunder 1";
    assert!(told.contains(reason), "{told}");
}

#[test]
fn records_with_comments_read_back_whole() {
    let home = games("record", &[("a.sgf", GAME)]);
    assert!(review(&home, &OPTIONS).status.success());
    let read = |bytes: &[u8]| sgf::read(bytes, &ReadOptions::default()).unwrap();
    let written = fs::read(home.join("out/a.sgf")).unwrap();
    let (original, written) = (read(GAME.as_bytes()), read(&written));
    assert!(written.remarks.is_empty(), "{:?}", written.remarks);
    assert_eq!(written.record.moves, original.record.moves);
    assert_eq!(written.record.setup, original.record.setup);
    assert_eq!(written.record.names, original.record.names);
    assert_eq!(written.record.result, original.record.result);
    assert_eq!(written.info, original.info);
    assert_eq!(written.info.len(), 3);
    let comment = &written.record.comments[&2];
    assert!(comment.starts_with("a ] comment\nBlack wins "), "{comment}");
    assert_eq!(written.record.comments.len(), 7);
}

#[test]
fn records_keep_variations_at_the_end_of_the_game() {
    let ending = "(;SZ[9]KM[7];B[ee];W[ge](;C[White resigned])(;B[ec]C[what if];W[cc])(;B[gc]))";
    let home = games("ending", &[("a.sgf", ending)]);
    assert!(review(&home, &OPTIONS).status.success());
    let read = |bytes: &[u8]| sgf::read_with_variations(bytes, &ReadOptions::default()).unwrap();
    let (original, beside) = read(ending.as_bytes());
    let (written, mut kept) = read(&fs::read(home.join("out/a.sgf")).unwrap());
    assert!(written.remarks.is_empty(), "{:?}", written.remarks);
    assert_eq!(written.record.moves, original.record.moves);
    assert_eq!(beside.lines.len(), 2);
    // Those before the last move are the search's.
    kept.lines.retain(|line| line.turn == 2);
    assert_eq!(kept.lines, beside.lines);
}

#[test]
fn records_have_no_opinions_that_exclude_each_other() {
    let opinions = "(;SZ[9]KM[7]UC[1];B[ee]IT[]UC[2];W[ge]HO[1])";
    let home = games("opinions", &[("a.sgf", opinions)]);
    assert!(review(&home, &OPTIONS).status.success());
    let written = fs::read_to_string(home.join("out/a.sgf")).unwrap();
    assert!(written.contains("HO[1]"), "{written}");
    for excluded in ["UC[", "IT["] {
        assert!(!written.contains(excluded), "{written}");
    }
}

#[test]
fn pages_are_small_and_need_nothing_else() {
    let home = games("page", &[("a.sgf", GAME)]);
    assert!(review(&home, &OPTIONS).status.success());
    let page = fs::read_to_string(home.join("out/a.html")).unwrap();
    let data = fs::read_to_string(home.join("out/a.json")).unwrap();
    assert!(page.len() < data.len() + 60_000, "{}", page.len());
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    // That of a player's name is none.
    assert_eq!(page.matches("</script>").count(), 2);
    let index = fs::read_to_string(home.join("out/index.html")).unwrap();
    assert!(
        index.contains("href=\"a.html\"") && index.contains("W+R"),
        "{index}"
    );
    assert!(index.contains("A &lt;/script&gt; B (3k)"), "{index}");
}

#[test]
fn illegal_moves_are_told_and_the_rest_goes_on() {
    let files = [("a.sgf", ILLEGAL), ("b.sgf", "no game"), ("c.sgf", GAME)];
    let home = games("illegal", &files);
    let output = review(&home, &OPTIONS);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let told = text(&output.stderr);
    assert!(told.contains("a.sgf: move 4, white G6: "), "{told}");
    assert!(told.contains("b.sgf: "), "{told}");
    assert_eq!(json(&home.join("out/a.json"))["moves"], 3);
    assert_eq!(json(&home.join("out/c.json"))["moves"], 6);
    assert!(!home.join("out/b.json").exists());
}

#[test]
fn what_is_complete_is_not_analyzed_again() {
    let home = games("again", &[("a.sgf", GAME)]);
    assert!(review(&home, &OPTIONS).status.success());
    let first = fs::read_to_string(home.join("out/a.json")).unwrap();
    let again = review(&home, &OPTIONS);
    let told = text(&again.stdout);
    assert!(
        told.starts_with("0 games reviewed, 0 positions analyzed, 1 game complete already"),
        "{told}"
    );
    let stricter = [&OPTIONS[..], &["--mistake", "0.5"]].concat();
    let told = review(&home, &stricter);
    let told = text(&told.stdout);
    assert!(
        told.starts_with("1 game reviewed, 0 positions analyzed"),
        "{told}"
    );
    assert!(review(&home, &OPTIONS).status.success());
    assert_eq!(fs::read_to_string(home.join("out/a.json")).unwrap(), first);
    let deeper = review(&home, &["games", "--out", "out", "--visits", "5"]);
    let told = text(&deeper.stdout);
    assert!(
        told.starts_with("1 game reviewed, 7 positions analyzed"),
        "{told}"
    );
}

#[test]
fn games_of_one_name_get_files_of_their_own() {
    let home = games("names", &[("a.sgf", GAME)]);
    fs::create_dir(home.join("more")).unwrap();
    fs::write(home.join("more/a.sgf"), ILLEGAL).unwrap();
    fs::write(home.join("more/index.sgf"), ILLEGAL).unwrap();
    let output = review(&home, &[&["more"], &OPTIONS[..]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let files = home.join("out").read_dir().unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> = names.filter(|name| name.ends_with(".html")).collect();
    pages.sort();
    assert_eq!(pages.len(), 4, "{pages:?}");
    assert!(
        pages[0].starts_with("a-") && pages[1].starts_with("a-"),
        "{pages:?}"
    );
    assert!(pages[2].starts_with("index-"), "{pages:?}");
}

#[test]
fn reviews_of_other_games_and_other_files_are_not_replaced() {
    let home = games("replaced", &[("a.sgf", GAME)]);
    assert!(review(&home, &OPTIONS).status.success());
    let first = fs::read_to_string(home.join("out/a.json")).unwrap();
    fs::create_dir(home.join("more")).unwrap();
    fs::write(home.join("more/a.sgf"), ILLEGAL).unwrap();
    let others = review(&home, &["more", "--out", "out"]);
    assert_eq!(others.status.code(), Some(1), "{others:?}");
    assert!(text(&others.stderr).contains("another game"), "{others:?}");
    assert_eq!(fs::read_to_string(home.join("out/a.json")).unwrap(), first);

    for own in ["a.sgf", "a.json", "a.jsonl", "index.html"] {
        let folder = home.join(format!("own-{own}"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(own), "my own").unwrap();
        let out = folder.to_str().unwrap();
        let refused = review(&home, &["games", "--out", out]);
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        assert!(text(&refused.stderr).contains("no review"), "{refused:?}");
        assert_eq!(fs::read_to_string(folder.join(own)).unwrap(), "my own");
        assert_eq!(folder.read_dir().unwrap().count(), 1);
    }
    // The game may have changed.
    fs::write(home.join("games/a.sgf"), ILLEGAL).unwrap();
    review(&home, &OPTIONS);
    assert_ne!(fs::read_to_string(home.join("out/a.json")).unwrap(), first);
}

#[test]
fn networks_of_one_name_are_told_apart() {
    let home = games("networks", &[("a.sgf", GAME)]);
    for seed in ["1", "2"] {
        let file = format!("{seed}.bin.gz");
        let new = keima(&["net", "new", "--arch", "b1c8", "--seed", seed, &file]);
        let made = finish(at(new, &home), "");
        assert!(made.status.success(), "{made:?}");
        let options = ["review", "--config", "none", "--model", &file];
        let options = [&options[..], &OPTIONS].concat();
        let told = finish(at(keima(&options), &home), "");
        let told = text(&told.stdout);
        assert!(
            told.starts_with("1 game reviewed, 7 positions analyzed"),
            "{told}"
        );
    }
}

#[test]
fn the_index_lists_games_by_name_and_number() {
    let home = games(
        "order",
        &["g10.sgf", "g2.sgf", "g1.sgf"].map(|name| (name, ILLEGAL)),
    );
    review(&home, &OPTIONS);
    let index = fs::read_to_string(home.join("out/index.html")).unwrap();
    let places = ["g1.html", "g2.html", "g10.html"].map(|name| index.find(name).unwrap());
    assert!(places.is_sorted(), "{index}");
    assert!(!index.contains(">date<"), "{index}");
}

#[test]
fn the_folder_of_the_games_is_refused() {
    let home = games("same", &[("a.sgf", GAME)]);
    let output = review(&home, &["games", "--out", "games"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("choose another one"),
        "{output:?}"
    );
    assert_eq!(fs::read_to_string(home.join("games/a.sgf")).unwrap(), GAME);
}
