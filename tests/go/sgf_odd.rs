//! Unusual game records: the games read and remarks counted, or the error with its place.

use std::collections::BTreeMap;

use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, SHIFT_JIS};
use keima::formats::sgf::{self, ReadOptions, Reading};

fn read(bytes: &[u8]) -> anyhow::Result<Reading> {
    sgf::read(bytes, &ReadOptions::default())
}

/// Records of many kinds, with the expected results; control characters are shown as their
/// pictures.
const CASES: &str = include_str!("../data/odd_records.txt");

/// Komi, handicap, stones set up, moves, remarks; or why there is no game, or none that can be played.
fn seen(text: &str) -> String {
    let replayed = read(text.as_bytes()).and_then(|reading| {
        reading.record.position()?;
        Ok(reading)
    });
    match replayed {
        Ok(Reading {
            record, remarks, ..
        }) => {
            let (komi, stones) = (record.setup.komi, record.setup.stones.len());
            let (handicap, moves) = (record.handicap, record.moves.len());
            format!("{komi} {handicap} {stones} {moves} {}", remarks.len())
        }
        Err(error) => format!("{error:#}"),
    }
}

fn controls(text: &str) -> String {
    let text = text.replace('\u{240d}', "\r").replace('\u{240a}', "\n");
    text.replace('\u{2400}', "\0")
}

#[test]
fn odd_records_are_read_or_refused_with_place() {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut kind = "";
    for line in CASES.lines() {
        if let Some(name) = line.strip_prefix("# ") {
            kind = name;
            continue;
        }
        let (text, expected) = line.split_once('\t').unwrap();
        *kinds.entry(kind).or_default() += 1;
        let (seen, expected) = (seen(&controls(text)), controls(expected));
        let is_refused = expected.contains(|c: char| c.is_ascii_lowercase());
        let is_as_expected = match is_refused {
            true => seen.starts_with(&expected),
            false => seen == expected,
        };
        assert!(
            is_as_expected,
            "{kind}: {text}\n{seen}\nexpected: {expected}"
        );
    }
    assert!(kinds.len() >= 40);
    assert!(kinds.values().all(|&count| count >= 2), "{kinds:?}");
}

/// With and without `CA`, ending in a character whose second byte is that of a backslash.
#[test]
fn brackets_behind_double_byte_characters_close() {
    let cases: [(&str, &'static Encoding, &str); 8] = [
        ("Shift_JIS", SHIFT_JIS, "囲碁の対局ソ"),
        ("Shift_JIS", SHIFT_JIS, "表示"),
        ("Big5", BIG5, "圍棋的對局許功"),
        ("Big5", BIG5, "許功"),
        ("GBK", GBK, "围棋对局的记录\u{8a85}"),
        ("GBK", GBK, "棋\u{8a85}"),
        ("EUC-KR", EUC_KR, "바둑 기보"),
        ("EUC-KR", EUC_KR, "이세돌"),
    ];
    for (label, encoding, name) in cases {
        for stated in [format!("CA[{label}]"), String::new()] {
            let text = format!("(;{stated}SZ[9]PB[{name}]PW[{name}];B[aa]C[{name}];W[bb])");
            let (bytes, _, has_errors) = encoding.encode(&text);
            assert!(!has_errors, "{label}");
            let reading = read(&bytes).unwrap();
            assert_eq!(reading.record.moves.len(), 2, "{text}");
            if !stated.is_empty() {
                assert_eq!(reading.record.names.0[0].as_deref(), Some(name));
            }
        }
    }
}

#[test]
fn utf16_is_read_with_and_without_mark() {
    let text = "(;SZ[9]PB[囲碁];B[aa];W[bb])";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let marked = [&b"\xFE\xFF"[..], &big].concat();
    let other_marked = [&b"\xFF\xFE"[..], &little].concat();
    let narrow_marked = [&b"\xEF\xBB\xBF"[..], text.as_bytes()].concat();
    for bytes in [&little, &big, &marked, &other_marked, &narrow_marked] {
        assert_eq!(read(bytes).unwrap().record.moves.len(), 2);
    }
}

#[test]
fn overlapping_rectangles_are_read_once() {
    let text = format!("(;SZ[19]AB{}AE[aa];W[aa])", "[aa:ss]".repeat(30_000));
    assert!(read(text.as_bytes()).is_err());
    let text = format!("(;SZ[19]AB{};AE[aa];W[aa])", "[ab:ss]".repeat(30_000));
    assert_eq!(
        read(text.as_bytes()).unwrap().record.setup.stones.len(),
        342
    );
}
