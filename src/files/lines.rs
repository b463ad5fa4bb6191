//! Files of a JSON object on each line, to which lines are added. A process that is killed loses at
//! most the line it was writing.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A file of lines that nobody else adds to as long as it is open.
#[derive(Debug)]
pub struct JsonLines {
    file: File,
}

impl JsonLines {
    /// Opens a file, or makes it, and gives its lines. A last line without end is cut off; any other
    /// line that cannot be read is an error.
    pub fn open<T: DeserializeOwned>(path: &Path) -> Result<(JsonLines, Vec<T>)> {
        let cannot = || format!("cannot use {}", path.display());
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = options.open(path).with_context(cannot)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!("{} is in use", path.display()),
            Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(cannot)?;
        let len = bytes.iter().rposition(|&byte| byte == b'\n');
        let len = len.map_or(0, |last| last + 1);
        file.set_len(len as u64).with_context(cannot)?;
        let lines = bytes[..len].split_inclusive(|&byte| byte == b'\n');
        let line = |(index, line)| {
            let of_file = || format!("{}, line {}", path.display(), index + 1);
            serde_json::from_slice(line).with_context(of_file)
        };
        let lines = lines.enumerate().map(line).collect::<Result<_>>()?;
        Ok((JsonLines { file }, lines))
    }

    /// Adds a line, with one write, and waits until it is stored.
    pub fn add(&mut self, value: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_string(value)?;
        line.push('\n');
        let written = self.file.write_all(line.as_bytes());
        let stored = written.and_then(|()| self.file.sync_data());
        stored.context("cannot add a line")
    }
}
