//! Chess for the commands that know games by name.

use anyhow::Result;
use cozy_chess::Move;

use super::{ChessPosition, Evaluation, bench, diagram, fen, notation, pgn};
use crate::games::board_game::BoardGame;

impl BoardGame for ChessPosition {
    type Evaluation = Evaluation;

    const NAME: &'static str = "chess";
    const SIDES: [&'static str; 2] = ["White", "Black"];

    fn initial() -> ChessPosition {
        ChessPosition::start()
    }

    fn read(text: &str) -> Result<ChessPosition> {
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
