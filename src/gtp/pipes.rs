//! The threads at an engine's pipes: one writes commands, one reads replies, one what it complains of.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::reply::{Reply, ReplyAssembler};
use crate::threads;

/// Longest line read in one piece, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 20;
/// Lines of stderr kept for messages.
const STDERR_LINES: usize = 8;
/// Replies kept until somebody looks at them. One command is asked at a time, so the second is one
/// too many already; each may be large.
const MOST_WAITING: usize = 2;

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

/// What the engine answers, as it comes. An engine that answers without being asked is
/// not read beyond [`MOST_WAITING`] replies: its pipe fills, not our memory.
pub(super) fn spawn_reader(
    output: impl Read + Send + 'static,
) -> io::Result<Receiver<(Reply, Instant)>> {
    let (sender, replies) = sync_channel(MOST_WAITING);
    threads::start(move || {
        let mut assembler = ReplyAssembler::default();
        for_each_line(output, |line| match assembler.push(line) {
            Some(reply) => sender.send((reply, Instant::now())).is_ok(),
            None => true,
        });
    })?;
    Ok(replies)
}

pub(super) fn keep_tail(errors: impl Read, tail: &Mutex<VecDeque<String>>) {
    for_each_line(errors, |line| {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        if tail.len() == STDERR_LINES {
            tail.pop_front();
        }
        tail.push_back(line.chars().take(200).collect());
        true
    });
}

/// Calls `accept` with each line until that says no, or until the end. Very long lines come in
/// pieces.
fn for_each_line(input: impl Read, mut accept: impl FnMut(&str) -> bool) {
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
