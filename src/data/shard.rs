//! Label files (`.glb`): labels and the lines that they belong to. Little endian.
//!
//! The header, 64 bytes:
//!
//! | offset | content |
//! |---|---|
//! | 0 | `KEIMAGLB` |
//! | 8 | u16 format version: 1 |
//! | 10 | u16 input version that the trainer derives from positions: 7 |
//! | 12 | u8 width, u8 height of all boards |
//! | 14 | u8 flags: bit 0, labels have ownership; u8 0 |
//! | 16 | u32 number of the shard in its folder |
//! | 20 | u32 lines, u32 labels |
//! | 28 | u32 size of the inflated body |
//! | 32 | u64 seed |
//! | 40 | the first 8 bytes of the SHA-256 of the teacher's file |
//! | 48 | the first 8 bytes of the SHA-256 of the run's settings |
//! | 56 | the first 8 bytes of the SHA-256 of the 56 bytes before and of the stored body |
//!
//! Label `i` of shard `s` has the index `65536 s + i` in its run. The body follows, deflated
//! (zlib). It begins with the names of sources: their number as a u8, each a u8 length and UTF-8.
//! Then the lines:
//!
//! | field | meaning |
//! |---|---|
//! | u8 source, u8 kind, u8 winner, u8 first color | kind 0 a recorded game, 1 the teacher alone, 2 self-play, 3 a recorded game without a teacher; winner: bits 0-1 who won, 0 Black, 1 White, 2 unknown, bits 2-3 who was far ahead before the end, 0 neither or unknown, 1 Black, 2 White; color 0 Black, 1 White |
//! | u16 stones, u16 moves, u16 labels | counts |
//! | u16 each stone and move | [`MoveCode`](super::line::MoveCode) |
//! | labels | in any order |
//!
//! And each label, see [`super::label`] for the codes:
//!
//! | field | meaning |
//! |---|---|
//! | u16 ply, u8 n, n u16 | moves of the line, moves off the line |
//! | u16 rules | bits 0-1 ko, 2 territory, 3-4 tax, 5 suicide, 6 button, 7-8 handicap bonus, 9 friendly pass |
//! | i16 komi, u8 history | half points; bits 0-2 moves of history, bit 7 a human move |
//! | u16 next, u16 reply | the next two moves played; 65535 none |
//! | u16 win, u16 loss, i16 lead, i16 mean, u16 stdev | |
//! | u8 each: value error, score error, time, rest of the policy | |
//! | u8 n, n u16 | most probable moves: bits 0-8 the move, 9-15 the code of its probability |
//! | ownership | if flagged, half a byte per point, the first in the low half |

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::files;
use crate::go::{BoardSize, Color};

use super::label::Label;
use super::line::{Line, MAX_AREA};

mod decode;
mod encode;

/// Magic bytes.
const MAGIC: &[u8; 8] = b"KEIMAGLB";
const VERSION: u16 = 1;
/// Input version for which labels are made.
const FEATURES: u16 = 7;
/// Size of the header.
pub const HEADER_BYTES: usize = 64;
/// Maximal labels per shard.
pub const MAX_LABELS: usize = 1 << 16;
/// What helps against a damaged file: parts of self-play are not made again.
const REMOVE: &str = "remove it; if `keima label` made it, the same command makes it again";
/// Maximal size of a body; far more than [`MAX_LABELS`] need.
const MAX_BODY: u32 = 1 << 28;

/// The header of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Size of all boards.
    pub size: BoardSize,
    /// Whether labels have ownership.
    pub has_ownership: bool,
    /// Number of the shard in its run.
    pub number: u32,
    pub lines: u32,
    pub labels: u32,
    /// Size of the inflated body.
    body_bytes: u32,
    /// Random seed of the run.
    pub seed: u64,
    /// First 8 bytes of the SHA-256 of the teacher's file.
    pub teacher: [u8; 8],
    /// First 8 bytes of the SHA-256 of the run's settings.
    pub settings: [u8; 8],
}

/// Origin of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A recorded game.
    Game,
    /// Played by the teacher alone, possibly from a position of a recorded game.
    Teacher,
    /// Self-play with searches; labels contain the final result.
    SelfPlay,
    /// A recorded game; labels contain its moves and its result, no evaluations.
    Record,
}

/// A line with its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledLine {
    /// Index of its source among [`Shard::sources`].
    pub source: u8,
    /// Its origin.
    pub kind: LineKind,
    /// The winner of the game, if known.
    pub winner: Option<Color>,
    /// The side that was far ahead at some time before the end, whoever won. `None` also where unknown.
    pub decided_for: Option<Color>,
    /// Start and moves.
    pub line: Line,
    /// Labels of its positions.
    pub labels: Vec<Label>,
}

/// Lines with labels, on boards of one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Size of all boards.
    pub size: BoardSize,
    /// Whether labels have ownership.
    pub has_ownership: bool,
    /// Number of the shard in its run.
    pub number: u32,
    /// Random seed of the run.
    pub seed: u64,
    /// First 8 bytes of the SHA-256 of the teacher's file.
    pub teacher: [u8; 8],
    /// First 8 bytes of the SHA-256 of the run's settings.
    pub settings: [u8; 8],
    /// Names of sources.
    pub sources: Vec<String>,
    /// In order of creation.
    pub lines: Vec<LabelledLine>,
}

/// The shards in a folder, by name.
pub fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    files::entries_with(folder, "glb")
}

impl Shard {
    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.lines.iter().map(|line| line.labels.len()).sum()
    }

    /// Encodes a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let labels = self.labels();
        ensure!(
            labels <= MAX_LABELS,
            "{labels} labels are too many for a shard"
        );
        let body = encode::body(self)?;
        let header = Header {
            size: self.size,
            has_ownership: self.has_ownership,
            number: self.number,
            lines: self.lines.len() as u32,
            labels: labels as u32,
            body_bytes: u32::try_from(body.len())?,
            seed: self.seed,
            teacher: self.teacher,
            settings: self.settings,
        };
        sealed(&header, &body)
    }

    /// Reads a file, which errors name.
    pub fn read(path: &Path) -> Result<Shard> {
        let read = files::read_regular(path, files::TRAINING_LIMIT);
        let shard = read.and_then(|bytes| Shard::from_bytes(&bytes));
        shard.with_context(|| path.display().to_string())
    }

    /// Decodes a file; any bytes are safe.
    pub fn from_bytes(bytes: &[u8]) -> Result<Shard> {
        let (header, body) = opened(bytes)?;
        let mut shard = Shard {
            size: header.size,
            has_ownership: header.has_ownership,
            number: header.number,
            seed: header.seed,
            teacher: header.teacher,
            settings: header.settings,
            sources: Vec::new(),
            lines: Vec::new(),
        };
        decode::body(&body, &header, &mut shard)?;
        let labels = shard.labels();
        ensure!(
            labels == header.labels as usize,
            "{labels} labels, not {} as the header says",
            header.labels
        );
        Ok(shard)
    }
}

impl Header {
    /// Decodes a header. Does not verify the checksum.
    pub fn from_bytes(bytes: &[u8]) -> Result<Header> {
        let head = bytes.first_chunk::<HEADER_BYTES>();
        let head = head.with_context(|| format!("shorter than a shard's header: {REMOVE}"))?;
        ensure!(&head[..8] == MAGIC, "not a shard of labels");
        let u16_at = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
        let eight = |at: usize| -> [u8; 8] { head[at..at + 8].try_into().expect("eight bytes") };
        ensure!(
            (u16_at(8), u16_at(10)) == (VERSION, FEATURES),
            "version {} with inputs {}, which are unknown",
            u16_at(8),
            u16_at(10)
        );
        let size = BoardSize::new(head[12].into(), head[13].into());
        let size = size.filter(|size| size.area() <= MAX_AREA);
        let header = Header {
            size: size.with_context(|| format!("board size {}x{}", head[12], head[13]))?,
            has_ownership: head[14] & 1 != 0,
            number: u32_at(16),
            lines: u32_at(20),
            labels: u32_at(24),
            body_bytes: u32_at(28),
            seed: u64::from_le_bytes(eight(32)),
            teacher: eight(40),
            settings: eight(48),
        };
        ensure!(
            header.labels as usize <= MAX_LABELS && header.body_bytes <= MAX_BODY,
            "a header that promises too much"
        );
        Ok(header)
    }

    /// The header without its checksum.
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(FEATURES.to_le_bytes());
        bytes.extend([self.size.width() as u8, self.size.height() as u8]);
        bytes.extend([u8::from(self.has_ownership), 0]);
        for number in [self.number, self.lines, self.labels, self.body_bytes] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.seed.to_le_bytes());
        bytes.extend(self.teacher);
        bytes.extend(self.settings);
        bytes
    }
}

/// Assembles a file from header and body.
fn sealed(header: &Header, body: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = header.to_bytes();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body)?;
    let stored = encoder.finish()?;
    bytes.extend(files::sha256_prefix(&[&bytes, &stored]));
    bytes.extend(stored);
    Ok(bytes)
}

/// The header and the inflated body of a file, if the checksum is right.
fn opened(bytes: &[u8]) -> Result<(Header, Vec<u8>)> {
    let header = Header::from_bytes(bytes)?;
    let (head, stored) = bytes.split_at(HEADER_BYTES);
    ensure!(
        head[56..] == files::sha256_prefix(&[&head[..56], stored]),
        "the checksum is wrong: the file is damaged or incomplete: {REMOVE}"
    );
    let mut body = Vec::new();
    let limit = u64::from(header.body_bytes) + 1;
    ZlibDecoder::new(stored)
        .take(limit)
        .read_to_end(&mut body)?;
    ensure!(
        body.len() == header.body_bytes as usize,
        "a body of another length than the header says"
    );
    Ok((header, body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Komi, Rules};
    use proptest::prelude::*;
    use proptest::sample::Index;
    use proptest::test_runner::RngSeed;
    use std::cell::Cell;

    use super::super::label::LabelValues;

    /// The same cases in every run.
    fn cases() -> ProptestConfig {
        ProptestConfig {
            rng_seed: RngSeed::Fixed(361),
            failure_persistence: None,
            ..ProptestConfig::default()
        }
    }

    fn header(body_bytes: usize) -> Header {
        Header {
            size: BoardSize::square(9),
            has_ownership: true,
            number: 3,
            lines: 1,
            labels: 1,
            body_bytes: body_bytes as u32,
            seed: 1 << 40,
            teacher: [1; 8],
            settings: [2; 8],
        }
    }

    #[test]
    fn headers_are_read_back() {
        let file = sealed(&header(5), b"hello").unwrap();
        assert_eq!(opened(&file).unwrap(), (header(5), b"hello".to_vec()));
        assert!(opened(&sealed(&header(4), b"hello").unwrap()).is_err());
        for damaged in [&file[..10], &file[..file.len() - 1]] {
            let error = opened(damaged).unwrap_err().to_string();
            assert!(error.ends_with("makes it again"), "{error}");
        }
    }

    proptest! {
        #![proptest_config(cases())]

        /// Arbitrary bodies with a right checksum.
        #[test]
        fn any_body_is_refused_or_read(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let file = sealed(&header(body.len()), &body).unwrap();
            if let Ok(shard) = Shard::from_bytes(&file) {
                prop_assert_eq!(encode::body(&shard).unwrap(), body);
            }
        }
    }

    /// A shard of one line and one label.
    fn small() -> Shard {
        let values = LabelValues {
            policy: vec![(40, 100), (81, 20)],
            ownership: vec![7; 81],
            ..LabelValues::default()
        };
        let label = Label {
            ply: 0,
            side_line: Vec::new(),
            rules: Rules::TROMP_TAYLOR,
            komi: Komi::from_half(15),
            history: 0,
            next: Some(40),
            reply: None,
            is_human: false,
            values,
        };
        let line = LabelledLine {
            source: 0,
            kind: LineKind::Game,
            winner: Some(Color::Black),
            decided_for: None,
            line: Line::new(BoardSize::square(9)),
            labels: vec![label],
        };
        Shard {
            size: BoardSize::square(9),
            has_ownership: true,
            number: 3,
            seed: 1 << 40,
            teacher: [1; 8],
            settings: [2; 8],
            sources: vec!["games".to_owned()],
            lines: vec![line],
        }
    }

    #[test]
    fn changed_bodies_are_refused_or_read() {
        let whole = encode::body(&small()).unwrap();
        let read = Cell::new(0);
        let changes = prop::collection::vec((any::<Index>(), any::<u8>()), 1..4);
        proptest!(cases(), |(changes in changes)| {
            let mut body = whole.clone();
            for (place, byte) in changes {
                let place = place.index(body.len());
                body[place] = byte;
            }
            let file = sealed(&header(body.len()), &body).unwrap();
            if let Ok(shard) = Shard::from_bytes(&file) {
                prop_assert_eq!(encode::body(&shard).unwrap(), body);
                read.set(read.get() + 1);
            }
        });
        assert!((50..250).contains(&read.get()), "{} were read", read.get());
    }
}
