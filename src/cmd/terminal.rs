//! Capabilities of standard output.

use std::env;

use console::Term;

/// Assumed columns if unknown.
const USUAL_COLUMNS: usize = 80;

/// Characters and colors available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// ASCII only.
    Plain,
    /// ANSI escapes for 256 colors, and some shapes.
    Colored,
}

impl Style {
    /// A bar with a length from 0 to 1 of this many characters.
    pub fn bar(self, length: f32, characters: f32) -> String {
        let symbol = match self {
            Style::Plain => "#",
            Style::Colored => "█",
        };
        symbol.repeat((length * characters).round() as usize)
    }
}

/// Properties of standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// How to draw on it.
    pub style: Style,
    /// Columns.
    pub columns: usize,
    /// Whether it shows more than ASCII, with or without colors.
    pub has_unicode: bool,
}

impl Terminal {
    /// Colors if it is a terminal that has them and `NO_COLOR` (<https://no-color.org>) is not
    /// set.
    pub fn of_stdout() -> Terminal {
        let stdout = Term::stdout();
        let unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let missing = env::var_os("TERM").is_none_or(|name| name == "dumb");
        let has_unicode = stdout.is_term() && !missing;
        let colored = has_unicode && !unwanted;
        let size = stdout.size_checked();
        Terminal {
            style: if colored {
                Style::Colored
            } else {
                Style::Plain
            },
            columns: size.map_or(USUAL_COLUMNS, |(_, columns)| columns.into()),
            has_unicode,
        }
    }
}
