//! `keima gate`: a match that decides whether a net becomes the current one of a training run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::value_parser;

use super::device::DeviceArguments;
use super::engine_config::{EngineConfig, Purpose};
use super::matches::gtp_contestant::{GtpContestant, Patience};
use super::matches::local_engine::LocalEngine;
use super::matches::run::{self, MatchFiles, MatchPlan, MatchPlayer};
use super::matches::sprt::SprtArguments;
use super::player_arguments::{PlayerArguments, PlayerKind};
use super::players::Builder;
use super::{completed, settings};
use crate::arena::contest::Conditions;
use crate::arena::contestant::Contestant;
use crate::arena::openings::Opening;
use crate::arena::series::{Division, Series};
use crate::arena::standing::Standing;
use crate::clock::TimeControl;
use crate::console::{counted, say, tell};
use crate::files::lock::FileLock;
use crate::formats::rules_json;
use crate::go::{BoardSize, Komi, Rules};
use crate::nn::evaluator::NetSettings;
use crate::nn::network::{Network, stored_bytes};
use crate::threads::{cores, locked};
use crate::train::nets;

mod folder;
mod openings;

use folder::{Gate, GateSettings, NetIdentity, Verdict};

/// Default visits per move.
const DEFAULT_VISITS: u32 = 64;
/// Timeout of players in this process, which always answer.
const PATIENCE: Patience = Patience {
    command: Duration::MAX,
    genmove: Duration::MAX,
};
/// Exit status if the net is refused; errors have 1.
const REFUSED: u8 = 3;

/// Admit a network to a self-play run if it beats the current one
///
/// The candidate plays pairs of games against the run's current network until a sequential test is
/// decided; if there is none, the opponent is a rollout player (UCT). If the candidate is found
/// stronger it becomes nets/NNNN-HASH, and nets/current.json names it; otherwise the exit status is
/// 3. All data is in gates/NNNN, the verdict in gates/NNNN.json. After a crash the same command
/// resumes.
#[derive(Clone, Debug, clap::Args)]
pub struct GateArguments {
    /// Folder of the run
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Candidate network: a file, or a built-in one: `default` or `small`
    #[arg(long, value_name = "NET")]
    candidate: PathBuf,

    /// Opponent, instead of the run's current network
    #[arg(long, value_name = "NET")]
    against: Option<PathBuf>,

    /// Stopping rule.
    #[command(flatten)]
    sprt: SprtArguments,

    /// Maximal number of games; if the test is then undecided, the candidate is refused
    #[arg(long, short, value_name = "N", default_value_t = 2000, value_parser = value_parser!(u32).range(2..))]
    games: u32,

    /// Board sizes, used in turn
    #[arg(long, value_name = "SIZE,...", value_delimiter = ',', default_value = "9,13,19", value_parser = settings::board_size)]
    sizes: Vec<BoardSize>,

    /// Visits per move [default: 64, or unlimited with --time]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    visits: Option<u32>,

    /// Time for each player, for example 1s/move; see `keima match`
    #[arg(long, value_name = "SPEC", default_value = "none")]
    time: TimeControl,

    /// Komi
    #[arg(long, value_name = "POINTS", default_value = "7.5", value_parser = settings::komi, allow_negative_numbers = true)]
    komi: Komi,

    /// Rule set
    #[arg(long, default_value = "tromp-taylor", value_parser = completed::rules(), hide_possible_values = true)]
    rules: Rules,

    /// Games played at the same time [default: 1 with --time, else the number of cores]
    #[arg(long, short, value_name = "N")]
    parallel: Option<usize>,

    /// Search threads per player
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=1024))]
    threads: u32,

    /// Random seed of the openings
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Device and number format.
    #[command(flatten)]
    device: DeviceArguments,
}

/// Runs the gate.
pub fn run(arguments: &GateArguments) -> Result<ExitCode> {
    let run = &arguments.run;
    ensure!(run.is_dir(), "{} is no folder of a run", run.display());
    let file_lock = FileLock::take(&run.join("gate"))?;
    let file_lock =
        file_lock.with_context(|| format!("another gate works in {}", run.display()))?;
    let bytes = stored_bytes(&arguments.candidate)?;
    let candidate = NetIdentity::of_candidate(&bytes, &arguments.candidate, &arguments.sizes)?;
    let settings = arguments.settings()?;
    let opponent = arguments.opponent()?;
    let gate = match Gate::unfinished(run, &candidate, opponent.as_ref(), &settings)? {
        Some(gate) => gate,
        None => {
            let current = nets::current(run)?;
            if current.is_some_and(|current| current.sha256 == candidate.sha256) {
                say(format_args!("{} is in use already", candidate.name))?;
                return Ok(ExitCode::SUCCESS);
            }
            if let Some(verdict) = Gate::refused(run, &candidate, opponent.as_ref(), &settings)? {
                return announce(&verdict);
            }
            let file = &arguments.candidate;
            Gate::begin(run, (file, &bytes), candidate, opponent, settings)?
        }
    };
    let standing = run::play(&arguments.plan(&gate)?)?;
    let verdict = conclude(run, &gate, &standing)?;
    file_lock.release()?;
    announce(&verdict)
}

/// Stores the net first, so that the name in use always exists; the verdict last, so that an
/// interrupted gate is repeated.
fn conclude(run: &Path, gate: &Gate, standing: &Standing) -> Result<Verdict> {
    let verdict = Verdict::new(gate, standing);
    if verdict.is_admitted() {
        let bytes = stored_bytes(&gate.candidate())?;
        let file = nets::store(run, gate.number, &bytes, nets::ending(&gate.candidate()))?;
        let net = verdict.net(gate, file, nets::current(run)?.as_ref());
        nets::use_from_now_on(run, &net)?;
    }
    gate.write(&verdict)?;
    Ok(verdict)
}

fn announce(verdict: &Verdict) -> Result<ExitCode> {
    say(format_args!("{verdict}"))?;
    Ok(match verdict.is_admitted() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(REFUSED),
    })
}

impl GateArguments {
    fn settings(&self) -> Result<GateSettings> {
        let hypotheses = self.sprt.sprt.unwrap_or((0.0, 30.0));
        Ok(GateSettings {
            sprt: self.sprt.test_of(hypotheses)?,
            games: self.games,
            sizes: self.sizes.iter().map(BoardSize::to_string).collect(),
            visits: match self.time {
                TimeControl::Unlimited => self.visits.or(Some(DEFAULT_VISITS)),
                _ => self.visits,
            },
            time: self.time.to_string(),
            komi: self.komi.to_string(),
            rules: rules_json::text(&self.rules),
            threads: self.threads,
            seed: self.seed,
        })
    }

    fn parallel(&self) -> usize {
        let default = match self.time {
            TimeControl::Unlimited => cores(),
            _ => 1,
        };
        self.parallel.unwrap_or(default)
    }

    /// File and net of the opponent, if it is a net.
    fn opponent(&self) -> Result<Option<(PathBuf, NetIdentity)>> {
        let current = nets::current(&self.run)?;
        let file = match (&self.against, &current) {
            (Some(file), _) => file.clone(),
            (None, Some(net)) => self.run.join(&net.file),
            (None, None) => return Ok(None),
        };
        let mut net = NetIdentity::of_opponent(&stored_bytes(&file)?, &file, &self.sizes)?;
        if let Some(current) = current.filter(|current| current.sha256 == net.sha256) {
            net.elo = current.elo;
            net.file = Some(current.file);
        }
        Ok(Some((file, net)))
    }

    fn plan(&self, gate: &Gate) -> Result<MatchPlan> {
        let stop = run::interrupted()?;
        let [candidate, opponent] = gate.identities();
        let player = |name, net, identity| self.player(name, net, identity, &stop);
        Ok(MatchPlan {
            series: self.series(gate)?,
            players: [
                player("candidate", Some(gate.candidate()), candidate),
                player("opponent", gate.opponent(), opponent),
            ],
            sprt: Some(gate.settings().sprt),
            files: MatchFiles::in_folder::<Conditions>(&gate.folder),
            stop,
        })
    }

    /// A player in this process, with a net or rollouts. All games share the net.
    fn player(
        &self,
        name: &'static str,
        net: Option<PathBuf>,
        identity: String,
        stop: &Arc<AtomicBool>,
    ) -> MatchPlayer {
        let description = match &net {
            Some(net) => format!("{name}: {}", net.display()),
            None => format!("{name}: rollouts"),
        };
        let (arguments, stop) = (self.player_arguments(net), Arc::clone(stop));
        let load = move || -> Result<Arc<Builder>> {
            let config = EngineConfig::resolve(Purpose::Play, [arguments.clone().source()?])?;
            Ok(Arc::new(Builder::new(config)?))
        };
        let loaded = Mutex::new(None);
        let make = move || -> Result<Box<dyn Contestant>> {
            let mut loaded = locked(&loaded);
            let builder = match &*loaded {
                Some(builder) => Arc::clone(builder),
                None => Arc::clone(loaded.insert(load()?)),
            };
            drop(loaded);
            let player = builder.independent_player().player;
            let engine = LocalEngine::new(name, player, Arc::clone(&stop));
            Ok(Box::new(GtpContestant::over(Box::new(engine), PATIENCE)?))
        };
        MatchPlayer {
            description,
            identity,
            make: Box::new(make),
        }
    }

    /// Settings of a player with a net or rollouts.
    fn player_arguments(&self, net: Option<PathBuf>) -> PlayerArguments {
        PlayerArguments {
            player: net.is_none().then_some(PlayerKind::Rollout),
            device: match net {
                Some(_) => self.device,
                None => DeviceArguments::default(),
            },
            model: net,
            threads: Some(self.threads),
            ..PlayerArguments::default()
        }
    }

    fn series(&self, gate: &Gate) -> Result<Series> {
        let openings = match gate.openings()? {
            Some(openings) => openings,
            None => {
                let drawn = self.draw_openings(gate)?;
                gate.keep_openings(&drawn)?;
                drawn
            }
        };
        let divisions = self.sizes.iter().zip(openings);
        let divisions = divisions.map(|(&size, openings)| {
            let conditions = self.conditions(gate, size);
            Division::new(conditions, openings)
        });
        Ok(Series {
            games: self.games as usize,
            parallel: self.parallel(),
            divisions: divisions.collect(),
        })
    }

    /// Openings for each size.
    fn draw_openings(&self, gate: &Gate) -> Result<Vec<Vec<Opening>>> {
        let judge = gate.opponent().unwrap_or_else(|| gate.candidate());
        let network = Network::read_file(&judge)?;
        let device = self.device.open()?;
        let evaluator = network.evaluator(&device.backend, NetSettings::default())?;
        // Pairs with the same opening would not be independent.
        let count = (self.games as usize).div_ceil(2).div_ceil(self.sizes.len());
        let all = counted(count * self.sizes.len(), "opening");
        tell(format_args!("drawing {all} by the network to be beaten"));
        let drawn = self.sizes.iter().map(|&size| {
            let conditions = self.conditions(gate, size);
            openings::make(&evaluator, &conditions, count, self.seed)
        });
        drawn.collect()
    }

    fn conditions(&self, gate: &Gate, size: BoardSize) -> Conditions {
        Conditions {
            size,
            komi: self.komi,
            rules: self.rules,
            time: self.time,
            visits: gate.settings().visits,
            margin: Duration::from_millis(200),
            max_moves: 4 * size.area(),
        }
    }
}
