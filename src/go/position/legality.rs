//! What the player to move may do, and what a pass would bring about.

use std::fmt;

use super::super::color::Color;
use super::super::encore::Encore;
use super::super::point::{Move, Point};
use super::super::point_set::PointSet;
use super::super::rules::{KoRule, Scoring};
use super::Position;

/// Why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalMove {
    /// The point is not on the board.
    OffBoard,
    /// There is a stone.
    Occupied,
    /// It recaptures a ko at once.
    Ko,
    /// It kills only the mover's own stones, and the rules forbid that.
    Suicide,
    /// It recreates an earlier position.
    Superko,
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            IllegalMove::OffBoard => "not on the board",
            IllegalMove::Occupied => "point is occupied",
            IllegalMove::Ko => "ko",
            IllegalMove::Suicide => "suicide",
            IllegalMove::Superko => "superko",
        })
    }
}

impl std::error::Error for IllegalMove {}

impl Position {
    /// Whether a move of the player to move is legal; passing always is.
    #[inline]
    pub fn is_legal(&self, mv: Move) -> bool {
        self.check(mv).is_ok()
    }

    /// Why a move of the player to move is illegal, if it is.
    #[inline]
    pub fn check(&self, mv: Move) -> Result<(), IllegalMove> {
        let Move::Play(point) = mv else {
            return Ok(());
        };
        self.check_but_superko(point)?;
        let is_stone = !self.passes_for_ko(point, self.status.to_move);
        if is_stone && self.may_repeat(point) && self.repeats(point) {
            return Err(IllegalMove::Superko);
        }
        Ok(())
    }

    /// Why a play is illegal, if it is for another reason than superko.
    #[inline]
    fn check_but_superko(&self, point: Point) -> Result<(), IllegalMove> {
        let color = self.status.to_move;
        if !self.board.contains(point) {
            return Err(IllegalMove::OffBoard);
        }
        if self.passes_for_ko(point, color) {
            return Ok(());
        }
        if !self.board.is_empty(point) {
            return Err(IllegalMove::Occupied);
        }
        if self.status.phase == 0 && self.board.ko() == Some(point) {
            return Err(IllegalMove::Ko);
        }
        if self.board.is_suicide(point, color, self.rules.suicide) {
            return Err(IllegalMove::Suicide);
        }
        Ok(())
    }

    /// Whether superko (or, in the encore, the recapture of a ko) forbids the player to move an
    /// empty point that is otherwise legal.
    pub fn is_superko_banned(&self, point: Point) -> bool {
        let (color, suicide) = (self.status.to_move, self.rules.suicide);
        self.board.is_empty(point)
            && self.may_repeat(point)
            && (self.encore.is_some() || self.board.is_legal(point, color, suicide))
            && self.repeats(point)
    }

    /// Whether a legal move repeats a situation of this game that counts as repetition. Superko
    /// forbids that; without it a game that does so repeatedly has no result.
    pub fn repeats_position(&self, mv: Move) -> bool {
        let stone = mv.point().filter(|_| self.encore.is_none());
        stone.is_some_and(|point| self.repeats(point))
    }

    /// Quick check whether a stone on an empty point can repeat an earlier position: one on a point
    /// never occupied cannot, unless it dies at once.
    #[inline]
    fn may_repeat(&self, point: Point) -> bool {
        if self.encore.is_some() {
            return true;
        }
        let dies = || self.board.is_suicide(point, self.status.to_move, false);
        self.rules.ko != KoRule::Simple
            && (self.touched.contains(point) || self.rules.suicide && dies())
    }

    /// Whether a stone on an empty point, allowed by stones and simple ko, repeats an earlier
    /// position; in the encore, whether it repeats a capture of a ko.
    fn repeats(&self, point: Point) -> bool {
        let color = self.status.to_move;
        if let Some(encore) = &self.encore {
            return encore.forbids_recapture(self.board.hash(), point, color);
        }
        let key = self.key_of(self.board.hash_after(point, color), !color);
        self.keys[self.status.keys_from..].contains(&key)
    }

    /// The points superko bans for the player to move.
    pub fn superko_banned(&self) -> PointSet {
        let banned = |&p: &Point| self.is_superko_banned(p);
        *self
            .superko_banned
            .get_or_init(|| match (self.rules.ko, &self.encore) {
                (KoRule::Simple, None) => PointSet::EMPTY,
                _ => self.board.points().filter(banned).collect(),
            })
    }

    /// The legal moves: points row by row from the top left, then the pass.
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> + '_ {
        let legal = self.legal.get_or_init(|| self.legal_points());
        let plays = self.board.points().filter(|&point| legal.contains(point));
        plays.map(Move::Play).chain(std::iter::once(Move::Pass))
    }

    fn legal_points(&self) -> PointSet {
        let banned = self.superko_banned();
        let color = self.status.to_move;
        let is_allowed = |point| !banned.contains(point) || self.passes_for_ko(point, color);
        let is_legal = |&point: &Point| is_allowed(point) && self.check_but_superko(point).is_ok();
        self.board.points().filter(is_legal).collect()
    }

    /// What is found when asked for belongs to another position now.
    pub(super) fn forget_legality(&mut self) {
        self.superko_banned.take();
        self.legal.take();
    }

    /// Whether playing there would be a pass to lift the block of a ko (encore only).
    pub(super) fn passes_for_ko(&self, point: Point, color: Color) -> bool {
        let blocks = |encore: &Encore| encore.unblocked_by(&self.board, point, color).is_some();
        self.encore.as_deref().is_some_and(blocks)
    }

    /// Whether the ko rule makes a repeated pass in the same position end the phase.
    pub(super) fn is_spightlike(&self) -> bool {
        self.status.phase > 0 || self.rules.ko == KoRule::Simple
    }

    pub(super) fn has_passed_here(&self, color: Color, key: u128) -> bool {
        self.pass_keys[self.status.pass_keys_from..].contains(&(color, key))
    }

    /// Whether a pass now would repeat one in the same situation, where that is the end.
    pub(super) fn pass_would_repeat(&self) -> bool {
        self.is_spightlike() && self.has_passed_here(self.status.to_move, self.situation_key())
    }

    /// Whether a pass now would end the phase (outside territory scoring, the game).
    pub fn pass_would_end_phase(&self) -> bool {
        self.status.passes + 1 >= 2 || self.pass_would_repeat()
    }

    /// Whether a pass now would end the game.
    pub fn pass_would_end_game(&self) -> bool {
        self.pass_would_end_phase()
            && (self.rules.scoring == Scoring::Area || self.status.phase >= 2)
    }

    /// Whether a pass now would be the second in a row and nothing else ends the game.
    pub fn pass_would_end_by_agreement(&self) -> bool {
        self.status.passes + 1 == 2 && !self.pass_would_repeat()
    }
}
