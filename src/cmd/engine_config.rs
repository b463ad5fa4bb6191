//! The engine's configuration: what the command line and the environment say, resolved into typed values.
//!
//! Each source leaves most of it open. The defaults hold where none says anything, and a source of higher
//! rank overrides one of lower rank. Within one source nothing may be said twice, and what the player would
//! have to ignore is an error.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::device::{DeviceArguments, cores};
use super::player_arguments::{PlayerKind, SearchPreset};
use crate::analysis::ServerParams;
use crate::console::current_parameter;
use crate::games::rollout_evaluator::RolloutParams;
use crate::memory::{self, default_tree_bytes};
use crate::nn::default_network;
use crate::nn::settings::NetParams;
use crate::params::{ParamError, Parameters};
use crate::player::analysis::Perspective;
use crate::player::params::PlayerParams;
use crate::search::params::SearchParams;

/// Memory for cached evaluations where nothing else is said, in megabytes.
const CACHE_MB: u32 = 256;

/// Visits of a move where nothing else limits it, for searches over rollouts, which are cheap.
const DEFAULT_ROLLOUT_VISITS: u64 = 10_000;

/// Visits of an analysis where nothing else limits it.
const ANALYSIS_VISITS: u64 = 500;

/// A parameter as a source sets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// What sets it, for messages: an option or a variable.
    pub origin: String,
    /// The parameter's name, not an old one.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl Setting {
    /// Reads `NAME=VALUE`.
    pub fn parse(origin: &str, text: &str) -> Result<Setting> {
        let (name, value) = text
            .split_once('=')
            .with_context(|| format!("'{text}' is not of the form NAME=VALUE"))?;
        Ok(Setting::new(
            origin,
            current_parameter(name.trim()),
            value.trim(),
        ))
    }

    /// A parameter by its present name.
    pub fn new(origin: &str, name: &str, value: impl ToString) -> Setting {
        Setting {
            origin: origin.to_owned(),
            name: name.to_owned(),
            value: value.to_string(),
        }
    }
}

/// What one source says.
#[derive(Clone, Debug, Default)]
pub struct ConfigSource {
    /// The network's file.
    pub model: Option<PathBuf>,
    /// Who decides on the moves.
    pub player: Option<PlayerKind>,
    /// Where the search's parameters start from.
    pub preset: Option<SearchPreset>,
    /// What computes networks.
    pub device: DeviceArguments,
    /// Positions evaluated in one batch.
    pub batch: Option<u32>,
    /// Memory for cached evaluations, in megabytes.
    pub cache_mb: Option<u32>,
    /// Seed of everything random.
    pub seed: Option<u64>,
    /// Parameters of player, network and rollouts.
    pub settings: Vec<Setting>,
}

impl ConfigSource {
    /// What the environment says. `variable` looks one up; empty ones say nothing.
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Result<ConfigSource> {
        let given = |name: &str| variable(name).filter(|text| !text.is_empty());
        let mut settings = Vec::new();
        if let Some(threads) = given("KEIMA_THREADS") {
            settings.push(Setting::new("KEIMA_THREADS", "numSearchThreads", threads));
        }
        for text in given("KEIMA_SET").iter().flat_map(|text| text.split(',')) {
            settings.push(Setting::parse("KEIMA_SET", text)?);
        }
        Ok(ConfigSource {
            model: given("KEIMA_MODEL").map(PathBuf::from),
            device: DeviceArguments {
                device: parsed("KEIMA_DEVICE", given("KEIMA_DEVICE"))?,
                precision: parsed("KEIMA_PRECISION", given("KEIMA_PRECISION"))?,
            },
            settings,
            ..ConfigSource::default()
        })
    }

    /// This source with what it leaves open as `lower` has it.
    fn or(self, lower: ConfigSource) -> ConfigSource {
        let is_open = |setting: &Setting| self.settings.iter().all(|own| own.name != setting.name);
        let inherited: Vec<Setting> = lower.settings.into_iter().filter(is_open).collect();
        ConfigSource {
            model: self.model.or(lower.model),
            player: self.player.or(lower.player),
            preset: self.preset.or(lower.preset),
            device: DeviceArguments {
                device: self.device.device.or(lower.device.device),
                precision: self.device.precision.or(lower.device.precision),
            },
            batch: self.batch.or(lower.batch),
            cache_mb: self.cache_mb.or(lower.cache_mb),
            seed: self.seed.or(lower.seed),
            settings: [inherited, self.settings].concat(),
        }
    }

    /// Nothing may be set twice.
    fn check(&self) -> Result<()> {
        for (index, setting) in self.settings.iter().enumerate() {
            let earlier = self.settings[..index].iter();
            if let Some(other) = earlier.clone().find(|other| other.name == setting.name) {
                bail!(
                    "{} is set twice, by {} and by {}: leave one out",
                    setting.name,
                    other.origin,
                    setting.origin
                );
            }
            ensure!(
                setting.name != "seed" || self.seed.is_none(),
                "seed is set twice, by --seed and by {}: leave one out",
                setting.origin
            );
        }
        Ok(())
    }
}

/// The value of a variable, if it is set.
fn parsed<T: FromStr<Err = String>>(name: &str, text: Option<String>) -> Result<Option<T>> {
    let value = text.map(|text| text.parse()).transpose();
    value.map_err(|error| anyhow!("{name}: {error}"))
}

/// What the engine is for, which some defaults depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Games, also with a person who has them analyzed.
    Play,
    /// Nothing but analysis.
    Analysis,
}

/// The engine's whole configuration.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// Who decides on the moves.
    pub kind: PlayerKind,
    /// The network's file; none for the built-in networks.
    pub model: Option<PathBuf>,
    /// What computes networks.
    pub device: DeviceArguments,
    /// Positions evaluated in one batch.
    pub batch: usize,
    /// Memory for cached evaluations.
    pub cache_bytes: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether every game has another seed.
    pub renews_seed: bool,
    /// Of a searching player.
    pub player: PlayerParams,
    /// Of a network.
    pub net: NetParams,
    /// Of rollouts in place of a network.
    pub rollouts: RolloutParams,
    /// Of the server of analyses.
    pub server: ServerParams,
}

impl EngineConfig {
    /// Resolves sources for playing, those of higher rank later.
    pub fn resolve(sources: impl IntoIterator<Item = ConfigSource>) -> Result<EngineConfig> {
        EngineConfig::resolve_for(Purpose::Play, sources)
    }

    /// Resolves sources, those of higher rank later.
    pub fn resolve_for(
        purpose: Purpose,
        sources: impl IntoIterator<Item = ConfigSource>,
    ) -> Result<EngineConfig> {
        let mut merged = ConfigSource::default();
        for source in sources {
            source.check()?;
            merged = source.or(merged);
        }
        let has_network = merged.model.is_some() || default_network().is_some();
        let kind = merged.player.unwrap_or(match has_network {
            true => PlayerKind::Puct,
            false => PlayerKind::Rollout,
        });
        refuse_useless_options(kind, &merged)?;
        let is_seeded = merged.settings.iter().any(|setting| setting.name == "seed");
        let seed = merged.seed.unwrap_or_else(rand::random);
        let mut config = EngineConfig {
            kind,
            model: merged.model,
            device: merged.device,
            batch: merged.batch.unwrap_or(1) as usize,
            cache_bytes: (merged.cache_mb.unwrap_or(CACHE_MB) as usize) << 20,
            seed,
            renews_seed: merged.seed.is_none() && !is_seeded,
            player: default_player(kind, merged.preset, seed),
            net: NetParams {
                symmetry_seed: seed,
                ..NetParams::default()
            },
            rollouts: RolloutParams::default(),
            server: ServerParams::default(),
        };
        if purpose == Purpose::Analysis {
            prepare_for_analysis(&mut config.player);
        }
        for setting in &merged.settings {
            config.set(setting, purpose)?;
        }
        Ok(config)
    }

    fn set(&mut self, setting: &Setting, purpose: Purpose) -> Result<()> {
        let Setting {
            origin,
            name,
            value,
        } = setting;
        let kind = self.kind;
        let groups: [(&mut dyn Parameters, bool, &str); 4] = [
            (&mut self.player, kind.searches(), "does not search"),
            (&mut self.net, kind.needs_network(), "uses no network"),
            (
                &mut self.rollouts,
                kind == PlayerKind::Rollout,
                "does not evaluate by rollouts",
            ),
            (
                &mut self.server,
                purpose == Purpose::Analysis,
                "answers no queries in JSON",
            ),
        ];
        for (group, is_used, reason) in groups {
            match group.set(name, value) {
                Err(ParamError::Unknown(_)) => {}
                Ok(()) if !is_used => bail!("this player {reason}: leave {origin} out"),
                result => return Ok(result?),
            }
        }
        Err(ParamError::Unknown(name.clone()).into())
    }
}

/// The parameters before any is set: a preset, by default that of the player, the machine's cores and memory.
fn default_player(kind: PlayerKind, preset: Option<SearchPreset>, seed: u64) -> PlayerParams {
    let is_rollout = kind == PlayerKind::Rollout;
    let search = match preset {
        None if is_rollout => SearchParams::rave(),
        None | Some(SearchPreset::Default) => SearchParams::default(),
        Some(SearchPreset::Plain) => SearchParams::plain(),
        Some(SearchPreset::Alphazero) => SearchParams::alphazero(),
        Some(SearchPreset::Uct) => SearchParams::uct(),
        Some(SearchPreset::Rave) => SearchParams::rave(),
    };
    let mut player = PlayerParams {
        search: SearchParams {
            threads: cores() as u32,
            max_tree_bytes: default_tree_bytes(memory::available()),
            seed,
            ..search
        },
        ..PlayerParams::default()
    };
    player.resignation.allowed = true;
    if is_rollout {
        player.limits.default_visits = DEFAULT_ROLLOUT_VISITS;
    }
    player
}

/// Defaults of KataGo's configuration for analysis (`analysis_example.cfg`) where they differ from those
/// for play.
fn prepare_for_analysis(player: &mut PlayerParams) {
    player.search.wide_root_noise = player.analysis.wide_root_noise;
    player.root.ignore_pre_root_history = true;
    player.analysis.perspective = Perspective::Black;
    player.limits.max_visits = Some(ANALYSIS_VISITS);
}

/// An option that the player would have to ignore is an error.
fn refuse_useless_options(kind: PlayerKind, source: &ConfigSource) -> Result<()> {
    let of_networks = [
        ("--model", source.model.is_some()),
        ("--device", source.device.device.is_some()),
        ("--precision", source.device.precision.is_some()),
        ("--batch", source.batch.is_some()),
        ("--cache-mb", source.cache_mb.is_some()),
    ];
    let given = of_networks.iter().find(|option| option.1);
    if let (false, Some((option, _))) = (kind.needs_network(), given) {
        bail!("this player uses no network: leave {option} out");
    }
    if !kind.searches() && source.preset.is_some() {
        bail!("this player does not search: leave --preset out");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::backend::DeviceChoice;

    fn source(settings: &[&str]) -> ConfigSource {
        let settings = settings.iter().map(|text| Setting::parse("--set", text));
        ConfigSource {
            settings: settings.collect::<Result<_>>().unwrap(),
            ..ConfigSource::default()
        }
    }

    #[test]
    fn later_sources_override_earlier_ones_and_leave_the_rest() {
        let lower = ConfigSource {
            cache_mb: Some(7),
            batch: Some(2),
            ..source(&["cpuctExploration=1.5", "maxVisits=10"])
        };
        let higher = ConfigSource {
            batch: Some(8),
            ..source(&["maxVisits=20"])
        };
        let config = EngineConfig::resolve([lower, higher]).unwrap();
        assert_eq!((config.batch, config.cache_bytes), (8, 7 << 20));
        assert_eq!(config.player.limits.max_visits, Some(20));
        assert_eq!(config.player.search.cpuct, 1.5);
        assert!(config.renews_seed && config.player.resignation.allowed);
    }

    #[test]
    fn a_source_that_says_something_twice_is_refused() {
        let error = |source| EngineConfig::resolve([source]).unwrap_err().to_string();
        let twice = error(source(&["maxVisits=10", "maxVisits=10"]));
        assert!(twice.starts_with("maxVisits is set twice"), "{twice}");
        let seeds = ConfigSource {
            seed: Some(1),
            ..source(&["seed=2"])
        };
        assert!(error(seeds).starts_with("seed is set twice"));
    }

    #[test]
    fn what_the_player_would_ignore_is_refused() {
        let error = |kind, mut source: ConfigSource| {
            source.player = Some(kind);
            EngineConfig::resolve([source]).unwrap_err().to_string()
        };
        let rollout = |settings| error(PlayerKind::Rollout, source(settings));
        assert!(rollout(&["policyOptimism=1"]).contains("uses no network: leave --set out"));
        assert!(rollout(&["no=1"]).contains("no parameter is called 'no'"));
        let puct = error(PlayerKind::Puct, source(&["rollouts=3"]));
        assert!(puct.contains("does not evaluate by rollouts"), "{puct}");
        let policy = error(PlayerKind::Policy, source(&["maxVisits=3"]));
        assert!(policy.contains("does not search"), "{policy}");
        let cached = ConfigSource {
            cache_mb: Some(1),
            ..ConfigSource::default()
        };
        assert!(error(PlayerKind::Random, cached).contains("--cache-mb"));
    }

    #[test]
    fn environment_ranks_below_the_command_line() {
        let environment = ConfigSource::of_environment(|name| match name {
            "KEIMA_DEVICE" => Some("cpu".to_owned()),
            "KEIMA_THREADS" => Some("3".to_owned()),
            "KEIMA_SET" => Some("maxVisits=5, symmetries=none".to_owned()),
            _ => None,
        });
        let config = EngineConfig::resolve([environment.unwrap(), source(&["maxVisits=6"])]);
        let config = config.unwrap();
        assert_eq!(config.device.device, Some(DeviceChoice::Cpu));
        assert_eq!(config.player.search.threads, 3);
        assert_eq!(config.player.limits.max_visits, Some(6));
        let wrong =
            ConfigSource::of_environment(|name| (name == "KEIMA_DEVICE").then(|| "tpu".to_owned()));
        let message = wrong.unwrap_err().to_string();
        assert!(
            message.starts_with("KEIMA_DEVICE: 'tpu' is not"),
            "{message}"
        );
    }
}
