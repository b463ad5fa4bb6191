//! The loop around an engine: lines in, responses out, until `quit` or the end of the input.

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::engine::Engine;
use super::interrupt_flags::InterruptFlags;
use super::protocol::{Line, LineReader};
use crate::threads;

/// Lines read ahead of the command in progress: far more than a GUI sends, since an interrupt can
/// only be heard if all before it have been read.
const LINES_AHEAD: usize = 1 << 16;

/// How long the reader waits before it looks again whether lines have been dealt with.
const PATIENCE: Duration = Duration::from_millis(1);

/// Serves a controller. Input is read by a thread of its own, since lines may come while a
/// command runs and may interrupt it; after `quit` that thread is left behind, as it may be waiting for a line. An
/// input that fails ends the session like one that is over; an output that fails is an error.
///
/// After the end of the input the same thread calls `reader_is_gone`, which returns when it knows
/// whether anybody still reads the output. If nobody does, what is going on is broken off.
pub fn serve(
    engine: &mut Engine,
    input: impl BufRead + Send + 'static,
    mut output: impl Write + Send,
    reader_is_gone: impl FnOnce() -> bool + Send + 'static,
) -> io::Result<()> {
    let interrupt_flags = engine.interrupt_flags();
    let lines = read_ahead(input, engine.interrupt_flags(), reader_is_gone)?;
    while !engine.is_quit() {
        engine.ponder();
        let Ok((line, arrival)) = lines.recv() else {
            break;
        };
        interrupt_flags.take(&line);
        engine.answer_since(arrival, &line, &mut output)?;
    }
    engine.close(&mut output)
}

/// The lines, with the times at which they came.
fn read_ahead(
    input: impl BufRead + Send + 'static,
    interrupt_flags: Arc<InterruptFlags>,
    reader_is_gone: impl FnOnce() -> bool + Send + 'static,
) -> io::Result<Receiver<(Line, Instant)>> {
    let (sender, receiver) = channel();
    threads::start(move || {
        let mut reader = LineReader::new(input);
        while let Ok(Some(line)) = reader.next_line() {
            interrupt_flags.announce(&line);
            if sender.send((line, Instant::now())).is_err() {
                break;
            }
            while interrupt_flags.waiting() > LINES_AHEAD {
                thread::sleep(PATIENCE);
            }
        }
        // The end is news too.
        interrupt_flags.announce_end();
        drop(sender);
        if reader_is_gone() {
            interrupt_flags.abandon();
        }
    })?;
    Ok(receiver)
}
