//! The program where the system does not give it all it would like to have.

use std::process::Output;

use crate::nets::NETWORK;
use crate::under_test::{self, PROGRAM};

/// Address space of a thread's stack, so large that a few exhaust the limit.
const STACK_BYTES: u64 = 1 << 30;

/// Runs the program in an address space with room for its own memory and the stacks of so many
/// threads.
fn with_room_for(threads: u64, arguments: &str, input: &str) -> Output {
    let kilobytes = (threads * STACK_BYTES + STACK_BYTES / 2) >> 10;
    let script = format!(
        "ulimit -v {kilobytes}; printf '{input}' | '{PROGRAM}' {arguments} --model '{NETWORK}'"
    );
    let mut command = under_test::configured("sh");
    command.args(["-c", &script]);
    command.env("RUST_MIN_STACK", STACK_BYTES.to_string());
    command.env("RAYON_NUM_THREADS", "2");
    // Each thread's allocator would take address space as well.
    command.env("MALLOC_ARENA_MAX", "1");
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

#[test]
fn a_search_uses_the_threads_that_start() {
    let options = "gtp --size 5 --threads 1024 --visits 200";
    let output = with_room_for(5, options, "genmove b\\ngenmove w\\n");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let answers: Vec<&str> = text(&output.stdout).split_terminator("\n\n").collect();
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert!(answers.iter().all(|answer| answer.starts_with("= ")));
    assert_eq!(errors.matches("of 1024 search threads: ").count(), 1);
    assert!(!errors.contains("panicked"), "{errors}");
}

#[test]
fn missing_threads_are_reported() {
    let output = with_room_for(0, "gtp", "name\\n");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("started 0 of 2 pool threads: "), "{errors}");
    assert!(errors.contains("cannot start a thread: "), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
}
