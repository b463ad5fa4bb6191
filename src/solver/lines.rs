//! The lines that prove a status: one move for the side that gets it, all that matter for the other.

use crate::go::Move;

use super::arena::{Bits, NOWHERE, Side, State, places};
use super::dfpn::PASS;
use super::question::Question;
use super::scene::Scene;

/// Moves that prove something, with the answers to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Who moves.
    pub side: Side,
    /// The move.
    pub mv: Move,
    /// What follows; nothing where the end is clear, or the lines get too long.
    pub next: Vec<Line>,
}

/// Lines are cut off after so many moves.
const DEEPEST: usize = 40;
/// Nodes for an answer that the table no longer has.
const AGAIN: u64 = 20_000;

/// The lines from the start that prove an answer, at most `most` moves in all.
pub(super) fn lines(
    scene: &mut Scene,
    question: Question,
    answer: bool,
    first: Side,
    most: usize,
) -> Vec<Line> {
    let start = scene.start(question, first);
    let mut lines = Lines {
        scene,
        question,
        winner: if answer {
            question.prover()
        } else {
            !question.prover()
        },
        left: most,
    };
    lines.after(&start, first, DEEPEST)
}

struct Lines<'a> {
    scene: &'a mut Scene,
    question: Question,
    winner: Side,
    left: usize,
}

impl Lines<'_> {
    fn after(&mut self, state: &State, mover: Side, depth: usize) -> Vec<Line> {
        let arena = &self.scene.arena;
        let safe = arena.safe_attackers(state);
        let is_over = self.question.end(arena, state, safe).is_some();
        if is_over || depth == 0 {
            return Vec::new();
        }
        let Some((best, zone)) = self.entry(state, mover) else {
            return Vec::new();
        };
        let mut moves: Vec<u8> = Vec::new();
        match mover == self.winner {
            true => moves.extend([best].iter().filter(|&&place| place != NOWHERE)),
            false => moves.extend(places(zone & self.scene.arena.empty(state))),
        }
        let mut lines = Vec::new();
        for place in moves {
            if let Some(next) = self.play(state, mover, place)
                && let Some(mv) = self.scene.move_at(place)
                && self.left > 0
            {
                self.left -= 1;
                lines.push(Line {
                    side: mover,
                    mv,
                    next: self.after(&next, !mover, depth - 1),
                });
            }
        }
        lines
    }

    /// The best move and the zone of a position.
    fn entry(&mut self, state: &State, mover: Side) -> Option<(u8, Bits)> {
        let is_known = |scene: &Scene, question: Question| {
            let entry = scene.entry(state, question, mover)?;
            let is_answered = entry.numbers.answer().is_some();
            is_answered.then_some((entry.best, entry.zone))
        };
        if let Some(known) = is_known(self.scene, self.question) {
            return Some(known);
        }
        self.scene.ask_at(state, self.question, mover, AGAIN);
        is_known(self.scene, self.question)
    }

    fn play(&self, state: &State, mover: Side, place: u8) -> Option<State> {
        let arena = &self.scene.arena;
        match place {
            PASS => Some(arena.pass(state)),
            place if place == state.ko => None,
            place => arena.play(state, mover, place, self.question.binds(!mover)),
        }
    }
}
