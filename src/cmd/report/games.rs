//! Examples of self-play games: the final board, and the record for download.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use maud::{Markup, html};

use crate::console::tell;
use crate::data::generations::{generations, parts};
use crate::formats::html::href;
use crate::formats::{board_svg, rules_json, sgf};
use crate::go::{GameRecord, Position};

/// First characters of each record.
const BEGIN: &str = "(;FF[4]";
/// Number of generations with examples, from the first to the last.
const GENERATIONS: usize = 4;

/// A game.
pub struct Shown {
    /// Folder of the games.
    generation: String,
    number: usize,
    text: String,
    record: GameRecord,
    end: Position,
}

/// Games from some generations of each folder.
pub fn of(runs: &[PathBuf], count: usize) -> Result<Vec<Shown>> {
    let mut shown = Vec::new();
    for run in runs {
        let folder = run.join("games");
        if !folder.is_dir() || count == 0 {
            continue;
        }
        let mut all = generations(&folder)?;
        all.retain(|generation| parts(generation).is_ok_and(|parts| !parts.is_empty()));
        let chosen = spread(all.len(), GENERATIONS.min(count));
        let each = count.div_ceil(chosen.len().max(1));
        for index in chosen {
            match of_generation(&all[index], each) {
                Ok(games) => shown.extend(games),
                Err(error) => tell(format_args!("{error:#}: its games are not shown")),
            }
        }
    }
    Ok(shown)
}

/// Evenly spread indices including the first and the last.
pub fn spread(all: usize, count: usize) -> Vec<usize> {
    let (count, last) = (count.min(all), all.saturating_sub(1));
    match count {
        1 => vec![last],
        _ => (0..count).map(|index| index * last / (count - 1)).collect(),
    }
}

/// Games of the last part.
fn of_generation(generation: &Path, count: usize) -> Result<Vec<Shown>> {
    let name = generation.file_name().unwrap_or_default().to_string_lossy();
    let Some(part) = parts(generation)?.pop() else {
        return Ok(Vec::new());
    };
    let file = part.with_extension("sgf.gz");
    let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut text = String::new();
    let read = GzDecoder::new(&bytes[..]).read_to_string(&mut text);
    read.with_context(|| format!("damaged: {}", file.display()))?;
    let records: Vec<&str> = text.split(BEGIN).skip(1).collect();
    let mut shown = Vec::new();
    for index in spread(records.len(), count) {
        let text = format!("{BEGIN}{}", records[index]);
        let record = sgf::parse(text.as_bytes())?;
        let end = record.position()?;
        shown.push(Shown {
            generation: name.clone().into_owned(),
            number: index + 1,
            text,
            record,
            end,
        });
    }
    Ok(shown)
}

/// The section of the page; empty without games.
pub fn markup(games: &[Shown]) -> Markup {
    html! {
        @if !games.is_empty() {
            h2 { "Games" }
            p.note { "Some games of self-play, from the first generation to the last. Numbers: moves." }
            div.boards { @for game in games { (figure(game)) } }
        }
    }
}

fn figure(game: &Shown) -> Markup {
    let record = &game.record;
    let result = record
        .result
        .map_or("?".to_owned(), |result| result.to_string());
    let file = format!("{}-{}.sgf", game.generation, game.number);
    html! {
        figure {
            (board_svg::numbered(game.end.board(), &record.moves))
            figcaption {
                b { (game.generation) } ": " (result) ", " (record.moves.len()) " moves, komi "
                (record.setup.komi) ", " (rules_json::in_words(&record.setup.rules)) ", "
                a download=(file) href=(format!("data:application/x-go-sgf,{}", href(&game.text))) {
                    "SGF"
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_are_among_some() {
        assert_eq!(spread(10, 4), [0, 3, 6, 9]);
        assert_eq!(spread(2, 4), [0, 1]);
        assert_eq!(spread(10, 1), [9]);
        assert!(spread(0, 4).is_empty());
    }

    #[test]
    fn text_survives_in_a_link() {
        assert_eq!(href("(;C[a b%])\n"), "%28%3BC%5Ba%20b%25%5D%29%0A");
    }
}
