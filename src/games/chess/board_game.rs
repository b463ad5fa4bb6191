//! Chess for the commands that know games by name.

use anyhow::{Result, bail};
use cozy_chess::Move;

use super::{ChessPosition, Evaluation, bench, diagram, fen, notation, pgn};
use crate::games::board_game::BoardGame;

impl BoardGame for ChessPosition {
    type Evaluation = Evaluation;

    const NAME: &'static str = "chess";
    const SIDES: [&'static str; 2] = ["White", "Black"];

    fn initial(variant: Option<&str>) -> Result<ChessPosition> {
        check(variant)?;
        Ok(ChessPosition::start())
    }

    fn read(variant: Option<&str>, text: &str) -> Result<ChessPosition> {
        check(variant)?;
        fen::parse(text)
    }

    fn text(&self) -> String {
        fen::text(self, false)
    }

    fn diagram(&self) -> String {
        diagram::diagram(self, false)
    }

    fn move_text(&self, mv: Move) -> String {
        notation::algebraic(self, mv)
    }

    fn read_move(&self, text: &str) -> Result<Move> {
        notation::parse_any(self, text)
    }

    fn write_record(start: &ChessPosition, moves: &[Move], result: Option<f64>) -> String {
        pgn::write(start, moves, result)
    }

    fn read_record(text: &str) -> Result<(ChessPosition, Vec<Move>)> {
        pgn::read(text)
    }

    fn bench(note: &mut dyn FnMut(&str, u64)) -> u64 {
        bench::signature(note)
    }
}

/// Positions of Chess960 need no variant: their castling rights say it.
fn check(variant: Option<&str>) -> Result<()> {
    match variant {
        None => Ok(()),
        Some(name) => bail!("there is no variant '{name}' of chess; leave out --variant"),
    }
}
