//! Openings of board games: positions and game records from files, or random first moves.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::conditions::BoardOpening;
use crate::files;
use crate::games::board_game::{BoardGame, outcome};
use crate::games::record;
use crate::minimax::engine::{Engine, Task};
use crate::minimax::{Control, Limits, Score, Wanted};

/// Most openings that are drawn; then they are used again.
const MOST_DRAWN: usize = 10_000;
/// Largest score of either side after random moves, in hundredths.
const BALANCED: Score = 50;
/// Nodes of the search that finds the score.
const NODES: u64 = 500;
/// Attempts at an opening; if none is balanced and new, the most balanced is used.
const TRIES: usize = 40;

/// Openings, and where they come from in words.
pub struct Book<G: BoardGame> {
    /// At least one.
    pub openings: Vec<BoardOpening<G>>,
    /// For reports and for the log.
    pub source: String,
}

impl<G: BoardGame> Book<G> {
    /// Draws openings of `plies` random moves that leave neither side ahead. The first ones do not depend on
    /// `count`. An error if games do not last so long.
    pub fn random(initial: &G, plies: usize, count: usize, seed: u64) -> Result<Book<G>> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut engine = Engine::new(G::Evaluation::default(), 1);
        let mut seen = BTreeSet::new();
        let count = count.clamp(1, MOST_DRAWN);
        let openings = (1..=count).map(|number| {
            let mut best: Option<(Score, Vec<G::Move>, u64)> = None;
            for _ in 0..TRIES {
                let Some((moves, last)) = draw(initial, plies, &mut random) else {
                    continue;
                };
                let is_new = !seen.contains(&last.key());
                let score = match is_new {
                    true => lead(&mut engine, &last),
                    false => Score::MAX,
                };
                if best.as_ref().is_none_or(|best| score < best.0) {
                    best = Some((score, moves, last.key()));
                }
                if score <= BALANCED {
                    break;
                }
            }
            let (_, moves, key) = best.with_context(|| {
                format!("{TRIES} games by random moves ended within {plies} moves: ask for fewer")
            })?;
            seen.insert(key);
            Ok(BoardOpening {
                name: format!("random {number}"),
                start: initial.clone(),
                moves,
            })
        });
        Ok(Book {
            openings: openings.collect::<Result<_>>()?,
            source: format!("{plies} random moves, seed {seed}"),
        })
    }

    /// Reads a file: game records, or SGF whatever its name, of which `plies` moves are taken, if given; or a position
    /// on each line in the game's notation, of which what follows the position is ignored. Blank lines and lines that
    /// begin with `#` are too. With a seed their order is shuffled.
    pub fn read(
        path: &Path,
        initial: &G,
        plies: Option<usize>,
        shuffle: Option<u64>,
    ) -> Result<Book<G>> {
        let text = files::read_text(path)?;
        let extension = path.extension().unwrap_or_default();
        let has_records = extension.eq_ignore_ascii_case(G::RECORDS) || record::is_sgf(&text);
        let mut openings = match has_records {
            true => from_records(&text, initial, plies)?,
            false => {
                ensure!(
                    plies.is_none(),
                    "--plies is for game records, and this is a list of positions"
                );
                from_lines(&text, initial)?
            }
        };
        ensure!(!openings.is_empty(), "no openings in the file");
        let mut source = format!(
            "{} of {}, SHA-256 {}",
            openings.len(),
            path.file_name().unwrap_or_default().to_string_lossy(),
            &files::sha256(text.as_bytes())[..16]
        );
        if let Some(plies) = plies {
            source += &format!(", {plies} moves");
        }
        if let Some(seed) = shuffle {
            openings.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
            source += &format!(", shuffled by seed {seed}");
        }
        Ok(Book { openings, source })
    }
}

/// Random moves and the position after them; none if they end the game.
fn draw<G: BoardGame>(
    initial: &G,
    plies: usize,
    random: &mut ChaCha8Rng,
) -> Option<(Vec<G::Move>, G)> {
    let (mut position, mut made, mut list) = (initial.clone(), Vec::new(), Vec::new());
    for _ in 0..plies {
        list.clear();
        position.moves(Wanted::All, &mut list);
        if list.is_empty() {
            return None;
        }
        let mv = list[random.random_range(0..list.len())];
        made.push(mv);
        position.play(mv);
    }
    outcome(&position, &[])
        .is_none()
        .then_some((made, position))
}

/// By how much either side is ahead.
fn lead<G: BoardGame>(engine: &mut Engine<G::Evaluation>, position: &G) -> Score {
    let limits = Limits {
        nodes: Some(NODES),
        ..Limits::default()
    };
    engine.clear();
    let found = engine.search(Task::new(position), &limits, &Control::new(false), |_| ());
    found.best.map_or(0, |best| best.score.abs())
}

fn from_records<G: BoardGame>(
    text: &str,
    initial: &G,
    plies: Option<usize>,
) -> Result<Vec<BoardOpening<G>>> {
    let mut openings = Vec::new();
    for (index, text) in G::records(text).into_iter().enumerate() {
        let number = format!("game {}", index + 1);
        let (start, mut moves) = initial
            .another_record(text)
            .with_context(|| number.clone())?;
        ensure!(
            start.title() == initial.title(),
            "{number} is {}, not {}",
            start.title(),
            initial.title()
        );
        moves.truncate(plies.unwrap_or(usize::MAX));
        let name = record::tag(text, "Opening").unwrap_or(number);
        openings.push(checked(name, start, moves)?);
    }
    Ok(openings)
}

fn from_lines<G: BoardGame>(text: &str, initial: &G) -> Result<Vec<BoardOpening<G>>> {
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let number = format!("line {}", index + 1);
        let start = position(line, initial).with_context(|| number.clone())?;
        let id = line
            .split_once("id \"")
            .and_then(|(_, rest)| rest.split('"').next());
        openings.push(checked(
            id.map_or(number, str::to_owned),
            start,
            Vec::new(),
        )?);
    }
    Ok(openings)
}

/// A position, perhaps with counters, perhaps followed by something else as in EPD.
fn position<G: BoardGame>(line: &str, initial: &G) -> Result<G> {
    let line = line.split_once("id \"").map_or(line, |(before, _)| before);
    let line = line.split(';').next().unwrap_or_default().trim();
    let words: Vec<&str> = line.split_whitespace().collect();
    let whole = initial.another(line);
    // Never less than the game's own fields: what is wrong in one of them is no remark.
    let fields = initial.text().split_whitespace().count();
    let is_enough = |count: &usize| fields > 0 && *count >= fields.min(4);
    let shorter = [6, 4, 1].into_iter().filter(is_enough);
    let found = shorter
        .map(|count| initial.another(&words[..count.min(words.len())].join(" ")))
        .find_map(Result::ok);
    whole.or_else(|error| found.ok_or(error))
}

fn checked<G: BoardGame>(name: String, start: G, moves: Vec<G::Move>) -> Result<BoardOpening<G>> {
    let (mut position, mut history) = (start.clone(), Vec::new());
    for &mv in &moves {
        history.push(position.key());
        position.play(mv);
    }
    ensure!(
        outcome(&position, &history).is_none(),
        "{name}: the game is already over; --plies takes only the first moves of a record"
    );
    Ok(BoardOpening { name, start, moves })
}
