//! A teacher's evaluation of a position, in the precision that is stored.
//!
//! Outcome probabilities are stored in steps of 1/65535, points in steps of 1/16. Of the policy the
//! most probable moves are stored, each to a factor of `exp(0.05)`, up to a total of 98 % or 40
//! moves; the rest is spread evenly over the other legal moves. Errors and times are stored to 3 %,
//! ownership in 15 steps.
//!
//! A recorded game tells less than a teacher: [`LabelValues::of_record`]. What it leaves open has
//! codes of its own.

use crate::go::{Komi, Rules};
use crate::nn::output::NetOutput;

use super::line::MoveCode;

/// Total probability of stored moves.
const POLICY_MASS: f32 = 0.98;
/// Maximal number of stored moves.
pub const MAX_ENTRIES: usize = 40;
/// Steps of probability codes per nat.
const CODES_PER_NAT: f32 = 10.0;
/// Largest code of a stored move.
pub const MAX_CODE: u8 = 127;
/// Code of the probability 0, for the rest of the policy.
const NOTHING: u8 = 255;
/// Steps of ownership from 0 to 1.
pub const OWNER_STEPS: u8 = 7;
/// Code of an error or time that is not known.
const UNKNOWN: u8 = 255;
/// Outcome, lead and standard deviation that are not known; no evaluation has these codes.
const UNKNOWN_OUTCOME: [u16; 2] = [u16::MAX; 2];
const UNKNOWN_POINTS: i16 = i16::MIN;
const UNKNOWN_STDEV: u16 = u16::MAX;
/// Codes of errors: `24 ln(1 + 8 x)`.
const LOG_SCALE: f32 = 24.0;
const LOG_START: f32 = 8.0;

/// A position of a line and its evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Moves of the line before the position.
    pub ply: u16,
    /// Moves played after those, off the line.
    pub side_line: Vec<MoveCode>,
    /// Rules that the teacher was given.
    pub rules: Rules,
    /// Komi that the teacher was given.
    pub komi: Komi,
    /// At most this many previous moves were given.
    pub history: u8,
    /// The move played here, if any; numbered as in [`MoveCode::index`].
    pub next: Option<u16>,
    /// The move played after that.
    pub reply: Option<u16>,
    /// Whether `next` is a human move that may be imitated.
    pub is_human: bool,
    /// Training targets.
    pub values: LabelValues,
}

/// Training targets from the point of view of the player to move, as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelValues {
    /// Probabilities of win and loss in 1/65535.
    pub outcome: [u16; 2],
    /// In 1/16 points.
    pub lead: i16,
    /// In 1/16 points.
    pub score_mean: i16,
    /// In 1/16 points.
    pub score_stdev: u16,
    /// Codes of the short-term errors of value and score and of the time until the result is
    /// decided.
    pub errors: [u8; 3],
    /// The most probable moves in descending order, with the codes of their probabilities.
    pub policy: Vec<(u16, u8)>,
    /// Code of the total probability of all other moves.
    pub rest: u8,
    /// Ownership in steps from the opponent's 0 to one's own `2 * OWNER_STEPS`; empty if not
    /// stored.
    pub ownership: Vec<u8>,
}

impl Label {
    /// Whether both are positions one move after the same position off the line.
    pub fn is_sibling_of(&self, other: &Label) -> bool {
        let place = |label: &Label| (label.ply, label.rules, label.komi);
        place(self) == place(other) && !self.side_line.is_empty() && self.parent() == other.parent()
    }

    /// The moves off the line except the last.
    fn parent(&self) -> Option<&[MoveCode]> {
        self.side_line.split_last().map(|(_, before)| before)
    }
}

/// Sibling groups in consecutive labels, each given with its line: for each label the index of the
/// first of its group, which is its own index if it begins one.
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

impl LabelValues {
    /// Rounds an evaluation; `output` must be from the point of view of the player to move.
    pub fn of(output: &NetOutput, with_ownership: bool) -> LabelValues {
        let (policy, rest) = policy_codes(&output.policy);
        let owner = |&owner: &f32| {
            let steps = f32::from(OWNER_STEPS);
            ((owner + 1.0) * steps).round().clamp(0.0, 2.0 * steps) as u8
        };
        LabelValues {
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

    /// What a record tells of a position: the move played, if it is to be learned, the probability
    /// of a win by the result (1, 0, or 1/2 for a draw) and the final score in points, as far as
    /// known; all for the player to move.
    pub fn of_record(played: Option<u16>, win: Option<f32>, score: Option<f32>) -> LabelValues {
        let steps = |p: f32| (p * 65535.0) as u16;
        let points = score.map_or(UNKNOWN_POINTS, sixteenths);
        LabelValues {
            outcome: win.map_or(UNKNOWN_OUTCOME, |win| [steps(win), steps(1.0 - win)]),
            lead: points,
            score_mean: points,
            score_stdev: UNKNOWN_STDEV,
            errors: [UNKNOWN; 3],
            policy: played.map(|mv| (mv, 0)).into_iter().collect(),
            rest: NOTHING,
            ownership: Vec::new(),
        }
    }

    /// Whether there is a policy.
    pub fn knows_policy(&self) -> bool {
        !self.policy.is_empty() || self.rest != NOTHING
    }

    /// Whether the outcome is known.
    pub fn knows_outcome(&self) -> bool {
        self.outcome != UNKNOWN_OUTCOME
    }

    /// Whether lead and mean of the score are known.
    pub fn knows_score(&self) -> bool {
        self.lead != UNKNOWN_POINTS
    }

    /// Whether the standard deviation of the score is known.
    pub fn knows_stdev(&self) -> bool {
        self.score_stdev != UNKNOWN_STDEV
    }

    /// Probabilities of win, loss and no result; even if not known.
    pub fn outcome(&self) -> [f32; 3] {
        let [win, loss] = self.outcome.map(|p| f32::from(p) / 65535.0);
        let sum = (win + loss).max(1.0);
        [win / sum, loss / sum, (1.0 - win - loss).max(0.0)]
    }

    /// Lead in points: the komi change that would make the game even; 0 if not known.
    pub fn lead(&self) -> f32 {
        let lead = Some(self.lead).filter(|_| self.knows_score());
        f32::from(lead.unwrap_or(0)) / 16.0
    }

    /// Expected final score in points; 0 if not known.
    pub fn score_mean(&self) -> f32 {
        let mean = Some(self.score_mean).filter(|_| self.knows_score());
        f32::from(mean.unwrap_or(0)) / 16.0
    }

    /// Standard deviation of the final score in points; 0 if not known.
    pub fn score_stdev(&self) -> f32 {
        let stdev = Some(self.score_stdev).filter(|_| self.knows_stdev());
        f32::from(stdev.unwrap_or(0)) / 16.0
    }

    /// Short-term errors of win less loss and of the score, and the time until the result is
    /// decided; none if not known.
    pub fn errors(&self) -> [Option<f32>; 3] {
        self.errors.map(|code| {
            let error = ((f32::from(code) / LOG_SCALE).exp() - 1.0) / LOG_START;
            (code != UNKNOWN).then_some(error)
        })
    }

    /// Ownership in [-1, 1]; empty if not stored.
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
    // Float-to-integer casts saturate.
    (points * 16.0).round() as i16
}

fn error_code(error: f32) -> u8 {
    if error < 0.0 {
        return UNKNOWN;
    }
    let code = LOG_SCALE * (1.0 + LOG_START * error).ln();
    code.round().min(f32::from(UNKNOWN - 1)) as u8
}

/// The most probable moves with their codes, and the code of the rest.
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
