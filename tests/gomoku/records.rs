//! Notation and game records.

use keima::games::gomoku::notation::{parse_points, parse_position, position_text};
use keima::games::gomoku::records::{games, heading, read, write};
use keima::games::gomoku::{GomokuPosition, psq, sgf};
use keima::games::record::Details;

use super::{variant, with_stones};

#[test]
fn records_of_all_kinds_are_read_as_written() {
    for name in [
        "renju-15",
        "standard-19",
        "caro-20x15",
        "freestyle-25",
        "caro-exact-7",
        "tictactoe-7",
    ] {
        let variant = variant(name);
        let start = GomokuPosition::start(variant);
        let moves = parse_points(variant, "d4e5a1g7b6").unwrap();
        for extension in ["psq", "SGF", "txt"] {
            let text = write(extension, &start, &moves, Some(0.5), &Details::default());
            let (read_start, read_moves) = read(variant, &text).unwrap();
            assert_eq!(
                (&read_start, &read_moves),
                (&start, &moves),
                "{name} {extension}: {text}"
            );
        }
    }
}

#[test]
fn a_record_of_piskvork() {
    let text = "Piskvorky 20x15, 11:11, 0\r\n10,10,0\r\n11,9,250\r\n9,9,1200\r\nblack.zip\r\nwhite.zip\r\n-1\r\n0,1\r\n";
    let (start, moves) = read(variant("renju"), text).unwrap();
    assert_eq!(start.variant(), variant("standard-20x15"));
    assert_eq!(moves, parse_points(start.variant(), "j10k9i9").unwrap());
    let details = Details {
        black: "one".to_owned(),
        white: "two".to_owned(),
        comments: vec!["+0.31/12 0.104s".to_owned(), String::new()],
        ..Details::default()
    };
    let text = psq::write(&start, &moves, Some(0.0), &details);
    let expected = "Piskvorky 20x15, 11:11, 0\n10,10,104\n11,9,0\n9,9,0\none\ntwo\n-1\n1,1\n";
    assert_eq!(text, expected);
}

#[test]
fn a_record_of_sgf_with_stones_and_variations() {
    let text = "(;GM[4]FF[4]SZ[15]RU[Renju]AB[hh][ii]AW[gh]C[a \\] bracket];W[gg]\n(;B[jj];W[kk])(;B[aa]))";
    let (start, moves) = read(variant("freestyle"), text).unwrap();
    assert_eq!(start, with_stones("renju", "h8i7", "g8"));
    assert_eq!(moves.len(), 3);
    let details = Details::default();
    assert_eq!(
        write("txt", &start, &moves, None, &details),
        "h8g8i7g9j6k5\n"
    );
    assert!(heading(text).lost.is_some());
    // Comments in other programs' files do not break a collection in two.
    let two = format!("{text}\n(;GM[4]C[\\](;];B[hh])");
    assert_eq!(games(&two), [text, "(;GM[4]C[\\](;];B[hh])"]);
    let again = sgf::write(&start, &moves, Some(1.0), &Details::default());
    assert!(
        again.contains("RE[W+]") && again.contains("AW[gh]\n;W[gg]"),
        "{again}"
    );
    assert_eq!(read(variant("freestyle"), &again).unwrap(), (start, moves));
}

#[test]
fn headings_are_read_as_written() {
    let start = GomokuPosition::start(variant("renju"));
    let moves = parse_points(start.variant(), "h8i9").unwrap();
    let details = Details {
        black: "one".to_owned(),
        white: "two [2]".to_owned(),
        comments: vec!["0.291s".to_owned(), String::new()],
        ..Details::default()
    };
    for extension in ["psq", "sgf"] {
        let text = write(extension, &start, &moves, Some(1.0), &details);
        let read = heading(&text);
        assert_eq!(
            (&read.details, read.result),
            (&details, Some(1.0)),
            "{text}"
        );
        assert_eq!(read.lost, None, "{text}");
    }
    for date in [
        "2020-01-31",
        "2020",
        "31.12.2020",
        "2020-01-31,02",
        "im März",
    ] {
        let dated = format!("(;GM[4]DT[{date}];B[hh])");
        let of_day = heading(&dated);
        assert_eq!(of_day.lost, None);
        let (start, moves) = read(start.variant(), &dated).unwrap();
        let text = write("sgf", &start, &moves, None, &of_day.details);
        assert!(text.contains(&format!("]DT[{date}]")), "{text}");
    }
    assert!(heading("(;GM[4]EV[Cup];B[hh])").lost.is_some());
    assert!(heading("(;GM[4];B[hh](;W[gg])(;W[ii]))").lost.is_some());
    assert!(heading("(;GM[4];B[hh])(;GM[4];B[ii])").lost.is_some());
}

#[test]
fn mistakes_of_records_are_named() {
    let rows = [
        ("h8h8", "move 2: h8 is occupied"),
        ("h8q1", "q1 is beyond the board of 15x15"),
        ("8h", "'8' is no point"),
        ("h0", "'h0' is no point"),
        ("a1b1a2b2a3b3a4b4a5b5", "move 10: the game is over"),
        ("(;SZ[19];B[pd])", "GM[1]; five in a row is GM[4]"),
        (
            "(;GM[4]SZ[30])",
            "a board has 5 to 25 points a side, not 30x30",
        ),
        (
            "(;GM[4];B[hh];B[ii])",
            "move 2 is Black's, and it is White's turn",
        ),
        ("(;GM[4];B[])", "B[]: a point is two letters"),
        ("(;GM[4];B[zz])", "beyond the board"),
        ("Piskvorky 15, 11:11, 0\n", "'15' is no size of a board"),
        (
            "Piskvorky 15x15, 11:11, 0\n0,1,0\n",
            "coordinates count from 1",
        ),
        ("Piskvorky 15x15, 11:11, 0\n1,16,0\n", "beyond the board"),
        (
            "Piskvorky 15x15, 11:11, 0\n1,1,0\na\nb\n-1\n1,2\n",
            "rule 2, which is not known",
        ),
    ];
    for (text, reason) in rows {
        let error = format!("{:#}", read(variant("freestyle"), text).unwrap_err());
        assert!(error.contains(reason), "{text}: {error}");
    }
    let double_three = "h9a1h10c1g8e1f8g1h8";
    let error = read(variant("renju"), double_three).unwrap_err();
    assert_eq!(
        format!("{error:#}"),
        "move 9: h8 is forbidden: double three"
    );
    assert!(read(variant("standard"), double_three).is_ok());
}

#[test]
fn positions_are_read_in_any_order_of_stones() {
    let variant = variant("renju");
    let position = parse_position(variant, "h8a1 h9,c1 g8e1f8g1h10").unwrap();
    let again = parse_position(variant, &position_text(&position)).unwrap();
    assert_eq!(again, position);
    assert!(parse_position(variant, "h8h8").is_err());
}

#[test]
fn stones_of_an_opening_keep_their_order_in_records() {
    // Placed last j10 would be forbidden, a double three; it was placed first.
    let start = parse_position(variant("renju"), "j10a15j9c15h10e15j8g15i10").unwrap();
    let text = write("psq", &start, &[], None, &Details::default());
    let (_, moves) = read(variant("renju"), &text).unwrap();
    assert_eq!(position_text(&start), "j10a15j9c15h10e15j8g15i10");
    assert_eq!(
        moves,
        parse_points(start.variant(), &position_text(&start)).unwrap()
    );
}
