//! Lines of the Hub protocol: a word, then arguments `name=value`, with values in quotes where they are empty or
//! contain blanks.

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HubLine {
    /// The first word; empty for an empty line.
    pub name: String,
    arguments: Vec<(String, String)>,
}

impl HubLine {
    /// Reads a line; quotes that are not closed end with it.
    pub fn parse(line: &str) -> HubLine {
        let mut words = Words(line.trim()).peekable();
        let name = words.next().map(|(name, _)| name).unwrap_or_default();
        let arguments = words.map(|(name, value)| (name, value.unwrap_or_default()));
        HubLine {
            name,
            arguments: arguments.collect(),
        }
    }

    /// The value of an argument; empty for one without a value.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.arguments.iter().find(|(its_name, _)| its_name == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Whether an argument is there, as a name alone or with a value.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

/// Names, each with its value if it has one.
struct Words<'a>(&'a str);

impl Iterator for Words<'_> {
    type Item = (String, Option<String>);

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.0.trim_start();
        if text.is_empty() {
            return None;
        }
        let end = text.find(|c: char| c.is_whitespace() || c == '=');
        let (name, rest) = text.split_at(end.unwrap_or(text.len()));
        let Some(value) = rest.strip_prefix('=') else {
            self.0 = rest;
            return Some((name.to_owned(), None));
        };
        let (value, rest) = match value.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
        };
        self.0 = rest;
        Some((name.to_owned(), Some(value.to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_values_in_quotes_or_without() {
        let command =
            HubLine::parse("pos pos=Wbb  moves=\"32-28 17-22\" x=\"\" infinite =y a=\"open");
        assert_eq!(command.name, "pos");
        assert_eq!(command.get("pos"), Some("Wbb"));
        assert_eq!(command.get("moves"), Some("32-28 17-22"));
        assert_eq!(
            (command.get("x"), command.get("infinite")),
            (Some(""), Some(""))
        );
        assert_eq!((command.get("a"), command.get("y")), (Some("open"), None));
        assert_eq!(HubLine::parse("  \r"), HubLine::default());
    }
}
