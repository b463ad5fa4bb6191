//! Dead stones and scores. Both come from one look at the position, with either side to move: the
//! player's ownership, but for what nobody can take away any more and what can be read out
//! ([`dead_groups`]), or the rules alone where a game ended under rules that know no agreement.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Result, ensure};

use super::session::GameSession;
use crate::go::area::{AreaParts, area, scored_area};
use crate::go::count::Count;
use crate::go::score::{self, Score};
use crate::go::{Board, Color, GameEnd, Move, PerColor, Point, PointSet, Position, Tax};

mod dead;
mod groups;

pub(super) use dead::dead_groups;
pub use groups::chains;

/// From here on a point's ownership counts as certain.
const CERTAIN: f32 = 0.75;

/// Of so many points one may be dame for a board to be finished.
const MOST_DAME: usize = 8;

/// What a player thinks of a position.
pub(super) struct Judgement {
    /// The position's.
    key: u128,
    /// Ownership with each color to move, before the passes at the end.
    views: PerColor<Vec<f32>>,
    dead: PointSet,
}

/// Stones called dead when a game was over.
pub(super) struct AnnouncedDead {
    turn: usize,
    /// The board's.
    hash: u128,
    dead: PointSet,
}

impl GameSession {
    /// Expected owner of each point, row by row from the top left, +1 for Black: the player's
    /// opinion of all that is not certain. After passes it is the mean of what either side can reach
    /// who moves first. Remembered, so that several questions about a position get consistent
    /// answers.
    pub fn ownership(&mut self) -> Result<Vec<f32>> {
        let (has_passes, mover) = (ends_in_passes(&self.position), self.position.to_move());
        let views = &self.judgement()?.views;
        if !has_passes {
            return Ok(views[mover].clone());
        }
        let (black, white) = (&views[Color::Black], &views[Color::White]);
        let mean = black.iter().zip(white).map(|(b, w)| (b + w) / 2.0);
        Ok(mean.collect())
    }

    fn judgement(&mut self) -> Result<&Judgement> {
        let key = self.position.key();
        let known = self.judged.take().filter(|judged| judged.key == key);
        let judgement = match known {
            Some(judgement) => judgement,
            None => self.judge(None, &AtomicBool::new(false))?,
        };
        Ok(self.judged.insert(judgement))
    }

    /// A judgement by searches that `time`, if it is limited, and `stop` may end before they have all their visits.
    fn judge(&mut self, time: Option<Duration>, stop: &AtomicBool) -> Result<Judgement> {
        // A search with either side to move, and reading.
        let time = time.map(|time| time / 3);
        let position = &self.position;
        let player = &mut *self.player;
        let views = views_of(position, |view| {
            match player.ownership(view, time, stop)? {
                Some(ownership) => Ok(ownership),
                None => {
                    let evaluators = player.evaluators();
                    let neutral = evaluators.neutral_view(view.to_move(), view.size())?;
                    neutral.ownership(view)
                }
            }
        })?;
        let dead = dead_groups(position, &views, time);
        Ok(Judgement {
            key: position.key(),
            views,
            dead,
        })
    }

    /// The stones that are dead as the board stands. What is said of a game that is over is remembered.
    pub fn dead_stones(&mut self) -> Result<PointSet> {
        let dead = match is_settled(&self.position) {
            true => enclosed_stones(&self.position),
            false => self.judgement()?.dead,
        };
        Ok(self.announced(dead))
    }

    /// The same in the time that is left for the move that the player has chosen last: none where nothing is known and
    /// no time is left. As searches may be short, their judgement is not kept.
    pub(super) fn dead_stones_in_time(&mut self, stop: &AtomicBool) -> Result<PointSet> {
        let key = self.position.key();
        let is_known = self.judged.as_ref().is_some_and(|it| it.key == key);
        if is_known || is_settled(&self.position) {
            return self.dead_stones();
        }
        if !self.has_time(stop) {
            return Ok(PointSet::EMPTY);
        }
        let dead = self.judge(self.player.time_left(), stop)?.dead;
        Ok(self.announced(dead))
    }

    /// Whether time is left for the move that the player has chosen last.
    pub(super) fn has_time(&self, stop: &AtomicBool) -> bool {
        let left = self.player.time_left();
        left.is_none_or(|left| !left.is_zero()) && !stop.load(Ordering::SeqCst)
    }

    /// The dead stones, remembered if the game is over.
    fn announced(&mut self, dead: PointSet) -> PointSet {
        if self.position.is_over() {
            self.announced = Some(AnnouncedDead {
                turn: self.position.turn(),
                hash: self.position.board().hash(),
                dead,
            });
        }
        dead
    }

    /// The stones still on the board that were called dead when this game was last over.
    pub fn still_announced_dead(&self) -> PointSet {
        let dead_of = |announced: &AnnouncedDead| {
            let back = self.position.turn().checked_sub(announced.turn)?;
            let (then, now) = (self.position.earlier_board(back), self.position.board());
            let is_left = |&stone: &Point| now.color_at(stone) == then.color_at(stone);
            let is_of_this_game = then.hash() == announced.hash;
            is_of_this_game.then(|| announced.dead.iter().filter(is_left).collect())
        };
        self.announced
            .as_ref()
            .and_then(dead_of)
            .unwrap_or(PointSet::EMPTY)
    }

    /// The result of a game that is over or that only lacks the passes, else what is to be expected.
    pub fn judged_score(&mut self) -> Result<Score> {
        if self.position.end() == GameEnd::NoResult {
            return Ok(Score::default());
        }
        if is_settled(&self.position) {
            return Ok(score::settled(&self.position));
        }
        let dead = self.dead_stones()?;
        let position = self.position.clone();
        if position.is_over() || is_closed(&position, &dead, &self.judgement()?.views) {
            return Ok(score::score(&position, &dead));
        }
        let lead_black = expected_lead(&self.ownership()?);
        let white_half = self.position.komi().half() + self.position.bonus_half();
        Ok(Score::from_half(2 * lead_black, white_half))
    }
}

/// Ownership with either side to move, by an opinion of all that is not certain.
pub(super) fn views_of(
    position: &Position,
    mut opinion: impl FnMut(&Position) -> Result<Vec<f32>>,
) -> Result<PerColor<Vec<f32>>> {
    let mut view_of = |position: &Position| {
        let mut ownership = opinion(position)?;
        ensure!(
            ownership.len() == position.size().area(),
            "the ownership does not cover the board"
        );
        fill_in_certain(position.board(), position.rules().suicide, &mut ownership);
        Ok(ownership)
    };
    let [black, white] = with_either_to_move(position).0;
    Ok(PerColor([view_of(&black)?, view_of(&white)?]))
}

fn ends_in_passes(position: &Position) -> bool {
    matches!(position.moves().next_back(), Some((_, Move::Pass)))
}

/// The position before the passes at the end, with either side to move. After passes it has no
/// history, so that it is the same whoever passed last.
fn with_either_to_move(position: &Position) -> PerColor<Position> {
    let has_passes = ends_in_passes(position);
    let mut open = position.clone();
    while ends_in_passes(&open) {
        open.undo();
    }
    open.resume();
    PerColor(Color::BOTH.map(|color| {
        let mut view = open.clone();
        if has_passes {
            view.set_to_move(!color);
        }
        view.set_to_move(color);
        view
    }))
}

/// Whether the game is over and all stones count as the board has them.
fn is_settled(position: &Position) -> bool {
    position.is_finished() && !position.rules().has_agreement()
}

/// The stones that the area count of a finished game gives to the opponent.
fn enclosed_stones(position: &Position) -> PointSet {
    let Some(scored) = scored_area(position, position.rules().suicide) else {
        return PointSet::EMPTY;
    };
    let board = position.board();
    let is_lost = |&point: &Point| {
        let owner = scored.map.owner(point);
        board
            .color_at(point)
            .is_some_and(|color| owner == Some(!color))
    };
    board.points().filter(is_lost).collect()
}

/// Whether all borders are closed: few points are left without an owner, most surely belong to somebody, and none of
/// these counts otherwise, with `dead` stones removed.
pub(super) fn is_closed(position: &Position, dead: &PointSet, views: &PerColor<Vec<f32>>) -> bool {
    let size = position.size();
    let count = Count::new(position.board(), dead, position.rules().scoring, Tax::None);
    let owner = |point: Point| count.owner.owner(point);
    let unowned = size
        .points()
        .filter(|&point| owner(point).is_none())
        .count();
    let expected = |point: Point| {
        let index = size.index(point);
        (views[Color::Black][index] + views[Color::White][index]) / 2.0
    };
    let agrees = |point: Point| {
        let sign = owner(point).map_or(0.0, |color| f32::from(color.sign()));
        expected(point).abs() < CERTAIN || expected(point) * sign > 0.0
    };
    // Where only one side has stones, as after a handicap, empty points count as its own, but nobody is sure of them.
    let sure = size.points().filter(|&it| expected(it).abs() >= CERTAIN);
    let is_mostly_sure = 2 * sure.count() >= size.area();
    unowned <= size.area() / MOST_DAME && is_mostly_sure && size.points().all(agrees)
}

/// Gives chains with two eyes and what they enclose to their side, whatever a player thinks of them.
fn fill_in_certain(board: &Board, suicide: bool, ownership: &mut [f32]) {
    let certain = area(board, AreaParts::CERTAIN, suicide);
    for point in board.points() {
        if let Some(owner) = certain.owner(point) {
            ownership[board.size().index(point)] = owner.sign().into();
        }
    }
}

/// Points Black will have more than White on the board, before komi: points that are settled
/// count in full, others in proportion.
fn expected_lead(ownership: &[f32]) -> i32 {
    let share = |&owner: &f32| {
        if owner.abs() >= CERTAIN {
            owner.signum()
        } else {
            owner
        }
    };
    ownership.iter().map(share).sum::<f32>().round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{BoardSize, Komi, Rules, diagram};

    #[test]
    fn no_opinion_kills_chains_with_two_eyes() {
        // White has eyes around A9 and H9; Black's group on the right has one at most.
        let board = diagram::parse(
            "X.OOOOO.O/.OOXOXOXO/OOXXXXOOO/XXXXXOOXX/XOOOXXXX./XXOOOXX.X/XXXOOOXX./XOO.O.OXX/OOOO.OOOX",
        )
        .unwrap();
        let mut ownership = vec![0.9; 81];
        fill_in_certain(&board, false, &mut ownership);
        let views = PerColor([ownership.clone(), ownership]);
        let position = Position::from_board(board, Color::Black, Rules::CHINESE, Komi::default());
        let dead = ["A9", "H8"].map(|name| name.parse::<Point>().unwrap());
        assert_eq!(
            dead_groups(&position, &views, None),
            dead.into_iter().collect()
        );
    }

    #[test]
    fn either_side_moves_first_whoever_passed_last() {
        let game = |passes: [Color; 2]| {
            let mut game = Position::new(BoardSize::square(9), Rules::CHINESE, Komi::default());
            game.play_reported(Color::Black, Move::Play("C3".parse().unwrap()))
                .unwrap();
            for color in passes {
                game.play_reported(color, Move::Pass).unwrap();
            }
            with_either_to_move(&game).0.map(|view| view.key())
        };
        let (one, other) = (
            game([Color::White, Color::Black]),
            game([Color::Black, Color::White]),
        );
        assert_eq!(one, other);
        assert_ne!(one[0], one[1]);
    }

    #[test]
    fn borders_are_open_where_one_side_has_no_stones() {
        let closed = |board: &str, owner: [f32; 9]| {
            let board = diagram::parse(board).unwrap();
            let position =
                Position::from_board(board, Color::Black, Rules::CHINESE, Komi::default());
            let views = PerColor([owner.to_vec(), owner.to_vec()]);
            is_closed(&position, &PointSet::EMPTY, &views)
        };
        assert!(!closed(".../.X./...", [0.1; 9]));
        // Where it is sure, the board is Black's.
        assert!(closed(".../.X./...", [1.0; 9]));
        let sides = [1.0, 0.9, -1.0, 1.0, 0.0, -1.0, 0.9, 1.0, -1.0];
        assert!(closed(".XO/X.O/.XO", sides));
    }
}
