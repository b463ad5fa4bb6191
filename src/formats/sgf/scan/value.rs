//! Values in brackets.

use std::iter::Peekable;
use std::str::Chars;

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
    let (mut text, mut raw) = (String::new(), String::new());
    let (mut is_odd, mut runs_over) = (false, false);
    loop {
        match chars.next()? {
            ']' => {
                return Some(Value {
                    text,
                    raw: is_odd.then_some(raw),
                    runs_over,
                });
            }
            '\\' => match chars.next()? {
                c @ ('\r' | '\n') => skip_rest_of_break(c, chars),
                c => {
                    is_odd |= !matches!(c, ']' | '\\');
                    text.push(c);
                    raw.extend(['\\', c]);
                }
            },
            c @ ('\r' | '\n') => {
                skip_rest_of_break(c, chars);
                text.push('\n');
                raw.push('\n');
            }
            c => {
                runs_over |= c == '[' && text.ends_with(|c: char| c.is_ascii_uppercase());
                text.push(c);
                raw.push(c);
            }
        }
    }
}

/// A line break may be two characters, in either order.
fn skip_rest_of_break(first: char, chars: &mut Peekable<Chars<'_>>) {
    let second = if first == '\r' { '\n' } else { '\r' };
    chars.next_if_eq(&second);
}
