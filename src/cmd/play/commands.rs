//! What a person may type during a game.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::moves::{looks_like_point, point};
use crate::go::{Move, Point, Position};

/// Each as it is typed, with what it does.
const USAGES: [(&str, &str); 16] = [
    ("D4", "play there; columns have letters, without I"),
    ("pass", "pass; two passes in a row end the game"),
    ("undo", "take your last move back, and the answer to it"),
    ("resign", "give the game up"),
    ("hint", "what keima would play here"),
    ("score", "estimate the score"),
    ("board", "draw the board again"),
    ("moves", "list the moves"),
    (
        "dead D4",
        "after two passes: this chain is dead, or alive after all",
    ),
    ("ok", "after two passes: count like this"),
    ("resume", "after two passes: play on"),
    ("save FILE", "write the game record (SGF) to a new file"),
    ("save! FILE", "the same, also in place of another file"),
    ("load FILE", "go on with a game record"),
    ("help", "this list"),
    ("quit", "leave the game"),
];

/// What a person wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A move.
    Move(Move),
    /// To take the last move back.
    Undo,
    /// To give the game up.
    Resign,
    /// To know a good move.
    Hint,
    /// To know the score as it stands.
    Score,
    /// To see the board.
    Board,
    /// To see the moves.
    Moves,
    /// To call chains dead or alive.
    Dead(Vec<Point>),
    /// To count.
    Accept,
    /// To play on.
    Resume,
    /// To write the record, by default to the file of the command line.
    Save {
        /// The file.
        file: Option<PathBuf>,
        /// Whether it may take the place of a file that is there.
        replaces: bool,
    },
    /// To go on with a record.
    Load(PathBuf),
    /// To know the commands.
    Help,
    /// To leave.
    Quit,
}

impl Command {
    /// Reads a line, in any case but for names of files. Points must be on the board.
    pub fn read(line: &str, position: &Position) -> Result<Command> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let word = word.to_ascii_lowercase();
        let command = match &*word {
            "dead" | "alive" => return dead(rest, position),
            "save" | "save!" => {
                let file = (!rest.is_empty()).then(|| PathBuf::from(rest));
                let replaces = word.ends_with('!');
                return Ok(Command::Save { file, replaces });
            }
            "load" if rest.is_empty() => bail!("load needs a file, as in: load game.sgf"),
            "load" => return Ok(Command::Load(PathBuf::from(rest))),
            "undo" | "u" => Command::Undo,
            "resign" => Command::Resign,
            "hint" => Command::Hint,
            "score" => Command::Score,
            "board" => Command::Board,
            "moves" => Command::Moves,
            "ok" => Command::Accept,
            "resume" => Command::Resume,
            "help" | "?" => Command::Help,
            "quit" | "exit" | "q" => Command::Quit,
            "pass" => Command::Move(Move::Pass),
            _ if looks_like_point(&word) => Command::Move(Move::Play(point(&word, position)?)),
            _ => bail!("'{line}' is neither a move nor a command; help lists what you may type"),
        };
        if !rest.is_empty() {
            bail!("{word} stands alone: leave '{rest}' out");
        }
        Ok(command)
    }
}

fn dead(words: &str, position: &Position) -> Result<Command> {
    let points: Vec<Point> = words
        .split_whitespace()
        .map(|word| point(word, position))
        .collect::<Result<_>>()?;
    match points.is_empty() {
        true => bail!("name a stone of the chain, as in: dead D4"),
        false => Ok(Command::Dead(points)),
    }
}

/// What may be typed, a line each.
pub fn help() -> String {
    let lines = USAGES.map(|(usage, meaning)| format!("{usage:<10} {meaning}"));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{BoardSize, Komi, Rules};

    fn read(line: &str) -> Result<Command> {
        let size = BoardSize::square(9);
        Command::read(line, &Position::new(size, Rules::CHINESE, Komi::default()))
    }

    #[test]
    fn every_command_of_the_help_is_understood() {
        for (usage, _) in USAGES {
            assert!(read(usage).is_ok(), "{usage}");
        }
    }

    #[test]
    fn moves_are_read_in_any_case() {
        let d4 = Command::Move(Move::Play("D4".parse().unwrap()));
        assert_eq!(read(" d4 ").unwrap(), d4);
        assert_eq!(read("D4").unwrap(), d4);
        assert_eq!(read("PASS").unwrap(), Command::Move(Move::Pass));
    }

    #[test]
    fn what_is_wrong_with_a_line_is_told() {
        let told = |line| read(line).unwrap_err().to_string();
        assert!(told("k10").contains("off the board, which is 9x9"));
        assert!(told("dd").contains("neither a move nor a command"));
        assert!(told("undo 3").contains("leave '3' out"));
        assert!(told("dead").contains("dead D4"));
        assert!(told("load").contains("load game.sgf"));
    }
}
