//! From the bytes of a file to its text.
//!
//! In Shift-JIS, Big5 and GBK the second byte of a character may be that of `\`, which would escape
//! the following bracket. So bytes are decoded before parsing.

mod common_characters;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, EUC_KR, Encoding, GBK, ISO_2022_JP, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252,
};

/// Multi-byte encodings of old files.
const DOUBLE_BYTE: [&Encoding; 4] = [SHIFT_JIS, GBK, BIG5, EUC_KR];
/// Names in `CA` that the Encoding Standard does not list.
const OTHER_LABELS: [(&str, &Encoding); 7] = [
    ("cp932", SHIFT_JIS),
    ("cp936", GBK),
    ("ms936", GBK),
    ("cp949", EUC_KR),
    ("ms949", EUC_KR),
    ("cp950", BIG5),
    ("ms950", BIG5),
];

/// Possible texts of the bytes, the most likely first; only one if there is no doubt. Lossy
/// decodings are left out, unless all are lossy, or the stated encoding fails at few characters:
/// programs cut long comments in the middle of one.
pub(super) fn texts(bytes: &[u8]) -> Vec<Cow<'_, str>> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return vec![decoded(encoding, &bytes[mark..]).0];
    }
    if let Some(encoding) = wide(bytes) {
        return vec![decoded(encoding, bytes).0];
    }
    // ISO-2022-JP has seven bits per byte.
    let has_shifts = bytes.is_ascii() && bytes.windows(2).any(|pair| pair == b"\x1b$");
    if let (Ok(text), false) = (str::from_utf8(bytes), has_shifts) {
        return vec![Cow::Borrowed(text)];
    }
    if let Some(text) = stated(bytes).and_then(|stated| nearly_whole(stated, bytes)) {
        return vec![text];
    }
    let texts = candidates(bytes, has_shifts)
        .into_iter()
        .map(|encoding| decoded(encoding, bytes));
    let whole: Vec<_> = texts
        .filter(|(_, is_whole)| *is_whole)
        .map(|(text, _)| text)
        .collect();
    match whole.is_empty() {
        true => vec![decoded(WINDOWS_1252, bytes).0],
        false => whole,
    }
}

/// UTF-16 without a byte order mark is recognised by the beginning of the game.
fn wide(bytes: &[u8]) -> Option<&'static Encoding> {
    let has = |start: &[u8]| {
        let mut characters = bytes.windows(start.len()).step_by(2);
        characters.any(|window| window == start)
    };
    match (has(b"(\0;\0"), has(b"\0(\0;")) {
        (true, _) => Some(UTF_16LE),
        (_, true) => Some(UTF_16BE),
        _ => None,
    }
}

/// `CA` first, unless it is UTF-8 that does not decode, or Latin-1, which decodes anything. Then
/// the guess by common characters of short texts and by byte frequencies; but if a bracket seems to be
/// escaped right after a byte beyond ASCII, encodings in which it is not escaped come first.
fn candidates(bytes: &[u8], has_shifts: bool) -> Vec<&'static Encoding> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let by_frequency = detector.guess(None, Utf8Detection::Deny);
    let guess = common_characters::likelier(bytes, by_frequency);
    let stated = stated(bytes).filter(|&stated| stated != UTF_8 && stated != WINDOWS_1252);
    let mut found: Vec<&Encoding> = has_shifts.then_some(ISO_2022_JP).into_iter().collect();
    found.extend(stated);
    let hidden = |three: &[u8]| three[0] >= 0x80 && &three[1..] == b"\\]";
    if bytes.windows(3).any(hidden) && !DOUBLE_BYTE.contains(&guess) {
        found.extend(DOUBLE_BYTE);
    }
    found.extend([guess, by_frequency]);
    found.extend(DOUBLE_BYTE);
    found.push(WINDOWS_1252);
    found
}

/// The encoding named by the first `CA`.
fn stated(bytes: &[u8]) -> Option<&'static Encoding> {
    let at = bytes.windows(3).position(|window| window == b"CA[")?;
    let rest = &bytes[at + 3..];
    let label = &rest[..rest.iter().take(40).position(|&byte| byte == b']')?];
    let label = label.trim_ascii().to_ascii_lowercase();
    let other = || {
        let known = OTHER_LABELS.iter();
        let mut known = known.filter(|(name, _)| name.as_bytes() == label);
        known.next().map(|&(_, encoding)| encoding)
    };
    Encoding::for_label(&label).or_else(other)
}

/// The text if it is lossy, and nine East Asian characters are right for each that is wrong. Others do not count: in
/// UTF-8 they have two bytes, which also arise by chance.
fn nearly_whole<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
    let (text, is_whole) = decoded(encoding, bytes);
    let wide = text.chars().filter(|&character| character >= '\u{800}');
    let (wide, wrong) = (
        wide.count(),
        text.matches(char::REPLACEMENT_CHARACTER).count(),
    );
    (!is_whole && 10 * wrong <= wide).then_some(text)
}

/// The text, and whether it is lossless.
fn decoded<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> (Cow<'a, str>, bool) {
    let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
    (text, !has_errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeliest(bytes: &[u8]) -> String {
        texts(bytes)[0].clone().into_owned()
    }

    #[test]
    fn marks_and_single_bytes() {
        assert_eq!(likeliest(b"\xEF\xBB\xBFabc"), "abc");
        assert_eq!(likeliest(b"\xFF\xFE(\0;\0)\0"), "(;)");
        assert_eq!(likeliest(b"\0(\0;\0)"), "(;)");
        assert_eq!(likeliest(b"Ren\xE9"), "Ren\u{e9}");
    }

    #[test]
    fn cut_characters_do_not_change_the_encoding() {
        let words = "\u{bc14}\u{b451}".repeat(5);
        for (label, encoding) in [("UTF-8", UTF_8), ("EUC-KR", EUC_KR)] {
            let text = format!("CA[{label}]C[{words}");
            let whole = encoding.encode(&text).0;
            let mut cut = whole[..whole.len() - 1].to_vec();
            cut.extend(b"]PB[b]");
            let read = likeliest(&cut);
            let last = text.len() - '\u{b451}'.len_utf8();
            assert!(read.starts_with(&text[..last]), "{label}: {read}");
            assert!(
                read.contains(char::REPLACEMENT_CHARACTER),
                "{label}: {read}"
            );
        }
        // Latin-1 and Korean that say they are UTF-8.
        assert_eq!(likeliest(b"CA[UTF-8]PB[Ren\xE9]"), "CA[UTF-8]PB[Ren\u{e9}]");
        let korean = EUC_KR.encode(&words).0;
        let read = likeliest(&[b"CA[UTF-8]C[".as_slice(), &korean, b"]"].concat());
        assert!(!read.contains(char::REPLACEMENT_CHARACTER), "{read}");
    }

    #[test]
    fn stated_encodings_are_used() {
        for (label, encoding) in [
            ("Shift_JIS", SHIFT_JIS),
            ("Big5", BIG5),
            ("cp936", GBK),
            ("EUC-KR", EUC_KR),
        ] {
            let text = format!("CA[{label}]PB[\u{56f2}]").replace('\u{56f2}', "\u{9ad8}");
            let bytes = encoding.encode(&text).0;
            assert_eq!(likeliest(&bytes), text, "{label}");
        }
    }
}
