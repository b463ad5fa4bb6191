//! `keima tree go`: minimax, alpha-beta, UCT and PUCT on a small board.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::solve::SuperkoName;
use super::tree::{Algorithm, Row, TreeArguments, plain};
use crate::games::go::decode;
use crate::games::go_minimax::{AreaLead, GoNode};
use crate::games::rollout::RolloutPolicy;
use crate::games::rollout_evaluator::{RolloutEvaluator, RolloutParams};
use crate::go::{Board, BoardSize, Color, KoRule};
use crate::search::{Limits, Search, SearchParams};

/// Largest board: larger trees have no use at depths that can be reached.
const LONGEST_SIDE: usize = 7;
/// Algorithms where none is named.
const ALGORITHMS: [Algorithm; 5] = [
    Algorithm::Minimax,
    Algorithm::AlphaBeta,
    Algorithm::Ordered,
    Algorithm::Uct,
    Algorithm::Puct,
];

/// Prints the table of an empty board.
pub(super) fn run(arguments: &TreeArguments) -> Result<()> {
    ensure!(
        arguments.position.is_none() && arguments.variant.is_none() && arguments.dice.is_none(),
        "at go the tree begins with an empty board: give --size instead of --variant, --position or --dice"
    );
    let size = arguments.size.unwrap_or(BoardSize::square(3));
    ensure!(
        size.longer_side() <= LONGEST_SIDE,
        "the board may have sides of up to {LONGEST_SIDE}"
    );
    let ko = match arguments.superko.unwrap_or(SuperkoName::Positional) {
        SuperkoName::Positional => KoRule::Positional,
        SuperkoName::Situational => KoRule::Situational,
    };
    let root = GoNode::new(Board::new(size), Color::Black, ko);
    arguments.compare(
        arguments.with.as_deref().unwrap_or(&ALGORITHMS),
        |depth, algorithm| searched(&root, depth, algorithm),
        |algorithm, visits| sampled(&root, algorithm, visits),
    )
}

fn searched(root: &GoNode, depth: u32, algorithm: Algorithm) -> Result<Row> {
    let method = algorithm
        .method()
        .context("at go the algorithms are minimax, alpha-beta, ordered, beam, uct and puct")?;
    Ok(plain(root, &AreaLead, method, depth, |mv| mv.to_string()))
}

/// UCT over uniform rollouts, or PUCT over learned ones and the probabilities of their policy.
fn sampled(root: &GoNode, algorithm: Algorithm, visits: u32) -> Result<Row> {
    let (params, policy) = match algorithm {
        Algorithm::Puct => (SearchParams::alphazero(), RolloutPolicy::Learned),
        _ => (SearchParams::uct(), RolloutPolicy::Uniform),
    };
    // With a value for every point the search looks for the best score, as minimax does.
    let points = root.position().size().area() as f64;
    let params = SearchParams {
        threads: 1,
        seed: 1,
        static_score_factor: 2.0,
        score_scale: points.sqrt(),
        ..params
    };
    let rollouts = RolloutParams {
        policy,
        ..RolloutParams::default()
    };
    let evaluator = RolloutEvaluator::with_params(rollouts, 1);
    let start = Instant::now();
    let mut search = Search::new(params);
    search.set_root(root.position().clone());
    let limits = Limits::visits(u64::from(visits));
    search.run(&evaluator, &limits, &AtomicBool::new(false))?;
    let report = search.report().context("the search has found nothing")?;
    let best = report.best().context("the search has found no move")?;
    Ok(Row {
        score: (100.0 * report.score_mean).round() as i32,
        best: decode(best.code).to_string(),
        nodes: u64::from(report.visits),
        leaves: None,
        time: start.elapsed(),
    })
}
