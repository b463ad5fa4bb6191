//! Network files, whole and damaged: whatever the bytes, reading gives a net or an error.

use std::io::Read;

use flate2::read::GzDecoder;
use proptest::prelude::*;

use crate::cases::cases;
use keima::nn::desc::Net;
use keima::nn::katago::read_bytes;

const STORED: &[u8] = include_bytes!("../data/nets/s8.bin.gz");
const NESTED: &[u8] = include_bytes!("../data/nets/s16.bin.gz");
const TRANSFORMER: &[u8] = include_bytes!("../data/nets/s17.bin.gz");
const TRANSFORMER_TEXT: &[u8] = include_bytes!("../data/nets/s17b.txt.gz");
const MARK: &[u8] = b"@BIN@";

fn inflated(stored: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(stored).read_to_end(&mut bytes).unwrap();
    bytes
}

fn error_of(bytes: &[u8]) -> String {
    format!("{:#}", read_bytes(bytes).unwrap_err())
}

/// Replaces the first occurrence, which must exist.
fn replaced(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let start = bytes
        .windows(old.len())
        .position(|w| w == old.as_bytes())
        .expect("text to replace");
    [&bytes[..start], new.as_bytes(), &bytes[start + old.len()..]].concat()
}

/// The same net with its weights in decimals.
fn as_text(bytes: &[u8], net: &Net) -> String {
    let mut text = String::new();
    let mut rest = bytes;
    for tensor in net.tensors() {
        let start = rest.windows(MARK.len()).position(|w| w == MARK).unwrap();
        text += str::from_utf8(&rest[..start]).unwrap();
        tensor
            .weights
            .iter()
            .for_each(|weight| text += &format!("{weight} "));
        rest = &rest[start + MARK.len() + 4 * tensor.weights.len()..];
    }
    text + str::from_utf8(rest).unwrap()
}

#[test]
fn text_and_binary_are_the_same_net() {
    for stored in [STORED, NESTED, TRANSFORMER] {
        let bytes = inflated(stored);
        let net = read_bytes(stored).unwrap();
        assert_eq!(read_bytes(&bytes).unwrap(), net);
        assert_eq!(read_bytes(as_text(&bytes, &net).as_bytes()).unwrap(), net);
    }
}

#[test]
fn unknown_parts_are_refused_by_name() {
    let bytes = inflated(STORED);
    let nested = inflated(NESTED);
    for (bytes, old, new, expected) in [
        (&bytes, "\n8\n", "\n18\n", "newer than 17"),
        (&bytes, "\n8\n", "\n2\n", "older than 3"),
        (&bytes, "\n8\n", "\n9\n", "score outputs"),
        (&bytes, "\n8\n22\n", "\n8\n23\n", "planes"),
        (&bytes, "ordinary_block", "strange_block", "strange_block"),
        (&bytes, "c1\n3\n3\n", "c1\n3\n4\n", "kernel width is 4"),
        (
            &bytes,
            "c1\n3\n3\n22\n16\n1\n1",
            "c1\n3\n3\n22\n16\n2\n1",
            "dilation is 2",
        ),
        (&bytes, "c1\n3\n3\n22\n16\n", "c1\n3\n3\n22\n17\n", "\"c1\""),
        (&bytes, "0.001", "0", "epsilon"),
        (&bytes, "0.001", "nan", "epsilon"),
        (
            &nested,
            "ACTIVATION_MISH",
            "ACTIVATION_WISH",
            "ACTIVATION_WISH",
        ),
        (
            &nested,
            "140.0\n0\n0\n",
            "140.0\n2\n0\n",
            "metaEncoderVersion",
        ),
        (
            &nested,
            "140.0\n0\n0\n0\n",
            "140.0\n0\n0\n5\n",
            "reserved field is \"5\"",
        ),
    ] {
        let error = error_of(&replaced(bytes, old, new));
        assert!(error.contains(expected), "{old:?} to {new:?}: {error}");
        assert!(error.contains("byte "), "no offset: {error}");
    }
}

#[test]
fn transformer_fields_that_do_not_fit_are_refused_by_name() {
    let bytes = inflated(TRANSFORMER_TEXT);
    assert!(read_bytes(&bytes).is_ok());
    for (old, new, expected) in [
        ("blk10\n16\n24\n1\n", "blk10\n16\n24\n0\n", "swiglu is 0"),
        ("blk10\n16\n24\n1\n", "blk10\n16\n25\n1\n", "inner layer"),
        ("blk10\n16\n24\n1\n", "blk10\n15\n24\n1\n", "block"),
        ("blk3\n4\n2\n8\n", "blk3\n4\n3\n8\n", "multiple of nKV"),
        ("blk3\n4\n2\n8\n", "blk3\n4\n2\n7\n", "rope's pairs"),
        ("blk3\n4\n2\n8\n", "blk3\n2\n2\n8\n", "queries"),
        ("blk15\n2\n2\n6\n", "blk15\n2\n2\n5\n", "qDim is 5"),
        ("blk15\n2\n2\n6\n4\n", "blk15\n2\n2\n6\n5\n", "values"),
        ("rope21\n100.0", "rope21\n0", "theta"),
        (
            "tip130\n16\n1e-06\n0\n0\n",
            "tip130\n16\n1e-06\n0\n4\n",
            "cgroup is 4",
        ),
        (
            "tip130\n16\n1e-06\n0\n0\n",
            "tip130\n16\n2.5\n0\n0\n",
            "epsilon",
        ),
        ("8\n8\n8\n1\n0\n", "8\n8\n8\n2\n0\n", "trunkNormKind"),
        ("ph132\n2\n", "ph132\n3\n", "policy channels"),
        ("ph132\n2\n", "ph132\n4\n", "policy logits"),
    ] {
        let error = error_of(&replaced(&bytes, old, new));
        assert!(error.contains(expected), "{old:?} to {new:?}: {error}");
    }
}

#[test]
fn bytes_after_the_end_are_refused() {
    let mut bytes = inflated(STORED);
    bytes.extend(b"\n \n");
    assert!(read_bytes(&bytes).is_ok());
    bytes.push(b'x');
    assert!(error_of(&bytes).contains("after the last record"));
}

#[test]
fn non_finite_weights_are_refused() {
    let mut bytes = inflated(STORED);
    let start = bytes.windows(MARK.len()).position(|w| w == MARK).unwrap() + MARK.len();
    bytes[start..start + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(error_of(&bytes).contains("a weight is NaN"));
    bytes[start..start + 4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert!(error_of(&bytes).contains("a weight is inf"));
}

/// Without a limit this would overflow the stack.
#[test]
fn endless_nesting_is_refused() {
    let start = "n 8 22 19 t 1 1 1 1 1 1 c 1 1 22 1 1 1 ";
    let zeros = |count| "0 ".repeat(count);
    let level = "nested_bottleneck_block b 1 n 1 1 0 0 0 1 a c 1 1 1 1 1 1 0 ";
    let text = format!(
        "{start}{}m 19 1 {}{}",
        zeros(22),
        zeros(19),
        level.repeat(100_000)
    );
    assert!(error_of(text.as_bytes()).contains("nested"));
}

#[test]
fn huge_inflated_size_is_refused() {
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut bomb, &vec![b' '; 20 << 20]).unwrap();
    assert!(error_of(&bomb.finish().unwrap()).contains("inflates"));
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn a_truncated_file_is_refused(permille in 0usize..1000) {
        let bytes = inflated(STORED).trim_ascii_end().to_vec();
        prop_assert!(read_bytes(&bytes[..bytes.len() * permille / 1000]).is_err());
        prop_assert!(read_bytes(&STORED[..STORED.len() * permille / 1000]).is_err());
    }

    #[test]
    fn a_truncated_transformer_is_refused(permille in 0usize..1000) {
        let bytes = inflated(TRANSFORMER).trim_ascii_end().to_vec();
        prop_assert!(read_bytes(&bytes[..bytes.len() * permille / 1000]).is_err());
    }

    #[test]
    fn flipped_bits_never_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), 0u8..8), 1..6)) {
        let mut bytes = inflated(STORED);
        let mut transformer = inflated(TRANSFORMER);
        let mut stored = STORED.to_vec();
        for (place, bit) in flips {
            for bytes in [&mut bytes, &mut transformer, &mut stored] {
                let index = place.index(bytes.len());
                bytes[index] ^= 1u8 << bit;
            }
        }
        let _ = read_bytes(&bytes);
        let _ = read_bytes(&transformer);
        let _ = read_bytes(&stored);
    }

    /// Numbers in the text between the weights, where damage does the most.
    #[test]
    fn changed_sizes_never_panic(
        place in any::<prop::sample::Index>(),
        stored in prop_oneof![Just(STORED), Just(TRANSFORMER)],
        number in prop_oneof![0u64..40, Just(65_536), Just(1 << 32), any::<u64>()],
    ) {
        let net = read_bytes(stored).unwrap();
        let text = as_text(&inflated(stored), &net);
        let tokens: Vec<&str> = text.split_whitespace().collect();
        let sizes: Vec<usize> =
            (0..tokens.len()).filter(|&i| tokens[i].parse::<u32>().is_ok()).collect();
        let number = number.to_string();
        let mut changed = tokens.clone();
        changed[sizes[place.index(sizes.len())]] = &number;
        let _ = read_bytes(changed.join(" ").as_bytes());
    }
}
