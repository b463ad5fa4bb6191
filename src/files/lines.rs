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
    /// Bytes of its whole lines.
    len: u64,
}

impl JsonLines {
    /// Opens a file, or makes it, and gives its lines; nobody else can do so as long as it is open. A
    /// last line without end is cut off, and so are the zeros that a loss of power can leave there; any other line that cannot be read is an error.
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
            bytes.get(len).is_none_or(|first| b"{\0".contains(first)),
            "{} is no file of JSON lines",
            path.display()
        );
        let lines = bytes[..len].split_inclusive(|&byte| byte == b'\n');
        let line = |(index, line)| {
            let of_file = || format!("{}, line {}", path.display(), index + 1);
            serde_json::from_slice(line).with_context(of_file)
        };
        let lines = lines.enumerate().map(line).collect::<Result<_>>()?;
        let len = len as u64;
        file.set_len(len).with_context(cannot)?;
        Ok((JsonLines { file, len }, lines))
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
        let len = kept.len() as u64;
        Ok((JsonLines { file, len }, values))
    }

    /// Adds a line and waits until it is on the disk. After an error the file ends with the line
    /// before, so that what is added later does not go on with half a line.
    pub fn add(&mut self, value: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_string(value)?;
        line.push('\n');
        let written = self.file.write_all(line.as_bytes());
        if let Err(error) = written.and_then(|()| self.file.sync_data()) {
            // If this fails too, the next who opens the file cuts the line off.
            self.file.set_len(self.len).unwrap_or_default();
            return Err(error).context("cannot add a line");
        }
        self.len += line.len() as u64;
        Ok(())
    }
}

fn appended(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    let file = options.read(true).append(true).create(true).open(path);
    file.with_context(|| format!("cannot use {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_lines_and_zeros_are_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.jsonl");
        for tail in ["{\"game\":", "\0\0\0\0"] {
            fs::write(&path, format!("{{\"a\":1}}\n{tail}")).unwrap();
            let (mut lines, found) = JsonLines::open::<Value>(&path).unwrap();
            assert_eq!(found.len(), 1);
            lines.add(&serde_json::json!({"b": 2})).unwrap();
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(text, "{\"a\":1}\n{\"b\":2}\n");
        }
    }
}
