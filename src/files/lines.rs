//! Append-only files with a JSON object per line. A killed process loses at most the line it was
//! writing. Each line ends with a checksum of the rest, which detects damage by the disk:
//! `{"game":...,"crc32c":"1f2e3d4c"}`; lines without one are accepted.

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::disk;
use super::lock::Locked;

/// Text before the eight digits of a checksum, and after them.
const SUM: (&[u8], &[u8]) = (b",\"crc32c\":\"", b"\"}");

/// A file of lines.
#[derive(Debug)]
pub struct JsonLines {
    path: PathBuf,
    file: Locked,
    /// Size of its complete lines.
    len: u64,
    /// Size of the removed rest.
    cut_off: usize,
    /// Whether a line that could not be written may follow them.
    is_torn: bool,
}

impl JsonLines {
    /// Opens or creates a file, and returns its lines; it is locked while open. What a crash or
    /// power failure can leave at the end, an incomplete line or zeros, is removed, see
    /// [`JsonLines::cut_off`]; any other unreadable line is an error.
    pub fn open<T: DeserializeOwned>(path: &Path) -> Result<(JsonLines, Vec<T>)> {
        let cannot = || format!("cannot use {}", path.display());
        let file = opened(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!("{} is in use", path.display()),
            Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
        }
        let mut file = Locked(file);
        let mut bytes = Vec::new();
        file.0.read_to_end(&mut bytes).with_context(cannot)?;
        let whole = whole_lines(&bytes);
        let (lines, tail) = bytes.split_at(whole);
        // A line that was begun here is never whole JSON of another kind.
        let is_begun = tail.first().is_none_or(|first| b"{\0".contains(first))
            && (serde_json::from_slice::<Value>(tail).is_err() || parsed::<T>(tail).is_ok());
        ensure!(is_begun, "{} is no file of JSON lines", path.display());
        let line = |(index, line)| -> Result<T> {
            let of_file = || format!("{}, line {}", path.display(), index + 1);
            parsed(line).with_context(of_file)
        };
        let lines = lines.split_inclusive(|&byte| byte == b'\n').enumerate();
        let lines = lines.map(line).collect::<Result<_>>()?;
        if !tail.is_empty() {
            disk::set_len(&file.0, whole as u64).with_context(cannot)?;
        }
        let opened = JsonLines {
            path: path.to_owned(),
            file,
            len: whole as u64,
            cut_off: tail.len(),
            is_torn: false,
        };
        Ok((opened, lines))
    }

    /// Opens or creates a file, and returns its lines. Unwanted lines are removed, and so are
    /// damaged ones. To be called by one process only.
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
            let value: Option<Value> = whole.and_then(|line| parsed(line).ok());
            if let Some(value) = value.filter(&wanted) {
                kept.extend(line);
                values.push(value);
            }
        }
        if kept != text {
            super::write_whole(path, &kept, true)?;
        }
        let lines = JsonLines {
            path: path.to_owned(),
            file: Locked(opened(path)?),
            len: kept.len() as u64,
            cut_off: 0,
            is_torn: false,
        };
        Ok((lines, values))
    }

    /// Size of the incomplete end that was removed when the file was opened.
    pub fn cut_off(&self) -> usize {
        self.cut_off
    }

    /// Appends a line and waits until it is on the disk. After an error the file ends with the
    /// previous line, so that later lines do not continue a partial one.
    pub fn add(&mut self, value: &impl Serialize) -> Result<()> {
        let line = with_sum(serde_json::to_string(value)?) + "\n";
        let written = self.write(line.as_bytes());
        if written.is_err() {
            // If this fails too, it is tried again before the next line, or when the file is opened again.
            self.is_torn = disk::set_len(&self.file.0, self.len).is_err();
        }
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let file = &mut self.file.0;
        if self.is_torn {
            disk::set_len(file, self.len)?;
            self.is_torn = false;
        }
        file.seek(SeekFrom::Start(self.len))?;
        disk::write_all(file, line)?;
        disk::sync(file)?;
        self.len += line.len() as u64;
        Ok(())
    }
}

/// Not in append mode, in which Windows would not let it be cut off.
fn opened(path: &Path) -> Result<File> {
    ensure!(
        fs::metadata(path).map_or(true, |metadata| metadata.is_file()),
        "cannot use {}: not a regular file",
        path.display()
    );
    let mut options = OpenOptions::new();
    let file = options
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path);
    file.with_context(|| format!("cannot use {}", path.display()))
}

/// Size of the lines up to the last complete one. After a power failure any part of the last line
/// may be missing or zero.
fn whole_lines(bytes: &[u8]) -> usize {
    let end = |bytes: &[u8]| bytes.iter().rposition(|&byte| byte == b'\n');
    let Some(last) = end(bytes) else {
        return 0;
    };
    let begin = end(&bytes[..last]).map_or(0, |end| end + 1);
    match bytes[begin..last].contains(&0) {
        true => begin,
        false => last + 1,
    }
}

/// Parses a line. It is an error if its checksum is wrong.
fn parsed<T: DeserializeOwned>(line: &[u8]) -> Result<T> {
    Ok(serde_json::from_slice(&without_sum(line)?)?)
}

/// An object's text with its checksum as the last member.
fn with_sum(object: String) -> String {
    match object.strip_suffix('}').filter(|members| *members != "{") {
        None => object,
        Some(members) => {
            let [before, after] = [SUM.0, SUM.1].map(String::from_utf8_lossy);
            let sum = crc32c::crc32c(object.as_bytes());
            format!("{members}{before}{sum:08x}{after}")
        }
    }
}

/// The text before [`with_sum`]. It is an error if it has changed since.
fn without_sum(line: &[u8]) -> Result<Cow<'_, [u8]>> {
    let line = line.trim_ascii_end();
    let sum = line.strip_suffix(SUM.1).and_then(|rest| {
        let (rest, digits) = rest.split_at_checked(rest.len().checked_sub(8)?)?;
        Some((rest.strip_suffix(SUM.0)?, digits))
    });
    let Some((members, digits)) = sum else {
        return Ok(line.into());
    };
    let object = [members, b"}"].concat();
    ensure!(
        format!("{:08x}", crc32c::crc32c(&object)).as_bytes() == digits,
        "its checksum is that of another text: the file is damaged, or was changed; remove the line, or \
         its \"crc32c\" if the change was meant"
    );
    Ok(object.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::faults::{self, Failing};

    #[test]
    fn half_lines_and_zeros_are_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.jsonl");
        for tail in ["{\"game\":", "\0\0\0\0"] {
            fs::write(&path, format!("{{\"a\":1}}\n{tail}")).unwrap();
            let (mut lines, found) = JsonLines::open::<Value>(&path).unwrap();
            assert_eq!((found.len(), lines.cut_off()), (1, tail.len()));
            lines.add(&serde_json::json!({"b": 2})).unwrap();
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(text, "{\"a\":1}\n{\"b\":2,\"crc32c\":\"b323cd07\"}\n");
        }
    }

    #[test]
    fn a_file_of_other_json_is_left_alone() {
        #[derive(Debug, serde::Deserialize)]
        struct Known {
            #[expect(dead_code, reason = "it need only be there")]
            number: u32,
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        fs::write(&path, "{\"a\":1}").unwrap();
        let refused = JsonLines::open::<Known>(&path).unwrap_err();
        assert!(refused.to_string().contains("no file of JSON lines"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\":1}");
        // A line that lacks its end only is one of ours.
        fs::write(&path, "{\"number\":1}").unwrap();
        let (lines, found) = JsonLines::open::<Known>(&path).unwrap();
        assert_eq!((found.len(), lines.cut_off()), (0, 12));
    }

    #[test]
    fn a_closed_file_is_free_though_a_process_being_started_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.jsonl");
        let open = || JsonLines::open::<Value>(&path);
        let (lines, _) = open().unwrap();
        // Shares the lock, as what a process inherits does.
        let inherited = lines.file.0.try_clone().unwrap();
        assert!(open().is_err());
        drop(lines);
        assert!(open().is_ok());
        drop(inherited);
    }

    #[test]
    fn changed_lines_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.jsonl");
        let (mut lines, _) = JsonLines::open::<Value>(&path).unwrap();
        lines.add(&serde_json::json!({"a": 1})).unwrap();
        lines.add(&serde_json::json!({"b": "}"})).unwrap();
        drop(lines);
        let (_, found) = JsonLines::open::<Value>(&path).unwrap();
        assert_eq!(
            found,
            [serde_json::json!({"a": 1}), serde_json::json!({"b": "}"})]
        );
        let text = fs::read_to_string(&path).unwrap().replace(":1", ":2");
        fs::write(&path, text).unwrap();
        let error = JsonLines::open::<Value>(&path).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.contains("line 1: its checksum"), "{error}");
        let (_, found) = JsonLines::open_keeping(&path, |_| true).unwrap();
        assert_eq!(found, [serde_json::json!({"b": "}"})]);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.jsonl");
        let (mut lines, _) = JsonLines::open::<Value>(&path).unwrap();
        let add = || lines.add(&serde_json::json!({"a": 1}));
        let (added, _) = faults::with(Failing::Only(0), add);
        let error = format!("{:#}", added.unwrap_err());
        let expected = format!("cannot write {}: ", path.display());
        assert!(error.starts_with(&expected), "{error}");
    }

    /// Confirmed lines are there, failed ones are not, and later lines can be added.
    #[test]
    fn lines_survive_each_failing_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.jsonl");
        let begin = || {
            fs::write(&path, "{\"n\":0}\n{\"n\":").unwrap();
            let (mut lines, _) = JsonLines::open::<Value>(&path)?;
            let added = (1..5u64).filter(|n| lines.add(&serde_json::json!({"n": n})).is_ok());
            anyhow::Ok(added.collect::<Vec<_>>())
        };
        faults::each(begin, |added, failing| {
            let mut expected = vec![0];
            expected.extend(added.unwrap_or_default());
            let (mut lines, found) = JsonLines::open::<Value>(&path).unwrap();
            let found: Vec<_> = found.iter().filter_map(|line| line["n"].as_u64()).collect();
            // If not even truncation succeeds, the unconfirmed line may be there.
            let surplus = usize::from(matches!(failing, Failing::From(_)));
            assert!(found.starts_with(&expected), "{failing:?}: {found:?}");
            assert!(
                found.len() <= expected.len() + surplus,
                "{failing:?}: {found:?}"
            );
            lines.add(&serde_json::json!({"n": 5})).unwrap();
            drop(lines);
            assert_eq!(
                JsonLines::open::<Value>(&path).unwrap().1.len(),
                found.len() + 1
            );
        });
    }
}
