//! The questions with the answer yes or no that together tell the status of a target.

use super::arena::{Arena, Bits, Side, State};

/// What the prover wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// The attacker captures all stones of the target.
    Capture,
    /// The defender makes stones of the target live even if he passes from then on.
    TwoEyes,
}

/// Who may take back a ko at once, as if he had any number of threats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KoRule {
    /// The attacker alone.
    FavorsAttacker,
    /// The defender alone.
    FavorsDefender,
    /// Nobody: nobody has a threat.
    Neutral,
}

/// A question to a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Question {
    /// What makes the answer a yes.
    pub(super) goal: Goal,
    /// The ko rule.
    pub(super) ko: KoRule,
}

/// Whether the defender gets two eyes even if the attacker wins all kos.
pub(super) const TWO_EYES: Question = Question {
    goal: Goal::TwoEyes,
    ko: KoRule::FavorsAttacker,
};

/// Whether the attacker captures the target even if the defender wins all kos.
pub(super) const CAPTURE_AGAINST_KO: Question = Question {
    goal: Goal::Capture,
    ko: KoRule::FavorsDefender,
};

/// Whether the attacker captures the target if he may take back all kos at once.
pub(super) const CAPTURE_BY_KO: Question = Question {
    goal: Goal::Capture,
    ko: KoRule::FavorsAttacker,
};

/// Whether the attacker captures the target if nobody has a ko threat.
pub(super) const CAPTURE_WITHOUT_THREATS: Question = Question {
    goal: Goal::Capture,
    ko: KoRule::Neutral,
};

impl Question {
    /// Who wants a yes.
    pub(super) fn prover(&self) -> Side {
        match self.goal {
            Goal::Capture => Side::Attacker,
            Goal::TwoEyes => Side::Defender,
        }
    }

    /// Whether a side has to wait before it takes back a ko.
    pub(super) fn binds(&self, side: Side) -> bool {
        match self.ko {
            KoRule::FavorsAttacker => side == Side::Defender,
            KoRule::FavorsDefender => side == Side::Attacker,
            KoRule::Neutral => true,
        }
    }

    /// Other questions that answer this one if their answer is as given.
    pub(super) fn answered_by(&self) -> &'static [(Question, bool, bool)] {
        match (self.goal, self.ko) {
            (Goal::TwoEyes, _) => &[(CAPTURE_AGAINST_KO, true, false)],
            (Goal::Capture, KoRule::FavorsDefender) => &[(TWO_EYES, true, false)],
            (Goal::Capture, KoRule::FavorsAttacker) => {
                &[(TWO_EYES, true, false), (CAPTURE_AGAINST_KO, true, true)]
            }
            (Goal::Capture, KoRule::Neutral) => &[
                (TWO_EYES, true, false),
                (CAPTURE_AGAINST_KO, true, true),
                (CAPTURE_BY_KO, false, false),
            ],
        }
    }

    /// Keeps apart the questions and the sides to move in the table.
    pub(super) fn key(&self, mover: Side) -> u128 {
        let number = 1 + mover as u128 + 2 * self.goal as u128 + 4 * self.ko as u128;
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
    }

    /// The answer where no search is needed, with its zone. `safe` are the attackers that can never be
    /// captured.
    pub(super) fn end(&self, arena: &Arena, state: &State, safe: Bits) -> Option<(bool, Bits)> {
        let captures = self.goal == Goal::Capture;
        if state.target == 0 {
            return Some((captures, 0));
        }
        if let Some(zone) = arena.living_target(state) {
            return Some((!captures, zone));
        }
        match self.goal {
            Goal::Capture => arena.dead_target(state, safe).map(|zone| (true, zone)),
            Goal::TwoEyes => arena.roomless_target(state, safe).map(|zone| (false, zone)),
        }
    }
}
