//! `keima serve` as browsers and others reach it.

use std::fs::{self, DirEntry};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::guarded::Guarded;
use crate::running::{keima, until};

mod analyses;
mod attack;
mod games;
mod gate;
mod variations;

#[cfg(unix)]
pub use analyses::play_one_more;

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A command in a folder, for which whatever the user has configured does not matter.
fn alone(mut command: Command, home: &Path) -> Command {
    command
        .current_dir(home)
        .env("XDG_CONFIG_HOME", home)
        .env("XDG_DATA_HOME", home);
    command
}

/// Waits until the file of a game that outlives the server has this text: moves of the program are shown before they
/// are written.
pub fn wait_until_stored(home: &Path, text: &str) {
    let has_text =
        |file: DirEntry| fs::read_to_string(file.path()).is_ok_and(|stored| stored.contains(text));
    let files = || fs::read_dir(home.join("state")).unwrap().flatten();
    until(&format!("a game has {text}"), PATIENCE, || {
        files().any(has_text)
    });
}

/// A server that is ended when it is dropped.
pub struct Server {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "it is ended"))]
    child: Guarded,
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
        let mut child = Guarded::spawn(&mut command);
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

    /// How many games, pages or searches there are.
    fn status(&self, what: &str) -> u64 {
        let status: Value = serde_json::from_slice(&self.get("status").2).unwrap();
        status[what].as_u64().unwrap()
    }

    /// Waits until there are so many.
    fn wait_for(&self, what: &str, count: u64) {
        until(&format!("{count} {what}"), PATIENCE, || {
            self.status(what) == count
        });
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
        let text = fs::read_to_string(path).unwrap();
        let pages: u64 = text.split(' ').nth(1).unwrap().parse().unwrap();
        pages * 4096
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
