//! Running the program to its end.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::under_test;

pub const NETWORK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s8.bin.gz");

pub fn keima(arguments: &[&str]) -> Command {
    let mut command = under_test::program();
    command.args(arguments);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program to its end; the input, which is short, is followed by its end.
pub fn run(arguments: &[&str], input: &str) -> Output {
    finish(keima(arguments), input)
}

/// The same with a command that is ready to start.
pub fn finish(mut command: Command, input: &str) -> Output {
    let mut child = command.spawn().unwrap();
    // A program that does not start may not read.
    let written = child.stdin.take().unwrap().write_all(input.as_bytes());
    written.unwrap_or_default();
    child.wait_with_output().unwrap()
}

pub fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

/// The results of commands that must all succeed.
pub fn results(output: &Output) -> Vec<&str> {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let responses = text(&output.stdout).split_terminator("\n\n");
    responses
        .map(|response| response.strip_prefix("= ").expect(response))
        .collect()
}

/// An empty folder of its own for a test.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // Left by an earlier run, or not there.
    fs::remove_dir_all(&path).unwrap_or_default();
    fs::create_dir_all(&path).unwrap();
    path
}
