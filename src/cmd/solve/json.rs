//! Answers in JSON.

use std::path::Path;

use serde_json::{Value, json};

use super::Solved;
use super::problem::{Choice, ProblemFile};
use super::text::role;
use crate::go::{Move, PointSet};
use crate::solver::{Side, Solution, Status};

/// All about a problem, on one line.
pub fn object(path: &Path, solved: &Solved) -> Value {
    let Solved { file, solutions } = solved;
    let answers = solutions.iter();
    let answers: Vec<Value> = answers.map(|(side, s)| answer(file, *side, s)).collect();
    json!({
        "file": path.display().to_string(),
        "defender": file.defender.to_string(),
        "target": names(&file.target),
        "target_chosen": match file.choice {
            Choice::Given => "given",
            Choice::Marked => "marked",
            Choice::Found => "found",
        },
        "to_move": file.to_move.to_string(),
        "answers": answers,
    })
}

fn names(points: &PointSet) -> Vec<String> {
    points.iter().map(|point| point.to_string()).collect()
}

fn answer(file: &ProblemFile, first: Side, solution: &Solution) -> Value {
    let outcome = &solution.outcome;
    let first_threat = match outcome.status {
        Status::Ko { first_threat } => first_threat.map(|side| file.color(side).to_string()),
        _ => None,
    };
    json!({
        "first": role(first),
        "color": file.color(first).to_string(),
        "status": outcome.status.to_string(),
        "first_threat": first_threat,
        "narrow_status": outcome.narrow.map(|status| status.to_string()),
        "best": outcome.best.map(|best| best.to_string()),
        "moves": solution.moves.iter().map(Move::to_string).collect::<Vec<_>>(),
        "region": names(&solution.region),
        "nodes": outcome.nodes,
    })
}
