//! Play against mirror Go. Networks do not recognise mirroring, so this wrapper around an evaluator
//! tells the search: the image of the last move gets a fraction of the opponent's policy, the
//! center a fraction of the player's, and the center's owner counts in values. KataGo does the same
//! (1.17, searchmirror.cpp), and also forces visits on such moves, which here follow from the
//! policy.

use anyhow::Result;

use super::mirror::{Mirroring, center};
use crate::go::Position;
use crate::search::evaluator::{Evaluation, Evaluator, Request, register_with};

/// Shift of values (of their inverse hyperbolic tangent) by the center's owner: if the player's
/// stones around it all have images, and if not.
const WHOLE_CENTER: f32 = 0.7;
const BROKEN_CENTER: f32 = 0.3;

/// Adjusts evaluations below a root for an opponent who mirrors.
pub struct AntiMirror<E> {
    inner: E,
    mirroring: Mirroring,
}

impl<E> AntiMirror<E> {
    /// Wraps an evaluator.
    pub fn new(inner: E, mirroring: Mirroring) -> AntiMirror<E> {
        AntiMirror { inner, mirroring }
    }

    fn adjust(&self, request: &Request<Position>, evaluation: &mut Evaluation) {
        let position = &request.position;
        if self.mirroring.goes_on(position, 0) {
            for (mv, probability) in position.legal_moves().zip(&mut evaluation.policy) {
                *probability += (1.0 - *probability) * self.mirroring.share(position, mv) as f32;
            }
        }
        if self.is_center_decisive(position) {
            let owner = center(position).and_then(|center| {
                let index = position.size().index(center);
                evaluation.ownership.get(index).copied()
            });
            let scale = match self.mirroring.has_whole_center {
                true => WHOLE_CENTER,
                false => BROKEN_CENTER,
            };
            let win_loss = evaluation.win_loss.clamp(-0.999_999, 0.999_999);
            let shifted = win_loss.atanh() + scale * owner.unwrap_or(0.0);
            evaluation.win_loss = shifted.tanh();
        }
        if !request.wants_ownership {
            evaluation.ownership.clear();
        }
    }

    fn is_center_decisive(&self, position: &Position) -> bool {
        self.mirroring.is_dangerous(position) && self.mirroring.goes_on(position, 4)
    }
}

impl<E: Evaluator<Position>> Evaluator<Position> for AntiMirror<E> {
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        let wants = |request: &Request<Position>| Request {
            wants_ownership: request.wants_ownership || self.is_center_decisive(&request.position),
            ..request.clone()
        };
        let inner_requests: Vec<Request<Position>> = requests.iter().map(wants).collect();
        let mut answers = self.inner.evaluate(&inner_requests)?;
        for (request, answer) in requests.iter().zip(&mut answers) {
            self.adjust(request, answer);
        }
        Ok(answers)
    }

    /// Differs by root, since evaluations depend on it.
    fn fingerprint(&self, is_root: bool) -> u64 {
        let root = 1 + self.mirroring.root_turn as u64;
        self.inner.fingerprint(is_root) ^ root.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    register_with!(self, self.inner);
}
