//! Commands with types: what a controller asks of an engine, be it in another process ([`Client`])
//! or in this one.

use std::time::Duration;

use super::client::{Client, ClientError};
use crate::clock::{TimeControl, TimeLeft};
use crate::go::point::{BoardSize, Move, Point};
use crate::go::{Answer, Color, GameResult};

/// How long an engine's process may take to end after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(3);

/// The way to an engine, over which commands are sent, with the commands of matches.
pub trait Connection {
    /// Sends a command and gives the text of its result.
    fn send(&mut self, command: &str) -> Result<String, ClientError>;

    /// As [`Connection::send`], with a timeout of its own; also tells how long the engine took.
    fn send_within(
        &mut self,
        command: &str,
        timeout: Duration,
    ) -> Result<(String, Duration), ClientError>;

    /// Whether the engine knows the command.
    fn supports(&mut self, command: &str) -> Result<bool, ClientError>;

    /// Ends the engine if it does not end with the connection.
    fn quit(&mut self) {}

    /// The engine's name and version, separated by a blank.
    fn identity(&mut self) -> Result<String, ClientError> {
        // Before the name, by which engines may know a GUI; some do not know this one.
        match self.send("protocol_version") {
            Err(ClientError::Refused { .. }) => {}
            answer => drop(answer?),
        }
        let name = self.send("name")?;
        // Programs without a version exist.
        let version = match self.send("version") {
            Err(ClientError::Refused { .. }) => String::new(),
            answer => answer?,
        };
        Ok(format!("{name} {version}").trim_end().to_owned())
    }

    /// Sets the board size. Boards that are not square need `rectangular_boardsize`; without it
    /// they are refused here, since engines take `boardsize 9 7` for 9x9.
    fn boardsize(&mut self, size: BoardSize) -> Result<(), ClientError> {
        let (width, height) = (size.width(), size.height());
        if size.is_square() {
            return self.send(&format!("boardsize {width}")).map(drop);
        }
        self.send_if_listed("rectangular_boardsize", &format!("{width} {height}"))
    }

    /// Empties the board.
    fn clear_board(&mut self) -> Result<(), ClientError> {
        self.send("clear_board").map(drop)
    }

    /// Sets the komi, in points for White.
    fn komi(&mut self, komi: f32) -> Result<(), ClientError> {
        self.send(&format!("komi {komi}")).map(drop)
    }

    /// Puts a move on the engine's board.
    fn play(&mut self, color: Color, mv: Move) -> Result<(), ClientError> {
        self.send(&format!("play {} {mv}", color.letter()))
            .map(drop)
    }

    /// Asks for a move, which the engine also plays, and tells how long that took.
    fn genmove(
        &mut self,
        color: Color,
        timeout: Duration,
    ) -> Result<(Answer, Duration), ClientError> {
        let command = format!("genmove {}", color.letter());
        let (text, elapsed) = self.send_within(&command, timeout)?;
        if text.eq_ignore_ascii_case("resign") {
            return Ok((Answer::Resign, elapsed));
        }
        match text.parse() {
            Ok(mv) => Ok((Answer::Move(mv), elapsed)),
            Err(_) => Err(ClientError::Malformed { command, text }),
        }
    }

    /// The points Black leads by, negative if White does, in the engine's opinion; none if its
    /// text is not of the form `B+3.5`, `W+0.5`, `0`. GNU Go before 3.8 adds words after the
    /// number, which are ignored.
    fn final_score(&mut self, timeout: Duration) -> Result<Option<f32>, ClientError> {
        let (text, _) = self.send_within("final_score", timeout)?;
        let result: Option<GameResult> = text.parse().ok();
        Ok(result.and_then(GameResult::lead_black))
    }

    /// The points of the stones the engine thinks dead.
    fn dead_stones(&mut self, timeout: Duration) -> Result<Vec<Point>, ClientError> {
        let command = "final_status_list dead";
        let (text, _) = self.send_within(command, timeout)?;
        let points: Result<Vec<Point>, _> = text.split_ascii_whitespace().map(str::parse).collect();
        points.map_err(|_| ClientError::Malformed {
            command: command.to_owned(),
            text,
        })
    }

    /// Tells how the game is timed, as far as that can be told. The draft knows no increments: an
    /// engine that lacks KataGo's command for them is told the main time alone, and before each
    /// move what is left. Japanese overtime needs KGS's command, else it is refused here. The draft
    /// knows only whole seconds; others are sent with decimals.
    fn time_control(&mut self, control: TimeControl) -> Result<(), ClientError> {
        let (command, times) = match control {
            TimeControl::Unlimited => return Ok(()),
            TimeControl::Fischer { main, increment }
                if increment > 0.0 && self.supports("kata-time_settings")? =>
            {
                ("kata-time_settings", format!("fischer {main} {increment}"))
            }
            TimeControl::Fischer { main, .. } => ("time_settings", format!("{main} 0 0")),
            TimeControl::Canadian {
                main,
                period,
                stones,
            } => ("time_settings", format!("{main} {period} {stones}")),
            TimeControl::Japanese {
                main,
                period,
                periods,
            } => {
                let times = format!("byoyomi {main} {period} {periods}");
                return self.send_if_listed("kgs-time_settings", &times);
            }
        };
        if self.supports(command)? {
            self.send(&format!("{command} {times}"))?;
        }
        Ok(())
    }

    /// Tells what a clock shows, in whole seconds; engines with KataGo's commands read hundredths
    /// too. Rounded down, so that the engine does not lose on time by rounding.
    fn time_left(&mut self, color: Color, left: TimeLeft) -> Result<(), ClientError> {
        let has_fractions = self.supports("kata-time_settings")?;
        let parts = if has_fractions { 100.0 } else { 1.0 };
        let seconds = (left.seconds.max(0.0) * parts).floor() / parts;
        let count = left.count;
        self.send(&format!("time_left {} {seconds} {count}", color.letter()))
            .map(drop)
    }

    /// Sends a command, unless the engine does not list it: that is a refusal.
    fn send_if_listed(&mut self, name: &str, arguments: &str) -> Result<(), ClientError> {
        let command = format!("{name} {arguments}");
        if self.supports(name)? {
            return self.send(&command).map(drop);
        }
        Err(ClientError::Refused {
            command,
            message: "not in list_commands".to_owned(),
        })
    }
}

impl Connection for Client {
    fn send(&mut self, command: &str) -> Result<String, ClientError> {
        Client::send(self, command)
    }

    fn send_within(
        &mut self,
        command: &str,
        timeout: Duration,
    ) -> Result<(String, Duration), ClientError> {
        Client::send_within(self, command, timeout)
    }

    fn supports(&mut self, command: &str) -> Result<bool, ClientError> {
        Client::supports(self, command)
    }

    fn quit(&mut self) {
        Client::quit(self, QUIT_TIMEOUT);
    }
}
