//! The fields `rules`, `komi` and `whiteHandicapBonus`.

use serde_json::{Map, Value};

use super::fields::Fields;
use super::message::FieldError;
use crate::formats::rules_json;
use crate::go::{HandicapBonus, Komi, Rules, Scoring};

/// Largest komi, and the smallest with the other sign.
const MAX_KOMI: f64 = 400.0;
const NO_RULES: &str = "Must specify rules string, such as \"chinese\" or \"tromp-taylor\", or a \
    JSON object with detailed rules parameters.";

/// The rules of the game, and komi: that of the field, or else of the rules.
pub(super) fn rules_and_komi(fields: Fields) -> Result<(Rules, Komi), FieldError> {
    let (mut rules, usual_komi) = rules(fields)?;
    let komi = komi(fields)?.unwrap_or(usual_komi);
    if let Some(bonus) = handicap_bonus(fields)? {
        rules.handicap_bonus = bonus;
    }
    Ok((rules, komi))
}

/// The rules, and the komi that comes with them.
fn rules(fields: Fields) -> Result<(Rules, Komi), FieldError> {
    let field = "rules";
    let mistake = |text: &str| FieldError::new(field, format!("Could not parse rules: {text}"));
    match fields.get(field) {
        Some(Value::String(text)) if !text.trim_start().starts_with('{') => {
            let rules = rules_json::parse(text).map_err(|_| mistake(text))?;
            Ok((rules, rules.usual_komi()))
        }
        Some(value @ (Value::String(_) | Value::Object(_))) => {
            let stated = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let no_rules = || mistake(&stated);
            let object = serde_json::from_str(&stated);
            let mut object: Map<String, Value> = object.map_err(|_| no_rules())?;
            let komi = object.remove("komi");
            let text = Value::Object(object).to_string();
            let rules = rules_json::parse(&text).map_err(|_| no_rules())?;
            let komi = match komi {
                Some(komi) => allowed_komi(&komi).ok_or_else(no_rules)?,
                None => komi_of_object(&rules),
            };
            Ok((rules, komi))
        }
        _ => Err(FieldError::new(field, NO_RULES)),
    }
}

/// The komi of rules that have no name, as KataGo has it.
fn komi_of_object(rules: &Rules) -> Komi {
    Komi::from_half(match (rules.scoring, rules.has_button) {
        (Scoring::Territory, _) => 13,
        (Scoring::Area, true) => 14,
        (Scoring::Area, false) => 15,
    })
}

fn komi(fields: Fields) -> Result<Option<Komi>, FieldError> {
    let mistake = "Must be a integer or half-integer from -400.0 to 400.0";
    let parsed = |value| allowed_komi(value).ok_or_else(|| FieldError::new("komi", mistake));
    fields.get("komi").map(parsed).transpose()
}

fn allowed_komi(value: &Value) -> Option<Komi> {
    let points = value.as_f64()?;
    let is_allowed = (-MAX_KOMI..=MAX_KOMI).contains(&points);
    is_allowed.then(|| Komi::exactly(points)).flatten()
}

fn handicap_bonus(fields: Fields) -> Result<Option<HandicapBonus>, FieldError> {
    let field = "whiteHandicapBonus";
    let parsed = |text: &str| {
        let mistake = format!("Invalid whiteHandicapBonus rule: {text}");
        HandicapBonus::from_text(text).ok_or_else(|| FieldError::new(field, mistake))
    };
    let text: Option<&str> = fields.read(field, "Must be a string")?;
    text.map(parsed).transpose()
}
