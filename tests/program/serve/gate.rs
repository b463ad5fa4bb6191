//! Which requests are let in, and what they can reach.

use serde_json::{Value, json};

use super::{Server, id};
use crate::folders::folder;

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
fn serve_is_reached_by_the_names_that_are_given() {
    let names = ["--host", "Go.example", "--host", "board.example"];
    let mut server = Server::start(&folder("serve-host"), &names);
    // The address that it tells is the first name's.
    let (name, port) = server.host.split_once(':').unwrap();
    assert_eq!(name, "Go.example");
    let hosts = ["go.example", "board.example", "another.example"];
    let [first, second, other] = hosts.map(|host| format!("{host}:{port}"));
    server.host = format!("127.0.0.1:{port}");
    let request = format!("GET /{}/", server.token);
    for (host, expected) in [(first, 200), (second, 200), (other, 403)] {
        let (status, ..) = server.ask(&host, &request, "", b"");
        assert_eq!(status, expected, "{host}");
    }
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
    std::fs::write(home.join("games/broken.sgf"), "nothing").unwrap();
    std::fs::write(home.join("outside.sgf"), "(;SZ[9];B[aa])").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../outside.sgf", home.join("games/link.sgf")).unwrap();
    let server = Server::start(&home, &["--games", "games"]);
    let names: Value = serde_json::from_slice(&server.get("files").2).unwrap();
    assert!(names["names"].as_array().unwrap().contains(&json!("a.sgf")));
    let (_, answer) = server.act(&json!({ "do": "open", "name": "broken.sgf" }));
    assert!(
        answer.to_string().contains("broken.sgf: no game found"),
        "{answer}"
    );
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
