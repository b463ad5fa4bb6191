//! Facts about the end of the game that a search may miss: when a pass wins or loses by the score,
//! which moves are pointless, and which dead stones to capture before passing if the rules would
//! count them as alive.
//!
//! Territory scoring is left to the search, since there needless moves cost points.

use super::rollout::is_eye;
use crate::go::area::{AreaMap, AreaParts, area};
use crate::go::score::{score, settled};
use crate::go::{Color, GameEnd, Move, Point, PointSet, Position, Scoring, Tax};

/// A root position with what follows from the rules alone.
pub struct Ending<'a> {
    position: &'a Position,
    mover: Color,
    /// Pass-alive areas of both sides.
    certain: AreaMap,
}

impl<'a> Ending<'a> {
    /// Analyses the position of a game that goes on, or is to be continued.
    pub fn new(position: &'a Position) -> Ending<'a> {
        let suicide = position.rules().suicide;
        Ending {
            position,
            mover: position.to_move(),
            certain: area(position.board(), AreaParts::CERTAIN, suicide),
        }
    }

    /// Pointless moves: they fill single-point eyes of the mover's pass-alive chains.
    pub fn pointless(&self) -> Vec<Move> {
        let is_pointless = |&point: &Point| {
            self.certain.owner(point) == Some(self.mover)
                && is_eye(self.position.board(), point, self.mover)
        };
        self.empty_points()
            .filter(is_pointless)
            .map(Move::Play)
            .collect()
    }

    /// Moves that gain nothing: those in pass-alive areas, and in the mover's eyes.
    pub fn idle(&self) -> Vec<Move> {
        let is_idle = |&point: &Point| {
            self.certain.owner(point).is_some() || is_eye(self.position.board(), point, self.mover)
        };
        self.empty_points()
            .filter(is_idle)
            .map(Move::Play)
            .collect()
    }

    /// All empty points in pass-alive areas, and the mover's eyes: nothing is left to do there
    /// except removing dead stones, see [`Ending::cleanup`].
    pub fn settled_points(&self) -> Vec<Move> {
        let mut settled = self.idle();
        let cleanup = self.cleanup();
        settled.retain(|mv| Some(*mv) != cleanup);
        settled
    }

    /// Whether a move may still matter although it surely gains nothing: outside pass-alive areas,
    /// beside stones of both sides, or, if it costs no point, one that captures stones or saves
    /// some from capture.
    pub fn is_open(&self, mv: Move) -> bool {
        let Some(point) = mv.point() else {
            return false;
        };
        if self.certain.owner(point).is_some() {
            return false;
        }
        if self.position.rules().scoring == Scoring::Area && self.is_tactical(point) {
            return true;
        }
        let board = self.position.board();
        let touches = |color: Color| {
            board
                .neighbors(point)
                .any(|p| board.color_at(p) == Some(color))
        };
        Color::BOTH.into_iter().all(touches)
    }

    /// Whether the mover could capture there, or has stones that could be captured.
    fn is_tactical(&self, point: Point) -> bool {
        let (board, mover) = (self.position.board(), self.mover);
        let mut neighbors = board.neighbors(point);
        board.is_capture(point, mover)
            || neighbors.any(|p| board.color_at(p) == Some(mover) && board.liberties(p) == 1)
    }

    /// All legal moves that are [open](Ending::is_open).
    pub fn open(&self) -> Vec<Move> {
        let moves = self.position.legal_moves();
        moves.filter(|&mv| self.is_open(mv)).collect()
    }

    /// Whether a pass ends the game now with a win for the mover. An opponent who never had a stone has passed for a
    /// handicap. If players agree on dead stones, `looks_won`, the mover's opinion, must hold too, and nothing may
    /// be [open](Ending::open) or belong to nobody that they could disagree on.
    pub fn pass_wins(&self, looks_won: bool) -> bool {
        let after = self.after_pass();
        let board = self.position.board();
        let has_opponent = board.stone_count(!self.mover) > 0 || board.captures(!self.mover) > 0;
        let is_agreed = || looks_won && self.is_divided() && self.open().is_empty();
        has_opponent
            && after.end() == GameEnd::Scored
            && self.lead_half(&after) > 0
            && (!self.position.rules().friendly_pass_ok || is_agreed())
    }

    /// Whether all points belong to a side, as the board stands.
    fn is_divided(&self) -> bool {
        let board = self.position.board();
        let map = area(board, AreaParts::ALL, self.position.rules().suicide);
        board.points().all(|point| map.owner(point).is_some())
    }

    /// Whether the mover is behind if both sides only pass from now on. Always false under
    /// territory scoring, where the board alone does not say.
    pub fn passing_loses(&self, looks_won: bool) -> bool {
        let rules = self.position.rules();
        if rules.scoring == Scoring::Territory || rules.friendly_pass_ok && looks_won {
            return false;
        }
        let mut after = self.after_pass();
        while !after.is_over() {
            after.play_unchecked(Move::Pass);
        }
        self.lead_half(&after) < 0
    }

    /// A move that helps to capture dead stones in the mover's pass-alive area, if the rules count
    /// all remaining stones as alive.
    pub fn cleanup(&self) -> Option<Move> {
        if self.position.rules().has_agreement() {
            return None;
        }
        let board = self.position.board();
        let is_enemy = |&p: &Point| board.color_at(p) == Some(!self.mover);
        // Stones in atari first, so that captures are completed.
        let fewest_liberties = |&point: &Point| {
            let enemies = board.neighbors(point).filter(is_enemy);
            enemies.map(|stone| board.liberties(stone)).min()
        };
        self.empty_points()
            .filter(|&point| {
                self.certain.owner(point) == Some(self.mover)
                    && board.neighbors(point).any(|p| is_enemy(&p))
                    && self.position.is_legal(Move::Play(point))
            })
            .min_by_key(fewest_liberties)
            .map(Move::Play)
    }

    fn empty_points(&self) -> impl Iterator<Item = Point> + '_ {
        let board = self.position.board();
        board.points().filter(|&point| board.is_empty(point))
    }

    fn after_pass(&self) -> Position {
        let mut after = self.position.clone();
        after.play_unchecked(Move::Pass);
        after
    }

    /// The mover's lead in half points by the less favorable of two counts: with stones in
    /// pass-alive areas dead, as [`settled`] has it, and with all stones alive, as strict referees
    /// do.
    fn lead_half(&self, finished: &Position) -> i32 {
        let lead = settled(finished).lead_half_for(self.mover);
        let rules = finished.rules();
        if rules.tax != Tax::None || rules.friendly_pass_ok {
            return lead;
        }
        lead.min(score(finished, &PointSet::EMPTY).lead_half_for(self.mover))
    }
}
