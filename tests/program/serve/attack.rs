//! Malformed requests, large ones, many connections.

use std::io::Read;
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use super::{PATIENCE, Page, Server, id, new_game, person};
use crate::folders::folder;
use crate::running::until;

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
    // More variations than are kept: each a move, an occupied point, or one below the other.
    let passes = format!("(;SZ[9];B[ee](;W[gg]){})", "(;W[])".repeat(100_000));
    let occupied = format!("(;SZ[9];B[ee](;W[gg]){})", "(;W[ee])".repeat(100_000));
    let deep = format!("(;SZ[9];B[ee](;W[gg]){})", "(;W[];B[]".repeat(50_000));
    let commented = format!("(;SZ[9];B[ee](;W[gg])(;W[cc]{}))", ";C[a]".repeat(100_000));
    for (name, sgf, expected) in [
        ("passes", passes.as_bytes(), 200),
        ("occupied points", occupied.as_bytes(), 200),
        ("deep variations", deep.as_bytes(), 200),
        ("many comments", commented.as_bytes(), 200),
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
    let is_refused = || {
        let answer = server.send(b"GET / HTTP/1.1\r\n\r\n", false);
        answer.starts_with(b"HTTP/1.1 503")
    };
    until("there is room again", PATIENCE, || !is_refused());
    assert_eq!(server.get("").0, 200);
}
