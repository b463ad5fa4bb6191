//! All that can be configured, with the values that hold.

use std::path::PathBuf;

use anyhow::Result;

use super::EngineConfig;
use super::setting::{OPTIONS, Setting};
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

impl EngineConfig {
    /// The options that are no parameters, with the values that hold.
    pub fn options(&self) -> Vec<(&'static str, String)> {
        let path = |path: &Option<PathBuf>| match path {
            Some(path) => path.to_string_lossy().into_owned(),
            None => String::new(),
        };
        let default_model = || BUILT_IN[0].to_owned();
        let texts: [String; OPTIONS.len()] = [
            self.model
                .as_ref()
                .map_or_else(default_model, |_| path(&self.model)),
            path(&self.human_model),
            path(&self.models),
            value_name(&self.kind),
            self.preset.as_ref().map(value_name).unwrap_or_default(),
            path(&self.rollout_weights),
            self.device.device.unwrap_or_default().to_string(),
            self.device.precision.unwrap_or_default().to_string(),
            text_of(self.batch),
            self.cache_mb.to_string(),
            text_of((!self.renews_seed).then_some(self.seed)),
            rules_json::text(&self.rules),
            text_of(self.komi),
            self.size.to_string(),
            self.gtp_name.clone().unwrap_or_default(),
            self.gtp_version.clone().unwrap_or_default(),
            self.ogs_chat.to_string(),
            path(&self.log),
            value_name(&self.log_level),
        ];
        OPTIONS.into_iter().zip(texts).collect()
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
