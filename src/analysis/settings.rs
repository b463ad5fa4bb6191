//! The field `overrideSettings`: parameters of the search and the network for one query.

use serde_json::Value;

use super::engine::Engine;
use super::fields::Fields;
use super::message::FieldError;
use crate::params::ParamError;
use crate::player::Player;
use crate::player::params::{OF_GAMES, of_switch};
use crate::player::search_player::{HUMAN_PROFILE, SearchPlayer};

const FIELD: &str = "overrideSettings";

/// Belongs to the program, which divides its memory among the searches that run at once.
const FIXED: &str = "maxTreeBytes";

/// Parameters by name, as text.
pub(super) type Settings = Vec<(String, String)>;

/// The settings of a query, which `player` gets too, and the names of those that are unknown or without effect here.
pub(super) fn settings(
    fields: Fields,
    engine: &Engine,
    player: &mut SearchPlayer,
) -> Result<(Settings, Vec<String>), FieldError> {
    let given = match fields.get(FIELD) {
        None => return Ok((Settings::new(), Vec::new())),
        Some(Value::Object(given)) => given,
        Some(_) => return Err(FieldError::new(FIELD, "Must be an object")),
    };
    let (mut known, mut unknown) = (Settings::new(), Vec::new());
    for (name, value) in given {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let refused = |reason| FieldError::new(FIELD, format!("Could not set settings: {reason}"));
        let switched = of_switch(name, &text, &player.parameters()).map_err(refused)?;
        let (name, text) = switched.unwrap_or((name, text));
        check(name, &text, engine).map_err(refused)?;
        match set(player, name, &text) {
            Ok(true) if OF_GAMES.contains(&name) => unknown.push(name.to_owned()),
            Ok(true) => known.push((name.to_owned(), text)),
            Ok(false) => unknown.push(name.to_owned()),
            Err(reason) => return Err(refused(reason)),
        }
    }
    Ok((known, unknown))
}

/// Refuses what cannot be set for one query.
fn check(name: &str, text: &str, engine: &Engine) -> Result<(), String> {
    let takes_profile = engine
        .models
        .iter()
        .any(|model| model.uses_human_sl_profile);
    let sets_nothing = name == HUMAN_PROFILE && text.is_empty();
    if name.starts_with("humanSL") && !sets_nothing && !takes_profile {
        let names = engine.models.iter().map(|model| model.name.as_str());
        let names = names.collect::<Vec<_>>().join(" and ");
        return Err(format!(
            "{name} is specified as config param but model(s) don't use it: {names}"
        ));
    }
    if name == FIXED {
        return Err(format!("Cannot change {FIXED} after initialization"));
    }
    Ok(())
}

/// Sets a parameter; whether there is one of this name. The error says why it cannot be set.
fn set(player: &mut SearchPlayer, name: &str, text: &str) -> Result<bool, String> {
    let Err(error) = player.set_parameter(name, text) else {
        return Ok(true);
    };
    match error.downcast_ref() {
        Some(ParamError::Unknown(_)) => Ok(false),
        _ => Err(format!("{error:#}")),
    }
}

/// Gives a player settings that have been checked.
pub(super) fn apply(player: &mut SearchPlayer, settings: &Settings) -> anyhow::Result<()> {
    let mut settings = settings.iter();
    settings.try_for_each(|(name, text)| player.set_parameter(name, text))
}
