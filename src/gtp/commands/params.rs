//! Parameters of the player, by KataGo's commands and, where it has them, KataGo's names.

use anyhow::{Error, Result};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use super::joined;
use crate::console::current_parameter;
use crate::params::{ParamEntry, unknown_name};

pub(super) fn list_params(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let parameters = engine.session.player.parameters();
    Ok(joined(parameters.iter().map(|entry| entry.name), " "))
}

pub(super) fn get_param(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let name = current_parameter(arguments.word(0)?);
    let parameters = engine.session.player.parameters();
    match parameters.iter().find(|entry| entry.name == name) {
        Some(entry) => Ok(entry.value.clone()),
        None => Err(unknown(name, &parameters)),
    }
}

/// Without a value: to empty.
pub(super) fn set_param(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let value = arguments.words().get(1).copied().unwrap_or_default();
    let name = current_parameter(arguments.word(0)?);
    let parameters = engine.session.player.parameters();
    if parameters.iter().all(|entry| entry.name != name) {
        return Err(unknown(name, &parameters));
    }
    engine.session.set_parameter(name, value)?;
    Ok(String::new())
}

fn unknown(name: &str, parameters: &[ParamEntry]) -> Error {
    let names = parameters.iter().map(|entry| entry.name);
    Error::msg(unknown_name(name, names))
}
