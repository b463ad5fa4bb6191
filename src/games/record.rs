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
    pub more: Vec<(String, String)>,
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

/// What a record has besides the position it begins with and the moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heading {
    /// What is written again.
    pub details: Details,
    /// The result as the record gives it: the point of the first side, of one.
    pub result: Option<f64>,
    /// What would be lost if the game were written again, in words.
    pub lost: Option<&'static str>,
}

impl Heading {
    /// Forgets what is no longer true when a move is made or taken back and only so many moves stay.
    pub fn keep(&mut self, moves: usize) {
        self.result = None;
        self.details.comments.truncate(moves);
        let more = &mut self.details.more;
        more.retain(|(name, _)| !OF_THE_END.contains(&name.as_str()));
    }
}

/// Tags about a game's end and length.
const OF_THE_END: [&str; 2] = ["Termination", "PlyCount"];
/// Tags that follow from position, moves and result.
const WRITTEN_ANYWAY: [&str; 5] = ["Result", "SetUp", "FEN", "GameType", "Variant"];

/// The seven tags that every record has, and those of `details`, with this result.
pub fn tags(result: &str, details: &Details) -> String {
    let more = || details.more.iter().map(|(tag, value)| (&**tag, &**value));
    let site_or_date = |name, default| {
        let found = more().find(|(tag, _)| *tag == name);
        found.unwrap_or((name, default))
    };
    let known = [
        ("Event", details.event.as_str()),
        site_or_date("Site", ""),
        site_or_date("Date", "????.??.??"),
        ("Round", &details.round),
        ("White", &details.white),
        ("Black", &details.black),
        ("Result", result),
    ];
    let more = more().filter(|(tag, _)| known.iter().all(|(its, _)| its != tag));
    let line = |(tag, value): (&str, &str)| {
        let value = if value.is_empty() { "?" } else { value };
        format!("[{tag} \"{}\"]\n", value.replace(['"', '\n'], "'"))
    };
    known.into_iter().chain(more).map(line).collect()
}

/// What a record consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// A tag: its name and its value as written, between the quotes.
    Tag(&'a str, &'a str),
    /// A comment in braces or to the end of a line, or a line of another program (`%`).
    Comment,
    /// A variation begins.
    Open,
    /// A variation ends.
    Close,
    /// A move, number, annotation or result.
    Word(&'a str),
}

/// The tokens of a record, each with the place where it begins.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

fn tokens(text: &str) -> Tokens<'_> {
    Tokens { text, at: 0 }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, Token<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.at..];
        let begin = self.at + rest.find(|letter: char| !letter.is_whitespace())?;
        let rest = &self.text[begin..];
        // Looked for where it matters: games may be one line.
        let line = || first_line(rest);
        let is_line_start = begin == 0 || self.text[..begin].ends_with('\n');
        let (length, token) = match rest.as_bytes()[0] {
            b'%' if is_line_start => (line().len(), Token::Comment),
            b';' => (line().len(), Token::Comment),
            b'{' => (
                rest.find('}').map_or(rest.len(), |end| end + 1),
                Token::Comment,
            ),
            b'(' => (1, Token::Open),
            b')' => (1, Token::Close),
            b'[' => {
                let (length, name, value) = read_tag(rest);
                (length, Token::Tag(name, value))
            }
            _ => {
                let ends = |letter: char| letter.is_whitespace() || "[{(;)".contains(letter);
                let length = rest.find(ends).unwrap_or(rest.len());
                (length, Token::Word(&rest[..length]))
            }
        };
        self.at = begin + length;
        Some((begin, token))
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The tag with which a text begins: its length, name and value as written. A tag that is not ended takes its line, up
/// to the last bracket if there is one.
fn read_tag(text: &str) -> (usize, &str, &str) {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let ends = |letter: char| {
        match letter {
            '\n' => return true,
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ']' if !is_quoted => return true,
            _ => {}
        }
        false
    };
    let end = text.find(ends).filter(|&end| text[end..].starts_with(']'));
    // Behind it the line has no bracket, so that it is looked through at most twice for such tags.
    let end = end.or_else(|| first_line(text).rfind(']'));
    let inner = end.map_or_else(|| &first_line(text)[1..], |end| &text[1..end]);
    let length = end.map_or(1 + inner.len(), |end| end + 1);
    let (name, value) = inner.split_once('"').unwrap_or((inner, ""));
    let value = value.rsplit_once('"').map_or(value, |(value, _)| value);
    (length, name.trim(), value)
}

/// The games of a file of records, each with its tags.
pub fn games(text: &str) -> Vec<&str> {
    let mut games = Vec::new();
    let (mut begin, mut has_moves) = (0, false);
    for (at, token) in tokens(text) {
        match token {
            Token::Tag(..) if has_moves => {
                games.push(&text[begin..at]);
                (begin, has_moves) = (at, false);
            }
            Token::Word(_) => has_moves = true,
            _ => {}
        }
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

/// Whether a text is a record in SGF.
pub fn is_sgf(text: &str) -> bool {
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    text.starts_with("(;")
}

/// The first game of a file of records. An error for a record in SGF.
pub fn first_game(text: &str) -> Result<&str> {
    ensure!(!is_sgf(text), "this is a record in SGF, as of Go or gomoku");
    Ok(games(text).first().unwrap_or(&text))
}

/// What the first game of a file of records has besides position and moves.
pub fn heading(text: &str) -> Heading {
    let games = games(text);
    let text = *games.first().unwrap_or(&text);
    let mut details = Details::default();
    for (_, token) in tokens(text) {
        let Token::Tag(name, value) = token else {
            continue;
        };
        let value = unescaped(value);
        match name {
            _ if value.is_empty() || value == "?" || WRITTEN_ANYWAY.contains(&name) => {}
            "Event" => details.event = value,
            "Round" => details.round = value,
            "White" => details.white = value,
            "Black" => details.black = value,
            _ => details.more.push((name.to_owned(), value)),
        }
    }
    let is_more = |token| match token {
        Token::Comment | Token::Open => true,
        Token::Word(word) => word.starts_with('$') || word.ends_with(['!', '?']),
        _ => false,
    };
    let has_more = games.len() > 1 || tokens(text).any(|(_, token)| is_more(token));
    Heading {
        details,
        result: result(text),
        lost: has_more.then_some("comments, annotations, variations or more games"),
    }
}

/// The result that a record gives, as the point of the first side.
fn result(text: &str) -> Option<f64> {
    let value = tag(text, "Result");
    let word = value.as_deref().or(move_words(text).last().copied());
    match word? {
        "1-0" | "2-0" => Some(1.0),
        "1/2-1/2" | "1/2" | "1-1" => Some(0.5),
        "0-1" | "0-2" => Some(0.0),
        _ => None,
    }
}

/// The value of a tag.
pub fn tag(text: &str, name: &str) -> Option<String> {
    tokens(text).find_map(|(_, token)| match token {
        Token::Tag(its_name, value) if its_name == name => Some(unescaped(value)),
        _ => None,
    })
}

/// A tag's value as it is meant.
fn unescaped(value: &str) -> String {
    value.replace("\\\"", "\"").replace("\\\\", "\\")
}

/// The words of the first game's moves, outside tags, comments and variations.
pub fn move_words(text: &str) -> Vec<&str> {
    let (mut words, mut depth) = (Vec::new(), 0_usize);
    for (_, token) in tokens(text) {
        match token {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            Token::Word(word) if depth == 0 => words.push(word),
            Token::Tag(..) if !words.is_empty() => break,
            _ => {}
        }
    }
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
        assert_eq!(tag(games[1], "White").as_deref(), Some("b"));
        assert_eq!(move_words(games[0]), ["1.", "e4", "1...", "e5", "*"]);
    }

    #[test]
    fn tags_may_share_a_line_and_hold_brackets_and_quotes() {
        let text = r#"[White "a [x]"] [Black "the \"b\""][Result "*"] 1. e4{x}(1. d4)e5 *
[Event "C:\"]
[Round "2"] 1. d4 *"#;
        let games = games(text);
        assert_eq!(games.len(), 2, "{games:?}");
        let value = |game: usize, name| tag(games[game], name).unwrap();
        assert_eq!(value(0, "White"), "a [x]");
        assert_eq!(value(0, "Black"), "the \"b\"");
        assert_eq!(move_words(games[0]), ["1.", "e4", "e5", "*"]);
        assert_eq!(
            (value(1, "Event"), value(1, "Round")),
            ("C:\\".into(), "2".into())
        );
        let is_lossless = |game: usize| heading(games[game]).lost.is_none();
        assert!(!is_lossless(0) && is_lossless(1));
    }

    #[test]
    fn tags_that_are_not_ended_take_their_line() {
        let text = "[Event \"a\r\n[Round \"1] x] 1. d4 [Site *\n[White \"b\"] e4\n";
        let value = |name| tag(text, name).unwrap();
        assert_eq!(value("Event"), "a");
        assert_eq!(value("Round"), "1] x");
        assert_eq!(value("White"), "b");
        assert_eq!(value("Site *"), "");
        assert_eq!(move_words(text), ["1.", "d4"]);
    }

    #[test]
    fn many_games_may_be_one_line() {
        let game = |number: u32| format!("[Event \"{number}\"][White \"a\"] 1. e4 e5 * ");
        let text: String = (0..5000).map(game).collect();
        let games = games(&text);
        assert_eq!(games.len(), 5000);
        assert_eq!(tag(games[4999], "Event").as_deref(), Some("4999"));
    }

    #[test]
    fn headings_keep_result_and_tags_until_a_move_is_made() {
        let text = "[Event \"?\"]\n[Site \"Riga\"]\n[Date \"1964.07.05\"]\n[White \"Tal\"]\n[Result \"1-0\"]\n\
                    [SetUp \"1\"]\n[ECO \"C97\"]\n[PlyCount \"1\"]\n\n1. e4 1-0\n";
        let mut heading = heading(text);
        assert_eq!((heading.result, heading.lost), (Some(1.0), None));
        let written = tags("1-0", &heading.details);
        let expected = "[Event \"?\"]\n[Site \"Riga\"]\n[Date \"1964.07.05\"]\n[Round \"?\"]\n[White \"Tal\"]\n\
                        [Black \"?\"]\n[Result \"1-0\"]\n[ECO \"C97\"]\n[PlyCount \"1\"]\n";
        assert_eq!(written, expected);
        heading.keep(1);
        assert_eq!(heading.result, None);
        assert!(!tags("*", &heading.details).contains("PlyCount"));
        // Results of draughts, and of records without tags.
        assert_eq!(super::heading("1. 32-28 1-1").result, Some(0.5));
        assert!(super::heading("1. e4! *").lost.is_some());
    }
}
