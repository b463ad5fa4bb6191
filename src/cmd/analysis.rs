//! `keima analysis`: many positions at once, by JSON.

use std::io::BufReader;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;

use super::device::{LEAVES_FOR_GPU, default_batch, evaluating_threads};
use super::engine_config::{ConfigSource, EngineConfig, Purpose};
use super::gtp::reader_is_gone;
use super::interrupts::stop_flag;
use super::player_arguments::{PlayerArguments, PlayerKind, text};
use super::players::{self, LoadedNetworks};
use super::settings;
use crate::analysis::engine::MakePlayer;
use crate::analysis::{End, Engine, ModelInfo, Server};
use crate::console::tell;
use crate::nn::backend::Backend;
use crate::player::evaluators::{Evaluators, Rollouts};
use crate::player::search_player::SearchPlayer;
use crate::search::TreeMemory;

/// The version of KataGo whose protocol is spoken: clients ask by it for what they may use.
const PROTOCOL_VERSION: &str = "1.17.2";

/// Analyze many positions at once, by KataGo's JSON protocol on stdin and stdout
#[derive(Args, Clone)]
pub struct AnalysisArguments {
    /// How positions are searched. `--threads` are those of all positions together.
    #[command(flatten)]
    pub player: PlayerArguments,

    /// Positions analyzed at once (KataGo's numAnalysisThreads); by default as many as --threads allows:
    /// one for each core, on a GPU at least 128
    #[arg(long, value_name = "N", value_parser = settings::whole::<1, 16384>)]
    pub analysis_threads: Option<u32>,

    /// Search threads for each position (KataGo's numSearchThreadsPerAnalysisThread); by default 1, with
    /// which equal queries get equal answers
    #[arg(long, value_name = "N", value_parser = settings::whole::<1, 1024>)]
    pub search_threads: Option<u32>,

    /// When the input ends, end all searches
    #[arg(long)]
    pub quit_without_waiting: bool,

    /// Answer to the action `query_version`: clients take it for KataGo's version and decide by it what
    /// they may ask for
    #[arg(long, value_name = "TEXT", default_value = PROTOCOL_VERSION)]
    pub report_version: String,
}

impl AnalysisArguments {
    fn source(&self) -> Result<ConfigSource> {
        let mut source = self.player.clone().source()?;
        let positions = text(self.analysis_threads);
        source.add_as("analysis-threads", "numAnalysisThreads", positions);
        let per_position = "numSearchThreadsPerAnalysisThread";
        source.add_as("search-threads", per_position, text(self.search_threads));
        Ok(source)
    }
}

/// Exit status after an error. KaTrain says nothing to its user where it is 1.
const FAILED: u8 = 2;

/// Answers queries until the input ends. Errors are told.
pub fn run(arguments: AnalysisArguments) -> ExitCode {
    match serve(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(format_args!("{error:#}"));
            ExitCode::from(FAILED)
        }
    }
}

fn serve(arguments: AnalysisArguments) -> Result<()> {
    let mut config = EngineConfig::load(Purpose::Analysis, arguments.source()?)?;
    let engine = Prepared::new(&mut config)?;
    tell(format_args!(
        "version {}, {}",
        env!("CARGO_PKG_VERSION"),
        engine.description
    ));
    let server = Server::new(Engine {
        make_player: engine.make_player,
        models: engine.models,
        version: arguments.report_version,
        params: config.server,
    });
    let stopped = server.clone();
    stop_flag("ending the analyses", move || stopped.stop())?;
    let end = match arguments.quit_without_waiting {
        true => End::Quits,
        false => End::Waits,
    };
    // The words by which clients know that they can begin.
    tell(format_args!(
        "{} positions at once; started, ready to begin handling requests",
        engine.positions
    ));
    let input = BufReader::new(std::io::stdin());
    let output = std::io::stdout();
    server.serve(engine.positions, input, output, end, reader_is_gone)
}

/// What analyzes positions.
pub(super) struct Prepared {
    /// Makes a player for one search.
    pub(super) make_player: Box<MakePlayer>,
    /// The networks.
    pub(super) models: Vec<ModelInfo>,
    /// Positions analyzed at once.
    pub(super) positions: usize,
    /// For display.
    pub(super) description: String,
}

impl Prepared {
    /// Loads networks, and shares threads among the positions that are searched at once.
    pub(super) fn new(config: &mut EngineConfig) -> Result<Prepared> {
        if !config.kind.searches() {
            bail!("this player does not search: analysis needs --player puct or rollout");
        }
        if config.kind == PlayerKind::Rollout {
            let positions = share_threads(config, config.player.search.threads);
            let memory = tree_memory(config, positions);
            let (player, rollouts, seed) = (config.player, config.rollouts, config.seed);
            let learned = players::learned_policy(config)?;
            return Ok(Prepared {
                make_player: Box::new(move || {
                    let rollouts = Rollouts::new(rollouts, seed).with_learned(learned.clone());
                    SearchPlayer::new(player, Box::new(rollouts))
                        .with_tree_memory(Arc::clone(&memory))
                }),
                models: Vec::new(),
                positions,
                description: players::ROLLOUTS.to_owned(),
            });
        }
        let (asked_for, own) = (config.batch, config.player.search.threads);
        let threads = |backend: &Backend| match backend.prefers_batches() {
            true => own.max(evaluating_threads(None, backend) as u32),
            false => own,
        };
        let batch = |backend: &Backend| {
            asked_for.unwrap_or_else(|| default_batch(threads(backend) as usize, backend))
        };
        let loaded = players::load(config, batch)?;
        let positions = share_threads(config, threads(&loaded.backend));
        let memory = tree_memory(config, positions);
        let is_one_by_one = config.server.threads == 1 && config.source.find("batchSize").is_none();
        if loaded.backend.prefers_batches() && is_one_by_one {
            config.player.search.batch_size = LEAVES_FOR_GPU;
        }
        let models = models(config, &loaded);
        let (player, networks, human) = (config.player, loaded.networks, loaded.human);
        Ok(Prepared {
            make_player: Box::new(move || {
                let human = human.clone().map(|human| Box::new(human) as _);
                SearchPlayer::new(player, Box::new(networks.clone()))
                    .with_human(human)
                    .with_tree_memory(Arc::clone(&memory))
            }),
            models,
            positions,
            description: format!("search with {}", loaded.description),
        })
    }
}

/// Gives each position its threads; the number of positions at once.
fn share_threads(config: &mut EngineConfig, threads: u32) -> usize {
    let each = config.server.threads;
    let positions = config.server.positions.unwrap_or(threads / each).max(1);
    config.player.search.threads = each;
    positions as usize
}

/// The memory for the trees of all positions.
fn tree_memory(config: &EngineConfig, positions: usize) -> Arc<TreeMemory> {
    let bytes = config.player.search.max_tree_bytes;
    Arc::new(TreeMemory::new(bytes, positions))
}

/// The networks for clients.
fn models(config: &EngineConfig, loaded: &LoadedNetworks) -> Vec<ModelInfo> {
    let name = |file: &Option<PathBuf>, otherwise: &str| {
        let file = file.as_ref().map(|file| file.display().to_string());
        file.unwrap_or_else(|| otherwise.to_owned())
    };
    let human = loaded.human.iter().flat_map(Evaluators::models);
    let human = human.map(|model| (model, name(&config.human_model, "human")));
    let names = [name(&config.model, "default"), "small".to_owned()];
    let own = loaded.networks.models().into_iter().zip(names);
    let named = own.chain(human);
    named
        .map(|(model, name)| ModelInfo { name, ..model })
        .collect()
}
