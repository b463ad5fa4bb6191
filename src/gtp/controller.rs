//! Commands with types: what a controller asks of an engine, over [`Client`].

use std::time::Duration;

use super::client::{Client, ClientError};
use crate::go::color::Color;
use crate::go::point::{BoardSize, Move, Point};

/// What `genmove` can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratedMove {
    /// A stone or a pass. The point may be off the board.
    Move(Move),
    /// The engine gives up.
    Resign,
}

impl Client {
    /// The engine's name and version, separated by a blank.
    pub fn identity(&mut self) -> Result<String, ClientError> {
        let name = self.send("name")?;
        // Programs without a version exist.
        let version = self.send("version").unwrap_or_default();
        Ok(format!("{name} {version}").trim_end().to_owned())
    }

    /// Sets the board size. Boards that are not square need `rectangular_boardsize`; without it
    /// they are refused here, since engines take `boardsize 9 7` for 9x9.
    pub fn boardsize(&mut self, size: BoardSize) -> Result<(), ClientError> {
        let (width, height) = (size.width(), size.height());
        if size.is_square() {
            return self.send(&format!("boardsize {width}")).map(drop);
        }
        let command = format!("rectangular_boardsize {width} {height}");
        if self.supports("rectangular_boardsize")? {
            return self.send(&command).map(drop);
        }
        Err(ClientError::Refused {
            command,
            message: "not in list_commands".to_owned(),
        })
    }

    /// Empties the board.
    pub fn clear_board(&mut self) -> Result<(), ClientError> {
        self.send("clear_board").map(drop)
    }

    /// Sets the komi, in points for White.
    pub fn komi(&mut self, komi: f32) -> Result<(), ClientError> {
        self.send(&format!("komi {komi}")).map(drop)
    }

    /// Puts a move on the engine's board.
    pub fn play(&mut self, color: Color, made: Move) -> Result<(), ClientError> {
        self.send(&format!("play {} {made}", color.letter()))
            .map(drop)
    }

    /// Asks for a move, which the engine also plays, and tells how long that took.
    pub fn genmove(
        &mut self,
        color: Color,
        timeout: Duration,
    ) -> Result<(GeneratedMove, Duration), ClientError> {
        let command = format!("genmove {}", color.letter());
        let (text, elapsed) = self.send_within(&command, timeout)?;
        if text.eq_ignore_ascii_case("resign") {
            return Ok((GeneratedMove::Resign, elapsed));
        }
        match text.parse() {
            Ok(made) => Ok((GeneratedMove::Move(made), elapsed)),
            Err(_) => Err(ClientError::Malformed { command, text }),
        }
    }

    /// The points Black leads by, negative if White does, in the engine's opinion; none if its
    /// text is not of the form `B+3.5`, `W+0.5`, `0`.
    pub fn final_score(&mut self, timeout: Duration) -> Result<Option<f32>, ClientError> {
        let (text, _) = self.send_within("final_score", timeout)?;
        Ok(parse_score(&text))
    }

    /// The points of the stones the engine thinks dead.
    pub fn dead_stones(&mut self, timeout: Duration) -> Result<Vec<Point>, ClientError> {
        let command = "final_status_list dead";
        let (text, _) = self.send_within(command, timeout)?;
        let points: Result<Vec<Point>, _> = text.split_ascii_whitespace().map(str::parse).collect();
        points.map_err(|_| ClientError::Malformed {
            command: command.to_owned(),
            text,
        })
    }

    /// Main time, then `stones` moves in each `period`. No stones in a period of some length means
    /// no limit. The draft knows only whole seconds; others are sent with decimals.
    pub fn time_settings(
        &mut self,
        main: Duration,
        period: Duration,
        stones: u32,
    ) -> Result<(), ClientError> {
        let (main, period) = (main.as_secs_f64(), period.as_secs_f64());
        self.send(&format!("time_settings {main} {period} {stones}"))
            .map(drop)
    }

    /// Tells the time left: main time if `stones` is 0, else the time for so many stones. Rounded
    /// down, so that the engine does not lose on time by rounding.
    pub fn time_left(
        &mut self,
        color: Color,
        time: Duration,
        stones: u32,
    ) -> Result<(), ClientError> {
        let command = format!("time_left {} {} {stones}", color.letter(), time.as_secs());
        self.send(&command).map(drop)
    }
}

/// Points for Black in a text like `B+3.5`.
fn parse_score(text: &str) -> Option<f32> {
    if text == "0" || text.eq_ignore_ascii_case("draw") {
        return Some(0.0);
    }
    let (color, points) = text.split_once('+')?;
    // GNU Go before 3.8 adds words after the number.
    let points: f32 = points.split_ascii_whitespace().next()?.parse().ok()?;
    match color.parse().ok()? {
        Color::Black => Some(points),
        Color::White => Some(-points),
    }
}
