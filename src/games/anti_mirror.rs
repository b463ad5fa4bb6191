//! Play against an opponent who mirrors. Networks do not see the scheme behind it, so an evaluator around
//! theirs tells the search: the image of the last move gets a share of the opponent's policy, the
//! center one of the player's, and the center's owner counts in values. So does KataGo (1.17,
//! searchmirror.cpp), which also forces visits on such moves; here the policy alone sends them there.

use anyhow::Result;

use super::mirror::{Mirroring, center};
use crate::go::Position;
use crate::search::evaluator::{Attendance, Evaluation, Evaluator, Request};

/// How much the center's owner shifts values (their inverse hyperbolic tangent): where the player's
/// stones around it all have images, and where not.
const WHOLE_CENTER: f32 = 0.7;
const BROKEN_CENTER: f32 = 0.3;

/// Has evaluations of positions below a root take an opponent into account who mirrors.
pub struct AntiMirror<E> {
    inner: E,
    mirroring: Mirroring,
}

impl<E> AntiMirror<E> {
    /// Around an evaluator.
    pub fn new(inner: E, mirroring: Mirroring) -> AntiMirror<E> {
        AntiMirror { inner, mirroring }
    }

    fn adjust(&self, request: &Request<Position>, evaluation: &mut Evaluation) {
        let position = &request.position;
        if self.mirroring.goes_on(position, 0) {
            for (mv, chance) in position.legal_moves().zip(&mut evaluation.policy) {
                *chance += (1.0 - *chance) * self.mirroring.share(position, mv) as f32;
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
        let asked: Vec<Request<Position>> = requests.iter().map(wants).collect();
        let mut answers = self.inner.evaluate(&asked)?;
        for (request, answer) in requests.iter().zip(&mut answers) {
            self.adjust(request, answer);
        }
        Ok(answers)
    }

    /// Another one for each root, as answers depend on it.
    fn fingerprint(&self, is_root: bool) -> u64 {
        let root = 1 + self.mirroring.root_turn as u64;
        self.inner.fingerprint(is_root) ^ root.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn attend(&self) -> Box<dyn Attendance + '_> {
        self.inner.attend()
    }
}
