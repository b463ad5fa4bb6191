//! Draughts for the commands that know games by name.

use anyhow::Result;

use super::{DraughtsMove, DraughtsPosition, Evaluation, Variant, bench, notation, pdn};
use crate::games::board_game::BoardGame;

impl BoardGame for DraughtsPosition {
    type Evaluation = Evaluation;

    const NAME: &'static str = "draughts";
    const SIDES: [&'static str; 2] = ["White", "Black"];

    fn initial(variant: Option<&str>) -> Result<DraughtsPosition> {
        Ok(DraughtsPosition::start(Variant::named(variant)?))
    }

    fn read(variant: Option<&str>, text: &str) -> Result<DraughtsPosition> {
        notation::parse_position(Variant::named(variant)?, text)
    }

    fn text(&self) -> String {
        notation::position_text(self)
    }

    fn diagram(&self) -> String {
        notation::diagram(self)
    }

    fn move_text(&self, mv: DraughtsMove) -> String {
        notation::move_text(self, mv)
    }

    fn read_move(&self, text: &str) -> Result<DraughtsMove> {
        notation::parse_move(self, text)
    }

    fn write_record(
        start: &DraughtsPosition,
        moves: &[DraughtsMove],
        result: Option<f64>,
    ) -> String {
        pdn::write(start, moves, result)
    }

    fn read_record(text: &str) -> Result<(DraughtsPosition, Vec<DraughtsMove>)> {
        pdn::read(text)
    }

    fn bench(note: &mut dyn FnMut(&str, u64)) -> u64 {
        bench::signature(note)
    }
}
