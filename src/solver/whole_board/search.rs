//! Whether Black gets at least some score: depth-first proof-number search (Nagai 2002, as in [`crate::solver::dfpn`]).
//!
//! Numbers of a position say how much must at least be decided below it for a yes and for a no. The search goes where
//! the side to move needs least, and remembers the numbers whatever the history was: they only guide it. What is
//! decided is remembered as a proof (`proof`) and used only where that holds.

use std::cmp::Reverse;

use super::board::{Board, Geometry, MOST_POINTS, Points};
use super::memory::Memory;
use super::proof::{Needs, Past, Proof};
use super::sure::sure_points;
use super::symmetry::Symmetries;
use crate::go::{Color, PerColor};
use crate::solver::table::{INFINITE, Numbers};

/// Longer games are given up.
const DEEPEST: usize = 400;

/// The search, with what it has found so far.
pub(super) struct Search {
    pub(super) geometry: Geometry,
    symmetries: Symmetries,
    /// Whether the side to move is part of what must not be repeated.
    is_situational: bool,
    memory: Memory,
    /// The positions so far, the present one included.
    history: Vec<Past>,
    pub(super) nodes: u64,
    limit: u64,
    /// What is asked: whether Black gets at least this.
    goal: i32,
}

/// A position that the search comes to.
struct Child {
    board: Board,
    past: Past,
    is_pass: bool,
    /// Where each color ever had a stone.
    seen: PerColor<Points>,
    /// Of the least image, and the symmetry that leads there.
    key: u64,
    symmetry: usize,
    numbers: Numbers,
    /// Why, once the numbers are an answer.
    proof: Option<Proof>,
}

/// What the children of a position say together.
struct Summary {
    numbers: Numbers,
    /// The child to search.
    best: usize,
    /// How far its numbers may go before another one is looked at.
    limit: Numbers,
}

impl Search {
    /// A search that may visit `limit` positions and remember `room` ones.
    pub(super) fn new(geometry: Geometry, is_situational: bool, limit: u64, room: usize) -> Search {
        Search {
            symmetries: Symmetries::new(&geometry),
            geometry,
            is_situational,
            memory: Memory::new(room),
            history: Vec::new(),
            nodes: 0,
            limit,
            goal: 0,
        }
    }

    /// Whether Black gets at least `goal` from a position to which these moves' positions have led (`before`, oldest
    /// first, without itself); none if that would take too many nodes.
    pub(super) fn decide(&mut self, before: &[Board], board: &Board, goal: i32) -> Option<bool> {
        self.goal = goal;
        self.history.clear();
        let mut seen = PerColor([0; 2]);
        for board in before {
            seen = with_stones(seen, board);
            self.history.push(self.child(board, seen, false).past);
        }
        let root = self.child(board, with_stones(seen, board), false);
        self.history.push(root.past);
        let found = self.search(&root, Numbers::INFINITE);
        found.map(|(answer, _)| answer)
    }

    /// The answer with a proof, unless a number reaches its limit before.
    fn search(&mut self, at: &Child, limit: Numbers) -> Option<(bool, Proof)> {
        self.nodes += 1;
        if let Some(found) = self.static_answer(&at.board, at.seen) {
            return Some(found);
        }
        let mover = at.board.to_move;
        let (mut children, forbidden) = self.children(&at.board, at.seen);
        loop {
            let summary = summary(&children, mover, limit);
            if let Some(answer) = summary.numbers.answer() {
                let wins = answer == (mover == Color::Black);
                let mut proof = match wins {
                    true => children.swap_remove(summary.best).made(),
                    false => all_of(&children, forbidden),
                };
                if let Some(own) = self.history.last() {
                    // Every game that comes here has this position.
                    proof.blocked.retain(|id| *id != own.id);
                }
                self.remember(at, answer, &proof);
                return Some((answer, proof));
            }
            let is_too_long = self.history.len() >= DEEPEST;
            let numbers = match is_too_long {
                true => Numbers::INFINITE,
                false => summary.numbers,
            };
            let is_over = numbers.proof >= limit.proof || numbers.disproof >= limit.disproof;
            if is_over || self.nodes >= self.limit {
                self.memory.set_numbers(at.key, self.goal, numbers);
                return None;
            }
            let child = &mut children[summary.best];
            self.history.push(child.past);
            let found = self.search(child, summary.limit);
            self.history.pop();
            match found {
                Some((answer, proof)) => child.decide(answer, proof),
                None => self.look_up(child),
            }
        }
    }

    /// The ways to go on, the likelier ones first, and what the history forbids.
    fn children(&self, board: &Board, seen: PerColor<Points>) -> (Vec<Child>, Proof) {
        let (own, other) = (board.to_move, !board.to_move);
        let taken = board.stones[own] | board.stones[other];
        let mut forbidden = Proof::default();
        let mut children = Vec::with_capacity(self.geometry.area() + 1);
        for point in (0..self.geometry.area()).filter(|point| taken >> point & 1 == 0) {
            let Some(next) = board.played(&self.geometry, point) else {
                continue;
            };
            let child = self.child(&next, with_stones(seen, &next), false);
            let id = child.past.id;
            match self.history.iter().any(|past| past.id == id) {
                true => forbidden.block(id),
                false => children.push(child),
            }
        }
        let lead = board.area_lead(&self.geometry);
        let mut pass = self.child(&board.passed(), seen, true);
        if board.has_passed {
            pass.decide(lead >= self.goal, Proof::default());
        }
        children.push(pass);
        let is_enough = (lead >= self.goal) == (own == Color::Black);
        children.sort_by_key(|child| {
            let captured = (board.stones[other] & !child.board.stones[other]).count_ones();
            Reverse((is_enough && child.is_pass, captured))
        });
        for child in &mut children {
            self.look_up(child);
        }
        (children, forbidden)
    }

    fn child(&self, board: &Board, seen: PerColor<Points>, is_pass: bool) -> Child {
        let (least, symmetry) = self.symmetries.least(board);
        let turn = match self.is_situational {
            true => (board.to_move as u64) << (2 * MOST_POINTS),
            false => 0,
        };
        Child {
            board: *board,
            past: Past {
                id: board.stones_key() | turn,
                least: least.stones_key() | turn,
                stones: board.stone_count(),
            },
            is_pass,
            seen,
            key: least.key(),
            symmetry,
            numbers: Numbers::UNKNOWN,
            proof: None,
        }
    }

    /// What is remembered of a child: a proof that holds in this game, or else the numbers.
    fn look_up(&self, child: &mut Child) {
        if child.proof.is_some() {
            return;
        }
        child.numbers = self.memory.numbers(child.key, self.goal);
        let Some((answer, needs)) = self.memory.proven(child.key, self.goal) else {
            return;
        };
        let prover = if answer { Color::Black } else { Color::White };
        let filled = self.symmetries.origin_of(child.symmetry, needs.filled);
        if child.seen[prover] & filled == 0 && needs.allow(&self.history) {
            let needs = Needs { filled, ..*needs };
            child.decide(answer, Proof::of(needs));
        }
    }

    /// What pass-alive stones decide.
    fn static_answer(&self, board: &Board, seen: PerColor<Points>) -> Option<(bool, Proof)> {
        let area = self.geometry.area() as i32;
        let kept = |color: Color| sure_points(&self.geometry, board, color, seen[color]);
        let black = kept(Color::Black);
        if 2 * black.points.count_ones() as i32 - area >= self.goal {
            return Some((true, Proof::of(Needs::filled(black.filled))));
        }
        let white = kept(Color::White);
        (area - 2 * (white.points.count_ones() as i32) < self.goal)
            .then(|| (false, Proof::of(Needs::filled(white.filled))))
    }

    fn remember(&mut self, at: &Child, answer: bool, proof: &Proof) {
        if proof.blocked.is_empty() {
            let filled = self.symmetries.image_of(at.symmetry, proof.needs.filled);
            let needs = Needs {
                filled,
                ..proof.needs
            };
            self.memory.set_proven(at.key, self.goal, answer, needs);
        }
    }
}

impl Child {
    /// The proof that begins with the move that makes this.
    fn made(self) -> Proof {
        let mut proof = self.proof.unwrap_or_default();
        if !self.is_pass {
            proof.needs.make(self.past);
        }
        proof
    }

    fn decide(&mut self, answer: bool, proof: Proof) {
        self.numbers = if answer { Numbers::YES } else { Numbers::NO };
        self.proof = Some(proof);
    }
}

/// That none of these, and no move that the history forbids, is of use.
fn all_of(children: &[Child], forbidden: Proof) -> Proof {
    let proofs = children.iter().filter_map(|child| child.proof.as_ref());
    proofs.fold(forbidden, |mut all, proof| {
        all.add(proof);
        all
    })
}

/// Numbers of the mover: what it needs for its answer, and what the other side needs for its own; and back.
fn of_mover(numbers: Numbers, mover: Color) -> Numbers {
    match mover {
        Color::Black => numbers,
        Color::White => Numbers {
            proof: numbers.disproof,
            disproof: numbers.proof,
        },
    }
}

/// What the children say of a position whose numbers may reach `limit`.
///
/// The mover needs one of them, the other side all. What that costs is not added up, as most moves lead to the same
/// positions: it is the most for one and one for each other that is open (weak proof numbers, Ueda and others 2008).
/// The best child may do worse than the second by half before that is looked at (Pawlewicz and Lew 2007).
fn summary(children: &[Child], mover: Color, limit: Numbers) -> Summary {
    let limit = of_mover(limit, mover);
    let (mut best, mut first, mut second) = (0, Numbers::INFINITE, INFINITE);
    let (mut most, mut open) = (0, 0);
    for (at, child) in children.iter().enumerate() {
        let numbers = of_mover(child.numbers, mover);
        if numbers.disproof > 0 {
            most = most.max(numbers.disproof);
            open += 1;
        }
        if (numbers.proof, numbers.disproof) < (first.proof, first.disproof) {
            second = first.proof;
            (best, first) = (at, numbers);
        } else {
            second = second.min(numbers.proof);
        }
    }
    let others = u32::saturating_sub(open, 1);
    let numbers = Numbers {
        proof: first.proof,
        disproof: (most + others).min(INFINITE),
    };
    let limit = Numbers {
        proof: limit.proof.min(second + 1 + second / 2),
        disproof: limit.disproof.saturating_sub(others),
    };
    Summary {
        numbers: of_mover(numbers, mover),
        best,
        limit: of_mover(limit, mover),
    }
}

/// The points where stones were, with those of another position.
fn with_stones(seen: PerColor<Points>, board: &Board) -> PerColor<Points> {
    PerColor([
        seen[Color::Black] | board.stones[Color::Black],
        seen[Color::White] | board.stones[Color::White],
    ])
}
