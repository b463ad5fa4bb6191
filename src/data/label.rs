//! What a teacher said of a position, rounded to what is stored.
//!
//! Probabilities of an outcome are kept to 1/65535, points to 1/16. Of the policy the likeliest moves
//! are kept, each to a factor of `exp(0.05)`, until 98 % are known or there are 40; the rest is
//! spread evenly over the other legal moves. Errors and times are kept to 3 %, ownership in 15 steps.

use crate::go::{Komi, Rules};
use crate::nn::output::NetOutput;

use super::line::MoveCode;

/// Share of the policy after which no more moves are kept.
const POLICY_MASS: f32 = 0.98;
/// Moves of a policy kept at most.
pub const MAX_ENTRIES: usize = 40;
/// Codes of probabilities a nat.
const CODES_PER_NAT: f32 = 10.0;
/// The largest code of a kept probability.
pub const MAX_CODE: u8 = 127;
/// Code of a probability of 0, for the rest of the policy.
const NOTHING: u8 = 255;
/// Steps of an owner from the middle to either side.
pub const OWNER_STEPS: u8 = 7;
/// Code of an error or a time that the teacher does not tell.
const UNKNOWN: u8 = 255;
/// Codes of errors: `24 ln(1 + 8 x)`.
const LOG_SCALE: f32 = 24.0;
const LOG_START: f32 = 8.0;

/// A position of a line and what a teacher said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Moves of the line before the position.
    pub ply: u16,
    /// Moves after those that are not the line's.
    pub side_line: Vec<MoveCode>,
    /// Under which the position was shown.
    pub rules: Rules,
    /// Under which the position was shown.
    pub komi: Komi,
    /// How many of the last moves were shown at most.
    pub history: u8,
    /// The move that was made here, if one was; numbers as in [`MoveCode::index`].
    pub next: Option<u16>,
    /// The move that was made after that.
    pub reply: Option<u16>,
    /// Whether `next` is a move worth imitating that a person made.
    pub by_person: bool,
    /// What the teacher said.
    pub figures: Figures,
}

/// What a teacher said, for the player to move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Probabilities of win and loss in 1/65535.
    pub outcome: [u16; 2],
    /// In 1/16 points.
    pub lead: i16,
    /// In 1/16 points.
    pub score_mean: i16,
    /// In 1/16 points.
    pub score_stdev: u16,
    /// Codes of the short-term errors of value and score and of the time the result stays open.
    pub errors: [u8; 3],
    /// The likeliest moves, the first one first, with the codes of their probabilities.
    pub policy: Vec<(u16, u8)>,
    /// Code of the probability of all other moves.
    pub rest: u8,
    /// Owners of the points in steps from the opponent's 0 to one's own `2 * OWNER_STEPS`; empty
    /// if not kept.
    pub ownership: Vec<u8>,
}

impl Label {
    /// Whether both are positions after one move each from the same place off the line.
    pub fn is_sibling_of(&self, other: &Label) -> bool {
        let place = |label: &Label| (label.ply, label.rules, label.komi);
        place(self) == place(other) && !self.side_line.is_empty() && self.parent() == other.parent()
    }

    /// The moves off the line before the last one.
    fn parent(&self) -> Option<&[MoveCode]> {
        self.side_line.split_last().map(|(_, before)| before)
    }
}

/// Sibling groups among labels that follow one another, each with what tells its line: for each label the
/// index of the first of its siblings, or its own if none stands before it.
pub fn sibling_groups<'a, L: PartialEq>(
    labels: impl IntoIterator<Item = (L, &'a Label)>,
) -> Vec<usize> {
    let (mut first, mut before) = (0, None);
    let labels = labels.into_iter().enumerate();
    let sibling_group = labels.map(|(index, (line, label))| {
        let is_sibling = |(its, other): &(L, &Label)| *its == line && label.is_sibling_of(other);
        if !before.as_ref().is_some_and(is_sibling) {
            first = index;
        }
        before = Some((line, label));
        first
    });
    sibling_group.collect()
}

impl Figures {
    /// Rounds what a teacher said; `output` must be seen by the player to move.
    pub fn of(output: &NetOutput, with_ownership: bool) -> Figures {
        let (policy, rest) = policy_codes(&output.policy);
        let owner = |&owner: &f32| {
            let steps = f32::from(OWNER_STEPS);
            ((owner + 1.0) * steps).round().clamp(0.0, 2.0 * steps) as u8
        };
        Figures {
            outcome: [output.win, output.loss].map(|p| (p * 65535.0).round() as u16),
            lead: sixteenths(output.lead),
            score_mean: sixteenths(output.score_mean),
            score_stdev: (output.score_stdev() * 16.0).round() as u16,
            errors: [
                output.shortterm_win_loss_error,
                output.shortterm_score_error,
                output.variance_time_left,
            ]
            .map(error_code),
            policy,
            rest,
            ownership: match with_ownership {
                true => output.ownership.iter().map(owner).collect(),
                false => Vec::new(),
            },
        }
    }

    /// Probabilities of win, loss and no result.
    pub fn outcome(&self) -> [f32; 3] {
        let [win, loss] = self.outcome.map(|p| f32::from(p) / 65535.0);
        let sum = (win + loss).max(1.0);
        [win / sum, loss / sum, (1.0 - win - loss).max(0.0)]
    }

    /// Points that would have to be given away to make the game even.
    pub fn lead(&self) -> f32 {
        f32::from(self.lead) / 16.0
    }

    /// Expected final score in points.
    pub fn score_mean(&self) -> f32 {
        f32::from(self.score_mean) / 16.0
    }

    /// Standard deviation of the final score in points.
    pub fn score_stdev(&self) -> f32 {
        f32::from(self.score_stdev) / 16.0
    }

    /// Short-term errors of win less loss and of the score, and the time the result stays open;
    /// none where the teacher does not tell.
    pub fn errors(&self) -> [Option<f32>; 3] {
        self.errors.map(|code| {
            let error = ((f32::from(code) / LOG_SCALE).exp() - 1.0) / LOG_START;
            (code != UNKNOWN).then_some(error)
        })
    }

    /// Owners of the points in [-1, 1]; empty if not kept.
    pub fn ownership(&self) -> impl Iterator<Item = f32> + '_ {
        let owner = |&step: &u8| f32::from(step) / f32::from(OWNER_STEPS) - 1.0;
        self.ownership.iter().map(owner)
    }

    /// A probability for each move, 0 for illegal ones; the sum is 1.
    pub fn policy(&self, legal: &[bool]) -> Vec<f32> {
        let mut policy = vec![0.0; legal.len()];
        for &(index, code) in &self.policy {
            if legal[usize::from(index)] {
                policy[usize::from(index)] = (-f32::from(code) / CODES_PER_NAT).exp();
            }
        }
        let others = legal
            .iter()
            .zip(&policy)
            .filter(|&(&is, &p)| is && p == 0.0);
        let others = others.count();
        let kept: f32 = policy.iter().sum();
        let rest = match self.rest {
            _ if others == 0 => 0.0,
            _ if kept == 0.0 => 1.0,
            NOTHING => 0.0,
            code => (-f32::from(code) / CODES_PER_NAT).exp(),
        };
        for (p, &is_legal) in policy.iter_mut().zip(legal) {
            if *p > 0.0 {
                *p *= (1.0 - rest) / kept;
            } else if is_legal {
                *p = rest / others as f32;
            }
        }
        policy
    }
}

fn sixteenths(points: f32) -> i16 {
    // Casts of floats stay in range.
    (points * 16.0).round() as i16
}

fn error_code(error: f32) -> u8 {
    if error < 0.0 {
        return UNKNOWN;
    }
    let code = LOG_SCALE * (1.0 + LOG_START * error).ln();
    code.round().min(f32::from(UNKNOWN - 1)) as u8
}

/// The likeliest moves with their codes, and the code of the rest.
fn policy_codes(policy: &[f32]) -> (Vec<(u16, u8)>, u8) {
    let mut moves: Vec<(u16, f32)> = (0..).zip(policy.iter().copied()).collect();
    moves.retain(|&(_, probability)| probability > 0.0);
    moves.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut mass = 0.0;
    let is_needed = |&(_, probability): &(u16, f32)| {
        let needed = mass < POLICY_MASS;
        mass += probability;
        needed
    };
    let kept = moves
        .iter()
        .copied()
        .take_while(is_needed)
        .take(MAX_ENTRIES);
    let kept: Vec<(u16, f32)> = kept.collect();
    let code = |p: f32| (-p.ln() * CODES_PER_NAT).round().max(0.0);
    let rest: f32 = moves[kept.len()..].iter().map(|(_, p)| p).sum();
    let rest = if rest > 0.0 {
        code(rest).min(f32::from(NOTHING - 1)) as u8
    } else {
        NOTHING
    };
    let codes = kept
        .iter()
        .map(|&(index, p)| (index, code(p).min(f32::from(MAX_CODE)) as u8));
    (codes.collect(), rest)
}
