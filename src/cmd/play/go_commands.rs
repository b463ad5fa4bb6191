//! What a person may type at Go.

use anyhow::{Result, bail};

use super::commands::{Command, Typed, Usage};
use super::moves::{looks_like_point, point};
use crate::go::{Move, Point, Position};

/// How names of game records end.
pub const RECORDS: &str = "sgf";

/// What Go has besides the commands of all games.
pub const USAGES: [Usage; 7] = [
    ("D4", "play there; columns have letters, without I"),
    ("pass", "pass; two passes in a row end the game"),
    (
        "dead D4",
        "after two passes: this chain is dead, or alive after all",
    ),
    ("ok", "after two passes: count like this"),
    (
        "resume",
        "after two passes, or where a record has a result: play on",
    ),
    (
        "score",
        "estimate the score; after two passes: by the marks",
    ),
    ("moves", "list the moves"),
];

/// What a person wants at Go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoCommand {
    /// What one may want at any game.
    Common(Command),
    /// A move.
    Move(Move),
    /// To know the score as it stands.
    Score,
    /// To call chains dead or alive.
    Dead(Vec<Point>),
    /// To count.
    Accept,
    /// To play on.
    Resume,
}

impl GoCommand {
    /// Reads a line, in any case but for names of files. Points must be on the board.
    pub fn read(line: &str, position: &Position) -> Result<GoCommand> {
        let typed = Typed::new(line);
        if let Some(common) = Command::read(&typed, RECORDS)? {
            return Ok(GoCommand::Common(common));
        }
        let command = match &*typed.word {
            "dead" | "alive" => return dead(typed.rest, position),
            "score" => GoCommand::Score,
            "ok" => GoCommand::Accept,
            "resume" => GoCommand::Resume,
            "pass" => GoCommand::Move(Move::Pass),
            word if looks_like_point(word) => GoCommand::Move(Move::Play(point(word, position)?)),
            _ => bail!(
                "'{}' is neither a move nor a command; help lists what you may type",
                typed.line
            ),
        };
        typed.check_alone()?;
        Ok(command)
    }
}

fn dead(words: &str, position: &Position) -> Result<GoCommand> {
    let points: Vec<Point> = words
        .split_whitespace()
        .map(|word| point(word, position))
        .collect::<Result<_>>()?;
    match points.is_empty() {
        true => bail!("name a stone of the chain, as in: dead D4"),
        false => Ok(GoCommand::Dead(points)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{BoardSize, Komi, Rules};

    fn read(line: &str) -> Result<GoCommand> {
        let size = BoardSize::square(9);
        GoCommand::read(line, &Position::new(size, Rules::CHINESE, Komi::default()))
    }

    #[test]
    fn every_command_of_the_help_is_understood() {
        for (usage, _) in USAGES {
            assert!(read(usage).is_ok(), "{usage}");
        }
    }

    #[test]
    fn moves_are_read_in_any_case() {
        let d4 = GoCommand::Move(Move::Play("D4".parse().unwrap()));
        assert_eq!(read(" d4 ").unwrap(), d4);
        assert_eq!(read("D4").unwrap(), d4);
        assert_eq!(read("PASS").unwrap(), GoCommand::Move(Move::Pass));
    }

    #[test]
    fn what_is_wrong_with_a_line_is_told() {
        let told = |line| read(line).unwrap_err().to_string();
        assert!(told("k10").contains("off the board, which is 9x9"));
        assert!(told("dd").contains("neither a move nor a command"));
        assert!(told("pass 3").contains("leave '3' out"));
        assert!(told("dead").contains("dead D4"));
    }
}
