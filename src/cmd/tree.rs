//! `keima tree`: what search algorithms make of a position, side by side.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum, value_parser};

use super::board_games::{
    DiceTask, GameTask, dice_position_or_initial, position_or_initial, with_any_game,
};
use super::completed;
use super::solve::SuperkoName;
use super::tree_go;
use crate::arena::board::tree_player::{KeptTree, score};
use crate::console::say;
use crate::games::board_game::{BoardGame, outcome};
use crate::games::coded::Coded;
use crate::games::coded_evaluators::{Heuristic, Playouts};
use crate::games::dice_game::{DiceGame, TreeRow};
use crate::go::BoardSize;
use crate::minimax::engine::{Engine, Task};
use crate::minimax::plain::{Method, Plain, fewest_leaves};
use crate::minimax::{Control, Limits, MinimaxParams, Position, Score, StaticEval};
use crate::search::{self, Evaluator, SearchParams};

/// Size of the engine's table in MiB.
const TABLE_MIB: usize = 64;
/// Moves of each position that beam search follows.
const BEAM: usize = 8;

/// Compare search algorithms on a position
///
/// For each depth and algorithm: value, best move, nodes, leaves, nodes in relation to minimax, the
/// least number of leaves that alpha-beta needs in a tree of this width (Knuth and Moore), time.
#[derive(Args)]
pub struct TreeArguments {
    /// Game: chess, draughts, gomoku; go, from an empty small board; backgammon, whose algorithms are expectiminimax, Star1 and Star2
    #[arg(value_parser = completed::game(), hide_possible_values = true)]
    pub game: String,

    /// Variant of the game, such as czech draughts or renju-15
    #[arg(long, value_name = "NAME", value_parser = completed::variant(), hide_possible_values = true)]
    pub variant: Option<String>,

    /// Position in the game's notation (FEN); the initial one by default
    #[arg(long, value_name = "FEN")]
    pub position: Option<String>,

    /// Dice to be played, as 31, in a game with dice
    #[arg(long, value_name = "DICE", value_parser = super::settings::dice)]
    pub dice: Option<[u8; 2]>,

    /// Deepest search in plies, by default 4; in a game with dice in choices, by default 2
    #[arg(long, value_parser = value_parser!(u32).range(1..=12))]
    pub depth: Option<u32>,

    /// Algorithms; by default minimax,alpha-beta,ordered,table,full,beam,puct, at go
    /// minimax,alpha-beta,ordered,uct,puct
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub with: Option<Vec<Algorithm>>,

    /// Size of a board of go, up to 7x7; by default 3x3
    #[arg(long, value_name = "SIZE", value_parser = super::settings::board_size)]
    pub size: Option<BoardSize>,

    /// Which repetitions are forbidden at go; by default positional
    #[arg(long, value_name = "RULE")]
    pub superko: Option<SuperkoName>,

    /// Visits of uct and puct; by default 10000
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..))]
    pub visits: Option<u32>,

    /// Print a JSON object per line
    #[arg(long)]
    pub json: bool,
}

/// An algorithm by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Algorithm {
    /// Every move of every position, at gomoku every one near stones
    Minimax,
    /// Alpha-beta with moves as they are generated
    AlphaBeta,
    /// Alpha-beta with captures first
    Ordered,
    /// With killers, history, table and iterations, but no pruning that could change the value
    Table,
    /// The engine as it plays
    Full,
    /// Minimax over the eight best-looking moves of each position
    Beam,
    /// Monte Carlo tree search by UCB1 over random games
    Uct,
    /// Monte Carlo tree search by PUCT over the evaluation; at go over learned rollouts, with the probabilities of their policy
    #[value(alias = "mcts")]
    Puct,
}

impl Algorithm {
    /// Whether it is limited by visits, not by depth.
    fn is_sampled(self) -> bool {
        matches!(self, Algorithm::Uct | Algorithm::Puct)
    }

    /// The textbook algorithm that it is, if it is one.
    pub(super) fn method(self) -> Option<Method> {
        match self {
            Algorithm::Minimax => Some(Method::Minimax),
            Algorithm::AlphaBeta => Some(Method::AlphaBeta),
            Algorithm::Ordered => Some(Method::OrderedAlphaBeta),
            Algorithm::Beam => Some(Method::Beam(BEAM)),
            Algorithm::Table | Algorithm::Full | Algorithm::Uct | Algorithm::Puct => None,
        }
    }
}

/// Visits of these by default.
const VISITS: u32 = 10_000;

/// Algorithms where none is named, but at go.
const ALGORITHMS: [Algorithm; 7] = [
    Algorithm::Minimax,
    Algorithm::AlphaBeta,
    Algorithm::Ordered,
    Algorithm::Table,
    Algorithm::Full,
    Algorithm::Beam,
    Algorithm::Puct,
];

/// What an algorithm found at a depth.
pub(super) struct Row {
    /// In hundredths.
    pub(super) score: Score,
    pub(super) best: String,
    pub(super) nodes: u64,
    pub(super) leaves: Option<u64>,
    pub(super) time: Duration,
}

/// Prints the table.
pub fn run(arguments: &TreeArguments) -> Result<ExitCode> {
    if arguments.game == "go" {
        tree_go::run(arguments)?;
        return Ok(ExitCode::SUCCESS);
    }
    ensure!(
        arguments.size.is_none() && arguments.superko.is_none(),
        "--size and --superko are for go"
    );
    with_any_game(&arguments.game, arguments)?;
    Ok(ExitCode::SUCCESS)
}

impl GameTask for TreeArguments {
    fn run<G: BoardGame>(&self) -> Result<()> {
        ensure!(self.dice.is_none(), "--dice is for games with dice");
        let position: G = position_or_initial(self.variant.as_deref(), self.position.as_deref())?;
        ensure!(
            outcome(&position, &[]).is_none(),
            "the game is over in this position"
        );
        self.compare(
            self.with.as_deref().unwrap_or(&ALGORITHMS),
            |depth, algorithm| Ok(search(&position, depth, algorithm)),
            |algorithm, visits| sampled(&position, algorithm, visits),
        )
    }
}

impl DiceTask for TreeArguments {
    fn run_with_dice<G: DiceGame>(&self) -> Result<()> {
        ensure!(
            self.with.is_none() && self.visits.is_none(),
            "--with and --visits are for games without dice"
        );
        let variant = self.variant.as_deref();
        let mut position: G = dice_position_or_initial(variant, self.position.as_deref())?;
        if let Some(dice) = self.dice {
            position = position.rolled(dice);
        }
        position
            .dice()
            .context("the position needs dice: give --dice 31")?;
        if !self.json {
            say(format_args!(
                "depth algorithm                 value  best                  leaves  evaluated for order  of expectiminimax      time"
            ))?;
        }
        let (mut begun, mut all) = (Instant::now(), None);
        position.tree(self.depth.unwrap_or(2), &mut |row| {
            // Expectiminimax comes first at each depth.
            if all.is_none_or(|(depth, _)| depth != row.depth) {
                all = Some((row.depth, row.leaves));
            }
            let share = all.map_or(1.0, |(_, leaves)| row.leaves as f64 / leaves as f64);
            self.print_with_dice(&row, share, begun.elapsed())?;
            begun = Instant::now();
            Ok(())
        })
    }
}

impl TreeArguments {
    /// Prints the rows of algorithms: of each depth, then of those that are limited by visits.
    pub(super) fn compare(
        &self,
        algorithms: &[Algorithm],
        at_depth: impl Fn(u32, Algorithm) -> Result<Row>,
        by_visits: impl Fn(Algorithm, u32) -> Result<Row>,
    ) -> Result<()> {
        if !self.json {
            self.print_head()?;
        }
        for depth in 1..=self.depth.unwrap_or(4) {
            let mut minimax = None;
            for &algorithm in algorithms.iter().filter(|it| !it.is_sampled()) {
                let row = at_depth(depth, algorithm)?;
                if algorithm == Algorithm::Minimax {
                    minimax = Some((row.nodes, row.leaves));
                }
                self.print(Some(depth), algorithm, &row, minimax)?;
            }
        }
        for &algorithm in algorithms.iter().filter(|it| it.is_sampled()) {
            let row = by_visits(algorithm, self.visits.unwrap_or(VISITS))?;
            self.print(None, algorithm, &row, None)?;
        }
        Ok(())
    }

    fn print_with_dice(&self, row: &TreeRow, share: f64, time: Duration) -> Result<()> {
        if self.json {
            return say(format_args!(
                "{}",
                serde_json::json!({
                    "depth": row.depth,
                    "algorithm": row.method,
                    "value": row.value,
                    "best": row.best,
                    "leaves": row.leaves,
                    "ordered": row.ordered,
                    "of_expectiminimax": share,
                    "seconds": time.as_secs_f64(),
                })
            ));
        }
        say(format_args!(
            "{:5} {:22} {:+10.4}  {:16} {:>12} {:>20} {:>18} {:>8.2} s",
            row.depth,
            row.method,
            row.value,
            row.best,
            row.leaves,
            row.ordered,
            format!("{:.1} %", 100.0 * share),
            time.as_secs_f64()
        ))
    }

    /// Prints the names of the columns.
    fn print_head(&self) -> Result<()> {
        say(format_args!(
            "depth algorithm     value  best          nodes      leaves   of minimax  fewest leaves      time"
        ))
    }

    /// Prints a row; `minimax` has its nodes and leaves at this depth, if it ran before.
    fn print(
        &self,
        depth: Option<u32>,
        algorithm: Algorithm,
        row: &Row,
        minimax: Option<(u64, Option<u64>)>,
    ) -> Result<()> {
        let ratio = minimax.map(|(nodes, _)| row.nodes as f64 / nodes as f64);
        let minimax_leaves = minimax.and_then(|(_, leaves)| leaves);
        let fewest = minimax_leaves.zip(depth).map(|(leaves, depth)| {
            let branching = (leaves as f64).powf(1.0 / f64::from(depth));
            fewest_leaves(branching, depth).round() as u64
        });
        let value = algorithm.to_possible_value();
        let name = value.as_ref().map_or("", |value| value.get_name());
        if self.json {
            let line = serde_json::json!({
                "depth": depth, "algorithm": name, "value": row.score, "best": row.best,
                "nodes": row.nodes, "leaves": row.leaves, "ratio": ratio, "fewest_leaves": fewest,
                "seconds": row.time.as_secs_f64(),
            });
            return say(format_args!("{line}"));
        }
        let dash = || "-".to_string();
        say(format_args!(
            "{:>5} {name:<10} {:>9}  {:<7} {:>10} {:>11} {:>12} {:>14} {:>8.3} s",
            depth.map_or_else(dash, |depth| depth.to_string()),
            row.score,
            row.best,
            row.nodes,
            row.leaves.map_or_else(dash, |leaves| leaves.to_string()),
            ratio.map_or_else(dash, |ratio| format!("{:.2} %", 100.0 * ratio)),
            fewest.map_or_else(dash, |fewest| fewest.to_string()),
            row.time.as_secs_f64(),
        ))
    }
}

fn search<G: BoardGame>(position: &G, depth: u32, algorithm: Algorithm) -> Row {
    match (algorithm.method(), algorithm) {
        (Some(method), _) => {
            let evaluation = G::Evaluation::default();
            plain(position, &evaluation, method, depth, |mv| {
                position.move_text(mv)
            })
        }
        (None, Algorithm::Table) => by_engine(position, depth, MinimaxParams::exact()),
        // Those that are limited by visits have a function of their own.
        (None, _) => by_engine(position, depth, MinimaxParams::default()),
    }
}

/// The row of a textbook search; `name` writes a move.
pub(super) fn plain<P: Position, E: StaticEval<P>>(
    position: &P,
    evaluation: &E,
    method: Method,
    depth: u32,
    name: impl Fn(P::Move) -> String,
) -> Row {
    let start = Instant::now();
    let found = Plain::new(evaluation, method).search(position, &[], depth);
    Row {
        score: found.score,
        best: found.best.map_or_else(|| "-".to_owned(), name),
        nodes: found.nodes,
        leaves: Some(found.leaves),
        time: start.elapsed(),
    }
}

fn by_engine<G: BoardGame>(position: &G, depth: u32, params: MinimaxParams) -> Row {
    let mut engine = Engine::new(G::Evaluation::default(), TABLE_MIB);
    engine.params = params;
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let start = Instant::now();
    let found = engine.search(Task::new(position), &limits, &Control::new(false), |_| ());
    Row {
        score: found.best.as_ref().map_or(0, |best| best.score),
        best: best_text(position, found.mv()),
        nodes: found.nodes,
        leaves: None,
        time: start.elapsed(),
    }
}

/// Monte Carlo tree search from the position; the value is that of its expected result.
fn sampled<G: BoardGame>(position: &G, algorithm: Algorithm, visits: u32) -> Result<Row> {
    let evaluation = G::Evaluation::default();
    let (params, evaluator): (_, Box<dyn Evaluator<Coded<G>>>) = match algorithm {
        Algorithm::Uct => {
            let (games, seed) = (1, 1);
            let random_games = Playouts {
                evaluation,
                games,
                seed,
            };
            (SearchParams::uct(), Box::new(random_games))
        }
        _ => (SearchParams::plain(), Box::new(Heuristic { evaluation })),
    };
    let start = Instant::now();
    let mut tree = KeptTree::new(SearchParams {
        threads: 1,
        seed: 1,
        ..params
    });
    tree.go_to(position, &[]);
    let limits = search::Limits::visits(u64::from(visits));
    let report = tree.run(&*evaluator, &limits, &AtomicBool::new(false))?;
    let report = report.context("the position has no moves")?;
    Ok(Row {
        score: score(report.win_loss),
        best: best_text(position, tree.line(&report, 1).first().copied()),
        nodes: u64::from(report.visits),
        leaves: None,
        time: start.elapsed(),
    })
}

fn best_text<G: BoardGame>(position: &G, best: Option<G::Move>) -> String {
    best.map_or_else(|| "-".to_string(), |mv| position.move_text(mv))
}
