//! Rule sets, by property and by name. The names and the property values are those of KataGo,
//! which GUIs and servers use.

use std::fmt;

use super::komi::Komi;

/// What a ko forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KoRule {
    /// Only the immediate recapture; a longer cycle ends the game without result.
    Simple,
    /// Any move that recreates an earlier position of the stones.
    Positional,
    /// Any move that recreates an earlier position with the same player to move.
    Situational,
}

/// What counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Stones and surrounded points.
    Area,
    /// Surrounded points and prisoners.
    Territory,
}

/// What is taken off the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tax {
    /// Nothing.
    None,
    /// Surrounded points in seki do not count.
    Seki,
    /// As `Seki`, and two points are taken for each living group.
    All,
}

/// Points White gets for Black's handicap stones under area scoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandicapBonus {
    /// None.
    Zero,
    /// One for each stone.
    N,
    /// One for each stone but the first.
    NMinusOne,
}

/// The choices that make up a rule set. Komi is not among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Ko rule.
    pub ko: KoRule,
    /// Scoring rule.
    pub scoring: Scoring,
    /// Tax rule.
    pub tax: Tax,
    /// Whether more than one stone may be killed by their own move.
    pub suicide: bool,
    /// Whether the first pass is worth half a point (area scoring only).
    pub has_button: bool,
    /// White's points for handicap stones.
    pub handicap_bonus: HandicapBonus,
    /// Whether players pass with dead stones on the board and agree on them.
    pub friendly_pass_ok: bool,
}

impl Rules {
    /// Whether players agree on dead stones.
    pub fn has_agreement(&self) -> bool {
        self.scoring == Scoring::Territory || self.friendly_pass_ok
    }

    /// Tromp and Taylor's logical rules.
    pub const TROMP_TAYLOR: Rules = Rules {
        ko: KoRule::Positional,
        scoring: Scoring::Area,
        tax: Tax::None,
        suicide: true,
        has_button: false,
        handicap_bonus: HandicapBonus::Zero,
        friendly_pass_ok: false,
    };
    /// Chinese rules as played: simple ko.
    pub const CHINESE: Rules = Rules {
        ko: KoRule::Simple,
        suicide: false,
        handicap_bonus: HandicapBonus::N,
        friendly_pass_ok: true,
        ..Rules::TROMP_TAYLOR
    };
    /// Chinese rules as OGS and KGS have them: positional superko.
    pub const CHINESE_SERVER: Rules = Rules {
        ko: KoRule::Positional,
        ..Rules::CHINESE
    };
    /// Japanese and Korean rules.
    pub const JAPANESE: Rules = Rules {
        ko: KoRule::Simple,
        scoring: Scoring::Territory,
        tax: Tax::Seki,
        suicide: false,
        ..Rules::TROMP_TAYLOR
    };
    /// Stone scoring, as in old China, by area with group tax.
    pub const STONE_SCORING: Rules = Rules {
        tax: Tax::All,
        handicap_bonus: HandicapBonus::Zero,
        ..Rules::CHINESE
    };
    /// Territory scoring with group tax.
    pub const ANCIENT_TERRITORY: Rules = Rules {
        tax: Tax::All,
        ..Rules::JAPANESE
    };
    /// AGA, BGA and French rules.
    pub const AGA: Rules = Rules {
        ko: KoRule::Situational,
        handicap_bonus: HandicapBonus::NMinusOne,
        ..Rules::CHINESE
    };
    /// AGA rules with a button.
    pub const AGA_BUTTON: Rules = Rules {
        has_button: true,
        ..Rules::AGA
    };
    /// New Zealand rules.
    pub const NEW_ZEALAND: Rules = Rules {
        ko: KoRule::Situational,
        friendly_pass_ok: true,
        ..Rules::TROMP_TAYLOR
    };
    /// Ing's rules, without his ko rules.
    pub const ING: Rules = Rules {
        friendly_pass_ok: true,
        ..Rules::TROMP_TAYLOR
    };

    /// Rules of the server CGOS: Tromp and Taylor's without suicide.
    pub const CGOS: Rules = Rules {
        suicide: false,
        ..Rules::TROMP_TAYLOR
    };

    /// Every name, with the rule set and its default komi in half points.
    pub const NAMED: [(&'static str, Rules, i32); 18] = [
        ("tromp-taylor", Rules::TROMP_TAYLOR, 15),
        ("chinese", Rules::CHINESE, 15),
        ("chinese-ogs", Rules::CHINESE_SERVER, 15),
        ("chinese-kgs", Rules::CHINESE_SERVER, 15),
        ("japanese", Rules::JAPANESE, 13),
        ("korean", Rules::JAPANESE, 13),
        ("stone-scoring", Rules::STONE_SCORING, 15),
        ("ancient-area", Rules::STONE_SCORING, 15),
        ("ancient-territory", Rules::ANCIENT_TERRITORY, 13),
        ("aga", Rules::AGA, 15),
        ("bga", Rules::AGA, 15),
        ("french", Rules::AGA, 15),
        ("aga-button", Rules::AGA_BUTTON, 14),
        ("new-zealand", Rules::NEW_ZEALAND, 14),
        ("nz", Rules::NEW_ZEALAND, 14),
        ("goe", Rules::ING, 15),
        ("ing", Rules::ING, 15),
        ("cgos", Rules::CGOS, 15),
    ];

    /// The rule set of a name, in any case, words separated by `-`, `_`, a blank or nothing.
    pub fn named(name: &str) -> Option<Rules> {
        let wanted = squeezed(name);
        Rules::NAMED
            .iter()
            .find(|(known, ..)| squeezed(known) == wanted)
            .map(|row| row.1)
    }

    /// The first name this rule set has, if any.
    pub fn name(&self) -> Option<&'static str> {
        Rules::NAMED
            .iter()
            .find(|(_, rules, _)| rules == self)
            .map(|row| row.0)
    }

    /// The default komi of these rules: that of the first name, else 7.5 for area and 6.5 for
    /// territory scoring.
    pub fn usual_komi(&self) -> Komi {
        let named = Rules::NAMED.iter().find(|(_, rules, _)| rules == self);
        let by_scoring = if self.scoring == Scoring::Area {
            15
        } else {
            13
        };
        Komi::from_half(named.map_or(by_scoring, |row| row.2))
    }

    /// A number that identifies the rule set.
    pub(crate) fn code(&self) -> u64 {
        let flags = [self.suicide, self.has_button, self.friendly_pass_ok];
        let choices = [self.ko as u64, self.scoring as u64, self.tax as u64];
        let code = choices
            .iter()
            .fold(self.handicap_bonus as u64, |code, part| code << 2 | part);
        flags
            .iter()
            .fold(code, |code, &flag| code << 1 | u64::from(flag))
    }

    /// White's points for `stones` handicap stones: one stone is no handicap.
    pub fn handicap_points(&self, stones: usize) -> i32 {
        let stones = if stones >= 2 { stones as i32 } else { 0 };
        match self.handicap_bonus {
            HandicapBonus::Zero => 0,
            HandicapBonus::N => stones,
            HandicapBonus::NMinusOne => (stones - 1).max(0),
        }
    }
}

/// Lower case without separators.
fn squeezed(name: &str) -> String {
    name.trim()
        .chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// Gives an enum the texts KataGo uses for it.
macro_rules! texts {
    ($name:ident, $($variant:ident = $text:literal),+) => {
        impl $name {
            /// The text that means this value.
            pub fn text(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            /// The value a text means, in any case.
            pub fn from_text(text: &str) -> Option<$name> {
                $(if text.eq_ignore_ascii_case($text) { return Some($name::$variant); })+
                None
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}

texts!(
    KoRule,
    Simple = "SIMPLE",
    Positional = "POSITIONAL",
    Situational = "SITUATIONAL"
);
texts!(Scoring, Area = "AREA", Territory = "TERRITORY");
texts!(Tax, None = "NONE", Seki = "SEKI", All = "ALL");
texts!(HandicapBonus, Zero = "0", N = "N", NMinusOne = "N-1");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ignore_case_and_separators() {
        for name in ["New Zealand", "new_zealand", "NEWZEALAND", " new-zealand "] {
            assert_eq!(Rules::named(name), Some(Rules::NEW_ZEALAND), "{name}");
        }
        assert_eq!(Rules::named("ancient area"), Some(Rules::STONE_SCORING));
        assert_eq!(Rules::named("lunar"), None);
    }

    #[test]
    fn handicap_points_follow_the_convention() {
        assert_eq!(Rules::CHINESE.handicap_points(1), 0);
        assert_eq!(Rules::CHINESE.handicap_points(4), 4);
        assert_eq!(Rules::AGA.handicap_points(4), 3);
        assert_eq!(Rules::JAPANESE.handicap_points(4), 0);
    }

    #[test]
    fn property_texts_go_both_ways() {
        for ko in [KoRule::Simple, KoRule::Positional, KoRule::Situational] {
            assert_eq!(KoRule::from_text(&ko.text().to_lowercase()), Some(ko));
        }
        assert_eq!(
            HandicapBonus::from_text("n-1"),
            Some(HandicapBonus::NMinusOne)
        );
        assert_eq!(Tax::from_text("some"), None);
    }
}
