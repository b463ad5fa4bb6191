//! Running the program to its end.

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::under_test;

/// The program, to be started, with pipes.
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

/// The same as [`run`] with a command that is ready to start.
pub fn finish(mut command: Command, input: &str) -> Output {
    let mut child = command.spawn().unwrap();
    // A program that does not start may not read.
    let written = child.stdin.take().unwrap().write_all(input.as_bytes());
    written.unwrap_or_default();
    child.wait_with_output().unwrap()
}

/// Waits until something is so, which must be within a time.
pub fn until(what: &str, limit: Duration, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < limit, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Runs a command without input, which must end with this exit code.
fn ended(mut command: Command, code: i32) -> Output {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{command:?}: {output:?}");
    output
}

/// Runs a command without input, which must succeed.
pub fn succeed(command: Command) -> Output {
    ended(command, 0)
}

/// What a command prints, which must succeed.
pub fn printed(command: Command) -> String {
    String::from_utf8(succeed(command).stdout).unwrap()
}

/// What the program prints, which must succeed.
pub fn done(arguments: &[&str]) -> String {
    printed(keima(arguments))
}

/// The error message of a command that must fail with this exit code, and print nothing.
pub fn refusal(command: Command, code: i32) -> String {
    let output = ended(command, code);
    assert!(output.stdout.is_empty(), "{output:?}");
    remarks(&output)
}

/// The error message of the program, which must fail; something may have been printed before.
pub fn refused(arguments: &[&str]) -> String {
    remarks(&ended(keima(arguments), 1))
}

/// What a process wrote to standard error.
pub fn remarks(output: &Output) -> String {
    text(&output.stderr).to_owned()
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
