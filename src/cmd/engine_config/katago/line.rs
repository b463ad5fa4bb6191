//! Lines of KataGo's configuration files, as its `ConfigParser` reads them.

/// What a line says.
#[derive(Debug, PartialEq)]
pub enum Line<'a> {
    /// Nothing.
    Empty,
    /// That the file of this name is to be read, too.
    Include(&'a str),
    /// The value of a key.
    Setting(&'a str, String),
    /// Something else, without its comment.
    Unknown(&'a str),
}

impl Line<'_> {
    /// Reads a line.
    pub fn parse(line: &str) -> Line<'_> {
        let text = uncommented(line);
        if text.is_empty() {
            return Line::Empty;
        }
        if let Some(name) = included(text) {
            return Line::Include(name);
        }
        match line.split_once('=') {
            Some((key, value)) if !key.contains('#') => Line::Setting(key.trim(), unquoted(value)),
            _ => Line::Unknown(text),
        }
    }
}

/// A text up to a `#`.
fn uncommented(text: &str) -> &str {
    let text = text.split_once('#').map_or(text, |(text, _)| text);
    text.trim()
}

/// The name of the file that a line includes, after blanks or `=`, in quotes or not.
fn included(line: &str) -> Option<&str> {
    let is_between = |letter: char| letter.is_whitespace() || letter == '=';
    let rest = line.strip_prefix("@include")?.strip_prefix(is_between)?;
    let name = rest.trim_start_matches(is_between);
    let name = name.trim_matches('\'').trim_matches('"');
    (!name.is_empty()).then_some(name)
}

/// A value without its comment and double quotes.
fn unquoted(value: &str) -> String {
    quoted(value.trim_start()).unwrap_or_else(|| uncommented(value).to_owned())
}

/// What stands in double quotes, in which `#` begins no comment and `\` has the next character stand for itself; none
/// without quotes, or if more than a comment follows.
fn quoted(value: &str) -> Option<String> {
    let mut letters = value.strip_prefix('"')?.chars();
    let mut text = String::new();
    loop {
        match letters.next()? {
            '"' => break,
            '\\' => text.push(letters.next()?),
            letter => text.push(letter),
        }
    }
    uncommented(letters.as_str()).is_empty().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_quotes_are_taken_off() {
        for (line, expected) in [
            (r#" a = "x#y" # z"#, "x#y"),
            (r#"a=" x y ""#, " x y "),
            ("a = x y # \"z\"", "x y"),
            (r#"a = x "y#z""#, r#"x "y"#),
            (r##"a = "{\"b\": \"#\"}" # c"##, r##"{"b": "#"}"##),
            (r#"a = "x\\" # "y""#, r"x\"),
            ("a = 'x'", "'x'"),
            ("a =", ""),
            // KataGo stops.
            (r#"a = "x"#, r#""x"#),
            (r#"a = "x" y"#, r#""x" y"#),
        ] {
            let setting = Line::Setting("a", expected.to_owned());
            assert_eq!(Line::parse(line), setting, "{line}");
        }
        for line in ["", " \t", "# a = b"] {
            assert_eq!(Line::parse(line), Line::Empty, "{line}");
        }
        assert_eq!(Line::parse("a # b = c"), Line::Unknown("a"));
    }

    #[test]
    fn files_are_included_in_katagos_forms() {
        for line in [
            "@include b c.cfg",
            "@include 'b c.cfg' # d",
            "@include \"b c.cfg\"",
            "@include = b c.cfg",
            " @include=b c.cfg ",
        ] {
            assert_eq!(Line::parse(line), Line::Include("b c.cfg"), "{line}");
        }
        let other = "@includes b.cfg";
        assert_eq!(Line::parse(other), Line::Unknown(other));
        let nothing = Line::Setting("@include", String::new());
        assert_eq!(Line::parse("@include ="), nothing);
    }
}
