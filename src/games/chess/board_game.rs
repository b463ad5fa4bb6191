//! Chess for the commands that know games by name.

use anyhow::{Result, bail};
use cozy_chess::Move;

use super::{AnyEvaluation, ChessPosition, bench, diagram, fen, notation, pgn};
use crate::games::board_game::{BoardGame, Protocol};
use crate::games::record::Details;
use crate::minimax::Verdict;
use crate::search::game::Side;

impl BoardGame for ChessPosition {
    type Evaluation = AnyEvaluation;

    const NAME: &'static str = "chess";
    const SIDES: [&'static str; 2] = ["White", "Black"];
    const RECORDS: &'static str = "pgn";
    const PROTOCOL: Protocol = Protocol::Uci;

    fn title(&self) -> String {
        Self::NAME.to_owned()
    }

    /// Positions of Chess960 need no variant: their castling rights say it.
    fn initial(variant: Option<&str>) -> Result<ChessPosition> {
        match variant {
            None => Ok(ChessPosition::start()),
            Some(name) => bail!("there is no variant '{name}' of chess; leave out --variant"),
        }
    }

    fn start_of_variant(&self) -> ChessPosition {
        ChessPosition::start()
    }

    fn evaluation(name: Option<&str>) -> Result<AnyEvaluation> {
        AnyEvaluation::named(name)
    }

    fn another(&self, text: &str) -> Result<ChessPosition> {
        fen::parse(text)
    }

    fn text(&self) -> String {
        fen::text(self, self.is_960())
    }

    fn diagram(&self, below: Side) -> String {
        diagram::diagram(self, below)
    }

    fn squares(&self) -> Vec<Vec<(bool, char)>> {
        diagram::squares(self)
    }

    fn move_text(&self, mv: Move) -> String {
        notation::algebraic(self, mv)
    }

    fn read_move(&self, text: &str) -> Result<Move> {
        notation::parse_any(self, text)
    }

    fn write_record(
        _extension: &str,
        start: &ChessPosition,
        moves: &[Move],
        result: Option<f64>,
        details: &Details,
    ) -> String {
        pgn::write(start, moves, result, details)
    }

    fn another_record(&self, text: &str) -> Result<(ChessPosition, Vec<Move>)> {
        pgn::read(text)
    }

    fn reason(&self, verdict: Verdict, is_stuck: bool) -> &'static str {
        match (verdict, is_stuck) {
            (Verdict::Lost, _) => "checkmate",
            (Verdict::Drawn, true) => "stalemate",
            _ if self.is_dead() => "neither side can mate",
            _ => "fifty moves",
        }
    }

    fn engine_options(&self) -> Vec<(&'static str, String)> {
        vec![("UCI_Chess960", self.is_960().to_string())]
    }

    fn engine_position(&self) -> String {
        fen::text(self, self.is_960())
    }

    fn engine_move(&self, start: &ChessPosition, mv: Move) -> String {
        notation::coordinates(self, mv, start.is_960())
    }

    fn read_engine_move(&self, start: &ChessPosition, text: &str) -> Result<Move> {
        notation::parse_coordinates(self, text, start.is_960())
    }

    fn bench(note: &mut dyn FnMut(&str, u64)) -> u64 {
        bench::signature(note)
    }
}
