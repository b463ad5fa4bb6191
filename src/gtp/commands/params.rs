//! Parameters of the player, by KataGo's commands and, where it has them, KataGo's names.

use anyhow::Result;

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use super::joined;
use crate::console::current_parameter;
use crate::params::ParamError;

pub(super) fn list_params(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let parameters = engine.session.player.parameters();
    Ok(joined(parameters.iter().map(|entry| entry.name), " "))
}

pub(super) fn get_param(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let name = current_parameter(arguments.word(0)?);
    let parameters = engine.session.player.parameters();
    let found = parameters.into_iter().find(|entry| entry.name == name);
    let entry = found.ok_or_else(|| ParamError::Unknown(name.to_owned()))?;
    Ok(entry.value)
}

/// Without a value: to empty.
pub(super) fn set_param(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let value = arguments.words().get(1).copied().unwrap_or_default();
    let name = current_parameter(arguments.word(0)?);
    engine.session.set_parameter(name, value)?;
    Ok(String::new())
}
