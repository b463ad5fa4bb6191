//! KataGo's network files: `.bin.gz`, `.txt.gz`, `.bin`, `.txt`, told apart by content.
//!
//! A file is a list of blank-separated tokens, in binary files with raw blocks of floats between
//! them, perhaps compressed as a whole. [`container`] inflates and deflates, [`tokens`] takes apart
//! what [`writer`] puts together, and the other modules know the records: [`layers`], [`blocks`],
//! [`transformer`] and [`metadata`] those of the parts, [`heads`] and [`model`] the order of
//! everything. For each record they have a function that reads it, and below that one that writes
//! it.
//! Whatever the bytes, the answer of reading is a checked [`Net`] or an error that names file,
//! layer and offset; memory is taken only for data that is there. What is written has been read
//! back and found to be the same net.

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
pub use container::{deflate, inflate};
use tokens::Tokens;
use writer::Writer;

/// What stands before the data of a float block in binary files.
const BINARY_MARK: &[u8] = b"@BIN@";

/// How float blocks are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A mark, then little-endian singles.
    Binary,
    /// Decimal tokens, that give the same singles when read.
    Text,
}

/// Reads a file of any of the four kinds, whatever its name.
pub fn read_file(path: &Path) -> Result<Net> {
    let stored = files::read_regular(path, files::NETWORK_LIMIT)?;
    read_bytes(&stored).with_context(|| super::network::unusable(path))
}

/// Reads the contents of a file.
pub fn read_bytes(stored: &[u8]) -> Result<Net> {
    read_inflated(&inflate(stored)?)
}

/// Reads the contents of a file that is not compressed.
pub fn read_inflated(bytes: &[u8]) -> Result<Net> {
    let mut tokens = Tokens::new(bytes);
    let net = model::net(&mut tokens).and_then(|net| tokens.end().map(|()| net));
    net.with_context(|| tokens.place())
}

/// The contents of a file that holds the net, not compressed. The error of a net that its version's
/// files cannot hold names the part.
pub fn write_bytes(net: &Net, form: Form) -> Result<Vec<u8>> {
    net.check()?;
    let mut writer = Writer::new(form);
    model::write_net(net, &mut writer).with_context(|| writer.place())?;
    let bytes = writer.into_bytes();
    let back = read_inflated(&bytes).context("the net is not one that KataGo's files can hold")?;
    ensure!(back == *net, "KataGo's files cannot hold all of the net");
    Ok(bytes)
}
