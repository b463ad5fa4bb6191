//! Variations, clocks, and games that outlive the program.

use std::fs;
use std::path::Path;
use std::time::Duration;

use keima::formats::sgf::{ReadOptions, read_with_variations};
use serde_json::{Value, json};

use super::{Page, Server, alone, engine, id, new_game, person, wait_until_stored};
use crate::folders::folder;
use crate::running::{finish, keima, text};

/// Two variations after the first move, of which one has another one.
const VARIATIONS: &str = "(;SZ[9]KM[7]PC[Kyoto]ST[2];B[ee]TR[ee]SBKV[55.2]BL[59.5]TB[aa]GB[1](;W[ge];B[gd];W[fe])(;W[ec]C[above];B[cd](;W[gd])(;W[dg]))(;AW[aa];B[bb]))";

impl Server {
    fn play(&self, game: &str, turn: usize, mv: &str) -> u16 {
        let action = json!({ "do": "play", "game": game, "turn": turn, "move": mv });
        self.act(&action).0
    }

    fn branch(&self, game: &str, turn: usize, mv: &str) -> u16 {
        let action = json!({ "do": "branch", "game": game, "turn": turn, "move": mv });
        self.act(&action).0
    }

    fn sgf(&self, game: &str) -> String {
        String::from_utf8(self.get(&format!("sgf?game={game}")).2).unwrap()
    }
}

/// The points of a line.
fn points(view: &Value) -> Vec<String> {
    let moves = view["moves"].as_array().unwrap().iter();
    moves.map(|mv| mv[1].as_str().unwrap().to_owned()).collect()
}

/// Waits for a line; the view of it.
fn wait_for(page: &mut Page, line: &[&str]) -> Value {
    page.wait("game", |view| points(view) == line)
}

/// The ways to go on after `turn` moves, that of the line in capitals.
fn branches(view: &Value, turn: usize) -> Vec<String> {
    let all = view["branches"][turn.to_string()].as_array();
    let all = all.into_iter().flatten();
    let name = |it: &Value| {
        let name = it["move"][1].as_str().unwrap();
        match it["is_shown"] == true {
            true => name.to_owned(),
            false => name.to_lowercase(),
        }
    };
    all.map(name).collect()
}

#[test]
fn serve_walks_through_the_variations_of_a_record() {
    let server = Server::start(&folder("serve-variations"), &[]);
    let game = id(&server.load(VARIATIONS.as_bytes()).1);
    let mut page = server.listen(&game);
    let view = wait_for(&mut page, &["E5", "G5", "G6", "F5"]);
    assert_eq!(branches(&view, 1), ["G5", "e7"]);
    assert_eq!(
        view["remarks"],
        json!(["1 variation, or a part of it, is not loaded"])
    );
    assert_eq!(server.branch(&game, 1, "E7"), 200);
    let view = wait_for(&mut page, &["E5", "E7", "C6", "G6"]);
    assert_eq!(branches(&view, 1), ["g5", "E7"]);
    assert_eq!(branches(&view, 3), ["G6", "d3"]);
    assert_eq!(
        (&view["is_game"], &view["has_left"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(view["comments"]["2"], "above");
    assert_eq!(server.branch(&game, 3, "D3"), 200);
    wait_for(&mut page, &["E5", "E7", "C6", "D3"]);
    assert_eq!(server.branch(&game, 3, "A1"), 400, "nothing begins there");
    assert_eq!(server.branch(&game, 99, "A1"), 400, "beyond the end");
    // The line that was chosen last comes back, by the move as well as by its name.
    assert_eq!(server.branch(&game, 1, "G5"), 200);
    wait_for(&mut page, &["E5", "G5", "G6", "F5"]);
    assert_eq!(server.play(&game, 1, "E7"), 200);
    wait_for(&mut page, &["E5", "E7", "C6", "D3"]);
    // A move of one's own is one more.
    assert_eq!(server.play(&game, 2, "C3"), 200);
    let view = wait_for(&mut page, &["E5", "E7", "C3"]);
    assert_eq!(branches(&view, 2), ["c6", "C3"]);
    server.must(json!({ "do": "back", "game": game }));
    wait_for(&mut page, &["E5", "G5", "G6", "F5"]);
    let saved = server.sgf(&game);
    let again = id(&server.load(saved.as_bytes()).1);
    assert_eq!(server.sgf(&again), saved);
    let (reading, beside) =
        read_with_variations(saved.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(reading.record.moves.len(), 4);
    let nodes: Vec<usize> = beside.lines.iter().map(|line| line.nodes.len()).collect();
    assert_eq!(nodes, [5], "{saved}");
    for kept in [
        "C[above]",
        "PC[Kyoto]",
        "ST[2]",
        ";B[ee]TR[ee]SBKV[55.2]BL[59.5]TB[aa]GB[1]",
    ] {
        assert!(saved.contains(kept), "{kept} in {saved}");
    }
}

#[test]
fn serve_goes_on_with_variations_where_the_record_ends() {
    let server = Server::start(&folder("serve-first-branch"), &[]);
    let record = b"(;SZ[9](;C[hint only])(;B[aa];W[bb]C[RIGHT])(;B[bb]C[WRONG]))";
    let game = id(&server.load(record).1);
    let view = wait_for(&mut server.listen(&game), &["A9", "B8"]);
    assert_eq!(
        (&view["is_game"], &view["remarks"]),
        (&json!(true), &json!([]))
    );
    assert_eq!(branches(&view, 0), ["A9", "b8"]);
    let saved = server.sgf(&game);
    for kept in ["C[hint only]", ";W[bb]C[RIGHT])", "(;B[bb]C[WRONG])"] {
        assert!(saved.contains(kept), "{kept} in {saved}");
    }
    let again = id(&server.load(saved.as_bytes()).1);
    assert_eq!(server.sgf(&again), saved);
}

#[test]
fn serve_has_no_variation_take_the_place_of_an_impossible_move() {
    let server = Server::start(&folder("serve-impossible"), &[]);
    let record = b"(;SZ[9]KM[7];B[ee](;W[gg];B[gg]TR[aa]N[x])(;W[gg];B[cc])(;W[cc];B[gg]))";
    let game = id(&server.load(record).1);
    let view = wait_for(&mut server.listen(&game), &["E5", "G3"]);
    let remarks = view["remarks"].as_array().unwrap();
    assert_eq!(remarks.len(), 2, "{remarks:?}");
    assert_eq!(remarks[1], "1 variation, or a part of it, is not loaded");
    let saved = server.sgf(&game).replace('\n', "");
    assert!(saved.ends_with(";B[ee](;W[gg])(;W[cc];B[gg]))"), "{saved}");
}

#[test]
fn serve_saves_comments_of_variations_that_repeat_the_game() {
    let home = folder("serve-repeated");
    let server = lasting(&home);
    let record = b"(;SZ[9];B[aa](;W[bb];B[dd]C[own])(;W[bb]C[dup];B[cc]C[x]))";
    let game = id(&server.load(record).1);
    let longer = b"(;SZ[9];B[aa](;W[bb])(;W[bb]C[dup];B[cc]C[x]))";
    let longer = id(&server.load(longer).1);
    // Also after a restart.
    drop(server);
    let server = lasting(&home);
    let line = |game: &str| server.sgf(game).replace('\n', "");
    let saved = line(&game);
    assert!(
        saved.contains(";B[aa];W[bb]C[dup](;B[dd]C[own])(;B[cc]C[x]))"),
        "{saved}"
    );
    let saved = line(&longer);
    assert!(saved.contains(";B[aa];W[bb]C[dup];B[cc]C[x])"), "{saved}");
}

#[test]
fn serve_shows_later_comments_behind_a_long_one() {
    let server = Server::start(&folder("serve-comments"), &[]);
    let long = "\u{e9}".repeat(200_000);
    let record = format!("(;SZ[9]C[first];B[ee]C[{long}];W[ge]C[last])");
    let game = id(&server.load(record.as_bytes()).1);
    let view = server.listen(&game).wait("game", |_| true);
    let comments = &view["comments"];
    assert_eq!(
        (&comments["0"], &comments["2"]),
        (&json!("first"), &json!("last"))
    );
    let cut = comments["1"].as_str().unwrap();
    assert!(cut.ends_with('…') && cut.len() > 90_000 && cut.len() < 110_000);
    assert!(server.sgf(&game).contains(&long));
}

#[test]
fn serve_makes_what_is_played_the_game_until_it_ends() {
    let server = Server::start(&folder("serve-lines"), &[]);
    let game = id(&server.must(new_game(person(), person())));
    let mut page = server.listen(&game);
    for (turn, mv) in ["E5", "E7", "E3"].into_iter().enumerate() {
        assert_eq!(server.play(&game, turn, mv), 200);
    }
    assert_eq!(server.play(&game, 1, "C5"), 200);
    let view = wait_for(&mut page, &["E5", "C5"]);
    assert_eq!(view["is_game"], true);
    assert_eq!(branches(&view, 1), ["C5", "e7"]);
    server.must(json!({ "do": "resign", "game": game }));
    let view = page.wait("game", |view| view["stage"] == "over");
    assert_eq!(view["result"], "W+R");
    // After the end other moves are variations, and the result stays that of the game.
    assert_eq!(server.play(&game, 0, "C3"), 200);
    let view = wait_for(&mut page, &["C3"]);
    assert_eq!(
        (&view["is_game"], &view["stage"]),
        (&json!(false), &json!("playing"))
    );
    assert!(server.sgf(&game).contains("RE[W+R]"));
    server.must(json!({ "do": "back", "game": game }));
    let view = wait_for(&mut page, &["E5", "C5"]);
    assert_eq!(view["result"], "W+R");
}

/// A server whose games outlive it.
fn lasting(home: &Path) -> Server {
    Server::start(home, &["--state", "state"])
}

#[test]
fn serve_goes_on_with_its_games_after_it_was_killed() {
    let home = folder("serve-state");
    let server = lasting(&home);
    let mut wanted = new_game(person(), engine(1));
    wanted["time"] = json!("10m+30sx3");
    let game = id(&server.must(wanted));
    let record = id(&server.load(VARIATIONS.as_bytes()).1);
    let mut page = server.listen(&game);
    assert_eq!(server.play(&game, 0, "E5"), 200);
    let before = page.wait("game", |view| points(view).len() == 2);
    assert_eq!(server.branch(&record, 1, "E7"), 200);
    server.must(json!({ "do": "resign", "game": record }));
    let address = (server.host.clone(), server.token.clone());
    wait_until_stored(&home, "B[ee];W[");
    // Dropped, it is killed.
    drop(server);
    let server = lasting(&home);
    assert_eq!((server.host.clone(), server.token.clone()), address);
    let mut page = server.listen(&game);
    let after = page.wait("game", |_| true);
    for same in [
        "moves", "seats", "values", "stage", "rules", "komi", "names", "branches",
    ] {
        assert_eq!(after[same], before[same], "{same}");
    }
    assert_eq!(after["clocks"]["clocks"][0]["overtime"], json!([30.0, 3]));
    assert!(after["clocks"]["clocks"][0]["seconds"].as_f64().unwrap() <= 600.0);
    assert_eq!(server.play(&game, 2, "pass"), 200);
    page.wait("game", |view| points(view).len() == 4);
    // The record shows the variation that was looked at, and how that ended.
    let mut page = server.listen(&record);
    let view = wait_for(&mut page, &["E5", "E7", "C6", "G6"]);
    assert_eq!(
        (&view["stage"], &view["result"]),
        (&json!("over"), &json!("W+R"))
    );
    assert_eq!(branches(&view, 3), ["G6", "d3"]);
    server.must(json!({ "do": "back", "game": record }));
    let view = wait_for(&mut page, &["E5", "G5", "G6", "F5"]);
    assert_eq!(view["stage"], "playing");
}

#[test]
fn serve_keeps_counted_games_and_positions_set_up() {
    let home = folder("serve-state-counted");
    let server = lasting(&home);
    let game = id(&server.must(new_game(person(), person())));
    let mut page = server.listen(&game);
    for (turn, mv) in ["E5", "pass", "pass"].into_iter().enumerate() {
        assert_eq!(server.play(&game, turn, mv), 200);
    }
    page.wait("game", |view| view["stage"] == "agreeing");
    server.must(json!({ "do": "accept", "game": game }));
    let before = page.wait("game", |view| view["stage"] == "over");
    let set_up = id(&server.must(new_game(person(), person())));
    assert_eq!(server.play(&set_up, 0, "D4"), 200);
    let stones =
        json!({ "do": "setup", "game": set_up, "black": ["A1"], "white": ["B1"], "to_move": "W" });
    server.must(stones);
    drop(server);
    // What is no game of this program is left alone.
    fs::write(
        home.join("state/0123456789abcdef0123456789abcdef.json"),
        "{}",
    )
    .unwrap();
    let server = lasting(&home);
    let mut page = server.listen(&game);
    let after = page.wait("game", |_| true);
    for same in ["result", "accounts", "ownership", "dead", "stage"] {
        assert_eq!(after[same], before[same], "{same}");
    }
    let mut page = server.listen(&set_up);
    let view = page.wait("game", |_| true);
    assert_eq!(
        (&view["setup"], &view["to_move"]),
        (&json!([["A1"], ["B1"]]), &json!("W"))
    );
    server.must(json!({ "do": "back", "game": set_up }));
    wait_for(&mut page, &["D4"]);
    assert_eq!(server.status("games"), 2);
}

#[test]
fn serve_has_the_folder_of_its_games_alone() {
    let home = folder("serve-state-alone");
    let _server = lasting(&home);
    let command = keima(&[
        "serve",
        "--config",
        "none",
        "--state",
        "state",
        "--threads",
        "1",
    ]);
    let output = finish(alone(command, &home), "");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let told = text(&output.stderr);
    assert!(
        told.contains("state is used by another keima serve"),
        "{told}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = fs::metadata(home.join("state/address.json")).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn serve_ends_games_whose_time_is_up() {
    let server = Server::start(&folder("serve-time"), &[]);
    let timed = |time: &str| {
        let mut wanted = new_game(person(), person());
        wanted["time"] = json!(time);
        wanted
    };
    let (status, answer) = server.act(&timed("soon"));
    assert_eq!(status, 400, "{answer}");
    assert!(
        answer["error"].as_str().unwrap().contains("5m+30sx3"),
        "{answer}"
    );
    let game = id(&server.must(timed("1h")));
    let flag = |game: &str| server.must(json!({ "do": "flag", "game": game }))["is_late"].clone();
    let mut page = server.listen(&game);
    page.wait("game", |view| view["clocks"]["used"].is_number());
    assert_eq!(flag(&game), false);
    let short = id(&server.must(timed("0.05s")));
    // As long as nobody looks, no clock goes.
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(flag(&short), false);
    let mut page = server.listen(&short);
    page.wait("game", |view| view["clocks"]["used"].is_number());
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(flag(&short), true);
    let over = page.wait("game", |view| view["stage"] == "over");
    assert_eq!(
        (&over["result"], &over["clocks"]["used"]),
        (&json!("W+T"), &Value::Null)
    );
    assert_eq!(over["clocks"]["clocks"][0]["seconds"], 0.0);
    assert!(server.sgf(&short).contains("RE[W+T]"));
    assert_eq!(server.play(&short, 0, "E5"), 400);
    // Taken back, the turn has its time again.
    server.must(json!({ "do": "undo", "game": short, "turn": 0 }));
    let view = page.wait("game", |view| view["stage"] == "playing");
    for clock in view["clocks"]["clocks"].as_array().unwrap() {
        assert_eq!(clock["seconds"], 0.05);
    }
}

#[test]
fn serve_takes_a_move_after_an_undo_for_the_game() {
    let server = Server::start(&folder("serve-undone"), &[]);
    let game = id(&server.must(new_game(person(), person())));
    let mut page = server.listen(&game);
    for (turn, mv) in ["E5", "C3", "G7", "C7"].iter().enumerate() {
        assert_eq!(server.play(&game, turn, mv), 200);
    }
    assert_eq!(server.play(&game, 2, "D4"), 200);
    server.must(json!({ "do": "undo", "game": game, "turn": 3 }));
    assert_eq!(server.play(&game, 2, "F6"), 200);
    assert_eq!(server.play(&game, 3, "D6"), 200);
    let view = wait_for(&mut page, &["E5", "C3", "F6", "D6"]);
    assert_eq!(view["is_game"], true);
    server.must(json!({ "do": "resign", "game": game }));
    // Whoever sits there later has not played it.
    server.must(json!({ "do": "seats", "game": game, "black": engine(1), "white": person() }));
    let sgf = server.sgf(&game).replace('\n', "");
    assert!(sgf.contains(";B[ee];W[cg](;B[fd];W[dd])"), "{sgf}");
    assert!(sgf.contains("RE[W+R]") && !sgf.contains("PB["), "{sgf}");
}

#[test]
fn serve_ignores_an_undo_of_moves_that_are_gone() {
    let server = Server::start(&folder("serve-twice"), &[]);
    let game = id(&server.must(new_game(person(), person())));
    for (turn, mv) in ["E5", "C3", "G7"].into_iter().enumerate() {
        assert_eq!(server.play(&game, turn, mv), 200);
    }
    // The second click of an impatient person, or that of another page.
    for _ in 0..2 {
        server.must(json!({ "do": "undo", "game": game, "turn": 3 }));
        let sgf = server.sgf(&game).replace('\n', "");
        assert!(sgf.contains(";B[ee];W[cg])"), "{sgf}");
    }
}

#[test]
fn serve_counts_records_that_end_with_two_passes() {
    let home = folder("serve-passes");
    let server = lasting(&home);
    let load = |facts: &str| {
        let record = format!("(;SZ[9]KM[7.5]RU[Chinese]{facts};B[ee];W[];B[])");
        id(&server.load(record.as_bytes()).1)
    };
    let games = [load(""), load("RE[W+3.5]"), load("RE[?]")];
    let [plain, stated, unknown] = &games;
    for game in [plain, unknown] {
        let view = server
            .listen(game)
            .wait("game", |view| view["stage"] == "agreeing");
        assert_eq!(view["proposal"], "B+73.5");
    }
    // What goes on after all does so after a restart, too.
    server.must(json!({ "do": "resume", "game": plain }));
    drop(server);
    let server = lasting(&home);
    let view = |game: &str| server.listen(game).wait("game", |_| true);
    assert_eq!(view(plain)["stage"], "playing");
    let view = view(stated);
    assert_eq!(
        (&view["stage"], &view["result"], &view["ownership"]),
        (&json!("over"), &json!("W+3.5"), &Value::Null)
    );
}

#[test]
fn serve_forgets_moves_after_a_record_that_are_taken_back() {
    let home = folder("serve-tried");
    let state = ["--state", "state"];
    let record = "(;SZ[9]KM[7]PB[Ann]RE[B+R];B[ee];W[ge])";
    let (server, game) = {
        let server = Server::start(&home, &state);
        let game = id(&server.load(record.as_bytes()).1);
        assert_eq!(server.play(&game, 2, "A1"), 200);
        // Also after a restart.
        drop(server);
        (Server::start(&home, &state), game)
    };
    server.must(json!({ "do": "undo", "game": game, "turn": 3 }));
    let sgf = server.sgf(&game);
    assert!(sgf.contains("RE[B+R]") && sgf.contains("PB[Ann]"), "{sgf}");
    assert!(!sgf.contains("B[ai]"), "{sgf}");
    // A move of the record stays.
    server.must(json!({ "do": "undo", "game": game, "turn": 2 }));
    assert!(server.sgf(&game).contains(";W[ge]"));
}
