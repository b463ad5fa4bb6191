//! Reading the tokens and float blocks of an inflated network file.

use std::fmt::Display;
use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};

use super::{BINARY_MARK, Form};

/// Maximal length of a token; names in real files have at most a hundred characters.
pub const MAX_TOKEN: usize = 500;

/// A forward-only reader.
pub struct Tokens<'a> {
    bytes: &'a [u8],
    offset: usize,
    /// Encoding, known from the first float block on.
    form: Option<Form>,
    /// The last name read, for messages.
    layer: String,
}

impl<'a> Tokens<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Tokens<'a> {
        Tokens {
            bytes,
            offset: 0,
            form: None,
            layer: String::from("header"),
        }
    }

    /// The current place, for messages.
    pub fn place(&self) -> String {
        format!("at {:?}, byte {}", self.layer, self.offset)
    }

    /// The next token; `what` describes it in messages.
    pub fn word(&mut self, what: &str) -> Result<&'a str> {
        self.skip_blanks();
        let rest = &self.bytes[self.offset..];
        ensure!(!rest.is_empty(), "the file ends where {what} should be");
        let window = &rest[..rest.len().min(MAX_TOKEN + 1)];
        let len = window
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(window.len());
        ensure!(len <= MAX_TOKEN, "{what} is too long");
        let word = &rest[..len];
        ensure!(word.iter().all(u8::is_ascii_graphic), "{what} is not text");
        self.offset += len;
        str::from_utf8(word).context("not text")
    }

    /// A name, which later messages mention.
    pub fn name(&mut self) -> Result<String> {
        let name = self.word("a name")?.to_string();
        self.layer.clone_from(&name);
        Ok(name)
    }

    /// A number from `low` to `high`.
    pub fn number<T>(&mut self, what: &str, low: T, high: T) -> Result<T>
    where
        T: FromStr + PartialOrd + Display,
    {
        let word = self.word(what)?;
        match word.parse() {
            Ok(number) if low <= number && number <= high => Ok(number),
            _ => bail!("{what} is {word:?}, should be from {low} to {high}"),
        }
    }

    /// A flag written 0 or 1.
    pub fn flag(&mut self, what: &str) -> Result<bool> {
        Ok(self.number(what, 0, 1)? == 1)
    }

    /// Reserved fields: all must be 0.
    pub fn reserved(&mut self, count: usize) -> Result<()> {
        for _ in 0..count {
            let word = self.word("a reserved field")?;
            ensure!(
                word == "0",
                "a reserved field is {word:?}: a feature not known here"
            );
        }
        Ok(())
    }

    /// A positive finite number.
    pub fn positive(&mut self, what: &str) -> Result<f32> {
        self.number(what, f32::MIN_POSITIVE, f32::MAX)
    }

    /// A block of `count` finite floats.
    pub fn floats(&mut self, count: usize) -> Result<Vec<f32>> {
        self.skip_blanks();
        let rest = &self.bytes[self.offset..];
        let here = if rest.starts_with(BINARY_MARK) {
            Form::Binary
        } else {
            Form::Text
        };
        match *self.form.get_or_insert(here) {
            Form::Binary => self.binary_floats(count),
            Form::Text => self.text_floats(count),
        }
    }

    fn binary_floats(&mut self, count: usize) -> Result<Vec<f32>> {
        let rest = &self.bytes[self.offset..];
        let data = rest
            .strip_prefix(BINARY_MARK)
            .context("@BIN@ missing before weights")?;
        let len = count
            .checked_mul(size_of::<f32>())
            .context("too many weights")?;
        let data = data.get(..len).with_context(|| {
            format!(
                "the file ends in a block of {count} weights ({} bytes left)",
                data.len()
            )
        })?;
        let floats: Vec<f32> = data
            .as_chunks()
            .0
            .iter()
            .map(|&b| f32::from_le_bytes(b))
            .collect();
        if let Some(bad) = floats.iter().find(|float| !float.is_finite()) {
            bail!("a weight is {bad}");
        }
        self.offset += BINARY_MARK.len() + len;
        Ok(floats)
    }

    fn text_floats(&mut self, count: usize) -> Result<Vec<f32>> {
        // Each has at least a digit and, except for the last, a blank.
        let most = (self.bytes.len() - self.offset).div_ceil(2);
        ensure!(count <= most, "the file ends in a block of {count} weights");
        let mut floats = Vec::with_capacity(count);
        for _ in 0..count {
            floats.push(self.number("a weight", -f32::MAX, f32::MAX)?);
        }
        Ok(floats)
    }

    /// Checks that only blanks are left.
    pub fn end(&mut self) -> Result<()> {
        self.skip_blanks();
        let left = self.bytes.len() - self.offset;
        ensure!(left == 0, "{left} bytes after the last record");
        Ok(())
    }

    fn skip_blanks(&mut self) {
        let rest = &self.bytes[self.offset..];
        self.offset += rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
    }
}
