//! Answers in words.

use std::fmt;
use std::path::Path;

use super::Solved;
use super::points::PointList;
use super::problem::{Choice, ProblemFile};
use crate::console::counted;
use crate::go::{Move, Point, PointSet};
use crate::solver::{Outcome, Side, Solution, Status};

/// What became of the problems.
#[derive(Default)]
pub struct Tally {
    solved: usize,
    unknown: usize,
    nodes: u64,
    /// Files that could not be read or solved.
    pub failed: usize,
}

impl Tally {
    /// Counts a problem as solved if its status is known whoever was to move first.
    pub fn add(&mut self, solved: &Solved) {
        let mut outcomes = solved
            .solutions
            .iter()
            .map(|(_, solution)| &solution.outcome);
        self.nodes += outcomes.clone().map(|outcome| outcome.nodes).sum::<u64>();
        match outcomes.any(|outcome| outcome.status == Status::Unknown) {
            true => self.unknown += 1,
            false => self.solved += 1,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = counted(self.solved + self.unknown, "problem");
        write!(
            f,
            "{all}: {} solved, {} unknown, {} nodes",
            self.solved, self.unknown, self.nodes
        )?;
        match self.failed {
            0 => Ok(()),
            failed => write!(f, "; {} could not be read", counted(failed, "file")),
        }
    }
}

/// The status in a word or two.
pub fn status(file: &ProblemFile, status: Status) -> String {
    match status {
        Status::Ko {
            first_threat: Some(side),
        } => format!("{status}, {} needs the first threat", file.color(side)),
        _ => status.to_string(),
    }
}

fn names(points: impl Iterator<Item = Point>) -> String {
    let names: Vec<String> = points.map(|point| point.to_string()).collect();
    names.join(" ")
}

/// A point of each chain of a set is enough to name it.
fn chains(file: &ProblemFile, set: &PointSet) -> String {
    let mut heads = Vec::new();
    let mut shown = Vec::new();
    for point in set.iter() {
        let head = file.board.chain_head(point);
        if !heads.contains(&head) {
            heads.push(head);
            shown.push(point);
        }
    }
    names(shown.into_iter())
}

fn outcome_text(file: &ProblemFile, outcome: &Outcome, moves: &[Move]) -> String {
    let mut text = status(file, outcome.status);
    if let Some(narrow) = outcome.narrow {
        let known = status(file, narrow);
        text += &format!(" ({known}, if the surroundings are the attacker's)");
    }
    if let Some(best) = outcome.best {
        text += &format!(" by {best}");
    }
    let others = moves.iter().filter(|&&other| Some(other) != outcome.best);
    let others: Vec<String> = others.map(Move::to_string).collect();
    if !others.is_empty() {
        text += &format!(", also {}", others.join(" "));
    }
    text
}

/// All about a single problem, whose region may be given.
pub fn answer(solved: &Solved, region: Option<&PointList>) -> String {
    let Solved { file, solutions } = solved;
    let how = match file.choice {
        Choice::Given => "as given",
        Choice::Marked => "as marked in the file",
        Choice::Found => "as the group that looks most enclosed; --target names another",
    };
    let mut lines = vec![format!(
        "target: {} {} ({how})",
        file.defender,
        chains(file, &file.target)
    )];
    for (first, Solution { outcome, moves, .. }) in solutions {
        let (color, role) = (file.color(*first), role(*first));
        let text = outcome_text(file, outcome, moves);
        let nodes = counted(outcome.nodes as usize, "node");
        lines.push(format!("{color} first ({role}): {text} ({nodes})"));
    }
    lines.extend(regions(solved, region));
    lines.join("\n")
}

/// A line for the region, or one for each answer where they hold in different ones.
fn regions(solved: &Solved, given: Option<&PointList>) -> Vec<String> {
    let Solved { file, solutions } = solved;
    let region = |solution: &Solution| {
        let points = || names(solution.region.iter());
        given.map_or_else(points, ToString::to_string)
    };
    let regions = solutions.iter().map(|(first, s)| (*first, region(s)));
    let mut regions: Vec<(Side, String)> = regions.collect();
    regions.dedup_by(|(_, region), (_, before)| region == before);
    match regions.as_slice() {
        [(_, region)] => vec![format!("region: {region}")],
        several => several
            .iter()
            .map(|(first, region)| format!("region with {} first: {region}", file.color(*first)))
            .collect(),
    }
}

/// A line of a table.
pub fn row(path: &Path, solved: &Solved) -> String {
    let Solved { file, solutions } = solved;
    let answers: Vec<String> = solutions
        .iter()
        .map(|(first, solution)| {
            let text = outcome_text(file, &solution.outcome, &solution.moves);
            format!("{} first: {text}", file.color(*first))
        })
        .collect();
    format!(
        "{}\t{} {}\t{}",
        path.display(),
        file.defender,
        chains(file, &file.target),
        answers.join("\t")
    )
}

/// What a side wants.
pub fn role(side: Side) -> &'static str {
    match side {
        Side::Attacker => "attacker",
        Side::Defender => "defender",
    }
}
