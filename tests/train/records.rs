//! Learning from recorded games alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use keima::data::batch::Batch;
use keima::data::check;
use keima::data::collection::{Collection, Part};
use keima::data::records::{Manifest, RecordSettings};
use keima::data::shard::{self, LineKind, Shard};
use keima::data::stream::{Stream, StreamSettings};
use keima::go::{BoardSize, Komi, Move, Position, Rules};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::folders;
use crate::running::remarks;
use crate::under_test;

/// An empty folder of its own for a test.
fn fresh(name: &str) -> PathBuf {
    folders::folder(&format!("records-{name}"))
}

/// The letters of a game on 7x7 whose players, after two random moves, always take the next free
/// point in rows from the last move.
fn game(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let size = BoardSize::square(7);
    let mut position = Position::new(size, Rules::CHINESE, Komi::default());
    let (mut text, mut last) = (String::new(), 0);
    for number in 0..30 {
        let begin = if number < 2 {
            rng.random_range(0..49)
        } else {
            last + 1
        };
        let places = (begin..begin + 49).map(|place| place % 49);
        let legal = |place: &usize| position.is_legal(Move::Play(size.point_at(*place)));
        let Some(place) = places.clone().find(legal) else {
            break;
        };
        position.play(Move::Play(size.point_at(place)));
        let letter = |place: usize| char::from(b'a' + place as u8);
        text.extend([letter(place % 7), letter(place / 7)]);
        last = place;
    }
    text
}

/// A table of such games, with these results in turn.
fn table(folder: &Path, games: u64, results: &[&str]) -> PathBuf {
    let rows = (0..games).map(|seed| {
        let result = results[seed as usize % results.len()];
        let source = if seed % 2 == 0 { "club" } else { "beginners" };
        format!("{source}\t7\t6.5\tchinese\t{result}\t{}\n", game(seed))
    });
    let path = folder.join("games.tsv");
    let head = "source\tsize\tkomi\trules\tresult\tmoves\n";
    fs::write(&path, head.to_owned() + &rows.collect::<String>()).unwrap();
    path
}

fn settings() -> RecordSettings {
    RecordSettings {
        positions_per_game: 4,
        held_out: 0.25,
        ..RecordSettings::default()
    }
}

/// Labels of a part of the games of a table.
fn labelled(folder: &Path, table: &Path, part: Part, settings: &RecordSettings) -> Vec<Shard> {
    let sources = [table.to_owned()];
    let manifest = Manifest::new(&sources, part, settings, None, 3).unwrap();
    let (games, _) = Collection::read(&sources, &|_| ()).unwrap();
    let made = manifest.folder(folder).unwrap();
    let labels = manifest.write(&made, &games).unwrap();
    assert!(check::check(&made, &|| ()).unwrap().faults.is_empty());
    let shards = shard::in_folder(&made).unwrap().into_iter();
    let shards: Vec<Shard> = shards
        .map(|file| Shard::from_bytes(&fs::read(file).unwrap()).unwrap())
        .collect();
    assert_eq!(shards.iter().map(Shard::labels).sum::<usize>(), labels);
    shards
}

fn train(run: &Path, data: &Path, options: &str) -> Output {
    training(run, data, options).output().unwrap()
}

fn training(run: &Path, data: &Path, options: &str) -> Command {
    let mut command = under_test::program();
    let usual =
        "--arch b1c16 --batch 16 --micro-batch 8 --warmup 64 --threads 1 --seed 5 --optimizer muon";
    command
        .args(["train", run.to_str().unwrap(), "--data"])
        .arg(data);
    command
        .args(usual.split(' '))
        .args(options.split_whitespace());
    command
}

/// The last value of a metric.
fn metric(run: &Path, name: &str) -> Option<f64> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let mut values = lines.filter_map(|line: Value| line.get(name)?.as_f64());
    values.next_back()
}

#[test]
fn targets_are_the_moves_and_results_of_a_game() {
    let folder = fresh("targets");
    let table = table(&folder, 60, &["B+R", "W+3.5", "?", "B+T", "0"]);
    let settings = RecordSettings {
        not_imitated: vec!["beginners".to_owned()],
        ..settings()
    };
    let mut seen = BTreeSet::new();
    for shard in labelled(&folder, &table, Part::Train, &settings) {
        for line in &shard.lines {
            assert_eq!(line.kind, LineKind::Record);
            assert!(line.labels.len() <= 4);
            let is_club = shard.sources[usize::from(line.source)] == "club";
            for label in &line.labels {
                let values = &label.values;
                let played = line.line.moves[usize::from(label.ply)];
                assert_eq!(label.next, Some(played.index() as u16));
                assert_eq!(label.is_human, is_club);
                assert_eq!(values.knows_policy(), is_club);
                let mut legal = vec![false; 50];
                legal[played.index()] = true;
                legal[0] = true;
                if is_club {
                    assert_eq!(values.policy(&legal)[played.index()], 1.0);
                }
                let [win, ..] = values.outcome();
                let known = (values.knows_outcome(), values.knows_score());
                seen.insert((known, (win * 100.0).round() as u8));
                if known == (true, true) && win != 0.5 && win < 0.9 && win > 0.1 {
                    assert_eq!(values.score_mean(), 0.0);
                }
                assert!(!values.knows_stdev());
                assert!(values.errors().iter().all(Option::is_none));
            }
        }
    }
    // Resigned, by points, a draw, and without a result or lost on time.
    let expected = [
        ((false, false), 50),
        ((true, false), 0),
        ((true, false), 100),
        ((true, true), 0),
        ((true, true), 50),
        ((true, true), 100),
    ];
    assert_eq!(seen, BTreeSet::from(expected));
}

#[test]
fn unknown_targets_have_no_weight() {
    let folder = fresh("weights");
    let table = table(&folder, 40, &["?", "B+R", "W+2.5"]);
    labelled(&folder, &table, Part::Train, &settings());
    let made = folder.join("records").read_dir().unwrap();
    let made: Vec<PathBuf> = made.map(|entry| entry.unwrap().path()).collect();
    let of_batch = StreamSettings {
        batch: 40,
        ..StreamSettings::default()
    };
    let mut stream = Stream::open(&made, of_batch).unwrap();
    let batch: Batch = stream.next_batch().unwrap();
    batch.check().unwrap();
    let kinds: BTreeSet<(u32, u32)> = batch
        .targets
        .weights
        .iter()
        .map(|weights| {
            assert_eq!(
                (weights.policy, weights.soft_policy, weights.human),
                (1.0, 1.0, 1.0)
            );
            assert_eq!(
                (weights.stdev, weights.shortterm, weights.ownership),
                (0.0, 0.0, 0.0)
            );
            (weights.outcome as u32, weights.score as u32)
        })
        .collect();
    assert_eq!(kinds, BTreeSet::from([(0, 0), (1, 0), (1, 1)]));
}

#[test]
fn games_are_split_by_their_moves() {
    let folder = fresh("split");
    let all = table(&folder, 80, &["B+R"]);
    let moves = |part| -> BTreeSet<Vec<u16>> {
        let shards = labelled(&folder, &all, part, &settings());
        let lines = shards.into_iter().flat_map(|shard| shard.lines);
        let first =
            |line: shard::LabelledLine| line.line.moves.iter().take(4).map(|code| code.0).collect();
        lines.map(first).collect()
    };
    let (train, held_out) = (moves(Part::Train), moves(Part::HeldOut));
    assert!(train.is_disjoint(&held_out));
    assert!((8..32).contains(&held_out.len()), "{}", held_out.len());
    assert!(train.len() > 40);
}

#[test]
fn a_record_with_passes_at_its_end_is_the_same_game() {
    let folder = fresh("copies");
    let rows = (0..60).map(|seed| {
        let moves = game(seed);
        format!("7\t{moves}\n7\t{moves}----\n")
    });
    let path = folder.join("copies.tsv");
    let text = "size\tmoves\n".to_owned() + &rows.collect::<String>();
    fs::write(&path, text).unwrap();
    let (games, tally) = Collection::read(&[path], &|_| ()).unwrap();
    assert_eq!(games.len(), 60, "{tally}");
}

#[test]
fn moves_that_are_not_imitated_teach_no_policy_at_all() {
    let folder = fresh("not-imitated");
    let all = table(&folder, 20, &["B+R"]);
    let settings = RecordSettings {
        not_imitated: vec!["club".to_owned()],
        held_out: 0.0,
        ..settings()
    };
    let mut imitated = [0, 0];
    for shard in labelled(&folder, &all, Part::Train, &settings) {
        for line in &shard.lines {
            let is_imitated = shard.sources[usize::from(line.source)] != "club";
            for label in &line.labels {
                assert_eq!(label.values.knows_policy(), is_imitated);
                assert!(is_imitated || label.reply.is_none());
                imitated[usize::from(is_imitated)] += 1;
            }
        }
    }
    assert!(imitated.iter().all(|&labels| labels > 0), "{imitated:?}");
}

#[test]
fn a_net_learns_the_moves_of_games() {
    let folder = fresh("learn");
    let games = table(&folder, 300, &["B+R", "W+R"]);
    let run = folder.join("run");
    let output = train(
        &run,
        &games,
        "--samples 6400 --rate 0.01 --average-half-life 500",
    );
    assert!(output.status.success(), "{}", remarks(&output));
    let top = metric(&run, "val/7x7/human_top1").unwrap();
    let five = metric(&run, "val/7x7/human_top5").unwrap();
    // One of about 35 legal moves.
    assert!(top > 0.3 && five > top, "{top} {five}");
    assert!(metric(&run, "val/all/value_square_error").unwrap() > 0.0);
    // Without scores there is no error of scores.
    assert_eq!(metric(&run, "val/all/lead_error"), None);
    let made = || fs::read_dir(run.join("records")).unwrap().count();
    assert_eq!(made(), 2);
    let again = train(&run, &games, "--samples 6416");
    assert!(again.status.success(), "{}", remarks(&again));
    assert!(
        !remarks(&again).contains("games kept"),
        "read again: {}",
        remarks(&again)
    );
    let fewer = train(&run, &games, "--samples 6432 --positions-per-game 1");
    assert!(fewer.status.success(), "{}", remarks(&fewer));
    assert_eq!(made(), 4, "{}", remarks(&fewer));
}

#[test]
fn bad_records_are_counted_or_refused() {
    let folder = fresh("bad");
    let empty = folder.join("empty");
    fs::create_dir(&empty).unwrap();
    let run = |name: &str| folder.join(name);
    let refused = |data: &Path, name: &str| {
        let output = train(&run(name), data, "--samples 16");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(!run(name).join("run.json").exists());
        remarks(&output)
    };
    assert!(refused(&empty, "1").contains("holds neither labels nor game records"));
    let records = folder.join("records");
    fs::create_dir(&records).unwrap();
    fs::write(records.join("broken.sgf"), "(;GM[1]SZ[9").unwrap();
    fs::write(records.join("short.sgf"), "(;SZ[9];B[ee];W[cc])").unwrap();
    let text = refused(&records, "2");
    assert!(
        text.contains("no usable games") && text.contains("fewer than 10 moves"),
        "{text}"
    );
    table(&records, 60, &["B+R"]);
    let output = train(&run("3"), &records, "--samples 16 --held-out 0");
    let text = remarks(&output);
    assert!(output.status.success(), "{text}");
    assert!(
        text.contains("2  records skipped") && text.contains("unreadable game record"),
        "{text}"
    );
    let odd = folder.join("games.txt");
    fs::write(&odd, "no games").unwrap();
    assert!(refused(&odd, "4").contains("neither a folder nor a file named .sgf or .tsv"));
}

#[test]
fn a_run_named_by_a_relative_path_goes_on_from_anywhere() {
    let folder = fresh("relative");
    table(&folder, 60, &["B+R", "W+R"]);
    let options = "--samples 32 --held-out 0.25 --validate-every 16";
    let mut begin = training(Path::new("run"), Path::new("games.tsv"), options);
    let begun = begin.current_dir(&folder).output().unwrap();
    assert!(begun.status.success(), "{}", remarks(&begun));
    let go_on = |run: &Path, samples: u64| {
        let mut command = under_test::program();
        command.args(["train", run.to_str().unwrap(), "--threads", "1"]);
        command.args(["--samples", &samples.to_string()[..]]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", remarks(&output));
        assert!(!remarks(&output).contains("no validation"), "{output:?}");
    };
    let run = folder.join("run");
    go_on(&run, 64);
    // It may also be moved, and earlier versions stored relative paths.
    let (manifest, moved) = (run.join("run.json"), folder.join("moved/run"));
    let text = fs::read_to_string(&manifest).unwrap();
    let start = format!("{}/", folder.display());
    fs::write(&manifest, text.replace(&start, "")).unwrap();
    fs::create_dir(folder.join("moved")).unwrap();
    fs::rename(&run, &moved).unwrap();
    go_on(&moved, 96);
    let (renamed, again) = (folder.join("renamed"), folder.join("again"));
    fs::rename(&moved, &renamed).unwrap();
    go_on(&renamed, 112);
    // Without its labels for validation it makes them again where there are games, whatever its name was.
    fs::remove_dir_all(renamed.join("records")).unwrap();
    fs::rename(&renamed, &again).unwrap();
    let output = train(&again, &folder.join("games.tsv"), "--samples 128");
    assert!(output.status.success(), "{}", remarks(&output));
    assert!(!remarks(&output).contains("no validation"), "{output:?}");
    assert_eq!(fs::read_dir(again.join("records")).unwrap().count(), 2);
}

#[test]
fn a_check_of_labels_averages_what_is_known() {
    let folder = fresh("check");
    let sources = [table(&folder, 40, &["B+R", "?"])];
    let manifest = Manifest::new(&sources, Part::Train, &settings(), None, 3).unwrap();
    let (games, _) = Collection::read(&sources, &|_| ()).unwrap();
    let made = manifest.folder(&folder).unwrap();
    manifest.write(&made, &games).unwrap();
    let report = check::check(&made, &|| ()).unwrap().to_string();
    let line = "mean |win - loss| 1.000, no result 0.0000\n";
    assert!(report.contains(line), "{report}");
}
