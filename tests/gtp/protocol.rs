//! The wire format, byte for byte: parsing of commands, and framing of answers.

use std::cell::Cell;
use std::io::{self, BufReader, Read};

use keima::gtp::protocol::{Line, LineReader, MAX_ID, MAX_LINE_BYTES, Request, Response};
use proptest::prelude::*;

use crate::cases::cases;

fn request(id: Option<u32>, name: &str, rest: &str) -> Line {
    Line::Request(Request {
        id,
        name: name.to_owned(),
        rest: rest.to_owned(),
    })
}

fn lines(bytes: impl Read) -> Vec<Line> {
    let mut reader = LineReader::new(BufReader::with_capacity(7, bytes));
    std::iter::from_fn(|| reader.next_line().unwrap()).collect()
}

#[test]
fn preprocessing() {
    let cases: [(&[u8], Line); 16] = [
        (b"name", request(None, "name", "")),
        (b"\t name", request(None, "name", "")),
        (b"name\r\n", request(None, "name", "")),
        (b"na\x07me", request(None, "name", "")),
        (b"na\x7fm\x00e", request(None, "name", "")),
        (b"# only comment", Line::Nothing),
        (b"   # only comment", Line::Nothing),
        (b"play b d4 # x", request(None, "play", "b d4")),
        (b"play b d4#x", request(None, "play", "b d4")),
        (b"play\tb  \t d4\t", request(None, "play", "b    d4")),
        (b"12\tname", request(Some(12), "name", "")),
        (b"", Line::Nothing),
        (b"\r\n", Line::Nothing),
        (b" \t \r\n", Line::Nothing),
        (b"\x01\x02\n", Line::Nothing),
        (b"NAME", request(None, "NAME", "")),
    ];
    for (bytes, expected) in cases {
        assert_eq!(
            Line::parse(bytes),
            expected,
            "{:?}",
            bytes.escape_ascii().to_string()
        );
    }
}

#[test]
fn ids() {
    let cases = [
        ("1 name", request(Some(1), "name", "")),
        ("0 name", request(Some(0), "name", "")),
        ("007 name", request(Some(7), "name", "")),
        ("13name", request(Some(13), "name", "")),
        ("13play b d4", request(Some(13), "play", "b d4")),
        ("2147483647 name", request(Some(MAX_ID), "name", "")),
        ("2147483648 name", request(Some(MAX_ID), "name", "")),
        (
            "99999999999999999999999999 name",
            request(Some(MAX_ID), "name", ""),
        ),
        ("-1 name", request(None, "name", "")),
        ("12", Line::Nothing),
        ("12 # name", Line::Nothing),
        ("-12", Line::Nothing),
        ("1 2 name", request(Some(1), "2", "name")),
        ("1.5 name", request(None, "1.5", "name")),
        ("-", request(None, "-", "")),
    ];
    for (text, expected) in cases {
        assert_eq!(Line::parse(text.as_bytes()), expected, "{text:?}");
    }
}

#[test]
fn arguments_are_words_and_the_rest_is_kept() {
    let line = Line::parse(b"5 kata-set-rules  {\"ko\": \"SIMPLE\"}  \r\n");
    let Line::Request(request) = line else {
        panic!("not a request: {line:?}")
    };
    assert_eq!(request.rest, "{\"ko\": \"SIMPLE\"}");
    assert_eq!(request.arguments(), ["{\"ko\":", "\"SIMPLE\"}"]);
    let no_arguments = Request {
        id: None,
        name: "name".to_owned(),
        rest: String::new(),
    };
    assert!(no_arguments.arguments().is_empty());
}

#[test]
fn a_byte_order_mark_is_skipped_at_the_beginning_only() {
    let marked = b"\xef\xbb\xbf12 name\n\xef\xbb\xbfname\n";
    let expected = [
        request(Some(12), "name", ""),
        request(None, "\u{feff}name", ""),
    ];
    assert_eq!(lines(&marked[..]), expected);
    assert_eq!(lines(&b"\xef\xbb\xbf# interrupt\n"[..]), [Line::Interrupt]);
    assert_eq!(
        lines(&b"\xef\xbb\xbf 3 quit"[..]),
        [request(Some(3), "quit", "")]
    );
}

#[test]
fn interrupt_is_a_comment() {
    assert_eq!(Line::parse(b"# interrupt\n"), Line::Interrupt);
    assert_eq!(Line::parse(b"\t#interrupt \r\n"), Line::Interrupt);
    assert_eq!(Line::parse(b"# interrupted\n"), Line::Nothing);
    assert_eq!(
        Line::parse(b"name # interrupt\n"),
        request(None, "name", "")
    );
}

#[test]
fn lines_end_with_lf_and_the_last_one_need_not() {
    let expected = vec![
        request(None, "name", ""),
        Line::Nothing,
        request(Some(2), "version", ""),
    ];
    assert_eq!(lines("name\r\n\r\n2 version".as_bytes()), expected);
    assert_eq!(lines("name\n\n2 version\n".as_bytes()), expected);
    // CR alone ends no line.
    assert_eq!(lines("na\rme\n".as_bytes()), [request(None, "name", "")]);
    assert_eq!(lines("".as_bytes()), []);
}

#[test]
fn binary_bytes_are_an_unknown_command() {
    let found = lines(&b"\xff\xfe\x80 \xc3\n3 play b \xe9\nname\n"[..]);
    let [Line::Request(first), Line::Request(second), third] = &found[..] else {
        panic!("three commands: {found:?}")
    };
    assert_eq!((first.id, first.arguments().len()), (None, 1));
    assert_eq!((second.id, second.name.as_str()), (Some(3), "play"));
    assert_eq!(third, &request(None, "name", ""));
}

#[test]
fn very_long_lines_fail_and_the_next_one_is_intact() {
    let long = io::repeat(b'a').take(3 * MAX_LINE_BYTES as u64);
    let found = lines((&b"7 "[..]).chain(long).chain(&b" x\nname\n"[..]));
    assert_eq!(
        found,
        [Line::TooLong { id: Some(7) }, request(None, "name", "")]
    );
}

#[test]
fn long_blanks_controls_and_comments_are_not_too_long() {
    for filler in [b' ', b'\t', 0, b'\r'] {
        let long = || io::repeat(filler).take(2 * MAX_LINE_BYTES as u64);
        let found = lines(long().chain(&b"name"[..]).chain(long()).chain(&b"\n"[..]));
        assert_eq!(found, [request(None, "name", "")], "{filler}");
    }
    let comment = io::repeat(b'c').take(2 * MAX_LINE_BYTES as u64);
    assert_eq!(
        lines((&b"name #"[..]).chain(comment)),
        [request(None, "name", "")]
    );
}

#[test]
fn framing() {
    let success = |text: &str, id| Response::success(text).framed(id);
    assert_eq!(success("", None), "= \n\n");
    assert_eq!(success("", Some(7)), "=7 \n\n");
    assert_eq!(success("Q16", None), "= Q16\n\n");
    assert_eq!(success("a\nb\n", Some(0)), "=0 a\nb\n\n");
    assert_eq!(
        Response::failure("illegal move").framed(None),
        "? illegal move\n\n"
    );
    assert_eq!(
        Response::failure("unknown command").framed(Some(3)),
        "?3 unknown command\n\n"
    );
    assert_eq!(Response::failure("").framed(None), "? \n\n");
}

#[test]
fn text_cannot_break_the_framing() {
    let success = |text: &str| Response::success(text).framed(None);
    // A diagram may begin on the line after the `=`, and keeps its indentation there.
    assert_eq!(
        success("\n   A B\n 2 . .\n\n 1 . .\n\n"),
        "= \n   A B\n 2 . .\n 1 . .\n\n"
    );
    assert_eq!(success("  a  \r\n\t\r\n\tb\tc\r"), "= a\n b c\n\n");
    assert_eq!(success("\n\n\n"), "= \n\n");
    assert_eq!(success("a\x07\x0bb\x1b"), "= ab\n\n");
    assert_eq!(success("# kept"), "= # kept\n\n");
    assert_eq!(success("圍棋"), "= 圍棋\n\n");
}

/// Bytes with many of those that matter.
fn junk() -> impl Strategy<Value = Vec<u8>> {
    let special = prop::sample::select(b"\n\n\r\t #-=?0179aZ\x00\x7f\x80\xff".to_vec());
    prop::collection::vec(prop_oneof![3 => special, 1 => any::<u8>()], 0..200)
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn junk_gives_one_line_per_lf(bytes in junk()) {
        let ends = bytes.iter().filter(|&&byte| byte == b'\n').count();
        let has_rest = bytes.last().is_some_and(|&byte| byte != b'\n');
        let found = lines(&bytes[..]);
        prop_assert_eq!(found.len(), ends + usize::from(has_rest));
        for line in found {
            let Line::Request(request) = line else { continue };
            prop_assert!(!request.name.is_empty());
            let text = format!("{} {}", request.name, request.rest);
            prop_assert!(!text.contains('#'));
            prop_assert!(!text.bytes().any(|byte| byte.is_ascii_control()));
            prop_assert!(request.arguments().iter().all(|word| !word.is_empty()));
        }
    }

    #[test]
    fn any_text_is_framed(bytes in junk(), id in any::<Option<u32>>(), succeeds: bool) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let response = if succeeds { Response::success(text) } else { Response::failure(text) };
        let framed = response.framed(id);
        let prefix = format!("{}{} ", if succeeds { '=' } else { '?' },
            id.map(|id| id.to_string()).unwrap_or_default());
        prop_assert!(framed.starts_with(&prefix));
        prop_assert!(framed.ends_with("\n\n"));
        prop_assert_eq!(framed.find("\n\n"), Some(framed.len() - 2));
        prop_assert!(!framed.bytes().any(|byte| byte != b'\n' && byte.is_ascii_control()));
    }
}

#[test]
fn cleaning_is_idempotent() {
    let cleaned = Cell::new(0);
    proptest!(cases(256), |(bytes in junk())| {
        let Line::Request(request) = Line::parse(&bytes) else { return Ok(()) };
        let again = format!("{} {}", request.name, request.rest);
        if !request.name.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            let id = None;
            prop_assert_eq!(Line::parse(again.as_bytes()), Line::Request(Request { id, ..request }));
            cleaned.set(cleaned.get() + 1);
        }
    });
    assert!(cleaned.get() > 64, "{} requests", cleaned.get());
}
