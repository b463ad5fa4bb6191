//! Rule sets in the notations of KataGo and its clients: a name, a JSON object, or the compact text
//! of KataGo's own game records (`koPOSITIONALscoreAREAtaxNONEsui1`).
//!
//! Keys of the object are `ko`, `scoring`, `tax`, `suicide`, `hasButton`, `whiteHandicapBonus` and
//! `friendlyPassOk`, and KataGo's longer synonyms; a missing key has its value in Tromp-Taylor
//! rules, except that territory scoring without a `tax` has the seki tax.

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use serde_json::Value;

use crate::go::{HandicapBonus, KoRule, Rules, Scoring, Tax};

/// The object, with keys in KataGo's order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Printed {
    friendly_pass_ok: bool,
    has_button: bool,
    ko: &'static str,
    scoring: &'static str,
    suicide: bool,
    tax: &'static str,
    white_handicap_bonus: &'static str,
}

/// The rule set for display: its name, or its properties.
pub fn in_words(rules: &Rules) -> String {
    if let Some(name) = rules.name() {
        return format!("{name} rules");
    }
    let ko = match rules.ko {
        KoRule::Simple => "simple ko",
        KoRule::Positional => "positional superko",
        KoRule::Situational => "situational superko",
    };
    let scoring = match rules.scoring {
        Scoring::Area => "area scoring",
        Scoring::Territory => "territory scoring",
    };
    let tax = match rules.tax {
        Tax::None => "",
        Tax::Seki => "no points in seki",
        Tax::All => "group tax",
    };
    let handicap = match rules.handicap_bonus {
        HandicapBonus::Zero => "",
        HandicapBonus::N => "a point for each handicap stone",
        HandicapBonus::NMinusOne => "a point for each handicap stone but one",
    };
    let suicide = match rules.suicide {
        true => "suicide allowed",
        false => "no suicide",
    };
    let button = if rules.has_button { "button" } else { "" };
    let agreed = match rules.friendly_pass_ok {
        true => "dead stones by agreement",
        false => "",
    };
    let mut words = vec![scoring, ko, suicide, tax, handicap, button, agreed];
    words.retain(|words| !words.is_empty());
    words.join(", ")
}

/// Text that [`parse`] reads as this rule set: its name if it has one, else JSON.
pub fn text(rules: &Rules) -> String {
    rules.name().map_or_else(|| print(rules), str::to_owned)
}

/// The rule set as JSON on one line, as `kata-get-rules` answers.
pub fn print(rules: &Rules) -> String {
    let printed = Printed {
        friendly_pass_ok: rules.friendly_pass_ok,
        has_button: rules.has_button,
        ko: rules.ko.text(),
        scoring: rules.scoring.text(),
        suicide: rules.suicide,
        tax: rules.tax.text(),
        white_handicap_bonus: rules.handicap_bonus.text(),
    };
    serde_json::to_string(&printed).expect("plain values are JSON")
}

/// Parses a name, a JSON object or KataGo's compact text. Errors quote the unknown part.
pub fn parse(text: &str) -> Result<Rules> {
    let text = text.trim();
    if text.starts_with('{') {
        return parse_object(text);
    }
    if let Some(rules) = Rules::named(text) {
        return Ok(rules);
    }
    match compact_pairs(text) {
        Some(pairs) => from_pairs(pairs),
        None => {
            let names = Rules::NAMED.map(|(name, ..)| name).join(", ");
            bail!("unknown rules '{text}': give {names}, or JSON such as {{\"ko\":\"SIMPLE\"}}")
        }
    }
}

/// Changes one property, as `kata-set-rule KEY VALUE` does. Values are those of the JSON object, in
/// any case; flags may be `true`, `false`, `1`, `0`.
pub fn with_rule(rules: &Rules, key: &str, value: &str) -> Result<Rules> {
    let mut changed = *rules;
    set(&mut changed, key.trim(), value.trim())?;
    checked(changed)
}

fn parse_object(text: &str) -> Result<Rules> {
    let object: serde_json::Map<String, Value> =
        serde_json::from_str(text).context("rules are not a JSON object")?;
    let plain = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    from_pairs(object.into_iter().map(|(key, value)| (key, plain(value))))
}

fn from_pairs(pairs: impl IntoIterator<Item = (String, String)>) -> Result<Rules> {
    let mut rules = Rules::TROMP_TAYLOR;
    let mut is_tax_stated = false;
    for (key, value) in pairs {
        set(&mut rules, &key, value.trim())?;
        is_tax_stated |= matches!(key.as_str(), "tax" | "taxRule");
    }
    if !is_tax_stated && rules.scoring == Scoring::Territory {
        rules.tax = Tax::Seki;
    }
    checked(rules)
}

fn set(rules: &mut Rules, key: &str, value: &str) -> Result<()> {
    let unknown = || format!("unknown value of {key}: {value}");
    match key {
        "ko" | "koRule" => rules.ko = KoRule::from_text(value).with_context(unknown)?,
        "scoring" | "scoringRule" | "score" => {
            rules.scoring = Scoring::from_text(value).with_context(unknown)?;
        }
        "tax" | "taxRule" => rules.tax = Tax::from_text(value).with_context(unknown)?,
        "suicide" | "multiStoneSuicideLegal" | "sui" => {
            rules.suicide = flag(value).with_context(unknown)?;
        }
        "hasButton" | "button" => rules.has_button = flag(value).with_context(unknown)?,
        "whiteHandicapBonus" | "whiteHandicapBonusRule" | "whb" => {
            rules.handicap_bonus = HandicapBonus::from_text(value).with_context(unknown)?;
        }
        "friendlyPassOk" | "fpok" => {
            rules.friendly_pass_ok = flag(value).with_context(unknown)?;
        }
        _ => bail!("unknown rules option: {key}"),
    }
    Ok(())
}

fn flag(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

fn checked(rules: Rules) -> Result<Rules> {
    ensure!(
        !rules.has_button || rules.scoring == Scoring::Area,
        "hasButton needs scoring AREA"
    );
    Ok(rules)
}

/// Splits compact text, where keys are in lower case and values are not. A komi in it is ignored.
/// None if it is no such text.
fn compact_pairs(text: &str) -> Option<Vec<(String, String)>> {
    let is_key = |c: char| c.is_ascii_lowercase();
    let mut pairs = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (key, after) = rest.split_at(rest.find(|c| !is_key(c))?);
        let (value, after) = after.split_at(after.find(is_key).unwrap_or(after.len()));
        if key.is_empty() || value.contains(' ') {
            return None;
        }
        if key != "komi" {
            pairs.push((key.to_owned(), value.to_owned()));
        }
        rest = after;
    }
    (!pairs.is_empty()).then_some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_katago_prints() {
        let expected = "{\"friendlyPassOk\":true,\"hasButton\":false,\"ko\":\"SIMPLE\",\
            \"scoring\":\"AREA\",\"suicide\":false,\"tax\":\"NONE\",\"whiteHandicapBonus\":\"N\"}";
        assert_eq!(print(&Rules::CHINESE), expected);
    }

    #[test]
    fn every_named_rule_set_goes_both_ways() {
        for (name, rules, _) in Rules::NAMED {
            assert_eq!(parse(name).unwrap(), rules, "{name}");
            assert_eq!(parse(&print(&rules)).unwrap(), rules, "{name}");
        }
    }

    #[test]
    fn missing_keys_are_tromp_taylor_and_blanks_are_legal() {
        assert_eq!(parse("{}").unwrap(), Rules::TROMP_TAYLOR);
        let text =
            " { \"scoring\" : \"territory\", \"koRule\" : \"simple\", \"suicide\": \"false\" }";
        assert_eq!(parse(text).unwrap(), Rules::JAPANESE);
        let rules = parse("{\"multiStoneSuicideLegal\":0,\"whiteHandicapBonus\":0}").unwrap();
        assert!(!rules.suicide && rules.handicap_bonus == HandicapBonus::Zero);
        let rules = parse("{\"taxRule\":\"NONE\",\"scoringRule\":\"TERRITORY\"}").unwrap();
        assert_eq!(rules.tax, Tax::None);
    }

    #[test]
    fn compact_text_is_read() {
        let rules = parse("koSITUATIONALscoreAREAtaxNONEsui0button1whbN-1fpok1komi7.5").unwrap();
        assert_eq!(rules, Rules::AGA_BUTTON);
        let rules = parse("koSIMPLEscoreTERRITORYtaxSEKIsui0").unwrap();
        assert_eq!(rules, Rules::JAPANESE);
    }

    #[test]
    fn errors_name_what_is_unknown() {
        let cases = [
            ("{\"kko\":\"SIMPLE\"}", "unknown rules option: kko"),
            ("{\"ko\":\"SPIGHT\"}", "unknown value of ko: SPIGHT"),
            ("{\"hasButton\":2}", "unknown value of hasButton: 2"),
            ("{\"ko\":", "rules are not a JSON object"),
            (
                "{\"hasButton\":true,\"scoring\":\"TERRITORY\"}",
                "hasButton needs scoring AREA",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(parse(text).unwrap_err().to_string(), message, "{text}");
        }
    }

    #[test]
    fn unknown_names_are_told_with_the_known_ones() {
        for text in ["lunar", ""] {
            let message = parse(text).unwrap_err().to_string();
            let start = format!("unknown rules '{text}': give tromp-taylor, chinese, ");
            assert!(message.starts_with(&start), "{message}");
            assert!(message.ends_with("or JSON such as {\"ko\":\"SIMPLE\"}"));
        }
    }

    #[test]
    fn texts_are_names_where_there_are_some() {
        assert_eq!(text(&Rules::JAPANESE), "japanese");
        let mut nameless = Rules::JAPANESE;
        nameless.suicide = true;
        assert_eq!(text(&nameless), print(&nameless));
        assert_eq!(parse(&text(&nameless)).unwrap(), nameless);
    }

    #[test]
    fn one_rule_is_set_by_key() {
        let rules = with_rule(&Rules::CHINESE, "ko", "positional").unwrap();
        assert_eq!(rules, Rules::CHINESE_SERVER);
        assert!(with_rule(&Rules::JAPANESE, "hasButton", "true").is_err());
        assert!(with_rule(&Rules::CHINESE, "komi", "7").is_err());
        assert!(with_rule(&rules, "friendlyPassOk", "perhaps").is_err());
    }
}
