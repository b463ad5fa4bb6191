//! Files that users name and that are none: pipes, which may never end, devices, which do not end, and
//! links that lead to themselves.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use crate::folders::folder;
use crate::nets::NETWORK;
use crate::running::keima;

/// After so long the program is taken to wait for ever.
const FOR_EVER: Duration = Duration::from_secs(60);

/// Makes three such files; `name` gets their number.
fn make(folder: &Path, name: impl Fn(usize) -> String) -> Vec<String> {
    let paths: Vec<PathBuf> = (1..=3).map(|number| folder.join(name(number))).collect();
    for path in &paths {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
    }
    let status = Command::new("mkfifo").arg(&paths[0]).status().unwrap();
    assert!(status.success());
    symlink("/dev/zero", &paths[1]).unwrap();
    symlink(&paths[2], &paths[2]).unwrap();
    let text = |path: &PathBuf| path.to_str().unwrap().to_owned();
    paths.iter().map(text).collect()
}

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = keima(arguments).spawn().unwrap();
    let written = child.stdin.take().unwrap().write_all(input.as_bytes());
    written.unwrap_or_default();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > FOR_EVER {
            child.kill().unwrap();
            panic!("{arguments:?} {input:?} does not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

/// The program ends with an error that names the file.
fn assert_refused(arguments: &[&str], file: &str) {
    let output = run(arguments, "");
    let told = [&output.stdout[..], &output.stderr].concat();
    let errors = String::from_utf8_lossy(&told);
    assert!(
        matches!(output.status.code(), Some(1 | 2)),
        "{arguments:?}: {output:?}"
    );
    assert!(errors.contains(file), "{arguments:?}: {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
}

#[test]
fn commands_refuse_what_is_no_regular_file() {
    for file in make(&folder("named_gtp"), |number| number.to_string()) {
        for command in ["loadsgf", "load_model"] {
            let arguments = ["--player", "policy", "--model", NETWORK];
            let output = run(&arguments, &format!("{command} {file}\nquit\n"));
            let answer = String::from_utf8_lossy(&output.stdout);
            assert!(answer.starts_with("? "), "{command}: {answer}");
            assert!(answer.contains(&file), "{command}: {answer}");
            assert_eq!(output.status.code(), Some(0));
        }
    }
}

#[test]
fn options_refuse_what_is_no_regular_file() {
    let place = folder("named_options");
    let out = place.join("out");
    fs::create_dir_all(&out).unwrap();
    let out = out.to_str().unwrap();
    for file in make(&place, |number| number.to_string()) {
        let file = file.as_str();
        assert_refused(&["--model", file], file);
        assert_refused(
            &["label", "--model", file, "--count", "1", "--out", out],
            file,
        );
        assert_refused(&["selfplay", out, "--model", file], file);
        assert_refused(&["gate", out, "--candidate", file], file);
        assert_refused(&["train", out, "--init", file, "--data", out], file);
        let engines = ["match", "--black", "a", "--white", "b"];
        assert_refused(&[&engines[..], &["--openings", file]].concat(), file);
    }
}

#[test]
fn folders_of_games_refuse_what_is_no_regular_file() {
    let place = folder("named_games");
    for file in make(&place, |number| format!("{number}/game.sgf")) {
        let games = Path::new(&file).parent().unwrap().to_str().unwrap();
        let out = place.join("out");
        let mut arguments = vec!["label", "--model", NETWORK, "--count", "1"];
        arguments.extend(["--games", games, "--out", out.to_str().unwrap()]);
        assert_refused(&arguments, &file);
    }
}

#[test]
fn folders_of_labels_refuse_what_is_no_regular_file() {
    let place = folder("named_labels");
    let labels = place.join("labels");
    let mut arguments = vec!["label", "--model", NETWORK, "--count", "8", "--sizes", "7"];
    arguments.extend(["--device", "cpu", "--out", labels.to_str().unwrap()]);
    assert_eq!(run(&arguments, "").status.code(), Some(0));
    let settings = fs::read(labels.join("settings.json")).unwrap();
    let out = place.join("run");
    let train = |file: &str| {
        let data = Path::new(file).parent().unwrap().to_str().unwrap();
        let arguments = [
            "train",
            out.to_str().unwrap(),
            "--arch",
            "b1c16",
            "--data",
            data,
        ];
        assert_refused(&arguments, file);
        assert_refused(&["label", "--check", data], file);
    };
    for file in make(&place, |number| format!("{number}/settings.json")) {
        train(&file);
        fs::remove_file(&file).unwrap();
        fs::write(&file, &settings).unwrap();
    }
    for file in make(&place, |number| format!("{number}/shard-000000.glb")) {
        train(&file);
    }
}
