//! `keima bench`: the signature of the search. Positions of all sizes and rules are searched with
//! one thread, a fixed number of playouts and an evaluator without weights, so the number printed
//! is the same on all machines and changes only with the rules or the search.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result};

use super::bench_search::{self, BenchArguments};
use super::board_games::{DiceTask, GO, GameTask, with_any_game};
use crate::console::{say, tell};
use crate::formats::rules_json;
use crate::games::board_game::BoardGame;
use crate::games::dice_game::DiceGame;
use crate::games::go::decode;
use crate::games::rollout_evaluator::SensibleEvaluator;
use crate::go::{BoardSize, Position};
use crate::search::evaluator::{Evaluator, HashEvaluator};
use crate::search::limits::Limits;
use crate::search::mcts::Search;
use crate::search::params::SearchParams;
use crate::search::players::PolicyPlayer;
use crate::search::report::Report;

/// Playouts per position.
const PLAYOUTS: u64 = 300;

/// Width, height, rules, and number of random moves before the search.
const POSITIONS: &[(usize, usize, &str, usize)] = &[
    (2, 2, "tromp-taylor", 0),
    (2, 2, "japanese", 3),
    (3, 3, "tromp-taylor", 5),
    (3, 3, "chinese", 9),
    (4, 4, "aga", 12),
    (5, 5, "tromp-taylor", 30),
    (5, 5, "japanese", 40),
    (6, 4, "new-zealand", 20),
    (7, 7, "chinese-ogs", 60),
    (7, 7, "stone-scoring", 70),
    (9, 9, "tromp-taylor", 0),
    (9, 9, "tromp-taylor", 40),
    (9, 9, "chinese", 90),
    (9, 9, "japanese", 110),
    (9, 9, "aga-button", 120),
    (11, 7, "ancient-territory", 80),
    (13, 13, "tromp-taylor", 100),
    (13, 13, "japanese", 220),
    (19, 19, "tromp-taylor", 0),
    (19, 19, "chinese", 120),
    (19, 19, "japanese", 250),
    (19, 19, "aga", 430),
    (19, 13, "tromp-taylor", 200),
    (25, 25, "new-zealand", 300),
];

/// Prints the signature on stdout and each position's part on stderr; or measures speed.
pub fn run(arguments: &BenchArguments) -> Result<ExitCode> {
    if let Some((model, device)) = arguments.network()? {
        bench_search::run(arguments, &model, device)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(game) = arguments.game.as_deref().filter(|name| *name != GO) {
        with_any_game(game, &Signature)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut signature = 0u64;
    for (index, &(width, height, rules, moves)) in POSITIONS.iter().enumerate() {
        let position = random_position(index as u64, width, height, rules, moves)?;
        let part = searched(position, &HashEvaluator)?;
        tell(format_args!(
            "{width}x{height} {rules} after {moves} moves: {part}"
        ));
        signature = signature.wrapping_mul(31).wrapping_add(part);
    }
    say(format_args!("{}", signature % 1_000_000_007))?;
    Ok(ExitCode::SUCCESS)
}

/// The signature of another game.
struct Signature;

impl GameTask for Signature {
    fn run<G: BoardGame>(&self) -> Result<()> {
        signature(G::bench)
    }
}

impl DiceTask for Signature {
    fn run_with_dice<G: DiceGame>(&self) -> Result<()> {
        signature(G::bench)
    }
}

/// Does a game's fixed searches.
type Bench = fn(&mut dyn FnMut(&str, u64)) -> u64;

fn signature(bench: Bench) -> Result<()> {
    let start = Instant::now();
    let nodes = bench(&mut |position, nodes| tell(format_args!("{position}: {nodes}")));
    let speed = nodes as f64 / start.elapsed().as_secs_f64();
    tell(format_args!("{speed:.0} nodes per second"));
    say(format_args!("{nodes}"))
}

/// A position after some random moves in which the game is not over.
pub(super) fn random_position(
    seed: u64,
    width: usize,
    height: usize,
    rules: &str,
    moves: usize,
) -> Result<Position> {
    let size = BoardSize::new(width, height).context("a size in the table is out of range")?;
    let rules = rules_json::parse(rules)?;
    let mut position = Position::new(size, rules, rules.usual_komi());
    position.allow_encore(true);
    let mut player = PolicyPlayer::new(1.0, seed);
    for _ in 0..moves {
        position.play_unchecked(decode(player.choose(&SensibleEvaluator, &position)?));
        if position.is_over() {
            position.undo();
            break;
        }
    }
    Ok(position)
}

/// Hash of a search result.
fn searched(position: Position, evaluator: &dyn Evaluator<Position>) -> Result<u64> {
    let score_scale = (position.size().area() as f64).sqrt();
    let mut search = Search::new(SearchParams {
        score_scale,
        ..SearchParams::default()
    });
    search.set_root(position);
    search.run(
        evaluator,
        &Limits::playouts(PLAYOUTS),
        &AtomicBool::new(false),
    )?;
    Ok(digest(
        &search.report().context("the search has found nothing")?,
    ))
}

fn digest(report: &Report) -> u64 {
    report
        .moves
        .iter()
        .fold(u64::from(report.visits), |digest, mv| {
            let line = mv
                .pv
                .iter()
                .fold(0u64, |line, code| line * 7 % 65_521 + u64::from(code.0));
            (digest * 1_021 + u64::from(mv.code.0) * 13 + u64::from(mv.edge_visits) + line)
                % 1_000_000_007
        })
}
