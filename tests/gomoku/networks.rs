//! Networks at gomoku: they learn from records and from games against themselves, and play. Proven values in
//! their searches.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use keima::arena::board::tree_player::KeptTree;
use keima::games::board_game::BoardGame;
use keima::games::coded::Coded;
use keima::games::gomoku::GomokuPosition;
use keima::minimax::Wanted;
use keima::search::{Limits, Report, Search, SearchParams, UniformEvaluator};

use super::client::run;
use super::folders;
use super::{after, variant};

fn folder(name: &str) -> PathBuf {
    folders::folder(&format!("gomoku-networks-{name}"))
}

/// All moves of a position are tried.
fn all(
    position: &GomokuPosition,
    list: &mut Vec<<GomokuPosition as keima::minimax::Position>::Move>,
) {
    keima::minimax::Position::moves(position, Wanted::All, list);
}

fn searched(position: GomokuPosition, visits: u64) -> (Report, String) {
    searched_by(SearchParams::alphazero(), position, visits)
}

fn searched_by(params: SearchParams, position: GomokuPosition, visits: u64) -> (Report, String) {
    let params = SearchParams {
        proves: true,
        graph_search: true,
        ..params
    };
    let mut search = Search::new(params);
    search.set_root(Coded::with_moves(position.clone(), &[], all));
    let stop = AtomicBool::new(false);
    search
        .run(&UniformEvaluator, &Limits::visits(visits), &stop)
        .unwrap();
    search.validate().unwrap();
    let chosen = search.root().unwrap().mv(search.choose(0).unwrap());
    (search.report().unwrap(), position.move_text(chosen))
}

#[test]
fn a_search_ends_where_the_result_is_proven() {
    let start = GomokuPosition::start(variant("tictactoe"));
    let (report, _) = searched(start, 2_000_000);
    assert!(report.visits < 1_000_000, "{} visits", report.visits);
    assert_eq!(report.win_loss, 0.0);
    // X in the middle against O at an edge: X has won.
    let (report, _) = searched(after("tictactoe", "b2b1"), 1_000_000);
    assert!(report.visits < 100_000);
    assert_eq!(report.win_loss, 1.0);
    // O must take a corner against X in the middle.
    let (report, _) = searched(after("tictactoe", "b2a2"), 1_000_000);
    assert_eq!(report.win_loss, 1.0);
    let (report, chosen) = searched(after("tictactoe", "b2"), 1_000_000);
    assert_eq!(report.win_loss, 0.0);
    assert!(["a1", "a3", "c1", "c3"].contains(&&chosen[..]), "{chosen}");
}

#[test]
fn proofs_hold_with_several_threads_and_the_settings_for_play() {
    let params = SearchParams {
        threads: 3,
        batch_size: 4,
        temperature: 0.0,
        temperature_early: 0.0,
        ..SearchParams::default()
    };
    // O to move: whatever it plays, X completes a row; X to move: it wins by a fork.
    for (moves, expected) in [("b2b1a1", -1.0), ("b2b1", 1.0)] {
        let (report, _) = searched_by(params, after("tictactoe", moves), 1_000_000);
        assert!(report.visits < 1_000_000, "{moves}");
        assert_eq!(report.win_loss, expected, "{moves}");
    }
}

#[test]
fn a_proof_is_kept_when_the_game_goes_on() {
    let params = SearchParams {
        proves: true,
        graph_search: true,
        temperature: 0.0,
        temperature_early: 0.0,
        ..SearchParams::default()
    };
    let mut search = Search::new(params);
    let position = after("tictactoe", "b2b1");
    search.set_root(Coded::with_moves(position.clone(), &[], all));
    let stop = AtomicBool::new(false);
    let limits = Limits::visits(1_000_000);
    search.run(&UniformEvaluator, &limits, &stop).unwrap();
    let chosen = search.choose(0).unwrap();
    let mut next = search.root().unwrap().clone();
    keima::search::Game::play(&mut next, chosen);
    search.advance(chosen, next);
    search.run(&UniformEvaluator, &limits, &stop).unwrap();
    // The side to move is now lost.
    assert_eq!(search.report().unwrap().win_loss, -1.0);
    // Moves that are excluded could be what a proof lacks.
    search.set_root(Coded::with_moves(position, &[], all));
    search.exclude(&[chosen]);
    search
        .run(&UniformEvaluator, &Limits::visits(3_000), &stop)
        .unwrap();
    assert_eq!(search.report().unwrap().visits, 3_000);
}

#[test]
fn a_search_of_some_moves_proves_nothing() {
    let mut search = Search::new(SearchParams {
        proves: true,
        ..SearchParams::alphazero()
    });
    search.set_root(Coded::new(after("tictactoe", "b2b1"), &[]));
    let stop = AtomicBool::new(false);
    search
        .run(&UniformEvaluator, &Limits::visits(5_000), &stop)
        .unwrap();
    assert_eq!(search.report().unwrap().visits, 5_000);
}

#[test]
fn a_kept_tree_proves_only_if_it_is_told_all_moves() {
    let params = SearchParams {
        proves: true,
        ..SearchParams::alphazero()
    };
    let visits = |mut tree: KeptTree<GomokuPosition>| {
        tree.go_to(&after("tictactoe", "b2b1"), &[]);
        let (limits, stop) = (Limits::visits(50_000), AtomicBool::new(false));
        let report = tree.run(&UniformEvaluator, &limits, &stop).unwrap();
        report.unwrap().visits
    };
    assert_eq!(visits(KeptTree::new(params)), 50_000);
    assert!(visits(KeptTree::new(params).with_moves(all)) < 50_000);
}

#[test]
fn without_proofs_all_visits_are_made() {
    let mut search = Search::new(SearchParams::alphazero());
    search.set_root(Coded::with_moves(after("tictactoe", "b2b1"), &[], all));
    let stop = AtomicBool::new(false);
    search
        .run(&UniformEvaluator, &Limits::visits(20_000), &stop)
        .unwrap();
    assert_eq!(search.report().unwrap().visits, 20_000);
}

#[test]
fn networks_learn_from_records_and_from_themselves_and_play() {
    let folder = folder("learn");
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (games, learned) = (text(&folder.join("games")), text(&folder.join("run")));
    let (output, ok) = run(
        &[
            "match",
            "--game",
            "gomoku",
            "--variant",
            "freestyle-9",
            "--first",
            "alphabeta nodes=200",
            "--second",
            "alphabeta nodes=300",
            "--games",
            "8",
            "--plies",
            "3",
            "--out",
            &games,
        ],
        "",
    );
    assert!(ok, "{output}");
    let learn = ["learn", &learned, "--game", "gomoku", "--threads", "2"];
    let records = [
        "--data",
        &games,
        "--arch",
        "b1c8",
        "--batch",
        "32",
        "--samples",
        "320",
        "--held-out",
        "0.6",
    ];
    let (output, ok) = run(&[&learn[..], &records].concat(), "");
    assert!(ok, "{output}");
    assert!(output.contains("8 games, "), "{output}");
    assert!(output.contains("validation on "), "{output}");
    assert!(output.contains("320 samples, as planned"), "{output}");
    // The same run goes on with games of its own.
    let itself = [
        "--samples",
        "640",
        "--variants",
        "freestyle-9:1,renju-9:1",
        "--games",
        "4",
        "--window",
        "4",
        "--set",
        "visits=8",
        "--set",
        "fast_visits=4",
        "--set",
        "full_share=1",
    ];
    let (output, ok) = run(&[&learn[..], &itself].concat(), "");
    assert!(ok, "{output}");
    assert!(output.contains("round 1: 4 games with "), "{output}");
    assert!(output.contains("640 samples, as planned"), "{output}");
    let file = folder.join("run/games/000000.games");
    let game = fs::read_to_string(&file).unwrap();
    assert_eq!(game.lines().count(), 4);
    // The rounds played suffice for more steps than were made: they come before another round.
    let rounds = fs::read_dir(folder.join("run/games")).unwrap().count();
    let (output, ok) = run(
        &[&learn[..], &["--samples", "672"], &itself[2..]].concat(),
        "",
    );
    assert!(ok && output.contains("672 samples, as planned"), "{output}");
    assert_eq!(
        fs::read_dir(folder.join("run/games")).unwrap().count(),
        rounds
    );
    // A damaged file is named, with the place and what to do.
    fs::write(&file, game.replace("\"result\":", "\"result\":5")).unwrap();
    let (output, ok) = run(
        &[&learn[..], &["--samples", "704"], &itself[2..]].concat(),
        "",
    );
    assert!(!ok && output.contains("000000.games: line 1: "), "{output}");
    let advice = ": remove it; the run goes on without its games";
    assert!(output.contains(advice), "{output}");
    // Rounds may be missing: the next one comes after the last.
    fs::remove_file(&file).unwrap();
    fs::write(folder.join("run/games/000009.games"), game).unwrap();
    let fewer = ["--samples", "704", "--reuse", "0.5"];
    let (output, ok) = run(&[&learn[..], &fewer, &itself[2..]].concat(), "");
    assert!(ok && output.contains("round 11: 4 games"), "{output}");
    assert!(folder.join("run/games/000010.games").exists());
    let net = text(&folder.join("run/net.safetensors"));
    let first = format!("net visits=10 model={net}");
    let second = format!("policy model={net}");
    let (output, ok) = run(
        &[
            "match",
            "--game",
            "gomoku",
            "--variant",
            "standard-9",
            "--first",
            &first,
            "--second",
            &second,
            "--games",
            "4",
        ],
        "",
    );
    assert!(ok && output.contains("endings: "), "{output}");
    let (output, ok) = run(
        &[
            "piskvork",
            "--player",
            "net",
            "--model",
            &net,
            "--nodes",
            "20",
            "--messages",
        ],
        "START 9\nBEGIN\n",
    );
    assert!(ok && output.contains("MESSAGE visits 20 win "), "{output}");
    // A network that sees stones alone learns from the same records, and plays.
    let stones = text(&folder.join("stones"));
    let learn = ["learn", &stones, "--game", "gomoku", "--threads", "2"];
    let records = "--arch bako-l4 --batch 16 --samples 64 --held-out 0.6 --imitate winner";
    let records: Vec<&str> = records.split(' ').chain(["--data", &games]).collect();
    let (output, ok) = run(&[&learn[..], &records].concat(), "");
    assert!(ok && output.contains("64 samples, as planned"), "{output}");
    let first = format!("policy solver=false model={stones}/net.safetensors");
    let options = "--game gomoku --variant freestyle-9 --second random --games 2";
    let mut played = vec!["match", "--first", &first];
    played.extend(options.split(' '));
    let (output, ok) = run(&played, "");
    assert!(ok && output.contains("endings: "), "{output}");
    let go = text(&folder.join("go"));
    let (output, ok) = run(&["train", &go, "--data", &games, "--arch", "bako-l4"], "");
    let message = "bako-l4 is for another game, with the inputs gomoku-stones-1";
    assert!(!ok && output.contains(message), "{output}");
    // It knows no Go, and says so.
    let (output, ok) = run(&["--model", &net], "genmove b\n");
    assert!(
        !ok && output.contains("is a network for another game"),
        "{output}"
    );
    // Checkpoints may be compressed, and KataGo's files cannot hold it.
    let packed = text(&folder.join("packed.safetensors.gz"));
    let (output, ok) = run(&["net", "convert", &net, &packed], "");
    assert!(ok, "{output}");
    let (output, ok) = run(&["net", "info", &packed], "");
    assert!(
        ok && output.contains("gzip") && output.contains("safetensors"),
        "{output}"
    );
    let (output, ok) = run(
        &["net", "convert", &packed, &text(&folder.join("net.bin.gz"))],
        "",
    );
    assert!(
        !ok && output.contains("KataGo's files are for Go"),
        "{output}"
    );
}

#[test]
fn the_built_in_network_plays_over_piskvork() {
    let (output, ok) = run(
        &["piskvork", "--nodes", "30", "--messages"],
        "START 20\nINFO rule 0\nBOARD\n10,10,1\n11,10,1\n12,10,1\n10,11,2\n12,12,2\n3,3,2\nDONE\n",
    );
    // Three in a row: a straight four wins.
    assert!(ok && output.contains("MESSAGE wins by fours: "), "{output}");
    let (output, ok) = run(
        &["piskvork", "--messages"],
        "START 15\nINFO timeout_turn 0\nBEGIN\nTURN 0,0\n",
    );
    assert!(
        ok && output.matches("MESSAGE visits ").count() == 2,
        "{output}"
    );
    let (output, ok) = run(&["piskvork", "--player", "alphabeta", "--model", "x"], "");
    assert!(
        !ok && output.contains("--model is for --player net"),
        "{output}"
    );
    // Games in the terminal.
    let (output, ok) = run(
        &["play", "gomoku", "--as", "black", "--nodes", "20"],
        "h8\neval\nquit\n",
    );
    assert!(
        ok && output.contains("keima plays ") && output.contains("visits 20 win "),
        "{output}"
    );
}

#[test]
fn what_cannot_be_learned_is_told() {
    let folder = folder("mistakes");
    let (learned, empty) = (folder.join("run"), folder.join("empty"));
    fs::create_dir_all(&empty).unwrap();
    let learn = ["learn", learned.to_str().unwrap(), "--game"];
    let refused = |more: &[&str]| {
        let (text, ok) = run(&[&learn[..], more].concat(), "");
        assert!(!ok, "{text}");
        text
    };
    assert!(refused(&["chess"]).contains("no network plays chess"));
    let text = refused(&["go"]);
    assert!(text.contains("--game is gomoku, not 'go'"), "{text}");
    let text = refused(&["gomoku", "--arch", "b4c64ch2"]);
    assert!(text.contains("b4c64ch2 is for Go alone"), "{text}");
    let text = refused(&["gomoku", "--init", "weights/default.safetensors"]);
    assert!(text.contains("is a network for Go"), "{text}");
    let text = refused(&[
        "gomoku",
        "--arch",
        "b1c8",
        "--data",
        empty.to_str().unwrap(),
    ]);
    assert!(text.contains("there are no games to learn from"), "{text}");
    assert!(!learned.exists(), "a run without anything to learn from");
    let text = refused(&["gomoku", "--reuse", "2000"]);
    assert!(
        text.contains("--reuse is a number above 0, up to 1000"),
        "{text}"
    );
    let text = refused(&["gomoku", "--data", "no-such-folder"]);
    assert!(text.contains("there is no no-such-folder"), "{text}");
    let text = refused(&["gomoku", "--arch", "b1c8", "--data", "Cargo.toml"]);
    assert!(text.contains("Cargo.toml is no record (.psq)"), "{text}");
    let text = refused(&["gomoku", "--variants", "pente:1"]);
    assert!(
        text.contains("there are freestyle, standard, renju"),
        "{text}"
    );
}

#[test]
fn records_without_opening_or_result_are_learned_and_held_out() {
    let folder = folder("unfinished");
    let (games, learned) = (folder.join("games"), folder.join("run"));
    fs::create_dir_all(&games).unwrap();
    for (number, column) in ('a'..='h').enumerate() {
        let moves = format!("h8{column}1g8");
        fs::write(games.join(format!("{number}.psq")), moves).unwrap();
    }
    let (games, learned) = (games.to_str().unwrap(), learned.to_str().unwrap());
    let learn = ["learn", learned, "--game", "gomoku", "--data", games];
    let options = "--threads 2 --arch b1c8 --batch 16 --samples 32 --opening 0 --held-out 0.5";
    let options: Vec<&str> = options.split(' ').collect();
    let (text, ok) = run(&[&learn[..], &options].concat(), "");
    assert!(ok && text.contains("8 games, "), "{text}");
    assert!(
        text.contains("policy ") && !text.contains("NaN") && !text.contains(" 0 held out"),
        "{text}"
    );
}

#[test]
fn files_of_games_may_be_larger_than_texts() {
    use keima::data::board_games::read_stored;
    let file = folder("large").join("zeros.games");
    let zeros = fs::File::create(&file).unwrap();
    zeros.set_len(keima::files::TEXT_LIMIT + 1).unwrap();
    // Without the end of a line there is no game.
    assert!(read_stored::<GomokuPosition>(&file).unwrap().is_empty());
    fs::remove_file(&file).unwrap();
}

#[test]
fn results_are_seen_by_who_moves_first() {
    use keima::data::board_games::LearningGame;
    let game = |moves: &str| LearningGame::<GomokuPosition>::of_record(moves, 2).unwrap();
    let black_wins = game("h8a1i8b1j8c1k8d1l8");
    assert_eq!(black_wins.result, Some(1.0));
    let white_wins = game("h8a1i8b1j8c1k8d1o15e1");
    assert_eq!(white_wins.result, Some(-1.0));
    assert_eq!(
        white_wins.result_at(&after("freestyle-15", "h8")),
        Some(1.0)
    );
    assert_eq!(game("h8a1").result, None);
}
