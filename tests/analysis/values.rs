//! The values of answers.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use keima::analysis::Engine;
use keima::go::{BoardSize, Komi, Move, Position, Rules};
use keima::player::search_player::SearchPlayer;
use keima::player::{Nobody, Player, ReportTimes, Watch};
use keima::search::{Detail, Report, Restrictions};
use serde_json::{Value, json};

use super::outside::outside;
use super::service::{
    Service, moves, networks, number, params, query, with_human_network, with_network,
};

/// A 9x9 game.
const GAME: &str = "E5 G6 F3 C4";

fn ask(changes: Value) -> Value {
    ask_network("s12.bin.gz", changes)
}

/// A network whose policy does not prefer one move to all others.
const EVEN: &str = "s10.bin.gz";

fn ask_network(file: &str, changes: Value) -> Value {
    let mut service = Service::new(with_network(file), 1);
    let answer = service.ask(&query(changes));
    assert!(service.end().is_empty());
    assert!(answer.get("error").is_none(), "{answer}");
    answer
}

/// What the search itself reports.
fn searched(engine: &Engine, game: &str, visits: u64) -> Report {
    let mut position = Position::new(
        BoardSize::square(9),
        Rules::TROMP_TAYLOR,
        Komi::from_half(15),
    );
    for mv in game.split_whitespace() {
        position.play(mv.parse().unwrap());
    }
    let mut player: SearchPlayer = (engine.make_player)();
    player
        .set_parameter("maxVisits", &visits.to_string())
        .unwrap();
    let watch = Watch {
        stop: &AtomicBool::new(false),
        restrictions: &Restrictions::default(),
        detail: Detail {
            ownership: true,
            pv_length: 16,
            ..Detail::default()
        },
        reports: None::<ReportTimes>,
        observer: &mut Nobody,
    };
    player
        .analyze_within_limits(&position, watch)
        .unwrap()
        .unwrap()
}

#[track_caller]
fn close(value: f64, expected: f64) {
    assert!(
        (value - expected).abs() <= 1e-6 * expected.abs().max(1.0),
        "{value}, not {expected}"
    );
}

#[test]
fn values_are_those_of_the_search_seen_by_black() {
    let game = "E5 G6 F3";
    let report = searched(&with_network("s12.bin.gz"), game, 80);
    let answer = ask(json!({"moves": moves(game), "maxVisits": 80, "includeOwnership": true}));
    assert_eq!(answer["id"], "q");
    assert_eq!(answer["turnNumber"], 3);
    assert_eq!(answer["rootInfo"]["currentPlayer"], "W");
    // White is to move, so that everything changes sign.
    let root = |name: &str| number(&answer, &format!("/rootInfo/{name}"));
    close(root("visits"), report.visits.into());
    close(root("weight"), report.weight);
    close(root("winrate"), 0.5 - 0.5 * report.win_loss);
    close(root("utility"), -report.utility);
    close(root("scoreLead"), -report.lead);
    close(root("scoreSelfplay"), -report.score_mean);
    close(root("scoreStdev"), report.score_stdev);
    close(root("rawWinrate"), 0.5 - 0.5 * report.raw.win_loss);
    close(root("rawLead"), -report.raw.lead);
    close(root("rawScoreSelfplay"), -report.raw.score_mean);
    close(root("rawScoreSelfplayStdev"), report.raw.score_stdev);
    close(root("rawNoResultProb"), report.raw.no_result);
    let errors = report.raw.errors.unwrap();
    close(root("rawStWrError"), 0.5 * f64::from(errors.win_loss));
    close(root("rawStScoreError"), errors.score.into());
    close(root("rawVarTimeLeft"), errors.time_left.into());
    let ownership = report.ownership.unwrap().mean;
    for (index, owner) in ownership.iter().enumerate() {
        close(
            number(&answer, &format!("/ownership/{index}")),
            -f64::from(*owner),
        );
    }
    let infos = answer["moveInfos"].as_array().unwrap();
    assert_eq!(infos.len(), report.moves.len());
    for (order, (info, mv)) in infos.iter().zip(&report.moves).enumerate() {
        let value = |name: &str| number(info, &format!("/{name}"));
        close(value("order"), order as f64);
        close(value("visits"), mv.visits.into());
        close(value("edgeVisits"), mv.edge_visits.into());
        close(value("weight"), mv.position_weight);
        close(value("edgeWeight"), mv.weight);
        close(value("playSelectionValue"), mv.selection_value);
        close(value("prior"), mv.prior.into());
        close(value("winrate"), 0.5 - 0.5 * mv.win_loss);
        close(value("lcb"), 0.5 - 0.5 * mv.win_loss_lcb);
        close(value("utility"), -mv.utility);
        close(value("utilityLcb"), -mv.utility_lcb);
        close(value("scoreLead"), -mv.lead);
        close(value("scoreMean"), -mv.lead);
        close(value("scoreSelfplay"), -mv.score_mean);
        close(value("scoreStdev"), mv.score_stdev);
        assert_eq!(info["pv"].as_array().unwrap().len(), mv.pv.len());
        assert_eq!(info["pv"][0], info["move"]);
    }
}

#[test]
fn points_of_view_change_signs_and_nothing_else() {
    let seen_by = |whom: &str| {
        ask(json!({
            "moves": moves(GAME), "includeOwnership": true, "includePolicy": true,
            "overrideSettings": {"reportAnalysisWinratesAs": whom},
        }))
    };
    let (black, white) = (seen_by("BLACK"), seen_by("w"));
    assert_eq!(black, seen_by("SIDETOMOVE"));
    assert_ne!(black, white);
    assert_eq!(black["policy"], white["policy"]);
    for path in ["/rootInfo", "/moveInfos/0"] {
        let value = |answer: &Value, name: &str| number(answer, &format!("{path}/{name}"));
        close(value(&black, "winrate"), 1.0 - value(&white, "winrate"));
        for name in ["utility", "scoreLead", "scoreSelfplay"] {
            close(value(&black, name), -value(&white, name));
        }
        for name in ["visits", "weight", "scoreStdev"] {
            close(value(&black, name), value(&white, name));
        }
    }
    for index in 0..81 {
        let owner = |answer| number(answer, &format!("/ownership/{index}"));
        close(owner(&black), -owner(&white));
    }
}

#[test]
fn only_what_is_asked_for_is_included() {
    let optional = [
        ("includeOwnership", "/ownership"),
        ("includeOwnershipStdev", "/ownershipStdev"),
        ("includeMovesOwnership", "/moveInfos/0/ownership"),
        ("includeMovesOwnershipStdev", "/moveInfos/0/ownershipStdev"),
        ("includePolicy", "/policy"),
        ("includePVVisits", "/moveInfos/0/pvVisits"),
        ("includePVVisits", "/moveInfos/0/pvEdgeVisits"),
        ("includeNoResultValue", "/moveInfos/0/noResultValue"),
    ];
    let plain = ask(json!({"moves": moves(GAME)}));
    for (field, path) in optional {
        assert!(plain.pointer(path).is_none(), "{path}");
        let answer = ask(json!({"moves": moves(GAME), field: true}));
        assert!(answer.pointer(path).is_some(), "{path}");
        for (other, path) in optional {
            assert_eq!(
                answer.pointer(path).is_some(),
                other == field,
                "{field}: {path}"
            );
        }
    }
}

#[test]
fn a_network_of_human_play_gives_its_opinion_if_asked() {
    let mut service = Service::new(with_human_network("s12.bin.gz", "s15m.bin.gz"), 1);
    let mut ask = |changes: Value| service.ask(&query(changes));
    let alone = ask(json!({"moves": moves(GAME), "includePolicy": true}));
    assert_eq!(alone.get("humanPolicy"), None);
    assert_eq!(alone["rootInfo"].get("humanWinrate"), None);
    assert_eq!(alone["moveInfos"][0].get("humanPrior"), None);
    let mut imitating = |profile: &str| {
        ask(json!({
            "moves": moves(GAME), "includePolicy": true, "overrideSettings": {"humanSLProfile": profile},
        }))
    };
    let weak = imitating("rank_20k");
    let strong = imitating("rank_9d");
    assert_ne!(weak["humanPolicy"], strong["humanPolicy"]);
    for (name, value) in alone["rootInfo"].as_object().unwrap() {
        assert_eq!(weak["rootInfo"][name], *value, "the search is the same");
    }
    let policy: Vec<f64> = weak["humanPolicy"]
        .as_array()
        .unwrap()
        .iter()
        .map(|value| number(value, ""))
        .collect();
    assert_eq!(policy.len(), 82);
    assert_eq!(policy.iter().filter(|&&p| p < 0.0).count(), 4);
    close(policy.iter().filter(|&&p| p >= 0.0).sum(), 1.0);
    for info in weak["moveInfos"].as_array().unwrap() {
        assert!(policy.contains(&number(info, "/humanPrior")), "{info}");
    }
    let root = &weak["rootInfo"];
    assert!((0.0..=1.0).contains(&number(root, "/humanWinrate")));
    for name in [
        "humanScoreMean",
        "humanScoreStdev",
        "humanStWrError",
        "humanStScoreError",
    ] {
        assert!(root[name].is_number(), "{name}");
    }
    assert!(service.end().is_empty());
}

#[test]
fn a_search_explores_human_moves_if_asked() {
    let mut service = Service::new(with_human_network("s12.bin.gz", "s15m.bin.gz"), 1);
    let mut ask = |settings: Value| {
        service.ask(&query(json!({
            "moves": moves(GAME), "maxVisits": 200, "overrideSettings": settings,
        })))
    };
    let beyond = |answer: &Value| {
        let moves = answer["moveInfos"].as_array().unwrap().iter();
        let beyond = moves.map(|info| number(info, "/visits") - number(info, "/edgeVisits"));
        beyond.sum::<f64>()
    };
    let unguided = ask(json!({"humanSLProfile": "rank_9d"}));
    let weightless = json!({
        "humanSLProfile": "rank_9d", "humanSLRootExploreProbWeightless": 0.6, "humanSLCpuctPermanent": 2.0,
    });
    let explored = ask(weightless);
    assert_eq!(number(&unguided, "/rootInfo/visits"), 200.0);
    assert!(number(&explored, "/rootInfo/visits") < 120.0, "{explored}");
    assert!(beyond(&explored) > beyond(&unguided) + 50.0, "{explored}");
    let tried = |answer: &Value| answer["moveInfos"].as_array().unwrap().len();
    assert!(tried(&explored) > tried(&unguided));
    let nobody = ask(json!({"humanSLRootExploreProbWeightless": 0.6}));
    assert_eq!(number(&nobody, "/rootInfo/visits"), 200.0);
    let visits = |answer: &Value| number(answer, "/rootInfo/visits");
    let answers = ask(json!({"humanSLProfile": "rank_9d", "humanSLOppExploreProbWeightful": 0.5}));
    assert_eq!(visits(&answers), 200.0);
    assert_ne!(
        answers["rootInfo"]["winrate"],
        unguided["rootInfo"]["winrate"]
    );
    let own = ask(json!({"humanSLProfile": "rank_9d", "humanSLPlaExploreProbWeightless": 0.2}));
    assert!((10.0..200.0).contains(&visits(&own)), "{own}");
    assert!(service.end().is_empty());
}

#[test]
fn maps_cover_rectangles_and_policies_mark_illegal_moves() {
    let answer = ask(json!({
        "boardXSize": 7, "boardYSize": 5, "moves": moves("A5 G1 D3"), "includePolicy": true,
        "includeOwnership": true, "includeMovesOwnership": true,
    }));
    let policy: Vec<f64> = serde_json::from_value(answer["policy"].clone()).unwrap();
    assert_eq!(policy.len(), 36);
    let illegal: Vec<usize> = (0..36).filter(|&index| policy[index] == -1.0).collect();
    assert_eq!(illegal, [0, 17, 34]);
    close(policy.iter().filter(|prior| **prior >= 0.0).sum(), 1.0);
    assert!(policy.iter().all(|&prior| prior == -1.0 || prior > 0.0));
    let lengths = ["/ownership", "/moveInfos/0/ownership"];
    assert!(
        lengths
            .iter()
            .all(|path| answer.pointer(path).unwrap().as_array().unwrap().len() == 35)
    );
}

#[test]
fn reports_during_a_search_come_before_its_answer() {
    let mut service = Service::new(with_network("s8.bin.gz"), 1);
    let asked = query(json!({
        "maxVisits": 1 << 30, "reportDuringSearchEvery": 0.001, "includePolicy": true,
        "includeOwnership": true,
    }));
    service.send(&asked.to_string());
    for _ in 0..3 {
        let report = service.answer();
        assert_eq!(report["isDuringSearch"], true);
        assert_eq!(report["policy"].as_array().unwrap().len(), 82);
        assert_eq!(report["ownership"].as_array().unwrap().len(), 81);
    }
    service.send("{\"id\":\"stop\",\"action\":\"terminate\",\"terminateId\":\"q\"}");
    let mut rest = service.end();
    rest.retain(|answer| answer["id"] == "q" && answer["isDuringSearch"] == false);
    assert_eq!(rest.len(), 1);
    assert!(number(&rest[0], "/rootInfo/visits") > 1.0);
}

#[test]
fn avoided_moves_are_left_alone_and_allowed_ones_alone_searched() {
    let places = |answer: &Value| -> Vec<String> {
        let infos = answer["moveInfos"].as_array().unwrap().iter();
        infos
            .map(|info| info["move"].as_str().unwrap().to_owned())
            .collect()
    };
    let free = places(&ask_network(
        EVEN,
        json!({"moves": moves(GAME), "maxVisits": 60}),
    ));
    let entry = |mv: &[String]| json!([{"player": "B", "moves": mv, "untilDepth": 1}]);
    let avoided = ask_network(
        EVEN,
        json!({"moves": moves(GAME), "maxVisits": 60, "avoidMoves": entry(&free[..2])}),
    );
    assert!(!places(&avoided).iter().any(|mv| free[..2].contains(mv)));
    let allowed = ask_network(
        EVEN,
        json!({"moves": moves(GAME), "maxVisits": 60, "allowMoves": entry(&free[1..3])}),
    );
    assert!(places(&allowed).iter().all(|mv| free[1..3].contains(mv)));
    assert_eq!(places(&allowed).len(), 2);
    // If nothing is allowed, the position's own evaluation is all that is known.
    let nothing = ask_network(
        EVEN,
        json!({"moves": moves(GAME), "allowMoves": entry(&["E5".to_owned()])}),
    );
    assert_eq!(
        (&nothing["rootInfo"]["visits"], places(&nothing).len()),
        (&json!(1), 0)
    );
}

#[test]
fn symmetric_moves_are_told_by_the_one_that_was_searched() {
    let answer = ask(json!({"maxVisits": 40}));
    let infos = answer["moveInfos"].as_array().unwrap();
    let twins: Vec<&Value> = infos
        .iter()
        .filter(|info| info.get("isSymmetryOf").is_some())
        .collect();
    assert!(!twins.is_empty());
    for twin in twins {
        let source = infos
            .iter()
            .find(|info| info["move"] == twin["isSymmetryOf"])
            .unwrap();
        assert_eq!(source["visits"], twin["visits"]);
        assert!(source.get("isSymmetryOf").is_none());
    }
    let all = ask(json!({"maxVisits": 40, "overrideSettings": {"rootSymmetryPruning": false}}));
    let infos = all["moveInfos"].as_array().unwrap();
    assert!(infos.iter().all(|info| info.get("isSymmetryOf").is_none()));
}

#[test]
fn fields_and_settings_change_the_search() {
    let visits = |changes: Value| ask(changes)["rootInfo"]["visits"].as_u64().unwrap();
    assert_eq!(visits(json!({"maxVisits": 23})), 23);
    assert_eq!(visits(json!({"overrideSettings": {"maxVisits": 7}})), 7);
    // The query's own field counts for more.
    assert_eq!(
        visits(json!({"maxVisits": 9, "overrideSettings": {"maxVisits": 7}})),
        9
    );
    let lengths = |changes: Value| -> Vec<usize> {
        let answer = ask(changes);
        let infos = answer["moveInfos"].as_array().unwrap().iter();
        infos
            .map(|info| info["pv"].as_array().unwrap().len())
            .collect()
    };
    let deep = json!({"moves": moves(GAME), "maxVisits": 200, "rootPolicyTemperature": 0.1});
    assert!(lengths(deep.clone()).iter().any(|&length| length > 2));
    let mut short = deep;
    short["analysisPVLen"] = json!(1);
    assert_eq!(
        lengths(short).into_iter().max(),
        Some(2),
        "the first move is not counted"
    );
    let moves_searched = |changes: Value| {
        ask_network(EVEN, changes)["moveInfos"]
            .as_array()
            .unwrap()
            .len()
    };
    let wide = |temperature| {
        moves_searched(
            json!({"moves": moves(GAME), "maxVisits": 80, "rootPolicyTemperature": temperature}),
        )
    };
    assert!(wide(0.2) < wide(5.0));
    let fpu = |reduction| {
        moves_searched(
            json!({"moves": moves(GAME), "maxVisits": 80, "rootFpuReductionMax": reduction}),
        )
    };
    assert!(fpu(2.0) < fpu(0.0));
}

#[test]
fn history_before_the_position_counts_if_asked_for() {
    let raw = |game: &str, ignores: bool| {
        let answer = ask(json!({
            "moves": moves(game), "overrideSettings": {"ignorePreRootHistory": ignores},
        }));
        answer["rootInfo"]["rawWinrate"].clone()
    };
    // The same stones in another order.
    let (one, other) = ("E5 G6 F3 C4", "F3 C4 E5 G6");
    assert_eq!(raw(one, true), raw(other, true));
    assert_ne!(raw(one, false), raw(other, false));
}

#[test]
fn a_move_out_of_turn_begins_the_game_anew() {
    let raw = |stones: Value, moves: Value| {
        let answer = ask(json!({
            "initialStones": stones, "moves": moves, "rules": "chinese",
            "overrideSettings": {"ignorePreRootHistory": true},
        }));
        answer["rootInfo"]["rawLead"].as_f64().unwrap()
    };
    let stones = json!([["B", "C3"], ["B", "G7"]]);
    // White is to move, and is given two points for the handicap.
    let in_turn = raw(stones.clone(), json!([["W", "E5"], ["B", "D4"]]));
    let out_of_turn = raw(stones, json!([["W", "E5"], ["W", "D4"]]));
    let none = json!([["B", "C3"], ["B", "G7"], ["W", "E5"]]);
    close(out_of_turn, raw(none, json!([["W", "D4"]])));
    assert_ne!(in_turn, out_of_turn);
}

#[test]
fn excluded_moves_leave_the_priors_of_others() {
    let priors = |changes: Value| {
        let mut asked =
            json!({"moves": moves(GAME), "maxVisits": 200, "rootPolicyTemperature": 1.5});
        let asked_for = asked.as_object_mut().unwrap();
        asked_for.extend(changes.as_object().unwrap().clone());
        let answer = ask_network(EVEN, asked);
        let found = answer["moveInfos"].as_array().unwrap().iter();
        let found = found.map(|it| (it["move"].to_string(), it["prior"].as_f64().unwrap()));
        found.collect::<HashMap<String, f64>>()
    };
    let all = priors(json!({}));
    let best = all.iter().max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
    let avoided = json!([{"player": "B", "moves": [best.trim_matches('"')], "untilDepth": 1},
        {"player": "W", "moves": [best.trim_matches('"')], "untilDepth": 1}]);
    let others = priors(json!({"avoidMoves": avoided}));
    assert!(!others.contains_key(best));
    let mut shared = 0;
    for (mv, prior) in &others {
        if let Some(with_all) = all.get(mv) {
            close(*prior, *with_all);
            shared += 1;
        }
    }
    assert!(shared > 1, "{others:?}");
}

#[test]
fn rules_komi_and_setup_reach_the_network() {
    let raw = |changes: Value| ask(changes)["rootInfo"]["rawLead"].as_f64().unwrap();
    let plain = raw(json!({}));
    assert!(raw(json!({"komi": 2})) > plain);
    close(
        raw(json!({"komi": 7.5, "rules": {"komi": 2, "ko": "POSITIONAL", "suicide": true}})),
        plain,
    );
    assert_ne!(raw(json!({"rules": "stone_scoring"})), plain);
    let stones = json!([["B", "C3"], ["B", "(6,2)"]]);
    let handicap = |changes: Value| {
        let mut asked = json!({"initialStones": stones, "rules": "chinese"});
        asked
            .as_object_mut()
            .unwrap()
            .extend(changes.as_object().unwrap().clone());
        ask(asked)
    };
    let answer = handicap(json!({}));
    assert_eq!(
        answer["rootInfo"]["currentPlayer"], "W",
        "White begins after a handicap"
    );
    let answer = handicap(json!({"initialPlayer": "b"}));
    assert_eq!(answer["rootInfo"]["currentPlayer"], "B");
    let lead = |bonus: &str| {
        number(
            &handicap(json!({"whiteHandicapBonus": bonus})),
            "/rootInfo/rawLead",
        )
    };
    assert!(lead("0") != lead("N-1") && lead("N-1") != lead("N"));
    close(lead("N"), number(&handicap(json!({})), "/rootInfo/rawLead"));
    // Without komi, that of the rules.
    let mut service = Service::new(with_network("s12.bin.gz"), 1);
    for (rules, komi) in [
        (json!("japanese"), 6.5),
        (json!("aga-button"), 7.0),
        (json!({"scoring": "TERRITORY"}), 6.5),
        (json!({"hasButton": true}), 7.0),
        (json!({"suicide": false}), 7.5),
    ] {
        let mut without = query(json!({"rules": rules}));
        without.as_object_mut().unwrap().remove("komi");
        let lead = number(&service.ask(&without), "/rootInfo/rawLead");
        close(lead, raw(json!({"rules": rules, "komi": komi})));
    }
}

#[test]
fn games_that_are_over_are_analyzed_too() {
    let answer = ask(json!({"moves": moves("E5 E4 pass pass"), "maxVisits": 20}));
    assert_eq!(answer["rootInfo"]["visits"], 20);
    for info in answer["moveInfos"].as_array().unwrap() {
        let mv: Vec<Move> = info["pv"]
            .as_array()
            .unwrap()
            .iter()
            .map(|mv| mv.as_str().unwrap().parse().unwrap())
            .collect();
        let end = mv.windows(2).position(|pair| pair == [Move::Pass; 2]);
        assert!(
            end.is_none_or(|end| end + 2 == mv.len()),
            "variations end with two passes"
        );
    }
}

/// What KataGo 1.17 answers to a query of its own tests (`basic.txt` and its results), with the same
/// network, one thread and no random symmetries. Its wide root noise is random.
#[test]
fn answers_agree_with_katago() {
    let Some(model) = outside("models/g170-b6c96-s175395328-d26788732.bin.gz") else {
        return;
    };
    let networks = networks(&model);
    let make = move || {
        let mut player = SearchPlayer::new(params(), Box::new(networks.clone()));
        player.set_parameter("symmetries", "none").unwrap();
        player
    };
    let mut engine = with_network("s12.bin.gz");
    engine.make_player = Box::new(make);
    let mut service = Service::new(engine, 1);
    let answer = service.ask(&json!({
        "id": "foo", "initialStones": [["B", "Q4"], ["B", "C4"]], "moves": [["W", "P5"], ["B", "P6"]],
        "rules": "tromp-taylor", "komi": 7.5, "boardXSize": 19, "boardYSize": 19, "analyzeTurns": [2],
        "overrideSettings": {"maxVisits": 10},
    }));
    let expected = json!({
        "rootInfo": {
            "visits": 10, "weight": 10.0, "winrate": 0.613943483, "utility": 0.239520097,
            "scoreLead": 7.09331671, "scoreSelfplay": 7.42584406, "scoreStdev": 30.9509745,
            "rawLead": 7.73733997, "rawNoResultProb": 0.0, "rawScoreSelfplay": 8.22156048,
            "rawScoreSelfplayStdev": 31.4019499, "rawStScoreError": -1.0, "rawStWrError": -0.5,
            "rawVarTimeLeft": -1.0, "rawWinrate": 0.640169263,
        },
        "moveInfos": {"0": {
            "visits": 9, "edgeVisits": 9, "weight": 9.0, "edgeWeight": 9.0, "playSelectionValue": 9.0,
            "order": 0, "prior": 0.746874392, "winrate": 0.611029508, "lcb": 0.65662659,
            "utility": 0.232894846, "utilityLcb": 0.360566676, "scoreLead": 7.02175857,
            "scoreMean": 7.02175857, "scoreSelfplay": 7.33743113, "scoreStdev": 30.899195,
        }},
    });
    let compare = |path: &str, expected: &Value| {
        for (name, value) in expected.as_object().unwrap() {
            let (found, wanted) = (
                number(&answer, &format!("{path}/{name}")),
                value.as_f64().unwrap(),
            );
            assert!(
                (found - wanted).abs() < 2e-3 * wanted.abs().max(1.0),
                "{path}/{name}: {found}"
            );
        }
    };
    compare("/rootInfo", &expected["rootInfo"]);
    compare("/moveInfos/0", &expected["moveInfos"]["0"]);
    assert_eq!(
        answer["moveInfos"][0]["pv"],
        json!(["Q5", "R5", "Q6", "R6", "Q7"])
    );
    assert_eq!(
        answer["rootInfo"]["thisHash"],
        "FA2C1B0E252C40AF31EB9DEC2CCCCD34"
    );
    assert_eq!(
        answer["rootInfo"]["symHash"],
        "215BAF8265F4950EC41771439410160F"
    );
}
