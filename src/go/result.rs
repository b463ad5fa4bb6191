//! How a game ended, and the text of it that SGF and match tables use.

use std::fmt;
use std::str::FromStr;

use super::color::Color;
use super::parse_error::ParseError;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GameResult {
    /// A win.
    Win(Color, WonBy),
    /// Equal scores.
    Draw,
    /// No result, or an unfinished game.
    Void,
    /// Unknown according to the record.
    Unknown,
}

/// How a game was won.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WonBy {
    /// By this many points, more than 0.
    Points(f32),
    /// The opponent resigned.
    Resignation,
    /// The opponent's time ran out.
    Time,
    /// The opponent forfeited the game, as by an illegal move.
    Forfeit,
    /// Not stated.
    Unstated,
}

impl GameResult {
    /// The winner, if there is one.
    pub fn winner(self) -> Option<Color> {
        match self {
            GameResult::Win(winner, _) => Some(winner),
            _ => None,
        }
    }

    /// A player's points, of one: a draw is half a point. None without a result.
    pub fn points(self, color: Color) -> Option<f64> {
        match self {
            GameResult::Win(winner, _) => Some(f64::from(u8::from(winner == color))),
            GameResult::Draw => Some(0.5),
            GameResult::Void | GameResult::Unknown => None,
        }
    }

    /// Black's score less White's with komi, in points, if the result tells it: what
    /// [`GameResult::from_lead`] is given.
    pub fn lead_black(self) -> Option<f32> {
        match self {
            GameResult::Win(winner, WonBy::Points(points)) => {
                Some(f32::from(winner.sign()) * points)
            }
            GameResult::Draw => Some(0.0),
            _ => None,
        }
    }

    /// The result of a count: a win of the player ahead, or a draw. `lead_black` is Black's score
    /// less White's with komi, in points.
    pub fn from_lead(lead_black: f32) -> GameResult {
        if lead_black == 0.0 {
            GameResult::Draw
        } else if lead_black > 0.0 {
            GameResult::Win(Color::Black, WonBy::Points(lead_black))
        } else {
            GameResult::Win(Color::White, WonBy::Points(-lead_black))
        }
    }
}

impl fmt::Display for GameResult {
    /// `B+3.5`, `W+R`, `W+T`, `B+F`, `B+`, `0`, `Void`, `?`, as SGF FF\[4\] has it for `RE`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameResult::Win(winner, by) => write!(f, "{}+{by}", winner.letter()),
            GameResult::Draw => f.write_str("0"),
            GameResult::Void => f.write_str("Void"),
            GameResult::Unknown => f.write_str("?"),
        }
    }
}

impl fmt::Display for WonBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WonBy::Points(points) => write!(f, "{points}"),
            WonBy::Resignation => f.write_str("R"),
            WonBy::Time => f.write_str("T"),
            WonBy::Forfeit => f.write_str("F"),
            WonBy::Unstated => Ok(()),
        }
    }
}

const NO_RESULT: ParseError = ParseError("not a result");

impl FromStr for GameResult {
    type Err = ParseError;

    /// Reads what [`GameResult`] prints, the spelled-out forms (`B+Resign`, `Jigo`, `Draw`) in any
    /// case and a decimal comma; remarks after the first word are ignored.
    fn from_str(text: &str) -> Result<GameResult, ParseError> {
        let word = text.split_whitespace().next().ok_or(NO_RESULT)?;
        let word = word.to_ascii_lowercase();
        match word.as_str() {
            "0" | "draw" | "jigo" => return Ok(GameResult::Draw),
            "void" => return Ok(GameResult::Void),
            "?" => return Ok(GameResult::Unknown),
            _ => {}
        }
        let (winner, by) = word.split_once('+').ok_or(NO_RESULT)?;
        let winner: Color = winner.parse().map_err(|_| NO_RESULT)?;
        let by = match by {
            "" | "?" => WonBy::Unstated,
            "r" | "res" | "resign" | "resignation" => WonBy::Resignation,
            "t" | "time" | "timeout" => WonBy::Time,
            "f" | "forfeit" => WonBy::Forfeit,
            number => return by_points(winner, number),
        };
        Ok(GameResult::Win(winner, by))
    }
}

/// A win by points; no points make a draw.
fn by_points(winner: Color, number: &str) -> Result<GameResult, ParseError> {
    let digits = number
        .bytes()
        .all(|b| b.is_ascii_digit() || b == b'.' || b == b',');
    let points: f32 = number.replace(',', ".").parse().map_err(|_| NO_RESULT)?;
    if !digits || !points.is_finite() {
        Err(NO_RESULT)
    } else if points > 0.0 {
        Ok(GameResult::Win(winner, WonBy::Points(points)))
    } else {
        Ok(GameResult::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_go_both_ways() {
        for text in [
            "B+3.5", "W+0.5", "W+R", "B+T", "W+F", "B+", "0", "Void", "?", "W+64",
        ] {
            let result: GameResult = text.parse().unwrap();
            assert_eq!(result.to_string(), text);
        }
    }

    #[test]
    fn spellings_are_understood() {
        let same = [
            ("b+resign", "B+R"),
            ("White+Time", "W+T"),
            ("W+Forfeit", "W+F"),
            ("B+2,5", "B+2.5"),
            ("B+3.50 (moves after 200 are lost)", "B+3.5"),
            ("Jigo", "0"),
            ("DRAW", "0"),
            ("B+0", "0"),
            ("W+?", "W+"),
        ];
        for (text, meaning) in same {
            assert_eq!(
                text.parse::<GameResult>().unwrap().to_string(),
                meaning,
                "{text}"
            );
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "", "  ", "B", "B3.5", "+R", "C+R", "B+-3", "B+inf", "B+nan", "B+1e3", "B+.",
        ] {
            assert_eq!(text.parse::<GameResult>(), Err(NO_RESULT), "{text}");
        }
    }

    #[test]
    fn leads_name_the_winner() {
        assert_eq!(GameResult::from_lead(2.5).to_string(), "B+2.5");
        assert_eq!(GameResult::from_lead(-7.0).to_string(), "W+7");
        assert_eq!(GameResult::from_lead(0.0), GameResult::Draw);
        assert_eq!(GameResult::from_lead(-7.0).winner(), Some(Color::White));
        for lead in [2.5, -7.0, 0.0] {
            assert_eq!(GameResult::from_lead(lead).lead_black(), Some(lead));
        }
    }

    #[test]
    fn points_and_leads_are_those_of_the_result() {
        for (text, of_black, lead) in [
            ("B+3.5", Some(1.0), Some(3.5)),
            ("W+12", Some(0.0), Some(-12.0)),
            ("0", Some(0.5), Some(0.0)),
            ("W+R", Some(0.0), None),
            ("B+", Some(1.0), None),
            ("Void", None, None),
            ("?", None, None),
        ] {
            let result: GameResult = text.parse().unwrap();
            assert_eq!(result.points(Color::Black), of_black, "{text}");
            let of_white = of_black.map(|points| 1.0 - points);
            assert_eq!(result.points(Color::White), of_white, "{text}");
            assert_eq!(result.lead_black(), lead, "{text}");
        }
    }
}
