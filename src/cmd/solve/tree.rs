//! Proofs as SGF.

use super::Solved;
use super::problem::ProblemFile;
use super::text::{role, status};
use crate::formats::sgf::{Variation, write_with_variations};
use crate::go::GameRecord;
use crate::solver::Line;

/// The position with the lines that prove the statuses as variations, each commented at its first move.
pub fn sgf(solved: &Solved) -> String {
    let Solved { file, solutions } = solved;
    let mut comment = Vec::new();
    let mut variations = Vec::new();
    for (first, solution) in solutions {
        let known = status(file, solution.outcome.status);
        let text = format!("{} first ({}): {known}", file.color(*first), role(*first));
        let lines = solution.lines.iter();
        variations.extend(lines.map(|line| Variation {
            comment: text.clone(),
            ..variation(file, line)
        }));
        comment.push(text);
    }
    let mut record = GameRecord::new(file.record.setup.clone());
    record.comments.insert(0, comment.join("\n"));
    write_with_variations(&record, &variations)
}

fn variation(file: &ProblemFile, line: &Line) -> Variation {
    Variation {
        color: file.color(line.side),
        mv: line.mv,
        comment: String::new(),
        next: line.next.iter().map(|next| variation(file, next)).collect(),
    }
}
