//! The program as its users start it: what it prints where, and how it ends.

// Failing is what tests are for.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{Write, pipe};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use keima::formats::sgf;
use keima::go::result::GameResult;

const PROGRAM: &str = env!("CARGO_BIN_EXE_keima");
const NETWORK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s8.bin.gz");
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/gtp-scripts");

fn keima(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program to its end; the input, which is short, is followed by its end.
fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = keima(arguments).spawn().unwrap();
    // A program that does not start may not read.
    let written = child.stdin.take().unwrap().write_all(input.as_bytes());
    written.unwrap_or_default();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

/// The results of commands that must all succeed.
fn results(output: &Output) -> Vec<&str> {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let responses = text(&output.stdout).split_terminator("\n\n");
    responses
        .map(|response| response.strip_prefix("= ").expect(response))
        .collect()
}

/// The only line on standard error, which no GUI may take for a response.
fn remark(output: &Output) -> &str {
    let errors = text(&output.stderr);
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(!errors.contains(" -> "), "{errors}");
    errors.strip_prefix("keima: ").expect(errors).trim_end()
}

/// An empty folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // Left by an earlier run, or not there.
    fs::remove_dir_all(&path).unwrap_or_default();
    fs::create_dir_all(&path).unwrap();
    path
}

/// The program and these arguments as one command line.
fn command_line(arguments: &str) -> String {
    format!("'{PROGRAM}' {arguments}")
}

/// The exit code, if the program ends by itself in time.
fn exit_code(mut child: Child) -> Option<i32> {
    let end = Instant::now() + Duration::from_secs(20);
    while Instant::now() < end {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    None
}

#[test]
fn without_options_it_answers_gtp_and_says_what_it_plays_with() {
    let output = run(&[], "name\nboardsize 3\ngenmove b\nlist_stones b\nquit\n");
    let results = results(&output);
    assert_eq!(results[..2], ["keima", ""]);
    assert!(
        results[2] == "pass" || results[2] == results[3],
        "{results:?}"
    );
    assert!(remark(&output).contains("network"));
}

#[test]
fn the_end_of_the_input_and_quit_end_it() {
    assert_eq!(run(&[], "").status.code(), Some(0));
    let output = run(&[], "name\n\n# not answered\nversion");
    assert_eq!(results(&output).len(), 2);

    let mut child = keima(&[]).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"quit\n").unwrap();
    input.flush().unwrap();
    assert_eq!(exit_code(child), Some(0), "with the input still open");
}

#[test]
fn a_network_plays_with_and_without_batches() {
    let play = |player: &str, batch: &str| {
        let mut options = vec!["--model", NETWORK, "--player", player, "--batch", batch];
        options.extend(["--size", "5x4", "--seed", "1"]);
        if player == "puct" {
            options.extend(["--threads", "4", "--visits", "40"]);
        }
        let input = "genmove b\nlist_stones b\nfinal_score\nkata-raw-nn 0\n";
        let output = run(&options, input);
        let results = results(&output);
        assert!(
            results[0] == "pass" || results[0] == results[1],
            "{results:?}"
        );
        assert!(remark(&output).contains("network"));
        results[0].to_owned()
    };
    for player in ["policy", "value"] {
        assert_eq!(play(player, "1"), play(player, "4"), "{player}");
    }
    play("puct", "1");
    play("puct", "4");
}

#[test]
fn one_thread_with_a_seed_repeats_itself() {
    let game = || {
        let options = [
            "--model",
            NETWORK,
            "--threads",
            "1",
            "--seed",
            "5",
            "--visits",
            "60",
            "--size",
            "7",
        ];
        run(&options, "genmove b\ngenmove w\ngenmove b\nfinal_score\n").stdout
    };
    assert_eq!(text(&game()), text(&game()));
}

#[test]
fn an_unusable_network_is_a_plain_error() {
    let folder = folder("networks");
    let stored = fs::read(NETWORK).unwrap();
    let files: [(&str, &[u8], &str); 4] = [
        ("truncated.bin.gz", &stored[..stored.len() / 2], ""),
        ("empty.bin.gz", b"", ""),
        ("garbage.bin.gz", b"\x1f\x8b\x00\xff\xfe garbage", ""),
        ("future.txt", b"net\n99\n22\n19\n", "version 99"),
    ];
    for (name, bytes, reason) in files {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        let output = run(&["--model", path.to_str().unwrap()], "name\n");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(text(&output.stdout), "");
        let remark = remark(&output);
        assert!(remark.contains(name) && remark.contains(reason), "{remark}");
    }
    let output = run(&["--model", "no/such/file"], "name\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(remark(&output).contains("no/such/file"));
}

#[test]
fn wrong_options_are_refused() {
    let wrong: [&[&str]; 12] = [
        &["--size", "30"],
        &["--size", "1"],
        &["--size", "9x"],
        &["--rules", "nonsense"],
        &["--komi", "nan"],
        &["--seconds", "-1"],
        &["--threads", "0"],
        &["--visits", "-5"],
        &["--player", "nobody"],
        &["--cache-mb", "99999999999"],
        &["--nonsense"],
        &["nonsense"],
    ];
    for arguments in wrong {
        let output = run(arguments, "name\n");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stdout), "");
        assert!(text(&output.stderr).starts_with("error: "), "{output:?}");
    }
    let useless: [&[&str]; 12] = [
        &["--set", "nonsense=1"],
        &["--set", "cpuct"],
        &["--set", "cpuct=much"],
        &["--set", "nnPolicyTemperature=0"],
        &["--player", "random", "--set", "cpuct=1"],
        &["--player", "policy", "--model", NETWORK, "--set", "cpuct=1"],
        &["--player", "random", "--model", NETWORK],
        &["--player", "rollout", "--symmetries", "average"],
        &["--player", "random", "--visits", "10"],
        &["--player", "policy", "--model", NETWORK, "--playouts", "9"],
        &["--player", "value", "--model", NETWORK, "--seconds", "1"],
        &["--model", NETWORK, "--human-profile", "rank_5k"],
    ];
    for arguments in useless {
        let output = run(arguments, "name\n");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(!remark(&output).is_empty());
        let option = arguments[arguments.len() - 2];
        if ["--visits", "--symmetries"].contains(&option) {
            assert!(remark(&output).contains(option), "{output:?}");
        }
    }
}

#[test]
fn regress_tells_by_its_exit_code() {
    let folder = folder("scripts");
    let failing = folder.join("failing.gtp");
    fs::write(&failing, "boardsize 5\nname\n#? [nobody]\n").unwrap();
    let engine = command_line("--player rollout --visits 50");
    let regress = |file: &str| run(&["regress", "--engine", &engine, file], "");

    let output = regress(SCRIPTS);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let output = regress(failing.to_str().unwrap());
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("FAIL, line 2: name"));
    assert_eq!(regress("no/such/script.gtp").status.code(), Some(2));
}

#[test]
fn a_match_prints_a_table_and_writes_its_games() {
    let folder = folder("games");
    let black = command_line("--player rollout --playouts 100 --threads 1 --seed 1");
    let white = command_line("--player random --seed 2");
    let options = [
        "match",
        "--black",
        &black,
        "--white",
        &white,
        "--games",
        "2",
        "--size",
        "5",
        "--komi",
        "0.5",
        "--rules",
        "tromp-taylor",
        "--sgf",
        folder.to_str().unwrap(),
    ];
    let output = run(&options, "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let table = text(&output.stdout);
    assert!(table.ends_with("endings: 2 counted\n"), "{table}");
    for number in 1..=2 {
        let bytes = fs::read(folder.join(format!("game-000{number}.sgf"))).unwrap();
        let record = sgf::parse(&bytes).unwrap();
        assert!(record.position().unwrap().is_over());
        assert!(matches!(record.result, Some(GameResult::Win(..))));
    }
    let output = run(
        &["match", "--black", "no-such-program", "--white", &white],
        "",
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(remark(&output).contains("no-such-program"));
}

#[test]
fn bench_prints_one_number_always_the_same() {
    let numbers = [(); 2].map(|()| run(&["bench"], "").stdout);
    assert!(text(&numbers[0]).trim_end().parse::<u64>().is_ok());
    assert_eq!(numbers[0], numbers[1]);
}

#[test]
fn readers_that_are_gone_make_no_panic() {
    let closed = || {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        Stdio::from(writer)
    };
    let commands: [&[&str]; 4] = [
        &["gtp"],
        &["perft", "--depth", "2"],
        &["regress", "--engine", PROGRAM, SCRIPTS],
        &["--size", "30"],
    ];
    for arguments in commands {
        let is_wrong = arguments[0] == "--size";
        for (output, errors, code) in [
            (closed(), Stdio::null(), 1),
            (Stdio::null(), closed(), 0),
            (closed(), closed(), 1),
        ] {
            let code = if is_wrong { 2 } else { code };
            let mut child = keima(arguments)
                .stdout(output)
                .stderr(errors)
                .spawn()
                .unwrap();
            let written = child.stdin.take().unwrap().write_all(b"name\n");
            written.unwrap_or_default();
            assert_eq!(exit_code(child), Some(code), "{arguments:?}");
        }
    }
}
