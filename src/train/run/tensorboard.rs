//! Event files in TensorBoard's format.
//!
//! A record is the length of an event (u64), a checksum of that, the event, and a checksum of it;
//! all little endian. Events are protocol buffers, of which only these fields are written:
//! `wall_time` 1, `step` 2, `file_version` 3, `summary` 5 with values (1) of `tag` 1 and
//! `simple_value` 2, and `session_log` 7 with `status` 1, which makes TensorBoard discard later
//! steps.
//! (<https://github.com/tensorflow/tensorboard/blob/master/tensorboard/compat/proto/event.proto>)

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// The file version in the first event.
const FILE_VERSION: &str = "brain.Event:2";
/// Status of a starting session.
const STARTED: u64 = 1;
/// Checksums are masked (rotated, and this is added), since a checksum of data with checksums is
/// weak.
const MASK: u32 = 0xa282_ead8;

/// Wire types of protocol buffers.
const VARINT: u8 = 0;
const DOUBLE: u8 = 1;
const BYTES: u8 = 2;
const FLOAT: u8 = 5;

/// An event file open for appending.
#[derive(Debug)]
pub struct EventFile {
    file: File,
}

impl EventFile {
    /// Creates a file in a folder, which is created if needed. `time` is in seconds since 1970;
    /// TensorBoard then ignores what other files of the folder say of later steps.
    pub fn create(folder: &Path, time: f64, step: u64) -> Result<EventFile> {
        let cannot = || format!("cannot write events in {}", folder.display());
        fs::create_dir_all(folder).with_context(cannot)?;
        let name = format!(
            "events.out.tfevents.{:010}.{}.keima",
            time as u64,
            std::process::id()
        );
        let mut options = OpenOptions::new();
        let file = options.append(true).create(true).open(folder.join(name));
        let mut events = EventFile {
            file: file.with_context(cannot)?,
        };
        let mut version = event_header(time, 0);
        put_bytes(&mut version, 3, FILE_VERSION.as_bytes());
        events.put(&version)?;
        let mut session = Vec::new();
        put_varint(&mut session, 1, STARTED);
        let mut started = event_header(time, step);
        put_bytes(&mut started, 7, &session);
        events.put(&started)?;
        Ok(events)
    }

    /// Adds values, each with its tag.
    pub fn add<'a>(
        &mut self,
        time: f64,
        step: u64,
        values: impl Iterator<Item = (&'a str, f64)>,
    ) -> Result<()> {
        let mut summary = Vec::new();
        for (tag, value) in values {
            let mut entry = Vec::new();
            put_bytes(&mut entry, 1, tag.as_bytes());
            entry.push(2 << 3 | FLOAT);
            entry.extend((value as f32).to_le_bytes());
            put_bytes(&mut summary, 1, &entry);
        }
        let mut event = event_header(time, step);
        put_bytes(&mut event, 5, &summary);
        self.put(&event)
    }

    /// In one write, so that a crash of the process leaves no partial record.
    fn put(&mut self, event: &[u8]) -> Result<()> {
        let length = (event.len() as u64).to_le_bytes();
        let mut record = length.to_vec();
        record.extend(checksum(&length).to_le_bytes());
        record.extend(event);
        record.extend(checksum(event).to_le_bytes());
        self.file.write_all(&record).context("cannot write events")
    }
}

/// Masked checksum of a part of a record.
pub fn checksum(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(MASK)
}

/// Fields of every event.
fn event_header(time: f64, step: u64) -> Vec<u8> {
    let mut event = vec![1 << 3 | DOUBLE];
    event.extend(time.to_le_bytes());
    put_varint(&mut event, 2, step);
    event
}

fn put_varint(message: &mut Vec<u8>, field: u8, value: u64) {
    message.push(field << 3 | VARINT);
    varint(message, value);
}

fn put_bytes(message: &mut Vec<u8>, field: u8, bytes: &[u8]) {
    message.push(field << 3 | BYTES);
    varint(message, bytes.len() as u64);
    message.extend(bytes);
}

/// A protocol-buffer varint: seven bits per byte, the lowest first; the highest bit marks that more
/// follow.
fn varint(message: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        message.push(value as u8 | 0x80);
        value >>= 7;
    }
    message.push(value as u8);
}
