//! The commands on draughts.

use keima::games::record::tag;

use super::client::run;

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

#[test]
fn a_saved_game_names_keima_and_the_day() {
    let file = format!("{}/named.pdn", env!("CARGO_TARGET_TMPDIR"));
    let play = ["play", "draughts", "--variant", "english", "--nodes", "50"];
    let (text, ok) = run(&play, &format!("11-15\nsave! {file}\nquit\n"));
    assert!(ok, "{text}");
    let record = std::fs::read_to_string(&file).unwrap();
    // Black moves first.
    let names = "[White \"keima\"]\n[Black \"?\"]\n";
    assert!(record.contains(names), "{record}");
    let date = tag(&record, "Date").unwrap();
    let form = date.replace(|c: char| c.is_ascii_digit(), "0");
    assert_eq!(form, "0000.00.00");
}

#[test]
fn a_loaded_record_says_which_variant_is_played() {
    let file = format!("{}/english.pdn", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&file, "[GameType \"21,B,8,8,N1,0\"]\n\n*\n").unwrap();
    let play = ["play", "draughts", "--nodes", "100", "--load", &file];
    // Black, who moves first, is the person's; so is it after `new`.
    let (text, ok) = run(&play, "new\n11-15\nquit\n");
    assert!(ok, "{text}");
    assert_eq!(text.matches("keima plays ").count(), 1, "{text}");
    let (text, ok) = run(&[&play[..], &["--variant", "czech"]].concat(), "");
    let message = "is a game of english draughts, not of czech draughts: leave out --variant";
    assert!(!ok && text.contains(message), "{text}");
}
