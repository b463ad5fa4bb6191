//! Opening files for matches.

use std::path::Path;

use anyhow::{Context, ensure};

use crate::arena::openings::Opening;
use crate::files;
use crate::formats::sgf;
use crate::go::BoardSize;

/// Reads openings for a board size. An SGF file is one opening. Any other file has on each line
/// either vertices, or the name of an SGF file relative to the file's folder, possibly followed by
/// a number of moves; blank lines and comments after `#` are ignored.
pub fn read(path: &Path, size: BoardSize) -> anyhow::Result<Vec<Opening>> {
    if is_sgf(path) {
        return Ok(vec![read_sgf(path, usize::MAX, size)?]);
    }
    let text = files::read_text(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if !line.is_empty() {
            let name = format!("line {}", index + 1);
            openings.push(read_line(&name, line, folder, size).context(name)?);
        }
    }
    ensure!(!openings.is_empty(), "no openings in the file");
    Ok(openings)
}

fn read_line(name: &str, line: &str, folder: &Path, size: BoardSize) -> anyhow::Result<Opening> {
    let with_count = line.rsplit_once(char::is_whitespace);
    let counted = with_count.and_then(|(file, moves)| Some((file.trim(), moves.parse().ok()?)));
    let (file, moves) = counted.unwrap_or((line, usize::MAX));
    if is_sgf(Path::new(file)) {
        return read_sgf(&folder.join(file), moves, size);
    }
    Opening::parse(name, line)
}

fn read_sgf(path: &Path, moves: usize, size: BoardSize) -> anyhow::Result<Opening> {
    let in_file = || path.display().to_string();
    let bytes = files::read_regular(path, files::TEXT_LIMIT)?;
    let record = sgf::parse(&bytes).with_context(in_file)?;
    let found = record.setup.size;
    ensure!(
        found == size,
        "{}: the board is {found}, not {size}",
        path.display()
    );
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(Opening::of_record(&name, &record, moves))
}

fn is_sgf(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("sgf"))
}
