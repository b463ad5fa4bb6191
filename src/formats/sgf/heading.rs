//! What a record holds besides start and moves, kept while a game goes on.

use super::annotated::write_annotated;
use super::beside::{Beside, SideLine};
use super::other_info::Info;
use super::scan::Property;
use super::write;
use crate::go::{Color, GameRecord, GameResult, PerColor, Position};

/// What a record holds besides the moves: names, event, date, comments, marks and the like.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// Of the players, where the record that was loaded names none.
    pub names: PerColor<Option<String>>,
    /// The day on which a game began that is in no record yet.
    pub date: Option<String>,
    /// The record that was loaded.
    pub loaded: Option<GameRecord>,
    /// What that record says of the game besides.
    pub info: Vec<Info>,
    /// Its other properties, by number of moves.
    pub properties: Vec<(usize, Property)>,
}

impl Heading {
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

    /// A color's name.
    pub fn name(&self, color: Color) -> Option<&str> {
        let loaded = self.loaded.as_ref();
        let loaded = loaded.and_then(|record| record.names[color].as_deref());
        loaded.or(self.names[color].as_deref())
    }

    /// How many of a game's moves are as in the record that was loaded, up to the first other one.
    pub fn moves_in_common(&self, position: &Position) -> usize {
        let loaded = self.loaded.iter().flat_map(|record| &record.moves);
        let common = position.moves().zip(loaded);
        common.take_while(|(new, old)| new == *old).count()
    }

    /// The game as SGF. Comments of the loaded record stay as far as its moves do, and its result as long
    /// as there is neither another nor another move. `lines` are the variations.
    pub fn text(
        &self,
        position: &Position,
        result: Option<GameResult>,
        lines: Vec<SideLine>,
    ) -> String {
        let mut record = GameRecord::of(position);
        record.result = result;
        let loaded = self.loaded.clone();
        let loaded = loaded.unwrap_or_else(|| GameRecord::new(record.setup.clone()));
        let common = self.moves_in_common(position);
        if record.moves == loaded.moves {
            record.result = result.or(loaded.result);
        }
        let name = |color| self.name(color).map(str::to_owned);
        let record = GameRecord {
            names: PerColor(Color::BOTH.map(name)),
            comments: loaded
                .comments
                .into_iter()
                .filter(|(at, _)| *at <= common)
                .collect(),
            ranks: loaded.ranks,
            event: loaded.event,
            date: loaded.date.or_else(|| self.date.clone()),
            unknown_rules: loaded.unknown_rules,
            handicap: record.handicap.max(loaded.handicap),
            ..record
        };
        let properties = self.properties.iter().filter(|(at, _)| *at <= common);
        let properties = properties.cloned().collect();
        let beside = Beside { lines, properties };
        match self.info.is_empty() && beside == Beside::default() {
            true => write(&record),
            false => write_annotated(&record, &self.info, &[], &beside),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::sgf;
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
        assert!(
            heading
                .text(&position, None, Vec::new())
                .contains("RE[W+R]")
        );
        position.undo();
        position.play(Move::Pass);
        let won = GameResult::Win(Color::Black, WonBy::Time);
        let written = heading.text(&position, Some(won), Vec::new());
        for part in ["PB[Ann]", "C[start]", "C[one]", "RE[B+T]"] {
            assert!(written.contains(part), "{part} in {written}");
        }
        assert!(!written.contains("two"), "{written}");
    }
}
