//! Options of a game of Go in the terminal.

use anyhow::{Result, bail};
use clap::Args;
use clap::builder::TypedValueParser;

use super::seat::{NAMES, SeatChoice};
use crate::clock::TimeControl;
use crate::cmd::completed::completed;
use crate::cmd::engine_config::{ConfigSource, EngineConfig, Origin, Purpose, Setting, value_name};
use crate::cmd::player_arguments::{PlayerArguments, PlayerKind, text};
use crate::cmd::rules_arguments::RulesArguments;
use crate::cmd::settings;
use crate::go::{BoardSize, Komi, PerColor, Rules};
use crate::nn::metadata::HumanProfile;
use crate::player::rank::Rank;
use crate::player::search_player::HUMAN_PROFILE;

/// The rules where nothing else is said: those with agreement on dead stones, as people know them.
const DEFAULT_RULES: Rules = Rules::CHINESE;

/// What is said of a rank that cannot be played.
const NO_RANK: &str = "not a rank from 15k to 3d, as 5k, or from 20k to 9d with a network that imitates people, given by --human-model";

/// Most handicap stones; small boards have room for fewer.
const MOST_STONES: u32 = 99;

/// Options of Go.
#[derive(Args)]
pub struct GoArguments {
    /// Who has Black: person, keima (the player that the options below describe), search, policy, value,
    /// rollout, random, or another GTP engine as in "gtp:gnugo --mode gtp"; by default a person against
    /// keima
    #[arg(long, value_name = "WHO", value_parser = seat(), hide_possible_values = true)]
    pub black: Option<SeatChoice>,

    /// Who has White, in the same way
    #[arg(long, value_name = "WHO", value_parser = seat(), hide_possible_values = true)]
    pub white: Option<SeatChoice>,

    /// Board size: 19, the default, or width and height as in 9x7
    #[arg(long, short, value_parser = settings::board_size, conflicts_with = "load")]
    pub size: Option<BoardSize>,

    /// Rules and komi.
    #[command(flatten)]
    pub rules: RulesArguments,

    /// Handicap stones for Black, from 2 on
    #[arg(long, value_name = "STONES", value_parser = handicap, conflicts_with = "load")]
    pub handicap: Option<u32>,

    /// Time for each player: none, the default, 10m (sudden death), 5m+3s (increment), 5m+30s/10
    /// (Canadian), 5m+30sx3 (Japanese), 2s/move
    #[arg(long, value_name = "SPEC")]
    pub time: Option<TimeControl>,

    /// Rank at which keima plays, from 15k to 3d; with --human-model that network imitates people of the
    /// rank, from 20k to 9d
    #[arg(long, value_name = "RANK", value_parser = rank, conflicts_with = "human_profile")]
    pub rank: Option<HumanProfile>,

    /// How keima finds its moves.
    #[command(flatten)]
    pub player: PlayerArguments,
}

/// Who plays, with the names that shells complete.
fn seat() -> impl TypedValueParser<Value = SeatChoice> {
    completed(|text: &str| text.parse::<SeatChoice>(), NAMES)
}

/// A rank like `5k`.
fn rank(text: &str) -> Result<HumanProfile, String> {
    let is_rank = text.ends_with(['k', 'd']) && !text.contains('_');
    let profile = format!("rank_{text}").parse().ok();
    profile
        .filter(|_| is_rank)
        .ok_or_else(|| NO_RANK.to_owned())
}

/// A number of handicap stones.
fn handicap(text: &str) -> Result<u32, String> {
    settings::whole::<2, MOST_STONES>(text).map_err(|_| {
        format!(
            "not a number of stones from 2 to {MOST_STONES}: leave --handicap out where Black only moves first (--komi 0.5)"
        )
    })
}

impl GoArguments {
    /// The first option that was given.
    pub fn given(&self) -> Result<Option<String>> {
        let own = [
            (self.black.is_some(), "--black"),
            (self.white.is_some(), "--white"),
            (self.handicap.is_some(), "--handicap"),
            (self.time.is_some(), "--time"),
            (self.rank.is_some(), "--rank"),
        ];
        let own = own
            .into_iter()
            .find_map(|(is_given, option)| is_given.then(|| option.to_owned()));
        let settings = self.source()?.settings;
        let setting = settings.first().map(|setting| setting.origin.to_string());
        Ok(own.or(setting))
    }

    /// Who plays the colors.
    pub fn seats(&self) -> PerColor<SeatChoice> {
        PerColor(match (self.black.clone(), self.white.clone()) {
            (Some(black), Some(white)) => [black, white],
            (Some(black), None) => [black.clone(), black.default_opponent()],
            (None, Some(white)) => [white.default_opponent(), white],
            (None, None) => [SeatChoice::Person, SeatChoice::Engine(None)],
        })
    }

    /// The options as a source of the configuration.
    fn source(&self) -> Result<ConfigSource> {
        let mut source = self.player.clone().source()?;
        self.rules.add_to(&mut source);
        source.add("size", text(self.size));
        Ok(source)
    }

    /// The configuration of the kind of player that the options describe, or, after that, of another one, which
    /// makes of them what it can.
    pub fn config(&self, kind: Option<PlayerKind>) -> Result<EngineConfig> {
        let mut source = self.source()?;
        if let Some(kind) = kind {
            for setting in &mut source.settings {
                setting.origin = Origin::Override;
            }
            source.take("player");
            let player = Setting::new(Origin::Override, "player", value_name(&kind));
            source.settings.push(player);
        }
        let load = match kind {
            None => EngineConfig::load,
            Some(_) => EngineConfig::load_again,
        };
        let mut config = load(Purpose::Play, source.clone())?;
        let imitates = config.human_model.is_some() && config.kind.needs_network();
        if self.rank.is_some() && imitates {
            // So that an option which says whom to imitate, too, is refused.
            source.settings.retain(|it| it.name == HUMAN_PROFILE);
            source.add_as("rank", HUMAN_PROFILE, text(self.rank));
            config = EngineConfig::resolve(Purpose::Play, [config.source, source])?;
        }
        if config.source.find("rules").is_none() {
            config.rules = DEFAULT_RULES;
        }
        Ok(config)
    }

    /// The rank that was asked for.
    pub fn rank_name(&self) -> Option<String> {
        self.rank.as_ref().and_then(HumanProfile::rank)
    }

    /// The rank of the program's own ladder that was asked for: without a network of human play.
    pub fn rank_by_oversights(&self, config: &EngineConfig) -> Result<Option<Rank>> {
        let rank = self.rank_name().filter(|_| config.human_model.is_none());
        let Some(name) = rank else {
            return Ok(None);
        };
        for name in ["maxVisits", "maxPlayouts", "maxTime"] {
            if let Some(setting) = config.source.find(name)
                && let Origin::Option(option) = &setting.origin
            {
                bail!("{option}: --rank says how long keima searches");
            }
        }
        match name.parse() {
            Ok(rank) => Ok(Some(rank)),
            Err(_) => bail!("--rank {name}: {NO_RANK}"),
        }
    }

    /// The komi at the start.
    pub fn start_komi(&self, config: &EngineConfig) -> Komi {
        match self.handicap {
            Some(_) if config.komi.is_none() => Komi::from_half(1),
            _ => config.start_komi(),
        }
    }
}
