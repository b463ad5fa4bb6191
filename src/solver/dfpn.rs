//! Depth-first proof-number search (Nagai, "Df-pn algorithm for searching AND/OR trees and its
//! applications", 2002) for one question with the answer yes or no.
//!
//! The side that wants a yes, the *prover*, must get there in finitely many moves; a position that
//! repeats one on the path to it counts as no. Such an answer holds on that path only (the problem of
//! graph history interaction; Kishimoto and Mueller, "A solution to the GHI problem for depth-first
//! proof-number search", 2005). So each answer carries the depth of the shallowest position that it
//! supposes to be a no, and gets into the table only when that is not above it. A yes never depends
//! on the path.
//!
//! Numbers of the moves of the side that must answer them all are not added up but are their maximum
//! and one for every four other moves (after the weak proof numbers of Ueda and others, 2008), as most
//! moves lead to the same positions. Thresholds go an eighth beyond the second best move (Pawlewicz and
//! Lew, "Improving depth-first PN-search: 1+epsilon trick", 2007). Moves that cannot matter are left out
//! (see `zone`).

use super::arena::{Arena, Bits, NOWHERE, Side, State, places};
use super::node::{Child, FREE, Found, from_sides, sides, widen};
use super::order;
use super::question::Question;
use super::table::{INFINITE, Numbers, Table};

/// What is played for a pass.
pub(super) const PASS: u8 = 254;

/// So many other moves that are open count one in the numbers of a node.
const OTHERS_FOR_ONE: u32 = 4;

/// Longer lines are given up.
const DEEPEST: usize = 300;

/// A search for one position of an arena.
pub(super) struct Search<'a> {
    arena: &'a Arena,
    question: Question,
    table: &'a mut Table,
    /// Nodes that may still be spent.
    budget: u64,
    spent: u64,
    path: Vec<u128>,
    /// How many of the path's keys there are with the same last bits.
    on_path: Vec<u16>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        arena: &'a Arena,
        question: Question,
        table: &'a mut Table,
        budget: u64,
    ) -> Search<'a> {
        Search {
            arena,
            question,
            table,
            budget,
            spent: 0,
            path: Vec::new(),
            on_path: vec![0; 1024],
        }
    }

    /// Nodes spent so far.
    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    /// The answer, if the budget was enough.
    pub(super) fn run(&mut self, state: &State, mover: Side) -> Option<bool> {
        if let Some(answer) = self.first_look(state, mover).numbers.answer() {
            return Some(answer);
        }
        let found = self.visit(state, mover, Numbers::INFINITE);
        found
            .numbers
            .answer()
            .filter(|&answer| answer || found.depends_on >= 0)
    }

    pub(super) fn key(&self, state: &State, mover: Side) -> u128 {
        state.key ^ self.question.key(mover)
    }

    fn visit(&mut self, state: &State, mover: Side, limit: Numbers) -> Found {
        let depth = self.path.len() as i32;
        let key = self.key(state, mover);
        let start = self.spent;
        self.spent += 1;
        if let Some((found, best)) = self.answered_elsewhere(state, mover) {
            self.table.put(key, found.numbers, found.zone, 1, best);
            return found;
        }
        self.path.push(key);
        self.on_path[key as usize % 1024] += 1;
        let mut children = self.children(state, mover);
        let is_prover = mover == self.question.prover();
        let mut zone = self.leave_out(state, mover, &mut children);
        let (mut found, best) = loop {
            let (found, best) = self.sum_up(&children, is_prover);
            let numbers = found.numbers;
            let is_over = numbers.answer().is_some()
                || numbers.proof >= limit.proof
                || numbers.disproof >= limit.disproof
                || self.spent >= self.budget;
            if is_over {
                break (found, best);
            }
            let Some((at, child_limit)) = self.choose(&children, limit, is_prover) else {
                break (found, best);
            };
            let child_state = children[at].state;
            children[at].found = self.visit(&child_state, !mover, child_limit);
            if children[at].is_lost(is_prover) {
                zone = self.leave_out(state, mover, &mut children);
            }
        };
        self.path.pop();
        self.on_path[key as usize % 1024] -= 1;
        let best_place = best.map_or(NOWHERE, |at| children[at].place);
        if let Some(answer) = found.numbers.answer() {
            found.zone = match best.filter(|_| answer == is_prover) {
                Some(at) => self.zone_of_child(state, mover, &children[at]),
                None => zone,
            };
        }
        let work = (self.spent - start).min(u64::from(u32::MAX)) as u32;
        if found.numbers.disproof != 0 || found.depends_on >= depth {
            found.depends_on = FREE;
            self.table
                .put(key, found.numbers, found.zone, work, best_place);
        }
        found
    }

    /// The answer that follows from the answer to another question, and the move that gets it. Both answers are
    /// wins for the same side, and no ko rule of this question is worse for it, so what follows from the answer
    /// also does after its move.
    fn answered_elsewhere(&self, state: &State, mover: Side) -> Option<(Found, u8)> {
        let mut others = self.question.answered_by().iter();
        others.find_map(|(other, theirs, ours)| {
            let entry = self.table.get(state.key ^ other.key(mover))?;
            let numbers = if *ours { Numbers::YES } else { Numbers::NO };
            let is_same = entry.numbers.answer() == Some(*theirs);
            is_same.then(|| (Found::free(numbers, entry.zone), entry.best))
        })
    }

    /// The zone of a node that is answered by a move.
    fn zone_of_child(&self, state: &State, mover: Side, child: &Child) -> Bits {
        let own = match child.place {
            PASS => 0,
            place => self.arena.zone_of_move(state, &child.state, mover, place),
        };
        child.found.zone | own
    }

    /// Once a move that changes nothing in its own zone is lost, so are all moves outside, which are left
    /// out. Returns the zone of all moves that are lost.
    fn leave_out(&self, state: &State, mover: Side, children: &mut Vec<Child>) -> Bits {
        let is_prover = mover == self.question.prover();
        let idle = children
            .iter()
            .filter(|child| child.is_idle(state, is_prover));
        let Some(mut zone) = idle
            .map(|child| child.found.zone)
            .min_by_key(|zone| zone.count_ones())
        else {
            return self.arena.region;
        };
        loop {
            zone = self.arena.closed_zone(state, mover, zone);
            let before = zone;
            let there = children.iter().fold(0, |all, child| all | child.bit());
            let missing = zone & self.arena.empty(state) & !there;
            if missing != 0 {
                self.add_moves(state, mover, missing, children);
            }
            for child in children.iter_mut() {
                child.counts = child.bit() & zone != 0;
                if child.counts && child.is_lost(is_prover) {
                    zone |= child.found.zone;
                    zone |= self
                        .arena
                        .zone_of_reply(state, &child.state, mover, child.place);
                }
            }
            if zone == before {
                return zone;
            }
        }
    }

    /// The numbers of a node by those of its moves, and the best of them.
    fn sum_up(&self, children: &[Child], is_prover: bool) -> (Found, Option<usize>) {
        let mut best: Option<(u32, i32, usize)> = None;
        let (mut most, mut open) = (0, 0);
        let mut depends_on = FREE;
        for (at, child) in children
            .iter()
            .enumerate()
            .filter(|(_, child)| child.counts)
        {
            let (easy, hard) = sides(child.found.numbers, is_prover);
            if easy == 0 {
                return (child.found, Some(at));
            }
            depends_on = depends_on.min(child.found.depends_on);
            if hard == 0 {
                continue;
            }
            most = most.max(hard);
            open += 1;
            let candidate = (easy, child.rank, at);
            best = Some(best.map_or(candidate, |best| best.min(candidate)));
        }
        let Some((least, _, at)) = best else {
            // No move answers: a no for the prover, a yes if the others have run out of moves.
            let numbers = if is_prover { Numbers::NO } else { Numbers::YES };
            let found = Found {
                depends_on,
                ..Found::free(numbers, 0)
            };
            return (found, None);
        };
        let most = (most + (open - 1) / OTHERS_FOR_ONE).min(INFINITE - 1);
        let numbers = from_sides(least, most, is_prover);
        (Found::free(numbers, 0), Some(at))
    }

    /// The move to look at next, and how far.
    fn choose(
        &self,
        children: &[Child],
        limit: Numbers,
        is_prover: bool,
    ) -> Option<(usize, Numbers)> {
        let weight = |child: &Child| (sides(child.found.numbers, is_prover).0, child.rank);
        let is_open = |child: &Child| child.counts && !child.is_lost(is_prover);
        let open = || {
            let all = children.iter().enumerate();
            all.filter(|(_, child)| is_open(child))
        };
        let (at, _) = open().min_by_key(|(at, child)| (weight(child), *at))?;
        let others = open().filter(|&(other, _)| other != at);
        let second = others.map(|(_, child)| weight(child).0).min();
        let others = (open().count() as u32 - 1) / OTHERS_FOR_ONE;
        Some((
            at,
            widen(second.unwrap_or(INFINITE), others, limit, is_prover),
        ))
    }

    /// The mover's moves, up to one that answers the question. Where a pass fails for a side that may
    /// pass, moves outside its zone are left to [`Search::leave_out`], which adds those that matter.
    fn children(&self, state: &State, mover: Side) -> Vec<Child> {
        let is_prover = mover == self.question.prover();
        let mut children = Vec::with_capacity(24);
        let mut moves = self.arena.empty(state);
        if !is_prover {
            let pass = self.child(PASS, self.arena.pass(state), i32::MIN, mover);
            let zone = pass.found.zone;
            let (is_best, is_idle) = (pass.is_best(is_prover), pass.is_idle(state, is_prover));
            children.push(pass);
            if is_best {
                return children;
            }
            if is_idle {
                moves &= self.arena.closed_zone(state, mover, zone);
            }
        }
        self.add_moves(state, mover, moves, &mut children);
        children
    }

    /// Adds the moves on some points, up to one that answers the question.
    fn add_moves(&self, state: &State, mover: Side, points: Bits, children: &mut Vec<Child>) {
        let is_prover = mover == self.question.prover();
        let hints = order::Hints::new(self.arena, state, self.arena.safe_attackers(state));
        let has_ko_rule = self.question.binds(!mover);
        for place in places(points).filter(|&place| place != state.ko) {
            let Some(next) = self.arena.play(state, mover, place, has_ko_rule) else {
                continue;
            };
            let rank = hints.rank(self.arena, state, &next, mover, place);
            let child = self.child(place, next, rank, mover);
            let is_best = child.is_best(is_prover);
            children.push(child);
            if is_best {
                return;
            }
        }
    }

    fn child(&self, place: u8, state: State, rank: i32, mover: Side) -> Child {
        Child {
            place,
            found: self.first_look(&state, !mover),
            state,
            rank,
            counts: true,
        }
    }

    /// What is known of a position without searching it.
    fn first_look(&self, state: &State, mover: Side) -> Found {
        let key = self.key(state, mover);
        let known = self.table.get(key);
        if let Some(entry) = known
            && entry.numbers.answer().is_some()
        {
            return Found::free(entry.numbers, entry.zone);
        }
        if self.on_path[key as usize % 1024] > 0
            && let Some(at) = self.path.iter().position(|&before| before == key)
        {
            return Found {
                depends_on: at as i32,
                ..Found::free(Numbers::NO, self.arena.region)
            };
        }
        if let Some(entry) = known {
            return Found::free(entry.numbers, 0);
        }
        let safe = self.arena.safe_attackers(state);
        if let Some((answer, zone)) = self.question.end(self.arena, state, safe) {
            let numbers = if answer { Numbers::YES } else { Numbers::NO };
            return Found::free(numbers, zone);
        }
        if self.path.len() >= DEEPEST {
            return Found {
                depends_on: -1,
                ..Found::free(Numbers::NO, self.arena.region)
            };
        }
        Found::free(
            order::first_numbers(self.arena, &self.question, state, safe),
            0,
        )
    }
}
