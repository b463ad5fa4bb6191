//! Games from files: SGF, one game per file (`.sgf`), tables (`.tsv`), both also gzipped, and
//! folders of them. Records are streamed; unreadable ones become a [`Skip`].

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use flate2::read::MultiGzDecoder;

use crate::files;
use crate::formats::sgf::{self, ReadOptions};
use crate::go::{GameRecord, GameResult, Komi, Move, Rules};

use super::line::{Line, MAX_AREA, MoveCode};
use super::tally::Skip;
use super::tsv::Columns;

/// Maximal size of a game record or of a line of a table.
const MAX_RECORD: u64 = 1 << 22;
/// Komi values that mean "not recorded" in SGF files.
const UNSTATED: i32 = Komi::MAX_HALF as i32;

/// Rules that no file states, since only area scoring has a button.
const UNSTATED_RULES: Rules = Rules {
    has_button: true,
    ..Rules::JAPANESE
};

/// Data of a game besides its moves.
#[derive(Clone, Debug, PartialEq)]
pub struct GameFacts {
    /// Its source: the `source` column of a table, `sgf` for game records.
    pub source: String,
    /// The file, and the line of a table.
    pub place: String,
    /// As recorded, if known.
    pub komi: Option<Komi>,
    /// As recorded, if known.
    pub rules: Option<Rules>,
    /// As recorded, by default 0.
    pub handicap: usize,
    /// As recorded.
    pub result: Option<GameResult>,
    /// The first anomaly of the record, if any.
    pub remark: Option<String>,
}

/// An item of a file: a game not yet replayed, or the reason to skip it.
pub type Record = Result<(GameFacts, Line), Skip>;

/// The files of a list of files and folders, in order; folders are sorted by name. Files of other
/// types are ignored in folders; given by name they are an error.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            let files = files::files_below(path)?.into_iter();
            found.extend(files.filter(|file| kind(file).is_some()));
        } else if kind(path).is_some() {
            found.push(path.clone());
        } else {
            bail!(
                "{} is neither a folder nor a file named .sgf or .tsv, with or without .gz",
                path.display()
            );
        }
    }
    Ok(found)
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Sgf,
    Table,
}

/// The type of a file, by its name.
fn kind(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    match name
        .strip_suffix(".gz")
        .unwrap_or(&name)
        .rsplit_once('.')?
        .1
    {
        "sgf" => Some(Kind::Sgf),
        "tsv" => Some(Kind::Table),
        _ => None,
    }
}

/// Calls `take` with each record of a file. An unreadable file is an error; damage in the middle of
/// it is a skip, and earlier records count.
pub fn read(path: &Path, take: &mut dyn FnMut(Record)) -> Result<()> {
    let file = BufReader::new(files::open_regular(path, u64::MAX)?);
    let file: Box<dyn Read> = if is_zipped(path) {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    match kind(path) {
        Some(Kind::Table) => read_table(path, file, take),
        _ => take(read_sgf(path, file)),
    }
    Ok(())
}

fn is_zipped(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}

fn read_sgf(path: &Path, file: impl Read) -> Record {
    let skip = |reason, detail: String| Skip {
        reason,
        detail: format!("{}: {detail}", path.display()),
    };
    let mut bytes = Vec::new();
    let read = file.take(MAX_RECORD + 1).read_to_end(&mut bytes);
    read.map_err(|error| skip("damaged file", error.to_string()))?;
    if bytes.len() as u64 > MAX_RECORD {
        return Err(skip("too large", format!("more than {MAX_RECORD} bytes")));
    }
    let options = ReadOptions {
        komi: Komi::from_half(UNSTATED),
        rules: UNSTATED_RULES,
        ..ReadOptions::default()
    };
    let reading = sgf::read(&bytes, &options);
    let reading = reading.map_err(|error| skip("unreadable game record", format!("{error:#}")))?;
    let record = &reading.record;
    if record.setup.size.area() > MAX_AREA {
        return Err(skip("board size", record.setup.size.to_string()));
    }
    let remark = reading.remarks.first().map(ToString::to_string);
    Ok(of_record(path, record, remark))
}

fn of_record(path: &Path, record: &GameRecord, remark: Option<String>) -> (GameFacts, Line) {
    let setup = &record.setup;
    let code = |color, mv| MoveCode::new(setup.size, color, mv);
    let stone = |&(point, color)| code(color, Move::Play(point));
    let line = Line {
        size: setup.size,
        first: setup.to_move,
        stones: setup.stones.iter().map(stone).collect(),
        moves: record
            .moves
            .iter()
            .map(|&(color, mv)| code(color, mv))
            .collect(),
    };
    let facts = GameFacts {
        source: "sgf".to_owned(),
        place: path.display().to_string(),
        komi: Some(setup.komi).filter(|komi| komi.half() != UNSTATED),
        rules: Some(setup.rules).filter(|&rules| rules != UNSTATED_RULES),
        handicap: record.handicap,
        result: record.result,
        remark,
    };
    (facts, line)
}

fn read_table(path: &Path, file: impl Read, take: &mut dyn FnMut(Record)) {
    let mut file = BufReader::new(file);
    let mut columns = None;
    let unzipped = match is_zipped(path) {
        true => path.with_extension(""),
        false => path.to_owned(),
    };
    let name = unzipped.file_stem().unwrap_or_default().to_string_lossy();
    for number in 1.. {
        let place = || format!("{} line {number}", path.display());
        let skip = |reason, detail: &dyn ToString| {
            Err(Skip {
                reason,
                detail: format!("{}: {}", place(), detail.to_string()),
            })
        };
        let mut bytes = Vec::new();
        match (&mut file).take(MAX_RECORD).read_until(b'\n', &mut bytes) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) => return take(skip("damaged file", &error)),
        }
        let Ok(line) = str::from_utf8(&bytes) else {
            take(skip("unreadable line", &"not UTF-8"));
            continue;
        };
        let line = line.trim_end_matches(['\n', '\r']);
        match &columns {
            _ if line.is_empty() => {}
            None => match Columns::of(line) {
                Some(found) => columns = Some(found),
                None => return take(skip("no table of games", &"no columns size and moves")),
            },
            Some(columns) => take(columns.read(line, &name, place())),
        }
    }
}
