//! The engine's options.

use std::time::Duration;

/// The options as the client has set them.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Size of the table in MiB.
    pub hash: usize,
    pub threads: usize,
    pub multi_pv: usize,
    pub is_960: bool,
    /// Time lost on each move between client and engine.
    pub overhead: Duration,
    /// Hundredths of a pawn by which a draw is worse than equality.
    pub contempt: i32,
    /// File with the weights of the evaluation; empty for the built-in ones.
    pub weights: String,
    /// Whether it plays as strong as `elo` says.
    pub is_limited: bool,
    pub elo: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            hash: 16,
            threads: 1,
            multi_pv: 1,
            is_960: false,
            overhead: Duration::from_millis(10),
            contempt: 0,
            weights: String::new(),
            is_limited: false,
            elo: 1500,
        }
    }
}

/// What has to be done after a change.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    None,
    ResizeTable,
    ClearTable,
    LoadWeights,
}

/// The answer to `uci`, apart from its last line.
pub const DECLARED: &str = "\
option name Hash type spin default 16 min 1 max 65536
option name Threads type spin default 1 min 1 max 256
option name Ponder type check default false
option name MultiPV type spin default 1 min 1 max 256
option name Move Overhead type spin default 10 min 0 max 5000
option name Clear Hash type button
option name UCI_Chess960 type check default false
option name Contempt type spin default 0 min -100 max 100
option name Weights type string default <empty>
option name UCI_LimitStrength type check default false
option name UCI_Elo type spin default 1500 min 1200 max 2150";

/// Nodes of a search by the Elo that it plays with: by matches with Stockfish 15.1 at its own `UCI_Elo`
/// (docs/classical.md).
const NODES: [(f64, f64); 6] = [
    (1200.0, 100.0),
    (1450.0, 300.0),
    (1650.0, 1000.0),
    (1820.0, 5000.0),
    (2000.0, 25_000.0),
    (2150.0, 100_000.0),
];

impl Options {
    /// Sets an option; names and truth values are case-insensitive.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Effect, String> {
        match name.to_ascii_lowercase().as_str() {
            "hash" => {
                self.hash = number(name, value, 1, 65_536)? as usize;
                return Ok(Effect::ResizeTable);
            }
            "threads" => self.threads = number(name, value, 1, 256)? as usize,
            "multipv" => self.multi_pv = number(name, value, 1, 256)? as usize,
            // Only tells that `go ponder` may come.
            "ponder" => drop(truth(name, value)?),
            "move overhead" => {
                self.overhead = Duration::from_millis(number(name, value, 0, 5000)? as u64);
            }
            "contempt" => self.contempt = number(name, value, -100, 100)? as i32,
            "uci_chess960" => self.is_960 = truth(name, value)?,
            "clear hash" => return Ok(Effect::ClearTable),
            "weights" => {
                self.weights = if value == "<empty>" { "" } else { value }.to_string();
                return Ok(Effect::LoadWeights);
            }
            "uci_limitstrength" => self.is_limited = truth(name, value)?,
            "uci_elo" => self.elo = number(name, value, 1200, 2150)? as u32,
            _ => return Err(format!("there is no option '{name}'")),
        }
        Ok(Effect::None)
    }

    /// The most nodes of a search, if the strength is limited; between measurements the logarithm grows evenly.
    pub fn most_nodes(&self) -> Option<u64> {
        let elo = f64::from(self.elo);
        let upper = NODES.iter().position(|&(at, _)| elo <= at)?.max(1);
        let [(low, fewer), (high, more)] = [NODES[upper - 1], NODES[upper]];
        let share = (elo - low) / (high - low);
        let nodes = (fewer.ln() * (1.0 - share) + more.ln() * share).exp();
        self.is_limited.then_some(nodes.round() as u64)
    }
}

fn number(name: &str, value: &str, least: i64, most: i64) -> Result<i64, String> {
    let parsed = value.parse().ok().filter(|it| (least..=most).contains(it));
    parsed.ok_or_else(|| format!("{name} is a whole number from {least} to {most}, not '{value}'"))
}

fn truth(name: &str, value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("{name} is true or false, not '{value}'")),
    }
}
