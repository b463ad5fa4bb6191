//! `keima analysis` as a process.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdout, Command};

use serde_json::{Value, json};

use super::service::query;
use crate::guarded::Guarded;
use crate::nets::NETWORK;
use crate::running::{finish, keima, remarks, text};

fn command(arguments: &[&str]) -> Command {
    keima(&[&["analysis"], arguments].concat())
}

/// Writes lines, ends the input, and waits: the answers, what was on standard error, and the exit code.
fn run(arguments: &[&str], lines: &[String]) -> (Vec<Value>, String, Option<i32>) {
    let output = finish(command(arguments), &lines.join("\n"));
    let answers = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    (answers.collect(), remarks(&output), output.status.code())
}

/// A query of its own number that nothing but a signal or a termination ends.
fn endless(id: &str) -> Value {
    query(json!({"id": id, "maxVisits": 1_u64 << 40, "reportDuringSearchEvery": 0.01}))
}

#[test]
fn end_of_input_has_all_answered() {
    let lines: Vec<String> = (0..20)
        .map(|number| query(json!({"id": format!("{number}")})).to_string())
        .collect();
    let arguments = [
        "--model",
        NETWORK,
        "--seed",
        "1",
        "--visits",
        "10",
        "--analysis-threads",
        "3",
    ];
    let (answers, errors, code) = run(&arguments, &lines);
    assert_eq!((answers.len(), code), (20, Some(0)), "{errors}");
    assert!(
        answers
            .iter()
            .all(|answer| answer["rootInfo"]["visits"] == 10)
    );
    assert!(errors.contains("3 positions at once; started, ready to begin handling requests"));
    // Lines that GUIs would take for something else.
    assert!(
        errors
            .lines()
            .all(|line| line.starts_with("keima: ") && !line.contains(" -> "))
    );
}

#[test]
fn built_in_networks_are_described_and_visits_have_a_limit() {
    let lines = [
        json!({"id": "m", "action": "query_models"}).to_string(),
        query(json!({"id": "a", "boardXSize": 5, "boardYSize": 5})).to_string(),
    ];
    let (answers, _, code) = run(&[], &lines);
    assert_eq!(code, Some(0));
    let names = ["default", "small"].map(|name| json!(name));
    let models = answers[0]["models"].as_array().unwrap();
    assert_eq!(
        models
            .iter()
            .map(|model| model["name"].clone())
            .collect::<Vec<_>>(),
        names
    );
    assert_eq!(answers[1]["rootInfo"]["visits"], 500);
}

/// As KaTrain starts it.
#[test]
fn katagos_command_line_and_configuration_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("analysis.cfg");
    let text = "numAnalysisThreads = 2\nmaxVisits = 7 # small\nnnMaxBatchSize = 8\nreportAnalysisWinratesAs = WHITE\n";
    std::fs::write(&file, text).unwrap();
    let config = file.to_str().unwrap();
    let overrides = "numSearchThreadsPerAnalysisThread=1,homeDataDir=x";
    let arguments = [
        "-model",
        NETWORK,
        "-config",
        config,
        "-override-config",
        overrides,
        "--seed",
        "1",
    ];
    let black_is_ahead = query(json!({"initialStones": [["B", "C3"], ["B", "E5"]]}));
    let (answers, errors, code) = run(&arguments, &[black_is_ahead.to_string()]);
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(answers[0]["rootInfo"]["visits"], 7);
    let by_black = [&arguments[..], &["--set", "reportAnalysisWinratesAs=BLACK"]].concat();
    let (turned, ..) = run(&by_black, &[black_is_ahead.to_string()]);
    let lead = |answers: &[Value]| answers[0]["rootInfo"]["scoreLead"].as_f64().unwrap();
    assert_eq!(lead(&answers), -lead(&turned));
    assert!(errors.contains("2 positions at once"), "{errors}");
    for unused in ["nnMaxBatchSize", "homeDataDir"] {
        assert!(errors.contains(unused), "{errors}");
    }
}

#[test]
fn rollouts_serve_without_a_network() {
    let arguments = ["--player", "rollout", "--visits", "30"];
    let lines = [query(json!({"includeOwnership": true})).to_string()];
    let (answers, _, code) = run(&arguments, &lines);
    assert_eq!((answers.len(), code), (2, Some(0)));
    assert_eq!(answers[0]["field"], "includeOwnership");
    assert_eq!(answers[1]["rootInfo"]["visits"], 30);
}

#[test]
fn bad_options_are_refused_before_anything_is_read() {
    for (arguments, message) in [
        (
            &["--player", "random"][..],
            "analysis needs --player puct or rollout",
        ),
        (
            &["--set", "numAnalysisThreads=0"],
            "'0' is no value for numAnalysisThreads",
        ),
        (
            &["--analysis-threads", "2", "--set", "numAnalysisThreads=2"],
            "is set twice",
        ),
        (
            &["--set", "resignThreshold=-0.5"],
            "resignThreshold has no effect where no games are played: leave --set out",
        ),
    ] {
        let (answers, errors, code) = run(arguments, &[]);
        assert_eq!((answers.len(), code), (0, Some(2)));
        assert!(errors.contains(message), "{errors}");
    }
}

#[test]
fn quitting_without_waiting_ends_all_searches() {
    let lines = ["a", "b", "c"].map(|id| endless(id).to_string());
    let arguments = [
        "--model",
        NETWORK,
        "--analysis-threads",
        "1",
        "--quit-without-waiting",
    ];
    let (answers, _, code) = run(&arguments, &lines);
    assert_eq!(code, Some(0));
    let last = answers
        .iter()
        .filter(|answer| answer["isDuringSearch"] == false);
    let mut ids: Vec<&str> = last.map(|answer| answer["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["a", "b", "c"]);
}

/// Positions are searched one after the other.
const ONE_AT_ONCE: [&str; 4] = ["--model", NETWORK, "--analysis-threads", "1"];

/// A process that is busy with two endless queries, one of which waits; its output.
fn busy() -> (Guarded, BufReader<ChildStdout>) {
    busy_as(&mut command(&ONE_AT_ONCE))
}

fn busy_as(command: &mut Command) -> (Guarded, BufReader<ChildStdout>) {
    let mut child = Guarded::spawn(command);
    let text = format!("{}\n{}\n", endless("a"), endless("b"));
    child
        .stdin
        .as_mut()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert!(line.contains("\"isDuringSearch\":true"));
    (child, output)
}

#[cfg(unix)]
#[test]
fn termination_signal_has_all_answered() {
    use rustix::process::{Pid, Signal, kill_process};
    use std::io::Read;
    let (mut child, mut output) = busy();
    // The second query has been read by now or will not be: a version is only answered after it.
    let ask = "{\"id\":\"v\",\"action\":\"query_version\"}\n";
    child
        .stdin
        .as_mut()
        .unwrap()
        .write_all(ask.as_bytes())
        .unwrap();
    let mut line = String::new();
    while !line.contains("query_version") {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "the program ends");
    }
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let answers: Vec<Value> = rest
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let last = |id: &str| answers.iter().rfind(|answer| answer["id"] == id).unwrap();
    assert_eq!(
        (&last("a")["isDuringSearch"], &last("b")["noResults"]),
        (&json!(false), &json!(true))
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_hang_up_that_was_ignored_from_the_start_stays_ignored() {
    use crate::common::under_test::{PROGRAM, configured};
    use rustix::process::{Pid, Signal, kill_process};
    use std::io::Read;
    use std::process::Stdio;
    let mut under_nohup = configured("sh");
    under_nohup.args(["-c", "trap '' HUP; exec \"$0\" analysis \"$@\"", PROGRAM]);
    under_nohup.args(ONE_AT_ONCE);
    under_nohup.stdin(Stdio::piped()).stdout(Stdio::piped());
    let (mut child, mut output) = busy_as(under_nohup.stderr(Stdio::null()));
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    for _ in 0..50 {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(line.contains("\"isDuringSearch\":true"), "{line}");
    }
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(rest.contains("\"isDuringSearch\":false"), "{rest}");
}

#[test]
fn a_closed_output_ends_the_program() {
    let (mut child, output) = busy();
    drop(output);
    // Waiting closes what the process still has.
    let input = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(0), "its input is open");
    drop(input);
}

#[cfg(all(unix, not(target_vendor = "apple")))]
#[test]
fn nobody_is_left_searching_when_the_client_is_gone() {
    let mut child = Guarded::spawn(&mut command(&ONE_AT_ONCE));
    let quiet = query(json!({"maxVisits": 1_u64 << 40}));
    child
        .stdin
        .as_mut()
        .unwrap()
        .write_all(format!("{quiet}\n").as_bytes())
        .unwrap();
    drop(child.stdin.take());
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
