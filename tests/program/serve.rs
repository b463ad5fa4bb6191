//! `keima serve` as browsers and others reach it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::running::{finish, folder, keima};

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A command in a folder, for which whatever the user has configured does not matter.
fn alone(mut command: Command, home: &Path) -> Command {
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("KEIMA_")) {
        command.env_remove(name);
    }
    command
        .current_dir(home)
        .env("XDG_CONFIG_HOME", home)
        .env("XDG_DATA_HOME", home);
    command
}

/// A server that is ended when it is dropped.
pub struct Server {
    child: Child,
    /// Keeps the pipe open.
    _output: BufReader<ChildStdout>,
    pub host: String,
    pub token: String,
}

impl Server {
    /// Starts a server with one thread for each search.
    pub fn start(home: &Path, arguments: &[&str]) -> Server {
        let mut command = keima(&["serve", "--config", "none", "--threads", "1", "--seed", "1"]);
        command.args(arguments);
        let mut command = alone(command, home);
        command.stdin(Stdio::null()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").expect("an address");
        let mut parts = address.split('/');
        let (host, token) = (parts.next().unwrap(), parts.next().unwrap());
        Server {
            host: host.to_owned(),
            token: token.to_owned(),
            child,
            _output: output,
        }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes and reads what comes until the server closes. Only requests that are `whole` are answered for
    /// sure: after others nothing more comes from here.
    pub fn send(&self, bytes: &[u8], whole: bool) -> Vec<u8> {
        let mut stream = self.connect();
        // The server may answer and close before it has all.
        let _ = stream.write_all(bytes);
        if !whole {
            let _ = stream.shutdown(Shutdown::Write);
        }
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    /// A request with this host and path; status, headers and body of the answer.
    fn ask(&self, host: &str, request: &str, more: &str, body: &[u8]) -> (u16, String, Vec<u8>) {
        let head = format!("{request} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n");
        let answer = self.send(&[head.as_bytes(), body].concat(), true);
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer to {request}"));
        let headers = String::from_utf8(answer[..end].to_vec()).unwrap();
        let status = headers[9..12].parse().unwrap();
        (status, headers, answer[end + 4..].to_vec())
    }

    fn get(&self, path: &str) -> (u16, String, Vec<u8>) {
        let request = format!("GET /{}/{path}", self.token);
        self.ask(&self.host, &request, "", b"")
    }

    fn post(&self, path: &str, kind: &str, body: &[u8]) -> (u16, Value) {
        let request = format!("POST /{}/{path}", self.token);
        let length = body.len();
        let more = format!("Content-Type: {kind}\r\nContent-Length: {length}\r\n");
        let (status, _, body) = self.ask(&self.host, &request, &more, body);
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    /// Has it do something.
    pub fn act(&self, action: &Value) -> (u16, Value) {
        self.post("do", "application/json", action.to_string().as_bytes())
    }

    /// The same, which must succeed.
    fn must(&self, action: Value) -> Value {
        let (status, answer) = self.act(&action);
        assert_eq!(status, 200, "{action}: {answer}");
        answer
    }

    fn load(&self, sgf: &[u8]) -> (u16, Value) {
        self.post("sgf", "application/x-go-sgf", sgf)
    }

    /// A page that shows a game.
    fn listen(&self, game: &str) -> Page {
        let mut stream = self.connect();
        let (host, token) = (&self.host, &self.token);
        let request = format!("GET /{token}/events?game={game} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        Page {
            lines: BufReader::new(stream),
        }
    }

    /// Memory in use, in bytes.
    #[cfg(target_os = "linux")]
    fn memory(&self) -> u64 {
        let path = format!("/proc/{}/statm", self.child.id());
        let text = std::fs::read_to_string(path).unwrap();
        let pages: u64 = text.split(' ').nth(1).unwrap().parse().unwrap();
        pages * 4096
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The events of a page.
struct Page {
    lines: BufReader<TcpStream>,
}

impl Page {
    /// The next event of a kind that fulfils a condition.
    fn wait(&mut self, event: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let mut kind = String::new();
        loop {
            let mut line = String::new();
            assert!(
                self.lines.read_line(&mut line).unwrap() > 0,
                "the events end"
            );
            if let Some(name) = line.strip_prefix("event: ") {
                kind = name.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                let data = serde_json::from_str(data).unwrap();
                if kind == event && fits(&data) {
                    return data;
                }
            }
        }
    }
}

fn person() -> Value {
    json!({ "kind": "person" })
}

fn engine(visits: u64) -> Value {
    json!({ "kind": "engine", "visits": visits, "rank": null })
}

fn new_game(black: Value, white: Value) -> Value {
    json!({ "do": "new", "size": [9, 9], "rules": "chinese", "komi": null, "handicap": 0,
        "black": black, "white": white })
}

fn id(answer: &Value) -> String {
    answer["game"].as_str().unwrap().to_owned()
}

#[test]
fn serve_refuses_requests_without_token_or_by_another_name() {
    let server = Server::start(&folder("serve-gate"), &[]);
    let (status, headers, body) = server.get("");
    assert_eq!(status, 200);
    for header in [
        "content-security-policy: default-src 'none'",
        "cache-control: no-store",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
    ] {
        assert!(headers.contains(header), "{header}: {headers}");
    }
    assert!(body.starts_with(b"<!DOCTYPE html>"));
    let token = &server.token;
    let shorter = &token[..token.len() - 1];
    let paths = ["/", "/do", "/events?game=00", "/app.js", "//", "/../"];
    let wrong = [
        format!("/{shorter}/"),
        format!("/{token}0/"),
        format!("/{shorter}x/do"),
    ];
    for path in paths.iter().map(ToString::to_string).chain(wrong) {
        let (status, ..) = server.ask(&server.host, &format!("GET {path}"), "", b"");
        assert_eq!(status, 403, "{path}");
    }
    for host in ["evil.example", "localhost.evil.example:80", "a.b"] {
        let (status, ..) = server.ask(host, &format!("GET /{token}/"), "", b"");
        assert_eq!(status, 403, "{host}");
    }
    let origin = "Origin: http://evil.example\r\n";
    let (status, ..) = server.ask(&server.host, &format!("GET /{token}/"), origin, b"");
    assert_eq!(status, 403);
    let plain = server.post("do", "text/plain", b"{}");
    assert_eq!(plain.0, 415, "{}", plain.1);
}

#[test]
fn serve_page_is_small_and_loads_only_its_own_files() {
    let server = Server::start(&folder("serve-page"), &[]);
    let parts = ["", "app.js", "style.css", "run.js"].map(|path| server.get(path));
    let bytes: usize = parts.iter().map(|(.., body)| body.len()).sum();
    assert!(bytes < 300_000, "{bytes}");
    for (status, _, body) in &parts {
        assert_eq!(*status, 200);
        let text = std::str::from_utf8(body).unwrap();
        for outside in ["https:", "@import", "url(", "//cdn"] {
            assert!(!text.contains(outside), "{outside}");
        }
    }
}

#[test]
fn serve_leads_to_no_files() {
    let home = folder("serve-files");
    std::fs::create_dir(home.join("games")).unwrap();
    std::fs::write(home.join("games/a.sgf"), "(;SZ[9];B[ee])").unwrap();
    std::fs::write(home.join("outside.sgf"), "(;SZ[9];B[aa])").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../outside.sgf", home.join("games/link.sgf")).unwrap();
    let server = Server::start(&home, &["--games", "games"]);
    let names: Value = serde_json::from_slice(&server.get("files").2).unwrap();
    assert!(names["names"].as_array().unwrap().contains(&json!("a.sgf")));
    let opened = server.must(json!({ "do": "open", "name": "a.sgf" }));
    let game = id(&opened);
    for name in [
        "../outside.sgf",
        "/etc/passwd",
        "link.sgf",
        "..",
        "",
        "a.sgf/../a.sgf",
        "b.sgf",
    ] {
        let (status, answer) = server.act(&json!({ "do": "open", "name": name }));
        assert_eq!(status, 404, "{name}: {answer}");
        let (status, _) = server.act(&json!({ "do": "keep", "game": game, "name": "../b.sgf" }));
        assert_eq!(status, 400);
    }
    for path in [
        "../outside.sgf",
        "%2e%2e/outside.sgf",
        "games/a.sgf",
        "..%2foutside.sgf",
        "Cargo.toml",
    ] {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
    server.must(json!({ "do": "keep", "game": game, "name": "b.sgf" }));
    let (status, _) = server.act(&json!({ "do": "keep", "game": game, "name": "b.sgf" }));
    assert_eq!(status, 400, "an existing record stays");
    assert!(
        std::fs::read_to_string(home.join("games/b.sgf"))
            .unwrap()
            .contains(";B[ee]")
    );
    assert!(!home.join("b.sgf").exists());
}

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
    server.must(json!({ "do": "undo", "game": game }));
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
    assert_eq!(over["owners"].as_str().unwrap(), "B".repeat(81));
    let sgf = server.get(&format!("sgf?game={game}")).2;
    let sgf = String::from_utf8(sgf).unwrap();
    assert!(
        sgf.contains("RE[B+73.5]") && sgf.contains(";B[ee]"),
        "{sgf}"
    );
}

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
    // A long search; then the page is closed, and nobody is there to be served any more.
    server.must(analyze(1, 100_000, false));
    page.wait("analysis", |it| it["position"]["turn"] == 1);
    drop(page);
    let deadline = std::time::Instant::now() + PATIENCE;
    while server.act(&analyze(1, 20, false)).0 != 404 {
        assert!(
            std::time::Instant::now() < deadline,
            "the page is still there"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
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
fn serve_stands_malformed_requests_without_growing() {
    let server = Server::start(&folder("serve-attack"), &[]);
    let game = id(&server.must(new_game(person(), person())));
    #[cfg(target_os = "linux")]
    let before = server.memory();
    let token = server.token.clone();
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let actions = [
        "play", "undo", "resign", "dead", "accept", "resume", "back", "seats", "setup", "analyze",
        "open", "keep", "new", "nothing",
    ];
    let values = [
        "null",
        "-1",
        "1e400",
        "18446744073709551615",
        "\"\\u0000\"",
        "[[[[]]]]",
        "{}",
        "\"Z99\"",
        "\"pass\"",
        "[\"A1\",\"A1\"]",
        "{\"kind\":\"engine\",\"visits\":0,\"rank\":\"9x\"}",
        "0",
        "true",
    ];
    let fields = [
        "turn", "move", "point", "black", "white", "to_move", "size", "rules", "visits", "name",
    ];
    let (mut answered, mut closed) = (0, 0);
    for round in 0..10_000 {
        let missing = random(2);
        let is_mutated = round % 3 == 0;
        let is_whole = !is_mutated && (round % 5 == 1 || (round % 5 > 1 && missing == 0));
        let mut bytes = match round % 5 {
            0 => (0..random(300)).map(|_| random(256) as u8).collect(),
            1 => format!(
                "GET /{token}/{} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
                "../".repeat(random(50)),
                server.host
            )
            .into_bytes(),
            _ => {
                let mut body = format!(
                    "{{\"do\":\"{}\",\"game\":\"{game}\"",
                    actions[random(actions.len())]
                );
                for _ in 0..random(6) {
                    let (field, value) =
                        (fields[random(fields.len())], values[random(values.len())]);
                    body += &format!(",\"{field}\":{value}");
                }
                body += ["}", "", "}}", "]"][random(4)];
                let length = body.len() + missing;
                format!(
                    "POST /{token}/do HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
                     Content-Length: {length}\r\nConnection: close\r\n\r\n{body}",
                    server.host
                )
                .into_bytes()
            }
        };
        if is_mutated && !bytes.is_empty() {
            let place = random(bytes.len());
            bytes[place] = random(256) as u8;
        }
        match server.send(&bytes, is_whole) {
            answer if answer.is_empty() && is_whole => panic!("{bytes:?} has no answer"),
            answer if answer.is_empty() => closed += 1,
            answer => {
                assert!(
                    answer.starts_with(b"HTTP/1."),
                    "{:?}",
                    &answer[..20.min(answer.len())]
                );
                assert!(
                    !answer.starts_with(b"HTTP/1.1 500"),
                    "{:?}",
                    String::from_utf8_lossy(&bytes)
                );
                answered += 1;
            }
        }
    }
    assert!(answered > 3500, "{answered} answered, {closed} closed");
    assert_eq!(server.get("").0, 200);
    let view = server.listen(&game).wait("game", |_| true);
    assert_eq!(view["size"], json!([9, 9]));
    #[cfg(target_os = "linux")]
    {
        let grown = server.memory().saturating_sub(before);
        assert!(grown < 300 << 20, "{grown} bytes more");
    }
}

#[test]
fn serve_limits_sizes_of_requests_and_records() {
    let server = Server::start(&folder("serve-sizes"), &[]);
    let huge = vec![b'('; 3 << 20];
    assert_eq!(server.load(&huge).0, 413);
    assert_eq!(
        server
            .post("do", "application/json", &vec![b' '; 100_000])
            .0,
        413
    );
    // Without a stated length.
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, "(".repeat(1 << 20));
    let head = format!(
        "POST /{}/sgf HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-go-sgf\r\n\
         Transfer-Encoding: chunked\r\n\r\n",
        server.token, server.host
    );
    let answer = server.send(
        format!("{head}{}0\r\n\r\n", chunk.repeat(3)).as_bytes(),
        true,
    );
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 413"),
        "{answer}"
    );
    // Deeply nested, long, or no record at all.
    let long = format!("(;SZ[19]{})", ";B[aa];W[bb]".repeat(1500));
    let nested = vec![b'('; 1 << 20];
    let comment = format!("(;SZ[9]C[{}];B[ee])", "x".repeat(1_000_000));
    for (name, sgf, expected) in [
        ("long", long.as_bytes(), 400),
        ("nested", &nested, 400),
        ("nothing", b"", 400),
        ("a long comment", comment.as_bytes(), 200),
    ] {
        let (status, answer) = server.load(sgf);
        assert_eq!(status, expected, "{name}: {answer}");
    }
    let headers = format!("X-Long: {}\r\n", "x".repeat(100_000));
    let request = format!(
        "GET /{}/ HTTP/1.1\r\nHost: {}\r\n{headers}\r\n",
        server.token, server.host
    );
    let answer = String::from_utf8_lossy(&server.send(request.as_bytes(), true)).into_owned();
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 431"),
        "{answer}"
    );
    assert_eq!(server.get("").0, 200);
}

#[test]
fn serve_answers_others_while_many_connections_are_open() {
    let server = Server::start(&folder("serve-many"), &[]);
    let game = id(&server.must(new_game(person(), person())));
    let mut pages: Vec<Page> = (0..190).map(|_| server.listen(&game)).collect();
    for page in &mut pages {
        page.wait("game", |_| true);
    }
    server.must(json!({ "do": "play", "game": game, "turn": 0, "move": "E5" }));
    for page in &mut pages {
        page.wait("game", |view| view["moves"].as_array().unwrap().len() == 1);
    }
    // Beyond the limit connections are closed, with an answer if it is read.
    let idle: Vec<TcpStream> = (0..30).map(|_| server.connect()).collect();
    let refused = idle.into_iter().filter(|stream| {
        stream
            .set_read_timeout(Some(Duration::from_millis(200)))
            .unwrap();
        let mut answer = Vec::new();
        let _ = (&mut &*stream).read_to_end(&mut answer);
        answer.starts_with(b"HTTP/1.1 503")
    });
    assert!(refused.count() >= 20);
    drop(pages);
    let deadline = std::time::Instant::now() + PATIENCE;
    while server
        .send(b"GET / HTTP/1.1\r\n\r\n", false)
        .starts_with(b"HTTP/1.1 503")
    {
        assert!(std::time::Instant::now() < deadline, "no room again");
    }
    assert_eq!(server.get("").0, 200);
}

#[test]
fn serve_shows_a_training_run_that_grows() {
    let home = folder("serve-run");
    let play_one_more = || {
        let mut command = keima(&["selfplay", "RUN", "--worker-id", "w", "--games", "1"]);
        command.args(["--sizes", "5", "--set", "visits=4", "--threads", "1"]);
        let output = finish(alone(command, &home), "");
        assert!(output.status.success(), "{output:?}");
    };
    play_one_more();
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
    play_one_more();
    let deadline = std::time::Instant::now() + PATIENCE;
    while report() == first {
        assert!(
            std::time::Instant::now() < deadline,
            "the report stays the same"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    let none = Server::start(&home, &[]);
    assert_eq!(none.get("report").0, 404);
}

#[test]
fn serve_offers_ranks_with_a_network_of_human_play() {
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
    let without = Server::start(&folder("serve-no-ranks"), &[]);
    let (status, answer) = without.act(&new_game(person(), ranked));
    assert_eq!(status, 400);
    assert!(
        answer["error"].as_str().unwrap().contains("--human-model"),
        "{answer}"
    );
}
