//! Five in a row for the commands that know games by name.

use anyhow::{Result, bail};

use super::board::Point;
use super::evaluate::Evaluation;
use super::position::GomokuPosition;
use super::rule::Variant;
use super::{bench, network_inputs, notation, records};
use crate::games::board_game::{BoardGame, Protocol};
use crate::games::network_inputs::NetworkInputs;
use crate::games::record::{Details, Heading};
use crate::minimax::Verdict;
use crate::search::game::Side;

impl BoardGame for GomokuPosition {
    type Evaluation = Evaluation;

    const NAME: &'static str = "gomoku";
    const SIDES: [&'static str; 2] = ["White", "Black"];
    const RECORDS: &'static str = "psq";
    const PROTOCOL: Protocol = Protocol::Piskvork;
    const NETWORK_INPUTS: &'static [NetworkInputs<GomokuPosition>] =
        &[network_inputs::INPUTS, network_inputs::STONES];

    fn title(&self) -> String {
        format!("gomoku {}", self.variant())
    }

    fn initial(variant: Option<&str>) -> Result<GomokuPosition> {
        Ok(GomokuPosition::start(Variant::named(variant)?))
    }

    fn start_of_variant(&self) -> GomokuPosition {
        GomokuPosition::start(self.variant())
    }

    fn evaluation(name: Option<&str>) -> Result<Evaluation> {
        match name {
            None | Some("standard") => Ok(Evaluation::default()),
            Some(other) => bail!("gomoku has no evaluation '{other}': there is standard"),
        }
    }

    fn another(&self, text: &str) -> Result<GomokuPosition> {
        notation::parse_position(self.variant(), text)
    }

    fn text(&self) -> String {
        notation::position_text(self)
    }

    fn diagram(&self, _below: Side) -> String {
        notation::diagram_with(self, |_| '.')
    }

    fn turn(&self) -> String {
        let color = self.color();
        format!("{color} ({}) to move", notation::letter(color))
    }

    fn squares(&self) -> Vec<Vec<(bool, char)>> {
        notation::squares(self)
    }

    fn move_text(&self, mv: Point) -> String {
        notation::point_text(self.variant(), mv)
    }

    fn read_move(&self, text: &str) -> Result<Point> {
        notation::parse_move(self, text)
    }

    /// Without an extension it is Piskvork's format.
    fn write_record(
        extension: &str,
        start: &GomokuPosition,
        moves: &[Point],
        result: Option<f64>,
        details: &Details,
    ) -> String {
        let extension = match extension {
            "" => Self::RECORDS,
            extension => extension,
        };
        records::write(extension, start, moves, result, details)
    }

    fn another_record(&self, text: &str) -> Result<(GomokuPosition, Vec<Point>)> {
        records::read(self.variant(), text)
    }

    fn read_heading(&self, text: &str) -> Heading {
        records::heading(text)
    }

    fn records(text: &str) -> Vec<&str> {
        records::games(text)
    }

    fn reason(&self, verdict: Verdict, is_stuck: bool) -> &'static str {
        match verdict {
            Verdict::Drawn => "the board is full",
            Verdict::Lost if self.winner().is_some() => match self.variant().rule.length() {
                3 => "three in a row",
                _ => "five in a row",
            },
            Verdict::Lost if is_stuck => "only forbidden points are left",
            Verdict::Lost => "lost",
        }
    }

    fn engine_options(&self) -> Vec<(&'static str, String)> {
        let number = self.variant().rule.number();
        number
            .map(|number| ("rule", number.to_string()))
            .into_iter()
            .collect()
    }

    /// The command that makes an empty board of the size, then a line for each stone, Black's and White's in turn.
    fn engine_position(&self) -> String {
        let variant = self.variant();
        let command = match variant.width == variant.height {
            true => format!("START {}", variant.width),
            false => format!("RECTSTART {},{}", variant.width, variant.height),
        };
        let stones = notation::in_turn(self).into_iter();
        let stones = stones.map(|point| format!("\n{}", notation::pair_text(variant, point)));
        command + &stones.collect::<String>()
    }

    fn engine_move(&self, _start: &GomokuPosition, mv: Point) -> String {
        notation::pair_text(self.variant(), mv)
    }

    fn read_engine_move(&self, _start: &GomokuPosition, text: &str) -> Result<Point> {
        let mv = notation::parse_pair(self.variant(), text)?;
        self.check(mv)?;
        Ok(mv)
    }

    fn bench(note: &mut dyn FnMut(&str, u64)) -> u64 {
        bench::signature(note)
    }
}
