//! What komi and rules mean in SGF files.

use anyhow::{Result, ensure};

use crate::formats::rules_json;
use crate::go::{BoardSize, Komi, Rules};

/// Who wrote a file, as far as it matters for reading it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// We, so that numbers are what they seem.
    Keima,
    /// The Fox server.
    Fox,
    /// Anybody else.
    Other,
}

impl Source {
    /// From the application's name.
    pub(super) fn of_application(name: &str) -> Source {
        let name = name.to_ascii_lowercase();
        if name.starts_with("keima") {
            Source::Keima
        } else if name.contains("fox") {
            Source::Fox
        } else {
            Source::Other
        }
    }
}

/// The komi a number means, to the nearest half point.
///
/// Chinese records count komi in stones, half the points: 3.75 stands for 7.5. The Fox server
/// writes hundredths, of stones (`375`) or of points (`650`). So, except in our own files:
/// - whole numbers from 100 up are hundredths if Fox wrote them or the board has fewer points;
/// - quarters, which points do not have, are stones, and so is up to 4 in hundredths.
pub(super) fn komi(stated: f64, source: Source, size: BoardSize) -> Result<Komi> {
    ensure!(stated.is_finite(), "KM[{stated}] is no komi");
    let mut points = stated;
    if source != Source::Keima {
        let is_large = stated.abs() >= 100.0 && stated.fract() == 0.0;
        let is_hundredths =
            is_large && (source == Source::Fox || stated.abs() > size.area() as f64);
        if is_hundredths {
            points /= 100.0;
        }
        let is_quarter = (points * 4.0).rem_euclid(2.0) == 1.0;
        if is_quarter || is_hundredths && points.abs() <= 4.0 {
            points *= 2.0;
        }
    }
    Ok(Komi::from_points(points).expect("a finite number is a komi"))
}

/// What files call a rule set besides the names of [`Rules::named`], in lower case.
const SPELLINGS: [(&str, Rules); 12] = [
    ("cn", Rules::CHINESE),
    ("chn", Rules::CHINESE),
    ("area", Rules::CHINESE),
    ("jp", Rules::JAPANESE),
    ("jpn", Rules::JAPANESE),
    ("territory", Rules::JAPANESE),
    ("kr", Rules::JAPANESE),
    ("ing goe", Rules::ING),
    ("simplified ing", Rules::ING),
    ("tt", Rules::TROMP_TAYLOR),
    ("tromp/taylor", Rules::TROMP_TAYLOR),
    ("logical", Rules::TROMP_TAYLOR),
];

/// The rule set a text names, if it is known: a name in any case, also with "rules" after it, or
/// what KataGo writes.
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

/// The text that [`rules`] reads as this rule set: SGF's own names where there are some.
pub(super) fn rules_text(rules: &Rules) -> String {
    match rules.name() {
        Some("chinese") => "Chinese".to_owned(),
        Some("japanese") => "Japanese".to_owned(),
        Some("aga") => "AGA".to_owned(),
        Some("new-zealand") => "NZ".to_owned(),
        Some("goe") => "GOE".to_owned(),
        Some(name) => name.to_owned(),
        None => rules_json::print(rules),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn komi_of_fox_and_of_china() {
        let half = |stated, source| komi(stated, source, BoardSize::square(19)).unwrap().half();
        for (stated, expected) in [(375.0, 15), (350.0, 14), (650.0, 13), (0.0, 0), (6.5, 13)] {
            assert_eq!(half(stated, Source::Fox), expected, "{stated}");
        }
        for (stated, expected) in [
            (375.0, 15),
            (750.0, 15),
            (200.5, 401),
            (3.75, 15),
            (-3.5, -7),
        ] {
            assert_eq!(half(stated, Source::Other), expected, "{stated}");
        }
        assert_eq!(half(375.0, Source::Keima), 750);
        assert!(komi(f64::NAN, Source::Other, BoardSize::square(19)).is_err());
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
