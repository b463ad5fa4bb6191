//! Whether Black gets at least some score: a search of all moves, deeper and deeper, until there is a proof.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use smallvec::SmallVec;

use super::board::{Board, Geometry, MOST_POINTS, Points};
use super::proof::{Needs, Past, Proof};
use super::sure::sure_points;
use super::symmetry::Symmetries;
use crate::go::{Color, PerColor};

/// More moves than any game has that a search gets through.
const FULL_DEPTH: u16 = 200;

/// A pass among numbers of points.
pub(super) const PASS: usize = MOST_POINTS;

/// Hashes keys that are numbers by one product.
#[derive(Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, key: u64) {
        let mixed = (self.0 ^ key).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// What is known of a position, by its least image.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Black gets at least this.
    at_least: Option<(i8, Needs)>,
    /// Black gets less than this.
    less_than: Option<(i8, Needs)>,
    /// By prover: a depth within which there is no proof about a score.
    undecided: [Option<(u16, i8)>; 2],
    /// The last move that proved something, on the image.
    best: Option<u8>,
}

/// The search, with what it has found so far.
pub(super) struct Search {
    pub(super) geometry: Geometry,
    symmetries: Symmetries,
    /// Whether the side to move is part of what must not be repeated.
    is_situational: bool,
    table: HashMap<u64, Known, BuildHasherDefault<KeyHasher>>,
    /// Positions to remember.
    memory: usize,
    /// The positions so far, the present one included.
    history: Vec<Past>,
    /// How often a move proved something, by color and point.
    success: [[u32; MOST_POINTS + 1]; 2],
    pub(super) nodes: u64,
    pub(super) limit: u64,
    /// Nodes after which the present attempt ends.
    stop: u64,
    /// What is asked: whether Black gets at least this.
    goal: i32,
    /// For whom a proof is looked for: Black that it gets the goal, White that Black does not.
    prover: Color,
}

impl Search {
    pub(super) fn new(
        geometry: Geometry,
        is_situational: bool,
        limit: u64,
        memory: usize,
    ) -> Search {
        Search {
            symmetries: Symmetries::new(&geometry),
            geometry,
            is_situational,
            table: HashMap::default(),
            memory,
            history: Vec::new(),
            success: [[0; MOST_POINTS + 1]; 2],
            nodes: 0,
            limit,
            stop: limit,
            goal: 0,
            prover: Color::Black,
        }
    }

    /// Whether Black gets at least `goal` from a position to which these moves' positions have led (`before`, oldest
    /// first, without itself); none if that would take too many nodes.
    pub(super) fn decide(&mut self, before: &[Board], board: &Board, goal: i32) -> Option<bool> {
        self.goal = goal;
        self.history.clear();
        let mut seen = PerColor([0; 2]);
        for board in before.iter().chain([board]) {
            let past = self.past(board);
            self.history.push(past);
            seen = with_stones(seen, board);
        }
        let begun = self.nodes;
        for depth in 1..FULL_DEPTH {
            for prover in Color::BOTH {
                self.prover = prover;
                self.stop = self.limit;
                if let Some((answer, _)) = self.search(board, seen, depth) {
                    return Some(answer);
                }
            }
            // Where games are long and branch little, as on boards of six points, the first moves that come to
            // mind soon lead to a proof, but none of few moves exists.
            let spent = self.nodes - begun;
            self.stop = self.limit.min(self.nodes + spent);
            if let Some((answer, _)) = self.search(board, seen, FULL_DEPTH) {
                return Some(answer);
            }
            if self.nodes >= self.limit {
                return None;
            }
        }
        None
    }

    fn past(&self, board: &Board) -> Past {
        let (least, _) = self.symmetries.least(board);
        let turn = match self.is_situational {
            true => (board.to_move as u64) << (2 * MOST_POINTS),
            false => 0,
        };
        Past {
            id: board.stones_key() | turn,
            least: least.stones_key() | turn,
            stones: board.stone_count(),
        }
    }

    /// The answer with a proof. If there is no proof for the prover within this many moves it may still be there for
    /// the other side.
    fn search(
        &mut self,
        board: &Board,
        seen: PerColor<Points>,
        depth: u16,
    ) -> Option<(bool, Proof)> {
        self.nodes += 1;
        if let Some(found) = self.static_answer(board, seen) {
            return Some(found);
        }
        if depth == 0 || self.nodes >= self.stop {
            return None;
        }
        let (least, symmetry) = self.symmetries.least(board);
        let key = least.key();
        let known = self.table.get(&key).copied().unwrap_or_default();
        if let Some(found) = self.remembered(&known, seen, symmetry) {
            return Some(found);
        }
        if known.undecided[self.prover as usize]
            .is_some_and(|(deep, goal)| deep >= depth && i32::from(goal) == self.goal)
        {
            return None;
        }
        let best = known.best.map(|best| match usize::from(best) {
            PASS => PASS,
            point => self.symmetries.origin(symmetry, point),
        });
        let mut found = self.try_moves(board, seen, depth, best);
        if let (Some((_, proof, _)), Some(own)) = (&mut found, self.history.last()) {
            // Every game that comes here has this position.
            proof.blocked.retain(|id| *id != own.id);
        }
        self.remember(key, symmetry, depth, &found);
        found.map(|(answer, proof, _)| (answer, proof))
    }

    /// What pass-alive stones decide.
    fn static_answer(&self, board: &Board, seen: PerColor<Points>) -> Option<(bool, Proof)> {
        let area = self.geometry.area() as i32;
        let kept = |color: Color| sure_points(&self.geometry, board, color, seen[color]);
        let black = kept(Color::Black);
        if 2 * black.points.count_ones() as i32 - area >= self.goal {
            return Some((true, Proof::of(black.filled)));
        }
        let white = kept(Color::White);
        (area - 2 * (white.points.count_ones() as i32) < self.goal)
            .then(|| (false, Proof::of(white.filled)))
    }

    /// An answer from another game, if its proof holds in this one.
    fn remembered(
        &self,
        known: &Known,
        seen: PerColor<Points>,
        symmetry: usize,
    ) -> Option<(bool, Proof)> {
        let (needs, answer) = match (known.at_least, known.less_than) {
            (Some((goal, needs)), _) if i32::from(goal) >= self.goal => (needs, true),
            (_, Some((goal, needs))) if i32::from(goal) <= self.goal => (needs, false),
            _ => return None,
        };
        let prover = if answer { Color::Black } else { Color::White };
        let seen = self.symmetries.image_of(symmetry, seen[prover]);
        let (_, before) = self.history.split_last()?;
        let holds = seen & needs.filled == 0 && needs.allow(before);
        holds.then(|| {
            let filled = self.symmetries.origin_of(symmetry, needs.filled);
            let needs = Needs { filled, ..needs };
            let proof = Proof {
                needs,
                blocked: SmallVec::new(),
            };
            (answer, proof)
        })
    }

    fn try_moves(
        &mut self,
        board: &Board,
        seen: PerColor<Points>,
        depth: u16,
        best: Option<usize>,
    ) -> Option<(bool, Proof, Option<usize>)> {
        let mover = board.to_move;
        let wanted = mover == Color::Black;
        let mut together = Proof::default();
        let mut is_decided = true;
        for (mv, child) in self.moves(board, best) {
            let (past, found) = match child {
                None => {
                    let lead = board.area_lead(&self.geometry);
                    (None, Some((lead >= self.goal, Proof::default())))
                }
                Some(child) if mv == PASS => {
                    // A pass may repeat anything.
                    let past = self.past(&child);
                    self.history.push(past);
                    let found = self.search(&child, seen, depth - 1);
                    self.history.pop();
                    (None, found)
                }
                Some(child) => {
                    let past = self.past(&child);
                    if self.history.iter().any(|earlier| earlier.id == past.id) {
                        together.block(past.id);
                        continue;
                    }
                    self.history.push(past);
                    let found = self.search(&child, with_stones(seen, &child), depth - 1);
                    self.history.pop();
                    (Some(past), found)
                }
            };
            match found {
                Some((answer, mut proof)) if answer == wanted => {
                    if let Some(past) = past {
                        proof.needs.make(past);
                    }
                    self.success[mover as usize][mv] += u32::from(depth) * u32::from(depth);
                    return Some((answer, proof, Some(mv)));
                }
                Some((_, proof)) => together.add(&proof),
                None if mover == self.prover => is_decided = false,
                // The prover has no proof against this move.
                None => return None,
            }
        }
        is_decided.then_some((!wanted, together, None))
    }

    /// Moves with the positions that they make; the pass that ends the game makes none.
    fn moves(&self, board: &Board, best: Option<usize>) -> SmallVec<[(usize, Option<Board>); 26]> {
        let taken = board.stones[Color::Black] | board.stones[Color::White];
        let mut list: SmallVec<[(i64, usize, Option<Board>); 26]> = SmallVec::new();
        let own = board.to_move;
        let rank = |mv: usize, first: i64| match best {
            Some(best) if best == mv => i64::MIN,
            _ => first,
        };
        for point in 0..self.geometry.area() {
            if taken & 1 << point != 0 {
                continue;
            }
            if let Some(child) = board.played(&self.geometry, point) {
                let captured = (board.stones[!own] & !child.stones[!own]).count_ones();
                let success = self.success[own as usize][point];
                let first = -(i64::from(success) + i64::from(captured) * (1 << 32));
                list.push((rank(point, first), point, Some(child)));
            }
        }
        let ends = board.has_passed;
        let is_enough = (board.area_lead(&self.geometry) >= self.goal) == (own == Color::Black);
        let first = match (ends, is_enough) {
            (true, true) => i64::MIN,
            (false, true) => i64::MIN + 1,
            _ => 1,
        };
        let child = (!ends).then(|| board.passed());
        list.push((rank(PASS, first), PASS, child));
        list.sort_by_key(|entry| entry.0);
        list.into_iter().map(|(_, mv, child)| (mv, child)).collect()
    }

    fn remember(
        &mut self,
        key: u64,
        symmetry: usize,
        depth: u16,
        found: &Option<(bool, Proof, Option<usize>)>,
    ) {
        if self.table.len() >= self.memory && !self.table.contains_key(&key) {
            return;
        }
        let goal = self.goal as i8;
        let known = self.table.entry(key).or_default();
        let Some((answer, proof, mv)) = found else {
            if self.nodes >= self.stop {
                return;
            }
            known.undecided[self.prover as usize] = Some((depth, goal));
            return;
        };
        if let Some(mv) = mv {
            let image = match *mv {
                PASS => PASS,
                point => self.symmetries.image(symmetry, point),
            };
            known.best = Some(image as u8);
        }
        if proof.blocked.is_empty() {
            let filled = self.symmetries.image_of(symmetry, proof.needs.filled);
            let needs = Needs {
                filled,
                ..proof.needs
            };
            match answer {
                true => known.at_least = Some((goal, needs)),
                false => known.less_than = Some((goal, needs)),
            }
        }
    }
}

/// The points where stones were, with those of another position.
fn with_stones(seen: PerColor<Points>, board: &Board) -> PerColor<Points> {
    PerColor([
        seen[Color::Black] | board.stones[Color::Black],
        seen[Color::White] | board.stones[Color::White],
    ])
}
