//! Games: moves, ends, other moves, players.

use serde_json::{Value, json};

use super::{Server, engine, id, new_game, person};
use crate::folders::folder;

#[test]
fn serve_plays_a_game_to_its_count() {
    let server = Server::start(&folder("serve-game"), &[]);
    let game = id(&server.must(new_game(person(), engine(1))));
    let mut page = server.listen(&game);
    page.wait("hello", |hello| hello["client"].is_string());
    page.wait("game", |view| view["moves"] == json!([]));
    let play = |turn: usize, mv: &str| {
        server.act(&json!({ "do": "play", "game": game, "turn": turn, "move": mv }))
    };
    assert_eq!(play(0, "E5"), (200, json!({ "turn": 1 })));
    let view = page.wait("game", |view| view["moves"].as_array().unwrap().len() == 2);
    assert_eq!(view["moves"][0], json!(["B", "E5"]));
    assert_eq!(play(2, "E5").0, 400, "an occupied point");
    assert_eq!(play(3, "D5").0, 400, "beyond the end");
    // Another page sees all of it, as after a reload.
    let mut other = server.listen(&game);
    let reloaded = other.wait("game", |_| true);
    assert_eq!(reloaded["moves"], view["moves"]);
    server.must(json!({ "do": "undo", "game": game, "turn": 2 }));
    page.wait("game", |view| view["moves"] == json!([]));
    // Two persons settle an empty board.
    let (black, white) = (person(), person());
    server.must(json!({ "do": "seats", "game": game, "black": black, "white": white }));
    server.must(json!({ "do": "play", "game": game, "turn": 0, "move": "E5" }));
    server.must(json!({ "do": "play", "game": game, "turn": 1, "move": "pass" }));
    server.must(json!({ "do": "play", "game": game, "turn": 2, "move": "pass" }));
    let agreeing = page.wait("game", |view| view["stage"] == "agreeing");
    assert_eq!(agreeing["proposal"], "B+73.5");
    server.must(json!({ "do": "accept", "game": game }));
    let over = page.wait("game", |view| view["stage"] == "over");
    assert_eq!(over["result"], "B+73.5");
    assert_eq!(over["ownership"].as_str().unwrap(), "B".repeat(81));
    let sgf = server.get(&format!("sgf?game={game}")).2;
    let sgf = String::from_utf8(sgf).unwrap();
    assert!(
        sgf.contains("RE[B+73.5]") && sgf.contains(";B[ee]"),
        "{sgf}"
    );
}

#[test]
fn serve_refuses_what_was_meant_for_an_earlier_position() {
    let server = Server::start(&folder("serve-gone-on"), &[]);
    let game = id(&server.must(new_game(person(), person())));
    let refused = (400, json!({ "error": "the game has gone on" }));
    let play = |turn: usize, mv: &str, shown: usize| {
        server.act(&json!({ "do": "play", "game": game, "turn": turn, "move": mv, "shown": shown }))
    };
    assert_eq!(play(0, "E5", 0).0, 200);
    // A page that does not know of this move yet.
    assert_eq!(play(0, "C3", 0), refused);
    assert_eq!(play(0, "E5", 0).0, 200, "the same move");
    // One that knows it plays otherwise on purpose.
    assert_eq!(play(0, "C3", 1).0, 200);
    assert_eq!(play(0, "E5", 0), refused, "a variation by now");
    let resign = |color: &str| server.act(&json!({ "do": "resign", "game": game, "color": color }));
    assert_eq!(resign("B"), refused);
    assert_eq!(resign("neither").0, 400);
    assert_eq!(resign("W").0, 200);
    let mut page = server.listen(&game);
    let over = page.wait("game", |view| view["stage"] == "over");
    assert_eq!(
        (&over["result"], &over["moves"]),
        (&json!("B+R"), &json!([["B", "C3"]]))
    );
}

#[test]
fn serve_lists_games_those_used_last_first() {
    let server = Server::start(&folder("serve-list"), &[]);
    let game = id(&server.must(new_game(person(), engine(1))));
    let (_, loaded) = server.load(b"(;SZ[13]KM[7]PB[Ann]RE[W+R];B[ee];W[ge])");
    let games = || {
        let list: Value = serde_json::from_slice(&server.get("games").2).unwrap();
        list["games"].clone()
    };
    let of_record = json!({ "game": loaded["game"], "size": [13, 13], "names": ["Ann", null],
        "rules": "tromp-taylor rules", "komi": 7.0, "handicap": 0, "moves": 2, "result": "W+R" });
    assert_eq!(games()[0], of_record);
    server.must(json!({ "do": "play", "game": game, "turn": 0, "move": "E5" }));
    let list = games();
    assert_eq!(
        (&list[0]["game"], &list[0]["moves"]),
        (&json!(game), &json!(1))
    );
    assert_eq!(list[0]["names"], json!([null, "keima (1 visit)"]));
    assert_eq!(list[1], of_record);
}

#[test]
fn serve_keeps_the_game_that_was_left() {
    let server = Server::start(&folder("serve-left"), &[]);
    let (_, loaded) = server.load(b"(;SZ[9]KM[7];B[ee];W[ge];B[gd];W[fe])");
    let game = id(&loaded);
    let mut page = server.listen(&game);
    page.wait("game", |view| view["moves"].as_array().unwrap().len() == 4);
    server.must(json!({ "do": "play", "game": game, "turn": 1, "move": "C3" }));
    let other = page.wait("game", |view| view["has_left"] == true);
    assert_eq!(other["moves"], json!([["B", "E5"], ["W", "C3"]]));
    server.must(
        json!({ "do": "setup", "game": game, "black": ["A1"], "white": ["B1"], "to_move": "W" }),
    );
    let set_up = page.wait("game", |view| view["moves"] == json!([]));
    assert_eq!(set_up["setup"], json!([["A1"], ["B1"]]));
    assert_eq!(set_up["to_move"], "W");
    let (status, answer) = server.act(
        &json!({ "do": "setup", "game": game, "black": ["A1", "Z30"], "white": [], "to_move": "W" }),
    );
    assert_eq!(status, 400, "{answer}");
    // Another position is set up in the game from there, which is not lost.
    server.must(json!({ "do": "play", "game": game, "turn": 0, "move": "G7" }));
    for _ in 0..2 {
        server.must(
            json!({ "do": "setup", "game": game, "black": ["C3"], "white": [], "to_move": "W" }),
        );
    }
    page.wait("game", |view| view["setup"] == json!([["C3"], []]));
    server.must(json!({ "do": "back", "game": game }));
    let first = page.wait("game", |view| view["moves"] == json!([["W", "G7"]]));
    assert_eq!(first["is_set_up"], true);
    server.must(json!({ "do": "back", "game": game }));
    page.wait("game", |view| view["moves"].as_array().unwrap().len() == 4);
    assert_eq!(server.act(&json!({ "do": "back", "game": game })).0, 400);
}

#[test]
fn serve_lets_engines_play_each_other_while_somebody_looks() {
    let server = Server::start(&folder("serve-engines"), &[]);
    let game = id(&server.must(new_game(engine(1), engine(2))));
    let mut page = server.listen(&game);
    let view = page.wait("game", |view| view["moves"].as_array().unwrap().len() >= 6);
    assert_eq!(
        view["names"],
        json!(["keima (1 visit)", "keima (2 visits)"])
    );
    let values = view["values"].as_object().unwrap();
    assert!(values.len() >= 5, "{values:?}");
}

#[test]
fn serve_offers_ranks_of_a_network_of_human_play() {
    let ranked = json!({ "kind": "engine", "visits": 1, "rank": "5k" });
    let nets = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s15m.bin.gz");
    let server = Server::start(&folder("serve-ranks"), &["--human-model", nets]);
    assert!(
        String::from_utf8(server.get("").2)
            .unwrap()
            .contains("keima like 5k")
    );
    let game = id(&server.must(new_game(person(), ranked.clone())));
    let mut page = server.listen(&game);
    server.must(json!({ "do": "play", "game": game, "turn": 0, "move": "E5" }));
    let view = page.wait("game", |view| view["moves"].as_array().unwrap().len() == 2);
    assert_eq!(view["names"], json!([null, "keima (5k)"]));
    let odd = json!({ "kind": "engine", "visits": 1, "rank": "50k" });
    assert_eq!(server.act(&new_game(person(), odd)).0, 400);
}

#[test]
fn serve_has_ranks_of_its_own() {
    let ranked = |rank: &str| json!({ "kind": "engine", "visits": null, "rank": rank });
    let server = Server::start(&folder("serve-own-ranks"), &[]);
    assert!(
        String::from_utf8(server.get("").2)
            .unwrap()
            .contains("keima like 15k")
    );
    let game = id(&server.must(new_game(person(), ranked("15k"))));
    let mut page = server.listen(&game);
    server.must(json!({ "do": "play", "game": game, "turn": 0, "move": "E5" }));
    let view = page.wait("game", |view| view["moves"].as_array().unwrap().len() == 2);
    assert_eq!(view["names"], json!([null, "keima (15k)"]));
    let (status, answer) = server.act(&new_game(person(), ranked("9d")));
    assert_eq!(status, 400);
    assert!(
        answer["error"].as_str().unwrap().contains("from 15k to 3d"),
        "{answer}"
    );
}
