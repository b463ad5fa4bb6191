//! Values in brackets.

use std::iter::Peekable;
use std::str::Chars;

use crate::formats::sgf::write::escaped;

/// A value as it is read.
pub(super) struct Value {
    /// Unescaped; line breaks are `\n`, escaped ones are dropped.
    pub(super) text: String,
    /// The same with its escapes, unless they are those that `text` needs as a value.
    pub(super) raw: Option<String>,
    /// Whether it contains a name and an opening bracket.
    pub(super) runs_over: bool,
}

/// A value up to its closing bracket; none if there is none.
pub(super) fn value(chars: &mut Peekable<Chars<'_>>) -> Option<Value> {
    let (mut text, mut raw) = (String::new(), None);
    let mut runs_over = false;
    loop {
        let mut is_escaped = false;
        let c = match chars.next()? {
            ']' => {
                return Some(Value {
                    text,
                    raw,
                    runs_over,
                });
            }
            '\\' => match chars.next()? {
                c @ ('\r' | '\n') => {
                    skip_rest_of_break(c, chars);
                    continue;
                }
                c => {
                    is_escaped = true;
                    c
                }
            },
            c @ ('\r' | '\n') => {
                skip_rest_of_break(c, chars);
                '\n'
            }
            c => {
                runs_over |= c == '[' && text.ends_with(|c: char| c.is_ascii_uppercase());
                c
            }
        };
        if is_escaped && !matches!(c, ']' | '\\') {
            raw.get_or_insert_with(|| escaped(&text));
        }
        if let Some(raw) = &mut raw {
            raw.extend(is_escaped.then_some('\\'));
            raw.push(c);
        }
        text.push(c);
    }
}

/// A line break may be two characters, in either order.
fn skip_rest_of_break(first: char, chars: &mut Peekable<Chars<'_>>) {
    let second = if first == '\r' { '\n' } else { '\r' };
    chars.next_if_eq(&second);
}
