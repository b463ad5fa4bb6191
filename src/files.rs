//! Atomic writing of files, checked reading, files of JSON, folders and checksums.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use tempfile::{Builder, NamedTempFile};

pub mod difference;
mod disk;
pub mod lines;
pub mod lock;
pub mod rotating_log;

#[cfg(test)]
pub use disk::faults;

/// Who may read and write a file, besides what the system takes away: everybody, or the user.
const FOR_ALL: u32 = 0o666;
const FOR_USER: u32 = 0o600;
/// Prefix of temporary files.
const TEMPORARY: &str = ".keima-";
/// An unlocked temporary file that has not changed for this long is abandoned.
const SURELY_WRITTEN: Duration = Duration::from_secs(60);
/// Maximal size of a text file that users name: a game record, openings, a script.
pub const TEXT_LIMIT: u64 = 1 << 26;
/// Maximal size of a network file.
pub const NETWORK_LIMIT: u64 = 1 << 32;
/// Maximal size of a training file: a shard of labels, or a state.
pub const TRAINING_LIMIT: u64 = 1 << 34;

/// Opens a file that a user named. Anything but a regular file, such as a pipe, which may never
/// end, is an error, and so is a file of more than `limit` bytes.
pub fn open_regular(path: &Path, limit: u64) -> Result<File> {
    let cannot = || format!("cannot read {}", path.display());
    let metadata = fs::metadata(path).with_context(cannot)?;
    ensure!(
        metadata.is_file(),
        "cannot read {}: not a regular file",
        path.display()
    );
    ensure!(
        metadata.len() <= limit,
        "cannot read {}: more than {limit} bytes",
        path.display()
    );
    File::open(path).with_context(cannot)
}

/// Reads a file that a user named, under the conditions of [`open_regular`].
pub fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let file = open_regular(path, limit)?;
    let mut bytes = Vec::new();
    // Some special files have the size 0 but are not empty.
    let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.with_context(|| format!("cannot read {}", path.display()))?;
    ensure!(
        bytes.len() as u64 <= limit,
        "cannot read {}: more than {limit} bytes",
        path.display()
    );
    Ok(bytes)
}

/// Reads a text file that a user named: in UTF-8, or else in ISO 8859-1, the character set of PGN. A byte order mark at
/// the beginning is left out.
pub fn read_text(path: &Path) -> Result<String> {
    let bytes = read_regular(path, TEXT_LIMIT)?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let bytes = error.as_bytes();
            // Any other bytes are ISO 8859-1; files that are no text at all mostly have some of these.
            ensure!(
                !bytes.contains(&0),
                "cannot read {}: no text in UTF-8 or ISO 8859-1",
                path.display()
            );
            bytes.iter().copied().map(char::from).collect()
        }
    };
    Ok(text
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(text))
}

/// Reads a file that holds a value in JSON.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let cannot = || format!("cannot use {}", path.display());
    let text = read_text(path).with_context(cannot)?;
    serde_json::from_str(&text).with_context(cannot)
}

/// Writes a value in JSON, as [`write_whole`] does.
pub fn write_json(path: &Path, value: &impl Serialize, may_replace: bool) -> Result<()> {
    write_whole(path, json_text(value)?.as_bytes(), may_replace)
}

/// The text of such a file.
pub fn json_text(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

/// Appends a line with a value in JSON, in one write so that lines of several processes do not mix.
pub fn append_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let line = serde_json::to_string(value)? + "\n";
    let mut options = fs::OpenOptions::new();
    let file = options.append(true).create(true).open(path);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a new file. An existing one is an error, unless it may be replaced; it keeps its rights then, and where the
/// path is a link, the file that it leads to is replaced.
pub fn write_whole(path: &Path, contents: &[u8], may_replace: bool) -> Result<()> {
    write_with_mode(path, contents, may_replace, FOR_ALL)
}

/// Writes or replaces a file that only the user may read, where files have such rights.
pub fn write_private(path: &Path, contents: &[u8]) -> Result<()> {
    write_with_mode(path, contents, true, FOR_USER)
}

fn write_with_mode(path: &Path, contents: &[u8], may_replace: bool, mode: u32) -> Result<()> {
    ensure!(
        may_replace || !exists(path),
        "{} exists already",
        path.display()
    );
    ensure!(
        !exists(path) || fs::metadata(path).is_ok_and(|metadata| metadata.is_file()),
        "cannot write {}: not a regular file",
        path.display()
    );
    let cannot = || format!("cannot write {}", path.display());
    let target = path.is_symlink().then(|| path.canonicalize());
    let target = target.transpose().with_context(cannot)?;
    let target = target.as_deref().unwrap_or(path);
    let mut file = beside(target, mode).with_context(cannot)?;
    if let (FOR_ALL, Ok(before)) = (mode, fs::metadata(target)) {
        // Some file systems have no such rights.
        let kept = file.as_file().set_permissions(before.permissions());
        kept.unwrap_or_default();
    }
    // The lock marks the file as in use; on systems without locks its age does.
    let _ = file.as_file().try_lock();
    disk::write_all(file.as_file_mut(), contents).with_context(cannot)?;
    disk::sync(file.as_file()).with_context(cannot)?;
    disk::persist(file, target, may_replace).with_context(cannot)
}

/// An error if [`write_whole`] could not write a file now.
pub fn check_writable(path: &Path) -> Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    beside(path, FOR_ALL).map(drop).with_context(cannot)
}

/// Whether both paths lead to a file that is there.
pub fn is_same(one: &Path, other: &Path) -> bool {
    let place = one.canonicalize().ok();
    place.is_some() && place == other.canonicalize().ok()
}

/// How pages in HTML begin.
const PAGE_START: &str = "<!DOCTYPE html>";

/// Writes a page in HTML, in place of an earlier page or of an empty file; any other file there is an error.
pub fn write_page(path: &Path, page: &str) -> Result<()> {
    check_page(path)?;
    write_whole(path, page.as_bytes(), true)
}

/// An error if a page would replace something else.
pub fn check_page(path: &Path) -> Result<()> {
    let mut start = Vec::new();
    if exists(path) {
        let file = open_regular(path, u64::MAX)?;
        file.take(PAGE_START.len() as u64).read_to_end(&mut start)?;
    }
    ensure!(
        start.is_empty() || start.eq_ignore_ascii_case(PAGE_START.as_bytes()),
        "{} exists already and is no page in HTML: choose another name",
        path.display()
    );
    Ok(())
}

/// A gzip stream of the bytes; deterministic.
pub fn gzipped(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// Removes temporary files that processes left when they were killed: unlocked ones that are not
/// new. Files that cannot be removed stay.
pub fn remove_abandoned(folder: &Path) {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_temporary = name.to_string_lossy().starts_with(TEMPORARY);
        if is_temporary && is_abandoned(&entry.path()).unwrap_or(false) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_abandoned(path: &Path) -> io::Result<bool> {
    let file = fs::OpenOptions::new().write(true).open(path)?;
    let age = file.metadata()?.modified()?.elapsed().unwrap_or_default();
    Ok(age >= SURELY_WRITTEN && file.try_lock().is_ok())
}

/// Creates a folder and its parents, unless it exists.
pub fn make_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot make {}", path.display()))
}

/// SHA-256 of a file's bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The first eight bytes of the SHA-256 of all parts together.
pub fn sha256_prefix(parts: &[&[u8]]) -> [u8; 8] {
    let mut digest = Sha256::new();
    parts.iter().for_each(|part| digest.update(part));
    digest.finalize()[..8].try_into().expect("eight bytes")
}

/// In hexadecimal.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether the path exists, even as a broken link.
pub fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// The present time since 1970.
pub fn since_1970() -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default()
}

/// What is in a folder, by name.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let cannot = || format!("cannot read the folder {}", folder.display());
    let entries = folder.read_dir().with_context(cannot)?;
    let paths = entries.map(|entry| Ok(entry?.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_>>().with_context(cannot)?;
    paths.sort();
    Ok(paths)
}

/// What is in a folder with this extension, by name.
pub fn entries_with(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = entries(folder)?;
    found.retain(|path| path.extension().is_some_and(|it| it == extension));
    Ok(found)
}

/// The files in a folder and in folders within, by name. A folder that is met again, as links may form cycles, is
/// skipped.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let (mut found, mut visited) = (Vec::new(), HashSet::new());
    add_below(folder, &mut found, &mut visited)?;
    Ok(found)
}

fn add_below(
    folder: &Path,
    found: &mut Vec<PathBuf>,
    visited: &mut HashSet<PathBuf>,
) -> Result<()> {
    let cannot = || format!("cannot read the folder {}", folder.display());
    if !visited.insert(folder.canonicalize().with_context(cannot)?) {
        return Ok(());
    }
    for path in entries(folder)? {
        match path.is_dir() {
            true => add_below(&path, found, visited)?,
            false => found.push(path),
        }
    }
    Ok(())
}

/// A file in the same folder, which is deleted unless it is renamed.
fn beside(path: &Path, mode: u32) -> Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    ensure!(folder.is_dir(), "there is no folder {}", folder.display());
    let mut builder = Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(not(unix))]
    let _ = mode;
    // By default temporary files are private to the user.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    // The text of the error itself names the temporary file.
    let failed = |error: io::Error| io::Error::from(error.kind());
    Ok(builder.tempfile_in(folder).map_err(failed)?)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_replaced_file_keeps_its_rights_and_links_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::create_dir(folder.path().join("c")).unwrap();
        let far_link = folder.path().join("c/link");
        fs::write(&file, "before").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("a", &link).unwrap();
        symlink("../b", &far_link).unwrap();
        for path in [&file, &link, &far_link] {
            let contents = path.display().to_string();
            write_whole(path, contents.as_bytes(), true).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), contents);
            let mode = fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o640);
            assert!(link.is_symlink() && far_link.is_symlink());
        }
        write_private(&link, b"secret").unwrap();
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
