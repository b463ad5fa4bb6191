//! What a person may type at all games, and how a line is read.

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};

/// A command as it is typed, with what it does.
pub type Usage = (&'static str, &'static str);

/// Those of all games, but for `moves`, which lists other moves at each.
const USAGES: [Usage; 9] = [
    ("undo", "take your last move back, and the answer to it"),
    ("resign", "give the game up"),
    ("hint", "what keima would play here"),
    ("board", "draw the board again"),
    ("save FILE", "write the game record to a new file"),
    ("save! FILE", "the same, also in place of another file"),
    ("load FILE", "go on with a game record"),
    ("help", "this list"),
    ("quit", "leave the game"),
];

/// What a person wants at any game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// To take the last move back.
    Undo,
    /// To give the game up.
    Resign,
    /// To know a good move.
    Hint,
    /// To see the board.
    Board,
    /// To see moves.
    Moves,
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
    /// Reads a line, in any case but for names of files; none if it is something else. `records` is how names of
    /// records end.
    pub fn read(typed: &Typed, records: &str) -> Result<Option<Command>> {
        let command = match &*typed.word {
            "save" | "save!" => {
                let file = (!typed.rest.is_empty()).then(|| PathBuf::from(typed.rest));
                let replaces = typed.word.ends_with('!');
                return Ok(Some(Command::Save { file, replaces }));
            }
            "load" if typed.rest.is_empty() => {
                bail!("load needs a file, as in: load game.{records}")
            }
            "load" => return Ok(Some(Command::Load(PathBuf::from(typed.rest)))),
            "undo" | "u" => Command::Undo,
            "resign" => Command::Resign,
            "hint" => Command::Hint,
            "board" => Command::Board,
            "moves" => Command::Moves,
            "help" | "?" => Command::Help,
            "quit" | "exit" | "q" => Command::Quit,
            _ => return Ok(None),
        };
        typed.check_alone()?;
        Ok(Some(command))
    }
}

/// A line that a person typed.
pub struct Typed<'a> {
    /// The line without blanks around it.
    pub line: &'a str,
    /// Its first word, in lower case.
    pub word: String,
    /// What follows that.
    pub rest: &'a str,
}

impl<'a> Typed<'a> {
    /// Takes a line apart.
    pub fn new(line: &'a str) -> Typed<'a> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        Typed {
            line,
            word: word.to_ascii_lowercase(),
            rest: rest.trim(),
        }
    }

    /// An error if anything follows the first word.
    pub fn check_alone(&self) -> Result<()> {
        let Typed { word, rest, .. } = self;
        ensure!(rest.is_empty(), "{word} stands alone: leave '{rest}' out");
        Ok(())
    }
}

/// What may be typed, a line each: a game's own commands, and those of all games.
pub fn help(own: &[Usage]) -> String {
    let lines = own.iter().chain(&USAGES);
    let lines: Vec<String> = lines
        .map(|(usage, meaning)| format!("{usage:<10} {meaning}"))
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Option<Command>> {
        Command::read(&Typed::new(line), "pgn")
    }

    #[test]
    fn every_shared_command_of_the_help_is_understood() {
        for (usage, _) in USAGES {
            assert!(read(usage).unwrap().is_some(), "{usage}");
        }
        assert_eq!(read(" QUIT ").unwrap(), Some(Command::Quit));
        assert_eq!(read("Bxc3").unwrap(), None);
    }

    #[test]
    fn what_is_wrong_with_a_line_is_told() {
        let told = |line| read(line).unwrap_err().to_string();
        assert!(told("undo 3").contains("leave '3' out"));
        assert!(told("load").contains("load game.pgn"));
    }
}
