//! The thread that reads an engine's replies.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Instant;

use super::reply::{Reply, ReplyAssembler};
use crate::process::for_each_line;
use crate::threads;

/// Replies kept until somebody looks at them. One command is asked at a time, so the second is one
/// too many already; each may be large.
const MOST_WAITING: usize = 2;

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
