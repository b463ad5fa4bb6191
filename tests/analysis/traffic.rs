//! Many queries at once: order, ends, and bounds.

use std::collections::{HashMap, HashSet};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::service::{Service, hashing, moves, query, with_network};
use keima::go::{BoardSize, Komi, Move, Position, Rules};

/// A game of random legal moves on a small board, as a list for queries.
fn random_game(random: &mut ChaCha8Rng, size: usize) -> Value {
    let mut position = Position::new(
        BoardSize::square(size),
        Rules::TROMP_TAYLOR,
        Komi::from_half(15),
    );
    let mut played = String::new();
    for _ in 0..random.random_range(4..30) {
        let legal: Vec<Move> = position
            .legal_moves()
            .filter(|mv| *mv != Move::Pass)
            .collect();
        let Some(&mv) = legal.get(random.random_range(0..legal.len().max(1))) else {
            break;
        };
        position.play(mv);
        played += &format!("{mv} ");
    }
    moves(&played)
}

/// A line that is no request, of many kinds.
fn malformed(random: &mut ChaCha8Rng) -> String {
    let good = query(json!({"id": "never"})).to_string();
    match random.random_range(0..5) {
        0 => good[..random.random_range(1..good.len())].to_owned(),
        1 => good.replace("\"id\"", "\"name\""),
        2 => good.replace("[]", "[[\"B\",\"Z99\"]]"),
        3 => "[".repeat(random.random_range(1..300)),
        _ => format!("{}", random.random::<f64>()),
    }
}

/// A thousand queries over fifty games with random priorities, some of which are ended, with malformed
/// lines in between: each id and turn is answered once.
fn answers_each_turn_once(malformed_lines: usize) {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let games: Vec<(usize, Value)> = (0..50)
        .map(|_| {
            let size = random.random_range(3..8);
            (size, random_game(&mut random, size))
        })
        .collect();
    let mut service = Service::new(hashing(), 4);
    let mut expected = HashSet::new();
    let mut ended = 0;
    let mut errors = 0;
    for number in 0..1000 {
        for _ in 0..malformed_lines / 1000 {
            service.send(&malformed(&mut random));
            errors += 1;
        }
        let (size, game) = &games[random.random_range(0..games.len())];
        let turns: Vec<usize> = (0..random.random_range(1..4))
            .map(|_| random.random_range(0..=game.as_array().unwrap().len()))
            .collect();
        let id = format!("game {number}");
        expected.extend(turns.iter().map(|turn| (id.clone(), *turn)));
        let asked = query(json!({
            "id": id, "boardXSize": size, "boardYSize": size, "moves": game, "analyzeTurns": turns,
            "priority": random.random_range(-5..5), "maxVisits": random.random_range(1..30),
        }));
        service.send(&asked.to_string());
        if random.random_range(0..4) == 0 {
            let target = format!("game {}", random.random_range(0..=number));
            let end = json!({"id": format!("end {number}"), "action": "terminate", "terminateId": target});
            service.send(&end.to_string());
            ended += 1;
        }
    }
    service.send("{\"id\":\"all\",\"action\":\"terminate_all\",\"turnNumbers\":[0,1,2]}");
    let mut answered = HashMap::new();
    let (mut echoes, mut mistakes, mut without_results) = (0, 0, 0);
    for answer in service.end() {
        if answer.get("error").is_some() {
            mistakes += 1;
        } else if answer.get("action").is_some() {
            echoes += 1;
        } else {
            assert_eq!(answer["isDuringSearch"], false);
            let turn = answer["turnNumber"].as_u64().unwrap() as usize;
            let id = answer["id"].as_str().unwrap().to_owned();
            *answered.entry((id, turn)).or_insert(0) += 1;
            without_results += usize::from(answer["noResults"] == true);
            assert_eq!(
                answer.get("rootInfo").is_none(),
                answer["noResults"] == true
            );
        }
    }
    assert!(answered.values().all(|&count| count == 1));
    assert_eq!(answered.into_keys().collect::<HashSet<_>>(), expected);
    assert_eq!((echoes, mistakes), (ended + 1, errors));
    assert!(without_results < expected.len());
}

#[test]
fn each_id_and_turn_is_answered_exactly_once() {
    answers_each_turn_once(0);
}

#[test]
fn malformed_lines_in_between_change_nothing() {
    answers_each_turn_once(10_000);
}

/// Visits that no search makes in a test.
const ENDLESS: u64 = 1 << 40;

/// A server whose only worker is busy with the query `busy`.
fn occupied() -> Service {
    let mut service = Service::new(hashing(), 1);
    let busy = query(json!({
        "id": "busy", "priority": 1000, "maxVisits": ENDLESS, "firstReportDuringSearchAfter": 0.001,
    }));
    assert_eq!(service.ask(&busy)["isDuringSearch"], true);
    service
}

fn end_of(id: &str) -> String {
    json!({"id": format!("end of {id}"), "action": "terminate", "terminateId": id}).to_string()
}

#[test]
fn higher_priorities_come_first_then_earlier_queries() {
    let mut service = occupied();
    for (id, priority) in [("a", -3), ("b", 0), ("c", 7), ("d", 0), ("e", -1_000_000)] {
        service.send(&query(json!({"id": id, "priority": priority})).to_string());
    }
    let turns = json!({
        "id": "f", "moves": moves("C3 D4 E5"), "analyzeTurns": [3, 0, 2], "priorities": [-4, 6, 8],
    });
    service.send(&query(turns).to_string());
    service.send(&end_of("busy"));
    let answers = service.end();
    let order: Vec<String> = answers
        .iter()
        .filter(|answer| answer.get("action").is_none())
        .map(|answer| format!("{}{}", answer["id"].as_str().unwrap(), answer["turnNumber"]))
        .collect();
    assert_eq!(
        order,
        ["busy0", "f2", "c0", "f0", "b0", "d0", "a0", "f3", "e0"]
    );
}

#[test]
fn terminations_end_what_they_name() {
    let mut service = occupied();
    for id in ["a", "b"] {
        let asked = json!({"id": id, "moves": moves("C3 D4"), "analyzeTurns": [0, 1, 2]});
        service.send(&query(asked).to_string());
    }
    let no_results = |id: &str, turn: usize| json!({"id": id, "isDuringSearch": false, "noResults": true, "turnNumber": turn});
    // Of what waits, with the echo after it.
    let request =
        json!({"id": "x", "action": "terminate", "terminateId": "a", "turnNumbers": [1, 7]});
    assert_eq!(service.ask(&request), no_results("a", 1));
    assert_eq!(service.answer(), request);
    // Of what does not exist.
    let request = json!({"id": "y", "action": "terminate", "terminateId": "c", "more": [1]});
    assert_eq!(service.ask(&request), request);
    let request = json!({"id": "z", "action": "terminate_all", "turnNumbers": [0, 2]});
    service.send(&request.to_string());
    // What has begun answers with what it has found, in its own time.
    let rest = service.end();
    let position = |wanted: &Value| rest.iter().position(|answer| answer == wanted);
    let ended =
        [("a", 0), ("a", 2), ("b", 0), ("b", 2)].map(|(id, turn)| position(&no_results(id, turn)));
    assert!(ended.is_sorted() && ended[0].is_some(), "{ended:?}");
    assert!(position(&request) > ended[3]);
    let with_results: Vec<(&str, u64)> = rest
        .iter()
        .filter(|answer| answer.get("rootInfo").is_some())
        .map(|answer| {
            (
                answer["id"].as_str().unwrap(),
                answer["turnNumber"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(with_results, [("busy", 0), ("b", 1)]);
    assert_eq!(rest.len(), 4 + 1 + 2);
}

#[test]
fn stopping_answers_everything_that_is_open() {
    let mut service = occupied();
    let moves = moves("C3 D4 E5 F6");
    for number in 0..100 {
        let asked = json!({"id": format!("{number}"), "moves": moves, "analyzeTurns": [0, 2, 4]});
        service.send(&query(asked).to_string());
    }
    // Read before what follows is done.
    let version = json!({"id": "v", "action": "query_version"});
    let answer = service.ask(&version);
    assert_eq!(
        (&answer["version"], &answer["id"]),
        (&json!("1.17.2"), &json!("v"))
    );
    service.server.stop();
    let answers = service.end();
    let has_results = |answer: &&Value| answer.get("rootInfo").is_some();
    let with_results: Vec<&Value> = answers.iter().filter(has_results).collect();
    assert_eq!((answers.len(), with_results.len()), (301, 1));
    assert_eq!(with_results[0]["id"], "busy");
    assert_eq!(
        answers
            .iter()
            .filter(|answer| answer["noResults"] == true)
            .count(),
        300
    );
}

#[test]
fn no_more_queries_are_read_while_too_many_positions_wait() {
    let mut engine = hashing();
    engine.params.max_waiting = 50;
    let mut service = Service::new(engine, 2);
    for number in 0..2000 {
        let asked = json!({"id": format!("{number}"), "boardXSize": 5, "boardYSize": 5});
        service.send(&query(asked).to_string());
    }
    let server = service.server.clone();
    assert_eq!(service.end().len(), 2000);
    assert!(
        (1..=50).contains(&server.most_waiting()),
        "{}",
        server.most_waiting()
    );
}

#[test]
fn equal_queries_get_equal_answers_whatever_else_runs() {
    let asked = |id: &str| {
        query(json!({
            "id": id, "boardXSize": 7, "boardYSize": 7, "moves": moves("C3 D5 E4"), "analyzeTurns": [3],
            "maxVisits": 60, "includeOwnership": true, "includeMovesOwnership": true, "includePolicy": true,
            "overrideSettings": {"wideRootNoise": 0.1},
        }))
    };
    let mut alone = Service::new(with_network("s12.bin.gz"), 1);
    let expected = alone.ask(&asked("same"));
    assert!(alone.end().is_empty());
    let mut service = Service::new(with_network("s12.bin.gz"), 4);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for number in 0..40 {
        let other = json!({
            "id": "other", "boardXSize": 7, "boardYSize": 7, "moves": moves("C3 D5 E4 C5"),
            "analyzeTurns": [number % 5], "maxVisits": 40, "includeOwnership": number % 3 == 0,
            "overrideSettings": {"playoutDoublingAdvantage": random.random_range(-1..2)},
        });
        service.send(&query(other).to_string());
        service.send(&asked("same").to_string());
    }
    let answers = service.end();
    let same: Vec<&Value> = answers
        .iter()
        .filter(|answer| answer["id"] == "same")
        .collect();
    assert_eq!(same.len(), 40);
    assert!(same.iter().all(|answer| **answer == expected));
}
