//! `keima bench --model FILE`: search speed with a network. Positions of a game are searched one
//! after another, each with a new tree, for each number of threads.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::{ArgGroup, value_parser};

use super::bench_tune;
use super::device::{DeviceArguments, default_batch};
use super::engine_config::{ConfigSource, EngineConfig, Purpose};
use super::{completed, settings};
use crate::console::{say, tell};
use crate::games::root_bonus::GoBonus;
use crate::go::{BoardSize, Position};
use crate::nn::backend::Backend;
use crate::nn::cache::EvalCache;
use crate::nn::evaluator::{NetEvaluator, NetSettings};
use crate::nn::network::{BUILT_IN, Network};
use crate::nn::sample_games;
use crate::search::limits::Limits;
use crate::search::mcts::Search;
use crate::search::params::SearchParams;

/// Positions searched per measurement.
const POSITIONS: usize = 10;

/// Minimal visits per thread, so that all threads take part in a search.
const VISITS_PER_THREAD: u32 = 8;

/// Numbers of threads that are measured where none are given.
const THREADS_ON_CPU: [u32; 2] = [1, 2];
/// The same on a GPU.
const THREADS_ON_GPU: [u32; 3] = [64, 128, 256];

/// Size of the evaluation cache in bytes; no entry is replaced during a search.
const CACHE_BYTES: usize = 512 << 20;

/// Print the bench signature, or measure search speed
///
/// Without options: search fixed positions without a network and print one number, which is the
/// same on every machine and changes when the search does. With a network: measure visits and
/// evaluations per second, and recommend a number of threads; with --tune, the threads and batch
/// size that play best. Run it on an otherwise idle machine.
#[derive(clap::Args)]
#[command(group = ArgGroup::new("network").args(["model", "config"]).multiple(true))]
pub struct BenchArguments {
    /// Game whose signature is wanted: go, the default, chess, draughts, gomoku or backgammon
    #[arg(long, value_name = "NAME", value_parser = completed::game(), hide_possible_values = true, conflicts_with = "network")]
    pub game: Option<String>,

    /// Network to search with
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,

    /// Configuration file whose network is measured where --model names none
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Board size: 9, 13 or 19
    #[arg(long, default_value = "19", value_parser = settings::board_size, requires = "network")]
    size: BoardSize,

    /// Visits per position
    #[arg(long, default_value_t = 200, value_parser = value_parser!(u32).range(1..), requires = "network")]
    visits: u32,

    /// Numbers of search threads to measure; by default 1 and 2, on a GPU 64, 128 and 256
    #[arg(long, value_name = "N,...", value_delimiter = ',', requires = "network",
        value_parser = value_parser!(u32).range(1..=1024))]
    threads: Vec<u32>,

    /// Batch size: positions evaluated together; by default 1, on a GPU half the number of threads
    #[arg(long, value_parser = value_parser!(u32).range(1..=1024), requires = "network")]
    batch: Option<u32>,

    /// Try numbers of threads and, on a GPU, batch sizes, and recommend the best
    #[arg(long, requires = "network", conflicts_with_all = ["threads", "batch"])]
    tune: bool,

    /// Time per move in the games to tune for
    #[arg(long, default_value = "5", value_parser = settings::positive_seconds, requires = "tune")]
    seconds: f64,

    /// Device and number format.
    #[command(flatten)]
    device: DeviceArguments,
}

impl BenchArguments {
    /// The network to search with, if one is asked for, and what computes it.
    pub fn network(&self) -> Result<Option<(PathBuf, DeviceArguments)>> {
        if let Some(model) = &self.model {
            return Ok(Some((model.clone(), self.device)));
        }
        let Some(file) = &self.config else {
            ensure!(
                self.device.device.is_none() && self.device.precision.is_none(),
                "--device and --precision are for a network: give --model FILE, or --model default"
            );
            return Ok(None);
        };
        let mut options = ConfigSource::default();
        options.add("config", Some(file));
        let config = EngineConfig::load(Purpose::Play, options)?;
        let device = DeviceArguments {
            device: self.device.device.or(config.device.device),
            precision: self.device.precision.or(config.device.precision),
        };
        let model = config.model.unwrap_or_else(|| BUILT_IN[0].into());
        Ok(Some((model, device)))
    }
}

/// Totals of the searches with one number of threads.
#[derive(Default)]
pub(super) struct Totals {
    pub visits: u64,
    pub evaluations: u64,
    time: Duration,
}

impl Totals {
    /// A count per second.
    pub(super) fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.time.as_secs_f64()
    }
}

/// Settings of a measurement.
#[derive(Clone, Copy, Debug)]
pub(super) struct BenchSetting {
    pub threads: u32,
    /// Batch size.
    pub batch: u32,
    /// Visits per position.
    pub visits: u32,
}

/// A loaded network, and positions to search.
pub(super) struct Bench {
    evaluator: NetEvaluator,
    positions: Vec<Position>,
    backend: Backend,
}

/// Measures and prints the table.
pub fn run(arguments: &BenchArguments, model: &Path, device: DeviceArguments) -> Result<()> {
    let network = Network::read_file(model)?;
    let device = device.open()?;
    let positions = sample_games::positions(arguments.size, POSITIONS);
    ensure!(
        !positions.is_empty(),
        "there is no stored game on {0}x{0}",
        arguments.size.width()
    );
    let evaluator = network.evaluator(&device.backend, NetSettings::default())?;
    say(format_args!(
        "{}, {}, {}: {POSITIONS} positions, {} visits each\n",
        network.name(),
        arguments.size,
        device.describe(evaluator.computing()),
        arguments.visits,
    ))?;
    let bench = Bench {
        evaluator,
        positions,
        backend: device.backend,
    };
    if arguments.tune {
        return bench_tune::run(&bench, arguments.visits, arguments.seconds);
    }
    compare_threads(arguments, &bench)
}

fn compare_threads(arguments: &BenchArguments, bench: &Bench) -> Result<()> {
    say(format_args!("threads  visits/s  evaluations/s"))?;
    let mut best: Option<(f64, u32)> = None;
    let defaults = || match bench.prefers_batches() {
        true => THREADS_ON_GPU
            .map(|threads| threads * bench.backend.devices() as u32)
            .to_vec(),
        false => THREADS_ON_CPU.to_vec(),
    };
    let threads = match arguments.threads.is_empty() {
        true => defaults(),
        false => arguments.threads.clone(),
    };
    let batch = |threads: u32| {
        let default = || default_batch(threads as usize, &bench.backend) as u32;
        arguments.batch.unwrap_or_else(default)
    };
    for &threads in &threads {
        let visits = enough_visits(arguments.visits, threads);
        let totals = bench.measure(BenchSetting {
            threads,
            batch: batch(threads),
            visits,
        })?;
        let rate = totals.per_second(totals.visits);
        let evaluations = totals.per_second(totals.evaluations);
        say(format_args!("{threads:7} {rate:9.1} {evaluations:14.1}"))?;
        if visits > arguments.visits {
            tell(format_args!(
                "{threads} threads: {visits} visits each, so that all take part"
            ));
        }
        // At equal visits more threads search worse, so they must be faster.
        if best.is_none_or(|(known, _)| rate > 1.05 * known) {
            best = Some((rate, threads));
        }
    }
    if let Some((_, best)) = best.filter(|_| threads.len() > 1) {
        let batch = match batch(best) {
            1 => String::new(),
            batch => format!(" --batch {batch}"),
        };
        tell(format_args!("recommended: --threads {best}{batch}"));
    }
    Ok(())
}

impl Bench {
    /// Whether larger batches may be faster.
    pub(super) fn prefers_batches(&self) -> bool {
        self.backend.prefers_batches()
    }

    /// Searches all positions.
    pub(super) fn measure(&self, setting: BenchSetting) -> Result<Totals> {
        let mut totals = Totals::default();
        for position in &self.positions {
            self.search(setting, position, &mut totals)?;
        }
        Ok(totals)
    }

    fn search(
        &self,
        setting: BenchSetting,
        position: &Position,
        totals: &mut Totals,
    ) -> Result<()> {
        let evaluator = self.evaluator.clone().in_batches(setting.batch as usize);
        let cache = EvalCache::new(evaluator, CACHE_BYTES);
        let mut search = Search::new(SearchParams {
            threads: setting.threads,
            seed: 0,
            score_scale: (position.size().area() as f64).sqrt(),
            ..SearchParams::default()
        })
        .with_root_bonus(Arc::new(GoBonus::default()));
        search.set_root(position.clone());
        let start = Instant::now();
        let limits = Limits::visits(setting.visits.into());
        search.run(&cache, &limits, &AtomicBool::new(false))?;
        totals.time += start.elapsed();
        totals.visits += search.report().map_or(0, |report| report.visits.into());
        totals.evaluations += cache.store().hits_and_misses().1;
        Ok(())
    }
}

/// Visits for a measurement, so many that all threads take part.
pub(super) fn enough_visits(visits: u32, threads: u32) -> u32 {
    visits.max(VISITS_PER_THREAD * threads)
}
