//! The engine's side of the protocol: golden scripts, framing, clocks, what the player may do,
//! and junk.

use std::fs;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::client::PATIENCE;
use crate::player::{Plain, Session, engine, engine_of, parse};
use keima::clock::{Clock, TimeControl, TimeLeft};
use keima::games::rollout_evaluator::SensibleEvaluator;
use keima::go::{Answer, BoardSize, Color, Komi, Move, Position, Rules, validate};
use keima::gtp::interrupt_flags::InterruptFlags;
use keima::gtp::protocol::{Line, Response};
use keima::gtp::run::serve;
use keima::gtp::script::{Script, Verdict};
use keima::gtp::{Engine, Identity};
use keima::player::Player;
use keima::player::evaluation_player::{Choice, EvaluationPlayer};
use keima::player::evaluators::Evaluators;
use keima::player::view::View;
use keima::search::PolicyPlayer;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn scripts() -> Vec<PathBuf> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/gtp-scripts");
    let entries = |folder: PathBuf| {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
    };
    let folders = ["protocol", "rules", "scoring", "play"];
    let mut found: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| entries(PathBuf::from(root).join(folder)))
        .filter(|path| path.extension().is_some_and(|extension| extension == "gtp"))
        .collect();
    found.sort();
    found
}

#[test]
fn golden_scripts() {
    let scripts = scripts();
    assert!(scripts.len() >= 10, "only {} scripts", scripts.len());
    let mut complaints = String::new();
    for path in scripts {
        let script = Script::parse(&fs::read_to_string(&path).unwrap()).unwrap();
        let mut session = Session::new(19);
        let run = script.run(|line| {
            let framed = session.engine.handle(line.as_bytes());
            Ok(parse(
                &framed.expect("an answer to every command of a script"),
            ))
        });
        let report = run.unwrap();
        assert!(!report.checks.is_empty(), "{}", path.display());
        for check in report.checks {
            if matches!(check.verdict, Verdict::Fail | Verdict::UnexpectedPass) {
                complaints.push_str(&format!("{}: {check}\n", path.display()));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
}

#[test]
fn answers_are_framed_byte_for_byte() {
    let mut engine = engine(&Plain::default(), 9);
    let cases: [(&[u8], Option<&str>); 14] = [
        (b"name", Some("= keima\n\n")),
        (b"\t name\r\n", Some("= keima\n\n")),
        (b"na\x07me", Some("= keima\n\n")),
        (b"12\tname", Some("=12 keima\n\n")),
        (b"12", None),
        (b"# only comment", None),
        (b"# interrupt", None),
        (b"   \t ", None),
        (b"\r\n", None),
        (b"play b d4 # x", Some("= \n\n")),
        (b"7 play w d4", Some("?7 illegal move\n\n")),
        (b"7 \xff\xfe", Some("?7 unknown command\n\n")),
        (b"komi 7.5\r", Some("= \n\n")),
        (b"5 list_stones w", Some("=5 \n\n")),
    ];
    for (line, expected) in cases {
        let answer = engine.handle(line);
        assert_eq!(
            answer.as_deref(),
            expected,
            "{:?}",
            String::from_utf8_lossy(line)
        );
    }
}

#[test]
fn listed_commands_are_known_and_framed_with_any_arguments() {
    let mut session = Session::new(9);
    let list = session.ok("list_commands");
    let arguments = [
        "",
        " b",
        " b d4",
        " x y z",
        " 3",
        " 0 0 0",
        " d4",
        " \u{e9}",
        " a b c d e f g",
    ];
    for name in list.lines().filter(|&name| name != "quit") {
        assert_eq!(session.ok(&format!("known_command {name}")), "true");
        for arguments in arguments {
            if name != "printsgf" || arguments.is_empty() {
                let reply = session.reply(&format!("41 {name}{arguments}"));
                let is_known = reply.response.text() != "unknown command";
                assert!(is_known, "{name}{arguments}");
            }
        }
    }
    assert_eq!(session.ok("known_command quit"), "true");
}

#[test]
fn a_board_size_may_be_written_with_a_colon() {
    let mut session = Session::new(9);
    for command in [
        "boardsize 13:9",
        "boardsize 13 9",
        "rectangular_boardsize 13 9",
    ] {
        session.ok("boardsize 5");
        session.ok(command);
        assert_eq!(session.ok("query_boardsize"), "13 9", "{command}");
    }
    session.ok("boardsize 7:7");
    for (command, message) in [
        ("boardsize 13:9:5", "syntax error"),
        ("boardsize 13:", "syntax error"),
        ("boardsize 13:9 5", "syntax error"),
        ("boardsize 13:90", "unacceptable size"),
    ] {
        assert_eq!(session.fails(command), message, "{command}");
        assert_eq!(session.ok("query_boardsize"), "7");
    }
}

#[test]
fn komi_that_cannot_be_had_is_replaced_with_a_remark() {
    let mut session = Session::new(9);
    let remarks = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&remarks);
    session
        .engine
        .tell_remarks_to(move |remark| heard.lock().unwrap().push(remark.to_owned()));
    for (komi, shown) in [
        ("6.5", "6.5"),
        ("7", "7"),
        ("-.5", "-0.5"),
        ("6.500000", "6.5"),
    ] {
        session.ok(&format!("komi {komi}"));
        assert_eq!(session.ok("get_komi"), shown);
    }
    assert!(remarks.lock().unwrap().is_empty());
    for (komi, shown) in [("7.25", "7.5"), ("3.75", "4"), ("0.1", "0")] {
        session.ok(&format!("komi {komi}"));
        assert_eq!(session.ok("get_komi"), shown);
        let remark = remarks.lock().unwrap().pop().unwrap();
        let told = format!("komi is a multiple of 0.5 here: {komi} is taken for {shown}");
        assert_eq!(remark, told);
    }
    let long = format!("-{}", "9".repeat(300));
    for (komi, quoted, shown) in [
        ("1001", "1001", "1000"),
        ("1e300", "1e300", "1000"),
        (&long, &long[..20], "-1000"),
    ] {
        session.ok(&format!("komi {komi}"));
        let remark = remarks.lock().unwrap().pop().unwrap();
        let told =
            format!("komi is at most 1000 here, for either color: {quoted} is taken for {shown}");
        assert_eq!(remark, told);
    }
}

#[test]
fn chat_is_answered() {
    let mut session = Session::new(9);
    for chat in [
        "game someone hello",
        "private someone what is your rank? \u{e9}",
    ] {
        assert!(
            session
                .ok(&format!("kgs-chat {chat}"))
                .starts_with("keima 0.1.0")
        );
    }
    assert_eq!(session.fails("kgs-chat"), "syntax error");
}

#[test]
fn identity_is_what_the_operator_says() {
    let mut session = Session::new(9);
    session.engine = Engine::new(
        Box::new(session.player.clone()),
        Identity {
            name: "KataGo".into(),
            version: "1.16.4".into(),
        },
        session.engine.position().size(),
        *session.engine.position().rules(),
        session.engine.position().komi(),
    );
    assert_eq!(session.ok("name"), "KataGo");
    assert_eq!(session.ok("version"), "1.16.4");
}

/// The clocks for the moves requested by these commands.
fn clocks(commands: &[&str]) -> Vec<Clock> {
    let mut session = Session::new(9);
    for command in commands {
        session.ok(command);
    }
    session.player.wires.lock().unwrap().clocks.clone()
}

#[test]
fn clock_settings_reach_player() {
    let unlimited = Clock::new(TimeControl::Unlimited);
    let clock = |control, seconds, count| {
        let mut clock = Clock::new(control);
        clock.set_left(seconds, count);
        assert_eq!(clock.left(), TimeLeft { seconds, count });
        clock
    };
    let absolute = TimeControl::sudden_death(300.0);
    let japanese = TimeControl::Japanese {
        main: 600.0,
        period: 30.0,
        periods: 5,
    };
    let canadian = TimeControl::Canadian {
        main: 0.0,
        period: 10.0,
        stones: 1,
    };
    let fischer = TimeControl::Fischer {
        main: 600.0,
        increment: 5.0,
    };
    let cases: [(&[&str], Clock); 11] = [
        (&["genmove b"], unlimited),
        (
            &["time_settings 300 0 0", "genmove b"],
            clock(absolute, 300.0, 0),
        ),
        (
            &["time_settings 300 0 0", "time_left b 12.34 0", "genmove b"],
            clock(absolute, 12.34, 0),
        ),
        (
            &["time_settings 300 0 0", "time_left w 12 0", "genmove b"],
            clock(absolute, 300.0, 0),
        ),
        (
            &["time_settings 300 0 0", "time_settings 0 1 0", "genmove b"],
            unlimited,
        ),
        (
            &["time_settings -5 10 1", "genmove b"],
            clock(canadian, 10.0, 1),
        ),
        (
            &[
                "kgs-time_settings byoyomi 600 30 5",
                "time_left b 7 3",
                "genmove b",
            ],
            clock(japanese, 7.0, 3),
        ),
        (
            &[
                "kata-time_settings fischer-capped 600 5 900 -1",
                "genmove b",
            ],
            clock(fischer, 600.0, 0).with_cap(Some(900.0)),
        ),
        (
            &[
                "kata-time_settings fischer-capped 600 5 900 20",
                "genmove b",
            ],
            clock(fischer, 600.0, 0)
                .with_cap(Some(900.0))
                .with_most_per_move(Some(20.0)),
        ),
        (
            &[
                "time_settings 300 0 0",
                "boardsize 9",
                "clear_board",
                "genmove b",
            ],
            clock(absolute, 300.0, 0),
        ),
        (
            &["time_left b -1 0", "genmove b"],
            clock(TimeControl::sudden_death(0.0), -1.0, 0),
        ),
    ];
    for (commands, expected) in cases {
        assert_eq!(clocks(commands), [expected], "{commands:?}");
    }
}

#[test]
fn illegal_choice_becomes_pass_and_failure_changes_nothing() {
    let mut session = Session::new(9);
    let remarks = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&remarks);
    session
        .engine
        .tell_remarks_to(move |remark| heard.lock().unwrap().push(remark.to_owned()));
    session.ok("play b d4");
    session.will_answer(Answer::Move(Move::Play("d4".parse().unwrap())));
    assert_eq!(session.ok("genmove w"), "pass");
    let remarks = std::mem::take(&mut *remarks.lock().unwrap());
    assert_eq!(remarks.len(), 1);
    assert!(remarks[0].contains("the chosen move D4 is illegal"));
    assert_eq!(session.ok("last_move"), "white pass");
    session.will_answer(Answer::Resign);
    assert_eq!(session.ok("genmove b"), "resign");
    session
        .player
        .wires
        .lock()
        .unwrap()
        .answers
        .push_back(Err("no\n\npower".to_owned()));
    assert_eq!(session.fails("genmove b"), "no\npower");
    assert_eq!(session.ok("move_history"), "white pass\nblack D4");
}

#[test]
fn the_player_moves_for_the_color_asked_even_twice() {
    let mut session = Session::new(9);
    for _ in 0..3 {
        session.ok("genmove w");
    }
    assert_eq!(session.ok("list_stones w").split(' ').count(), 3);
    session.ok("gg-undo 3");
    assert_eq!(session.ok("list_stones w"), "");
}

/// On 7x7, a white stone on A4 between two walls of Black's that leave it no room to live.
const WITH_DEAD_STONE: &str = "set_position b b1 b b2 b b3 b b4 b b5 b b6 b b7 b d1 b d2 b d3 b d4 b d5 \
     b d6 b d7 b c2 b c6 w a4";

#[test]
fn cleanup_does_not_pass_over_dead_stones() {
    let mut session = Session::new(7);
    session.ok(WITH_DEAD_STONE);
    session.ok("kata-set-rules chinese");
    session.will_answer(Answer::Move(Move::Pass));
    assert_eq!(session.ok("genmove b"), "pass");
    session.will_answer(Answer::Move(Move::Pass));
    let mv = session.ok("kgs-genmove_cleanup b");
    assert!(["A3", "A5"].contains(&mv.as_str()), "{mv}");
    session.will_answer(Answer::Move(Move::Pass));
    session.ok("kgs-genmove_cleanup b");
    assert_eq!(session.ok("list_stones w"), "");
    session.will_answer(Answer::Move(Move::Pass));
    assert_eq!(session.ok("kgs-genmove_cleanup b"), "pass");
}

#[test]
fn cleanup_ends_with_the_time_for_the_move_and_is_charged() {
    let takes = |session: &mut Session| {
        session.will_answer(Answer::Move(Move::Pass));
        let mv = session.ok("kgs-genmove_cleanup b");
        session.ok("undo");
        ["A3", "A5"].contains(&mv.as_str())
    };
    let mut session = Session::new(7);
    session.ok(WITH_DEAD_STONE);
    session.ok("kata-set-rules chinese");
    session.player.wires.lock().unwrap().time_left = Some(Duration::ZERO);
    assert!(!takes(&mut session));
    assert_eq!(session.player.wires.lock().unwrap().judgements, 0);
    // What is known already takes no time.
    assert_eq!(session.ok("final_status_list dead"), "A4");
    assert!(takes(&mut session));

    let mut session = Session::new(7);
    session.ok(WITH_DEAD_STONE);
    session.ok("kata-set-rules chinese");
    session.ok("time_settings 100 0 0");
    session.player.wires.lock().unwrap().judging_takes = Duration::from_millis(50);
    assert!(takes(&mut session));
    session.ok("genmove b");
    let clocks = session.player.wires.lock().unwrap().clocks.clone();
    let left = clocks.last().unwrap().left().seconds;
    assert!(left <= 99.95, "{left}");
}

#[test]
fn cleanup_takes_what_was_called_dead() {
    // There is room around the stone: who lives is the player's opinion.
    let wall = "set_position b c1 b c2 b c3 b c4 b c5 b c6 b c7 w a4";
    let sees_dead = |session: &Session, stones: &[&str]| {
        let stones = stones.iter().map(|stone| stone.parse().unwrap()).collect();
        session.player.wires.lock().unwrap().sees_dead = stones;
    };
    for is_claimed in [true, false] {
        let mut session = Session::new(7);
        session.ok(wall);
        session.ok("kata-set-rules chinese");
        session.ok("play b pass");
        session.ok("play w pass");
        sees_dead(&session, &["a4"]);
        if is_claimed {
            assert_eq!(session.ok("final_status_list dead"), "A4");
        }
        sees_dead(&session, &[]);
        session.ok("play b g7");
        session.ok("play w g1");
        session.will_answer(Answer::Move(Move::Pass));
        let mv = session.ok("kgs-genmove_cleanup b");
        let takes = ["A3", "A5", "B4"].contains(&mv.as_str());
        assert_eq!(takes, is_claimed, "{mv}");
    }
}

#[test]
fn raw_network_outputs_look_like_katagos() {
    let mut session = Session::new(9);
    session.ok("play b a9");
    let text = session.ok("kata-raw-nn 0");
    let lines: Vec<&str> = text.lines().collect();
    let keys = lines
        .iter()
        .take(11)
        .map(|line| line.split(' ').next().unwrap());
    let expected = "symmetry whiteWin whiteLoss noResult whiteLead whiteScoreSelfplay \
        whiteScoreSelfplaySq varTimeLeft shorttermWinlossError shorttermScoreError policy";
    assert_eq!(keys.collect::<Vec<_>>().join(" "), expected);
    assert_eq!(
        lines[1..5],
        [
            "whiteWin 0.527430",
            "whiteLoss 0.472570",
            "noResult 0.000000",
            "whiteLead 0.032"
        ]
    );
    let row: Vec<&str> = lines[11].split_whitespace().collect();
    assert_eq!((row.len(), row[0]), (9, "NAN"));
    assert!(lines[20].starts_with("policyPass 0.0"), "{}", lines[20]);
    assert_eq!(lines[21], "whiteOwnership");
    assert_eq!(lines.len(), 31);
    assert_eq!(session.ok("kata-raw-nn all").matches("symmetry").count(), 8);
    session.ok("boardsize 9 7");
    assert_eq!(session.ok("kata-raw-nn all").matches("symmetry").count(), 4);
    session.fails("kata-raw-nn 5");
}

#[test]
fn raw_network_outputs_take_a_color_and_an_optimism() {
    let mut session = Session::new(3);
    session.ok("play w c3");
    let of =
        |session: &mut Session, arguments: &str| session.ok(&format!("kata-raw-nn {arguments}"));
    assert_eq!(of(&mut session, "black 0"), of(&mut session, "0"));
    // A1 is suicide for White only.
    session.ok("play b a2");
    session.ok("play b b1");
    assert_ne!(of(&mut session, "b 2"), of(&mut session, "w 2"));
    assert!(of(&mut session, "w 2 0.25").contains("varTimeLeft 0.250"));
    assert!(of(&mut session, "2 1").contains("varTimeLeft 1.000"));
    for wrong in [
        "",
        "b",
        "2 b",
        "b 2 1.5",
        "2 -1",
        "2 nan",
        "all 0 0",
        "b all 0 0",
    ] {
        session.fails(&format!("kata-raw-nn {wrong}"));
    }
    let message = session.fails("kata-raw-human-nn 0");
    assert!(message.contains("--human-model"), "{message}");
}

#[test]
fn heat_maps_cover_the_board() {
    let mut session = Session::new(9);
    session.ok("rectangular_boardsize 5 3");
    session.ok("play b a1");
    let words =
        |text: String| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
    let colors = words(session.ok("keima-policy"));
    assert_eq!(colors.len(), 15);
    assert!(
        colors
            .iter()
            .all(|color| color.len() == 7 && color.starts_with('#'))
    );
    assert_eq!(
        (colors[0].as_str(), colors[10].as_str()),
        ("#FF0000", "#0000FF")
    );
    assert_eq!(words(session.ok("keima-policy_percent")).len(), 15);
    let ownership = words(session.ok("keima-ownership"));
    let ownership: Vec<f32> = ownership
        .iter()
        .map(|owner| owner.parse().unwrap())
        .collect();
    assert_eq!((ownership.len(), ownership[10]), (15, 1.0));
    for line in session.ok("gogui-analyze_commands").lines() {
        let [_, _, command] = line.split('/').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let name = command.split(' ').next().unwrap();
        assert_eq!(
            session.ok(&format!("known_command {name}")),
            "true",
            "{line}"
        );
    }
}

#[test]
fn one_position_is_judged_once() {
    let mut session = Session::new(9);
    session.ok("kata-set-rules chinese");
    for command in ["play b d4", "play w pass", "play b pass"] {
        session.ok(command);
    }
    for command in [
        "final_score",
        "final_status_list dead",
        "final_status_list alive",
        "final_score",
    ] {
        session.ok(command);
    }
    assert_eq!(session.player.wires.lock().unwrap().judgements, 2);
    session.ok("undo");
    session.ok("final_score");
    assert_eq!(session.player.wires.lock().unwrap().judgements, 4);
}

#[test]
fn records_tell_how_the_game_ended() {
    let mut session = Session::new(9);
    session.ok("kata-set-rules chinese");
    session.ok("komi 7.5");
    session.ok("play b e5");
    assert!(!session.ok("printsgf").contains("RE["));
    session.will_answer(Answer::Resign);
    assert_eq!(session.ok("genmove w"), "resign");
    assert!(session.ok("printsgf").contains("RE[B+R]"));
    session.ok("play w pass");
    assert!(!session.ok("printsgf").contains("RE["), "the game goes on");
    session.ok("play b pass");
    let score = session.ok("final_score");
    assert!(
        session.ok("printsgf").contains(&format!("RE[{score}]")),
        "{score}"
    );
}

#[test]
fn cgos_has_tromp_and_taylors_rules_without_suicide() {
    let mut session = Session::new(9);
    session.ok("kata-set-rules cgos");
    let cgos = session.ok("kata-get-rules");
    session.ok("kata-set-rules tromp-taylor");
    session.ok("kata-set-rule suicide false");
    assert_eq!(session.ok("kata-get-rules"), cgos);
    assert!(cgos.contains("\"suicide\":false"), "{cgos}");
}

#[test]
fn games_go_out_as_sgf_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf");
    let file = file.to_str().unwrap();
    let mut session = Session::new(19);
    for command in [
        "boardsize 9",
        "komi 5.5",
        "kata-set-rules japanese",
        "fixed_handicap 2",
    ] {
        session.ok(command);
    }
    for _ in 0..10 {
        session.ok("genmove w");
        session.ok("genmove b");
    }
    let board = session.ok("showboard");
    assert!(session.ok("printsgf").starts_with("(;"));
    assert_eq!(session.ok("printsgf -"), session.ok("printsgf"));
    session.ok(&format!("printsgf {file}"));
    let mut other = Session::new(19);
    other.ok(&format!("loadsgf {file}"));
    assert_eq!(other.ok("showboard"), board);
    other.ok(&format!("loadsgf {file} 1000"));
    assert_eq!(other.ok("showboard"), board);
    other.ok(&format!("loadsgf {file} 3"));
    assert_eq!(other.ok("move_history").lines().count(), 2);
    other.ok(&format!("loadsgf {file} 1"));
    assert_eq!(other.ok("list_stones b"), "G7 C3");
    assert_eq!(other.ok("list_stones w"), "");
    other.fails("undo");
    other.fails(&format!("loadsgf {file} 0"));
    fs::write(file, "no game at all").unwrap();
    assert!(
        other
            .fails(&format!("loadsgf {file}"))
            .starts_with("cannot load file")
    );
    assert_eq!(other.ok("list_stones b"), "G7 C3");
}

#[test]
fn undoing_a_whole_game_shows_every_board_again() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for rules in ["tromp-taylor", "chinese", "japanese"] {
        let mut session = Session::new(7);
        session.ok(&format!("kata-set-rules {rules}"));
        let mut boards = vec![session.ok("showboard")];
        for number in 0..300 {
            let color = if (number % 2 == 0) != rng.random_ratio(1, 20) {
                "b"
            } else {
                "w"
            };
            let legal = session.ok(&format!("all_legal {color}"));
            let points: Vec<&str> = legal.split_whitespace().collect();
            let point = if rng.random_ratio(1, 10) {
                None
            } else {
                points.choose(&mut rng)
            };
            session.ok(&format!("play {color} {}", point.unwrap_or(&"pass")));
            boards.push(session.ok("showboard"));
        }
        boards.pop();
        while let Some(board) = boards.pop() {
            session.ok("undo");
            assert_eq!(
                session.ok("showboard"),
                board,
                "{rules}, {} moves",
                boards.len()
            );
        }
        assert_eq!(session.fails("undo"), "cannot undo");
    }
}

/// Runs the loop on an input to its end, within a time limit.
fn served(input: impl io::BufRead + Send + 'static) -> String {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut output = Vec::new();
        serve(
            &mut engine(&Plain::default(), 9),
            input,
            &mut output,
            || false,
        )
        .unwrap();
        sender.send(String::from_utf8(output).unwrap()).unwrap();
    });
    receiver.recv_timeout(PATIENCE).expect("the session ends")
}

/// An input that gives a text and then blocks as a controller does that waits for more.
struct Waiting(Cursor<Vec<u8>>, Receiver<()>);

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => self.1.recv().map(|()| 0).map_err(io::Error::other),
            read => Ok(read),
        }
    }
}

#[test]
fn the_session_ends_at_quit_and_at_the_end_of_input() {
    assert_eq!(served(&b"1 name\n\nversion"[..]), "=1 keima\n\n= 0.1.0\n\n");
    assert_eq!(served(&b""[..]), "");
    let (_controller, wait) = channel();
    let input = Cursor::new(b"3 quit\r\n4 name\r\n".to_vec());
    assert_eq!(served(io::BufReader::new(Waiting(input, wait))), "=3 \n\n");
}

#[test]
fn a_whole_game_may_be_sent_at_once() {
    let mut input = String::from("boardsize 19\nclear_board\n");
    for number in 0..300 {
        let (column, row) = (number % 17, number / 17 + 1);
        let letter = "ABCDEFGHJKLMNOPQRST".chars().nth(column).unwrap();
        input.push_str(&format!(
            "play {} {letter}{row}\n",
            ["b", "w"][number / 3 % 2]
        ));
    }
    input.push_str("99 genmove b\nquit\n");
    let output = served(Cursor::new(input.into_bytes()));
    assert_eq!(output.matches("\n\n").count(), 304);
    assert!(output.contains("\n\n=99 "));
    assert_eq!(output.matches('?').count(), 0);
}

const WORDS: &[&str] = &[
    "b",
    "w",
    "black",
    "WHITE",
    "d4",
    "D4",
    "a1",
    "t19",
    "z25",
    "i5",
    "pass",
    "PASS",
    "resign",
    "",
    "0",
    "1",
    "2",
    "9",
    "19",
    "-1",
    "26",
    "7.5",
    "1e9",
    "nan",
    "inf",
    "99999999999999999999",
    "dead",
    "alive",
    "seki",
    "japanese",
    "chinese",
    "{\"ko\":\"SIMPLE\"}",
    "{",
    "ko",
    "absolute",
    "byoyomi",
    "fischer",
    "canadian",
    "all",
    "\u{fffd}",
    "é",
    "#",
    "no.sgf",
    "true",
    "c3",
    "e5",
    "g7",
    "b2",
    "none",
];

/// A line as a sane controller might send it, so that junk meets games in progress.
fn sense(rng: &mut ChaCha8Rng) -> String {
    let color = ["b", "w"].choose(rng).unwrap();
    let column = *b"ABCDEFGHJ".choose(rng).unwrap() as char;
    let row = rng.random_range(1..=9);
    match rng.random_range(0..60) {
        0 => format!("boardsize {}", rng.random_range(2..=25)),
        1 => format!("rectangular_boardsize {row} 9"),
        2 => "clear_board".to_owned(),
        3 => "final_score".to_owned(),
        4 => "final_status_list dead".to_owned(),
        5 => format!(
            "kata-set-rules {}",
            ["chinese", "japanese", "aga"].choose(rng).unwrap()
        ),
        6..10 => "undo".to_owned(),
        10..16 => format!("genmove {color}"),
        16 => format!("play {color} pass"),
        _ => format!("play {color} {column}{row}"),
    }
}

/// A line as no sane controller sends it.
fn junk(rng: &mut ChaCha8Rng, names: &[String]) -> Vec<u8> {
    let mut line = Vec::new();
    if rng.random_ratio(1, 4) {
        line.extend(rng.random::<u32>().to_string().into_bytes());
        line.push(*b" \t".choose(rng).unwrap());
    }
    match rng.random_range(0..20) {
        0 => line.extend((0..rng.random_range(0..60)).map(|_| rng.random::<u8>())),
        1 => line.extend((0..rng.random_range(0..60)).map(|_| rng.random_range(0x20..0x7f))),
        2..10 => line.extend(sense(rng).into_bytes()),
        _ => {
            line.extend(names.choose(rng).unwrap().bytes());
            for _ in 0..rng.random_range(0..5) {
                line.push(b' ');
                line.extend(WORDS.choose(rng).unwrap().bytes());
            }
        }
    }
    if rng.random_ratio(1, 10) && !line.is_empty() {
        let place = rng.random_range(0..line.len());
        line[place] = rng.random();
    }
    line.retain(|&byte| byte != b'\n');
    line
}

#[test]
fn random_input_keeps_framing() {
    let mut rng = ChaCha8Rng::seed_from_u64(2026);
    let mut session = Session::new(9);
    let list = session.ok("list_commands");
    // These would write files, and end the session.
    let harmless = list
        .lines()
        .filter(|name| !["printsgf", "quit"].contains(name));
    let mut names: Vec<String> = harmless.map(str::to_owned).collect();
    for _ in 0..10 {
        names.extend(["play", "genmove", "undo"].map(str::to_owned));
    }
    let (mut answers, mut failures) = (0, 0);
    for number in 0..25_000 {
        let line = match number % 5_000 {
            0 => vec![*b"a 9\xff".choose(&mut rng).unwrap(); 1 << 20 | 5],
            1 => [b"play b ".as_slice(), &vec![b'd'; 1 << 19]].concat(),
            2 => [b"kata-set-rules ".as_slice(), &vec![b'd'; 1 << 19]].concat(),
            _ => junk(&mut rng, &names),
        };
        let is_harmless = match Line::parse(&line) {
            Line::Request(request) => !["printsgf", "quit"].contains(&request.name.as_str()),
            _ => true,
        };
        if !is_harmless {
            continue;
        }
        let position = session.engine.position();
        let before = (
            position.key(),
            position.turn(),
            position.size(),
            position.komi(),
        );
        let Some(framed) = session.engine.handle(&line) else {
            continue;
        };
        let reply = parse(&framed);
        answers += 1;
        if let Response::Failure(message) = reply.response {
            failures += 1;
            assert!(message.len() < 1000, "a message of {} bytes", message.len());
            let position = session.engine.position();
            let after = (
                position.key(),
                position.turn(),
                position.size(),
                position.komi(),
            );
            assert_eq!(
                after,
                before,
                "{}",
                String::from_utf8_lossy(&line[..line.len().min(200)])
            );
        }
        if number % 100 == 0 {
            validate::position(session.engine.position()).unwrap();
        }
    }
    assert!(answers > 20_000 && failures > 2_500 && answers - failures > 7_500);
    assert_eq!(session.ok("protocol_version"), "2");
}

#[test]
fn responses_are_written_in_one_piece_and_flushed() {
    #[derive(Default)]
    struct Recorder(Vec<String>);
    impl io::Write for Recorder {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(String::from_utf8(bytes.to_vec()).unwrap());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            self.0.push("flush".to_owned());
            Ok(())
        }
    }
    let mut output = Recorder::default();
    let input = Cursor::new("1 protocol_version\n\nshowboard\nquit\nname\n");
    serve(
        &mut engine(&Plain::default(), 2),
        input,
        &mut output,
        || false,
    )
    .unwrap();
    assert_eq!(output.0.len(), 6, "{:?}", output.0);
    assert_eq!(output.0[0], "=1 2\n\n");
    assert!(output.0[2].starts_with("= \n") && output.0[2].ends_with("\n\n"));
    assert_eq!(output.0[4], "= \n\n");
    for flush in [1, 3, 5] {
        assert_eq!(output.0[flush], "flush");
    }
}

#[test]
fn sizes_the_player_cannot_play_on_are_refused() {
    struct Only19(View);
    impl Evaluators for Only19 {
        fn view(&self, _: Color, _: BoardSize) -> anyhow::Result<View> {
            Ok(self.0.clone())
        }

        fn can_play_on(&self, size: BoardSize) -> bool {
            size == BoardSize::square(19)
        }
    }
    let mut engine = Engine::new(
        Box::new(random_player(Only19(sensible()))),
        Identity {
            name: "keima".to_owned(),
            version: "1.0".to_owned(),
        },
        BoardSize::square(19),
        Rules::TROMP_TAYLOR,
        Komi::default(),
    );
    let mut answer = |line: &str| engine.handle(line.as_bytes()).expect("an answer");
    assert_eq!(answer("play b q16"), "= \n\n");
    assert_eq!(answer("boardsize 9"), "? unacceptable size\n\n");
    assert_eq!(
        answer("list_stones b"),
        "= Q16\n\n",
        "the board is as it was"
    );
    assert_eq!(answer("boardsize 19"), "= \n\n");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf");
    fs::write(&file, "(;SZ[9];B[ee])").unwrap();
    let load = format!("loadsgf {}", file.display());
    let message = "? cannot load file: the network cannot play on boards of 9x9\n\n";
    assert_eq!(answer(&load), message);
    assert_eq!(answer("query_boardsize"), "= 19\n\n");
}

#[test]
fn a_turn_begins_when_its_line_comes() {
    let mut session = Session::new(9);
    session.ok("time_settings 100 0 0");
    let mut answer = |came: Instant, line: &str| {
        let line = Line::parse(line.as_bytes());
        let mut output = Vec::new();
        session
            .engine
            .answer_since(came, &line, &mut output)
            .unwrap();
    };
    let start = Instant::now();
    let earlier = |seconds| {
        Instant::now()
            .checked_sub(Duration::from_secs(seconds))
            .unwrap()
    };
    answer(earlier(30), "genmove b");
    // Sent ahead: its turn began when the one before was over.
    answer(earlier(20), "genmove b");
    answer(earlier(10), "reg_genmove w");
    let clocks = session.player.wires.lock().unwrap().clocks.clone();
    let left: Vec<f64> = clocks.iter().map(|clock| clock.left().seconds).collect();
    // The test has taken a while itself.
    let latest = 70.0 - start.elapsed().as_secs_f64();
    assert!(
        left[..2].iter().all(|left| (latest..=70.0).contains(left)),
        "{left:?}"
    );
    assert_eq!(left[2], 100.0);
}

#[test]
fn interrupts_end_a_search_for_a_move() {
    let interrupt_flags = InterruptFlags::default();
    let (name, interrupt) = (Line::parse(b"name"), Line::parse(b"# interrupt"));
    let is_set = |flag: &AtomicBool| flag.load(Ordering::SeqCst);
    interrupt_flags.announce(&interrupt);
    interrupt_flags.take(&interrupt);
    // That one came too early.
    let interruption = interrupt_flags.interruption();
    assert!(!is_set(interruption) && interrupt_flags.is_idle());
    interrupt_flags.announce(&name);
    assert!(!is_set(interruption) && is_set(interrupt_flags.flag()));
    interrupt_flags.announce(&interrupt);
    assert!(is_set(interruption) && is_set(interrupt_flags.interruption()));
    interrupt_flags.take(&name);
    interrupt_flags.take(&interrupt);
    assert!(!is_set(interrupt_flags.interruption()) && !is_set(interrupt_flags.flag()));
    interrupt_flags.announce_end();
    assert!(!is_set(interrupt_flags.interruption()) && is_set(interrupt_flags.flag()));
}

/// Searches until it is interrupted, and returns whether it was.
struct ThinksOn(Plain, Arc<AtomicBool>);

impl Player for ThinksOn {
    fn choose(&mut self, position: &Position, clock: &Clock) -> anyhow::Result<Answer> {
        self.0.choose(position, clock)
    }

    fn choose_until(
        &mut self,
        position: &Position,
        clock: &Clock,
        stop: &AtomicBool,
    ) -> anyhow::Result<Answer> {
        let end = Instant::now() + PATIENCE;
        while !stop.load(Ordering::SeqCst) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.1.store(stop.load(Ordering::SeqCst), Ordering::SeqCst);
        self.choose(position, clock)
    }

    fn evaluators(&self) -> &dyn Evaluators {
        self.0.evaluators()
    }

    fn evaluators_mut(&mut self) -> &mut dyn Evaluators {
        self.0.evaluators_mut()
    }
}

#[test]
fn terminal_user_gets_help() {
    let mut session = Session::new(9);
    for line in ["help", "?", "exit", "q"] {
        assert_eq!(session.fails(line), "unknown command", "of a program");
    }
    assert_eq!(session.fails("genmove"), "syntax error");

    session.engine.help_person();
    for line in ["help", "?"] {
        assert!(session.ok(line).contains("genmove w"));
    }
    assert!(
        session
            .fails("genmove")
            .contains("typed like this: genmove w")
    );
    assert!(
        session
            .fails("play 4 4")
            .contains("typed like this: play b D4")
    );
    assert!(session.fails("resign").contains("help lists"));
    for line in ["exit", "q"] {
        let mut session = Session::new(9);
        session.engine.help_person();
        session.ok(line);
        assert!(session.engine.is_quit(), "{line}");
    }
}

#[test]
fn interrupt_behind_thousands_of_lines_works() {
    let interrupted = Arc::new(AtomicBool::new(false));
    let thinker = ThinksOn(Plain::default(), Arc::clone(&interrupted));
    let mut engine = engine_of(Box::new(thinker), 9);
    let input = format!("genmove b\n{}# interrupt\n", "name\n".repeat(5000));
    let mut output = Vec::new();
    serve(&mut engine, Cursor::new(input), &mut output, || false).unwrap();
    assert!(interrupted.load(Ordering::SeqCst));
}

fn sensible() -> View {
    View::new(Arc::new(SensibleEvaluator))
}

fn random_player(evaluators: impl Evaluators + 'static) -> EvaluationPlayer {
    let choice = Choice::Policy(Box::new(PolicyPlayer::new(1.0, 1)));
    EvaluationPlayer::new(choice, Box::new(evaluators))
}

/// Notes on which boards views were wanted.
struct Noting(View, Arc<Mutex<Vec<BoardSize>>>);

impl Evaluators for Noting {
    fn view(&self, _: Color, size: BoardSize) -> anyhow::Result<View> {
        self.1.lock().unwrap().push(size);
        Ok(self.0.clone())
    }
}

#[test]
fn boardsize_prepares_the_network() {
    let begun = Arc::new(Mutex::new(Vec::new()));
    let player = random_player(Noting(sensible(), Arc::clone(&begun)));
    let mut session = Session::new(9);
    session.engine = engine_of(Box::new(player), 19);
    session.ok("boardsize 9");
    assert_eq!(*begun.lock().unwrap(), [BoardSize::square(9)]);
}
