//! Files of a JSON object on each line, to which lines are added. A process that is killed loses at
//! most the line it was writing.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A file of lines.
#[derive(Debug)]
pub struct JsonLines {
    file: File,
}

impl JsonLines {
    /// Opens a file, or makes it, and gives its lines; nobody else can do so as long as it is open. A
    /// last line without end is cut off, any other line that cannot be read is an error.
    pub fn open<T: DeserializeOwned>(path: &Path) -> Result<(JsonLines, Vec<T>)> {
        let cannot = || format!("cannot use {}", path.display());
        let mut file = appended(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!("{} is in use", path.display()),
            Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(cannot)?;
        let len = bytes.iter().rposition(|&byte| byte == b'\n');
        let len = len.map_or(0, |last| last + 1);
        ensure!(
            bytes.get(len).is_none_or(|&first| first == b'{'),
            "{} is no file of JSON lines",
            path.display()
        );
        let lines = bytes[..len].split_inclusive(|&byte| byte == b'\n');
        let line = |(index, line)| {
            let of_file = || format!("{}, line {}", path.display(), index + 1);
            serde_json::from_slice(line).with_context(of_file)
        };
        let lines = lines.enumerate().map(line).collect::<Result<_>>()?;
        file.set_len(len as u64).with_context(cannot)?;
        Ok((JsonLines { file }, lines))
    }

    /// Opens a file, or makes it, and gives the lines it has. Lines that are not wanted are removed,
    /// and so are those that a crash has cut off. To be called by one process only.
    pub fn open_keeping(
        path: &Path,
        wanted: impl Fn(&Value) -> bool,
    ) -> Result<(JsonLines, Vec<Value>)> {
        let cannot = || format!("cannot use {}", path.display());
        let text = match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            read => read.with_context(cannot)?,
        };
        let mut kept = Vec::new();
        let mut values = Vec::new();
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let whole = line.strip_suffix(b"\n");
            let value = whole.and_then(|line| serde_json::from_slice(line).ok());
            if let Some(value) = value.filter(&wanted) {
                kept.extend(line);
                values.push(value);
            }
        }
        if kept != text {
            super::write_whole(path, &kept, true)?;
        }
        let file = appended(path)?;
        Ok((JsonLines { file }, values))
    }

    /// Adds a line, with one write.
    pub fn add(&mut self, value: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_string(value)?;
        line.push('\n');
        let written = self.file.write_all(line.as_bytes());
        written.context("cannot add a line")
    }
}

fn appended(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    let file = options.read(true).append(true).create(true).open(path);
    file.with_context(|| format!("cannot use {}", path.display()))
}
