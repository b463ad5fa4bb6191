//! The DXP protocol: its messages, whole games over a connection, programs that misbehave.

use std::io::{BufRead, BufReader, Lines, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{ChildStderr, Stdio};
use std::thread;

use keima::games::board_game::BoardGame;
use keima::games::draughts::dxp::{GameRequest, Message, Played, Session};
use keima::games::draughts::{DraughtsPosition, Evaluation};
use keima::minimax::{Engine, Limits, Position};

use crate::client;
use crate::guarded::Guarded;
use crate::under_test;

fn start() -> DraughtsPosition {
    DraughtsPosition::initial(None).unwrap()
}

fn request(position: DraughtsPosition) -> GameRequest {
    GameRequest {
        name: "keima test".to_owned(),
        follower_is_white: true,
        minutes: 5,
        moves: 75,
        start: position,
    }
}

#[test]
fn messages_are_written_as_other_programs_do() {
    let game = Message::Request(Box::new(request(start())));
    let text = format!("R01{:<32}W005075A", "keima test");
    assert_eq!(game.text(), text);
    assert_eq!(Message::parse(&text).unwrap(), game);
    let accept = format!("A{:<32}0", "Moby Dam");
    let name = "Moby Dam".to_owned();
    assert_eq!(
        Message::parse(&accept).unwrap(),
        Message::Accept { name, code: 0 }
    );
    let quiet = start().read_move("31-26").unwrap();
    assert_eq!(Message::of_move(&start(), quiet, 0).text(), "M0000312600");
    let text = "W:W28,K46:B23,13,K5";
    let position = DraughtsPosition::read(None, text).unwrap();
    let takes = position.read_move("28x19").or(position.read_move("28x8"));
    let message = Message::of_move(&position, takes.unwrap(), 12_345);
    assert_eq!(message.text(), "M99992808021323");
    assert_eq!(
        Message::parse(&message.text()).unwrap().text(),
        message.text()
    );
    let game = Message::Request(Box::new(request(position.clone())));
    assert_eq!(
        Message::parse(&game.text()).unwrap(),
        game,
        "{}",
        game.text()
    );
    for text in ["E11", "CHello there", "K1", "B000W"] {
        assert_eq!(Message::parse(text).unwrap().text(), text);
    }
}

#[test]
fn what_is_no_message_is_named() {
    for text in [
        "",
        "X",
        "R02",
        "M00003126",
        "M00003126xx",
        "A",
        "E",
        "R01short",
        "é",
    ] {
        let error = format!("{:#}", Message::parse(text).unwrap_err());
        assert!(error.contains("is no message of DXP"), "{text}: {error}");
    }
    // People write to each other in any letters.
    let chat = "Cdziękuję".as_bytes();
    let received = Message::receive(&mut [chat, &[0]].concat().as_slice()).unwrap();
    assert_eq!(received, Some(Message::Chat("dziękuję".to_owned())));
    // Names may be in another encoding than ours.
    let name = [b"R01Caf\xe9".as_slice(), &[b' '; 28], b"W005075A\0"].concat();
    let Some(Message::Request(request)) = Message::receive(&mut name.as_slice()).unwrap() else {
        panic!("no request");
    };
    assert_eq!(request.name, "Caf?");
    let mut endless = BufReader::new(&[b'C'; 1000][..]);
    assert!(Message::receive(&mut endless).is_err());
    assert_eq!(Message::receive(&mut &b""[..]).unwrap(), None);
}

#[test]
fn a_program_that_hangs_up_when_it_has_lost_has_lost() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let client = thread::spawn(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        // White, keima, takes the last man.
        let squares: String = (1..=50)
            .map(|square| match square {
                28 => 'w',
                23 => 'z',
                _ => 'e',
            })
            .collect();
        let request = format!("R01{:<32}W005075BW{squares}\0", "someone");
        stream.write_all(request.as_bytes()).unwrap();
        let mut input = BufReader::new(stream);
        let accept = Message::receive(&mut input).unwrap().unwrap();
        assert!(matches!(accept, Message::Accept { code: 0, .. }));
        let mv = Message::receive(&mut input).unwrap().unwrap();
        assert_eq!(mv.text()[5..], *"28190123");
    });
    let (stream, _) = listener.accept().unwrap();
    let mut results = Vec::new();
    session(&stream, "keima", |session| {
        session.follow(&mut |played| {
            results.push((played.result, played.is_white));
            Ok(())
        })
    })
    .unwrap();
    client.join().unwrap();
    assert_eq!(results, [(Some(1.0), true)]);
}

#[test]
fn games_that_break_off_are_kept() {
    let request = format!("R01{:<32}Z005075A\0", "someone");
    for (last, answer, problem) in [
        ("M0000319900\0", Some("E01"), "31-99, which is illegal"),
        ("hello\0", None, "is no message of DXP"),
        ("M00", None, "its end is missing"),
    ] {
        let input = format!("{request}M0000312600\0{last}");
        let (mut output, mut games) = (Vec::new(), Vec::new());
        let error = Session {
            input: input.as_bytes(),
            output: &mut output,
            name: "keima",
            engine: Engine::new(Evaluation::default(), 1),
            limits: Limits {
                nodes: Some(100),
                ..Limits::default()
            },
            tell: &mut |_| (),
        }
        .follow(&mut |played| {
            games.push((played.moves.len(), played.result));
            Ok(())
        });
        let error = format!("{:#}", error.unwrap_err());
        assert!(error.contains(problem), "{error}");
        assert_eq!(games, [(2, None)], "{error}");
        let output = String::from_utf8(output).unwrap();
        let sent: Vec<&str> = output.split_terminator('\0').collect();
        assert!(sent[1].starts_with('M'), "{sent:?}");
        assert_eq!(sent.get(2).copied(), answer, "{sent:?}");
    }
}

#[test]
fn games_without_time_need_another_limit() {
    let input = format!("R01{:<32}W000000A\0", "someone");
    let mut output = Vec::new();
    let mut session = Session {
        input: input.as_bytes(),
        output: &mut output,
        name: "keima",
        engine: Engine::new(Evaluation::default(), 1),
        limits: Limits::default(),
        tell: &mut |_| (),
    };
    session.follow(&mut |_| unreachable!("no game")).unwrap();
    let answer = format!("A{:<32}9\0", "keima");
    assert_eq!(String::from_utf8(output).unwrap(), answer);
    let ask = ["dxp", "--connect", "127.0.0.1", "--minutes", "0"];
    let (text, ok) = client::run(&ask, "");
    assert!(!ok && text.contains("say --nodes"), "{text}");
}

fn session<T>(
    stream: &TcpStream,
    name: &str,
    run: impl FnOnce(&mut Session<BufReader<TcpStream>, TcpStream>) -> T,
) -> T {
    run(&mut Session {
        input: BufReader::new(stream.try_clone().unwrap()),
        output: stream.try_clone().unwrap(),
        name,
        engine: Engine::new(Evaluation::default(), 1),
        limits: Limits {
            nodes: Some(300),
            ..Limits::default()
        },
        tell: &mut |_| (),
    })
}

#[test]
fn two_programs_play_games_and_agree_on_them() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let follower = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut games = Vec::new();
        session(&stream, "follower", |session| {
            session.follow(&mut |played| {
                games.push(played.clone());
                Ok(())
            })
        })
        .unwrap();
        games
    });
    let stream = TcpStream::connect(address).unwrap();
    // A short end game, and one from the initial position.
    let ending = DraughtsPosition::read(None, "B:W28,K46:B23,13,K5").unwrap();
    let asked: Vec<Played> = session(&stream, "initiator", |session| {
        let mut games = Vec::new();
        for position in [ending, start()] {
            let mut done = |played: &Played| {
                games.push(played.clone());
                Ok(())
            };
            session.initiate(&request(position), &mut done).unwrap();
        }
        session.part().unwrap();
        games
    });
    let followed = follower.join().unwrap();
    assert_eq!(followed.len(), 2);
    for (ours, theirs) in asked.iter().zip(&followed) {
        assert_eq!(ours.moves, theirs.moves);
        assert_eq!(ours.result, theirs.result);
        assert!(ours.result.is_some() && !ours.moves.is_empty());
        assert_eq!((ours.is_white, theirs.is_white), (false, true));
        assert_eq!(
            (&ours.opponent[..], &theirs.opponent[..]),
            ("follower", "keima test")
        );
    }
    let mut position = start();
    for &mv in &asked[1].moves {
        assert!(position.has_moves());
        position.play(mv);
    }
}

#[test]
fn no_more_games_are_asked_for_than_the_other_side_plays() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let other = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut input = BufReader::new(stream.try_clone().unwrap());
        let mut received = || Message::receive(&mut input).unwrap();
        assert!(matches!(received(), Some(Message::Request(_))));
        let answer = format!("A{:<32}0\0E01\0", "other");
        stream.write_all(answer.as_bytes()).unwrap();
        let end = received().unwrap();
        assert_eq!((end.text().as_str(), received()), ("E01", None));
    });
    let ask = ["dxp", "--connect", "127.0.0.1", "--port", &port];
    let output = under_test::program()
        .args(ask)
        .args(["--games", "3", "--as", "black"])
        .output()
        .unwrap();
    other.join().unwrap();
    assert!(output.status.success(), "{output:?}");
    let log = String::from_utf8(output.stderr).unwrap();
    let told = "the other program plays no more, after 1 of 3 games";
    assert!(log.contains(told), "{log}");
}

/// The program, waiting for games at an address, and the rest of its log.
fn waiting() -> (Guarded, String, Lines<BufReader<ChildStderr>>) {
    let mut command = under_test::program();
    command.args(["dxp", "--port", "0", "--nodes", "100"]);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut program = Guarded::spawn(command.stderr(Stdio::piped()));
    let mut log = BufReader::new(program.stderr.take().unwrap()).lines();
    let first = log.next().unwrap().unwrap();
    let address = first.rsplit(' ').next().unwrap().to_owned();
    (program, address, log)
}

#[test]
fn an_illegal_move_ends_the_connection_and_not_the_program() {
    let (_program, address, mut log) = waiting();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream
            .write_all(b"CHello\0R01someone                         Z005075A\0M0000319900\0")
            .unwrap();
        let mut answer = Vec::new();
        BufReader::new(stream).read_until(0, &mut answer).unwrap();
        assert_eq!(
            answer,
            [format!("A{:<32}0", "keima").as_bytes(), b"\0"].concat()
        );
        let error = log.by_ref().map(|line| line.unwrap());
        let error = error.skip_while(|line| !line.contains("the connection ends"));
        let error = error.into_iter().next().unwrap();
        assert!(error.contains("31-99, which is illegal"), "{error}");
    }
}

#[test]
fn the_program_asks_for_games_as_well_as_it_waits_for_them() {
    let (_follower, address, _log) = waiting();
    let (host, port) = address.split_once(':').unwrap();
    let ask = ["dxp", "--connect", host, "--port", port, "--nodes", "50"];
    let games = ["--games", "2", "--position", "W:W28,K46:B23,13,K5"];
    let output = under_test::program()
        .args(ask)
        .args(games)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let records = String::from_utf8(output.stdout).unwrap();
    // Colors change from game to game.
    for part in ["[White \"keima", "[Black \"keima", "[FEN \"W:"] {
        assert_eq!(records.matches(part).count(), 2, "{part} in {records}");
    }
    assert!(!records.contains("[Result \"*\"]"), "{records}");
}
