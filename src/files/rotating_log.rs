//! A log of bounded size: a full file is renamed, and the oldest goes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::make_folder;

/// A file to which lines are added, with some full ones before it: `FILE.1` is the latest of them.
#[derive(Debug)]
pub struct RotatingLog {
    path: PathBuf,
    file: File,
    size: u64,
    /// Size from which a file is full.
    limit: u64,
    /// Number of full files that are kept.
    kept: usize,
}

impl RotatingLog {
    /// Opens or creates a file, with its folder.
    pub fn open(path: &Path, limit: u64, kept: usize) -> Result<RotatingLog> {
        let folder = path.parent().unwrap_or(Path::new(""));
        if folder != Path::new("") {
            make_folder(folder)?;
        }
        let cannot = || format!("cannot log to {}", path.display());
        let file = appended(path).with_context(cannot)?;
        Ok(RotatingLog {
            path: path.to_owned(),
            size: file.metadata().with_context(cannot)?.len(),
            file,
            limit,
            kept,
        })
    }

    /// Adds a line in one piece.
    pub fn add(&mut self, line: &str) -> io::Result<()> {
        if self.size >= self.limit {
            self.rotate()?;
        }
        let bytes = format!("{line}\n");
        self.file.write_all(bytes.as_bytes())?;
        self.size += bytes.len() as u64;
        Ok(())
    }

    /// Renames the full files, unless another process that logs there has done so.
    fn rotate(&mut self) -> io::Result<()> {
        self.reopen()?;
        if self.size < self.limit {
            return Ok(());
        }
        for number in (1..=self.kept).rev() {
            let newer = match number {
                1 => self.path.clone(),
                _ => numbered(&self.path, number - 1),
            };
            if newer.exists() {
                fs::rename(newer, numbered(&self.path, number))?;
            }
        }
        self.reopen()
    }

    fn reopen(&mut self) -> io::Result<()> {
        self.file = appended(&self.path)?;
        self.size = self.file.metadata()?.len();
        Ok(())
    }
}

fn appended(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

fn numbered(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_files_are_kept_up_to_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logs/keima.log");
        let mut log = RotatingLog::open(&path, 10, 2).unwrap();
        for number in 1..=7 {
            log.add(&format!("line {number}")).unwrap();
        }
        let read = |name: &str| fs::read_to_string(folder.path().join("logs").join(name)).ok();
        assert_eq!(read("keima.log").unwrap(), "line 7\n");
        assert_eq!(read("keima.log.1").unwrap(), "line 5\nline 6\n");
        assert_eq!(read("keima.log.2").unwrap(), "line 3\nline 4\n");
        assert_eq!(read("keima.log.3"), None);
        let mut again = RotatingLog::open(&path, 10, 2).unwrap();
        again.add("line 8").unwrap();
        assert_eq!(read("keima.log").unwrap(), "line 7\nline 8\n");
        let mut other = RotatingLog::open(&path, 10, 2).unwrap();
        again.add("line 9").unwrap();
        other.add("line 10").unwrap();
        assert_eq!(read("keima.log").unwrap(), "line 9\nline 10\n");
        assert_eq!(read("keima.log.1").unwrap(), "line 7\nline 8\n");
    }
}
