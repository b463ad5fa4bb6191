//! Backgammon for the commands that know games by name.

use anyhow::{Context, Result, bail, ensure};

use super::notation::{play_text, read_play};
use super::plays::{Dice, Play};
use super::position::{BackgammonPosition, Stakes, perft};
use super::{bench, diagram, fibs, player, records, variant};
use crate::games::dice_game::{
    DiceGame, DicePlayer, DiceResult, Pair, ReadFile, RecordedTurns, Rolled, TreeRow,
};
use crate::games::record::{Details, Heading};
use crate::search::game::Side;

/// Kinds of wins, which count 1, 2 and 3 points.
const WINS: [&str; 3] = ["single game", "gammon", "backgammon"];

impl DiceGame for BackgammonPosition {
    type Play = Play;

    const NAME: &'static str = "backgammon";
    const SIDES: [&'static str; 2] = ["White", "Black"];
    const RECORDS: &'static str = "mat";
    const PLAYERS: &'static [&'static str] = &player::PLAYERS;
    const OPPONENT: &'static str = "net depth=2";

    fn title(&self) -> String {
        variant::title(self.stakes).to_owned()
    }

    fn initial(variant: Option<&str>) -> Result<BackgammonPosition> {
        Ok(BackgammonPosition::start(variant::named(variant)?))
    }

    fn start_of_variant(&self) -> BackgammonPosition {
        BackgammonPosition::start(self.stakes)
    }

    fn read(variant: Option<&str>, text: &str) -> Result<BackgammonPosition> {
        let stakes = variant::named(variant)?;
        let text = text.trim();
        if text.starts_with("board:") || text.matches(':').count() > 20 {
            let position = fibs::read(text)?.position;
            return Ok(match variant {
                Some(_) => variant::with_stakes(position, stakes),
                None => position,
            });
        }
        let board = fibs::read_position_id(text)
            .context("a position is a FIBS line (board:...) or a position ID of GNU Backgammon")?;
        Ok(BackgammonPosition {
            board,
            turn: Side::First,
            dice: None,
            stakes,
        })
    }

    fn text(&self) -> String {
        fibs::text(self, ["White", "Black"])
    }

    fn diagram(&self) -> String {
        diagram::diagram(self)
    }

    fn to_move(&self) -> Side {
        self.turn
    }

    fn dice(&self) -> Option<Pair> {
        self.dice.map(|dice| [dice.high, dice.low])
    }

    fn rolled(&self, dice: Pair) -> BackgammonPosition {
        BackgammonPosition::rolled(self, Dice::new(dice[0], dice[1]))
    }

    fn plays(&self) -> Vec<Play> {
        BackgammonPosition::plays(self)
    }

    fn is_pass(play: &Play) -> bool {
        play.steps().is_empty()
    }

    fn after(&self, play: &Play) -> BackgammonPosition {
        BackgammonPosition::after(self, play)
    }

    fn play_text(play: &Play) -> String {
        play_text(play)
    }

    fn read_play(&self, text: &str) -> Result<Play> {
        read_play(self, text)
    }

    fn result(&self) -> Option<DiceResult> {
        let points = self.points_won()?;
        Some(DiceResult {
            winner: !self.turn,
            points,
            by: WINS[usize::from(points - 1)],
        })
    }

    fn points_by(&self, by: &str) -> Option<u8> {
        let of_kind = WINS.iter().zip(1..).find(|(its, _)| **its == by);
        let points = of_kind.map_or(1, |(_, points)| points);
        (self.stakes == Stakes::Points).then_some(points)
    }

    fn write_record(
        start: &BackgammonPosition,
        turns: &[Rolled<Play>],
        dice: Option<Pair>,
        result: Option<DiceResult>,
        details: &Details,
    ) -> String {
        records::write(start, turns, dice, result, details)
    }

    fn read_record(text: &str) -> Result<RecordedTurns<BackgammonPosition, Play>> {
        records::read(text)
    }

    fn read_heading(text: &str) -> Heading {
        records::heading(text)
    }

    fn read_result(text: &str) -> Option<DiceResult> {
        records::result(text)
    }

    fn player(
        text: &str,
        read: &ReadFile,
    ) -> Option<Result<Box<dyn DicePlayer<BackgammonPosition>>>> {
        player::player(text, read)
    }

    /// For GNU Backgammon.
    fn listen_lines(port: u16, options: &[(String, String)]) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        for (name, value) in options {
            let number = value
                .parse::<f32>()
                .ok()
                .filter(|number| (0.0..=7.0).contains(number));
            match (name.as_str(), number) {
                ("plies" | "noise", Some(_)) => {
                    lines.push(format!(
                        "set evaluation chequerplay evaluation {name} {value}"
                    ));
                }
                ("plies" | "noise", None) => bail!("{name}={value}: a number from 0 to 7"),
                ("command", _) => lines.push(value.clone()),
                _ => bail!(
                    "there is no option '{name}'; there are plies and noise (as in plies=0), and command=TEXT for any \
                     other command of the engine"
                ),
            }
        }
        lines.push(format!("external localhost:{port}"));
        Ok(lines)
    }

    fn engine_line(&self) -> String {
        // Engines are told about the side to move.
        let own = BackgammonPosition {
            turn: Side::First,
            ..*self
        };
        fibs::text(&own, ["keima", "opponent"])
    }

    fn perft(&self, depth: u32) -> String {
        let counts = perft(&self.board, depth);
        format!("{} weighted {}", counts.distinct, counts.weighted)
    }

    fn tree(&self, depth: u32, note: &mut dyn FnMut(TreeRow) -> Result<()>) -> Result<()> {
        ensure!(self.points_won().is_none(), "the game is over");
        bench::tree(self, depth, note)
    }

    fn bench(note: &mut dyn FnMut(&str, u64)) -> u64 {
        bench::signature(note)
    }
}
