//! The rules in force. Changing them keeps board, moves and komi.

use anyhow::Result;

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use crate::formats::rules_json;
use crate::go::Rules;

/// JSON on one line.
pub(super) fn kata_get_rules(engine: &mut Engine, _: &Arguments) -> Result<String> {
    Ok(rules_json::print(engine.session.position.rules()))
}

/// A name, which may contain blanks, or JSON.
pub(super) fn kata_set_rules(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    change(engine, rules_json::parse(arguments.rest())?)
}

/// One rule by its key in the JSON.
pub(super) fn kata_set_rule(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let (key, value) = (arguments.word(0)?, arguments.word(1)?);
    let changed = rules_json::with_rule(engine.session.position.rules(), key, value)?;
    change(engine, changed)
}

/// A name of the server KGS, which has further arguments at times.
pub(super) fn kgs_rules(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let name = arguments.word(0)?;
    let rules = if name.eq_ignore_ascii_case("chinese") {
        "chinese-kgs"
    } else {
        name
    };
    change(engine, rules_json::parse(rules)?)
}

fn change(engine: &mut Engine, rules: Rules) -> Result<String> {
    engine.session.position = engine.session.position.with_rules(rules)?;
    Ok(String::new())
}
