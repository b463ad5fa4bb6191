//! The Hub protocol.

use std::time::{Duration, Instant};

use super::client;

/// The initial position of international draughts.
const START: &str = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww";

/// The program at work.
struct Client(client::Client);

impl Client {
    fn new(arguments: &[&str]) -> Client {
        Client(client::Client::new(&[&["hub"], arguments].concat()))
    }

    fn send(&mut self, line: &str) {
        self.0.send(line);
    }

    fn line(&self) -> String {
        self.0.line()
    }

    fn until(&self, start: &str) -> Vec<String> {
        self.0.until(start)
    }

    fn quit(self) {
        self.0.end("quit");
    }
}

#[test]
fn a_session_as_clients_lead_it() {
    let mut client = Client::new(&[]);
    client.send("hub");
    let lines = client.until("wait");
    assert!(lines[0].starts_with("id name=keima version="), "{lines:?}");
    let variants = "param name=variant value=normal type=enum values=\"normal english ";
    assert!(lines[1].starts_with(variants), "{lines:?}");
    client.send("set-param name=tt-size value=16\nset-param name=book value=true\ninit");
    assert_eq!(client.line(), "ready");
    client.send(&format!(
        "new-game\npos pos={START} moves=\"32-28 19-23\"\nlevel nodes=20000\ngo think"
    ));
    let lines = client.until("done");
    let done = lines.last().unwrap();
    // White must take, with the square of the captured man.
    assert!(
        [
            "done move=28x19x23 ponder=14x23x19",
            "done move=28x19x23 ponder=13x24x19"
        ]
        .contains(&done.as_str()),
        "{done}"
    );
    let info = &lines[lines.len() - 2];
    for part in [
        "info depth=",
        " mean-depth=",
        " score=",
        " nodes=",
        " time=",
        " nps=",
        " pv=\"28x19x23 ",
    ] {
        assert!(info.contains(part), "{info}");
    }
    client.send("ping");
    assert_eq!(client.line(), "pong");
    client.quit();
}

#[test]
fn searches_without_end_answer_when_stopped() {
    let mut client = Client::new(&["--variant", "russian"]);
    client.send("pos\nlevel infinite\ngo analyze");
    client.until("info");
    // Lines that mean nothing do not end it.
    client.send("\nhello x=1\nping");
    let lines = client.until("pong");
    assert!(
        !lines.iter().any(|line| line.starts_with("done")),
        "{lines:?}"
    );
    client.send("stop");
    client.until("done move=");
    client.send("level depth=3\ngo ponder");
    client.until("info");
    client.send("ponder-hit");
    client.until("done move=");
    for level in ["level time=1 inc=0.1", "level time=-0.03 inc=0.05"] {
        client.send(&format!("{level}\ngo think"));
        client.until("done move=");
    }
    for level in ["level time=1 inc=1e19", "level time=1e300 moves=1"] {
        client.send(&format!("{level}\ngo think\nstop"));
        client.until("done move=");
    }
    client.quit();
}

#[test]
fn all_of_a_fixed_time_is_used() {
    let mut client = Client::new(&[]);
    let begun = Instant::now();
    client.send("pos\nlevel move-time=0.5\ngo think");
    client.until("done move=");
    // Less what is lost between client and engine.
    let passed = begun.elapsed();
    assert!(passed >= Duration::from_millis(450), "{passed:?}");
    client.quit();
}

#[test]
fn mistakes_are_told_and_the_session_goes_on() {
    let mut client = Client::new(&[]);
    let rows = [
        (
            "pos pos=Wbb",
            "the position has 2 squares, and international has 50",
        ),
        ("pos pos=Q", "a position begins with W or B"),
        ("pos moves=\"32-22\"", "'32-22' is illegal"),
        ("pos moves=\"hello\"", "'hello' is no move"),
        ("set-param name=variant value=german", "no variant 'german'"),
        (
            "set-param name=threads value=0",
            "'0' is not a number from 1 to 256",
        ),
        (
            "level move-time=soon",
            "move-time is not a number of seconds",
        ),
        ("level time=nan", "time is not a number of seconds"),
        ("level depth=-1", "depth is not a whole number"),
    ];
    for (line, reason) in rows {
        client.send(line);
        let answer = client.line();
        assert!(
            answer.starts_with("error message=\"") && answer.contains(reason),
            "{answer}"
        );
    }
    client.send(
        "set-param name=variant value=czech\npos pos=Wbeeewbeeeeeeeeeeeeeeeeeeeeeeeeee\ngo think",
    );
    assert!(client.line().contains("the game is over"));
    client.send(
        "\u{1}\u{2}what x=\"=\n\nset-param name=variant value=normal\npos\nlevel depth=2\ngo think",
    );
    client.until("done move=");
    client.quit();
}

#[test]
fn searches_with_limits_are_finished_first() {
    let mut client = Client::new(&["--variant", "russian"]);
    client.send("pos\nlevel depth=6\ngo think\npos\nlevel nodes=2000\ngo think");
    client.0.close();
    let said = client.0.rest();
    let mut searches = said.split(|line| line.starts_with("done move="));
    let first = searches.next().unwrap();
    let is_deep = first.iter().any(|line| line.starts_with("info depth=6 "));
    assert!(is_deep, "{said:?}");
    assert_eq!(searches.count(), 2, "{said:?}");
    let mut client = Client::new(&[]);
    client.send("pos\nlevel depth=80\ngo think\nlevel depth=70\ngo think\nping");
    let before = client.until("pong");
    assert!(
        !before.iter().any(|line| line.starts_with("done")),
        "{before:?}"
    );
    client.send("stop");
    client.until("done move=");
    client.until("done move=");
    client.quit();
}

#[test]
fn a_line_beyond_all_measure_is_refused() {
    let mut client = Client::new(&[]);
    client.send(&"x".repeat(17 << 20));
    assert_eq!(client.line(), "error message=\"the line is too long\"");
    client.send("ping");
    assert_eq!(client.line(), "pong");
    client.quit();
}
