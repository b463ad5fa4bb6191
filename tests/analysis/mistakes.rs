//! Errors and warnings: each form, with the field it is about.

use keima::analysis::ServerParams;
use serde_json::{Value, json};

use super::service::{Service, hashing, hashing_with, moves, params, query, with_network};

/// Changes of a good query that make it a bad one, with the field that the error names and its text.
fn bad_fields() -> Vec<(Value, &'static str, &'static str)> {
    let size = "Must provide an integer from 2 to 25";
    let no_moves = "Must be an array of pairs of the form: [\"b\" or \"w\", GTP board vertex]";
    let no_rules = "Must specify rules string, such as \"chinese\" or \"tromp-taylor\", or a JSON \
        object with detailed rules parameters.";
    let komi = "Must be a integer or half-integer from -400.0 to 400.0";
    let no_turns = "Must specify an array of integers indicating turns to analyze";
    let priority = "Must be a number between -2^62 and 2^62";
    let no_list = "Must be a list of dicts with subfields 'player', 'moves', 'untilDepth'";
    let visits = "Must be an integer from 1 to 2^50";
    let seconds = "Must be number of seconds from 0.001 to 1000000.0";
    let entry = |changes: Value| {
        let mut entry = json!({"player": "B", "moves": ["C3"], "untilDepth": 1});
        entry
            .as_object_mut()
            .unwrap()
            .extend(changes.as_object().unwrap().clone());
        json!([entry])
    };
    vec![
        (json!({"boardXSize": 29}), "boardXSize", size),
        (json!({"boardXSize": "9"}), "boardXSize", size),
        (json!({"boardYSize": 1}), "boardYSize", size),
        (json!({"boardYSize": 9.5}), "boardYSize", size),
        (json!({"boardYSize": null}), "boardYSize", size),
        (json!({"moves": "C3"}), "moves", no_moves),
        (json!({"moves": [["B"]]}), "moves", no_moves),
        (json!({"moves": [["B", 3]]}), "moves", no_moves),
        (
            json!({"moves": [["X", "C3"]]}),
            "moves",
            "Could not parse player: X",
        ),
        (
            json!({"moves": [["B", "I3"]]}),
            "moves",
            "Could not parse board location: I3",
        ),
        (
            json!({"moves": [["B", "C10"]]}),
            "moves",
            "Could not parse board location: C10",
        ),
        (
            json!({"moves": [["B", "(9,0)"]]}),
            "moves",
            "Could not parse board location: (9,0)",
        ),
        (
            json!({"moves": moves("C3 C3")}),
            "moves",
            "Illegal move 1: C3",
        ),
        (
            json!({"initialStones": [["B", "pass"]]}),
            "initialStones",
            "Could not parse board location: pass",
        ),
        (json!({"initialStones": 1}), "initialStones", no_moves),
        (
            json!({"initialStones": [["W", "A1"], ["B", "A2"], ["B", "B1"]]}),
            "initialStones",
            "no liberties at A1",
        ),
        (
            json!({"initialPlayer": "red"}),
            "initialPlayer",
            "Must be \"b\" or \"w\"",
        ),
        (
            json!({"initialPlayer": 1}),
            "initialPlayer",
            "Must be \"b\" or \"w\"",
        ),
        (json!({"analyzeTurns": [0.5]}), "analyzeTurns", no_turns),
        (json!({"analyzeTurns": 0}), "analyzeTurns", no_turns),
        (
            json!({"analyzeTurns": [1]}),
            "analyzeTurns",
            "Invalid turn number: 1",
        ),
        (
            json!({"analyzeTurns": [0, -1]}),
            "analyzeTurns",
            "Invalid turn number: -1",
        ),
        (
            json!({"priorities": [1]}),
            "priorities",
            "Can only specify when also specifying analyzeTurns",
        ),
        (
            json!({"analyzeTurns": [0], "priorities": [1, 2]}),
            "priorities",
            "Must be of matching length to analyzeTurns",
        ),
        (
            json!({"analyzeTurns": [0], "priorities": [1_u64 << 62]}),
            "priorities",
            "Invalid priority: 4611686018427387904",
        ),
        (
            json!({"analyzeTurns": [0], "priorities": ["high"]}),
            "priorities",
            "Must specify an array of integers indicating priorities",
        ),
        (
            json!({"analyzeTurns": [0], "priorities": [1], "priority": 1}),
            "priority",
            "Cannot specify both priority and priorities",
        ),
        (json!({"priority": 1_u64 << 62}), "priority", priority),
        (json!({"priority": "1"}), "priority", priority),
        (
            json!({"rules": "lunar"}),
            "rules",
            "Could not parse rules: lunar",
        ),
        (
            json!({"rules": {"ko": "HOT"}}),
            "rules",
            "Could not parse rules: {\"ko\":\"HOT\"}",
        ),
        (
            json!({"rules": {"komi": 0.3}}),
            "rules",
            "Could not parse rules: {\"komi\":0.3}",
        ),
        (json!({"rules": 7}), "rules", no_rules),
        (json!({"komi": 7.3}), "komi", komi),
        (json!({"komi": -400.5}), "komi", komi),
        (json!({"komi": "7"}), "komi", komi),
        (
            json!({"whiteHandicapBonus": 0}),
            "whiteHandicapBonus",
            "Must be a string",
        ),
        (
            json!({"whiteHandicapBonus": "2N"}),
            "whiteHandicapBonus",
            "Invalid whiteHandicapBonus rule: 2N",
        ),
        (
            json!({"overrideSettings": []}),
            "overrideSettings",
            "Must be an object",
        ),
        (
            json!({"overrideSettings": {"maxVisits": -1}}),
            "overrideSettings",
            "Could not set settings: '-1' is no value for maxVisits, a whole number from 1 to 1125899906842624",
        ),
        (
            json!({"overrideSettings": {"reportAnalysisWinratesAs": "ME"}}),
            "overrideSettings",
            "Could not set settings: 'ME' is no value for reportAnalysisWinratesAs",
        ),
        (
            json!({"overrideSettings": {"humanSLProfile": "rank_5k"}}),
            "overrideSettings",
            "Could not set settings: humanSLProfile is specified as config param but model(s) don't \
             use it: test.bin.gz",
        ),
        (
            json!({"overrideSettings": {"humanSLChosenMoveProp": 1.0}}),
            "overrideSettings",
            "Could not set settings: humanSLChosenMoveProp is specified as config param but model(s) \
             don't use it: test.bin.gz",
        ),
        (
            json!({"overrideSettings": {"maxTreeBytes": 1_u64 << 40}}),
            "overrideSettings",
            "Could not set settings: Cannot change maxTreeBytes after initialization",
        ),
        (json!({"maxVisits": 0}), "maxVisits", visits),
        (json!({"maxVisits": 1_u64 << 51}), "maxVisits", visits),
        (json!({"maxVisits": 2.5}), "maxVisits", visits),
        (
            json!({"analysisPVLen": 0}),
            "analysisPVLen",
            "Must be an integer from 1 to 1000",
        ),
        (
            json!({"rootFpuReductionMax": 2.1}),
            "rootFpuReductionMax",
            "Must be a number from 0.0 to 2.0",
        ),
        (
            json!({"rootPolicyTemperature": 0}),
            "rootPolicyTemperature",
            "Must be a number from 0.01 to 100.0",
        ),
        (
            json!({"includeOwnership": 1}),
            "includeOwnership",
            "Must be a boolean",
        ),
        (
            json!({"includePolicy": "yes"}),
            "includePolicy",
            "Must be a boolean",
        ),
        (
            json!({"reportDuringSearchEvery": 0}),
            "reportDuringSearchEvery",
            seconds,
        ),
        (
            json!({"firstReportDuringSearchAfter": "1"}),
            "firstReportDuringSearchAfter",
            seconds,
        ),
        (
            json!({"allowMoves": [], "avoidMoves": []}),
            "allowMoves",
            "Cannot specify both allowMoves and avoidMoves",
        ),
        (json!({"avoidMoves": {}}), "avoidMoves", no_list),
        (json!({"avoidMoves": ["C3"]}), "avoidMoves", no_list),
        (
            json!({"avoidMoves": [{"player": "B", "moves": []}]}),
            "avoidMoves",
            no_list,
        ),
        (
            json!({"avoidMoves": entry(json!({"player": "X"}))}),
            "player",
            "Must be \"b\" or \"w\"",
        ),
        (
            json!({"avoidMoves": entry(json!({"moves": "C3"}))}),
            "moves",
            "Must be an array of GTP board vertices",
        ),
        (
            json!({"avoidMoves": entry(json!({"moves": ["Z9"]}))}),
            "moves",
            "Could not parse board location: Z9",
        ),
        (
            json!({"avoidMoves": entry(json!({"untilDepth": 0}))}),
            "untilDepth",
            "Must be a positive integer",
        ),
        (
            json!({"allowMoves": [
                {"player": "B", "moves": ["C3"], "untilDepth": 1},
                {"player": "b", "moves": ["C4"], "untilDepth": 1},
            ]}),
            "allowMoves",
            "Cannot specify allowMoves more than once for the same player",
        ),
        (
            json!({"allowMoves": [{}, {}, {}]}),
            "allowMoves",
            "Currently allowMoves only allows at most one entry per player",
        ),
    ]
}

#[test]
fn each_bad_field_is_named_with_query_and_reason() {
    let mut service = Service::new(hashing(), 1);
    for (changes, field, error) in bad_fields() {
        let answer = service.ask(&query(changes.clone()));
        let expected = json!({"error": error, "field": field, "id": "q"});
        assert_eq!(answer, expected, "{changes}");
    }
    for (missing, error) in [
        ("moves", "Must specify an array of [player,location] pairs"),
        ("boardXSize", "Must provide an integer from 2 to 25"),
        (
            "rules",
            "Must specify rules string, such as \"chinese\" or \"tromp-taylor\", or a JSON object \
             with detailed rules parameters.",
        ),
    ] {
        let mut without = query(json!({}));
        without.as_object_mut().unwrap().remove(missing);
        let expected = json!({"error": error, "field": missing, "id": "q"});
        assert_eq!(service.ask(&without), expected);
    }
    assert!(service.end().is_empty());
}

#[test]
fn lines_that_are_no_requests_are_answered_without_id() {
    let mut service = Service::new(hashing(), 1);
    let cases = [
        (
            "nonsense",
            "expected ident at line 1 column 2 - could not parse input line as json request: nonsense",
        ),
        (
            "[1,2]",
            "Request line was valid json but was not an object, ignoring: [1,2]",
        ),
        ("{}", "Request must have a string \"id\" field"),
        ("{\"id\":3}", "Request must have a string \"id\" field"),
        (
            "{\"id\":\"a\",\"action\":\"dance\"}",
            "'action' field must be 'query_version' or 'query_models' or 'clear_cache' or 'terminate' \
             or 'terminate_all'",
        ),
    ];
    for (line, error) in cases {
        service.send(line);
        assert_eq!(service.answer(), json!({"error": error}), "{line}");
    }
    // Lines without anything are no mistakes.
    service.send("\n  \r\n");
    let deep = "[".repeat(100_000);
    service.send(&deep);
    let error = service.answer()["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with("recursion limit exceeded"), "{error:.80}");
    assert!(error.len() < 2000, "long lines are quoted in part");
    assert!(service.end().is_empty());
}

#[test]
fn bad_terminations_name_their_field() {
    let mut service = Service::new(hashing(), 1);
    let id = "Requests for a terminate action must have a string \"terminateId\" field";
    let turns = "If provided, must be an array of integers indicating turns to terminate";
    let cases = [
        (json!({"id": "t", "action": "terminate"}), "terminateId", id),
        (
            json!({"id": "t", "action": "terminate", "terminateId": 3}),
            "terminateId",
            id,
        ),
        (
            json!({"id": "t", "action": "terminate", "terminateId": "q", "turnNumbers": "all"}),
            "turnNumbers",
            turns,
        ),
        (
            json!({"id": "t", "action": "terminate_all", "turnNumbers": 3}),
            "turnNumbers",
            turns,
        ),
    ];
    for (request, field, error) in cases {
        let expected = json!({"error": error, "field": field, "id": "t"});
        assert_eq!(service.ask(&request), expected, "{request}");
    }
    assert!(service.end().is_empty());
}

#[test]
fn warnings_come_before_the_analysis_in_lines_of_their_own() {
    let mut service = Service::new(hashing(), 1);
    let asked = query(json!({
        "boardxsize": 13,
        "includeOwnership": true,
        "overrideSettings": {"sldj": 1, "maxVisits": 5, "wideRootNoise": "0.0", "nnRandomize": true,
            "analysisWideRootNoise": 0.5},
    }));
    service.send(&asked.to_string());
    let typo = "Unexpected or unused field, do you have a typo? (set warnUnusedFields=false in the \
        config to disable this warning)";
    let warnings = [
        json!({"field": "overrideSettings", "id": "q", "warning": "Unknown config params: analysisWideRootNoise,nnRandomize,sldj"}),
        json!({"field": "boardxsize", "id": "q", "warning": typo}),
        json!({
            "field": "includeOwnership", "id": "q",
            "warning": "The evaluations of this search do not include ownership",
        }),
    ];
    for warning in warnings {
        assert_eq!(service.answer(), warning);
    }
    let answer = service.answer();
    assert_eq!(answer["rootInfo"]["visits"], 5);
    assert!(answer.get("ownership").is_none());
    // A query may be wrong besides.
    service.send(&query(json!({"typo": 1, "moves": moves("C3 C3")})).to_string());
    assert_eq!(service.answer()["field"], "typo");
    assert_eq!(service.answer()["error"], "Illegal move 1: C3");
    assert!(service.end().is_empty());
}

#[test]
fn rules_that_the_network_does_not_know_are_told() {
    let mut service = Service::new(with_network("s5.bin"), 1);
    service.send(&query(json!({"rules": "japanese"})).to_string());
    let warning = service.answer();
    assert_eq!(
        (&warning["field"], &warning["id"]),
        (&json!("rules"), &json!("q"))
    );
    let text = warning["warning"].as_str().unwrap();
    assert!(
        text.starts_with("Rules japanese not supported by neural net, using "),
        "{text}"
    );
    assert_eq!(service.answer()["isDuringSearch"], false);
    let known = service.ask(&query(json!({"rules": "tromp-taylor"})));
    assert_eq!(known["isDuringSearch"], false);
    assert!(service.end().is_empty());
}

#[test]
fn warnings_about_unused_fields_can_be_switched_off() {
    let mut engine = hashing();
    engine.params = ServerParams {
        warn_unused_fields: false,
        ..engine.params
    };
    let mut service = Service::new(engine, 1);
    let answer = service.ask(&query(json!({"typo": 1})));
    assert_eq!(answer["isDuringSearch"], false);
    assert!(service.end().is_empty());
}

#[test]
fn a_search_that_memory_ends_is_told() {
    let mut small = params();
    small.search.max_tree_bytes = 1 << 16;
    let mut service = Service::new(hashing_with(small), 1);
    let warning = service.ask(&query(json!({"maxVisits": 100_000})));
    assert_eq!(warning["field"], "maxVisits", "{warning}");
    let text = warning["warning"].as_str().unwrap();
    assert!(
        text.contains("turn 0") && text.contains("--max-memory"),
        "{text}"
    );
    let answer = service.answer();
    let visits = answer["rootInfo"]["visits"].as_u64().unwrap();
    assert!(
        visits < 100_000 && text.contains(&format!("at {visits} visits")),
        "{text}"
    );
    let answer = service.ask(&query(json!({"maxVisits": 5})));
    assert_eq!(answer["rootInfo"]["visits"], 5, "{answer}");
}
