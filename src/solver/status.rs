//! From the answers to questions to the status of a target.

use std::fmt;

use crate::go::Move;

use super::arena::Side;
use super::question::{
    CAPTURE_AGAINST_KO, CAPTURE_BY_KO, CAPTURE_WITHOUT_THREATS, Goal, Question, TWO_EYES,
};
use super::scene::Scene;

/// What becomes of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Lives with two eyes, or connected to stones that live.
    Alive,
    /// Is captured, whoever wins kos.
    Dead,
    /// Is not captured, but cannot get two eyes.
    Seki,
    /// Is captured if the attacker has enough ko threats, and not if the defender has.
    Ko {
        /// Who needs a threat first; none if the nodes were not enough for that.
        first_threat: Option<Side>,
    },
    /// Not found out with the nodes allowed.
    Unknown,
}

impl fmt::Display for Status {
    /// In a word; who needs the first threat of a ko is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Alive => "alive",
            Status::Dead => "dead",
            Status::Seki => "seki",
            Status::Ko { .. } => "ko",
            Status::Unknown => "unknown",
        })
    }
}

/// A status with what leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What becomes of the target.
    pub status: Status,
    /// A first move that leads to it; none if the status is unknown, or the side that moves first can
    /// do nothing about it.
    pub best: Option<Move>,
    /// For an unknown status, the one that holds if all beyond a narrower region is the attacker's; `best`
    /// is then for that.
    pub narrow: Option<Status>,
    /// Nodes spent.
    pub nodes: u64,
}

impl Outcome {
    fn new(status: Status, nodes: u64) -> Outcome {
        Outcome {
            status,
            best: None,
            narrow: None,
            nodes,
        }
    }
}

/// Nodes for each of the two main questions at first; then twice as many, and so on.
const FIRST_BUDGET: u64 = 1000;

/// What becomes of the target if a side moves first.
pub(super) fn outcome(scene: &mut Scene, first: Side, nodes: u64) -> Outcome {
    let main = main_outcome(scene, first, nodes);
    if main.status != Status::Unknown || main.nodes >= nodes {
        return main;
    }
    let mut spent = main.nodes;
    let mut ask = |question: Question| {
        let (answer, used) = scene.ask(question, first, nodes.saturating_sub(spent));
        spent += used;
        answer
    };
    let status = match ask(CAPTURE_BY_KO) {
        None => Status::Unknown,
        Some(false) => Status::Seki,
        Some(true) => {
            let first_threat = ask(CAPTURE_WITHOUT_THREATS).map(|captures| match captures {
                true => Side::Defender,
                false => Side::Attacker,
            });
            Status::Ko { first_threat }
        }
    };
    with_best(scene, first, Outcome::new(status, spent))
}

/// Whether the target lives or is dead; unknown if it is neither, or if the nodes were not enough.
pub(super) fn main_outcome(scene: &mut Scene, first: Side, nodes: u64) -> Outcome {
    let questions = match first {
        Side::Attacker => [CAPTURE_AGAINST_KO, TWO_EYES],
        Side::Defender => [TWO_EYES, CAPTURE_AGAINST_KO],
    };
    let (mut budget, mut spent) = (FIRST_BUDGET, 0);
    let mut answers = [None, None];
    // Both in turn, as a yes to either is all that is asked.
    while answers != [Some(false); 2] && spent < nodes {
        for (question, answer) in questions.iter().zip(&mut answers) {
            if answer.is_none() {
                let (found, used) = scene.ask(*question, first, budget.min(nodes - spent));
                *answer = found;
                spent = (spent + used).min(nodes);
            }
            if *answer == Some(true) {
                let status = match question.goal {
                    Goal::TwoEyes => Status::Alive,
                    Goal::Capture => Status::Dead,
                };
                return with_best(scene, first, Outcome::new(status, spent));
            }
        }
        budget = budget.saturating_mul(2);
    }
    Outcome::new(Status::Unknown, spent)
}

/// The question whose answer shows a status, with that answer: what the first side to move achieves.
pub(super) fn deciding(status: Status, first: Side) -> Option<(Question, bool)> {
    Some(match (status, first) {
        (Status::Alive, _) => (TWO_EYES, true),
        (Status::Dead, _) => (CAPTURE_AGAINST_KO, true),
        (Status::Seki, Side::Attacker) => (TWO_EYES, false),
        (Status::Seki, Side::Defender) => (CAPTURE_BY_KO, false),
        (Status::Ko { first_threat }, Side::Attacker) => match first_threat {
            Some(Side::Defender) => (CAPTURE_WITHOUT_THREATS, true),
            _ => (CAPTURE_BY_KO, true),
        },
        (Status::Ko { first_threat }, Side::Defender) => match first_threat {
            Some(Side::Attacker) => (CAPTURE_WITHOUT_THREATS, false),
            _ => (CAPTURE_AGAINST_KO, false),
        },
        (Status::Unknown, _) => return None,
    })
}

/// With the first move, if the side that moves first achieves the status by it.
fn with_best(scene: &Scene, first: Side, outcome: Outcome) -> Outcome {
    let best = deciding(outcome.status, first)
        .filter(|(question, answer)| (first == question.prover()) == *answer)
        .and_then(|(question, _)| scene.best_move(question, first));
    Outcome { best, ..outcome }
}
