//! Odd game records: what is read of them, with how many remarks, or why and where they are refused.

use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, SHIFT_JIS};
use keima::formats::sgf::{self, ReadOptions, Reading};

fn read(bytes: &[u8]) -> anyhow::Result<Reading> {
    sgf::read(bytes, &ReadOptions::default())
}

/// Komi, handicap, stones set up, moves, remarks.
fn seen(text: &str) -> String {
    let Reading { record, remarks } =
        read(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e:#}"));
    let (komi, stones) = (record.setup.komi, record.setup.stones.len());
    let (handicap, moves) = (record.handicap, record.moves.len());
    format!("{komi} {handicap} {stones} {moves} {}", remarks.len())
}

#[test]
fn odd_properties_do_not_lose_the_game() {
    let cases = [
        // Fox, and files that passed through other programs.
        (
            "(;SZ[19]KM[325]HA[0]AP[GNU Go:3.8]AP[foxwq];B[pd];W[dp])",
            "6.5 0 0 2 0",
        ),
        (
            "(;KM[350]HA[2]AP[GNU Go:3.8]AP[foxwq]AB[pd][dp];W[dd])",
            "7 2 2 1 0",
        ),
        (
            "(;KM[50]HA[2]AP[GNU Go:3.8]AP[foxwq]AB[pd][dp];W[dd])",
            "0.5 2 2 1 0",
        ),
        ("(;AP[foxwq]KM[275];B[pd])", "5.5 0 0 1 0"),
        ("(;AP[foxwq]KM[650];B[pd])", "6.5 0 0 1 0"),
        ("(;AP[foxwq]KM[750];B[pd])", "7.5 0 0 1 0"),
        ("(;AP[SGFC:2.0]KM[275];B[pd])", "5.5 0 0 1 1"),
        ("(;AP[SGFC:2.0]KM[325];B[pd])", "6.5 0 0 1 1"),
        ("(;AP[SGFC:2.0]KM[350];B[pd])", "7 0 0 1 1"),
        ("(;AP[SGFC:2.0]KM[650];B[pd])", "6.5 0 0 1 1"),
        ("(;AP[SGFC:2.0]KM[750];B[pd])", "7.5 0 0 1 1"),
        // Komi with more than a number, or without.
        ("(;SZ[9]KM[6.5目];B[ee])", "6.5 0 0 1 1"),
        ("(;SZ[9]KM[6.5 points];B[ee])", "6.5 0 0 1 1"),
        ("(;SZ[9]KM[6目半];B[ee])", "6.5 0 0 1 1"),
        ("(;SZ[9]KM[6½];B[ee])", "6.5 0 0 1 1"),
        ("(;SZ[9]KM[];B[ee])", "0 0 0 1 1"),
        ("(;SZ[9]KM[none];B[ee])", "0 0 0 1 1"),
        ("(;SZ[9]KM[1e999];B[ee])", "0 0 0 1 1"),
        // Handicap.
        ("(;SZ[9]HA[2子]AB[cc][gg];W[ee])", "0 2 2 1 1"),
        ("(;SZ[9]HA[2.0]AB[cc][gg];W[ee])", "0 2 2 1 1"),
        ("(;SZ[9]HA[-1];B[ee])", "0 0 0 1 1"),
        ("(;SZ[9]HA[none];B[ee])", "0 0 0 1 1"),
        ("(;HA[2]KM[0.5];W[dd];B[pd])", "0.5 2 0 2 1"),
        ("(;HA[2]KM[0.5];B[dd];B[pd];W[pp];B[dp])", "0.5 2 0 4 0"),
        // Illegal moves with KO: on a stone, and suicide.
        ("(;SZ[9];B[aa];W[bb];B[bb]KO[];W[cc])", "0 0 1 2 1"),
        ("(;SZ[9]AW[ab][ba];B[aa]KO[];W[cc])", "0 0 2 1 1"),
        ("(;SZ[9];B[aa]KO[];W[cc])", "0 0 0 2 0"),
        // Rectangles and lists.
        ("(;SZ[9]AB[cc:aa];W[ee])", "0 0 9 1 0"),
        ("(;SZ[9]AB[ac:ca];W[ee])", "0 0 9 1 0"),
        ("(;SZ[9]AB[aa][aa][aa:bb];W[ee])", "0 0 4 1 0"),
        // Names.
        ("(;GaMe[1]SiZe[9];Black[aa];White[bb])", "0 0 0 2 0"),
        ("(;SZ[9]AddBlack[aa]AddWhite[bb];Black[cc])", "0 0 2 1 0"),
        ("(;SZ[9];b[aa];w[bb])", "0 0 0 2 2"),
        ("(;SZ[9];BLACK[aa];WHITE[bb])", "0 0 0 2 2"),
        // Passes, sizes, structure.
        ("(;SZ[9];B[pass];W[PASS])", "0 0 0 2 2"),
        ("(;SZ[9x9];B[aa])", "0 0 0 1 1"),
        ("(;GM[1];SZ[9];B[ii])", "0 0 0 1 0"),
        ("(;SZ[9];B[aa]);W[bb])", "0 0 0 1 1"),
        ("(;SZ[9];B[aa],W[bb])", "0 0 0 2 1"),
        ("(;SZ[9];B[aa](;W[bb])(;W[cc]))", "0 0 0 2 0"),
        ("(;SZ[9]KM;B[aa])", "0 0 0 1 1"),
        ("(;)", "0 0 0 0 0"),
    ];
    for (text, expected) in cases {
        assert_eq!(seen(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_game_is_refused_with_its_place() {
    let cases = [
        ("", "no game found: the file is empty"),
        (" \n", "no game found: the file is empty"),
        ("hello", "no game found: nothing"),
        ("for (;;) { x[0] = 1; }", "no game found: what begins"),
        ("(;hello)", "no game found: what begins"),
        ("(;SZ[9];B[aa];W[b", "node 3: a value has no end"),
        ("(;SZ[9];B[aa];W)", "node 3: W has no value"),
        ("(;SZ[9];B[aa];AB)", "node 3: AB has no value"),
        ("(;SZ[9];B[zz])", "node 2: column 26"),
        ("(;SZ[9]AB[aa:zz])", "node 1: column 26"),
        ("(;SZ[9]AB[a])", "node 1: AB[a]: no points"),
        ("(;SZ[-9];B[aa])", "SZ[-9] is no board size"),
        ("(;SZ[0];B[aa])", "boards of 0x0 are not supported"),
        ("(;GM[11];B[aa])", "not a game of Go"),
    ];
    for (text, expected) in cases {
        let error = format!("{:#}", read(text.as_bytes()).expect_err(text));
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

/// With and without `CA`, ending in a character whose second byte is that of a backslash.
#[test]
fn brackets_behind_double_byte_characters_close() {
    let cases: [(&str, &'static Encoding, &str); 4] = [
        ("Shift_JIS", SHIFT_JIS, "囲碁の対局ソ"),
        ("Big5", BIG5, "圍棋的對局許功"),
        ("GBK", GBK, "围棋对局的记录\u{8a85}"),
        ("EUC-KR", EUC_KR, "바둑 기보"),
    ];
    for (label, encoding, name) in cases {
        for stated in [format!("CA[{label}]"), String::new()] {
            let text = format!("(;{stated}SZ[9]PB[{name}]PW[{name}];B[aa]C[{name}];W[bb])");
            let (bytes, _, has_errors) = encoding.encode(&text);
            assert!(!has_errors, "{label}");
            let reading = read(&bytes).unwrap();
            assert_eq!(reading.record.moves.len(), 2, "{text}");
            if !stated.is_empty() {
                assert_eq!(reading.record.names.0[0].as_deref(), Some(name));
            }
        }
    }
}

#[test]
fn utf16_is_read_with_and_without_mark() {
    let text = "(;SZ[9]PB[囲碁];B[aa];W[bb])";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let marked = [&b"\xFE\xFF"[..], &big].concat();
    for bytes in [&little, &big, &marked] {
        assert_eq!(read(bytes).unwrap().record.moves.len(), 2);
    }
}

#[test]
fn overlapping_rectangles_are_read_once() {
    let text = format!("(;SZ[19]AB{}AE[aa];W[aa])", "[aa:ss]".repeat(30_000));
    assert!(read(text.as_bytes()).is_err());
    let text = format!("(;SZ[19]AB{};AE[aa];W[aa])", "[ab:ss]".repeat(30_000));
    assert_eq!(
        read(text.as_bytes()).unwrap().record.setup.stones.len(),
        342
    );
}
