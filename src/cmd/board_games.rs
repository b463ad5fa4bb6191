//! The board games besides Go, by name. Only this file and `games` name their folders.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::network_chooser::NetworkChooser;
use crate::data::board_games::{default_inputs, inputs_for, read_games};
use crate::data::board_summary::Summary;
use crate::files;
use crate::games::backgammon::{self, BackgammonPosition, external, learning, model, player};
use crate::games::board_game::BoardGame;
use crate::games::chess::{ChessPosition, uci, uci::Host};
use crate::games::chooser::Chooser;
use crate::games::dice_game::DiceGame;
use crate::games::draughts::{self, DraughtsPosition, hub};
use crate::games::gomoku::{GomokuPosition, Rule, answers, piskvork};
use crate::memory;
use crate::minimax::Engine;
use crate::nn::backend::{self, DeviceChoice, Precision};
use crate::nn::board_evaluator::BoardEvaluator;
use crate::nn::network::{Network, stored_bytes, unusable};

pub(super) use answers::{
    converted as gomoku_converted, forbidden_points as gomoku_forbidden, fours as gomoku_fours,
    threats as gomoku_threats,
};
pub(super) use draughts::{DraughtsPosition as Draughts, Evaluation as DraughtsEvaluation, dxp};

/// Size of a table in MiB until a session says how large it should be.
const LEAST_TABLE: usize = 1;

/// Their names.
pub(super) const NAMES: [&str; 3] = [
    ChessPosition::NAME,
    DraughtsPosition::NAME,
    GomokuPosition::NAME,
];

/// The names of games with dice.
pub(super) const DICE_NAMES: [&str; 1] = [BackgammonPosition::NAME];

/// Go's name on the command line.
pub(super) const GO: &str = "go";

/// Refuses what is no game's name, where Go is among the games.
pub(super) fn check_game(name: &str) -> Result<()> {
    let names = [&[GO], &NAMES[..], &DICE_NAMES].concat();
    ensure!(names.contains(&name), no_such_game(name, &names));
    Ok(())
}

/// The error for what is no game's name.
fn no_such_game(name: &str, names: &[&str]) -> String {
    let (last, others) = names.split_last().expect("there are games");
    let (name, others) = (name.escape_debug(), others.join(", "));
    format!("there is no game '{name}'; there are {others} and {last}")
}

/// Names of variants; those of gomoku may have a size of the board besides.
pub(super) fn variant_names() -> Vec<&'static str> {
    let draughts = draughts::variant::VARIANTS.iter().map(|its| its.name);
    let gomoku = Rule::names().into_iter();
    let backgammon = backgammon::variant::NAMES.map(|(name, _)| name);
    draughts.chain(gomoku).chain(backgammon).collect()
}

/// Something that can be done with any game without dice.
pub(super) trait GameTask {
    /// Does it.
    fn run<G: BoardGame>(&self) -> Result<()>;
}

/// Something that can be done with any game with dice.
pub(super) trait DiceTask {
    /// Does it.
    fn run_with_dice<G: DiceGame>(&self) -> Result<()>;
}

/// Does something with the game of this name, which may have dice; callers see to Go themselves.
pub(super) fn with_any_game(name: &str, task: &(impl GameTask + DiceTask)) -> Result<()> {
    match name {
        BackgammonPosition::NAME => task.run_with_dice::<BackgammonPosition>(),
        _ => {
            check_game(name)?;
            with_game(name, task)
        }
    }
}

/// Does something with the game of this name.
pub(super) fn with_game(name: &str, task: &impl GameTask) -> Result<()> {
    match name {
        ChessPosition::NAME => task.run::<ChessPosition>(),
        DraughtsPosition::NAME => task.run::<DraughtsPosition>(),
        GomokuPosition::NAME => task.run::<GomokuPosition>(),
        _ if DICE_NAMES.contains(&name) => {
            bail!("this cannot be done with {name}, a game with dice")
        }
        _ => bail!(no_such_game(name, &NAMES)),
    }
}

/// Serves a client that speaks GNU Backgammon's language for external players.
pub(super) fn serve_backgammon(
    player: &BackgammonPlayer,
    input: impl BufRead,
    output: impl Write,
) -> Result<()> {
    let version = concat!("keima ", env!("CARGO_PKG_VERSION"));
    external::serve(&mut player.0.clone(), version, input, output)
}

/// A player of backgammon that searches.
#[derive(Clone)]
pub(super) struct BackgammonPlayer(player::Searcher);

impl BackgammonPlayer {
    /// From its description, as in `net depth=2`.
    pub(super) fn named(text: &str) -> Result<BackgammonPlayer> {
        player::searcher(text, &read_file).map(BackgammonPlayer)
    }
}

/// A run that learns backgammon from games against itself.
pub(super) use learning::{Learning, LearningSettings};

/// The evaluation that such runs are measured by: the built-in linear one.
pub(super) fn reference_model() -> model::Model {
    model::Model::Linear(Default::default())
}

/// The position in a game's notation, by default the initial one of the variant.
pub(super) fn position_or_initial<G: BoardGame>(
    variant: Option<&str>,
    text: Option<&str>,
) -> Result<G> {
    text.map_or_else(|| G::initial(variant), |text| G::read(variant, text))
}

/// The same of a game with dice.
pub(super) fn dice_position_or_initial<G: DiceGame>(
    variant: Option<&str>,
    text: Option<&str>,
) -> Result<G> {
    text.map_or_else(|| G::initial(variant), |text| G::read(variant, text))
}

/// Serves a draughts client; `variant` until it asks for another.
pub(super) fn serve_hub(
    variant: Option<&str>,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<()> {
    let memory = table_memory(memory::available());
    hub::serve(variant, input, output, memory)
}

/// Serves a chess client.
pub(super) fn serve_uci(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let host = Host {
        name: concat!("keima ", env!("CARGO_PKG_VERSION")).to_string(),
        memory: table_memory(memory::available()),
        read_text: files::read_text,
    };
    uci::serve(input, output, host)
}

/// How to play for a manager of Piskvork's protocol.
pub(super) struct PiskvorkOptions<'a> {
    /// Rule until the manager sends one.
    pub rule: Option<&'a str>,
    /// Nodes of each search, instead of time.
    pub nodes: Option<u64>,
    /// Search threads.
    pub threads: usize,
    /// Whether a network plays, or alpha-beta search; by default a network if one is built in or named.
    pub by_network: Option<bool>,
    /// The network's file, if it is not the one built in.
    pub model: Option<&'a Path>,
    /// Whether to tell about searches.
    pub messages: bool,
}

/// Serves a manager of Piskvork's protocol.
pub(super) fn serve_piskvork(
    options: &PiskvorkOptions,
    input: impl BufRead,
    output: impl Write + Send + 'static,
) -> Result<()> {
    let host = piskvork::Host {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        rule: options.rule.map_or(Ok(Rule::Freestyle), Rule::named)?,
        nodes: options.nodes,
        messages: options.messages,
    };
    let by_network = options
        .by_network
        .unwrap_or(options.model.is_some() || has_network::<GomokuPosition>());
    let chooser: Box<dyn Chooser<GomokuPosition>> = match by_network {
        true => Box::new(NetworkChooser::open(options.model, options.threads)?),
        false => {
            let mut engine = Engine::new(Default::default(), LEAST_TABLE);
            engine.threads = options.threads;
            Box::new(engine)
        }
    };
    piskvork::serve(host, chooser, input, output)
}

/// What recorded games of gomoku in files and folders are like.
pub(super) fn gomoku_summary(paths: &[PathBuf], remark: &mut dyn FnMut(String)) -> Result<Summary> {
    let games = read_games::<GomokuPosition>(paths, 0, remark)?;
    Summary::of(&games)
}

/// A network for a game, ready to play, with the checksum of its file, which may be one that is built in.
pub(super) fn evaluator_for<G: BoardGame>(
    file: Option<&Path>,
) -> Result<(BoardEvaluator<G>, String)> {
    default_inputs::<G>()?;
    let stored = match (file, G::NAME) {
        (Some(file), _) => stored_bytes(file)?,
        (None, GomokuPosition::NAME) if GOMOKU_NETWORK.is_some() => {
            GOMOKU_NETWORK.unwrap_or_default().into()
        }
        (None, name) => bail!("no network for {name} is built in: name one by model=FILE"),
    };
    let net = Network::read_bytes(&stored).and_then(Network::into_net);
    let net =
        net.with_context(|| file.map_or_else(|| "the built-in network".to_owned(), unusable))?;
    let backend = backend::open(DeviceChoice::Auto, Precision::Auto)?.backend;
    let evaluator = BoardEvaluator::new(&net, inputs_for::<G>(&net)?, &backend)?;
    Ok((evaluator, files::sha256(&stored)))
}

/// The network for gomoku that is built in, if there is one.
#[cfg(has_gomoku_network)]
const GOMOKU_NETWORK: Option<&[u8]> = Some(include_bytes!("../../weights/gomoku.safetensors.gz"));
#[cfg(not(has_gomoku_network))]
const GOMOKU_NETWORK: Option<&[u8]> = None;

/// Whether a network for a game is built in.
pub(super) fn has_network<G: BoardGame>() -> bool {
    G::NAME == GomokuPosition::NAME && GOMOKU_NETWORK.is_some()
}

/// Reads weights that a user has named.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>> {
    files::read_regular(path, files::NETWORK_LIMIT)
}

/// MiB that a client may have for the table: three quarters of the available memory.
pub(super) fn table_memory(available: Option<u64>) -> usize {
    available.map_or(usize::MAX, |bytes| ((bytes / 4 * 3) >> 20).max(1) as usize)
}
