//! Rules, and variants: a rule with a board.

use std::fmt;

use anyhow::{Context, Result, bail, ensure};

use crate::search::game::Side;

/// Smallest board of games of five in a row.
const SMALLEST: usize = 5;
/// Largest side of a board.
pub const LARGEST: usize = 25;
/// Side of the board where nothing else is said.
const DEFAULT_SIDE: usize = 15;

/// The color of a stone. Black moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    /// Moves first.
    Black,
    /// Moves second.
    White,
}

impl Color {
    /// Both, Black first.
    pub const BOTH: [Color; 2] = [Color::Black, Color::White];

    /// The opponent.
    pub fn other(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// As a side of a search: White is the first one, as at draughts.
    pub fn side(self) -> Side {
        match self {
            Color::White => Side::First,
            Color::Black => Side::Second,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::Black => "Black",
            Color::White => "White",
        })
    }
}

/// Which rows of stones win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wins {
    /// The length or more.
    AtLeast,
    /// The length exactly.
    Exactly,
    /// More than the length, or the length with at most one end stopped by an opponent's stone.
    Open,
    /// The length exactly, with at most one end stopped by an opponent's stone.
    OpenExactly,
}

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Five or more stones in a row win.
    Freestyle,
    /// Exactly five win.
    Standard,
    /// Black wins by exactly five and has forbidden points; White wins by five or more.
    Renju,
    /// Five with both ends stopped do not win, six or more do.
    Caro,
    /// Exactly five, not stopped at both ends.
    CaroExact,
    /// Three in a row, for tests of rules and searches.
    TicTacToe,
}

/// Rules with their names on the command line and their numbers in the Piskvork protocol.
const RULES: [(Rule, &str, Option<u32>); 6] = [
    (Rule::Freestyle, "freestyle", Some(0)),
    (Rule::Standard, "standard", Some(1)),
    (Rule::Renju, "renju", Some(4)),
    (Rule::Caro, "caro", Some(8)),
    (Rule::CaroExact, "caro-exact", Some(9)),
    (Rule::TicTacToe, "tictactoe", None),
];

impl Rule {
    /// Its name.
    pub fn name(self) -> &'static str {
        let found = RULES.iter().find(|(rule, ..)| *rule == self);
        found.map_or("", |(_, name, _)| name)
    }

    /// The names of all.
    pub fn names() -> [&'static str; 6] {
        RULES.map(|(_, name, _)| name)
    }

    /// The rule of a name; the error lists all names.
    pub fn named(name: &str) -> Result<Rule> {
        let found = RULES
            .iter()
            .find(|(_, its, _)| its.eq_ignore_ascii_case(name));
        let (rule, ..) = found.with_context(|| {
            let names = Rule::names().join(", ");
            format!("no rule '{name}'; there are {names}")
        })?;
        Ok(*rule)
    }

    /// Its number in the Piskvork protocol.
    pub fn number(self) -> Option<u32> {
        RULES.iter().find(|(rule, ..)| *rule == self)?.2
    }

    /// The rule of a number of the Piskvork protocol.
    pub fn numbered(number: u32) -> Option<Rule> {
        let found = RULES.iter().find(|(.., its)| *its == Some(number))?;
        Some(found.0)
    }

    /// How many stones in a row the game is about.
    pub fn length(self) -> usize {
        match self {
            Rule::TicTacToe => 3,
            _ => 5,
        }
    }

    /// Which rows win for a color.
    pub fn wins(self, color: Color) -> Wins {
        match (self, color) {
            (Rule::Standard, _) | (Rule::Renju, Color::Black) => Wins::Exactly,
            (Rule::Caro, _) => Wins::Open,
            (Rule::CaroExact, _) => Wins::OpenExactly,
            _ => Wins::AtLeast,
        }
    }

    /// Whether the color has forbidden points.
    pub fn restricts(self, color: Color) -> bool {
        self == Rule::Renju && color == Color::Black
    }

    /// Whether a row can also be stopped by stones beyond its ends.
    pub fn stops_beyond(self) -> bool {
        matches!(self, Rule::Caro | Rule::CaroExact)
    }
}

/// A rule and the size of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The rule.
    pub rule: Rule,
    /// Points in a row.
    pub width: usize,
    /// Points in a column.
    pub height: usize,
}

impl Variant {
    /// A rule on a board. An error if there is no such board.
    pub fn new(rule: Rule, width: usize, height: usize) -> Result<Variant> {
        let least = match rule {
            Rule::TicTacToe => rule.length(),
            _ => SMALLEST,
        };
        let sides = [width, height];
        ensure!(
            sides.iter().all(|side| (least..=LARGEST).contains(side)),
            "a board has {least} to {LARGEST} points a side, not {width}x{height}"
        );
        Ok(Variant {
            rule,
            width,
            height,
        })
    }

    /// Reads `renju`, `standard-19`, `caro-20x15` or `19`; the rule is freestyle, the side of the board 15 where the
    /// text does not say.
    pub fn named(text: Option<&str>) -> Result<Variant> {
        let text = text.unwrap_or_default().trim();
        let is_size = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        let (name, size) = match text.rsplit_once('-') {
            Some((name, size)) if is_size(size) => (name, size),
            _ if is_size(text) => ("", text),
            _ => (text, ""),
        };
        let rule = match name {
            "" => Rule::Freestyle,
            name => Rule::named(name)?,
        };
        if size.is_empty() {
            let side = match rule {
                Rule::TicTacToe => rule.length(),
                _ => DEFAULT_SIDE,
            };
            return Variant::new(rule, side, side);
        }
        let (width, height) = size.split_once('x').unwrap_or((size, size));
        let (Ok(width), Ok(height)) = (width.parse(), height.parse()) else {
            bail!("'{size}' is no size of a board: give 15, or 20x15");
        };
        Variant::new(rule, width, height)
    }

    /// Number of points.
    pub fn points(self) -> usize {
        self.width * self.height
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.rule.name(), self.width)?;
        match self.width == self.height {
            true => Ok(()),
            false => write!(f, "x{}", self.height),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_read_as_they_are_written() {
        for text in ["freestyle-15", "caro-exact-20x15", "renju-5", "tictactoe-3"] {
            assert_eq!(Variant::named(Some(text)).unwrap().to_string(), text);
        }
        for (text, whole) in [
            ("", "freestyle-15"),
            ("19", "freestyle-19"),
            ("Renju", "renju-15"),
        ] {
            assert_eq!(Variant::named(Some(text)).unwrap().to_string(), whole);
        }
        for text in [
            "renju-4",
            "26",
            "gomoku",
            "caro-20x",
            "15xx",
            "-",
            "0",
            "freestyle-99999999999999999999",
        ] {
            assert!(Variant::named(Some(text)).is_err(), "{text}");
        }
    }
}
