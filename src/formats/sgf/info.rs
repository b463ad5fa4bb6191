//! Interpretation of komi and rules in SGF files.

use crate::formats::rules_json;
use crate::go::{BoardSize, Komi, Rules};

use super::number::Number;

/// The writer of a file, as far as it matters for reading it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// This program, whose numbers are literal.
    Keima,
    /// The Fox server.
    Fox,
    /// Any other program.
    Other,
}

impl Source {
    /// From the application name.
    pub(super) fn of_application(name: &str) -> Source {
        let name = name.trim().to_ascii_lowercase();
        if name.starts_with("keima") {
            Source::Keima
        } else if name.contains("fox") {
            Source::Fox
        } else {
            Source::Other
        }
    }
}

/// The komi meant by a number, to the nearest half point, and whether it is literal or the known
/// convention of the program that wrote it; none if it is out of range.
///
/// Chinese records count komi in stones, half the points: 3.75 stands for 7.5. The Fox server
/// writes hundredths, of stones (`375`) or of points (`650`, `50`), and files that came from it say
/// so no longer. So, except in our own files:
/// - integers are hundredths from 100 up if Fox wrote them or the board has fewer points; multiples
///   of 25 also from 25 up if Fox wrote them, and from 225 to 850 in any case;
/// - quarters up to 4.5, which points do not have, are stones, and so are numbers up to 4 with
///   hundredths, from 1 up, or with the sign for stones; larger quarters go to the nearest half.
pub(super) fn komi(
    stated: Number,
    text: &str,
    source: Source,
    size: BoardSize,
) -> Option<(Komi, bool)> {
    let mut points = stated.value;
    let mut is_as_stated = stated.is_all;
    if source != Source::Keima {
        let is_hundredths = is_hundredths(points, source, size);
        if is_hundredths {
            points /= 100.0;
            is_as_stated &= source == Source::Fox;
        }
        let is_quarter = (points * 4.0).rem_euclid(2.0) == 1.0 && points.abs() < 4.5;
        let is_in_stones = is_hundredths && points.abs() >= 1.0 || text.contains('子');
        if is_quarter || is_in_stones && points.abs() <= 4.0 {
            points *= 2.0;
        }
    }
    let komi = Komi::from_points(points)?;
    let is_near = (f64::from(komi.points()) - points).abs() <= 0.25;
    let is_exact = f64::from(komi.points()) == points;
    is_near.then_some((komi, is_as_stated && is_exact))
}

fn is_hundredths(stated: f64, source: Source, size: BoardSize) -> bool {
    let (is_whole, is_of_quarters) = (stated.fract() == 0.0, stated % 25.0 == 0.0);
    let amount = stated.abs();
    is_whole
        && match source {
            Source::Keima => false,
            Source::Fox => amount >= 100.0 || amount >= 25.0 && is_of_quarters,
            Source::Other => {
                amount >= 100.0 && amount > size.area() as f64
                    || is_of_quarters && (225.0..=850.0).contains(&amount)
            }
        }
}

/// Names of rule sets in files besides those of [`Rules::named`], in lower case.
const SPELLINGS: [(&str, Rules); 21] = [
    ("cn", Rules::CHINESE),
    ("chn", Rules::CHINESE),
    ("area", Rules::CHINESE),
    ("china", Rules::CHINESE),
    ("japan", Rules::JAPANESE),
    ("jp", Rules::JAPANESE),
    ("jpn", Rules::JAPANESE),
    ("territory", Rules::JAPANESE),
    ("kr", Rules::JAPANESE),
    ("ing goe", Rules::ING),
    ("simplified ing", Rules::ING),
    ("tt", Rules::TROMP_TAYLOR),
    ("tromp/taylor", Rules::TROMP_TAYLOR),
    ("logical", Rules::TROMP_TAYLOR),
    ("中国", Rules::CHINESE),
    ("中国规则", Rules::CHINESE),
    ("中國", Rules::CHINESE),
    ("中國規則", Rules::CHINESE),
    ("日本", Rules::JAPANESE),
    ("日本ルール", Rules::JAPANESE),
    ("日本规则", Rules::JAPANESE),
];

/// The rule set of a name, if it is known: in any case, also with "rules" after it, or in KataGo's
/// notation.
pub(super) fn rules(text: &str) -> Option<Rules> {
    let lower = text.trim().to_lowercase();
    let name = lower
        .trim_end_matches("rules")
        .trim_end_matches("rule")
        .trim();
    let spelling = SPELLINGS.iter().find(|(spelling, _)| *spelling == name);
    spelling
        .map(|(_, rules)| *rules)
        .or_else(|| Rules::named(name))
        .or_else(|| rules_json::parse(text).ok())
}

/// Text that [`rules`] reads as this rule set: SGF's own names where they exist.
pub(super) fn rules_text(rules: &Rules) -> String {
    match rules.name() {
        Some("chinese") => "Chinese".to_owned(),
        Some("japanese") => "Japanese".to_owned(),
        Some("aga") => "AGA".to_owned(),
        Some("new-zealand") => "NZ".to_owned(),
        Some("goe") => "GOE".to_owned(),
        _ => rules_json::text(rules),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn komi_of_fox_and_of_china() {
        let komi = |value, source| {
            let stated = Number {
                value,
                is_all: true,
            };
            komi(stated, "", source, BoardSize::square(19))
        };
        let half = |stated, source| komi(stated, source).unwrap().0.half();
        for (stated, expected) in [
            (375.0, 15),
            (350.0, 14),
            (325.0, 13),
            (275.0, 11),
            (650.0, 13),
            (750.0, 15),
            (50.0, 1),
            (0.0, 0),
            (6.5, 13),
            (7.0, 14),
        ] {
            assert_eq!(half(stated, Source::Fox), expected, "{stated}");
        }
        for (stated, expected) in [
            (375.0, 15),
            (750.0, 15),
            (325.0, 13),
            (350.0, 14),
            (275.0, 11),
            (650.0, 13),
            (200.0, 400),
            (50.0, 100),
            (200.5, 401),
            (3.75, 15),
            (6.25, 13),
            (-3.5, -7),
        ] {
            assert_eq!(half(stated, Source::Other), expected, "{stated}");
        }
        assert_eq!(half(375.0, Source::Keima), 750);
        assert_eq!(komi(f64::NAN, Source::Other), None);
        assert_eq!(komi(1e300, Source::Keima), None);
    }

    #[test]
    fn rules_go_both_ways() {
        let odd = Rules {
            suicide: true,
            ..Rules::CHINESE
        };
        for known in Rules::NAMED.iter().map(|row| row.1).chain([odd]) {
            assert_eq!(rules(&rules_text(&known)), Some(known));
        }
    }

    #[test]
    fn spellings_are_known() {
        let cases = [
            ("Japanese rules", Some(Rules::JAPANESE)),
            ("Chinese Rules", Some(Rules::CHINESE)),
            (" jp ", Some(Rules::JAPANESE)),
            ("New Zealand", Some(Rules::NEW_ZEALAND)),
            ("Ing GOE", Some(Rules::ING)),
            (
                "koPOSITIONALscoreAREAtaxNONEsui1",
                Some(Rules::TROMP_TAYLOR),
            ),
            (
                "{\"scoring\":\"TERRITORY\",\"ko\":\"SIMPLE\",\"suicide\":false}",
                Some(Rules::JAPANESE),
            ),
            ("as last year", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(rules(text), expected, "{text}");
        }
    }
}
