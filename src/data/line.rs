//! A game as its start and moves, two bytes per move; positions are reconstructed by replay.

use anyhow::{Context, Result, anyhow, ensure};

use crate::go::{BoardSize, Color, Komi, Move, Point, Position, Rules, Setup};

/// Largest board area whose moves can be encoded: 22x22, plus the pass.
pub const MAX_AREA: usize = 511;
/// Set for White's moves.
const WHITE: u16 = 1 << 15;

/// A move with its color, or a stone: its [`BoardSize::move_index`]; bit 15 for White.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoveCode(pub u16);

impl MoveCode {
    pub fn new(size: BoardSize, color: Color, mv: Move) -> MoveCode {
        let index = size.move_index(mv);
        let color = if color == Color::White { WHITE } else { 0 };
        MoveCode(index as u16 | color)
    }

    /// The [`BoardSize::move_index`] of the move.
    pub fn index(self) -> usize {
        usize::from(self.0 & !WHITE)
    }

    /// Who made it.
    pub fn color(self) -> Color {
        if self.0 & WHITE == 0 {
            Color::Black
        } else {
            Color::White
        }
    }

    /// The move; none if the board has no such point.
    pub fn decode(self, size: BoardSize) -> Option<Move> {
        size.move_at(self.index())
    }
}

/// A start and moves. Rules and komi are not part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Width and height, at most [`MAX_AREA`] points.
    pub size: BoardSize,
    /// Who moves first.
    pub first: Color,
    /// Stones before the first move.
    pub stones: Vec<MoveCode>,
    /// The moves.
    pub moves: Vec<MoveCode>,
}

impl Line {
    /// An empty board, Black to move.
    pub fn new(size: BoardSize) -> Line {
        Line {
            size,
            first: Color::Black,
            stones: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// The start under some rules.
    pub fn start(&self, rules: Rules, komi: Komi) -> Result<Position> {
        let stone = |code: &MoveCode| {
            let point = code.decode(self.size).and_then(Move::point);
            point.map(|point| (point, code.color()))
        };
        let stones: Option<Vec<(Point, Color)>> = self.stones.iter().map(stone).collect();
        let setup = Setup {
            size: self.size,
            stones: stones.context("a stone that is not on the board")?,
            to_move: self.first,
            rules,
            komi,
        };
        let reasons = |errors| anyhow!("impossible start: {errors}");
        setup.position().map_err(reasons)
    }

    /// The position after this many moves of the line and then the moves of `side_line`. Moves that violate
    /// superko or suicide rules are accepted, as the rules may differ from those of the game.
    pub fn position(
        &self,
        moves: usize,
        side_line: &[MoveCode],
        rules: Rules,
        komi: Komi,
    ) -> Result<Position> {
        ensure!(moves <= self.moves.len(), "a position after the line's end");
        let mut position = self.start(rules, komi)?;
        for (index, &code) in self.moves[..moves].iter().chain(side_line).enumerate() {
            play(&mut position, code).with_context(|| format!("move {}", index + 1))?;
        }
        Ok(position)
    }
}

/// Whether a recorded move is in turn and legal.
pub fn is_legal_turn(position: &Position, code: MoveCode) -> bool {
    let mv = code.decode(position.size());
    code.color() == position.to_move() && mv.is_some_and(|mv| position.is_legal(mv))
}

/// Plays a recorded move.
pub fn play(position: &mut Position, code: MoveCode) -> Result<()> {
    let mv = code.decode(position.size()).context("not on the board")?;
    position.play_reported(code.color(), mv)?;
    Ok(())
}
