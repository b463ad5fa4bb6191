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
//! and one for each other move (weak proof numbers: Ueda and others, 2008), as most moves lead to the
//! same positions. Thresholds grow by a quarter beyond the second best (Pawlewicz and Lew, 2007).

use super::arena::{Arena, Bits, NOWHERE, Side, State, places};
use super::order;
use super::question::Question;
use super::table::{INFINITE, Numbers, Table};

/// What is played for a pass.
pub(super) const PASS: u8 = 254;

/// Longer lines are given up.
const DEEPEST: usize = 300;

/// An answer that supposes nothing about positions before it.
const FREE: i32 = i32::MAX;

/// What a search of a node came to.
#[derive(Clone, Copy)]
struct Found {
    numbers: Numbers,
    /// The depth of the shallowest position that is supposed to be a no.
    depends_on: i32,
}

struct Child {
    place: u8,
    state: State,
    found: Found,
    /// For equal numbers; lower is earlier.
    rank: i32,
}

/// A search for one position of an arena.
pub(super) struct Search<'a> {
    arena: &'a Arena,
    question: Question,
    table: &'a mut Table,
    /// Nodes that may still be spent.
    budget: u64,
    spent: u64,
    path: Vec<u128>,
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
        }
    }

    /// Nodes spent so far.
    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    /// The answer, if the budget was enough.
    pub(super) fn run(&mut self, state: &State, mover: Side) -> Option<bool> {
        if let Some(answer) = self.question.end(self.arena, state, mover) {
            return Some(answer);
        }
        let known = self.table.get(self.key(state, mover));
        if let Some(answer) = known.and_then(|entry| entry.numbers.answer()) {
            return Some(answer);
        }
        let limit = Numbers {
            proof: INFINITE,
            disproof: INFINITE,
        };
        let found = self.visit(state, mover, limit);
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
        self.path.push(key);
        let mut children = self.children(state, mover);
        let is_prover = mover == self.question.prover;
        let (found, best) = loop {
            let (found, best) = self.sum_up(&children, is_prover, depth);
            let numbers = found.numbers;
            let is_over = numbers.answer().is_some()
                || numbers.proof >= limit.proof
                || numbers.disproof >= limit.disproof
                || self.spent >= self.budget;
            let Some((at, child_limit)) = best.filter(|_| !is_over) else {
                break (found, best.map_or(NOWHERE, |(at, _)| children[at].place));
            };
            let child_limit = widen(child_limit, numbers, limit, children[at].found.numbers, is_prover);
            let child_state = children[at].state;
            children[at].found = self.visit(&child_state, !mover, child_limit);
        };
        self.path.pop();
        let work = (self.spent - start).min(u64::from(u32::MAX)) as u32;
        if found.numbers.disproof != 0 || found.depends_on >= depth {
            self.table.put(key, found.numbers, work, best);
            return Found {
                depends_on: FREE,
                ..found
            };
        }
        found
    }

    /// The numbers of a node by those of its moves; the move to look at next with the smallest number
    /// among the others.
    fn sum_up(
        &self,
        children: &[Child],
        is_prover: bool,
        depth: i32,
    ) -> (Found, Option<(usize, u32)>) {
        let mut best: Option<usize> = None;
        let mut second = INFINITE;
        let (mut most, mut open) = (0, 0);
        let mut depends_on = FREE;
        for (at, child) in children.iter().enumerate() {
            let (easy, hard) = sides(child.found.numbers, is_prover);
            if easy == 0 {
                let found = Found {
                    numbers: child.found.numbers,
                    depends_on: child.found.depends_on,
                };
                return (found, Some((at, INFINITE)));
            }
            depends_on = depends_on.min(child.found.depends_on);
            if hard == 0 {
                continue;
            }
            most = most.max(hard);
            open += 1;
            let is_better = best.is_none_or(|best| {
                let (least, _) = sides(children[best].found.numbers, is_prover);
                (easy, child.rank) < (least, children[best].rank)
            });
            if is_better {
                if let Some(best) = best {
                    second = second.min(sides(children[best].found.numbers, is_prover).0);
                }
                best = Some(at);
            } else {
                second = second.min(easy);
            }
        }
        let _ = depth;
        let Some(at) = best else {
            // No move answers: a no for the prover, a yes if the others have run out of moves.
            let numbers = if is_prover { Numbers::NO } else { Numbers::YES };
            return (
                Found {
                    numbers,
                    depends_on,
                },
                None,
            );
        };
        let least = sides(children[at].found.numbers, is_prover).0;
        let most = (most + open - 1).min(INFINITE - 1);
        let numbers = match is_prover {
            true => Numbers {
                proof: least,
                disproof: most,
            },
            false => Numbers {
                proof: most,
                disproof: least,
            },
        };
        let found = Found {
            numbers,
            depends_on: FREE,
        };
        (found, Some((at, second)))
    }

    fn children(&mut self, state: &State, mover: Side) -> Vec<Child> {
        let is_prover = mover == self.question.prover;
        let mut children = Vec::with_capacity(24);
        let hints = order::Hints::new(self.arena, state);
        let moves: Bits = self.arena.empty(state);
        let has_ko_rule = self.question.binds(!mover);
        let mut add = |place: u8, next: State, rank: i32, search: &Search| {
            let found = search.first_look(&next, !mover, rank);
            children.push(Child {
                place,
                state: next,
                found,
                rank,
            });
            let (easy, _) = sides(children[children.len() - 1].found.numbers, is_prover);
            easy == 0
        };
        if !is_prover {
            let next = self.arena.pass(state);
            if add(PASS, next, 0, self) {
                return children;
            }
        }
        for place in places(moves) {
            if place == state.ko {
                continue;
            }
            let Some(next) = self.arena.play(state, mover, place, has_ko_rule) else {
                continue;
            };
            let rank = hints.rank(self.arena, state, &next, mover, place);
            if add(place, next, rank, self) {
                return children;
            }
        }
        children
    }

    /// What is known of a position without searching it.
    fn first_look(&self, state: &State, mover: Side, rank: i32) -> Found {
        let free = |numbers| Found {
            numbers,
            depends_on: FREE,
        };
        let key = self.key(state, mover);
        if let Some(entry) = self.table.get(key)
            && entry.numbers.answer().is_some()
        {
            return free(entry.numbers);
        }
        if let Some(at) = self.path.iter().position(|&before| before == key) {
            return Found {
                numbers: Numbers::NO,
                depends_on: at as i32,
            };
        }
        if let Some(entry) = self.table.get(key) {
            return free(entry.numbers);
        }
        if let Some(answer) = self.question.end(self.arena, state, mover) {
            return free(if answer { Numbers::YES } else { Numbers::NO });
        }
        if self.path.len() >= DEEPEST {
            return Found {
                numbers: Numbers::NO,
                depends_on: -1,
            };
        }
        free(order::first_numbers(self.arena, &self.question, state, mover, rank))
    }
}

/// The number that one of the mover's moves must bring to 0, and the one that all must.
fn sides(numbers: Numbers, is_prover: bool) -> (u32, u32) {
    match is_prover {
        true => (numbers.proof, numbers.disproof),
        false => (numbers.disproof, numbers.proof),
    }
}

/// The limits for the best move: until the second best is better by a quarter, or until the node
/// reaches its own.
fn widen(second: u32, node: Numbers, limit: Numbers, child: Numbers, is_prover: bool) -> Numbers {
    let (easy_limit, hard_limit) = sides(limit, is_prover);
    let (_, node_hard) = sides(node, is_prover);
    let (_, child_hard) = sides(child, is_prover);
    let easy = easy_limit.min(second.saturating_add(second / 4 + 1));
    let hard = hard_limit
        .saturating_sub(node_hard)
        .saturating_add(child_hard)
        .min(INFINITE);
    match is_prover {
        true => Numbers {
            proof: easy,
            disproof: hard,
        },
        false => Numbers {
            proof: hard,
            disproof: easy,
        },
    }
}
