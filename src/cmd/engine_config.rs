//! The engine's configuration: what files, the environment and the command line say, resolved into typed values.
//!
//! Each source leaves most of it open. The defaults hold where none says anything, and a source of higher
//! rank overrides one of lower rank: defaults, configuration file, environment, KataGo's `-override-config`,
//! command line. Within one source nothing may be said twice, and what the player would have to ignore is an
//! error, except in a file, which speaks of all players.

pub mod file;
mod katago;
mod listing;
mod setting;
mod values;

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail, ensure};

pub use self::file::ConfigFile;
use self::katago::KatagoConfig;
use self::listing::all_parameters;
pub use self::listing::{default_groups, is_option};
pub use self::setting::{ConfigSource, Origin, Setting};
pub use self::values::value_name;
use self::values::{flag, named_value, number, value};
use super::device::DeviceArguments;
use super::player_arguments::{PlayerKind, SearchPreset};
use super::session_log::LogLevel;
use super::settings;
use crate::analysis::ServerParams;
use crate::console::tell;
use crate::games::rollout::RolloutPolicy;
use crate::games::rollout_evaluator::RolloutParams;
use crate::go::{BoardSize, Komi, Rules};
use crate::memory::{self, default_tree_bytes};
use crate::nn::settings::NetParams;
use crate::nn::{default_network, network_folder};
use crate::params::{ParamError, Parameters, unknown_name};
use crate::player::analysis::Perspective;
use crate::player::params::{OF_GAMES, PlayerParams};
use crate::player::search_player::HUMAN_PROFILE;
use crate::search::params::SearchParams;
use crate::threads::cores;

/// Memory for cached evaluations where nothing else is said, in megabytes.
const CACHE_MB: u32 = 256;

/// Visits of a move where nothing else limits it, for searches over rollouts, which are cheap.
const DEFAULT_ROLLOUT_VISITS: u64 = 10_000;

/// Options without use for a player without a network.
const OPTIONS_OF_NETWORKS: [&str; 6] = [
    "model",
    "human-model",
    "device",
    "precision",
    "batch",
    "cache-mb",
];

/// Options without use for a player that does not search.
const OPTIONS_OF_SEARCHES: [&str; 3] = ["preset", "human-model", "rollout-weights"];

/// Visits of an analysis where nothing else limits it.
const ANALYSIS_VISITS: u64 = 500;

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
    /// A network of human play, by which moves are chosen where it is said whom to imitate.
    pub human_model: Option<PathBuf>,
    /// The folder in which networks are searched by name; none for the user's own.
    pub models: Option<PathBuf>,
    /// Where the search's parameters start from, if not from the player's own.
    pub preset: Option<SearchPreset>,
    /// A learned policy of rollouts in place of the built-in one.
    pub rollout_weights: Option<PathBuf>,
    /// What computes networks.
    pub device: DeviceArguments,
    /// Positions evaluated in one batch, if that is configured.
    pub batch: Option<usize>,
    /// Memory for cached evaluations, in megabytes.
    pub cache_mb: u32,
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
    /// Rules at the start.
    pub rules: Rules,
    /// Komi at the start; by default the one usual under the rules.
    pub komi: Option<Komi>,
    /// Board size at the start.
    pub size: BoardSize,
    /// Answer to `name`, if not the one that suits the client.
    pub gtp_name: Option<String>,
    /// Answer to `version`, if not the one that suits the client.
    pub gtp_version: Option<String>,
    /// Whether evaluations of moves are written to standard error, for gtp2ogs.
    pub ogs_chat: bool,
    /// The file for the log, if there is to be one.
    pub log: Option<PathBuf>,
    /// What is logged.
    pub log_level: LogLevel,
    /// Of the server of analyses.
    pub server: ServerParams,
    /// What was set, and by whom.
    pub source: ConfigSource,
}

impl EngineConfig {
    /// The configuration under these options of the command line: the files that are to be read, the
    /// environment, the options. Tells people what is ignored and not used of KataGo's files and overrides.
    pub fn load(purpose: Purpose, options: ConfigSource) -> Result<EngineConfig> {
        EngineConfig::load_with(purpose, options, |remark| tell(format_args!("{remark}")))
    }

    /// The same where people have been told that.
    pub fn load_again(purpose: Purpose, options: ConfigSource) -> Result<EngineConfig> {
        EngineConfig::load_with(purpose, options, |_| {})
    }

    /// The same, with `note` for each remark.
    fn load_with(
        purpose: Purpose,
        mut options: ConfigSource,
        note: impl Fn(String),
    ) -> Result<EngineConfig> {
        let variable = |name: &str| std::env::var_os(name);
        let named = std::iter::from_fn(|| options.take("config"));
        let named = named.map(|setting| setting.value.into()).collect();
        let mut file = ConfigFile::read_all(&file::locations(named, variable))?;
        let mut overrides = match options.take("override-config") {
            Some(setting) => KatagoConfig::of_overrides(setting.text()?),
            None => KatagoConfig::default(),
        };
        file.remove(&overrides.removals);
        if purpose == Purpose::Analysis {
            file = file.for_analysis();
            katago::as_for_analysis(&mut overrides.source);
        }
        for fault in file.ignored().iter().chain(&overrides.faults) {
            note(format!("{fault}; ignored"));
        }
        let remarks = [file.remark.take(), overrides.remark("--override-config")];
        remarks.into_iter().flatten().for_each(note);
        let mut environment = ConfigSource::of_environment(variable)?;
        environment.remove(&overrides.removals);
        let sources = [file.source()?, environment, overrides.source, options];
        let config = EngineConfig::resolve(purpose, sources)?;
        network_folder::search_in(config.models.clone().or_else(file::user_networks));
        Ok(config)
    }

    /// Resolves sources, those of higher rank later.
    pub fn resolve(
        purpose: Purpose,
        sources: impl IntoIterator<Item = ConfigSource>,
    ) -> Result<EngineConfig> {
        let mut merged = ConfigSource::default();
        for source in sources {
            source.check()?;
            merged = source.or(merged);
        }
        let has_network = merged.find("model").is_some() || default_network().is_some();
        let default_kind = match has_network {
            true => PlayerKind::Puct,
            false => PlayerKind::Rollout,
        };
        let kind = value(&merged, "player", named_value)?.unwrap_or(default_kind);
        refuse_useless_options(kind, &merged)?;
        let given_seed = value(&merged, "seed", number)?;
        let seed = given_seed.unwrap_or_else(rand::random);
        let preset = value(&merged, "preset", named_value)?;
        let text = |text: &str| Ok(text.to_owned());
        let path = |name| merged.find(name).map(|it| PathBuf::from(&it.value));
        let mut config = EngineConfig {
            kind,
            model: path("model"),
            human_model: path("human-model"),
            models: path("models"),
            preset,
            rollout_weights: path("rollout-weights"),
            device: DeviceArguments {
                device: value(&merged, "device", str::parse)?,
                precision: value(&merged, "precision", str::parse)?,
            },
            batch: value(&merged, "batch", number)?,
            cache_mb: value(&merged, "cache-mb", number)?.unwrap_or(CACHE_MB),
            seed,
            renews_seed: given_seed.is_none(),
            player: default_player(kind, preset, has_learned_policy(&merged), seed),
            net: NetParams {
                symmetry_seed: seed,
                ..NetParams::default()
            },
            rollouts: RolloutParams::default(),
            rules: value(&merged, "rules", settings::rules)?.unwrap_or(Rules::TROMP_TAYLOR),
            komi: value(&merged, "komi", settings::komi)?,
            size: value(&merged, "size", settings::board_size)?
                .unwrap_or_else(|| BoardSize::square(19)),
            gtp_name: value(&merged, "gtp-name", text)?,
            gtp_version: value(&merged, "gtp-version", text)?,
            ogs_chat: value(&merged, "ogs-chat", flag)?.unwrap_or(false),
            log: path("log"),
            log_level: value(&merged, "log-level", named_value)?.unwrap_or_default(),
            server: ServerParams::default(),
            source: merged,
        };
        if config.rollout_weights.is_some() {
            config.rollouts.policy = RolloutPolicy::Learned;
            config.net.rollout_mix_policy = RolloutPolicy::Learned;
        }
        if purpose == Purpose::Analysis {
            prepare_for_analysis(&mut config.player);
        }
        if imitates_on_request(&config.source) {
            config.player.human.share = 0.0;
        }
        for setting in config.source.settings.clone() {
            if !is_option(&setting.name) {
                config.set(purpose, &setting)?;
            }
        }
        Ok(config)
    }

    /// The komi at the start.
    pub fn start_komi(&self) -> Komi {
        self.komi.unwrap_or_else(|| self.rules.usual_komi())
    }

    fn set(&mut self, purpose: Purpose, setting: &Setting) -> Result<()> {
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
        let origin = &setting.origin;
        let is_option = matches!(origin, Origin::Option(_));
        ensure!(
            purpose == Purpose::Play || !is_option || !OF_GAMES.contains(&setting.name.as_str()),
            "{} has no effect where no games are played: leave {origin} out",
            setting.name
        );
        for (group, is_used, reason) in groups {
            match group.set(&setting.name, setting.text()?) {
                Err(ParamError::Unknown(_)) => {}
                Ok(()) if !is_used && !origin.is_general() => {
                    bail!("this player {reason}: leave {origin} out")
                }
                result => return result.map_err(|error| anyhow!("{origin}: {error}")),
            }
        }
        let known = all_parameters();
        let names = known.iter().map(|entry| entry.name);
        bail!("{origin}: {}", unknown_name(&setting.name, names))
    }
}

/// The folder in which commands other than the engine search networks by name. A file with faults is left to
/// those who use its settings.
pub fn networks_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name);
    let environment = ConfigSource::of_environment(variable).unwrap_or_default();
    let file = file::location(None, variable)
        .map(|path| ConfigFile::read(&path).and_then(ConfigFile::source));
    let file = file.and_then(Result::ok).unwrap_or_default();
    let mut merged = environment.or(file);
    let named = merged.take("models").map(|setting| setting.value.into());
    named.or_else(file::user_networks)
}

/// Whether rollouts without a network follow a learned policy: if they are told to, or if there is one of their own.
fn has_learned_policy(source: &ConfigSource) -> bool {
    let policy = source.find("rolloutPolicy");
    let policy = policy.and_then(|setting| setting.text().ok()?.parse().ok());
    let learned = policy.unwrap_or(RolloutPolicy::Learned);
    let is_given = policy.is_some() || source.find("rollout-weights").is_some();
    is_given && learned == RolloutPolicy::Learned
}

/// The parameters before any is set: a preset, by default that of the player, the machine's cores and memory. A
/// learned policy of rollouts also guides the search.
fn default_player(
    kind: PlayerKind,
    preset: Option<SearchPreset>,
    is_learned: bool,
    seed: u64,
) -> PlayerParams {
    let is_rollout = kind == PlayerKind::Rollout;
    let search = match preset {
        None if is_rollout && is_learned => SearchParams::guided_rollouts(),
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

/// Whether a network of human play chooses moves only where `humanSLChosenMoveProp` says so, as in KataGo: under
/// its configuration files, unless an option of keima says whom to imitate.
fn imitates_on_request(source: &ConfigSource) -> bool {
    let profile = source.find(HUMAN_PROFILE).map(|it| &it.origin);
    let is_asked_for = matches!(profile, Some(Origin::Option(option))
        if ["--human-profile", "--rank"].contains(&option.as_str()));
    source.is_katagos && !is_asked_for
}

/// Defaults of KataGo's configuration for analysis (`analysis_example.cfg`) where they differ from those
/// for play.
fn prepare_for_analysis(player: &mut PlayerParams) {
    player.search.wide_root_noise = player.analysis.wide_root_noise;
    player.root.ignore_pre_root_history = true;
    player.analysis.perspective = Perspective::Black;
    player.limits.max_visits = Some(ANALYSIS_VISITS);
}

/// An option that the player would have to ignore is an error, except in a file.
fn refuse_useless_options(kind: PlayerKind, source: &ConfigSource) -> Result<()> {
    let given = source.settings.iter();
    for Setting { origin, name, .. } in given.filter(|setting| !setting.origin.is_general()) {
        if !kind.needs_network() && OPTIONS_OF_NETWORKS.contains(&&**name) {
            bail!("this player uses no network: leave {origin} out");
        }
        if !kind.searches() && OPTIONS_OF_SEARCHES.contains(&&**name) {
            bail!("this player does not search: leave {origin} out");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::backend::DeviceChoice;
    use crate::player::search_player::HumanParams;

    fn source(settings: &[&str]) -> ConfigSource {
        let origin = Origin::Option("--set".to_owned());
        let settings = settings.iter();
        let settings = settings.map(|text| Setting::parse(origin.clone(), text));
        ConfigSource {
            settings: settings.collect::<Result<_>>().unwrap(),
            is_katagos: false,
        }
    }

    /// The same with options, whose names have no dashes here.
    fn with(mut source: ConfigSource, options: &[(&str, &str)]) -> ConfigSource {
        for (name, value) in options {
            source.add(name, Some(value));
        }
        source
    }

    #[test]
    fn later_sources_override_earlier_ones_and_leave_the_rest() {
        let lower = source(&["cpuctExploration=1.5", "maxVisits=10"]);
        let lower = with(lower, &[("cache-mb", "7"), ("batch", "2")]);
        let higher = with(source(&["maxVisits=20"]), &[("batch", "8")]);
        let config = EngineConfig::resolve(Purpose::Play, [lower, higher]).unwrap();
        assert_eq!((config.batch, config.cache_mb), (Some(8), 7));
        assert_eq!(config.player.limits.max_visits, Some(20));
        assert_eq!(config.player.search.cpuct, 1.5);
        assert!(config.renews_seed && config.player.resignation.allowed);
    }

    #[test]
    fn katagos_files_leave_moves_to_the_search_unless_asked() {
        let share = |line: &str, option: Option<Setting>| {
            let origin = Origin::Line("gtp.cfg".into(), 1);
            let file = ConfigSource {
                settings: vec![Setting::parse(origin, line).unwrap()],
                is_katagos: true,
            };
            let options = ConfigSource {
                settings: option.into_iter().collect(),
                is_katagos: false,
            };
            let config = EngineConfig::resolve(Purpose::Play, [file, options]).unwrap();
            config.player.human.share
        };
        assert_eq!(share("humanSLProfile=rank_5k", None), 0.0);
        assert_eq!(share("humanSLChosenMoveProp=0.5", None), 0.5);
        let profile = |option| Some(Setting::of_option(option, HUMAN_PROFILE, "rank_5k"));
        for option in ["--human-profile", "--rank"] {
            assert_eq!(share("maxVisits=5", profile(option)), 1.0);
        }
        assert_eq!(share("maxVisits=5", profile("--set")), 0.0);
        let visits = Setting::of_option("--visits", "maxVisits", "7");
        assert_eq!(share("maxVisits=5", Some(visits)), 0.0);
        assert_eq!(HumanParams::default().share, 1.0);
    }

    #[test]
    fn a_source_that_says_something_twice_is_refused() {
        let error = |source| {
            EngineConfig::resolve(Purpose::Play, [source])
                .unwrap_err()
                .to_string()
        };
        let twice = error(source(&["maxVisits=10", "maxVisits=10"]));
        assert!(twice.starts_with("maxVisits is set twice"), "{twice}");
        let seeds = with(source(&["seed=2"]), &[("seed", "1")]);
        assert!(error(seeds).starts_with("seed is set twice"));
    }

    #[test]
    fn what_the_player_would_ignore_is_refused() {
        let error = |kind, source: ConfigSource| {
            let source = with(source, &[("player", &value_name(&kind))]);
            EngineConfig::resolve(Purpose::Play, [source])
                .unwrap_err()
                .to_string()
        };
        let rollout = |settings| error(PlayerKind::Rollout, source(settings));
        assert!(rollout(&["policyOptimism=1"]).contains("uses no network: leave --set out"));
        assert!(rollout(&["no=1"]).contains("no parameter is called 'no'"));
        let puct = error(PlayerKind::Puct, source(&["rollouts=3"]));
        assert!(puct.contains("does not evaluate by rollouts"), "{puct}");
        let policy = error(PlayerKind::Policy, source(&["maxVisits=3"]));
        assert!(policy.contains("does not search"), "{policy}");
        let cached = with(source(&[]), &[("cache-mb", "1")]);
        assert!(error(PlayerKind::Random, cached).contains("--cache-mb"));
    }

    #[test]
    fn environment_ranks_below_the_command_line() {
        let environment = ConfigSource::of_environment(|name| match name {
            "KEIMA_DEVICE" => Some("cpu".into()),
            "KEIMA_THREADS" => Some("3".into()),
            "KEIMA_SET" => Some("maxVisits=5, symmetries=none".into()),
            _ => None,
        });
        let config = EngineConfig::resolve(
            Purpose::Play,
            [environment.unwrap(), source(&["maxVisits=6"])],
        );
        let config = config.unwrap();
        assert_eq!(config.device.device, Some(DeviceChoice::Cpu));
        assert_eq!(config.player.search.threads, 3);
        assert_eq!(config.player.limits.max_visits, Some(6));
        let wrong =
            ConfigSource::of_environment(|name| (name == "KEIMA_DEVICE").then(|| "tpu".into()));
        let wrong = EngineConfig::resolve(Purpose::Play, [wrong.unwrap()]);
        let message = wrong.unwrap_err().to_string();
        assert!(
            message.starts_with("KEIMA_DEVICE: 'tpu' is not"),
            "{message}"
        );
    }
}
