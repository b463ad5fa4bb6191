//! Recorded games replayed from `../shared/games`, where that is present.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::time::Instant;

use flate2::read::GzDecoder;
use keima::go::{BoardSize, Color, Komi, Move, Point, Position, Rules, Setup, validate};

use crate::outside::outside;

/// One line of the table, as far as rules care.
struct Record {
    source: String,
    setup: Setup,
    moves: Vec<Move>,
}

fn vertex(size: BoardSize, letters: &[u8]) -> Option<Point> {
    let [x, y] = [letters[0], letters[1]].map(|letter| usize::from(letter.wrapping_sub(b'a')));
    let on_board = x < size.width() && y < size.height();
    on_board.then(|| size.point_at(y * size.width() + x))
}

/// None if the line does not match the table's description.
fn parse(line: &str) -> Option<Record> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [
        source,
        size,
        komi,
        _,
        _,
        _,
        first,
        black,
        white,
        count,
        moves,
    ] = fields[..]
    else {
        return None;
    };
    let size = BoardSize::square(size.parse().ok()?);
    let komi = match komi {
        "?" => Komi::default(),
        points => Komi::from_points(points.parse().ok()?)?,
    };
    let mut setup = Setup::new(size, Rules::CHINESE, komi);
    setup.to_move = first.parse().ok()?;
    for (color, stones) in [(Color::Black, black), (Color::White, white)] {
        for letters in stones.as_bytes().chunks_exact(2) {
            setup.stones.push((vertex(size, letters)?, color));
        }
    }
    let parsed: Option<Vec<Move>> = moves
        .as_bytes()
        .chunks_exact(2)
        .map(|letters| match letters {
            b"--" => Some(Move::Pass),
            _ => vertex(size, letters).map(Move::Play),
        })
        .collect();
    let moves = parsed.filter(|moves| moves.len().to_string() == count)?;
    Some(Record {
        source: source.to_string(),
        setup,
        moves,
    })
}

/// Games, games replayed to the end, moves, and the reasons for which others stopped.
#[derive(Default, Debug)]
struct Counts {
    games: usize,
    complete: usize,
    moves: usize,
    stopped: BTreeMap<String, usize>,
}

/// Replays a game by simple ko, undoes everything, and returns whether it was legal throughout.
fn replay(record: &Record, counts: &mut Counts) {
    counts.games += 1;
    let Ok(mut position) = record.setup.position() else {
        *counts.stopped.entry("setup".to_string()).or_default() += 1;
        return;
    };
    let start = position.board().hash();
    let stopped = record
        .moves
        .iter()
        .find_map(|&mv| position.try_play(mv).err());
    validate::board(position.board()).expect("a consistent board");
    counts.moves += position.turn();
    match stopped {
        None => counts.complete += 1,
        Some(reason) => *counts.stopped.entry(reason.to_string()).or_default() += 1,
    }
    while position.undo().is_some() {}
    assert_eq!(position.board().hash(), start);
}

/// Replays the first `limit` games of a file, by source; none if there is no such file.
fn replay_file(name: &str, limit: usize) -> Option<BTreeMap<String, Counts>> {
    let file = File::open(outside(&format!("games/{name}"))?).unwrap();
    let mut by_source: BTreeMap<String, Counts> = BTreeMap::new();
    for line in BufReader::new(GzDecoder::new(file))
        .lines()
        .skip(1)
        .take(limit)
    {
        let line = line.expect("readable text");
        let record = parse(&line).unwrap_or_else(|| panic!("bad line {line}"));
        replay(&record, by_source.entry(record.source.clone()).or_default());
    }
    Some(by_source)
}

fn check(by_source: &BTreeMap<String, Counts>) {
    for (source, counts) in by_source {
        println!("{source}: {counts:?}");
        assert!(
            counts.complete * 200 >= counts.games * 199,
            "{source}: {counts:?}"
        );
    }
}

#[test]
fn recent_professional_games_are_legal() {
    if let Some(by_source) = replay_file("games-valid.tsv.gz", 1500) {
        check(&by_source);
    }
}

#[test]
#[ignore = "minutes; prints the counts of all recorded games"]
fn all_recorded_games_are_legal() {
    for name in ["games-valid.tsv.gz", "games-train.tsv.gz"] {
        let start = Instant::now();
        if let Some(by_source) = replay_file(name, usize::MAX) {
            check(&by_source);
            let games: usize = by_source.values().map(|counts| counts.games).sum();
            println!(
                "{name}: {games} games in {:.1} s",
                start.elapsed().as_secs_f32()
            );
        }
    }
}

/// A game with a ko and captures, so that the file format is tested without the collection.
#[test]
fn a_line_of_the_table_is_replayed() {
    let line = "own\t5\t7.5\t0\tchinese\t?\tW\tbaabcbbc\tcadbccda\t4\tbbea--cb";
    let record = parse(line).expect("a line");
    let mut counts = Counts::default();
    replay(&record, &mut counts);
    assert_eq!((counts.complete, counts.moves), (1, 4), "{counts:?}");
    let at_once = parse(&line.replace("4\tbbea--cb", "2\tbbcb")).expect("a line");
    replay(&at_once, &mut counts);
    assert_eq!(counts.stopped, BTreeMap::from([("ko".to_string(), 1)]));
    let mut position: Position = record.setup.position().expect("a good setup");
    position.play(record.moves[0]);
    assert_eq!(position.board().captures(Color::Black), 1);
    assert!(parse("pro\t19").is_none());
}
