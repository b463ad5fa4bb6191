//! The wire: GTP version 2 lines to requests, answers to responses. No engine, no threads.
//!
//! Bytes come in and need not be text; whatever arrives, reading gives one [`Line`] per input
//! line and every answer is framed as the protocol demands: `=` or `?`, the id without a space,
//! one space, the text, and exactly one empty line, which never occurs inside a response.
//! Command names are case-sensitive. What lenient readers of the wild do beyond the draft
//! (ids glued to the name, negative ids ignored) is done here as GNU Go does it.

use std::io::{self, BufRead, ErrorKind};

/// Longest line kept, in bytes after preprocessing; the rest is read and dropped.
pub const MAX_LINE_BYTES: usize = 1 << 20;
/// Largest request id; larger ones are clipped to it.
pub const MAX_ID: u32 = i32::MAX as u32;

/// A command as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// To be echoed in the response, on failure too. At most [`MAX_ID`].
    pub id: Option<u32>,
    /// The command's name, never empty. Bytes that are not UTF-8 are replaced.
    pub name: String,
    /// All that follows the name, without blanks at both ends: for commands that take the whole
    /// rest of the line.
    pub rest: String,
}

impl Request {
    /// The arguments: the words of [`Request::rest`].
    pub fn arguments(&self) -> Vec<&str> {
        self.rest.split_ascii_whitespace().collect()
    }
}

/// What one input line says. A running analysis ends on any of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A command to be answered.
    Request(Request),
    /// Blank, a comment, or an id without a command: no answer.
    Nothing,
    /// The comment `# interrupt`: no answer, but a running `genmove` should come to an end.
    Interrupt,
    /// More than [`MAX_LINE_BYTES`]: to be answered with a failure.
    TooLong {
        /// The id the line began with.
        id: Option<u32>,
    },
}

impl Line {
    /// The line in these bytes, with or without a line end; everything after the first LF is
    /// ignored.
    pub fn parse(bytes: &[u8]) -> Line {
        let mut reader = LineReader::new(bytes);
        let line = reader.next_line().expect("reading from memory cannot fail");
        line.unwrap_or(Line::Nothing)
    }
}

/// Cuts a byte stream into [`Line`]s, using bounded memory.
pub struct LineReader<R> {
    input: R,
    cleaner: Cleaner,
    /// Whether nothing has been read yet, so that a byte-order mark may come.
    is_at_start: bool,
}

impl<R: BufRead> LineReader<R> {
    /// Reads from `input`, best its own thread's, as lines may come while a command runs.
    pub fn new(input: R) -> LineReader<R> {
        LineReader {
            input,
            cleaner: Cleaner::default(),
            is_at_start: true,
        }
    }

    /// The next line, or none at the end of the input. A last line without LF counts.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        self.cleaner.clear();
        let mut has_read = false;
        loop {
            let bytes = match self.input.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if bytes.is_empty() {
                return Ok(has_read.then(|| self.line()));
            }
            has_read = true;
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let line_bytes = &bytes[..end.unwrap_or(bytes.len())];
            line_bytes.iter().for_each(|&byte| self.cleaner.push(byte));
            let used = line_bytes.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                return Ok(Some(self.line()));
            }
        }
    }

    fn line(&mut self) -> Line {
        if std::mem::take(&mut self.is_at_start) {
            self.cleaner.drop_byte_order_mark();
        }
        self.cleaner.line()
    }
}

/// Preprocessing of one line, byte by byte (draft section 3.1): control characters go, a comment
/// goes, HT becomes a space. Leading blanks go as well, so that they use no memory.
#[derive(Default)]
struct Cleaner {
    kept: Vec<u8>,
    comment: Option<Vec<u8>>,
    is_too_long: bool,
}

impl Cleaner {
    /// Longest comment looked at; it need only hold `interrupt`.
    const MAX_COMMENT_BYTES: usize = 64;

    fn clear(&mut self) {
        self.kept.clear();
        self.comment = None;
        self.is_too_long = false;
    }

    fn push(&mut self, byte: u8) {
        let byte = match byte {
            b'\t' => b' ',
            byte if byte.is_ascii_control() => return,
            byte => byte,
        };
        match &mut self.comment {
            Some(comment) if comment.len() < Self::MAX_COMMENT_BYTES => comment.push(byte),
            Some(_) => {}
            None if byte == b'#' => self.comment = Some(Vec::new()),
            None if byte == b' ' && self.kept.is_empty() => {}
            None if self.kept.len() < MAX_LINE_BYTES => self.kept.push(byte),
            None => self.is_too_long |= byte != b' ',
        }
    }

    /// Editors on Windows begin files with a mark that is not part of the first line.
    fn drop_byte_order_mark(&mut self) {
        if let Some(rest) = self.kept.strip_prefix(b"\xef\xbb\xbf") {
            self.kept = rest.trim_ascii_start().to_vec();
        }
    }

    fn line(&self) -> Line {
        let (id, command) = split_id(&self.kept);
        if self.is_too_long {
            return Line::TooLong { id };
        }
        let command = String::from_utf8_lossy(command);
        let command = command.trim_matches(' ');
        if command.is_empty() {
            let comment = self.comment.as_deref().unwrap_or_default();
            let is_interrupt = comment.trim_ascii() == b"interrupt";
            return if is_interrupt {
                Line::Interrupt
            } else {
                Line::Nothing
            };
        }
        let (name, rest) = command.split_once(' ').unwrap_or((command, ""));
        Line::Request(Request {
            id,
            name: name.to_owned(),
            rest: rest.trim_matches(' ').to_owned(),
        })
    }
}

/// Takes the id off a line without leading blanks: digits up to a blank, a letter or the end. A
/// negative number is taken off too, but is no id.
fn split_id(line: &[u8]) -> (Option<u32>, &[u8]) {
    let sign_len = usize::from(line.first() == Some(&b'-'));
    let digits_len = line[sign_len..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (number, command) = line.split_at(sign_len + digits_len);
    let ends_well = command
        .first()
        .is_none_or(|&byte| byte == b' ' || byte.is_ascii_alphabetic());
    if digits_len == 0 || !ends_well {
        return (None, line);
    }
    let clipped = number[sign_len..].iter().fold(0u64, |id, digit| {
        (id * 10 + u64::from(digit - b'0')).min(u64::from(MAX_ID))
    });
    ((sign_len == 0).then_some(clipped as u32), command)
}

/// The answer to a request, before it is framed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// The result, possibly of several lines, possibly empty.
    Success(String),
    /// The message.
    Failure(String),
}

impl Response {
    /// A result.
    pub fn success(text: impl Into<String>) -> Response {
        Response::Success(text.into())
    }

    /// An error message.
    pub fn failure(message: impl Into<String>) -> Response {
        Response::Failure(message.into())
    }

    /// Whether it is a result.
    pub fn is_success(&self) -> bool {
        matches!(self, Response::Success(_))
    }

    /// The result or the message.
    pub fn text(&self) -> &str {
        match self {
            Response::Success(text) | Response::Failure(text) => text,
        }
    }

    /// The bytes to send, including the empty line at the end. Inside the text HT becomes a
    /// space; other control characters, blanks at line ends, before the first line, and blank lines
    /// are removed. Only the first line, which shares its line with the `=`, may be empty.
    pub fn framed(&self, id: Option<u32>) -> String {
        let mut framed = String::from(if self.is_success() { "=" } else { "?" });
        if let Some(id) = id {
            framed.push_str(&id.to_string());
        }
        framed.push(' ');
        for (index, line) in self.text().split('\n').map(clean).enumerate() {
            if index == 0 {
                framed.push_str(line.trim_start());
            } else if !line.is_empty() {
                framed.push('\n');
                framed.push_str(&line);
            }
        }
        framed.push_str("\n\n");
        framed
    }
}

/// One line of a response without what would disturb a reader.
fn clean(line: &str) -> String {
    let kept = line.chars().filter(|&c| c == '\t' || !c.is_control());
    let text: String = kept.map(|c| if c == '\t' { ' ' } else { c }).collect();
    text.trim_end().to_owned()
}
