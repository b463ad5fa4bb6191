//! The words after a command's name, read as the protocol's types. A word that is missing or of
//! the wrong type makes the command fail with one of the protocol's usual texts.

use anyhow::{Context, Result, bail};

use super::protocol::Request;
use crate::go::{Color, Move};

/// The arguments of one command.
pub(super) struct Arguments<'a> {
    words: Vec<&'a str>,
    rest: &'a str,
}

impl<'a> Arguments<'a> {
    /// The arguments of a request.
    pub(super) fn of(request: &'a Request) -> Arguments<'a> {
        Arguments {
            words: request.arguments(),
            rest: &request.rest,
        }
    }

    /// All of them, separated at blanks.
    pub(super) fn words(&self) -> &[&'a str] {
        &self.words
    }

    /// Their number.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// All that follows the command's name.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// A word by place, from 0.
    pub(super) fn word(&self, place: usize) -> Result<&'a str> {
        self.words.get(place).copied().context("syntax error")
    }

    /// A color, abbreviated or not.
    pub(super) fn color(&self, place: usize) -> Result<Color> {
        self.word(place)?.parse().ok().context("invalid color")
    }

    /// A point or a pass; the point may be off the board.
    pub(super) fn vertex(&self, place: usize) -> Result<Move> {
        Ok(self.word(place)?.parse()?)
    }

    /// The color and the vertex at this and the next place.
    pub(super) fn colored_move(&self, place: usize) -> Result<(Color, Move)> {
        Ok((self.color(place)?, self.vertex(place + 1)?))
    }

    /// A whole number; one too large to keep is replaced by the largest.
    pub(super) fn integer(&self, place: usize) -> Result<i64> {
        integer(self.word(place)?)
    }

    /// A finite number.
    pub(super) fn number(&self, place: usize) -> Result<f64> {
        let number = self.word(place)?.parse().ok();
        number
            .filter(|number: &f64| number.is_finite())
            .context("syntax error")
    }
}

/// The whole number that a word is; one too large to keep is replaced by the largest.
pub(super) fn integer(word: &str) -> Result<i64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        bail!("syntax error");
    }
    let largest = if word.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    };
    Ok(word.parse().unwrap_or(largest))
}
