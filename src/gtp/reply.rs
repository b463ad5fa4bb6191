//! Responses as a controller reads them: id, success or failure, text.
//!
//! Engines are not trusted to frame well: lines before a response that do not begin with `=` or
//! `?` are skipped, as are extra empty lines; only HT and control characters are touched inside
//! the text, for a `#` in a response is data.

use super::protocol::Response;

/// Bytes of one response that are kept; more is read and dropped.
const MAX_TEXT_BYTES: usize = 1 << 24;

/// A response and the id it carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The number directly after `=` or `?`.
    pub id: Option<u32>,
    /// Success or failure; the text is trimmed.
    pub response: Response,
}

impl Reply {
    /// The first complete response in `text`, junk before it skipped; none if there is none.
    pub fn parse(text: &str) -> Option<Reply> {
        let mut assembler = ReplyAssembler::default();
        text.split_inclusive('\n').find_map(|line| {
            // A line without an end is not complete, so neither is a response that ends there.
            line.strip_suffix('\n')
                .and_then(|line| assembler.push(line))
        })
    }

    fn from_lines(lines: &str) -> Reply {
        let (status, rest) = lines.split_at(1);
        let digits_len = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, text) = rest.split_at(digits_len);
        let text = text.trim().to_owned();
        let response = if status == "=" {
            Response::Success(text)
        } else {
            Response::Failure(text)
        };
        Reply {
            id: digits.parse().ok(),
            response,
        }
    }
}

/// Puts replies together from lines.
#[derive(Default)]
pub struct ReplyAssembler {
    lines: String,
}

impl ReplyAssembler {
    /// Takes the next line, without its LF; gives the reply that it completes, if any.
    pub fn push(&mut self, line: &str) -> Option<Reply> {
        let line: String = line
            .chars()
            .filter(|&c| c == '\t' || !c.is_ascii_control())
            .collect();
        let line = line.replace('\t', " ");
        let is_inside = !self.lines.is_empty();
        if !is_inside && !line.starts_with(['=', '?']) {
            return None;
        }
        if is_inside && line.is_empty() {
            return Some(Reply::from_lines(&std::mem::take(&mut self.lines)));
        }
        if self.lines.len() + line.len() < MAX_TEXT_BYTES {
            self.lines.push_str(&line);
            self.lines.push('\n');
        }
        None
    }
}
