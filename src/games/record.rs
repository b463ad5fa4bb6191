//! Game records with tags in brackets and moves as words: what PGN and PDN have in common.

use anyhow::{Result, ensure};

/// Longest line of moves, in characters.
const LINE: usize = 79;

/// What a record tells besides moves and result; empty where unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The match.
    pub event: String,
    /// Number of the game in the match.
    pub round: String,
    /// The player of the white pieces.
    pub white: String,
    /// The player of the black pieces.
    pub black: String,
    /// Other tags: name and value.
    pub more: Vec<(&'static str, String)>,
    /// A comment on each move; empty for none. There may be fewer than moves.
    pub comments: Vec<String>,
}

impl Details {
    /// The comment on a move in braces, as words of the record.
    pub fn comment(&self, index: usize) -> Option<String> {
        let comment = self.comments.get(index).filter(|text| !text.is_empty())?;
        Some(format!("{{{}}}", comment.replace(['{', '}'], "'")))
    }
}

/// The seven tags that every record has, and those of `details`, with this result.
pub fn tags(result: &str, details: &Details) -> String {
    let known = [
        ("Event", details.event.as_str()),
        ("Site", ""),
        ("Date", "????.??.??"),
        ("Round", &details.round),
        ("White", &details.white),
        ("Black", &details.black),
        ("Result", result),
    ];
    let more = details
        .more
        .iter()
        .map(|(tag, value)| (*tag, value.as_str()));
    let line = |(tag, value): (&str, &str)| {
        let value = if value.is_empty() { "?" } else { value };
        format!("[{tag} \"{}\"]\n", value.replace(['"', '\n'], "'"))
    };
    known.into_iter().chain(more).map(line).collect()
}

/// The games of a file of records, each with its tags.
pub fn games(text: &str) -> Vec<&str> {
    let mut games = Vec::new();
    let (mut begin, mut at) = (0, 0);
    let (mut has_moves, mut is_comment) = (false, false);
    for line in text.split_inclusive('\n') {
        if !is_comment && line.starts_with('[') {
            if has_moves {
                games.push(&text[begin..at]);
                begin = at;
            }
            has_moves = false;
        } else if is_comment || !line.starts_with('%') {
            has_moves |= !line.trim().is_empty();
            for letter in line.chars() {
                match (is_comment, letter) {
                    // A comment to the end of the line may hold braces, comments in braces do not nest.
                    (false, ';') => break,
                    (false, '{') | (true, '}') => is_comment = !is_comment,
                    _ => {}
                }
            }
        }
        at += line.len();
    }
    if has_moves || begin == 0 && !text.trim().is_empty() {
        games.push(&text[begin..]);
    }
    games
}

/// Words in lines of a limited length.
pub fn filled(words: &[String]) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for word in words {
        if width > 0 && width + 1 + word.len() > LINE {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        width += word.len();
        text += word;
    }
    text.push('\n');
    text
}

/// The first game of a file of records, without what comes before its tags. An error for a record in SGF.
pub fn first_game(text: &str) -> Result<&str> {
    let is_sgf = text.trim_start().starts_with("(;");
    ensure!(!is_sgf, "this is a record in SGF, as of Go or gomoku");
    let has_words = |game: &&str| !move_words(game).is_empty();
    Ok(games(text).into_iter().find(has_words).unwrap_or(text))
}

/// Whether a record has comments or variations, or more games after the first.
pub fn has_more_than_moves(text: &str) -> bool {
    let is_more = |line: &str| !line.starts_with(['[', '%']) && line.contains(['{', ';', '(']);
    games(text).len() > 1 || text.lines().any(is_more)
}

/// The match and the players that a record's tags name.
pub fn players(text: &str) -> Details {
    let value = |name| tag(text, name).filter(|value| *value != "?");
    let value = |name| value(name).unwrap_or_default().to_owned();
    Details {
        event: value("Event"),
        round: value("Round"),
        white: value("White"),
        black: value("Black"),
        ..Details::default()
    }
}

/// The value of a tag.
pub fn tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let tag = line.trim().strip_prefix('[')?.strip_suffix(']')?;
        let (its_name, value) = tag.split_once(' ')?;
        let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
        (its_name == name).then_some(value)
    })
}

/// The words of the first game's moves, outside tags, comments and variations.
pub fn move_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut comment, mut depth, mut has_moves) = (None, 0, false);
    for line in text.lines() {
        if comment.is_none() && (line.starts_with('[') || line.starts_with('%')) {
            if has_moves && line.starts_with('[') {
                break;
            }
            continue;
        }
        for letter in line.chars().chain(['\n']) {
            match (comment, letter) {
                (Some(end), _) if end == letter => comment = None,
                (Some(_), _) => {}
                (None, '{') => comment = Some('}'),
                (None, ';') => comment = Some('\n'),
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                _ if depth > 0 => {}
                _ if letter.is_whitespace() => words.push(String::new()),
                _ => {
                    has_moves = true;
                    if let Some(word) = words.last_mut() {
                        word.push(letter);
                    }
                }
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_in_comments_to_the_end_of_a_line_begin_nothing() {
        let text = "[White \"a\"]\n\n1. e4 ; an open { brace\n1... e5 {of two\n[lines]} *\n\n[White \"b\"]\n\n1. d4 *\n";
        let games = games(text);
        assert_eq!(games.len(), 2, "{games:?}");
        assert_eq!(tag(games[1], "White"), Some("b"));
        assert_eq!(move_words(games[0]), ["1.", "e4", "1...", "e5", "*"]);
    }
}
