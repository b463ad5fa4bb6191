//! Analysis and pondering as a controller sees them: the lines of both dialects by a strict parser,
//! what ends an analysis, what it is asked to leave out, and what thinking ahead is worth.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::analysis_lines::{Line, kata, leela, parse};
use crate::client::PATIENCE;
use crate::evaluators::By;
use crate::player::engine_of;
use crate::talk::Talk;
use anyhow::Result;
use keima::games::rollout_evaluator::RolloutEvaluator;
use keima::go::{BoardSize, Color, Komi, Move, Position, Rules};
use keima::gtp::{Engine, Identity};
use keima::player::evaluators::Evaluators;
use keima::player::params::PlayerParams;
use keima::player::search_limits::SearchLimits;
use keima::player::search_player::SearchPlayer;
use keima::player::view::View;
use keima::search::{
    Detail, Evaluation, Evaluator, HashEvaluator, Limits, Request, Search, SearchParams,
};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::under_test;

/// Asserts that variations can be played from a position.
fn replay(line: &Line, position: &Position) {
    for info in &line.infos {
        let mut after = position.clone();
        for mv in &info.pv {
            after.try_play(mv.parse().unwrap()).unwrap();
        }
    }
}

fn empty(width: usize, height: usize) -> Position {
    let size = BoardSize::new(width, height).unwrap();
    let mut position = Position::new(size, Rules::TROMP_TAYLOR, Komi::from_half(15));
    position.allow_encore(true);
    position
}

#[test]
fn reports_follow_the_grammar() {
    for mut talk in [Talk::with_network(&[]), Talk::with_rollouts(&[])] {
        talk.ok("boardsize 9");
        let mut position = empty(9, 9);
        for (color, mv) in [(Color::Black, "E5"), (Color::White, "C3")] {
            talk.ok(&format!("play {} {mv}", color.letter()));
            position.play_reported(color, mv.parse().unwrap()).unwrap();
        }
        for line in talk.reports("lz-analyze 1", 3) {
            replay(&leela(&line), &position);
        }
        for line in talk.reports("kata-analyze 1", 3) {
            let line = kata(&line, (9, 9));
            assert!(line.root.is_empty() && line.ownership.is_empty());
            assert!(line.infos.iter().all(|info| info.pv_visits.is_empty()));
            replay(&line, &position);
        }
        talk.ok("rectangular_boardsize 7 5");
        let everything = "kata-analyze w interval 1 rootInfo true ownership true ownershipStdev \
            true movesOwnership true movesOwnershipStdev true pvVisits true pvEdgeVisits TRUE \
            noResultValue true minmoves 3 maxmoves 30";
        // The first reports of a busy machine may be of the root alone.
        let mut lines = Vec::new();
        talk.report_when(everything, |line| {
            lines.push(parse(line, false, true, (7, 5)));
            lines.len() >= 4 && lines[lines.len() - 1].root["visits"] > 1.0
        });
        for line in lines {
            assert!(
                line.infos.len() >= 3 && line.infos.len() <= 30,
                "{}",
                line.infos.len()
            );
            assert_eq!((line.ownership.len(), line.ownership_stdev.len()), (35, 35));
            for info in &line.infos {
                assert_eq!((info.ownership.len(), info.ownership_stdev.len()), (35, 35));
                if info.figures["visits"] == 0.0 {
                    continue;
                }
                assert_eq!(info.pv_visits.len(), info.pv.len());
                assert_eq!(info.pv_edge_visits.len(), info.pv.len());
                assert_eq!(f64::from(info.pv_visits[0]), info.figures["visits"]);
            }
        }
    }
}

#[test]
fn any_line_ends_an_analysis() {
    let mut talk = Talk::with_rollouts(&["--size", "9"]);
    // The end of an analysis, and the answer to it.
    let endings = [
        ("\n", ""),
        ("# x\n", ""),
        ("\r\n", ""),
        ("7 name\n", "=7 keima"),
        ("stop\n", "= "),
        ("nonsense\n", "? unknown command"),
        (
            "kata-analyze nonsense\n",
            "? cannot parse analyze tags: unknown key",
        ),
    ];
    for (number, (ending, answer)) in endings.into_iter().enumerate() {
        talk.send(&format!("{number} lz-analyze b 1\n"));
        assert_eq!(talk.line(), format!("={number}"));
        leela(&talk.line());
        talk.send(ending);
        for line in talk.response() {
            leela(&line);
        }
        if !answer.is_empty() {
            assert_eq!(talk.response(), [answer]);
        }
        talk.send("\n");
        talk.is_silent();
    }
    // One analysis after another, the position unchanged, then a move.
    talk.send("kata-analyze w 1\n");
    assert_eq!(talk.line(), "=");
    talk.line();
    talk.send("lz-analyze 1\n");
    talk.response();
    assert_eq!(talk.line(), "=");
    leela(&talk.line());
    talk.send("play b e5\n");
    talk.response();
    assert_eq!(talk.response(), ["= "]);
    assert_eq!(talk.ok("move_history"), "black E5");
    talk.send("lz-analyze 1\n3 quit\n");
    assert_eq!(talk.line(), "=");
    talk.response();
    assert_eq!(talk.response(), ["=3 "]);
    talk.ends();
}

#[test]
fn the_end_of_the_input_ends_an_analysis() {
    let mut talk = Talk::with_network(&["--size", "9"]);
    talk.send("kata-analyze 1\n");
    assert_eq!(talk.line(), "=");
    kata(&talk.line(), (9, 9));
    talk.close();
    talk.response();
    talk.ends();
}

#[test]
fn a_search_that_can_go_no_further_leaves_the_response_open() {
    let mut talk = Talk::with_rollouts(&["--size", "2", "--set", "maxTreeBytes=20000"]);
    // No report comes by time, only that of the end.
    talk.send("lz-analyze 100000\n");
    assert_eq!(talk.line(), "=");
    leela(&talk.line());
    talk.is_silent();
    talk.send("name\n");
    assert_eq!(talk.line(), "");
    assert_eq!(talk.response(), ["= keima"]);
}

#[test]
fn a_hundred_analyses_in_a_row_are_ended() {
    let mut talk = Talk::with_network(&["--size", "9"]);
    for number in 0..100 {
        talk.send(&format!("{number} kata-analyze b 1 ownership true\n"));
        assert_eq!(talk.line(), format!("={number}"));
        kata(&talk.line(), (9, 9));
        talk.send("stop\n");
        for line in talk.response() {
            kata(&line, (9, 9));
        }
        assert_eq!(talk.response(), ["= "]);
    }
}

#[test]
fn analyses_may_be_sent_in_one_piece() {
    // LizGoban's probes at its start.
    let mut talk = Talk::with_network(&[]);
    let probes = [
        ("kata-analyze interval 1", true),
        ("lz-setoption name visits value 0", false),
        ("lz-analyze interval 1 minmoves 30", true),
        ("kata-analyze 1 pvVisits true", true),
        ("kata-analyze 1 pvEdgeVisits true", true),
        ("kata-analyze 1 ownershipStdev true", true),
        ("kata-analyze 1 movesOwnership true", true),
        ("kata-analyze 1 rootInfo true", true),
        ("kata-analyze 1 lizgoban true", false),
        ("lz-analyze 1 allow B D4 1", true),
        ("kata-search_analyze_cancellable B", true),
        ("name", true),
    ];
    let lines: Vec<String> = (1..)
        .zip(probes)
        .map(|(id, (probe, _))| format!("{id} {probe}\n"))
        .collect();
    talk.send(&lines.concat());
    for (id, (probe, is_known)) in (1..).zip(probes) {
        let header = &talk.response()[0];
        let status = if is_known { "=" } else { "?" };
        assert!(
            header.starts_with(&format!("{status}{id}")),
            "{probe}: {header}"
        );
    }
}

#[test]
fn wrong_arguments_are_refused_without_a_stream() {
    let mut talk = Talk::with_network(&["--size", "9"]);
    let mistakes = [
        "nonsense",
        "b b",
        "1 2 3",
        "-1",
        "nan",
        "interval",
        "interval x",
        "minmoves -1",
        "maxmoves",
        "ownership",
        "ownership 1",
        "ownership maybe",
        "avoid",
        "avoid b",
        "avoid b D4",
        "avoid b D4 0",
        "avoid b D4 -3",
        "avoid b D4 x",
        "avoid green D4 1",
        "avoid b D44 1",
        "avoid b T19 1",
        "avoid b D4,resign 1",
        "allow b D4 1 avoid b E5 1",
        "avoid b D4 1 allow b E5 1",
        "allow b D4 1 allow b E5 1",
    ];
    for command in [
        "kata-analyze",
        "lz-analyze",
        "kata-genmove_analyze",
        "lz-genmove_analyze",
    ] {
        for mistake in mistakes {
            talk.send(&format!("5 {command} {mistake}\n"));
            let expected = "?5 cannot parse analyze tags";
            let found = talk.response();
            assert!(
                found.len() == 1 && found[0].starts_with(expected),
                "{command} {mistake}: {found:?}"
            );
        }
    }
    for key in [
        "ownership",
        "rootInfo",
        "pvVisits",
        "movesOwnership",
        "noResultValue",
    ] {
        talk.send(&format!("lz-analyze 1 {key} true\n"));
        assert!(talk.response()[0].starts_with("? "), "{key}");
    }
    talk.send(
        "kata-analyze 1 allow b A1 1 allow w A1 1\nplay b a1\nkata-analyze w 1 allow w A1 1\n",
    );
    assert!(talk.response()[0].starts_with('='));
    assert_eq!(talk.response(), ["= "]);
    assert_eq!(talk.response(), ["? no legal move is allowed"]);
    assert_eq!(talk.ok("move_history"), "black A1");

    let mut random = Talk::new(&["--player", "random"]);
    assert!(!random.ok("list_commands").contains("lz-analyze"));
    random.send("lz-analyze 1\n");
    assert_eq!(random.response(), ["? unknown command"]);
}

/// The visits of all moves of a report that has no `rootInfo`.
fn visits(line: &str) -> u32 {
    let parts = line.split(" visits ").skip(1);
    parts
        .map(|part| part.split(' ').next().unwrap().parse::<u32>().unwrap())
        .sum()
}

/// The moves at even and at odd places of a report's variations.
fn by_turn(line: &Line) -> [Vec<&str>; 2] {
    [0, 1].map(|first| {
        let moves = line
            .infos
            .iter()
            .flat_map(|info| info.pv.iter().skip(first).step_by(2));
        moves.map(String::as_str).collect()
    })
}

#[test]
fn restrictions_of_an_analysis_do_not_choose_the_next_move() {
    let mut talk = Talk::with_network(&["--size", "9", "--visits", "50"]);
    let chosen = talk.ok("reg_genmove b");
    let other = if chosen == "A1" { "B1" } else { "A1" };
    let command = format!("lz-analyze b 5 allow b {other} 1");
    talk.report_when(&command, |line| visits(line) >= 100);
    assert_ne!(talk.ok("reg_genmove b"), other);
}

#[test]
fn avoid_and_allow_restrict_search() {
    for mut talk in [
        Talk::with_network(&["--size", "9"]),
        Talk::with_rollouts(&["--size", "9"]),
    ] {
        let last = |talk: &mut Talk, arguments: &str| {
            let command = format!("lz-analyze b 5 {arguments}");
            leela(&talk.report_when(&command, |line| visits(line) >= 300))
        };
        let free = last(&mut talk, "");
        let best: Vec<String> = free
            .infos
            .iter()
            .take(3)
            .map(|info| info.mv.clone())
            .collect();
        let best = best.join(",");

        let avoiding = last(&mut talk, &format!("avoid b {best} 1"));
        assert!(avoiding.infos.iter().all(|info| !best.contains(&info.mv)));
        let deep = last(
            &mut talk,
            &format!("avoid b {best} 50 avoid w {best},pass 50"),
        );
        let [own, other] = by_turn(&deep);
        for mv in own.iter().chain(&other) {
            assert!(
                !best.split(',').any(|avoided| avoided == *mv),
                "{mv} of {best}"
            );
        }

        let allowing = last(&mut talk, "allow b A1,B2,J9 1");
        assert!(!allowing.infos.is_empty() && allowing.infos.len() <= 3);
        assert!(
            allowing
                .infos
                .iter()
                .all(|info| ["A1", "B2", "J9"].contains(&&*info.mv))
        );
        // Black has nothing to play after that: the search stops there and goes on elsewhere.
        let narrow = last(&mut talk, "allow b A1,B2 20 allow w C3,D4 20");
        let [own, other] = by_turn(&narrow);
        assert!(own.iter().all(|mv| ["A1", "B2"].contains(mv)), "{own:?}");
        assert!(
            other.iter().all(|mv| ["C3", "D4"].contains(mv)),
            "{other:?}"
        );
        let again = last(&mut talk, "");
        assert!(again.infos.len() > 3);

        let few = last(&mut talk, "maxmoves 2");
        assert_eq!(few.infos.len(), 2);
        let many = last(&mut talk, "minmoves 70");
        assert!(many.infos.len() >= 70);

        talk.send("lz-genmove_analyze b avoid b pass 1 allow w A1 1\n");
        let lines = talk.response();
        let played = lines.last().unwrap().strip_prefix("play ").unwrap();
        assert_ne!(played, "pass");
        talk.send("kata-genmove_analyze b allow b A1,pass 1\n");
        let lines = talk.response();
        assert!(["play A1", "play pass"].contains(&&**lines.last().unwrap()));
    }
}

#[test]
fn moves_are_chosen_under_analysis() {
    let mut talk = Talk::with_network(&["--size", "9", "--visits", "60"]);
    for (command, is_played) in [
        ("lz-genmove_analyze black 1", true),
        ("kata-genmove_analyze white", true),
        ("kata-genmove_analyze", true),
        ("kata-search_analyze w 1", false),
        ("kata-search_analyze_cancellable w", false),
    ] {
        let before = talk.ok("move_history").lines().count();
        talk.send(&format!("12 {command}\n"));
        let mut lines = talk.response();
        assert_eq!(lines.remove(0), "=12");
        let played = lines.pop().unwrap();
        let mv = played.strip_prefix("play ").unwrap();
        assert!(mv.parse::<Move>().is_ok(), "{mv}");
        assert!(!lines.is_empty(), "{command}");
        for line in &lines {
            if command.starts_with("lz") {
                leela(line);
            } else {
                kata(line, (9, 9));
            }
        }
        let last = lines.last().unwrap();
        assert!(visits(last) >= 59, "{last}");
        let history = talk.ok("move_history");
        assert_eq!(history.lines().count(), before + usize::from(is_played));
        if is_played {
            assert!(history.lines().next().unwrap().ends_with(mv));
        }
    }
    let found = talk.ok("kata-search b");
    assert!(found.parse::<Move>().is_ok());
    assert!(
        !talk
            .ok("move_history")
            .starts_with(&format!("black {found}"))
    );
}

#[test]
fn any_line_cancels_cancellable_search() {
    let mut talk = Talk::with_rollouts(&["--size", "9", "--visits", "100000000"]);
    for (ending, answer) in [("\n", ""), ("name\n", "= keima"), ("# x\n", "")] {
        let is_answered = |talk: &Talk| {
            if !answer.is_empty() {
                assert_eq!(talk.response(), [answer]);
            }
        };
        talk.send("3 kata-search_cancellable b\n");
        talk.is_silent();
        talk.send(ending);
        assert_eq!(talk.response(), ["=3 cancelled"]);
        is_answered(&talk);
        talk.send("kata-search_analyze_cancellable b 1\n");
        assert_eq!(talk.line(), "=");
        talk.line();
        talk.send(ending);
        assert_eq!(talk.response().last().unwrap(), "play cancelled");
        is_answered(&talk);
    }
    assert_eq!(talk.ok("move_history"), "");
}

#[test]
fn analysis_values_have_configured_point_of_view() {
    let mut talk = Talk::with_network(&["--size", "5", "--visits", "80", "--threads", "1"]);
    talk.ok("play b c3");
    let mut reports = Vec::new();
    for perspective in ["SIDETOMOVE", "BLACK", "WHITE"] {
        talk.ok("clear_cache");
        talk.ok(&format!(
            "kata-set-param reportAnalysisWinratesAs {perspective}"
        ));
        talk.send("kata-search_analyze w rootInfo true ownership true movesOwnership true\n");
        let lines = talk.response();
        let line = &lines[lines.len() - 2];
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        reports.push(words);
    }
    assert_eq!(reports[0], reports[2]);
    let (white, black) = (&reports[0], &reports[1]);
    let mut key = String::new();
    let mut seen = 0;
    for (ours, theirs) in white.iter().zip(black) {
        let (Ok(ours), Ok(theirs)) = (ours.parse::<f64>(), theirs.parse::<f64>()) else {
            assert_eq!(ours, theirs);
            key.clone_from(ours);
            continue;
        };
        let expected = match key.as_str() {
            "winrate" | "lcb" => 1.0 - ours,
            "utility" | "utilityLcb" | "scoreMean" | "scoreLead" | "scoreSelfplay"
            | "ownership" | "movesOwnership" => -ours,
            _ => ours,
        };
        assert!(
            (theirs - expected).abs() < 2e-6,
            "{key}: {ours} and {theirs}"
        );
        seen += 1;
    }
    assert!(seen > 100);
    talk.send("kata-set-param reportAnalysisWinratesAs green\n");
    assert!(talk.response()[0].starts_with("? "));
}

#[test]
fn single_thread_analysis_is_reproducible() {
    let told = || {
        let mut talk = Talk::with_network(&["--size", "7", "--visits", "50", "--threads", "1"]);
        let mut lines = Vec::new();
        for color in ["b", "w", "b", "w"] {
            talk.send(&format!(
                "kata-genmove_analyze {color} ownership true rootInfo true\n"
            ));
            lines.extend(talk.response());
        }
        lines
    };
    assert_eq!(told(), told());
}

#[test]
fn pondering_is_reused_and_stops_at_any_line() {
    // A search that tries every move, so that any reply is known.
    let limits = ["--playouts", "20", "--threads", "1", "--preset", "uct"];
    let arguments = [&["--size", "5"], &limits[..]].concat();
    let visits_after = |pause: Duration, mut talk: Talk, before: &[&str]| {
        for command in before {
            talk.ok(command);
        }
        talk.ok("genmove b");
        thread::sleep(pause);
        talk.ok("name");
        let replies = talk.ok("all_legal w");
        let reply = replies.split_ascii_whitespace().next().unwrap().to_owned();
        talk.ok(&format!("play w {reply}"));
        talk.send("kata-genmove_analyze b rootInfo true\n");
        let lines = talk.response();
        let visits = kata(&lines[lines.len() - 2], (5, 5)).root["visits"];
        (visits, talk)
    };
    let short = Duration::from_millis(100);
    let (without, _) = visits_after(short, Talk::with_rollouts(&arguments), &[]);
    assert!(without <= 42.0, "{without}");
    // A busy machine may need longer for more than these.
    let pondered = |arguments: &[&str], before: &[&str]| {
        let mut pause = short;
        loop {
            let (visits, talk) = visits_after(pause, Talk::with_rollouts(arguments), before);
            if visits > 60.0 {
                return talk;
            }
            pause *= 2;
            assert!(pause < PATIENCE, "{visits} visits");
        }
    };
    pondered(&arguments, &["kata-set-param ponderingEnabled true"]);
    let mut talk = pondered(&[&["--ponder"], &arguments[..]].concat(), &[]);

    // It continues between lines, and not after it was stopped.
    let mut cputime = || talk.ok("cputime").parse::<f64>().unwrap();
    let (before, start) = (cputime(), Instant::now());
    while cputime() < before + 0.1 {
        assert!(start.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(200));
    }
    talk.ok("stop");
    let mut cputime = || talk.ok("cputime").parse::<f64>().unwrap();
    let before = cputime();
    thread::sleep(Duration::from_millis(600));
    assert!(cputime() < before + 0.1);

    let output = under_test::program()
        .args(["--player", "random", "--ponder"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--ponder"));
}

/// Notes whose moves it is asked to evaluate positions for.
struct ForWhom(Arc<Mutex<Vec<Color>>>);

impl Evaluators for ForWhom {
    fn view(&self, mover: Color, _: BoardSize) -> Result<View> {
        self.0.lock().unwrap().push(mover);
        Ok(View::new(Arc::new(HashEvaluator)))
    }
}

#[test]
fn pondering_is_for_the_own_color_whoever_is_to_move() {
    let asked = Arc::<Mutex<Vec<Color>>>::default();
    let params = PlayerParams {
        limits: SearchLimits {
            max_visits: Some(10),
            max_visits_pondering: Some(20),
            pondering: true,
            ..SearchLimits::default()
        },
        ..PlayerParams::default()
    };
    let player = SearchPlayer::new(params, Box::new(ForWhom(Arc::clone(&asked))));
    let mut engine = engine_of(Box::new(player), 9);
    for line in [
        "genmove b",
        "name",
        "play w pass",
        "time_left b 300 0",
        // What is refused changes nothing.
        "kata-search x",
        "reg_genmove x",
    ] {
        engine.handle(line.as_bytes()).unwrap();
        asked.lock().unwrap().clear();
        engine.ponder();
        assert_eq!(*asked.lock().unwrap(), [Color::Black], "after {line}");
    }
    engine.handle(b"stop").unwrap();
    asked.lock().unwrap().clear();
    engine.ponder();
    assert!(asked.lock().unwrap().is_empty());
}

#[test]
fn a_move_without_search_is_reported_too() {
    for mut talk in [
        Talk::with_network(&["--size", "9", "--visits", "1"]),
        Talk::with_rollouts(&["--size", "9", "--visits", "1"]),
    ] {
        let mut line_of = |command: &str| {
            talk.send(&format!("{command}\n"));
            let lines = talk.response();
            assert_eq!(lines.len(), 3, "{lines:?}");
            assert!(lines[2].starts_with("play "), "{lines:?}");
            lines[1].clone()
        };
        let unvisited = leela(&line_of("lz-genmove_analyze b")).infos;
        assert_eq!(unvisited.len(), 1);
        let figures = &unvisited[0].figures;
        assert_eq!(
            (figures["visits"], figures["lcb"]),
            (0.0, figures["winrate"])
        );
        let line = kata(&line_of("kata-genmove_analyze w rootInfo true"), (9, 9));
        assert_eq!((line.infos.len(), line.root["visits"]), (1, 1.0));
        let json = line_of("cgos-genmove_analyze b");
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["moves"].as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn analysis_reuses_tree() {
    // Where moves are alike, what is known of all but one would be dropped.
    let all = "rootSymmetryPruning=false";
    let mut talk = Talk::with_rollouts(&["--size", "5", "--threads", "1", "--set", all]);
    let best = |line: &str| kata(line, (5, 5)).infos.remove(0);
    let line = talk.report_when("kata-analyze b 20 rootInfo true", |line| {
        best(line).figures["visits"] > 40.0
    });
    let best = best(&line);
    talk.ok(&format!("play b {}", best.mv));
    let line = talk.reports("kata-analyze 1 rootInfo true", 1).remove(0);
    let visits = kata(&line, (5, 5)).root["visits"];
    assert!(visits >= best.figures["visits"], "{visits} after {best:?}");
    // The new tree is bounded by visits: a report by time may come late on a busy machine.
    talk.ok("clear_cache");
    talk.ok("kata-set-param maxVisits 20");
    talk.send("kata-search_analyze w rootInfo true\n");
    let lines = talk.response();
    let line = &lines[lines.len() - 2];
    assert!(kata(line, (5, 5)).root["visits"] < visits);
}

/// The priors that an analysis of 9x9 tells after moves, of which the last ones are played after another analysis.
fn priors(talk: &mut Talk, moves: &str, later: usize) -> BTreeMap<String, f64> {
    let analyzed = |talk: &mut Talk| {
        let line = talk.report_when("kata-analyze 1", |line| kata(line, (9, 9)).infos.len() > 2);
        let infos = kata(&line, (9, 9)).infos.into_iter();
        infos.map(|info| (info.mv, info.figures["prior"])).collect()
    };
    let moves: Vec<&str> = moves.split(' ').collect();
    talk.ok("clear_board");
    for (turn, mv) in moves.iter().enumerate() {
        if later > 0 && turn + later == moves.len() {
            let _: BTreeMap<String, f64> = analyzed(talk);
        }
        talk.ok(&format!("play {} {mv}", ["b", "w"][turn % 2]));
    }
    analyzed(talk)
}

#[test]
fn an_analysis_tells_the_network_no_earlier_moves() {
    let new = || Talk::with_network(&["--size", "9", "--threads", "1", "--symmetries", "none"]);
    let is_alike = |first: &BTreeMap<String, f64>, second: &BTreeMap<String, f64>| {
        let shared = first
            .iter()
            .filter_map(|(mv, prior)| Some((prior, second.get(mv)?)));
        let differences: Vec<f64> = shared.map(|(a, b)| (a - b).abs()).collect();
        assert!(differences.len() > 1, "{first:?} {second:?}");
        differences.into_iter().fold(0.0, f64::max) < 1e-9
    };
    let (one, other) = ("E5 G6 F3 C4", "F3 C4 E5 G6");
    let mut talk = new();
    let hidden = priors(&mut talk, one, 0);
    assert!(is_alike(&hidden, &priors(&mut new(), other, 0)));
    // Where a tree is gone on with, too.
    assert!(is_alike(&hidden, &priors(&mut new(), one, 1)));
    assert!(is_alike(&hidden, &priors(&mut new(), one, 2)));
    // From now on it is told them, although there is a tree that was not.
    talk.ok("kata-set-param analysisIgnorePreRootHistory false");
    let shown = priors(&mut talk, one, 0);
    assert!(!is_alike(&hidden, &shown));
    assert!(!is_alike(&shown, &priors(&mut talk, other, 0)));
}

#[test]
fn random_input_keeps_framing() {
    const NAMES: [&str; 8] = [
        "lz-analyze",
        "lz-genmove_analyze",
        "kata-analyze",
        "kata-genmove_analyze",
        "kata-search_analyze",
        "kata-search_analyze_cancellable",
        "kata-search",
        "play b",
    ];
    const WORDS: [&str; 24] = [
        "b",
        "w",
        "1",
        "10.5",
        "-3",
        "1e300",
        "nan",
        "interval",
        "avoid",
        "allow",
        "A1",
        "C3,D4",
        "pass",
        ",",
        "T25",
        "minmoves",
        "maxmoves",
        "ownership",
        "pvVisits",
        "rootInfo",
        "true",
        "false",
        "movesOwnership",
        "\u{e9}",
    ];
    let evaluator = Arc::new(RolloutEvaluator::new(1, 1));
    let params = PlayerParams {
        search: SearchParams::uct(),
        limits: SearchLimits {
            max_playouts: Some(3),
            ..SearchLimits::default()
        },
        ..PlayerParams::default()
    };
    let player = SearchPlayer::new(params, Box::new(View::new(evaluator)));
    let identity = Identity {
        name: "keima".to_owned(),
        version: "1.0".to_owned(),
    };
    let (size, komi) = (BoardSize::square(4), Komi::from_half(15));
    let mut engine = Engine::new(Box::new(player), identity, size, Rules::TROMP_TAYLOR, komi);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut streams, mut failures) = (0, 0);
    for number in 0..4000 {
        let mut line = format!("{number} {}", NAMES.choose(&mut rng).unwrap());
        for _ in 0..rng.random_range(0..7) {
            line = format!("{line} {}", WORDS.choose(&mut rng).unwrap());
        }
        let response = engine.handle(line.as_bytes()).unwrap();
        let body = response
            .strip_suffix("\n\n")
            .unwrap_or(&response[..response.len() - 1]);
        assert!(
            !body.contains("\n\n") && response.ends_with('\n'),
            "{line}: {response:?}"
        );
        match body.strip_prefix(&format!("={number}")) {
            Some(_) => streams += 1,
            None => {
                assert!(
                    body.starts_with(&format!("?{number} ")),
                    "{line}: {response:?}"
                );
                failures += 1;
            }
        }
    }
    println!("{streams} answers, {failures} failures");
    assert!(streams > 300 && failures > 1000);
}

/// What the side to move owns of each point, which differs from position to position.
fn share(position: &Position) -> f32 {
    (position.key() % 1000) as f32 / 1000.0
}

fn owning() -> impl Evaluator<Position> {
    By(|position: &Position| {
        let request = Request::inner(position.clone());
        Evaluation {
            ownership: vec![share(position); 25],
            ..HashEvaluator.evaluate_one(request).unwrap()
        }
    })
}

#[test]
fn ownership_is_averaged_by_squares_of_weights() {
    let wanted = Detail {
        ownership: true,
        moves_ownership: true,
        ..Detail::default()
    };
    let run = |visits| {
        let mut search = Search::new(SearchParams::plain());
        search.set_root(empty(5, 5));
        search.want_ownership();
        let limits = Limits::visits(visits);
        search
            .run(&owning(), &limits, &AtomicBool::new(false))
            .unwrap();
        search.report_in(wanted).unwrap()
    };
    let root = f64::from(share(&empty(5, 5)));
    let mut uneven = 0;
    for visits in 1..40 {
        let report = run(visits);
        let ownership = report.ownership.unwrap();
        // What lies deeper is cut off here and there.
        if report.moves.iter().any(|mv| mv.visits > 2) {
            break;
        }
        let squares: u32 = report.moves.iter().map(|mv| mv.visits.pow(2)).sum();
        let mut mean = root / visits as f64;
        for mv in &report.moves {
            let part = f64::from(mv.visits.pow(2)) / f64::from(squares);
            let owner = mv.ownership.as_ref().unwrap().mean[24];
            mean += (visits - 1) as f64 / visits as f64 * part * f64::from(owner);
            uneven += usize::from(mv.visits == 2 && report.moves.len() > 1);
        }
        assert!(
            (f64::from(ownership.mean[0]) - mean).abs() < 1e-6,
            "{visits} visits"
        );
        assert_eq!(ownership.stdev[0] > 1e-4, visits > 1);
    }
    assert!(uneven > 0);
    // It was not requested, so it is not known.
    let mut search = Search::new(SearchParams::plain());
    search.set_root(empty(5, 5));
    let limits = Limits::visits(20);
    search
        .run(&owning(), &limits, &AtomicBool::new(false))
        .unwrap();
    assert_eq!(search.report_in(wanted).unwrap().ownership, None);
    search.want_ownership();
    search
        .run(&owning(), &limits, &AtomicBool::new(false))
        .unwrap();
    search.validate().unwrap();
    assert_eq!(
        search
            .report_in(wanted)
            .unwrap()
            .ownership
            .unwrap()
            .mean
            .len(),
        25
    );
}

#[test]
fn an_interrupt_ends_the_search_for_a_move() {
    let mut talk = Talk::with_rollouts(&["--size", "9", "--set", "maxVisits=100000000"]);
    assert!(talk.ok("list_commands").contains("gogui-interrupt"));
    assert_eq!(talk.ok("gogui-interrupt"), "");
    for command in ["genmove b", "genmove w", "kata-search b"] {
        // One that comes before does nothing, nor does another command.
        talk.send(&format!("# interrupt\n{command}\nname\n"));
        talk.is_silent();
        talk.send("# interrupt\n");
        let answer = talk.response();
        assert!(
            answer.len() == 1 && answer[0].starts_with("= "),
            "{answer:?}"
        );
        assert_eq!(talk.response(), ["= keima"]);
    }
    talk.send("lz-genmove_analyze b\n");
    assert_eq!(talk.line(), "=");
    talk.send("# interrupt\n");
    let answer = talk.response();
    assert!(answer.last().unwrap().starts_with("play "), "{answer:?}");
    assert_eq!(talk.ok("move_history").lines().count(), 3);
}

#[test]
fn cgos_analysis_is_json() {
    for mut talk in [
        Talk::with_network(&["--size", "9", "--visits", "100"]),
        Talk::with_rollouts(&["--size", "9", "--visits", "100"]),
    ] {
        talk.ok("play b c4");
        talk.send("3 cgos-genmove_analyze w\n");
        let lines = talk.response();
        assert_eq!((lines.len(), lines[0].as_str()), (3, "=3"), "{lines:?}");
        let json: serde_json::Value = serde_json::from_str(&lines[1]).unwrap();
        let is_share = |value: &serde_json::Value| {
            value
                .as_f64()
                .is_some_and(|share| (0.0..=1.0).contains(&share))
        };
        assert!(is_share(&json["winrate"]) && json["score"].is_f64());
        assert_eq!(json["ownership"].as_str().map(str::len), Some(81));
        let moves = json["moves"].as_array().unwrap();
        assert!((1..=10).contains(&moves.len()));
        let visits: u64 = moves.iter().filter_map(|mv| mv["visits"].as_u64()).sum();
        assert!(visits > 0 && json["visits"].as_u64() > Some(visits));
        for mv in moves {
            assert!(is_share(&mv["winrate"]) && is_share(&mv["prior"]));
            let mut after = empty(9, 9);
            after.try_play("C4".parse().unwrap()).unwrap();
            let following = mv["pv"].as_str().unwrap().split_whitespace();
            for mv in [mv["move"].as_str().unwrap()].into_iter().chain(following) {
                after.try_play(mv.parse().unwrap()).unwrap();
            }
        }
        let played = lines[2].strip_prefix("play ").unwrap();
        assert!(
            talk.ok("move_history")
                .starts_with(&format!("white {played}"))
        );
        talk.send("cgos-genmove_analyze\n5 cgos-genmove_analyze w x\n");
        assert_eq!(talk.response()[0], "=");
        assert!(talk.response()[0].starts_with("?5 "));
    }
}
