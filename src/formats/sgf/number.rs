//! Numbers in human-written text, with units and remarks around them.

use std::sync::LazyLock;

use regex::Regex;

/// A number found in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    /// The number.
    pub(super) value: f64,
    /// Whether the text has nothing else.
    pub(super) is_all: bool,
}

static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    let whole = r"(\d+(?:\.\d+)?|\.\d+)?";
    let fraction = r"(?:(½)|(¼)|(¾)|(?:又|\band\b)?\s*([1-9])/([1-9])(?:\D|$))?";
    let quotient = r"(\d{1,3})/([1-9])(?:\D|$)";
    let number = format!(r"([-+]?)(?:{quotient}|{whole}\s*{fraction})");
    Regex::new(&number).expect("the pattern is valid")
});

/// The first number of a text, with a decimal point or comma, in ASCII or full-width digits, also
/// with a fraction: `6½`, `3 3/4`, `3又3/4`, or one alone: `1/2`, `13/2`, or half a unit: `6目半`.
pub(super) fn number(text: &str) -> Option<Number> {
    let plain: String = text.trim().chars().map(narrow).collect();
    if let Ok(value) = plain.parse::<f64>() {
        return value.is_finite().then_some(Number {
            value,
            is_all: true,
        });
    }
    let has_number = |found: &regex::Captures| (2..=8).any(|group| found.get(group).is_some());
    let found = NUMBER.captures_iter(&plain).find(has_number)?;
    let number = |group: usize| found.get(group).and_then(|text| text.as_str().parse().ok());
    let fractions = [(5, 0.5), (6, 0.25), (7, 0.75)].into_iter();
    let fraction: f64 = fractions
        .filter(|&(group, _)| found.get(group).is_some())
        .map(|(_, value)| value)
        .sum();
    let quotient = |over: usize| number(over).unwrap_or(0.0) / number(over + 1).unwrap_or(1.0);
    let half = if plain.contains('半') { 0.5 } else { 0.0 };
    let size = number(4).unwrap_or(0.0) + fraction + quotient(2) + quotient(8) + half;
    let value = if &found[1] == "-" { -size } else { size };
    value.is_finite().then_some(Number {
        value,
        is_all: false,
    })
}

/// Converts full-width characters to ASCII, and commas to points.
fn narrow(c: char) -> char {
    let narrow = match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{2212}' => '-',
        c => c,
    };
    if narrow == ',' { '.' } else { narrow }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_texts() {
        let cases = [
            ("6.5", 6.5, true),
            (" 6,5 ", 6.5, true),
            ("６．５", 6.5, true),
            ("6.5目", 6.5, false),
            ("6目半", 6.5, false),
            ("6½ points", 6.5, false),
            ("3 3/4", 3.75, false),
            ("3又3/4子", 3.75, false),
            ("½", 0.5, false),
            ("1/2", 0.5, false),
            ("komi -13/2", -6.5, false),
            ("1/1/2024", 1.0, false),
            ("komi: -2.5", -2.5, false),
            ("White +7", 7.0, false),
        ];
        for (text, value, is_all) in cases {
            assert_eq!(number(text), Some(Number { value, is_all }), "{text}");
        }
        for text in [
            "",
            "none",
            "inf",
            "nan",
            "-",
            "1e999x".trim_start_matches("1e999"),
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
