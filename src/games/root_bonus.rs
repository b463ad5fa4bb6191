//! What a search of Go adds to the values of its root's moves: a penalty for moves that are
//! pointless once ownership is sure (KataGo 1.17, `rootEndingBonusPoints` and
//! `getEndingWhiteScoreBonus` in searchhelpers.cpp), and one for repeating a position. Dame and
//! captures of dead stones where these count stay free of it, so that they get made.

use super::go::code;
use crate::go::area::{AreaMap, AreaParts, area};
use crate::go::{Color, Move, Point, Position, Scoring};
use crate::search::bonus::{Bonus, RootBonus, RootValues};
use crate::search::game::MoveCode;

/// Points of the ending bonus by default. KataGo: 0.5.
pub const ENDING_POINTS: f64 = 0.5;

/// From here on an owner is sure; the share grows from 0 here to 1 where there is no doubt.
const SURE: f64 = 0.95;

/// Share of a pass while a button can be taken later.
const PASS_WITH_BUTTON: f64 = -0.5;

/// Share of a pass under territory scoring, where neutral points should be filled before.
const PASS_FOR_TERRITORY: f64 = -2.0 / 3.0;

/// The bonuses of a search's root in Go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoBonus {
    /// Points that a move which is surely pointless costs; 0 is off.
    pub ending_points: f64,
    /// Utility that a move which repeats a position costs the side that is ahead, times its lead in
    /// winning less losing probability; 0 is off.
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

/// The player's moves that have a share of the ending bonus, with that share, in [-1, 0]. `ownership`
/// is the expected ownership, row by row from the top left, +1 for the side to move.
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
    /// What cannot be taken away from either side.
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

    /// The share of a stone on a point that the mover owns with `owner`. A ko makes all moves
    /// sensible, as threats.
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

    /// Whether a stone on a point not the mover's for certain joins a chain that does not live for
    /// certain to another one.
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
