//! Game records: the file that a game goes on from, and the one that it is written to.

use std::path::Path;

use anyhow::{Context, Result};

use super::engines::Seat;
use crate::console::tell;
use crate::files;
use crate::formats::sgf::{self, ReadOptions};
use crate::go::{Color, GameRecord, GameResult, Komi, PerColor, Position, Rules};

/// Remarks on a file that are told.
const MOST_REMARKS: usize = 10;

/// What a record holds besides the moves: names, event, date, comments.
#[derive(Default)]
pub struct Heading {
    /// Of the engines at the board.
    names: PerColor<Option<String>>,
    /// The record that was loaded.
    loaded: Option<GameRecord>,
}

/// Reads a record, which may leave rules and komi open, and the position at its end.
pub fn read(file: &Path, rules: &Rules, komi: Komi) -> Result<(Heading, Position)> {
    let options = ReadOptions {
        rules: *rules,
        komi,
        before_move: None,
    };
    let cannot = || format!("cannot load {}", file.display());
    let reading = files::read_regular(file, files::TEXT_LIMIT)
        .and_then(|bytes| sgf::read(&bytes, &options))
        .with_context(cannot)?;
    let position = reading.record.position().with_context(cannot)?;
    for remark in reading.remarks.iter().take(MOST_REMARKS) {
        tell(format_args!("{}: {remark}", file.display()));
    }
    let heading = Heading {
        loaded: Some(reading.record),
        ..Heading::default()
    };
    Ok((heading, position))
}

impl Heading {
    /// Of a new game; persons have no names.
    pub fn new(seats: &PerColor<Seat>, names: &PerColor<String>) -> Heading {
        let name = |color| match &seats[color] {
            Seat::Person => None,
            _ => Some(names[color].clone()),
        };
        Heading {
            names: PerColor(Color::BOTH.map(name)),
            loaded: None,
        }
    }

    /// The same with the names of another where the record has none.
    pub fn or_names(self, other: &Heading) -> Heading {
        Heading {
            names: other.names.clone(),
            ..self
        }
    }

    /// The result that the loaded record states.
    pub fn result(&self) -> Option<GameResult> {
        self.loaded.as_ref().and_then(|record| record.result)
    }

    /// The game as SGF. Comments of the loaded record stay as far as its moves do, and its result as long
    /// as there is neither another nor another move.
    pub fn text(&self, position: &Position, result: Option<GameResult>) -> String {
        let mut record = GameRecord::of(position);
        record.result = result;
        let loaded = self.loaded.clone();
        let loaded = loaded.unwrap_or_else(|| GameRecord::new(record.setup.clone()));
        let common = record.moves.iter().zip(&loaded.moves);
        let common = common.take_while(|(new, old)| new == old).count();
        if record.moves == loaded.moves {
            record.result = result.or(loaded.result);
        }
        let own = &self.names;
        let name = |color: Color| loaded.names[color].clone().or_else(|| own[color].clone());
        let record = GameRecord {
            names: PerColor(Color::BOTH.map(name)),
            comments: loaded
                .comments
                .into_iter()
                .filter(|(at, _)| *at <= common)
                .collect(),
            ranks: loaded.ranks,
            event: loaded.event,
            date: loaded.date,
            unknown_rules: loaded.unknown_rules,
            handicap: record.handicap.max(loaded.handicap),
            ..record
        };
        sgf::write(&record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Move, WonBy};

    #[test]
    fn record_keeps_comments_up_to_the_first_other_move() {
        let text = "(;GM[1]SZ[9]KM[7]PB[Ann]RE[W+R]C[start];B[cc]C[one];W[gg]C[two])";
        let record = sgf::parse(text.as_bytes()).unwrap();
        let mut position = record.position().unwrap();
        let heading = Heading {
            loaded: Some(record),
            ..Heading::default()
        };
        assert!(heading.text(&position, None).contains("RE[W+R]"));
        position.undo();
        position.play(Move::Pass);
        let won = GameResult::Win(Color::Black, WonBy::Time);
        let written = heading.text(&position, Some(won));
        for part in ["PB[Ann]", "C[start]", "C[one]", "RE[B+T]"] {
            assert!(written.contains(part), "{part} in {written}");
        }
        assert!(!written.contains("two"), "{written}");
    }
}
