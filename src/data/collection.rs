//! The games of some files, replayed once and stored as moves, without duplicates.
//!
//! Two games are the same if a symmetry of the board maps the moves of one to those of the other,
//! passes at the end left out. How a game begins decides whether it is for training or held out, so
//! it stays on its side whatever files it comes in, also if some end a few moves earlier.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::files;
use crate::go::{BoardSize, Color, GameResult, IllegalMove, Komi, Move, Rules, Symmetry};

use super::line::{Line, MoveCode};
use super::sources::{self, GameFacts, Record};
use super::tally::{Skip, Tally};

/// Shorter games are left out as useless.
const MIN_MOVES: usize = 10;
/// Longer games are left out as faulty.
const MAX_MOVES: usize = 4000;
/// Sources are numbered by a byte, and some numbers are reserved.
const MAX_SOURCES: u8 = 250;
/// Bytes of a source's name, whose number is a byte.
const LONGEST_SOURCE: usize = 255;
/// So many moves of a game decide about its side.
const OPENING: usize = 40;
/// Games replayed together.
const CHUNK: usize = 8192;

/// Which part of the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// For training.
    Train,
    /// Held out: never used for training.
    HeldOut,
}

/// Games that are known to replay without errors.
#[derive(Default)]
pub struct Collection {
    heads: Vec<Head>,
    moves: Vec<MoveCode>,
    sources: Vec<String>,
}

/// All data of a game except its moves.
struct Head {
    id: u64,
    /// The same of its first moves.
    opening_id: u64,
    size: BoardSize,
    first: Color,
    stones: Box<[MoveCode]>,
    source: u8,
    komi: Option<Komi>,
    rules: Option<Rules>,
    result: Option<GameResult>,
    /// Range of its moves.
    from: usize,
    len: u32,
}

/// Data of a game besides its line.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Index of its source among [`Collection::sources`].
    pub source: u8,
    /// As recorded, if known.
    pub komi: Option<Komi>,
    /// As recorded, if known.
    pub rules: Option<Rules>,
    /// The result as recorded, if known.
    pub result: Option<GameResult>,
}

impl Known {
    /// The winner, if there is one.
    pub fn winner(&self) -> Option<Color> {
        self.result.and_then(GameResult::winner)
    }
}

impl Collection {
    /// Reads files and folders. `progress` is called with the number of games read so far.
    pub fn read(paths: &[PathBuf], progress: &dyn Fn(usize)) -> Result<(Collection, Tally)> {
        let mut reader = Reader::default();
        for file in sources::files(paths)? {
            reader.read(&file, progress)?;
        }
        reader.flush();
        Ok((reader.collection, reader.tally))
    }

    /// Number of games.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is no game.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Names of the sources of games.
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// A game's moves and start.
    pub fn line(&self, game: usize) -> Line {
        let head = &self.heads[game];
        Line {
            size: head.size,
            first: head.first,
            stones: head.stones.to_vec(),
            moves: self.moves[head.from..][..head.len as usize].to_vec(),
        }
    }

    /// The data of a game besides its line.
    pub fn known(&self, game: usize) -> Known {
        let head = &self.heads[game];
        Known {
            source: head.source,
            komi: head.komi,
            rules: head.rules,
            result: head.result,
        }
    }

    /// Hash of a game's start and moves, invariant under symmetries.
    pub fn id(&self, game: usize) -> u64 {
        self.heads[game].id
    }

    /// The games of one part by board size, as `(width, height)`; `held_out` is the fraction of
    /// held-out games.
    pub fn part(&self, part: Part, held_out: f64) -> BTreeMap<(usize, usize), Vec<usize>> {
        let mut games: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (game, head) in self.heads.iter().enumerate() {
            if part_of(head.opening_id, held_out) == part {
                let size = (head.size.width(), head.size.height());
                games.entry(size).or_default().push(game);
            }
        }
        games
    }

    /// Digest of all games in their order.
    pub fn digest(&self) -> String {
        let mut digest = Sha256::new();
        for head in &self.heads {
            digest.update(head.id.to_le_bytes());
        }
        files::hexadecimal(&digest.finalize()[..8])
    }
}

/// Fraction of games held out where nothing else is said. All who share it leave out the same games.
pub const HELD_OUT: f64 = 0.05;

/// The part that a game with this beginning belongs to.
pub fn part_of(opening_id: u64, held_out: f64) -> Part {
    // Bits that no other choice depends on.
    let place = (opening_id >> 11) as f64 / (1u64 << 53) as f64;
    if place < held_out {
        Part::HeldOut
    } else {
        Part::Train
    }
}

#[derive(Default)]
struct Reader {
    collection: Collection,
    tally: Tally,
    pending: Vec<Record>,
    seen: HashSet<u64>,
}

impl Reader {
    fn read(&mut self, file: &Path, progress: &dyn Fn(usize)) -> Result<()> {
        sources::read(file, &mut |record| {
            if let Ok((facts, _)) = &record
                && let Some(remark) = &facts.remark
            {
                self.tally.remark(&facts.place, remark);
            }
            self.pending.push(record);
            if self.pending.len() >= CHUNK {
                self.flush();
                progress(self.collection.len());
            }
        })
    }

    /// Replays pending games on all cores, and adds them in order.
    fn flush(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let checked: Vec<_> = pending
            .into_par_iter()
            .map(|record| {
                let (facts, mut line) = record?;
                check(&facts, &mut line)?;
                let ids = [usize::MAX, OPENING].map(|moves| identity(&line, moves));
                Ok((ids, facts, line))
            })
            .collect();
        for game in checked {
            match game.and_then(|(ids, facts, line)| self.add(ids, facts, line)) {
                Ok(source) => self.tally.keep(&source),
                Err(skip) => self.tally.skip(skip),
            }
        }
    }

    /// Adds a game with the hashes of all its moves and of the first.
    fn add(
        &mut self,
        [id, opening_id]: [u64; 2],
        facts: GameFacts,
        line: Line,
    ) -> Result<String, Skip> {
        let skip = |reason| skipped(reason, &facts, String::new());
        if self.seen.contains(&id) {
            return Err(skip("seen before"));
        }
        if facts.source.len() > LONGEST_SOURCE {
            return Err(skip("source with a long name"));
        }
        let sources = &mut self.collection.sources;
        let known = sources.iter().position(|source| *source == facts.source);
        let source = known.unwrap_or(sources.len());
        let source_index = u8::try_from(source)
            .ok()
            .filter(|&index| index < MAX_SOURCES);
        let source_index = source_index.ok_or_else(|| skip("too many sources"))?;
        if known.is_none() {
            sources.push(facts.source.clone());
        }
        self.seen.insert(id);
        let moves = &mut self.collection.moves;
        self.collection.heads.push(Head {
            id,
            opening_id,
            size: line.size,
            first: line.first,
            stones: line.stones.into(),
            source: source_index,
            komi: facts.komi,
            rules: facts.rules,
            result: facts.result,
            from: moves.len(),
            len: line.moves.len() as u32,
        });
        moves.extend(line.moves);
        Ok(facts.source)
    }
}

fn skipped(reason: &'static str, facts: &GameFacts, detail: String) -> Skip {
    let place = &facts.place;
    Skip {
        reason,
        detail: match detail.is_empty() {
            true => place.clone(),
            false => format!("{place}: {detail}"),
        },
    }
}

/// Refuses games that cannot be replayed or are implausible, and cuts off moves after a game's end.
fn check(facts: &GameFacts, line: &mut Line) -> Result<(), Skip> {
    let skip = |reason, detail: String| skipped(reason, facts, detail);
    let first = line.moves.iter().take(facts.handicap);
    let are_played = first.clone().count() == facts.handicap
        && first.clone().all(|code| code.color() == Color::Black);
    if facts.handicap >= 2 && line.stones.is_empty() && !are_played {
        return Err(skip("handicap without stones", facts.handicap.to_string()));
    }
    if line.moves.len() > MAX_MOVES {
        return Err(skip("more than 4000 moves", String::new()));
    }
    let rules = facts.rules.unwrap_or(Rules::CHINESE);
    let start = line.start(rules, Komi::default());
    let mut position = start.map_err(|error| skip("impossible start", error.to_string()))?;
    for index in 0..line.moves.len() {
        if position.is_over() {
            line.moves.truncate(index);
            break;
        }
        let code = line.moves[index];
        let mv = code.decode(line.size);
        let played = mv.ok_or(IllegalMove::OffBoard);
        let played = played.and_then(|mv| position.play_reported(code.color(), mv));
        played.map_err(|reason| skip(illegal(reason), format!("move {}", index + 1)))?;
    }
    if line.moves.len() < MIN_MOVES {
        return Err(skip("fewer than 10 moves", String::new()));
    }
    Ok(())
}

fn illegal(reason: IllegalMove) -> &'static str {
    match reason {
        IllegalMove::OffBoard => "move off the board",
        IllegalMove::Occupied => "move on a stone",
        IllegalMove::Ko => "move against ko",
        IllegalMove::Suicide => "suicide of one stone",
        IllegalMove::Superko => "move against superko",
    }
}

/// Hash of the least of the eight images of a game's first `most` moves without passes at the end; it does not depend
/// on the build.
fn identity(line: &Line, most: usize) -> u64 {
    let is_move = |code: &MoveCode| code.decode(line.size) != Some(Move::Pass);
    let moves = line.moves.iter().rposition(is_move);
    let moves = &line.moves[..moves.map_or(0, |last| last + 1).min(most)];
    let image = |symmetry: Symmetry| {
        let size = symmetry.size(line.size);
        let turn = move |code: &MoveCode| {
            let mv = code.decode(line.size).expect("replayed before");
            MoveCode::new(size, code.color(), symmetry.apply(line.size, mv))
        };
        let mut stones: Vec<MoveCode> = line.stones.iter().map(turn).collect();
        stones.sort();
        let sides = (size.width() as u8, size.height() as u8);
        (sides, stones, moves.iter().map(turn).collect::<Vec<_>>())
    };
    let least = Symmetry::all().map(image).min();
    let ((width, height), stones, moves) = least.expect("there are eight");
    let mut bytes = vec![width, height, line.first as u8];
    bytes.extend((stones.len() as u16).to_le_bytes());
    for code in stones.iter().chain(&moves) {
        bytes.extend(code.0.to_le_bytes());
    }
    u64::from_le_bytes(files::sha256_prefix(&[&bytes]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_record_ends_does_not_change_its_side() {
        let size = BoardSize::square(9);
        let code = |(index, mv)| MoveCode::new(size, Color::BOTH[index % 2], mv);
        let line = |plays: usize, passes: usize| {
            let plays = size.points().take(plays).map(Move::Play);
            let moves = plays.chain(std::iter::repeat_n(Move::Pass, passes));
            Line {
                size,
                first: Color::BOTH[0],
                stones: Vec::new(),
                moves: moves.enumerate().map(code).collect(),
            }
        };
        let ids = |line: Line| [usize::MAX, OPENING].map(|most| identity(&line, most));
        let whole = ids(line(60, 0));
        assert_eq!(ids(line(60, 2)), whole);
        let shorter = ids(line(57, 0));
        assert_eq!(shorter[1], whole[1]);
        assert_ne!(shorter[0], whole[0]);
        assert_ne!(ids(line(39, 0))[1], whole[1]);
    }
}
