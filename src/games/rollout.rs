//! Rollouts: random games with uniform moves among those that are legal and do not fill a
//! single-point eye of the mover's own, played to the end and scored by area. A light policy first
//! looks for answers to the last move; a learned one has a probability for each move.
//!
//! Only the simple ko is respected; a maximal number of moves ends cycles that superko would
//! forbid.

use std::sync::Arc;

use rand::Rng;
use smallvec::SmallVec;

use super::patterns;
use super::rollout_policy::{Recent, Sampler, Tables, built_in};
use crate::go::{Board, Color, Point, PointSet};
use crate::params::named_choices;

/// Move selection of rollouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RolloutPolicy {
    /// Uniform among sensible moves.
    #[default]
    Uniform,
    /// Next to the last move, captures, escapes and 3x3 patterns first (Gelly, Wang, Munos and
    /// Teytaud 2006).
    Light,
    /// With probabilities learned from game records (Silver et al. 2016).
    Learned,
}

named_choices!(RolloutPolicy by eq { Uniform = "uniform", Light = "light", Learned = "learned" });

/// Which color played each move first, in the order of the moves.
#[derive(Clone, Debug, Default)]
struct Log {
    moves: Vec<(Color, Point)>,
    recorded: PointSet,
}

/// A rollout in progress. One value can play many games, from any board, without allocating.
pub struct Rollout {
    board: Board,
    to_move: Color,
    empty: Vec<Point>,
    removed: Vec<Point>,
    policy: RolloutPolicy,
    last: Option<Point>,
    /// The moves before the start, for the learned policy.
    recent: Recent,
    /// Of the learned policy.
    sampler: Option<Box<Sampler>>,
    log: Option<Log>,
}

impl Rollout {
    /// Starts at a board.
    pub fn new(board: &Board, to_move: Color) -> Rollout {
        let mut rollout = Rollout {
            board: board.clone(),
            to_move,
            empty: Vec::with_capacity(board.size().area()),
            removed: Vec::with_capacity(board.size().area()),
            policy: RolloutPolicy::Uniform,
            last: None,
            recent: Recent::default(),
            sampler: None,
            log: None,
        };
        rollout.list_empty_points();
        rollout
    }

    /// The same with another policy; the learned one is that of the program.
    #[must_use]
    pub fn with_policy(self, policy: RolloutPolicy) -> Rollout {
        match policy {
            RolloutPolicy::Learned => self.with_learned(built_in()),
            _ => Rollout { policy, ..self },
        }
    }

    /// The same with this learned policy.
    #[must_use]
    pub fn with_learned(self, tables: Arc<Tables>) -> Rollout {
        let mut sampler = Box::new(Sampler::new(tables));
        sampler.reset(&self.board, self.recent);
        Rollout {
            policy: RolloutPolicy::Learned,
            sampler: Some(sampler),
            ..self
        }
    }

    /// The same after these moves, which the learned policy answers; also where it restarts.
    #[must_use]
    pub fn after(mut self, recent: Recent) -> Rollout {
        self.recent = recent;
        if let Some(sampler) = &mut self.sampler {
            sampler.reset(&self.board, recent);
        }
        self
    }

    /// The same with a record of first moves, see [`Rollout::first_moves`].
    #[must_use]
    pub fn with_log(self) -> Rollout {
        let log = Some(Log::default());
        Rollout { log, ..self }
    }

    /// The moves played, without repetitions, with the color that played each first; none without a
    /// record.
    pub fn first_moves(&self) -> &[(Color, Point)] {
        self.log.as_ref().map_or(&[], |log| &log.moves)
    }

    /// Restarts from a board.
    pub fn reset(&mut self, board: &Board, to_move: Color) {
        self.board.clone_from(board);
        self.to_move = to_move;
        self.last = None;
        if let Some(log) = &mut self.log {
            *log = Log::default();
        }
        if let Some(sampler) = &mut self.sampler {
            sampler.reset(board, self.recent);
        }
        self.list_empty_points();
    }

    /// The current board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Plays until both sides pass, or until three moves per point. Returns the number of moves,
    /// passes included.
    pub fn finish<R: Rng>(&mut self, rng: &mut R) -> usize {
        let cap = 3 * self.board.size().area();
        let (mut moves, mut passes) = (0, 0);
        while passes < 2 && moves < cap {
            passes = if self.step(rng) { 0 } else { passes + 1 };
            moves += 1;
        }
        moves
    }

    /// Plays one random move. Returns false for a pass, if no sensible move is left.
    #[inline]
    pub fn step<R: Rng>(&mut self, rng: &mut R) -> bool {
        let mover = self.to_move;
        self.to_move = !mover;
        if self.policy == RolloutPolicy::Learned {
            return self.step_learned(mover, rng);
        }
        if self.policy == RolloutPolicy::Light
            && let Some(chosen) = self.urgent(mover, rng)
        {
            self.play(chosen, mover);
            return true;
        }
        // Rejected points are moved behind `candidates`, so that the choice stays uniform.
        let mut candidates = self.empty.len();
        while candidates > 0 {
            let chosen = ((u64::from(rng.next_u32()) * candidates as u64) >> 32) as usize;
            let point = self.empty[chosen];
            if self.is_sensible(point, mover) {
                self.play(chosen, mover);
                return true;
            }
            candidates -= 1;
            self.empty.swap(chosen, candidates);
        }
        self.board.clear_ko();
        self.last = None;
        false
    }

    /// The probability of each move that the learned policy would choose now; none by other policies.
    pub fn probabilities(&mut self) -> Vec<(Point, f32)> {
        match &mut self.sampler {
            Some(sampler) => sampler.probabilities(&self.board, self.to_move),
            None => Vec::new(),
        }
    }

    /// As [`Rollout::step`], by the learned policy.
    fn step_learned<R: Rng>(&mut self, mover: Color, rng: &mut R) -> bool {
        let Some(sampler) = &mut self.sampler else {
            return false;
        };
        let Some(point) = sampler.choose(&self.board, mover, rng) else {
            sampler.after_pass();
            self.board.clear_ko();
            return false;
        };
        sampler.before_move(&self.board, point);
        if let Some(index) = self.empty.iter().position(|&empty| empty == point) {
            self.play(index, mover);
        }
        if let Some(sampler) = &mut self.sampler {
            sampler.after_move(&self.board, point, &self.removed);
        }
        true
    }

    /// Whether a move is legal (ignoring superko), fills no own eye and is no suicide.
    #[inline]
    fn is_sensible(&self, point: Point, color: Color) -> bool {
        !is_eye(&self.board, point, color) && self.board.is_legal(point, color, false)
    }

    #[inline]
    fn play(&mut self, chosen: usize, color: Color) {
        let point = self.empty[chosen];
        self.empty.swap_remove(chosen);
        self.removed.clear();
        self.board.play(point, color, &mut self.removed);
        self.empty.extend_from_slice(&self.removed);
        self.last = Some(point);
        if let Some(log) = &mut self.log
            && log.recorded.insert(point)
        {
            log.moves.push((color, point));
        }
    }

    /// Index among the empty points of an answer to the last move: capturing its chain, saving one
    /// of the mover's that it has put in atari, or a pattern.
    fn urgent<R: Rng>(&self, mover: Color, rng: &mut R) -> Option<usize> {
        let last = self.last?;
        let near = self.board.neighbors(last);
        let threatened = near.filter(|&point| self.board.color_at(point) == Some(mover));
        let in_atari = threatened
            .chain([last])
            .filter(|&stone| self.board.color_at(stone).is_some())
            .filter(|&stone| self.board.liberties(stone) == 1);
        let mut found: SmallVec<[Point; 8]> = in_atari
            .flat_map(|stone| self.board.liberty_points(stone))
            .filter(|&point| self.is_sound(point, mover))
            .collect();
        if found.is_empty() {
            let around = last.neighbors().into_iter().chain(last.diagonals());
            found = around
                .filter(|&point| self.board.contains(point) && self.board.is_empty(point))
                .filter(|&point| patterns::matches(&self.board, point, mover))
                .filter(|&point| self.is_sound(point, mover))
                .collect();
        }
        if found.is_empty() {
            return None;
        }
        let chosen = found[((u64::from(rng.next_u32()) * found.len() as u64) >> 32) as usize];
        self.empty.iter().position(|&point| point == chosen)
    }

    /// Whether a move is sensible and does not put its own chain in atari, by a quick check.
    fn is_sound(&self, point: Point, color: Color) -> bool {
        if !self.is_sensible(point, color) {
            return false;
        }
        let mut room = 0;
        for neighbor in self.board.neighbors(point) {
            room += match self.board.color_at(neighbor) {
                None => 1,
                // This point is one of its liberties, and is filled.
                Some(owner) if owner == color => self.board.liberties(neighbor) - 1,
                Some(_) if self.board.liberties(neighbor) == 1 => 2,
                Some(_) => 0,
            };
        }
        room > 1
    }

    fn list_empty_points(&mut self) {
        self.empty.clear();
        self.empty.extend(
            self.board
                .points()
                .filter(|&point| self.board.is_empty(point)),
        );
    }

    /// Owner of a point of a finished board: the stone's color, or the only color adjacent to an
    /// empty point.
    pub fn owner(&self, point: Point) -> Option<Color> {
        self.board.color_at(point).or_else(|| {
            let mut beside = [false; 2];
            for neighbor in point.neighbors() {
                if let Some(color) = self.board.color_at(neighbor) {
                    beside[color as usize] = true;
                }
            }
            match beside {
                [true, false] => Some(Color::Black),
                [false, true] => Some(Color::White),
                _ => None,
            }
        })
    }

    /// Black's area less White's on a finished board.
    pub fn black_area_lead(&self) -> i32 {
        let stones = |color| self.board.stone_count(color) as i32;
        let eyes: i32 = self
            .empty
            .iter()
            .map(|&point| self.owner(point).map_or(0, |owner| i32::from(owner.sign())))
            .sum();
        stones(Color::Black) - stones(Color::White) + eyes
    }
}

/// Whether an empty point is a single-point eye that a rollout should not fill: all neighbors have
/// the color, and of the diagonal points at most one (none at the edge) has the opponent's.
#[inline]
pub fn is_eye(board: &Board, point: Point, color: Color) -> bool {
    let mut at_edge = false;
    for neighbor in point.neighbors() {
        match board.color_at(neighbor) {
            Some(owner) if owner == color => {}
            None if !board.contains(neighbor) => at_edge = true,
            _ => return false,
        }
    }
    let hostile = point
        .diagonals()
        .into_iter()
        .filter(|&d| board.color_at(d) == Some(!color));
    hostile.count() + usize::from(at_edge) < 2
}
