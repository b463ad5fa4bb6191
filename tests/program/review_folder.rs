//! Reviews as a library: losses and figures from known analyses, folders that are filled in several runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use keima::formats::sgf::{self, ReadOptions};
use keima::games::go::code;
use keima::games::rollout_evaluator::RolloutParams;
use keima::go::Color;
use keima::player::evaluators::Rollouts;
use keima::player::params::PlayerParams;
use keima::player::search_player::SearchPlayer;
use keima::player::{Nobody, Watch};
use keima::review::analysis::{Candidate, PositionAnalysis, detail};
use keima::review::annotated;
use keima::review::folder::{Claimed, Folder};
use keima::review::game::Game;
use keima::review::review::GameReview;
use keima::review::run::{Event, Job, Outcome, run};
use keima::review::settings::{MadeOf, Thresholds};
use keima::search::{MoveReport, Restrictions};

use crate::folders::folder;

const GAME: &str = "(;SZ[5]KM[2.5];B[cc];W[bb];B[dd];W[])";

fn game(home: &Path) -> Game {
    fs::create_dir_all(home.join("games")).unwrap();
    let file = home.join("games/a.sgf");
    fs::write(&file, GAME).unwrap();
    Game::read(&file, "a", &ReadOptions::default()).unwrap()
}

fn made_of(network: &str) -> MadeOf {
    MadeOf {
        game: "game".to_owned(),
        network: network.to_owned(),
        visits: Some(8),
        settings: "settings".to_owned(),
    }
}

fn candidate(mv: &str, lead: f64, pv: &[&str]) -> Candidate {
    Candidate {
        mv: mv.to_owned(),
        order: 1,
        visits: 5,
        prior: 0.25,
        winrate: 0.5,
        lead,
        pv: pv.iter().map(|mv| (*mv).to_owned()).collect(),
        symmetric_to: None,
    }
}

/// A position with Black's lead; the best move leads to it, too.
fn analysis(turn: usize, lead: f64, best: &str) -> PositionAnalysis {
    PositionAnalysis {
        turn,
        to_move: if turn.is_multiple_of(2) { 'B' } else { 'W' },
        visits: 8,
        winrate: 0.5,
        lead,
        moves: vec![candidate(best, lead, &[best, "A1", "pass"])],
        ownership: None,
    }
}

/// Black's first move loses nothing, White's first 3 points, Black's second 7, White's pass gains one.
fn reviewed(game: &Game) -> GameReview {
    let leads = [
        (1.0, "C3"),
        (1.0, "D4"),
        (4.0, "B4"),
        (-3.0, "E5"),
        (-4.0, "E1"),
    ];
    let analyses: BTreeMap<usize, PositionAnalysis> = (0..)
        .zip(leads)
        .map(|(turn, (lead, best))| (turn, analysis(turn, lead, best)))
        .collect();
    GameReview::new(game, made_of("net"), Thresholds::default(), &analyses).unwrap()
}

#[test]
fn losses_are_those_of_whoever_moved() {
    let review = reviewed(&game(&folder("review-losses")));
    let lost: Vec<Option<f64>> = review.positions.iter().map(|it| it.lost).collect();
    assert_eq!(lost, [Some(0.0), Some(3.0), Some(7.0), Some(-1.0), None]);
    let ranks: Vec<Option<usize>> = review.positions.iter().map(|it| it.rank).collect();
    assert_eq!(ranks, [Some(1), None, None, None, None]);
    let [black, white] = [
        &review.head.summary.black.all,
        &review.head.summary.white.all,
    ];
    assert_eq!((black.moves, black.mistakes, black.blunders), (2, 0, 1));
    assert_eq!((white.moves, white.mistakes, white.blunders), (2, 1, 0));
    assert_eq!(black.average_loss, Some(3.5));
    assert_eq!(white.average_loss, Some(1.5), "a gain is no negative loss");
    assert_eq!(black.first_choices, Some(0.5));
    // 100 times 0.75 to the power of 1.5.
    assert_eq!(white.accuracy, Some(65.0));
}

/// A player who searches with rollouts.
fn player() -> SearchPlayer {
    let mut params = PlayerParams::default();
    params.limits.max_visits = Some(8);
    let rollouts = Rollouts::new(RolloutParams::default(), 1);
    SearchPlayer::new(params, Box::new(rollouts))
}

#[test]
fn places_are_those_among_all_distinct_moves() {
    let game = game(&folder("review-places"));
    let stop = AtomicBool::new(false);
    let watch = Watch {
        stop: &stop,
        restrictions: &Restrictions::default(),
        detail: detail(),
        reports: None,
        observer: &mut Nobody,
    };
    let position = game.position(0).unwrap();
    let report = player().analyze_within_limits(&position, watch).unwrap();
    let mut report = report.unwrap();
    // Ten moves, each with its image behind it.
    let searched = report.moves[0].clone();
    let told = |mv: &str, of: Option<&str>| MoveReport {
        code: code(mv.parse().unwrap()),
        twin_of: of.map(|of| code(of.parse().unwrap())),
        edge_visits: 1,
        ..searched.clone()
    };
    let moves = "A1 B1 C1 D1 E1 A2 B2 C2 D2 E2".split(' ');
    let images = "A5 B5 C5 D5 E5 A4 B4 C4 D4 E4".split(' ');
    let pairs = moves.zip(images);
    report.moves = pairs
        .flat_map(|(mv, image)| [told(mv, None), told(image, Some(mv))])
        .collect();
    let played = Some("E4".parse().unwrap());
    let analysis = PositionAnalysis::of(0, Color::Black, played, &report);
    let places = ["A1", "A5", "C4", "D2", "E4"].map(|mv| analysis.place(mv));
    assert_eq!(places, [Some(1), Some(1), Some(8), None, Some(10)]);
    assert_eq!(analysis.moves.len(), 2 * 9);
}

#[test]
fn mistakes_get_properties_and_the_better_line() {
    let game = game(&folder("review-mistakes"));
    let text = annotated::text(&game, &reviewed(&game));
    let read = sgf::read(text.as_bytes(), &ReadOptions::default()).unwrap();
    assert!(read.remarks.is_empty(), "{:?}\n{text}", read.remarks);
    assert_eq!(read.record.moves, game.record.moves);
    // White's mistake is a variation of the position before it, and so is Black's.
    assert!(
        text.contains(";W[bb]V[4.00]DM[1]BM[1]C[Black wins 50.0 %, B+4.0"),
        "{text}"
    );
    assert!(
        text.contains("\n(;W[db]C[The best line: Black wins 50.0 %, B+1.0"),
        "{text}"
    );
    assert!(text.contains(";B[dd]V[-3.00]DM[1]BM[2]"), "{text}");
    assert!(text.contains("\n(;B[bb]"), "{text}");
    assert!(
        text.contains(";B[ae];W[])") || text.contains(";W[ae];B[])"),
        "{text}"
    );
    assert_eq!(text.matches("The best line").count(), 2, "{text}");
    assert_eq!(
        text.matches('(').count(),
        text.matches(')').count(),
        "{text}"
    );
}

#[test]
fn analyses_of_other_settings_are_not_mixed() {
    let home = folder("review-settings");
    let game = game(&home);
    let out = Folder::create(&home.join("out"), std::iter::empty()).unwrap();
    let claim = |made_of| out.claim(&game, &made_of, Thresholds::default()).unwrap();
    let Claimed::Here(mut first) = claim(made_of("net")) else {
        panic!("nobody else works on it");
    };
    first.add(analysis(2, 1.0, "A1")).unwrap();
    assert!(matches!(claim(made_of("net")), Claimed::Elsewhere));
    drop(first);
    let Claimed::Here(second) = claim(made_of("net")) else {
        panic!("nobody else works on it");
    };
    assert_eq!(second.analyses.keys().copied().collect::<Vec<_>>(), [2]);
    drop(second);
    let Claimed::Here(other) = claim(made_of("another")) else {
        panic!("nobody else works on it");
    };
    assert!(other.analyses.is_empty());
}

#[test]
fn positions_stored_without_places_are_searched_anew() {
    let home = folder("review-without-places");
    let game = game(&home);
    let out = Folder::create(&home.join("out"), std::iter::empty()).unwrap();
    let made_of = made_of("net");
    let start = format!("{{\"made_of\":\"{}\",", made_of.digest());
    let stored = serde_json::to_string(&analysis(2, 1.0, "A1")).unwrap();
    let line = stored.replacen('{', &start, 1) + "\n";
    for (line, known) in [(line.replace("\"order\":1,", ""), 0), (line, 1)] {
        fs::write(home.join("out/a.jsonl"), line).unwrap();
        let claimed = out.claim(&game, &made_of, Thresholds::default()).unwrap();
        let Claimed::Here(claim) = claimed else {
            panic!("nobody else works on it");
        };
        assert_eq!(claim.analyses.len(), known);
    }
}

/// Reviews a game with rollouts on one thread; stopped when `most` positions have been searched.
fn review(home: &Path, game: &Game, most: usize) -> Outcome {
    let out = Folder::create(&home.join("out"), std::iter::empty()).unwrap();
    let (stop, searched) = (AtomicBool::new(false), AtomicUsize::new(0));
    run(&Job {
        folder: &out,
        games: std::slice::from_ref(game),
        made_of: &|_| made_of("rollouts"),
        thresholds: Thresholds::default(),
        make_player: &player,
        threads: 1,
        stop: &stop,
        page: &|_| Ok("page".to_owned()),
        watch: &|event| {
            if event == Event::Searched && searched.fetch_add(1, Ordering::SeqCst) + 1 >= most {
                stop.store(true, Ordering::SeqCst);
            }
        },
    })
    .unwrap()
}

#[test]
fn a_resumed_review_searches_only_the_rest() {
    let (home, whole) = (folder("review-resumed"), folder("review-whole"));
    let game = game(&home);
    let first = review(&home, &game, 2);
    assert_eq!((first.searched, first.written), (2, 0));
    assert!(!home.join("out/a.json").exists());
    // A killed process may leave half a line.
    let lines = home.join("out/a.jsonl");
    let half = fs::read_to_string(&lines).unwrap() + "{\"made_of\":\"";
    fs::write(&lines, half).unwrap();
    let second = review(&home, &game, usize::MAX);
    assert_eq!((second.searched, second.written), (3, 1));
    let third = review(&home, &game, usize::MAX);
    assert_eq!((third.searched, third.complete), (0, 1));
    review(&whole, &game, usize::MAX);
    let json = |home: &Path| fs::read_to_string(home.join("out/a.json")).unwrap();
    assert_eq!(
        json(&home),
        json(&whole),
        "as if it had not been interrupted"
    );
}
