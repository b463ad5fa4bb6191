//! Queries as clients send them, and what they need of the answers.

use serde_json::{Value, json};

use super::service::{Service, hashing, number, with_network};

/// Lines of KaTrain 1.20 on a new 9x9 game: every query has these fields.
fn katrain(id: usize, changes: Value) -> Value {
    let mut query = json!({
        "id": format!("QUERY:{id}"), "rules": "japanese", "priority": 1000, "analyzeTurns": [0],
        "maxVisits": 25, "komi": 6.5, "boardXSize": 9, "boardYSize": 9, "includeOwnership": true,
        "includeMovesOwnership": false, "includePolicy": true, "initialStones": [],
        "initialPlayer": "B", "moves": [],
        "overrideSettings": {
            "reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.04, "maxTime": 8.0,
        },
    });
    query
        .as_object_mut()
        .unwrap()
        .extend(changes.as_object().unwrap().clone());
    query
}

/// What KaTrain reads of a result.
fn check_katrain(answer: &Value, points: usize) {
    for path in [
        "/rootInfo/visits",
        "/rootInfo/winrate",
        "/rootInfo/scoreLead",
    ] {
        number(answer, path);
    }
    let infos = answer["moveInfos"].as_array().unwrap();
    assert!(!infos.is_empty());
    for (order, info) in infos.iter().enumerate() {
        assert_eq!(info["order"], order);
        for name in ["visits", "winrate", "scoreLead", "prior"] {
            number(info, &format!("/{name}"));
        }
        assert_eq!(info["pv"][0], info["move"]);
    }
    assert_eq!(answer["policy"].as_array().unwrap().len(), points + 1);
    assert_eq!(answer["ownership"].as_array().unwrap().len(), points);
}

#[test]
fn katrain_reviews_a_game() {
    let mut service = Service::new(with_network("s12.bin.gz"), 2);
    let played = json!([["B", "E5"], ["W", "G7"], ["B", "C3"], ["W", "pass"]]);
    let mut queries = vec![
        katrain(1, json!({"reportDuringSearchEvery": 1.0})),
        katrain(2, json!({"rules": "stone_scoring", "priority": -100})),
        katrain(
            3,
            json!({"rules": "new zealand", "analyzeTurns": [4], "moves": played}),
        ),
        katrain(
            4,
            json!({
                "rules": "aga", "includeMovesOwnership": true, "moves": played, "analyzeTurns": [2],
                "avoidMoves": [{"moves": ["E5", "D4", "C3"], "player": "B", "untilDepth": 1}],
            }),
        ),
        katrain(
            5,
            json!({"initialStones": [["B", "C3"], ["B", "G7"]], "initialPlayer": "W"}),
        ),
    ];
    queries[1]["overrideSettings"]["playoutDoublingAdvantage"] = json!(1.5);
    queries[1]["overrideSettings"]["playoutDoublingAdvantagePla"] = json!("BLACK");
    queries[2]["overrideSettings"]["antiMirror"] = json!(true);
    queries[3]["overrideSettings"]["ignorePreRootHistory"] = json!(false);
    for query in &queries {
        service.send(&query.to_string());
    }
    let mut answers = service.end();
    assert_eq!(answers.len(), queries.len());
    answers.sort_by_key(|answer| answer["id"].to_string());
    for (answer, query) in answers.iter().zip(&queries) {
        assert_eq!(answer["id"], query["id"], "{answer}");
        assert_eq!(answer["isDuringSearch"], false);
        assert_eq!(answer["turnNumber"], query["analyzeTurns"][0]);
        check_katrain(answer, 81);
    }
    assert_eq!(
        answers[3]["moveInfos"][0]["ownership"]
            .as_array()
            .unwrap()
            .len(),
        81
    );
    assert_eq!(answers[4]["rootInfo"]["currentPlayer"], "W");
}

#[test]
fn loose_records_and_numbers_are_taken_as_katago_takes_them() {
    let mut service = Service::new(with_network("s12.bin.gz"), 1);
    // Black takes the ko back at once.
    let played = json!([
        ["B", "D4"],
        ["W", "E4"],
        ["B", "E5"],
        ["W", "F5"],
        ["B", "D6"],
        ["W", "E6"],
        ["B", "C5"],
        ["W", "D5"],
        ["B", "E5"]
    ]);
    let ko = katrain(
        1,
        json!({"moves": played, "analyzeTurns": [8.0, 9.0], "priorities": [2.0, 1]}),
    );
    let mut ko = ko;
    ko.as_object_mut().unwrap().remove("priority");
    service.send(&ko.to_string());
    let turns = [service.answer(), service.answer()].map(|answer| answer["turnNumber"].clone());
    assert_eq!(turns, [json!(8), json!(9)]);
    // Komi of rules in a string counts as that of an object does.
    let mut of_rules = |rules: Value| {
        let mut query = katrain(2, json!({"rules": rules}));
        query.as_object_mut().unwrap().remove("komi");
        let answer = service.ask(&query);
        answer["rootInfo"]["scoreLead"].clone()
    };
    let object = json!({"ko": "SIMPLE", "komi": -20});
    let lead = of_rules(object.clone());
    assert_eq!(of_rules(json!(object.to_string())), lead);
    assert_ne!(of_rules(json!({"ko": "SIMPLE"})), lead);
    // Switches of KataGo that stand for a value.
    let mut with = |settings: Value| {
        let answer = service.ask(&katrain(
            4,
            json!({"overrideSettings": settings, "maxVisits": 60}),
        ));
        assert!(answer.get("warning").is_none(), "{answer}");
        answer["rootInfo"]["winrate"].clone()
    };
    let off = with(json!({"useUncertainty": false}));
    assert_eq!(off, with(json!({"uncertaintyCoeff": 0})));
    assert_ne!(off, with(json!({"useUncertainty": true})));
    for wrong in [json!({"analyzeTurns": [0.5]}), json!({"analyzeTurns": 0})] {
        assert_eq!(service.ask(&katrain(3, wrong))["field"], "analyzeTurns");
    }
}

#[test]
fn katrain_ends_pondering() {
    let mut service = Service::new(with_network("s8.bin.gz"), 1);
    let ponder = katrain(
        1,
        json!({
            "maxVisits": 10_000_000, "reportDuringSearchEvery": 0.001, "priority": -1,
        }),
    );
    service.send(&ponder.to_string());
    // The first reports may come before a move has been visited.
    let report = loop {
        let report = service.answer();
        assert_eq!(report["isDuringSearch"], true);
        if report["moveInfos"] != json!([]) {
            break report;
        }
    };
    check_katrain(&report, 81);
    let end = json!({"id": "QUERY:2", "action": "terminate", "terminateId": "QUERY:1"});
    service.send(&end.to_string());
    let rest = service.end();
    let is_result = |answer: &&Value| answer["isDuringSearch"] == false;
    let results: Vec<&Value> = rest.iter().filter(is_result).collect();
    assert_eq!(results.len(), 1);
    check_katrain(results[0], 81);
    assert!(rest.contains(&end));
}

#[test]
fn ogatak_probes_analyzes_and_stops() {
    let mut service = Service::new(with_network("s8.bin.gz"), 1);
    let version = service.ask(&json!({"id": "query_version", "action": "query_version"}));
    let numbers = version["version"]
        .as_str()
        .unwrap()
        .split('.')
        .map(str::parse::<u32>);
    let numbers: Vec<u32> = numbers.map(Result::unwrap).collect();
    assert!(
        numbers.len() == 3 && numbers >= vec![1, 12, 0],
        "{numbers:?}"
    );
    assert_eq!(version["action"], "query_version");
    let large = json!({
        "id": "test_bs29", "rules": "Chinese", "boardXSize": 29, "boardYSize": 29, "maxVisits": 1,
        "moves": [],
    });
    let refused = service.ask(&large);
    assert_eq!(
        (&refused["id"], refused["error"].is_string()),
        (&json!("test_bs29"), true)
    );
    let asked = |id: &str| {
        json!({
            "id": id, "rules": "Chinese", "komi": 7.5, "boardXSize": 9, "boardYSize": 9,
            "maxVisits": 1_000_000, "analysisPVLen": 32, "reportDuringSearchEvery": 0.01,
            "firstReportDuringSearchAfter": 0.01, "includePolicy": true, "includeOwnership": true,
            "includeMovesOwnership": true, "initialPlayer": "B", "moves": [["B", "E5"]],
            "overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.0},
        })
    };
    for id in ["node_1", "node_2"] {
        let report = service.ask(&asked(id));
        assert_eq!(
            (&report["id"], &report["isDuringSearch"]),
            (&json!(id), &json!(true))
        );
        // The next query is only sent after the echo.
        let stop = json!({
            "id": format!("stop!{id}"), "action": "terminate", "terminateId": id,
        });
        service.send(&stop.to_string());
        let mut answers = service.answers_until(|answer| *answer == stop);
        if !answers
            .iter()
            .any(|answer| answer["isDuringSearch"] == false)
        {
            answers.extend(service.answers_until(|answer| answer["isDuringSearch"] == false));
        }
        let result = answers
            .iter()
            .find(|answer| answer["isDuringSearch"] == false)
            .unwrap();
        assert_eq!(result["id"], id);
    }
    assert!(service.end().is_empty());
}

#[test]
fn lizzieyzy_gets_the_fields_that_it_cannot_do_without() {
    let mut service = Service::new(with_network("s12.bin.gz"), 2);
    let rules = json!({
        "scoring": "TERRITORY", "ko": "SIMPLE", "suicide": false, "tax": "SEKI",
        "whiteHandicapBonus": "0", "hasButton": false, "friendlyPassOk": false,
    });
    for turn in 0..3 {
        let asked = json!({
            "id": format!("{}", turn + 7), "rules": rules, "komi": 6.5, "boardXSize": 9,
            "boardYSize": 9, "maxVisits": 12, "analyzeTurns": [turn], "includePVVisits": true,
            "moves": [["B", "E5"], ["W", "C3"]],
            "overrideSettings": {"reportAnalysisWinratesAs": "SIDETOMOVE"},
        });
        service.send(&asked.to_string());
    }
    let answers = service.end();
    let mut ids: Vec<u32> = answers
        .iter()
        .map(|answer| answer["id"].as_str().unwrap().parse().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [7, 8, 9]);
    for answer in &answers {
        for info in answer["moveInfos"].as_array().unwrap() {
            for name in [
                "order",
                "visits",
                "winrate",
                "lcb",
                "prior",
                "scoreLead",
                "scoreStdev",
            ] {
                number(info, &format!("/{name}"));
            }
            let lengths =
                ["pv", "pvVisits", "pvEdgeVisits"].map(|name| info[name].as_array().unwrap().len());
            assert!(lengths[0] > 0 && lengths == [lengths[0]; 3]);
        }
    }
}

#[test]
fn actions_are_echoed_with_their_fields() {
    let mut service = Service::new(hashing(), 1);
    let models = service.ask(&json!({"id": "m", "action": "query_models", "note": [1, {}]}));
    let expected = json!({
        "id": "m", "action": "query_models", "note": [1, {}],
        "models": [{
            "name": "test.bin.gz", "internalName": "test", "maxBatchSize": 1,
            "usesHumanSLProfile": false, "version": 11, "usingFP16": "false",
        }],
    });
    assert_eq!(models, expected);
    let clear = json!({"id": "c", "action": "clear_cache"});
    assert_eq!(service.ask(&clear), clear);
    let version = service.ask(&json!({"id": "v", "action": "query_version"}));
    assert_eq!(version["git_hash"], "<omitted>");
    assert!(service.end().is_empty());
}
