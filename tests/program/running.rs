//! Running the program to its end.

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::under_test;

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

/// Waits until something is so, which must be within a time.
pub fn until(what: &str, limit: Duration, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < limit, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// What the program prints, which succeeds.
pub fn done(arguments: &[&str]) -> String {
    let output = run(arguments, "");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The error of the program, which fails.
pub fn refused(arguments: &[&str]) -> String {
    let output = run(arguments, "");
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// The same as [`run`] with a command that is ready to start.
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
