//! Life and death: what becomes of a group in a part of the board, whoever moves first. `whole_board` has the
//! values of small boards instead, and shares nothing with the rest.
//!
//! A [`Problem`] names a *target*, stones of one color (the *defender's*), and a *region*, the points that
//! both sides may play on; [`solve`] tells the [`Status`] with either side moving first. A status is proved
//! or [`Status::Unknown`], never guessed, and holds for the region: beyond it nothing moves, the
//! defender's stones count as alive, and everything else is the attacker's. What is proved alive in a
//! region is alive in every larger one, if the defender's stones beyond it are.
//!
//! Statuses are put together from questions with a yes or no (`question`, `status`), each answered by
//! depth-first proof-number search (`dfpn`, with `table` for its memory and `order` for its moves) on bit
//! boards (`arena`) with exact ends (`life`) and without moves that cannot matter (`zone`). Budgets
//! count nodes, and everything is deterministic. Suicide is illegal; superko is not looked at: a position
//! that comes back counts as not captured, and as no two eyes.

mod arena;
mod dfpn;
mod life;
mod lines;
mod node;
mod order;
mod question;
mod region;
mod scene;
mod status;
mod table;
pub mod whole_board;
mod zone;

#[cfg(test)]
mod known;
#[cfg(test)]
mod twin;

use std::fmt;

pub use arena::Side;
pub use lines::Line;
pub use region::enclosed_group;
pub use status::{Outcome, Status};

use crate::go::{Board, Move, Point, PointSet};
use scene::Scene;

/// What is asked.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// All stones. A ko point may not be taken back at once by the side that moves first.
    pub board: &'a Board,
    /// Stones of one color; their chains count whole. It is captured once all of them are.
    pub target: PointSet,
    /// Points that both may play on, with a liberty of each chain of the target; chains that are partly in
    /// it count whole. With none, first those near the target, then more.
    pub region: Option<PointSet>,
    /// Nodes that may be spent for each side that moves first, and in each region.
    pub nodes: u64,
    /// Positions to remember at a time, 48 bytes each.
    pub memory: usize,
}

/// Why there is nothing to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemError {
    /// The target has no stones, or stones of both colors.
    Target,
    /// The region is empty, or the rectangle around it has more than about 120 points.
    TooLarge,
    /// A chain of the target has no liberty in the region; this is one outside.
    NoLiberty(Point),
}

impl fmt::Display for ProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemError::Target => f.write_str("the target must be stones of one color"),
            ProblemError::TooLarge => {
                f.write_str("the region is too large: at most about 10 by 11 points")
            }
            ProblemError::NoLiberty(outside) => write!(
                f,
                "the target has no liberty in the region: {outside} is outside"
            ),
        }
    }
}

impl std::error::Error for ProblemError {}

/// What becomes of a target with one side moving first.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The status and a move that gets it.
    pub outcome: Outcome,
    /// The region in which it holds.
    pub region: PointSet,
    /// Moves that prove it, if they were asked for.
    pub lines: Vec<Line>,
    /// All first moves that lead to the status, if they were asked for and the nodes were enough.
    pub moves: Vec<Move>,
}

/// What to find out besides the status.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extras {
    /// The most moves in [`Solution::lines`].
    pub lines: usize,
    /// Whether to look for all first moves that lead to the status.
    pub all_moves: bool,
}

/// What becomes of the target if `first` moves first.
pub fn solve(problem: &Problem, first: Side, extras: Extras) -> Result<Solution, ProblemError> {
    let Some(region) = &problem.region else {
        return solve_around(problem, first, extras);
    };
    solve_in(problem, region, first, extras)
}

/// Where no region is given, a narrow one is looked at first. A group that lives there lives; else more
/// room decides. If that takes too many nodes, the status is unknown, and that in the narrow region is told.
fn solve_around(problem: &Problem, first: Side, extras: Extras) -> Result<Solution, ProblemError> {
    let [narrow, wide] =
        region::REACHES.map(|reach| region::region_around(problem.board, &problem.target, reach));
    if wide == narrow {
        return solve_in(problem, &narrow, first, extras);
    }
    let mut scene = Scene::new(problem.board, &problem.target, &narrow, problem.memory)?;
    let outcome = status::main_outcome(&mut scene, first, problem.nodes);
    if outcome.status == Status::Alive {
        return Ok(solution(scene, outcome, problem.nodes, first, extras));
    }
    let spent = outcome.nodes;
    let wider = solve_in(problem, &wide, first, extras);
    let spent_wide = wider.as_ref().map_or(0, |wider| wider.outcome.nodes);
    if let Ok(mut wider) = wider
        && wider.outcome.status != Status::Unknown
    {
        wider.outcome.nodes += spent;
        return Ok(wider);
    }
    // What is known already costs nothing again.
    let left = problem.nodes.saturating_sub(spent);
    let mut narrow = status::outcome(&mut scene, first, left);
    narrow.nodes += spent;
    let mut solution = solution(scene, narrow, problem.nodes, first, extras);
    solution.outcome.nodes += spent_wide;
    let status = std::mem::replace(&mut solution.outcome.status, Status::Unknown);
    solution.outcome.narrow = Some(status).filter(|&status| status != Status::Unknown);
    Ok(solution)
}

fn solve_in(
    problem: &Problem,
    region: &PointSet,
    first: Side,
    extras: Extras,
) -> Result<Solution, ProblemError> {
    let mut scene = Scene::new(problem.board, &problem.target, region, problem.memory)?;
    let outcome = status::outcome(&mut scene, first, problem.nodes);
    Ok(solution(scene, outcome, problem.nodes, first, extras))
}

/// With the extras, as far as the nodes go.
fn solution(
    mut scene: Scene,
    outcome: Outcome,
    nodes: u64,
    first: Side,
    extras: Extras,
) -> Solution {
    let deciding = status::deciding(outcome.status, first);
    let mut solution = Solution {
        region: scene.arena.points_of(scene.arena.region).collect(),
        outcome,
        lines: Vec::new(),
        moves: Vec::new(),
    };
    let Some((question, answer)) = deciding else {
        return solution;
    };
    if extras.all_moves && solution.outcome.best.is_some() {
        let left = nodes.saturating_sub(solution.outcome.nodes);
        let (moves, spent) = scene.moves_that_answer(question, answer, first, left);
        solution.moves = moves;
        solution.outcome.nodes += spent;
    }
    if extras.lines > 0 {
        solution.lines = lines::lines(&mut scene, question, answer, first, extras.lines);
    }
    solution
}
