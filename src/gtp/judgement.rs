//! Dead stones and scores. Both come from one look at the position: the player's ownership, or
//! the rules alone where a game ended under rules that know no agreement.

use anyhow::{Result, ensure};

use super::engine::Engine;
use crate::go::area::scored_area;
use crate::go::score::{self, Score};
use crate::go::{Board, Color, Point, PointSet, Position, Scoring};

/// From here on a point's ownership counts as certain.
const CERTAIN: f32 = 0.75;

impl Engine {
    /// Expected owner of each point, row by row from the top left, +1 for Black. Remembered, so
    /// that several questions about a position get consistent answers.
    pub(super) fn ownership(&mut self) -> Result<&[f32]> {
        let key = self.position.key();
        let known = self
            .judged
            .take()
            .filter(|(judged_key, _)| *judged_key == key);
        let owners = match known {
            Some((_, owners)) => owners,
            None => {
                let position = self.position.clone();
                match self.thinker.ownership(&position)? {
                    Some(owners) => owners,
                    None => self.judge(position.to_move())?.ownership(&position)?,
                }
            }
        };
        let area = self.position.size().area();
        ensure!(
            owners.len() == area,
            "the ownership does not cover the board"
        );
        Ok(&self.judged.insert((key, owners)).1)
    }

    /// The stones that are dead as the board stands.
    pub(super) fn dead_stones(&mut self) -> Result<PointSet> {
        if is_settled(&self.position) {
            return Ok(enclosed_stones(&self.position));
        }
        let owners = self.ownership()?.to_vec();
        Ok(disowned_chains(self.position.board(), &owners))
    }

    /// The result of a game that is over, else what is to be expected.
    pub(super) fn judged_score(&mut self) -> Result<Score> {
        if self.position.is_no_result() {
            return Ok(Score::default());
        }
        if is_settled(&self.position) {
            return Ok(score::settled(&self.position));
        }
        if self.position.is_over() {
            let dead = self.dead_stones()?;
            return Ok(score::score(&self.position, &dead));
        }
        let lead_black = expected_lead(self.ownership()?);
        let white_half = self.position.komi().half() + self.position.bonus_half();
        Ok(Score::from_half(2 * lead_black, white_half))
    }
}

/// Whether the game is over and all stones count as the board has them.
fn is_settled(position: &Position) -> bool {
    let rules = position.rules();
    position.is_finished() && rules.scoring == Scoring::Area && !rules.friendly_pass_ok
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

/// The chains that on average belong to the opponent.
fn disowned_chains(board: &Board, owners: &[f32]) -> PointSet {
    let size = board.size();
    let is_disowned = |stone: Point| {
        let owner_sum: f32 = board
            .chain(stone)
            .map(|point| owners[size.index(point)])
            .sum();
        match board.color_at(stone) {
            Some(Color::Black) => owner_sum < 0.0,
            Some(Color::White) => owner_sum > 0.0,
            None => false,
        }
    };
    let chains = chains(board);
    let dead = chains.iter().filter(|chain| is_disowned(chain[0]));
    dead.flatten().copied().collect()
}

/// The chains of a board, each with its stones row by row from the top left.
pub(super) fn chains(board: &Board) -> Vec<Vec<Point>> {
    let mut seen = PointSet::EMPTY;
    let mut chains = Vec::new();
    for point in board.points() {
        if board.color_at(point).is_some() && !seen.contains(point) {
            let mut chain: Vec<Point> = board.chain(point).collect();
            chain.sort_by_key(|&stone| board.size().index(stone));
            for &stone in &chain {
                seen.insert(stone);
            }
            chains.push(chain);
        }
    }
    chains
}

/// Points Black will have more than White on the board, before komi: points that are settled
/// count in full, others in proportion.
fn expected_lead(owners: &[f32]) -> i32 {
    let share = |&owner: &f32| {
        if owner.abs() >= CERTAIN {
            owner.signum()
        } else {
            owner
        }
    };
    owners.iter().map(share).sum::<f32>().round() as i32
}
