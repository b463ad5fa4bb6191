//! A problem as a file has it: the position, who moves, and which group it is about.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::points::PointList;
use crate::files;
use crate::formats::sgf;
use crate::go::{Board, Color, GameRecord, Point, PointSet};
use crate::solver::{Side, enclosed_group};

/// How the target was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// On the command line.
    Given,
    /// By marks in the file.
    Marked,
    /// As the group that looks most enclosed.
    Found,
}

/// The position of a file, and its target.
pub struct ProblemFile {
    pub record: GameRecord,
    pub board: Board,
    pub to_move: Color,
    pub target: PointSet,
    pub defender: Color,
    pub choice: Choice,
}

impl ProblemFile {
    /// The position before the first move. The target is given, or what the file marks, or the group that
    /// looks most enclosed.
    pub fn read(path: &Path, given: Option<&PointList>) -> Result<ProblemFile> {
        let bytes = files::read_regular(path, files::TEXT_LIMIT)?;
        let reading = sgf::read(&bytes, &sgf::ReadOptions::default())?;
        let position = reading.record.position_at(0)?;
        let board = position.board().clone();
        let mut marks = reading.marks;
        marks.retain(|&point| board.color_at(point).is_some());
        let (stones, choice) = match given {
            Some(list) => (list.on(board.size())?, Choice::Given),
            None if !marks.is_empty() => (marks, Choice::Marked),
            None => {
                let group = enclosed_group(&board);
                let group = group.context("no group is enclosed; --target names its stones")?;
                (group.iter().collect(), Choice::Found)
            }
        };
        let defender = owner(&board, &stones)?;
        let mut target = PointSet::EMPTY;
        for &stone in &stones {
            target.extend(board.chain(stone));
        }
        Ok(ProblemFile {
            to_move: position.to_move(),
            record: reading.record,
            board,
            target,
            defender,
            choice,
        })
    }

    /// The side that a color takes.
    pub fn side(&self, color: Color) -> Side {
        match color == self.defender {
            true => Side::Defender,
            false => Side::Attacker,
        }
    }

    /// The color of a side.
    pub fn color(&self, side: Side) -> Color {
        match side {
            Side::Defender => self.defender,
            Side::Attacker => !self.defender,
        }
    }
}

/// The color of all the stones.
fn owner(board: &Board, stones: &[Point]) -> Result<Color> {
    let first = *stones.first().context("the target has no stones")?;
    let color = board.color_at(first);
    let color = color.with_context(|| format!("there is no stone on {first} to be a target"))?;
    for &stone in stones {
        ensure!(
            board.color_at(stone) == Some(color),
            "the target must be stones of one color, but {first} is {color} and {stone} is not"
        );
    }
    Ok(color)
}
