//! The Piskvork protocol.

use keima::games::gomoku::notation::parse_pair;
use keima::minimax::Position;

use super::client::Client;
use super::{after, variant};

/// The program at work.
struct Manager(Client);

impl Manager {
    fn new(arguments: &[&str]) -> Manager {
        let player = ["piskvork", "--player", "alphabeta"];
        Manager(Client::new(&[&player, arguments].concat()))
    }

    /// Nodes are few, and the answers always the same.
    fn quick() -> Manager {
        Manager::new(&["--nodes", "300"])
    }

    fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.send(bytes);
    }

    fn line(&self) -> String {
        self.0.line()
    }

    fn ask(&mut self, text: &str) -> String {
        self.send(text);
        self.line()
    }

    /// Ends the program; nothing more comes.
    fn end(self) {
        self.0.end("END");
    }
}

/// Whether a line is a point of a board.
fn is_point(line: &str, name: &str) -> bool {
    parse_pair(variant(name), line).is_ok()
}

#[test]
fn a_game_as_managers_lead_it() {
    let mut manager = Manager::quick();
    assert_eq!(manager.ask("START 15\r"), "OK");
    manager
        .send("INFO timeout_turn 1000\r\nINFO timeout_match 100000\r\nINFO max_memory 83886080\r");
    manager.send("info GAME_TYPE 1\r\nINFO rule 1\nINFO time_left 90000\nINFO evaluate 3,3\nINFO folder C:\\x y\nINFO\nINFO what is this");
    let mut texts = vec![manager.ask("BEGIN\r")];
    let mut position = after("standard", "");
    loop {
        let answer = parse_pair(position.variant(), texts.last().unwrap()).unwrap();
        position.check(answer).unwrap();
        position.play(answer);
        if position.winner().is_some() {
            break;
        }
        // The opponent plays the first free point from the edge.
        let free = position
            .board()
            .points()
            .find(|&point| position.is_legal(point))
            .unwrap();
        position.play(free);
        let answer = manager.ask(&format!("turn {},{}", free % 15, free / 15));
        texts.push(answer);
    }
    assert!(texts.len() < 12, "{texts:?}");
    assert_eq!(manager.ask("RESTART"), "OK");
    let again = manager.ask("begin");
    assert_eq!(again, texts[0], "equal searches, equal moves");
    assert!(
        manager
            .ask("ABOUT")
            .starts_with("name=\"keima\", version=\"")
    );
    manager.end();
}

#[test]
fn boards_are_set_up_in_any_order() {
    let mut manager = Manager::quick();
    assert_eq!(manager.ask("RECTSTART 20,15"), "OK");
    assert_eq!(
        manager.ask("BOARD\nDONE"),
        "10,7",
        "the center of an empty board"
    );
    // We are White, in either order; Black's four is stopped.
    for stones in [
        "5,5,2\n6,6,1\n5,6,2\n7,6,1\n5,7,2\n5,4,1\n5,8,2",
        "6,6,1\n7,6,1\n5,4,1\n5,8,2\n5,7,2\n5,6,2\n5,5,2",
    ] {
        assert_eq!(manager.ask(&format!("board\n{stones}\ndone")), "5,9");
    }
    // We are Black and complete a row.
    let own = "1,1,1\n2,1,1\n3,1,1\n4,1,1\n1,5,2\n3,5,2\n5,5,2\n7,5,2";
    let answer = manager.ask(&format!("BOARD\n{own}\nDONE"));
    assert!(["0,1", "5,1"].contains(&answer.as_str()), "{answer}");
    assert_eq!(manager.ask("TURN 9,9"), "ERROR the game is over");
    manager.end();
}

#[test]
fn moves_are_taken_back_one_after_the_other() {
    let mut manager = Manager::quick();
    manager.ask("START 19");
    let first = manager.ask("BEGIN");
    let second = manager.ask("TURN 0,0");
    assert!(
        manager
            .ask(&format!("TAKEBACK {first}"))
            .starts_with("ERROR")
    );
    assert_eq!(manager.ask(&format!("TAKEBACK {second}")), "OK");
    assert_eq!(manager.ask("TAKEBACK 0,0"), "OK");
    assert_eq!(manager.ask(&format!("TAKEBACK {first}")), "OK");
    assert!(
        manager
            .ask(&format!("TAKEBACK {first}"))
            .starts_with("ERROR")
    );
    assert_eq!(manager.ask("BEGIN"), first);
    // Also stones of a board, those of each side in the order of its lines.
    let answer = manager.ask("BOARD\n7,7,1\n8,8,1\n9,9,2\n6,5,2\nDONE");
    for point in [&answer[..], "6,5", "8,8", "9,9", "7,7"] {
        assert_eq!(manager.ask(&format!("TAKEBACK {point}")), "OK", "{point}");
    }
    manager.end();
}

#[test]
fn forbidden_points_end_neither_session_nor_game() {
    let mut manager = Manager::quick();
    manager.send("INFO rule 4");
    assert_eq!(manager.ask("START 15"), "OK");
    // White is to move after this; then Black's double three at h8 is refused.
    let stones = "7,8,2\n0,0,1\n7,9,2\n2,0,1\n6,7,2\n4,0,1\n5,7,2";
    let answer = manager.ask(&format!("BOARD\n{stones}\nDONE"));
    assert!(is_point(&answer, "renju"), "{answer}");
    assert_eq!(manager.ask(&format!("TAKEBACK {answer}")), "OK");
    // Now we are Black.
    let mut black = stones
        .replace(",2\n", ",x\n")
        .replace(",1\n", ",2\n")
        .replace(",x\n", ",1\n");
    black = black.replace("5,7,2", "5,7,1\n6,0,2");
    let answer = manager.ask(&format!("BOARD\n{black}\nDONE"));
    assert!(is_point(&answer, "renju") && answer != "7,7", "{answer}");
    let error =
        manager.ask("BOARD\n7,8,2\n0,0,1\n7,9,2\n2,0,1\n6,7,2\n4,0,1\n5,7,2\n6,0,1\n7,7,2\nDONE");
    assert!(
        is_point(&error, "renju"),
        "how stones came there does not matter: {error}"
    );
    manager.end();
}

#[test]
fn swap2_is_answered_at_each_stage() {
    let mut manager = Manager::quick();
    manager.ask("START 15");
    let opening = manager.ask("SWAP2BOARD\nDONE");
    let points: Vec<&str> = opening.split(' ').collect();
    assert!(
        points.len() == 3 && points.iter().all(|point| is_point(point, "freestyle")),
        "{opening}"
    );
    // Black has an open three almost for free, or nothing.
    assert_eq!(manager.ask("SWAP2BOARD\n7,7\n0,0\n7,8\nDONE"), "SWAP");
    let answer = manager.ask("SWAP2BOARD\n0,0\n7,7\n14,14\n7,8\n0,14\nDONE");
    assert!(is_point(&answer, "freestyle"), "{answer}");
    assert!(
        manager
            .ask("SWAP2BOARD\n7,7\nDONE")
            .starts_with("ERROR SWAP2BOARD has 0, 3 or 5")
    );
    assert!(
        is_point(&manager.ask("BEGIN"), "freestyle"),
        "the board is still empty"
    );
    manager.end();
}

#[test]
fn mistakes_are_told_and_the_session_goes_on() {
    let mut manager = Manager::quick();
    let rows = [
        ("BEGIN", "ERROR there is no board: send START first"),
        ("TURN 7,7", "ERROR there is no board"),
        ("RESTART", "ERROR there is no board"),
        (
            "START 4",
            "ERROR a board has 5 to 25 points a side, not 4x4",
        ),
        ("START 26", "ERROR a board has 5 to 25 points a side"),
        ("START x", "ERROR 'x' is no size of a board"),
        ("START", "ERROR '' is no size of a board"),
        ("RECTSTART 5", "ERROR '5' is not 2 numbers"),
        ("START 15", "OK"),
        ("TURN 15,0", "ERROR 15,0 is beyond the board of 15x15"),
        ("TURN -1,0", "ERROR '-1' is no whole number"),
        ("TURN 1", "ERROR '1' is not 2 numbers"),
        ("TURN 99999999999999999999,1", "ERROR"),
        ("TAKEBACK 3,3", "ERROR 3,3 is not the last move"),
        ("PLAY 3,3", "ERROR no move was suggested"),
        (
            "BOARD\n1,1,3\nDONE",
            "ERROR '1,1,3': 1 is an own stone, 2 one of the opponent",
        ),
        ("BOARD\n1,1,1\n1,1,2\nDONE", "ERROR b2 has two stones"),
        (
            "BOARD\n1,1,1\nDONE",
            "ERROR there are 1 own stones and 0 of the opponent",
        ),
        ("BOARD\nBEGIN\nDONE", "ERROR 'BEGIN' is not 3 numbers"),
        ("YXSHOWINFO", "UNKNOWN no command 'YXSHOWINFO'"),
        ("INFO rule 2\nBEGIN", "ERROR INFO rule: 2 is not played"),
        ("INFO rule x\nBEGIN", "ERROR INFO rule:"),
        ("INFO rule 0\nBEGIN", "7,7"),
        ("BEGIN", "ERROR there are stones on the board"),
        ("TURN 7,7", "ERROR h8 is occupied"),
    ];
    for (text, expected) in rows {
        let answer = manager.ask(text);
        assert!(answer.starts_with(expected), "{text}: {answer}");
    }
    manager.end();
}

#[test]
fn a_search_ends_by_its_time_and_end_is_obeyed_at_once() {
    let mut manager = Manager::new(&["--messages"]);
    assert_eq!(manager.ask("START 15\nINFO timeout_turn 50"), "OK");
    let message = manager.ask("BEGIN");
    assert!(message.starts_with("MESSAGE depth "), "{message}");
    assert_eq!(manager.line(), "7,7");
    // At once.
    manager.send("INFO timeout_turn 0\nTURN 8,8");
    assert!(manager.line().starts_with("MESSAGE"));
    assert!(is_point(&manager.line(), "freestyle"));
    // INFO may come during a search that has hours, and end it.
    manager.send("INFO timeout_turn 9999999\nTURN 1,1\nINFO time_left 5000000");
    manager.send("INFO timeout_turn 0");
    assert!(manager.line().starts_with("MESSAGE"));
    assert!(is_point(&manager.line(), "freestyle"));
    // So may END.
    manager.send("INFO timeout_turn 9999999\nTURN 2,1\nINFO time_left 5000");
    manager.end();
}

#[test]
fn junk_neither_stops_nor_confuses_the_session() {
    let mut manager = Manager::quick();
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let words = [
        "TURN",
        "BOARD",
        "DONE",
        "SWAP2BOARD",
        "TAKEBACK",
        "INFO",
        "rule",
        "START 5x",
        "PLAY",
        "7,7",
        "1,1,1",
        "-3,9",
        "\u{0}",
        "RECTSTART 9,99",
        "timeout_turn",
        "max_memory",
        "99999999999999999999",
        ",",
        "ABOUTX",
        "\u{7f}\u{e9}",
    ];
    for _ in 0..10_000 {
        let mut line = Vec::new();
        for _ in 0..random(5) {
            match random(3) {
                0 => line.extend(
                    (0..random(9))
                        .map(|_| random(256) as u8)
                        .filter(|byte| *byte != b'\n'),
                ),
                _ => line.extend(words[random(words.len())].bytes().chain([b' '])),
            }
        }
        if !line.trim_ascii().eq_ignore_ascii_case(b"END") {
            manager.send(line);
        }
    }
    manager.send("DONE\nINFO rule 0\nINFO max_memory 0\nSTART 15\nABOUT");
    while !manager.line().starts_with("name=") {}
    assert_eq!(manager.ask("BEGIN"), "7,7");
    manager.end();
}

#[test]
fn a_line_beyond_all_measure_is_refused() {
    let mut manager = Manager::quick();
    let line = "1".repeat(17 << 20);
    assert_eq!(manager.ask(&line), "ERROR the line is too long");
    assert_eq!(manager.ask("START 15"), "OK");
    manager.end();
}

/// Six in a row of Black, who is to move after it: the game is won by rule 0, and goes on by rule 1.
const SIX: &str = "BOARD\n0,0,2\n1,0,2\n2,0,2\n3,0,2\n4,0,2\n5,0,2\n14,14,2\n\
    0,5,1\n3,5,1\n6,5,1\n9,5,1\n12,5,1\n14,7,1\nDONE";

#[test]
fn a_new_game_under_another_rule_forgets_the_old_stones() {
    let mut manager = Manager::quick();
    assert_eq!(manager.ask("START 15"), "OK");
    for begin in ["RESTART", "BOARD\n7,7,2\nDONE"] {
        manager.send("INFO rule 1");
        let answer = manager.ask(SIX);
        assert!(is_point(&answer, "standard"), "{answer}");
        manager.send("INFO rule 0");
        let answer = manager.ask(begin);
        let is_right = answer == "OK" || is_point(&answer, "freestyle");
        assert!(is_right, "{begin}: {answer}");
    }
    manager.end();
}
