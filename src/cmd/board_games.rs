//! The board games besides Go, by name. Only this file and `games` name their folders.

use std::io::{self, BufRead, Write};

use anyhow::{Result, bail};

use crate::games::board_game::BoardGame;
use crate::games::chess::{ChessPosition, uci, uci::Host};
use crate::games::draughts::{DraughtsPosition, hub};
use crate::games::gomoku::{GomokuPosition, Rule, answers, piskvork};
use crate::memory;

pub(super) use crate::games::draughts::{
    DraughtsPosition as Draughts, Evaluation as DraughtsEvaluation, dxp,
};

/// Their names.
pub(super) const NAMES: [&str; 3] = [
    ChessPosition::NAME,
    DraughtsPosition::NAME,
    GomokuPosition::NAME,
];

/// Something that can be done with any game.
pub(super) trait GameTask {
    /// Does it.
    fn run<G: BoardGame>(&self) -> Result<()>;
}

/// Does something with the game of this name.
pub(super) fn with_game(name: &str, task: &impl GameTask) -> Result<()> {
    match name {
        ChessPosition::NAME => task.run::<ChessPosition>(),
        DraughtsPosition::NAME => task.run::<DraughtsPosition>(),
        GomokuPosition::NAME => task.run::<GomokuPosition>(),
        _ => bail!(
            "there is no game '{name}'; there are {}, {} and {}",
            NAMES[0],
            NAMES[1],
            NAMES[2]
        ),
    }
}

/// The position in a game's notation, by default the initial one of the variant.
pub(super) fn position_or_initial<G: BoardGame>(
    variant: Option<&str>,
    text: Option<&str>,
) -> Result<G> {
    text.map_or_else(|| G::initial(variant), |text| G::read(variant, text))
}

/// Serves a draughts client; `variant` until it asks for another.
pub(super) fn serve_hub(
    variant: Option<&str>,
    input: impl BufRead,
    output: impl Write + Send + 'static,
) -> Result<()> {
    let memory = table_memory(memory::available());
    hub::serve(variant, input, output, memory)
}

/// Serves a chess client.
pub(super) fn serve_uci(
    input: impl BufRead,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let host = Host {
        name: concat!("keima ", env!("CARGO_PKG_VERSION")).to_string(),
        memory: table_memory(memory::available()),
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
        threads: options.threads,
        messages: options.messages,
    };
    piskvork::serve(host, input, output)
}

/// Searches for a win by continuous fours at the end of a game.
pub(super) fn gomoku_fours(
    variant: Option<&str>,
    game: &str,
    nodes: u64,
    as_json: bool,
) -> Result<String> {
    answers::fours(variant, game, nodes, as_json)
}

/// Searches for a win by continuous threats at the end of a game.
pub(super) fn gomoku_threats(
    variant: Option<&str>,
    game: &str,
    nodes: u64,
    as_json: bool,
) -> Result<String> {
    answers::threats(variant, game, nodes, as_json)
}

/// The forbidden points of renju at the end of a game.
pub(super) fn gomoku_forbidden(variant: Option<&str>, game: &str, as_json: bool) -> Result<String> {
    answers::forbidden_points(variant, game, as_json)
}

/// A game of gomoku in the format of a file's extension.
pub(super) fn gomoku_converted(
    variant: Option<&str>,
    game: &str,
    extension: &str,
) -> Result<String> {
    answers::converted(variant, game, extension)
}

/// MiB that a client may have for the table: three quarters of the available memory.
pub(super) fn table_memory(available: Option<u64>) -> usize {
    available.map_or(usize::MAX, |bytes| ((bytes / 4 * 3) >> 20).max(1) as usize)
}
