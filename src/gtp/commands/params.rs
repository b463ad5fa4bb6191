//! Parameters of the player, by KataGo's commands and, where it has them, KataGo's names.

use anyhow::{Context, Error, Result};
use serde_json::{Map, Value};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use super::joined;
use crate::console::tell;
use crate::params::{ParamEntry, SWITCHES, unknown_name};
use crate::player::params::of_switch;
use crate::player::search_player::HUMAN_PROFILE;

pub(super) fn list_params(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let parameters = engine.session.player.parameters();
    Ok(joined(parameters.iter().map(|entry| entry.name), " "))
}

/// All parameters as an object of JSON; numbers and truth values are such.
pub(super) fn get_params(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let parameters = engine.session.player.parameters();
    let typed = |text: String| match serde_json::from_str(&text) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ => Value::String(text),
    };
    let entries = parameters.into_iter();
    let object: Map<String, Value> = entries
        .map(|entry| (entry.name.to_owned(), typed(entry.value)))
        .collect();
    Ok(Value::Object(object).to_string())
}

pub(super) fn get_param(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let name = arguments.word(0)?;
    let parameters = engine.session.player.parameters();
    let value = |name| {
        let entry = parameters.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| unknown(name, &parameters))?;
        Ok(entry.value.clone())
    };
    match SWITCHES.iter().find(|(switch, _)| *switch == name) {
        Some((_, (parameter, off))) => Ok((value(parameter)? != *off).to_string()),
        None => value(name),
    }
}

/// Without a value: to empty.
pub(super) fn set_param(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let value = arguments.words().get(1).copied().unwrap_or_default();
    let parameters = engine.session.player.parameters();
    let (name, value) = &meant(arguments.word(0)?, value, &parameters)?;
    if parameters.iter().all(|entry| entry.name != name) {
        return Err(unknown(name, &parameters));
    }
    engine.session.set_parameter(name, value)?;
    remark_on_profile(engine, name, value);
    Ok(String::new())
}

/// All of an object of JSON, or none of them.
pub(super) fn set_params(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let object: Map<String, Value> = serde_json::from_str(arguments.rest())
        .context("expected an object of JSON, as in {\"maxVisits\": 100}")?;
    let before = engine.session.player.parameters();
    let mut replaced = Vec::new();
    for (name, value) in &object {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let outcome = meant(name, &text, &before).and_then(|(name, text)| {
            let entry = before.iter().find(|entry| entry.name == name);
            let entry = entry.ok_or_else(|| unknown(&name, &before))?;
            replaced.push(entry);
            engine.session.set_parameter(&name, &text)
        });
        if let Err(error) = outcome {
            for entry in replaced {
                engine.session.set_parameter(entry.name, &entry.value)?;
            }
            return Err(error);
        }
        remark_on_profile(engine, name, &text);
    }
    Ok(String::new())
}

/// The parameter that is set, and its value: a switch of KataGo's stands for one.
fn meant(name: &str, text: &str, now: &[ParamEntry]) -> Result<(String, String)> {
    let switched = of_switch(name, text, now).map_err(Error::msg)?;
    let (name, text) = switched.unwrap_or((name, text.to_owned()));
    Ok((name.to_owned(), text))
}

/// Says on stderr that nobody is imitated, unless a network of human play is loaded. It may be loaded later.
fn remark_on_profile(engine: &Engine, name: &str, value: &str) {
    if name != HUMAN_PROFILE || value.is_empty() {
        return;
    }
    let player = &engine.session.player;
    let mut models = player.evaluators().models().into_iter();
    if player.human_evaluators().is_none() && models.all(|model| !model.uses_human_sl_profile) {
        tell(format_args!(
            "{name} has no effect without a network of human play: --human-model names one"
        ));
    }
}

fn unknown(name: &str, parameters: &[ParamEntry]) -> Error {
    let names = parameters.iter().map(|entry| entry.name);
    Error::msg(unknown_name(name, names))
}
