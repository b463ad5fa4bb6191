//! The loop around an engine: lines in, responses out, until `quit` or the end of the input.

use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use super::engine::Engine;
use super::protocol::{Line, LineReader};

/// Lines read ahead of the command in progress: enough for a GUI that sends a whole game.
const LINES_AHEAD: usize = 1024;

/// Serves a controller. Input is read by a thread of its own, since lines may come while a
/// command runs; after `quit` that thread is left behind, as it may be waiting for a line. An
/// input that fails ends the session like one that is over; an output that fails is an error.
pub fn serve(
    engine: &mut Engine,
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
) -> io::Result<()> {
    for line in read_ahead(input) {
        if let Some(response) = engine.handle_line(&line) {
            output.write_all(response.as_bytes())?;
            output.flush()?;
        }
        if engine.is_quit() {
            break;
        }
    }
    Ok(())
}

fn read_ahead(input: impl BufRead + Send + 'static) -> Receiver<Line> {
    let (sender, receiver) = sync_channel(LINES_AHEAD);
    thread::spawn(move || {
        let mut reader = LineReader::new(input);
        while let Ok(Some(line)) = reader.next_line() {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}
