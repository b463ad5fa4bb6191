//! Analyses for pages, and reports of training runs.

use std::path::Path;

use serde_json::{Value, json};

use super::{PATIENCE, Page, Server, alone, id, new_game, person};
use crate::folders::folder;
use crate::running::{finish, keima, until};

#[test]
fn serve_analyzes_as_long_as_the_page_is_open() {
    let server = Server::start(&folder("serve-analysis"), &[]);
    let (status, loaded) = server.load(b"(;SZ[9]KM[7]RU[Chinese];B[ee];W[ge];B[gd])");
    assert_eq!(status, 200, "{loaded}");
    let game = id(&loaded);
    let mut page = server.listen(&game);
    let hello = page.wait("hello", |_| true);
    let client = hello["client"].as_str().unwrap().to_owned();
    let analyze = |turn: usize, visits: u64, whole: bool| json!({ "do": "analyze", "client": client, "turn": turn, "visits": visits, "whole": whole });
    server.must(analyze(2, 20, true));
    let found = page.wait("analysis", |it| it["is_last"] == true);
    let position = &found["position"];
    assert_eq!(
        (&position["turn"], &position["to_move"]),
        (&json!(2), &json!("B"))
    );
    assert_eq!(position["ownership"].as_str().unwrap().len(), 81);
    assert!(!position["moves"][0]["pv"].as_array().unwrap().is_empty());
    // The other positions of the game follow.
    let mut turns = std::collections::BTreeSet::new();
    while turns.len() < 4 {
        let values = page.wait("values", |_| true);
        turns.extend(
            values
                .as_array()
                .unwrap()
                .iter()
                .map(|pair| pair[0].as_u64().unwrap()),
        );
    }
    // A long search; then the page is closed, and it ends.
    let mut large = new_game(person(), person());
    large["size"] = json!([19, 19]);
    let mut page = server.listen(&id(&server.must(large)));
    let client = page.wait("hello", |_| true)["client"].clone();
    let long =
        json!({ "do": "analyze", "client": client, "turn": 0, "visits": 100_000, "whole": false });
    server.must(long.clone());
    page.wait("analysis", |it| it["wanted"] == 100_000);
    assert_eq!(server.status("searches"), 1);
    drop(page);
    server.wait_for("searches", 0);
    assert_eq!(server.act(&long).0, 404, "the page is gone");
}

#[test]
fn serve_gives_each_page_a_search_of_its_own() {
    let server = Server::start(&folder("serve-pages"), &[]);
    let (_, loaded) = server.load(b"(;SZ[9]KM[7];B[ee];W[ge];B[gd];W[fe])");
    let game = id(&loaded);
    let mut pages: Vec<(Page, Value)> = (0..2)
        .map(|_| {
            let mut page = server.listen(&game);
            let client = page.wait("hello", |_| true)["client"].clone();
            (page, client)
        })
        .collect();
    for (turn, (_, client)) in pages.iter().enumerate() {
        let analyze = json!({ "do": "analyze", "client": client, "turn": turn, "visits": 30, "whole": false });
        server.must(analyze);
    }
    for (turn, (page, _)) in pages.iter_mut().enumerate() {
        let found = page.wait("analysis", |_| true);
        assert_eq!(found["position"]["turn"], turn, "another page's analysis");
    }
    assert_eq!(server.status("pages"), 2);
    pages.pop();
    server.wait_for("pages", 1);
}

pub fn play_one_more(home: &Path) {
    let mut command = keima(&["selfplay", "RUN", "--worker-id", "w", "--games", "1"]);
    command.args(["--sizes", "5", "--set", "visits=4", "--threads", "1"]);
    let output = finish(alone(command, home), "");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn serve_shows_a_training_run_that_grows() {
    let home = folder("serve-run");
    play_one_more(&home);
    let server = Server::start(&home, &["RUN"]);
    assert_eq!(server.get("run").0, 200);
    let report = || {
        let (status, headers, body) = server.get("report");
        assert_eq!(status, 200);
        assert!(headers.contains("script-src 'self';"), "{headers}");
        String::from_utf8(body).unwrap()
    };
    let first = report();
    assert!(first.contains("Self-play"), "{first}");
    play_one_more(&home);
    until("the report changes", PATIENCE, || report() != first);
    let none = Server::start(&home, &[]);
    assert_eq!(none.get("report").0, 404);
}
