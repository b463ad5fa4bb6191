//! Bonuses for root moves in Go: a penalty for moves inside settled areas (KataGo 1.17,
//! `rootEndingBonusPoints` and `getEndingWhiteScoreBonus` in searchhelpers.cpp), and one for
//! repeating a position. Dame and captures of dead stones, where these count, are exempt so that
//! they get played.

use super::go::code;
use crate::go::area::{AreaMap, AreaParts, area};
use crate::go::{Color, Move, Point, Position, Scoring};
use crate::search::bonus::{Bonus, RootBonus, RootValues};
use crate::search::game::MoveCode;

/// Default ending bonus in points. KataGo: 0.5.
pub const ENDING_POINTS: f64 = 0.5;

/// Ownership from here on is settled; the penalty grows from 0 here to its full size at certainty.
const SURE: f64 = 0.95;

/// Fraction of the penalty for a pass while a button can be taken later.
const PASS_WITH_BUTTON: f64 = -0.5;

/// Fraction of the penalty for a pass under territory scoring, where dame should be filled first.
const PASS_FOR_TERRITORY: f64 = -2.0 / 3.0;

/// Settings of the root bonuses in Go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoBonus {
    /// Points of score penalty for root moves inside settled areas; 0 is off.
    pub ending_points: f64,
    /// Utility penalty for a move that repeats a position, times the winning less losing
    /// probability of the side ahead; 0 is off.
    pub avoid_repeating: f64,
}

impl Default for GoBonus {
    fn default() -> GoBonus {
        GoBonus {
            ending_points: ENDING_POINTS,
            avoid_repeating: 0.0,
        }
    }
}

impl RootBonus<Position> for GoBonus {
    fn wants_ownership(&self) -> bool {
        self.ending_points != 0.0
    }

    fn bonuses(&self, position: &Position, values: &RootValues) -> Vec<(MoveCode, Bonus)> {
        let mut bonuses = Vec::new();
        if let (true, Some(ownership)) = (self.wants_ownership(), &values.ownership) {
            let shares = ending_shares(position, ownership).into_iter();
            bonuses.extend(shares.map(|(code, share)| {
                let points = share * self.ending_points;
                let utility = 0.0;
                (code, Bonus { points, utility })
            }));
        }
        if self.avoid_repeating > 0.0 && values.win_loss > 0.0 {
            let bonus = Bonus {
                points: 0.0,
                utility: -values.win_loss * self.avoid_repeating,
            };
            let moves = position.legal_moves();
            let repeating = moves.filter(|&mv| position.repeats_position(mv));
            bonuses.extend(repeating.map(|mv| (code(mv), bonus)));
        }
        bonuses
    }
}

/// The moves with an ending penalty, each with its fraction in [-1, 0]. `ownership` is the expected
/// ownership, row by row from the top left, +1 for the side to move.
pub fn ending_shares(position: &Position, ownership: &[f32]) -> Vec<(MoveCode, f64)> {
    let suicide = position.rules().suicide;
    let judge = Judge {
        position,
        mover: position.to_move(),
        certain: area(position.board(), AreaParts::CERTAIN, suicide),
        counts_area: position.rules().scoring == Scoring::Area || position.phase() >= 2,
    };
    let points = position.size().points().zip(ownership);
    let plays = points.map(|(point, &owner)| (Move::Play(point), judge.play(point, owner.into())));
    let all = plays.chain([(Move::Pass, judge.pass())]);
    all.filter(|&(_, share)| share != 0.0)
        .map(|(mv, share)| (code(mv), share))
        .collect()
}

struct Judge<'a> {
    position: &'a Position,
    mover: Color,
    /// Pass-alive areas of both sides.
    certain: AreaMap,
    counts_area: bool,
}

impl Judge<'_> {
    fn pass(&self) -> f64 {
        match (self.counts_area, self.position.has_button()) {
            (false, _) => PASS_FOR_TERRITORY,
            (true, true) => PASS_WITH_BUTTON,
            (true, false) => 0.0,
        }
    }

    /// The fraction for a stone on a point with ownership `owner` for the mover. During a ko all
    /// moves are sensible, as threats.
    fn play(&self, point: Point, owner: f64) -> f64 {
        let board = self.position.board();
        if !board.is_empty(point) || self.position.ko().is_some() || owner.abs() < SURE {
            return 0.0;
        }
        let is_sensible = match owner < 0.0 {
            true => self.counts_area && board.is_capture(point, self.mover),
            false => self.touches_enemy(point) || self.connects(point),
        };
        match is_sensible {
            true => 0.0,
            false => -((owner.abs() - SURE) / (1.0 - SURE)).min(1.0),
        }
    }

    fn touches_enemy(&self, point: Point) -> bool {
        let board = self.position.board();
        let is_enemy = |p: Point| board.color_at(p) == Some(!self.mover);
        board.neighbors(point).any(is_enemy)
    }

    /// Whether a stone outside the mover's pass-alive area connects a chain that is not pass-alive
    /// to another one.
    fn connects(&self, point: Point) -> bool {
        let board = self.position.board();
        let own = |&p: &Point| board.color_at(p) == Some(self.mover);
        let chains = || board.neighbors(point).filter(own);
        let weak = chains().find(|&p| self.certain.owner(p).is_none());
        let weak = weak.map(|p| board.chain_head(p));
        self.certain.owner(point) != Some(self.mover)
            && weak.is_some_and(|weak| chains().any(|p| board.chain_head(p) != weak))
    }
}
