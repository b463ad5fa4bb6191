//! Dead stones and scores. Both come from one look at the position: the player's ownership, but for
//! what nobody can take away any more, or the rules alone where a game ended under rules that know
//! no agreement.

use anyhow::{Result, ensure};

use super::session::GameSession;
use crate::go::area::{AreaParts, area, scored_area};
use crate::go::score::{self, Score};
use crate::go::{Board, Color, GameEnd, Point, PointSet, Position, Scoring};

/// From here on a point's ownership counts as certain.
const CERTAIN: f32 = 0.75;

/// Stones called dead when a game was over.
pub(super) struct AnnouncedDead {
    turn: usize,
    /// The board's.
    hash: u128,
    dead: PointSet,
}

impl GameSession {
    /// Expected owner of each point, row by row from the top left, +1 for Black: the player's
    /// opinion of all that is not certain. Remembered, so that several questions about a position
    /// get consistent answers.
    pub fn ownership(&mut self) -> Result<&[f32]> {
        let key = self.position.key();
        let known = self
            .judged
            .take()
            .filter(|(judged_key, _)| *judged_key == key);
        let ownership = match known {
            Some((_, ownership)) => ownership,
            None => {
                let position = self.position.clone();
                let mut ownership = match self.player.ownership(&position)? {
                    Some(ownership) => ownership,
                    None => self.view()?.ownership(&position)?,
                };
                ensure!(
                    ownership.len() == position.size().area(),
                    "the ownership does not cover the board"
                );
                fill_in_certain(position.board(), position.rules().suicide, &mut ownership);
                ownership
            }
        };
        Ok(&self.judged.insert((key, ownership)).1)
    }

    /// The stones that are dead as the board stands. What is said of a game that is over is remembered.
    pub fn dead_stones(&mut self) -> Result<PointSet> {
        let dead = if is_settled(&self.position) {
            enclosed_stones(&self.position)
        } else {
            let ownership = self.ownership()?.to_vec();
            disowned_groups(self.position.board(), &ownership)
        };
        if self.position.is_over() {
            self.announced = Some(AnnouncedDead {
                turn: self.position.turn(),
                hash: self.position.board().hash(),
                dead,
            });
        }
        Ok(dead)
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

    /// The result of a game that is over, else what is to be expected.
    pub fn judged_score(&mut self) -> Result<Score> {
        if self.position.end() == GameEnd::NoResult {
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

/// Gives chains with two eyes and what they enclose to their side, whatever a player thinks of them.
fn fill_in_certain(board: &Board, suicide: bool, ownership: &mut [f32]) {
    let certain = area(board, AreaParts::CERTAIN, suicide);
    for point in board.points() {
        if let Some(owner) = certain.owner(point) {
            ownership[board.size().index(point)] = owner.sign().into();
        }
    }
}

/// The groups that on average belong to the opponent.
fn disowned_groups(board: &Board, ownership: &[f32]) -> PointSet {
    let size = board.size();
    let is_disowned = |group: &&Vec<Point>| {
        let owner_sum: f32 = group
            .iter()
            .map(|&stone| ownership[size.index(stone)])
            .sum();
        match board.color_at(group[0]) {
            Some(Color::Black) => owner_sum < 0.0,
            Some(Color::White) => owner_sum > 0.0,
            None => false,
        }
    };
    let groups = groups(board);
    let dead = groups.iter().filter(is_disowned);
    dead.flatten().copied().collect()
}

/// The chains of a board, those together that share the fate of each other: between them is a point
/// where the opponent's stone would kill itself.
fn groups(board: &Board) -> Vec<Vec<Point>> {
    let mut groups = chains(board);
    for point in board.points().filter(|&point| board.is_empty(point)) {
        let Some(color) = board.neighbors(point).find_map(|p| board.color_at(p)) else {
            continue;
        };
        let is_own = |p: Point| board.color_at(p) == Some(color);
        if !board.neighbors(point).all(is_own) || !board.is_suicide(point, !color, false) {
            continue;
        }
        let touches = |group: &Vec<Point>| board.neighbors(point).any(|p| group.contains(&p));
        let (around, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(touches);
        groups = others;
        groups.push(around.concat());
    }
    groups
}

/// The chains of a board, each with its stones row by row from the top left.
pub fn chains(board: &Board) -> Vec<Vec<Point>> {
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
    use crate::go::diagram;

    #[test]
    fn no_opinion_kills_chains_with_two_eyes() {
        // White has eyes around A9 and H9; Black's group on the right has one at most.
        let board = diagram::parse(
            "X.OOOOO.O/.OOXOXOXO/OOXXXXOOO/XXXXXOOXX/XOOOXXXX./XXOOOXX.X/XXXOOOXX./XOO.O.OXX/OOOO.OOOX",
        )
        .unwrap();
        let mut ownership = vec![0.9; 81];
        fill_in_certain(&board, false, &mut ownership);
        let dead = ["A9", "H8"].map(|name| name.parse::<Point>().unwrap());
        assert_eq!(
            disowned_groups(&board, &ownership),
            dead.into_iter().collect()
        );
    }

    #[test]
    fn chains_that_cannot_be_separated_live_and_die_together() {
        let sizes = |board: &Board, color| {
            let mut sizes: Vec<usize> = groups(board)
                .iter()
                .filter(|group| board.color_at(group[0]) == Some(color))
                .map(Vec::len)
                .collect();
            sizes.sort_unstable();
            sizes
        };
        // White takes the stone in the corner by playing beside it.
        let apart = diagram::parse("X.X../OXX../OO.../...../.....").unwrap();
        assert_eq!(sizes(&apart, Color::Black), [1, 3]);
        let joined = diagram::parse("...../.XX../X.X../.X.../.....").unwrap();
        assert_eq!(sizes(&joined, Color::Black), [5]);
        // On average the five belong to Black, though one of them does not by itself.
        let mut ownership = [0.0; 25];
        for (index, owner) in [(6, 0.5), (7, 0.5), (10, -0.9), (12, 0.5), (16, 0.5)] {
            ownership[index] = owner;
        }
        assert!(disowned_groups(&joined, &ownership).is_empty());
        ownership[16] = -0.9;
        assert_eq!(disowned_groups(&joined, &ownership).len(), 5);
    }
}
