//! Game records as SGF: files of many habits, exact round trips, and junk that must do no harm.

use std::cell::Cell;

use crate::cases::cases;
use keima::formats::sgf::{self, ReadOptions};
use keima::go::{
    BoardSize, Color, GameEnd, GameRecord, GameResult, Komi, Move, Point, Position, Rules, Setup,
    diagram,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const VARIATIONS: &[u8] = include_bytes!("../data/variations.sgf");
const HANDICAP: &[u8] = include_bytes!("../data/handicap_latin1_crlf.sgf");
const RECTANGLE: &[u8] = include_bytes!("../data/rectangle.sgf");
const SET_UP_LATER: &[u8] = include_bytes!("../data/set_up_later.sgf");
const COLLECTION: &[u8] = include_bytes!("../data/collection.sgf");

fn read(text: &str) -> GameRecord {
    sgf::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error:#}"))
}

/// The whole chain of causes.
fn error(text: &str) -> String {
    let error = sgf::parse(text.as_bytes()).expect_err(text);
    format!("{error:#}")
}

fn board(record: &GameRecord) -> String {
    diagram::compact(record.position().expect("a game").board())
}

fn moves(record: &GameRecord) -> Vec<String> {
    let text = |(color, mv): &(Color, Move)| format!("{}{mv}", color.letter());
    record.moves.iter().map(text).collect()
}

#[test]
fn the_main_line_is_read_and_variations_are_skipped() {
    let record = sgf::parse(VARIATIONS).unwrap();
    let expected = [
        "BB3", "WC3", "BC4", "WB4", "BD4", "WA5", "BD3", "WB2", "BC2",
    ];
    assert_eq!(moves(&record), expected);
    assert_eq!(board(&record), "O..../.OXX./.X.X./.OX../.....");
    assert_eq!(record.setup.komi, Komi::from_half(13));
    assert_eq!(record.setup.rules, Rules::CHINESE);
    assert_eq!(
        record.result.map(|result| result.to_string()).as_deref(),
        Some("B+R")
    );
    assert_eq!(record.names[Color::Black].as_deref(), Some("Ann [5k]"));
    assert_eq!(record.names[Color::White].as_deref(), Some("Bob"));
    assert_eq!(record.ranks[Color::White].as_deref(), Some("1d"));
    assert_eq!(record.event.as_deref(), Some("Club evening"));
    assert_eq!(record.date.as_deref(), Some("2024-02-29"));
    let comments: Vec<(usize, &str)> = record
        .comments
        .iter()
        .map(|(&at, text)| (at, text.as_str()))
        .collect();
    let expected = [
        (0, "Hello: a ] and a \\ and a long line.\nSecond line."),
        (1, "Not ( the middle );"),
        (9, "White's stone is taken."),
    ];
    assert_eq!(comments, expected);
}

#[test]
fn old_names_latin1_and_crlf_are_understood() {
    let record = sgf::parse(HANDICAP).unwrap();
    assert_eq!(record.handicap, 3);
    assert_eq!(record.setup.size, BoardSize::square(13));
    assert_eq!(record.setup.rules, Rules::JAPANESE);
    assert_eq!(record.setup.komi, Komi::from_half(1));
    assert_eq!(record.setup.to_move, Color::White);
    assert_eq!(record.setup.stones.len(), 3);
    assert_eq!(record.names[Color::Black].as_deref(), Some("José"));
    assert_eq!(record.names[Color::White].as_deref(), Some("Müller"));
    assert_eq!(record.comments[&2], "quatre-vingt\nsoixante");
    assert_eq!(moves(&record), ["WG10", "BG7", "WK10", "Bpass", "Wpass"]);
    let position = record.position().unwrap();
    assert_eq!(position.handicap_stones(), 3);
    assert_eq!(position.end(), GameEnd::Passed);
}

#[test]
fn rectangles_have_compressed_lists_and_passes() {
    let record = sgf::parse(RECTANGLE).unwrap();
    assert_eq!(record.setup.size, BoardSize::new(9, 7).unwrap());
    assert_eq!(moves(&record), ["WJ1", "Bpass", "WJ7", "Bpass"]);
    assert_eq!(
        board(&record),
        "XXX.....O/........./........X/........./........./........./OO......O"
    );
    assert_eq!(record.setup.komi, Komi::from_half(-6));
    assert_eq!(record.setup.rules, Rules::NEW_ZEALAND);
}

#[test]
fn setup_after_moves_restarts_record() {
    let record = sgf::parse(SET_UP_LATER).unwrap();
    assert_eq!(moves(&record), ["BD2", "WD1"]);
    assert_eq!(board(&record), "...../...../..X../..OX./XX.OO");
    assert_eq!(record.setup.stones.len(), 5);
    assert_eq!(record.comments[&0], "set up");
    assert_eq!(record.comments[&1], "after");
    let before = |before_move| {
        let options = ReadOptions {
            before_move: Some(before_move),
            ..ReadOptions::default()
        };
        board(&sgf::parse_with(SET_UP_LATER, &options).unwrap())
    };
    assert_eq!(before(1), "X..../...../...../...../.....");
    assert_eq!(before(2), "X..../...../..X../...../.....");
    assert_eq!(before(3), "...../...../..X../..O../XX..O");
    assert_eq!(before(4), "...../...../..X../..OX./XX..O");
    assert_eq!(before(99), board(&record));
}

#[test]
fn the_first_game_of_a_collection_counts() {
    let record = sgf::parse(COLLECTION).unwrap();
    assert_eq!(record.setup.size, BoardSize::square(9));
    assert_eq!(moves(&record), ["BE5", "WC5"]);
    assert_eq!(record.comments[&2], "first game \u{2605}");
}

#[test]
fn what_is_missing_has_a_default() {
    let record = read("(;)");
    assert_eq!(record, GameRecord::new(record.setup.clone()));
    assert_eq!(record.setup.size, BoardSize::square(19));
    assert_eq!(record.setup.komi, Komi::default());
    assert_eq!(record.setup.rules, Rules::TROMP_TAYLOR);
    let options = ReadOptions {
        rules: Rules::AGA,
        komi: Komi::from_half(15),
        before_move: None,
    };
    let record = sgf::parse_with(b"(;SZ[]KM[]HA[];B[])", &options).unwrap();
    assert_eq!(
        (record.setup.rules, record.setup.komi),
        (Rules::AGA, Komi::from_half(15))
    );
    let record = sgf::parse_with(b"(;KM[0]RU[Japanese])", &options).unwrap();
    assert_eq!(
        (record.setup.rules, record.setup.komi),
        (Rules::JAPANESE, Komi::default())
    );
    let record = sgf::parse_with(b"(;RU[of the house])", &options).unwrap();
    assert_eq!(record.setup.rules, Rules::AGA);
    assert_eq!(record.unknown_rules.as_deref(), Some("of the house"));
}

#[test]
fn numbers_of_other_programs_are_understood() {
    let komi = |text: &str| read(text).setup.komi.to_string();
    assert_eq!(komi("(;KM[6,5])"), "6.5");
    assert_eq!(komi("(;KM[ 7 ])"), "7");
    assert_eq!(komi("(;KM[3.75])"), "7.5");
    assert_eq!(komi("(;KM[375]AP[foxwq])"), "7.5");
    assert_eq!(komi("(;AP[foxwq:1]KM[650])"), "6.5");
    assert_eq!(komi("(;KM[375])"), "7.5");
    assert_eq!(komi("(;KM[375]AP[keima:9])"), "375");
    assert_eq!(read("(;HA[0])").handicap, 0);
    assert_eq!(read("(;HA[1])").handicap, 1);
    assert_eq!(read("(;RE[W+2,5])").result.unwrap().to_string(), "W+2.5");
    assert_eq!(read("(;RE[who knows])").result, None);
    assert_eq!(read("(;RE[?])").result, Some(GameResult::Unknown));
}

#[test]
fn rules_are_read_by_name_and_as_katago_writes_them() {
    let rules = |text: &str| read(&format!("(;RU[{text}])")).setup.rules;
    assert_eq!(rules("JAPANESE"), Rules::JAPANESE);
    assert_eq!(rules("GOE"), Rules::ING);
    assert_eq!(rules("Tromp-Taylor"), Rules::TROMP_TAYLOR);
    assert_eq!(rules("Chinese rules"), Rules::CHINESE);
    assert_eq!(
        rules("koSITUATIONALscoreAREAtaxNONEsui0whbN-1fpok1"),
        Rules::AGA
    );
    assert_eq!(
        rules("{\"ko\":\"SIMPLE\",\"scoring\":\"TERRITORY\",\"suicide\":false}"),
        Rules::JAPANESE
    );
}

#[test]
fn the_turn_follows_from_the_first_move_and_the_handicap() {
    let turn = |text: &str| read(text).setup.to_move;
    assert_eq!(turn("(;AB[aa][bb])"), Color::White);
    assert_eq!(turn("(;AB[aa])"), Color::Black);
    assert_eq!(turn("(;AB[aa][bb]AW[cc])"), Color::Black);
    assert_eq!(turn("(;AB[aa][bb];B[cc])"), Color::Black);
    assert_eq!(turn("(;W[cc])"), Color::White);
    assert_eq!(turn("(;PL[W])"), Color::White);
    assert_eq!(turn("(;PL[white])"), Color::White);
    assert_eq!(turn("(;PL[B]AB[aa][bb])"), Color::Black);
}

#[test]
fn handicap_without_stones_is_not_guessed() {
    let record = read("(;SZ[9]HA[4];W[ee])");
    assert_eq!((record.handicap, record.setup.stones.len()), (4, 0));
    let record = read("(;SZ[9]HA[2];B[cc];B[gg];W[ee])");
    assert_eq!(record.setup.stones, []);
    assert_eq!(record.position().unwrap().handicap_stones(), 2);
    assert_eq!(read("(;SZ[9]HA[2]PL[W];W[ee])").setup.stones, []);
}

#[test]
fn tt_is_a_pass_up_to_19_and_a_point_beyond() {
    assert_eq!(moves(&read("(;SZ[19];B[tt];W[])")), ["Bpass", "Wpass"]);
    assert_eq!(moves(&read("(;SZ[21];B[tt];W[])")), ["BU2", "Wpass"]);
    assert_eq!(moves(&read("(;SZ[25];B[yy];W[aa])")), ["BZ1", "WA25"]);
}

#[test]
fn a_turn_that_is_only_confirmed_changes_nothing() {
    let record = read("(;SZ[9];B[aa]PL[W];PL[W];W[bb];PL[W])");
    assert_eq!(moves(&record), Vec::<String>::new());
    assert_eq!(record.setup.to_move, Color::White);
    let record = read("(;SZ[9];B[aa];PL[W];W[bb];PL[B])");
    assert_eq!(moves(&record), ["BA9", "WB8"]);
}

#[test]
fn comments_of_nodes_without_moves_join_the_last_move() {
    let record = read("(;SZ[9];B[aa]C[one];C[two]N[x];;W[bb];C[a][b])");
    assert_eq!(record.comments[&1], "one\ntwo");
    assert_eq!(record.comments[&2], "a\nb");
}

#[test]
fn moves_are_numbered_for_loadsgf() {
    let at = |number: usize| {
        let options = ReadOptions {
            before_move: Some(number),
            ..ReadOptions::default()
        };
        let record = sgf::parse_with(b"(;SZ[9];B[aa]C[x];W[bb];B[cc])", &options).unwrap();
        (record.moves.len(), record.position().unwrap().to_move())
    };
    let expected = [
        (0, Color::Black),
        (0, Color::Black),
        (1, Color::White),
        (2, Color::Black),
    ];
    assert_eq!([at(0), at(1), at(2), at(3)], expected);
    assert_eq!([at(4), at(1000)], [(3, Color::White); 2]);
}

#[test]
fn positions_of_a_record_name_the_bad_move() {
    let record = read("(;SZ[9];B[aa];W[bb];B[aa])");
    let error = record.position().err().expect("an error").to_string();
    assert_eq!(error, "move 3, black A9: point is occupied");
    assert_eq!(record.position_at(2).unwrap().turn(), 2);
    assert_eq!(record.position_at(0).unwrap().turn(), 0);
    let record = read("(;SZ[2]AB[aa]AW[ab][ba])");
    let error = record.position().err().expect("an error").to_string();
    assert_eq!(error, "impossible setup: no liberties at A2");
}

#[test]
fn errors_say_what_is_wrong() {
    let cases = [
        ("", "no game found"),
        ("play B D4", "no game found"),
        ("(;C[never closed)", "node 1: a value has no end"),
        (
            "(;SZ[9];B[jj])",
            "node 2: column 10 of row 10 from the top is not on a board of 9x9",
        ),
        ("(;SZ[9];B[d4])", "node 2: B[d4] is no move"),
        ("(;SZ[9];B[aa][bb])", "node 2: B[aa][bb] is no move"),
        ("(;SZ[1])", "boards of 1x1 are not supported"),
        ("(;SZ[26])", "boards of 26x26 are not supported"),
        ("(;SZ[nine])", "SZ[nine] is no board size"),
        ("(;GM[2])", "not a game of Go"),
        ("(;SZ[9]AB[aa]AW[aa])", "node 1: A9 is set up twice"),
        (
            "(;SZ[9];B[aa];W[aa];AB[bb])",
            "node 4: move 2, white A9: point is occupied",
        ),
        ("(;SZ[9];B)", "node 2: B has no value"),
    ];
    for (text, expected) in cases {
        let message = error(text);
        assert!(message.starts_with(expected), "{text}: {message}");
    }
}

#[test]
fn deep_nesting_and_long_games_do_no_harm() {
    let nested = format!("(;SZ[9]{}", "(;B[];W[];B[]".repeat(50_000));
    assert_eq!(read(&nested).moves.len(), 150_000);
    assert!(sgf::parse("(".repeat(1_000_000).as_bytes()).is_err());
    let variations = format!("(;SZ[9];B[aa]{})", "(;W[bb])".repeat(100_000));
    assert_eq!(read(&variations).moves.len(), 2);
}

#[test]
fn repeated_set_ups_and_marks_count_once() {
    let repeated = format!("(;SZ[25]{}", "AB[aa:yy]MA[aa:yy]".repeat(20_000));
    let whole = format!("{repeated})");
    let reading = sgf::read(whole.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(reading.record.setup.stones.len(), 625);
    assert_eq!(reading.marks.len(), 625);
    let twice = format!("{repeated}AE[cc])");
    assert_eq!(error(&twice), "node 1: C23 is set up twice");
}

#[test]
fn the_text_written_is_the_text_expected() {
    let mut record = sgf::parse(RECTANGLE).unwrap();
    record.names[Color::White] = Some("A]\\\nB".to_owned());
    record.comments.insert(0, "1\n[2]\\".to_owned());
    record.comments.insert(3, "three".to_owned());
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!(
        "(;FF[4]GM[1]CA[UTF-8]AP[keima:{version}]SZ[9:7]KM[-3]RU[NZ]PW[A\\]\\\\ B]\
         AB[aa][ba][ca][ic]AW[ag][bg]PL[W]C[1\n[2\\]\\\\]\n;W[ig];B[];W[ia]C[three];B[])\n"
    );
    assert_eq!(sgf::write(&record), expected);
}

#[test]
fn files_survive_a_round_trip() {
    for bytes in [VARIATIONS, HANDICAP, RECTANGLE, SET_UP_LATER, COLLECTION] {
        let record = sgf::parse(bytes).unwrap();
        assert_eq!(sgf::parse(sgf::write(&record).as_bytes()).unwrap(), record);
    }
}

/// A random legal game with everything a record can hold.
fn random_record(seed: u64) -> GameRecord {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let size = BoardSize::new(rng.random_range(2..=25), rng.random_range(2..=25)).expect("a size");
    let rules = Rules::NAMED[rng.random_range(0..Rules::NAMED.len())].1;
    let mut setup = Setup::new(size, rules, Komi::from_half(rng.random_range(-900..900)));
    setup.rules.suicide ^= rng.random_bool(0.2);
    if rng.random_bool(0.5) {
        setup.stones = random_stones(&mut rng, size);
    }
    if rng.random_bool(0.3) {
        setup.to_move = Color::White;
    }
    let mut record = GameRecord::new(setup);
    record.handicap = rng.random_range(0..10).min(size.area());
    let mut position = record.setup.position().expect("a sparse setup");
    for _ in 0..rng.random_range(0..120) {
        let legal: Vec<Move> = position.legal_moves().collect();
        let mv = legal[rng.random_range(0..legal.len())];
        record.moves.push((position.to_move(), mv));
        position.play(mv);
        if rng.random_bool(0.1) {
            record
                .comments
                .insert(record.moves.len(), random_text(&mut rng, true));
        }
    }
    for text in record.names.0.iter_mut().chain(&mut record.ranks.0) {
        *text = rng.random_bool(0.5).then(|| random_text(&mut rng, false));
    }
    record.date = rng.random_bool(0.5).then(|| random_text(&mut rng, false));
    let results = ["B+3.5", "W+R", "B+T", "W+F", "0", "Void", "?", "W+"];
    record.result = results
        .get(rng.random_range(0..12))
        .map(|text| text.parse().expect("a result"));
    record
}

/// Stones so far apart that none lacks a liberty.
fn random_stones(rng: &mut ChaCha8Rng, size: BoardSize) -> Vec<(Point, Color)> {
    let apart = |point: &Point| point.column() & 1 == 0 && point.row() & 1 == 0;
    let mut stones = Vec::new();
    for point in size.points().filter(apart) {
        if rng.random_bool(0.3) {
            stones.push((point, Color::BOTH[rng.random_range(0..2)]));
        }
    }
    stones
}

fn random_text(rng: &mut ChaCha8Rng, lines: bool) -> String {
    let mut pieces = vec![
        "[", "]", "\\", "\\]", ":", "(;B[aa])", " ", "\t", "é", "囲碁", "x",
    ];
    if lines {
        pieces.extend(["\n", "\\\n", "\n\n"]);
    }
    let count = rng.random_range(1..20);
    (0..count)
        .map(|_| pieces[rng.random_range(0..pieces.len())])
        .collect()
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn records_survive_a_round_trip(seed: u64) {
        let record = random_record(seed);
        let text = sgf::write(&record);
        let again = sgf::parse(text.as_bytes()).expect("our own file");
        prop_assert_eq!(&again, &record);
        prop_assert_eq!(sgf::write(&again), text);
        let (before, after) = (record.position().expect("a game"), again.position().expect("a game"));
        prop_assert_eq!(before.board().hash(), after.board().hash());
    }

    #[test]
    fn positions_become_records_and_back(seed: u64) {
        let position = random_record(seed).position().expect("a game");
        let again = GameRecord::of(&position).position().expect("a game");
        prop_assert_eq!(again.key(), position.key());
        prop_assert_eq!(again.moves().collect::<Vec<_>>(), position.moves().collect::<Vec<_>>());
    }
}

#[test]
fn random_bytes_do_no_harm() {
    let read = Cell::new(0);
    proptest!(cases(500), |(bytes in vec(any::<u8>(), 0..200))| {
        harmless(&bytes);
        harmless(&[b"(;", &bytes[..]].concat());
        count(&read, harmless(&[b"(;SZ[9]C[", &bytes[..], b"];B[aa])"].concat()));
    });
    assert!(read.get() > 50, "{} of 500 were read", read.get());
}

#[test]
fn random_pieces_do_no_harm() {
    let read = Cell::new(0);
    proptest!(cases(500), |(pieces in vec(select(PIECES), 0..40))| {
        count(&read, harmless(pieces.concat().as_bytes()));
        count(&read, harmless(format!("(;{}", pieces.concat()).as_bytes()));
    });
    assert!(read.get() > 50, "{} of 1000 were read", read.get());
}

#[test]
fn mutated_files_do_no_harm() {
    let read = Cell::new(0);
    let changes = vec((any::<u16>(), any::<u8>(), 0..3u8), 1..6);
    proptest!(cases(500), |(file in 0..5usize, changes in changes)| {
        let mut bytes = [VARIATIONS, HANDICAP, RECTANGLE, SET_UP_LATER, COLLECTION][file].to_vec();
        for (at, byte, kind) in changes {
            let at = usize::from(at) % bytes.len();
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, b"()[];\\:"[usize::from(byte) % 7]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        count(&read, harmless(&bytes));
    });
    assert!(read.get() > 50, "{} of 500 were read", read.get());
}

/// Adds one if something was read.
fn count(read: &Cell<u32>, is_read: bool) {
    read.set(read.get() + u32::from(is_read));
}

const PIECES: &[&str] = &[
    "(",
    ")",
    ";",
    "[",
    "]",
    "\\",
    "B",
    "W",
    "B[aa]",
    "W[tt]",
    "AB[aa:cc]",
    "AE[bb]",
    "AW[ss]",
    "PL[W]",
    "SZ[",
    "SZ[5]",
    "SZ[0:300]",
    "KM[1e999]",
    "KM[-7.25]",
    "HA[99999999999999999999]",
    "HA[9]",
    "C[x",
    "RE[B+",
    "RU[{]",
    "LB[aa:",
    "FG[1:",
    "AP[",
    "VW[]",
    "TM[nan]",
    "\r\n",
    "\u{feff}",
    "GM[1]",
    "GM[x]",
    "aa]",
    "[aa:zz]",
    "é",
    "DD[",
    "AR[aa:bb]",
    "LN[aa:aa]",
    "OB[x]",
    "MN[-1]",
];

/// Whatever is read can be replayed or not, and written and read again as the same; whether anything was read.
fn harmless(bytes: &[u8]) -> bool {
    let Ok(record) = sgf::parse(bytes) else {
        return false;
    };
    let _: Result<Position, _> = record.position();
    let again = sgf::parse(sgf::write(&record).as_bytes()).expect("our own file");
    assert_eq!(again, record);
    true
}

#[test]
fn marks_before_the_first_move_are_read() {
    let text = b"(;SZ[9]AB[aa]AW[bb]TR[aa]MA[bb:cc];B[dd]SQ[ee])";
    let reading = sgf::read(text, &ReadOptions::default()).unwrap();
    let marks: Vec<String> = reading.marks.iter().map(|p| p.to_string()).collect();
    assert_eq!(marks, ["A9", "B8", "C8", "B7", "C7"]);
}

#[test]
fn variations_follow_the_record() {
    let record = sgf::parse(b"(;SZ[9]AB[aa]PL[W])").unwrap();
    let reply = |column| sgf::Variation {
        color: Color::Black,
        mv: Move::Play(Point::new(column, 0)),
        comment: String::new(),
        next: Vec::new(),
    };
    let variation = sgf::Variation {
        color: Color::White,
        mv: Move::Play(Point::new(2, 2)),
        comment: "a ] in a comment".to_owned(),
        next: vec![reply(0), reply(1)],
    };
    let text = sgf::write_with_variations(&record, &[variation]);
    assert!(text.contains("(;B[ai])\n(;B[bi]))"), "{text}");
    let read = sgf::parse(text.as_bytes()).unwrap();
    let moves: Vec<String> = read.moves.iter().map(|(_, mv)| mv.to_string()).collect();
    assert_eq!(moves, ["C3", "A1"]);
    assert_eq!(read.comments[&1], "a ] in a comment");
}
