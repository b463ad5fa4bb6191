//! The controller's side: replies, engines in other processes, golden scripts.
//!
//! The engines are this very program, started anew to run the "test" [`fake_engine`], which plays
//! an engine when the environment says which one.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::exit;
use std::thread;
use std::time::{Duration, Instant};

use keima::arena::contest::Conditions;
use keima::arena::contestant::Contestant;
use keima::arena::series::{Division, Maker, Series};
use keima::clock::{TimeControl, TimeLeft};
use keima::cmd::matches::gtp_contestant::{GtpContestant, Patience};
use keima::go::{Answer, BoardSize, Color, Komi, Move, Rules};
use keima::gtp::client::{Client, ClientError};
use keima::gtp::controller::Connection;
use keima::gtp::protocol::{Line, LineReader, Request, Response};
use keima::gtp::reply::{Reply, ReplyAssembler};
use keima::gtp::script::{Script, Verdict};
use proptest::prelude::*;

use crate::cases::cases;

const ROLE: &str = "KEIMA_FAKE_ENGINE";
const SECOND: Duration = Duration::from_secs(1);
/// Timeout for expected replies, however busy the machine is.
const LONG: Duration = Duration::from_secs(100);

fn command_line(role: &str) -> String {
    let program = std::env::current_exe().unwrap();
    let program = shlex::try_quote(program.to_str().unwrap())
        .unwrap()
        .into_owned();
    format!("env {ROLE}={role} {program} --exact gtp_client::fake_engine --nocapture")
}

fn start(role: &str) -> Client {
    Client::spawn(&command_line(role), LONG).unwrap()
}

#[test]
fn fake_engine() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    // The test harness has begun a line.
    println!();
    let mut reader = LineReader::new(io::stdin().lock());
    let mut heard = Vec::new();
    while let Some(line) = reader.next_line().unwrap() {
        let Line::Request(request) = line else {
            continue;
        };
        misbehave(&role, &request.name);
        let response = match request.name.as_str() {
            name if role.ends_with("timed") && name.contains("time_") => {
                heard.push(format!("{name} {}", request.rest));
                Response::success("")
            }
            "heard" => Response::success(heard.join("\n")),
            "list_commands" if role == "timed" => Response::success("time_settings"),
            "list_commands" if role == "well-timed" => {
                Response::success("time_settings\nkata-time_settings\nkgs-time_settings")
            }
            _ => answer(&request),
        };
        for id in ids(&role, &request) {
            print!("{}", response.framed(id));
            io::stdout().flush().unwrap();
        }
        if role == "flood-of-replies" {
            eprintln!("all replies are written");
        }
        if request.name == "quit" && role != "stubborn" {
            exit(0);
        }
    }
    if role == "stubborn" {
        thread::sleep(LONG);
    }
    exit(0);
}

fn misbehave(role: &str, command: &str) {
    match (role, command) {
        ("chatty", _) => {
            print!("banner\r\n\n\nnot a = response\n");
            eprintln!("= 0 error\nplay");
        }
        ("crashing", "genmove") => {
            eprintln!("out of memory\nsorry");
            exit(3);
        }
        ("hanging", "genmove") => thread::sleep(LONG),
        ("slow", "genmove") => thread::sleep(SECOND / 10),
        ("flooding", "name") => {
            let line = [b'x'; 1 << 16];
            (0..100).for_each(|_| io::stderr().write_all(&line).unwrap());
            (0..100).for_each(|_| io::stdout().write_all(&line).unwrap());
            println!();
        }
        _ => {}
    }
}

/// The ids of the answers that are given to a command.
fn ids(role: &str, request: &Request) -> Vec<Option<u32>> {
    let id = request.id;
    match (role, request.name.as_str()) {
        ("doubling", "play" | "genmove") => vec![id, id],
        ("wrong", "genmove") => vec![id.map(|id| id + 77)],
        ("anonymous", _) => vec![None],
        ("pouring", "play") | ("flood-of-replies", "name") => {
            vec![id; 1 << 16]
        }
        _ => vec![id],
    }
}

fn answer(request: &Request) -> Response {
    match request.name.as_str() {
        "name" => Response::success("Fake"),
        "version" => Response::success("1.0"),
        "list_commands" => Response::success("protocol_version\nname\nquit\ngenmove"),
        "genmove" if request.rest == "W" => Response::success("resign"),
        "genmove" => Response::success("q16"),
        "final_score" => Response::success("W+0.5"),
        "final_status_list" if request.rest == "dead" => Response::success("A1 A2\nT19"),
        "showboard" => Response::success("\n  A B\n2 . #\n1 . ."),
        "clear_board" => Response::success(""),
        "echo" | "boardsize" | "komi" | "play" => Response::success(request.rest.as_str()),
        "quit" => Response::success(""),
        _ => Response::failure("unknown command"),
    }
}

#[test]
fn replies_are_read() {
    let cases = [
        ("= \n\n", None, Response::success("")),
        ("=\n\n", None, Response::success("")),
        ("=7 Q16\n\n", Some(7), Response::success("Q16")),
        ("=12\n\n", Some(12), Response::success("")),
        ("=\nfoo bar\n\n", None, Response::success("foo bar")),
        ("= a\tb\r\n# c\r\n\r\n", None, Response::success("a b\n# c")),
        (
            "?3 illegal move\n\n",
            Some(3),
            Response::failure("illegal move"),
        ),
        (
            "banner\n\n\nx = 3\n= x\n\n= y\n\n",
            None,
            Response::success("x"),
        ),
        ("=99999999999999999999 x\n\n", None, Response::success("x")),
    ];
    for (text, id, response) in cases {
        assert_eq!(Reply::parse(text), Some(Reply { id, response }), "{text:?}");
    }
    for text in ["", "\n", "= unfinished\n", "= unfinished\n\r", "name\n\n"] {
        assert_eq!(Reply::parse(text), None, "{text:?}");
    }
}

#[test]
fn replies_are_bounded() {
    let mut assembler = ReplyAssembler::default();
    let line = "=".repeat(1 << 20);
    assert!((0..40).all(|_| assembler.push(&line).is_none()));
    let reply = assembler.push("").unwrap();
    assert!(reply.response.text().len() <= 1 << 24);
}

#[test]
fn typed_commands() {
    let mut client = start("plain");
    assert!(client.is_running());
    assert_eq!(client.identity().unwrap(), "Fake 1.0");
    assert!(client.supports("genmove").unwrap());
    assert!(!client.supports("undo").unwrap());
    assert_eq!(client.send("echo 1 # comment").unwrap(), "1");
    assert_eq!(client.send("showboard").unwrap(), "A B\n2 . #\n1 . .");
    client.komi(-3.5).unwrap();
    client.play(Color::White, Move::Pass).unwrap();
    let q16 = Answer::Move("Q16".parse().unwrap());
    assert_eq!(client.genmove(Color::Black, LONG).unwrap().0, q16);
    assert_eq!(
        client.genmove(Color::White, LONG).unwrap().0,
        Answer::Resign
    );
    assert_eq!(client.final_score(LONG).unwrap(), Some(-0.5));
    assert_eq!(client.dead_stones(LONG).unwrap().len(), 3);
    client.boardsize(BoardSize::square(9)).unwrap();
    let refused = client.boardsize(BoardSize::new(9, 7).unwrap()).unwrap_err();
    assert!(matches!(refused, ClientError::Refused { .. }), "{refused}");
    let unknown = client.send("foo").unwrap_err();
    assert_eq!(unknown.to_string(), "'foo': ? unknown command");
    let reply = client.send_line("31 echo x").unwrap();
    assert_eq!(
        reply,
        Reply {
            id: Some(31),
            response: Response::success("x")
        }
    );
    assert!(client.quit(LONG), "it ends by itself");
}

#[test]
fn chatter_is_ignored() {
    let mut client = start("chatty");
    for text in ["a", "b", "c"] {
        assert_eq!(client.send(&format!("echo {text}")).unwrap(), text);
    }
}

#[test]
fn floods_do_no_harm() {
    let mut client = start("flooding");
    assert_eq!(client.send("name").unwrap(), "Fake");
    assert!(client.stderr_tail().len() < 10_000);
}

#[test]
fn unexpected_reply_is_fault() {
    let cases = [
        ("doubling", "came an answer that nobody asked for"),
        (
            "wrong",
            "'genmove B' was sent with the id 2, but answered with the id 79: 'q16'",
        ),
        (
            "anonymous",
            "'name' was sent with the id 1, but answered with no id: 'Fake'",
        ),
    ];
    for (role, expected) in cases {
        let mut client = start(role);
        let mut ask = || {
            client.send("name")?;
            client.genmove(Color::Black, LONG)?;
            // Whether the second answer has come by now or comes yet makes no difference.
            thread::sleep(SECOND / 5);
            client.send("name")
        };
        let error = ask().unwrap_err();
        assert!(matches!(error, ClientError::OutOfTurn { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{role}: {error}");
        assert!(!client.is_running());
    }
}

/// Unsolicited output stays in the pipe, so the engine blocks.
#[test]
fn unsolicited_replies_are_dropped() {
    let mut client = start("flood-of-replies");
    client.send("name").unwrap();
    thread::sleep(SECOND);
    assert_eq!(client.stderr_tail(), "");
    assert!(matches!(
        client.send("name"),
        Err(ClientError::OutOfTurn { .. })
    ));
}

/// Whether a process is there and no zombie.
#[cfg(target_os = "linux")]
fn is_alive(id: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat"));
    stat.is_ok_and(|stat| {
        !stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .starts_with(" Z")
    })
}

/// The first line on standard error, which another thread reads.
#[cfg(target_os = "linux")]
fn first_stderr_line(client: &Client) -> String {
    let mut tails = (0..10_000).map(|_| {
        thread::sleep(Duration::from_millis(1));
        client.stderr_tail()
    });
    let text = tails.find(|text| !text.is_empty()).expect("a line");
    text.lines().next().unwrap().to_owned()
}

#[cfg(target_os = "linux")]
#[test]
fn engines_behind_a_shell_end_with_it() {
    // A shell between that waits for the engine, and something that the shell leaves behind.
    let script = |engine: &str| format!("sleep 1000 & echo $! >&2; {engine}; true");
    for role in ["plain", "hanging", "stubborn"] {
        let line = shlex::try_quote(&script(&command_line(role)))
            .unwrap()
            .into_owned();
        let mut client = Client::spawn(&format!("sh -c {line}"), LONG).unwrap();
        client.send("name").unwrap();
        let sleeper = first_stderr_line(&client);
        assert!(is_alive(&sleeper));
        match role {
            "hanging" => drop(client.genmove(Color::Black, SECOND / 10)),
            "plain" => assert!(client.quit(LONG)),
            _ => assert!(!client.quit(SECOND / 10)),
        }
        assert!(!is_alive(&sleeper), "{role}");
    }
}

#[test]
fn time_is_measured() {
    let mut client = start("slow");
    client.send("name").unwrap();
    let (_, elapsed) = client.genmove(Color::Black, LONG).unwrap();
    assert!((SECOND / 10..LONG).contains(&elapsed), "{elapsed:?}");
}

#[test]
fn crash_is_reported_with_reason() {
    let mut client = start("crashing");
    let error = client.genmove(Color::Black, LONG).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, ClientError::Exited { .. }), "{text}");
    assert!(
        text.contains("exit status: 3") && text.contains("out of memory"),
        "{text}"
    );
    assert!(!client.is_running());
    assert!(matches!(
        client.send("name"),
        Err(ClientError::Exited { .. })
    ));
}

#[test]
fn engines_that_hang_are_killed() {
    let mut client = start("hanging");
    client.send("name").unwrap();
    let start = Instant::now();
    let error = client.genmove(Color::Black, SECOND / 10).unwrap_err();
    assert!(matches!(error, ClientError::TimedOut { .. }), "{error}");
    assert!(start.elapsed() < LONG);
    assert!(!client.is_running());
    assert!(matches!(
        client.send("name"),
        Err(ClientError::Exited { .. })
    ));
}

#[test]
fn time_commands_are_sent_if_supported() {
    let controls = ["none", "90", "5m+3s", "60+10/5", "0.5/move", "60+10x3"];
    let heard_by = |role| {
        let mut client = start(role);
        let told = controls.map(|text| client.time_control(text.parse().unwrap()).is_ok());
        for (seconds, count) in [(12.999, 0), (-0.5, 3)] {
            let left = TimeLeft { seconds, count };
            client.time_left(Color::White, left).unwrap();
        }
        (told, client.send("heard").unwrap())
    };
    let well_timed = "time_settings 90 0 0\nkata-time_settings fischer 300 3\n\
        time_settings 60 10 5\ntime_settings 0 0.5 1\nkgs-time_settings byoyomi 60 10 3\n\
        time_left W 12.99 0\ntime_left W 0 3";
    assert_eq!(heard_by("well-timed"), ([true; 6], well_timed.to_owned()));
    let timed = "time_settings 90 0 0\ntime_settings 300 0 0\ntime_settings 60 10 5\n\
        time_settings 0 0.5 1\ntime_left W 12 0\ntime_left W 0 3";
    let told = [true, true, true, true, true, false];
    assert_eq!(heard_by("timed"), (told, timed.to_owned()));
}

#[test]
fn engine_ignoring_quit_is_killed() {
    let mut client = start("stubborn");
    client.send("name").unwrap();
    assert!(!client.quit(SECOND / 10));
}

#[test]
fn missing_program_is_start_error() {
    for command_line in ["", "  ", "'unclosed", "/nonexistent/engine --gtp"] {
        assert!(
            Client::spawn(command_line, SECOND).is_err(),
            "{command_line}"
        );
    }
}

#[test]
fn engines_play_matches_and_are_restarted_when_lost() {
    let conditions = Conditions {
        size: BoardSize::square(19),
        komi: Komi::from_half(15),
        rules: Rules::CHINESE,
        time: TimeControl::Unlimited,
        visits: None,
        margin: Duration::ZERO,
        max_moves: 10,
    };
    let series = Series {
        games: 3,
        parallel: 1,
        divisions: vec![Division::new(conditions, Vec::new())],
    };
    let patience = Patience {
        command: LONG,
        genmove: LONG,
    };
    let endings = |roles: [&'static str; 2]| -> Vec<String> {
        let make = |role| -> anyhow::Result<Box<dyn Contestant>> {
            Ok(Box::new(GtpContestant::new(&command_line(role), patience)?))
        };
        let mut endings = Vec::new();
        let makers: [&Maker; 2] = [&|| make(roles[0]), &|| make(roles[1])];
        let result = series.run(makers, &BTreeSet::new(), |game| {
            endings.push(game.report.ending.to_string());
            Ok(ControlFlow::Continue(()))
        });
        result.unwrap();
        endings
    };
    assert_eq!(endings(["plain", "chatty"]), ["B+R"; 3], "White resigns");
    let found = endings(["plain", "crashing"]);
    let crash = "crash: the engine ended (exit status: 3): out of memory / sorry";
    assert_eq!(
        found,
        ["B", "W", "B"].map(|winner| format!("{winner}+F ({crash})"))
    );
    let found = endings(["plain", "pouring"]);
    // White is started anew after its fault, and commits it again.
    for game in [&found[0], &found[2]] {
        assert!(
            game.starts_with("B+F (error: ") && game.contains(" answer"),
            "{found:?}"
        );
    }
    assert_eq!(found[1], "B+R");
}

/// Runs a script on the answers of [`answer`], in process.
fn verdicts(script: &str) -> Vec<Verdict> {
    let respond = |line: &str| {
        let Line::Request(request) = Line::parse(line.as_bytes()) else {
            panic!("not sent: {line}")
        };
        Ok(Reply::parse(&answer(&request).framed(request.id)).unwrap())
    };
    let report = Script::parse(script).unwrap().run(respond).unwrap();
    report.checks.iter().map(|check| check.verdict).collect()
}

#[test]
fn expectations() {
    use Verdict::{Fail, KnownFailure, Pass, UnexpectedPass};
    let cases = [
        ("#? [D4]", Pass),
        ("#? [C3|D4]", Pass),
        ("#?[D.]", Pass),
        ("  #?  [D4]  ", Pass),
        ("#? [D]", Fail),
        ("#? [4]", Fail),
        ("#? []", Fail),
        ("#? [!C3]", Pass),
        ("#? [!D4]", Fail),
        ("#? [C3]*", KnownFailure),
        ("#? [D4]*", UnexpectedPass),
        ("#? [!D4]*", KnownFailure),
        ("#? ?[D4]", Fail),
        ("#? ?[D4]*", KnownFailure),
    ];
    for (expectation, verdict) in cases {
        assert_eq!(
            verdicts(&format!("echo D4\n{expectation}\n")),
            [verdict],
            "{expectation}"
        );
    }
}

#[test]
fn expected_failures() {
    use Verdict::{Fail, KnownFailure, Pass};
    assert_eq!(verdicts("foo\n"), [Fail]);
    assert_eq!(verdicts("foo\n#? [unknown command]\n"), [Fail]);
    assert_eq!(verdicts("foo\n#? [!bar]\n"), [Fail]);
    assert_eq!(verdicts("foo\n#? [.*]*\n"), [KnownFailure]);
    assert_eq!(verdicts("foo\n#? ?[unknown command]\n"), [Pass]);
    assert_eq!(verdicts("foo\n#? ?[!illegal.*]\n"), [Pass]);
    assert_eq!(verdicts("foo\n#? ?[.*]\n"), [Pass]);
}

#[test]
fn scripts_have_comments_ids_tabs_and_several_expectations() {
    let script =
        "\n# comment\n10\techo a [b] #? c\n#? [.*]\n#? [a \\[b\\]]\n\n# c\n#? [!b]\necho\n";
    assert_eq!(verdicts(script), [Verdict::Pass; 3]);
    assert!(
        verdicts("showboard\n#? [A B.*1 \\. \\.]\n").contains(&Verdict::Pass),
        "LF matches ."
    );
    assert!(Script::parse("# nothing\n\n").unwrap().is_empty());
}

#[test]
fn bad_scripts_are_refused() {
    for script in [
        "#? [a]\necho",
        "echo\n#? a",
        "echo\n#? [a",
        "echo\n#? [(]",
        "echo\n#? [a]x",
    ] {
        assert!(Script::parse(script).is_err(), "{script}");
    }
}

#[test]
fn ids_of_replies_are_checked() {
    let marked = Script::parse("\u{feff}5 echo\n").unwrap();
    let sent = marked.run(|line| {
        assert_eq!(line, "5 echo", "without the byte-order mark");
        anyhow::bail!("stop")
    });
    assert!(
        sent.unwrap_err()
            .chain()
            .any(|error| error.to_string() == "stop")
    );
    let script = Script::parse("5 echo\n").unwrap();
    let reply = |id| {
        Ok(Reply {
            id,
            response: Response::success(""),
        })
    };
    assert_eq!(script.run(|_| reply(Some(5))).unwrap().checks, []);
    for id in [None, Some(6)] {
        let report = script.run(|_| reply(id)).unwrap();
        assert_eq!(report.count(Verdict::Fail), 1);
    }
}

#[test]
fn scripts_run_on_processes() {
    let mut client = start("plain");
    let script = Script::parse("7 name\n#? [Fake]\ngenmove b\n#? [D4]*\n").unwrap();
    let report = script.run(|line| Ok(client.send_line(line)?)).unwrap();
    assert_eq!(
        (
            report.count(Verdict::Pass),
            report.count(Verdict::KnownFailure)
        ),
        (1, 1)
    );
    let check = report.with(Verdict::KnownFailure).next().unwrap();
    assert_eq!(
        check.to_string(),
        "line 3: genmove b\n  expected #? [D4]*\n  answer   = q16"
    );
    let mut client = start("crashing");
    let error = script.run(|line| Ok(client.send_line(line)?)).unwrap_err();
    assert!(
        format!("{error:#}").starts_with("line 3: 'genmove b': the engine ended"),
        "{error:#}"
    );
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn framed_response_round_trips(text in "[ -~\t\n\r=?]{0,60}", id in any::<Option<u32>>()) {
        let framed = Response::success(text.as_str()).framed(id);
        let reply = Reply::parse(&format!("junk\n\n{framed}= next\n\n")).unwrap();
        prop_assert_eq!(reply.id, id);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(words(reply.response.text()), words(&text.replace('\r', "")));
    }
}

#[test]
fn junk_scripts_do_no_harm() {
    let run = Cell::new(0);
    proptest!(cases(256), |(text in "(#\\? ?)?[ -~\n]{0,80}")| {
        if let Ok(script) = Script::parse(&text) {
            let reply = || Reply { id: None, response: Response::success("D4") };
            prop_assert!(script.run(|_| Ok(reply())).is_ok());
            run.set(run.get() + 1);
        }
    });
    // Nearly all that is no check is a command.
    assert!(run.get() > 64, "{} scripts", run.get());
}
