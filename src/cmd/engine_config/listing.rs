//! All that can be configured, with the values that hold.

use std::path::PathBuf;

use anyhow::Result;

use super::EngineConfig;
use super::setting::Setting;
use super::values::{text_of, value_name};
use crate::analysis::ServerParams;
use crate::formats::rules_json;
use crate::games::rollout_evaluator::RolloutParams;
use crate::nn::network::BUILT_IN;
use crate::nn::settings::NetParams;
use crate::params::{ParamEntry, Parameters, set_in};
use crate::player::params::PlayerParams;

/// Groups of parameters, each with a name for help texts.
pub type Groups = Vec<(&'static str, Vec<ParamEntry>)>;

/// An option's name, and the text of the value that holds.
type OptionText = (&'static str, fn(&EngineConfig) -> String);

/// Options that are read where the engine is built. Only `seed` is a parameter, too.
const OPTIONS: [OptionText; 19] = [
    ("model", |config| match config.model {
        Some(_) => path(&config.model),
        None => BUILT_IN[0].to_owned(),
    }),
    ("human-model", |config| path(&config.human_model)),
    ("models", |config| path(&config.models)),
    ("player", |config| value_name(&config.kind)),
    ("preset", |config| {
        config.preset.as_ref().map(value_name).unwrap_or_default()
    }),
    ("rollout-weights", |config| path(&config.rollout_weights)),
    ("device", |config| {
        config.device.device.unwrap_or_default().to_string()
    }),
    ("precision", |config| {
        config.device.precision.unwrap_or_default().to_string()
    }),
    ("batch", |config| text_of(config.batch)),
    ("cache-mb", |config| config.cache_mb.to_string()),
    ("seed", |config| {
        text_of((!config.renews_seed).then_some(config.seed))
    }),
    ("rules", |config| rules_json::text(&config.rules)),
    ("komi", |config| text_of(config.komi)),
    ("size", |config| config.size.to_string()),
    ("gtp-name", |config| text_of(config.gtp_name.as_ref())),
    ("gtp-version", |config| text_of(config.gtp_version.as_ref())),
    ("ogs-chat", |config| config.ogs_chat.to_string()),
    ("log", |config| path(&config.log)),
    ("log-level", |config| value_name(&config.log_level)),
];

/// Whether it is the name of an option that is read where the engine is built.
pub fn is_option(name: &str) -> bool {
    OPTIONS.iter().any(|(option, _)| *option == name)
}

fn path(path: &Option<PathBuf>) -> String {
    match path {
        Some(path) => path.to_string_lossy().into_owned(),
        None => String::new(),
    }
}

impl EngineConfig {
    /// The options that are read where the engine is built, with the values that hold.
    pub fn options(&self) -> Vec<(&'static str, String)> {
        let options = OPTIONS.into_iter();
        options.map(|(name, text)| (name, text(self))).collect()
    }

    /// All groups of parameters with the values that hold, each with a name.
    pub fn parameter_groups(&self) -> Groups {
        groups(self.player, self.net, self.rollouts, self.server)
    }
}

/// All groups of parameters with their defaults.
pub fn default_groups() -> Groups {
    let (player, net) = (PlayerParams::default(), NetParams::default());
    let (rollouts, server) = (RolloutParams::default(), ServerParams::default());
    groups(player, net, rollouts, server)
}

fn groups(
    mut player: PlayerParams,
    net: NetParams,
    rollouts: RolloutParams,
    server: ServerParams,
) -> Groups {
    let groups = player.groups().map(|(name, group)| (name, group.list()));
    let mut groups = Vec::from(groups);
    groups.push(("network", net.list()));
    groups.push(("rollouts without a network", rollouts.list()));
    groups.push(("server of `keima analysis`", server.list()));
    groups
}

/// Whether a parameter of any player takes this value.
pub(super) fn check_parameter(setting: &Setting) -> Result<()> {
    let (mut player, mut net) = (PlayerParams::default(), NetParams::default());
    let mut rollouts = RolloutParams::default();
    let mut server = ServerParams::default();
    let mut groups: [&mut dyn Parameters; 4] = [&mut player, &mut net, &mut rollouts, &mut server];
    Ok(set_in(&mut groups, &setting.name, setting.text()?)?)
}

/// The parameters of search, network, rollouts and analysis with their defaults.
pub(super) fn all_parameters() -> Vec<ParamEntry> {
    let groups = default_groups().into_iter();
    groups.flat_map(|(_, entries)| entries).collect()
}
