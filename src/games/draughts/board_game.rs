//! Draughts for the commands that know games by name.

use anyhow::Result;

use super::{
    DraughtsMove, DraughtsPosition, Evaluation, Variant, bench, endings, hub, notation, pdn,
};
use crate::games::board_game::{BoardGame, Protocol};
use crate::games::record::{Details, Heading};
use crate::minimax::Verdict;
use crate::search::game::Side;

impl BoardGame for DraughtsPosition {
    type Evaluation = Evaluation;

    const NAME: &'static str = "draughts";
    const SIDES: [&'static str; 2] = ["White", "Black"];
    const RECORDS: &'static str = "pdn";
    const PROTOCOL: Protocol = Protocol::Hub;

    fn title(&self) -> String {
        format!("{} draughts", self.variant().name)
    }

    fn initial(variant: Option<&str>) -> Result<DraughtsPosition> {
        Ok(DraughtsPosition::start(Variant::named(variant)?))
    }

    fn start_of_variant(&self) -> DraughtsPosition {
        DraughtsPosition::start(self.variant())
    }

    fn evaluation(name: Option<&str>) -> Result<Evaluation> {
        Evaluation::named(name)
    }

    fn another(&self, text: &str) -> Result<DraughtsPosition> {
        notation::parse_position(self.variant(), text)
    }

    fn text(&self) -> String {
        notation::position_text(self)
    }

    fn prepare(&self) {
        endings::prepare(self.variant());
    }

    fn is_quiet(&self) -> bool {
        !self.must_capture() && !self.threatens()
    }

    fn diagram(&self, below: Side) -> String {
        notation::diagram(self, below)
    }

    fn squares(&self) -> Vec<Vec<(bool, char)>> {
        notation::squares_of(self)
    }

    fn move_text(&self, mv: DraughtsMove) -> String {
        notation::move_text(self, mv)
    }

    fn read_move(&self, text: &str) -> Result<DraughtsMove> {
        notation::parse_move(self, text)
    }

    fn write_record(
        _extension: &str,
        start: &DraughtsPosition,
        moves: &[DraughtsMove],
        result: Option<f64>,
        details: &Details,
    ) -> String {
        pdn::write(start, moves, result, details)
    }

    fn another_record(&self, text: &str) -> Result<(DraughtsPosition, Vec<DraughtsMove>)> {
        pdn::read(self.variant(), text)
    }

    fn read_heading(&self, text: &str) -> Heading {
        pdn::read_heading(self.variant(), text)
    }

    fn reason(&self, verdict: Verdict, _is_stuck: bool) -> &'static str {
        match verdict {
            Verdict::Lost => "no move left",
            Verdict::Drawn => "drawn by the rules",
        }
    }

    fn engine_options(&self) -> Vec<(&'static str, String)> {
        let name = hub::protocol_name(self.variant());
        vec![("variant", name.to_owned())]
    }

    fn engine_position(&self) -> String {
        hub::position_text(self)
    }

    fn engine_move(&self, _start: &DraughtsPosition, mv: DraughtsMove) -> String {
        hub::move_text(self, mv)
    }

    fn read_engine_move(&self, _start: &DraughtsPosition, text: &str) -> Result<DraughtsMove> {
        hub::parse_move(self, text)
    }

    fn bench(note: &mut dyn FnMut(&str, u64)) -> u64 {
        bench::signature(note)
    }
}
