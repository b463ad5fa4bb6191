//! A response that is written line by line, while its command runs.

use std::io::{self, Write};

/// Where one response goes. After a failure nothing more is written.
pub(super) struct Stream<'a> {
    output: &'a mut (dyn Write + Send),
    id: Option<u32>,
    has_begun: bool,
    result: io::Result<()>,
}

impl<'a> Stream<'a> {
    /// A response to the request of this id that has not begun.
    pub(super) fn new(output: &'a mut (dyn Write + Send), id: Option<u32>) -> Stream<'a> {
        Stream {
            output,
            id,
            has_begun: false,
            result: Ok(()),
        }
    }

    /// Whether the request has been accepted.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Accepts the request.
    pub(super) fn begin(&mut self) {
        self.has_begun = true;
        let id = self.id.map(|id| id.to_string()).unwrap_or_default();
        self.line(&format!("={id}"));
    }

    /// Writes a line in one piece.
    pub(super) fn line(&mut self, line: &str) {
        if self.result.is_ok() {
            let bytes = format!("{line}\n");
            self.result = write(self.output, &bytes);
        }
    }

    /// Whether something could not be written.
    pub(super) fn is_broken(&self) -> bool {
        self.result.is_err()
    }

    /// Whether all could be written.
    pub(super) fn result(self) -> io::Result<()> {
        self.result
    }
}

/// Writes and flushes.
pub(super) fn write(output: &mut dyn Write, text: &str) -> io::Result<()> {
    output.write_all(text.as_bytes())?;
    output.flush()
}
