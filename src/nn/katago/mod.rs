//! KataGo's network files: `.bin.gz`, `.txt.gz`, `.bin`, `.txt`, told apart by content.
//!
//! A file is a list of blank-separated tokens, in binary files with raw blocks of floats between
//! them, perhaps compressed as a whole. Order of reading: [`container`] inflates, [`tokens`]
//! splits, [`layers`], [`blocks`] and [`transformer`] read the records, [`model`] the header, trunk
//! and heads.
//! Whatever the bytes, the answer is a checked [`Net`] or an error that names file, layer and
//! offset; memory is taken only for data that is there.

mod blocks;
mod container;
mod layers;
mod metadata;
mod model;
mod tokens;
mod transformer;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::desc::Net;
use tokens::Tokens;

/// Reads a file of any of the four kinds, whatever its name.
pub fn read_file(path: &Path) -> Result<Net> {
    let stored = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    read_bytes(&stored).with_context(|| format!("{} is no usable network", path.display()))
}

/// Reads the contents of a file.
pub fn read_bytes(stored: &[u8]) -> Result<Net> {
    let bytes = container::inflate(stored)?;
    let mut tokens = Tokens::new(&bytes);
    let net = model::net(&mut tokens).and_then(|net| tokens.end().map(|()| net));
    net.with_context(|| tokens.place())
}
