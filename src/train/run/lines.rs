//! Files of a JSON object on each line, to which lines are added.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::files;

/// A file of lines.
#[derive(Debug)]
pub struct JsonLines {
    file: File,
}

impl JsonLines {
    /// Opens a file, or makes it, and gives the lines it has. Lines that are not wanted are removed,
    /// and so are those that a crash has cut off.
    pub fn open(path: &Path, wanted: impl Fn(&Value) -> bool) -> Result<(JsonLines, Vec<Value>)> {
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
            files::write_whole(path, &kept, true)?;
        }
        let mut options = OpenOptions::new();
        let file = options.append(true).create(true).open(path);
        let file = file.with_context(cannot)?;
        Ok((JsonLines { file }, values))
    }

    /// Adds a line, with one write.
    pub fn add(&mut self, value: &Value) -> Result<()> {
        let line = format!("{value}\n");
        let written = self.file.write_all(line.as_bytes());
        written.context("cannot add a line")
    }
}
