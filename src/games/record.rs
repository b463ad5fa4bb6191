//! Game records with tags in brackets and moves as words: what PGN and PDN have in common.

/// Longest line of moves, in characters.
const LINE: usize = 79;

/// The seven tags that every record has, with this result.
pub fn tags(result: &str) -> String {
    let mut text = String::new();
    for tag in ["Event", "Site", "Date", "Round", "White", "Black"] {
        let value = if tag == "Date" { "????.??.??" } else { "?" };
        text += &format!("[{tag} \"{value}\"]\n");
    }
    text + &format!("[Result \"{result}\"]\n")
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
