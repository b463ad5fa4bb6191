//! The lines that a person types, after a prompt at a terminal, and long answers in lines.

use std::io::{self, BufRead, IsTerminal};

use anyhow::{Context, Result};

use crate::console::{ask, say};
use crate::games::record::filled;
use crate::input_lines::{Line, next_line};

/// What stands before the prompt's mark when the game is over.
pub const OVER: &str = "game over";

/// What may be done with a game that its record calls over, although the board does not.
pub const PLAY_ON: &str = "resume plays on, undo takes moves back";

/// The lines of an input.
pub struct Lines<I> {
    input: I,
    has_prompt: bool,
}

impl<I: BufRead> Lines<I> {
    /// Of standard input, or what stands for it.
    pub fn new(input: I) -> Lines<I> {
        Lines {
            input,
            has_prompt: io::stdin().is_terminal(),
        }
    }

    /// The next line; none at the end of the input. `who` says whose line it is.
    pub fn next(&mut self, who: &str) -> Result<Option<Line>> {
        if self.has_prompt {
            ask(format_args!("{who}> "))?;
        }
        let line = next_line(&mut self.input).context("cannot read the input")?;
        if line.is_none() && self.has_prompt {
            say(format_args!(""))?;
        }
        Ok(line)
    }
}

/// A list with commas, in lines that fit a terminal.
pub fn listed(items: &[String]) -> String {
    let mut items: Vec<String> = items.iter().map(|item| format!("{item},")).collect();
    if let Some(last) = items.last_mut() {
        last.pop();
    }
    filled(&items).trim_end().to_owned()
}
