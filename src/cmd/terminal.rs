//! Capabilities of standard output.

use std::env;

use console::Term;

/// Assumed columns if unknown.
const USUAL_COLUMNS: usize = 80;

/// Variables that name the locale of characters; the first that is not empty counts.
const LOCALES: [&str; 3] = ["LC_ALL", "LC_CTYPE", "LANG"];

/// Characters and colors available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// ASCII only.
    Plain,
    /// ANSI escapes for 256 colors, and some shapes of Unicode.
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
    /// More than ASCII if it is a terminal whose locale has it, and then colors unless `NO_COLOR`
    /// (<https://no-color.org>) is set. The size is that of now.
    pub fn of_stdout() -> Terminal {
        let stdout = Term::stdout();
        let unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        // Windows knows no such variable.
        let missing = env::var_os("TERM").map_or(cfg!(unix), |name| name == "dumb");
        let has_unicode = stdout.is_term() && !missing && has_unicode_locale();
        // Asking Windows makes its console understand colors.
        let colored =
            has_unicode && !unwanted && (cfg!(unix) || stdout.features().colors_supported());
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

/// Whether the characters of the locale are those of Unicode. Terminals of Windows and macOS have them whatever these
/// variables say.
fn has_unicode_locale() -> bool {
    let value = |name: &str| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    cfg!(any(windows, target_os = "macos")) || is_utf8(&LOCALES.map(value))
}

/// Whether the first locale that is not empty is one of UTF-8, as `de_DE.UTF-8` and `C.utf8` are. Where none is set, as
/// in containers, the terminal is taken for one of today.
fn is_utf8(locales: &[Option<String>]) -> bool {
    let named = locales.iter().flatten().find(|name| !name.is_empty());
    named.is_none_or(|name| {
        let name = name.to_ascii_lowercase().replace('-', "");
        name.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_locale_that_is_named_counts() {
        let unicode = |locales: [&str; 3]| {
            let value = |name: &str| (name != "unset").then(|| name.to_owned());
            is_utf8(&locales.map(value))
        };
        assert!(unicode(["unset", "unset", "de_DE.UTF-8"]));
        assert!(unicode(["", "C.utf8", "C"]));
        assert!(unicode(["en_US.Utf8@euro", "C", "C"]));
        assert!(!unicode(["C", "C.UTF-8", "C.UTF-8"]));
        assert!(!unicode(["unset", "ja_JP.eucJP", "C.UTF-8"]));
        assert!(unicode(["unset", "", "unset"]));
    }
}
