//! The log of a session: what the controller sends and gets, with times, and the remarks.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::ValueEnum;

use crate::console::tell;
use crate::files::rotating_log::RotatingLog;
use crate::formats::date;
use crate::threads::locked;

/// Size from which a file of the log is full.
const LIMIT: u64 = 10 << 20;

/// Full files that are kept.
const KEPT: usize = 3;

/// Longest part of a line that is logged, in bytes.
const LONGEST: usize = 4096;

/// What is logged; each level contains those before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum LogLevel {
    /// What the engine also writes to stderr
    Remarks,
    /// Commands and responses too, without the lines of a running analysis
    #[default]
    Commands,
    /// All lines
    All,
}

/// A log that several writers share.
#[derive(Clone)]
pub struct SessionLog {
    /// None after something could not be written.
    file: Arc<Mutex<Option<RotatingLog>>>,
    level: LogLevel,
}

impl SessionLog {
    /// Opens a file, to which lines are added.
    pub fn open(path: &Path, level: LogLevel) -> Result<SessionLog> {
        let file = RotatingLog::open(path, LIMIT, KEPT)?;
        Ok(SessionLog {
            file: Arc::new(Mutex::new(Some(file))),
            level,
        })
    }

    /// Logs a remark.
    pub fn remark(&self, remark: &str) {
        self.add('!', remark);
    }

    /// Logs a line of the protocol: `>` to the engine, `<` from it.
    fn line(&self, direction: char, line: &str) {
        let least = match line.starts_with("info ") {
            true => LogLevel::All,
            false => LogLevel::Commands,
        };
        if self.level >= least && !line.is_empty() {
            self.add(direction, line);
        }
    }

    fn add(&self, mark: char, line: &str) {
        let mut file = locked(&self.file);
        let process = std::process::id();
        let time = time_text(SystemTime::now());
        let written = file
            .as_mut()
            .map(|file| file.add(&format!("{time} [{process}] {mark} {line}")));
        if let Some(Err(error)) = written {
            *file = None;
            tell(format_args!("cannot log any more: {error}"));
        }
    }
}

/// Input or output whose lines are logged as they pass.
pub struct Logged<T> {
    inner: T,
    log: Option<SessionLog>,
    direction: char,
    /// The beginning of a line.
    pending: Vec<u8>,
}

impl<T> Logged<T> {
    /// What the engine reads.
    pub fn input(inner: T, log: Option<SessionLog>) -> Logged<T> {
        Logged {
            inner,
            log,
            direction: '>',
            pending: Vec::new(),
        }
    }

    /// What the engine writes.
    pub fn output(inner: T, log: Option<SessionLog>) -> Logged<T> {
        Logged {
            direction: '<',
            ..Logged::input(inner, log)
        }
    }

    fn note(&mut self, bytes: &[u8]) {
        let Some(log) = &self.log else {
            return;
        };
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            let room = LONGEST - self.pending.len().min(LONGEST);
            self.pending.extend(part.iter().take(room));
            if part.ends_with(b"\n") {
                let line = String::from_utf8_lossy(&self.pending);
                log.line(self.direction, line.trim_end());
                self.pending.clear();
            }
        }
    }
}

impl<T: Read> Read for Logged<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.note(&buffer[..count]);
        Ok(count)
    }
}

impl<T: Write> Write for Logged<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.note(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Coordinated universal time, as `2026-01-31 23:59:59.999`.
fn time_text(time: SystemTime) -> String {
    let since_1970 = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = since_1970.as_secs();
    let day = date::text(time, '-');
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let milliseconds = since_1970.subsec_millis();
    format!("{day} {hour:02}:{minute:02}:{second:02}.{milliseconds:03}")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_dates_of_the_calendar() {
        let text =
            |seconds, nanoseconds| time_text(UNIX_EPOCH + Duration::new(seconds, nanoseconds));
        assert_eq!(text(0, 0), "1970-01-01 00:00:00.000");
        assert_eq!(text(951_782_399, 0), "2000-02-28 23:59:59.000");
        assert_eq!(text(951_782_400, 500_000_000), "2000-02-29 00:00:00.500");
        assert_eq!(text(1_735_689_599, 0), "2024-12-31 23:59:59.000");
        assert_eq!(text(4_107_542_400, 0), "2100-03-01 00:00:00.000");
    }

    #[test]
    fn lines_are_logged_by_level() {
        let marks = |level| -> String {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log");
            let log = SessionLog::open(&path, level).unwrap();
            log.remark("starting");
            let mut input = Logged::input(&b"name\ngenmove b"[..], Some(log.clone()));
            io::read_to_string(&mut input).unwrap();
            let mut output = Logged::output(Vec::new(), Some(log));
            output.write_all(b"= kei").unwrap();
            output.write_all(b"ma\n\ninfo move D4\n").unwrap();
            assert_eq!(output.inner, b"= keima\n\ninfo move D4\n");
            let text = fs::read_to_string(&path).unwrap();
            text.lines()
                .map(|line| format!("{};", line.split("] ").nth(1).unwrap()))
                .collect()
        };
        assert_eq!(marks(LogLevel::Remarks), "! starting;");
        assert_eq!(marks(LogLevel::Commands), "! starting;> name;< = keima;");
        assert_eq!(
            marks(LogLevel::All),
            "! starting;> name;< = keima;< info move D4;"
        );
    }
}
