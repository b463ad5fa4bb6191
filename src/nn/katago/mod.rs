//! KataGo's network files: `.bin.gz`, `.txt.gz`, `.bin`, `.txt`, told apart by content.
//!
//! A file is a list of blank-separated tokens, in binary files with raw blocks of floats between
//! them, possibly compressed as a whole. [`container`] decompresses and compresses, [`tokens`]
//! reads what [`writer`] writes, and the other modules are for records: [`layers`], [`blocks`],
//! [`transformer`] and [`metadata`] for parts of the net, [`heads`] and [`model`] for the order of
//! all records. For each record there is a function that reads it, followed by one that writes it.
//!
//! Any bytes are safe to read: the result is a checked [`Net`] or an error that names file, layer
//! and offset; memory is only allocated for data that is present. Written files are verified by
//! reading them back.

mod blocks;
mod container;
mod heads;
mod layers;
mod metadata;
mod model;
mod tokens;
mod transformer;
mod writer;

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::desc::Net;
use crate::files;
pub use container::inflate;
use tokens::Tokens;
use writer::Writer;

/// Marker before the data of a float block in binary files.
const BINARY_MARK: &[u8] = b"@BIN@";

/// Encodings of float blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A marker, then little-endian f32.
    Binary,
    /// Decimal tokens that give the same f32 when read.
    Text,
}

/// Reads a file of any of the four kinds, whatever its extension.
pub fn read_file(path: &Path) -> Result<Net> {
    let stored = files::read_regular(path, files::NETWORK_LIMIT)?;
    read_bytes(&stored).with_context(|| super::network::unusable(path))
}

/// Reads the contents of a file.
pub fn read_bytes(stored: &[u8]) -> Result<Net> {
    read_inflated(&inflate(stored)?)
}

/// Reads the uncompressed contents of a file.
pub fn read_inflated(bytes: &[u8]) -> Result<Net> {
    let mut tokens = Tokens::new(bytes);
    let net = model::net(&mut tokens).and_then(|net| tokens.end().map(|()| net));
    net.with_context(|| tokens.place())
}

/// The uncompressed contents of a file for the net. If the files of its version cannot hold it, the
/// error names the part.
pub fn write_bytes(net: &Net, form: Form) -> Result<Vec<u8>> {
    net.check()?;
    let mut writer = Writer::new(form);
    model::write_net(net, &mut writer).with_context(|| writer.place())?;
    let bytes = writer.into_bytes();
    let back = read_inflated(&bytes).context("the net is not one that KataGo's files can hold")?;
    ensure!(back == *net, "KataGo's files cannot hold all of the net");
    Ok(bytes)
}
