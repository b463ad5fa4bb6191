//! The threads at an engine's pipes: one writes lines, one reads lines, one reads what it complains of.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};

use crate::threads::{self, locked};

/// Longest line read in one piece, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 20;
/// Lines of stderr kept for messages.
const STDERR_LINES: usize = 8;
/// Lines of output kept until somebody looks at them; then the engine's pipe fills, not our memory.
const MOST_WAITING: usize = 256;

pub(super) fn spawn_writer(mut input: impl Write + Send + 'static) -> io::Result<Sender<String>> {
    let (sender, lines) = channel::<String>();
    threads::start(move || {
        for line in lines {
            if input
                .write_all(line.as_bytes())
                .and_then(|()| input.flush())
                .is_err()
            {
                return;
            }
        }
    })?;
    Ok(sender)
}

/// The lines of an output, as they come.
pub(super) fn spawn_line_reader(
    output: impl Read + Send + 'static,
) -> io::Result<Receiver<String>> {
    let (sender, lines) = sync_channel(MOST_WAITING);
    threads::start(move || for_each_line(output, |line| sender.send(line.to_owned()).is_ok()))?;
    Ok(lines)
}

pub(super) fn keep_tail(errors: impl Read, tail: &Mutex<VecDeque<String>>) {
    for_each_line(errors, |line| {
        let mut tail = locked(tail);
        if tail.len() == STDERR_LINES {
            tail.pop_front();
        }
        tail.push_back(line.chars().take(200).collect());
        true
    });
}

/// Calls `accept` with each line until that says no, or until the end. Very long lines come in
/// pieces.
pub fn for_each_line(input: impl Read, mut accept: impl FnMut(&str) -> bool) {
    let mut input = BufReader::new(input);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match input
            .by_ref()
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut bytes)
        {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        if !accept(&String::from_utf8_lossy(line)) {
            return;
        }
    }
}
