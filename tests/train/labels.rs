//! Labelled positions: games read, positions labelled, shards stored and read back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Instant;

use flate2::Compression;
use flate2::write::GzEncoder;
use keima::data::batch::Batch;
use keima::data::check::{self, legal_mask, position_of};
use keima::data::collection::{Collection, Part, part_of};
use keima::data::label::{Label, LabelValues, MAX_ENTRIES, sibling_groups};
use keima::data::label_folder::{GamesIdentity, LabelFolder, LabelSettings, NetIdentity};
use keima::data::line::{Line, MoveCode};
use keima::data::plan::SizeMix;
use keima::data::sampler::{Sampler, SamplerSettings, ShardLabels};
use keima::data::shard::{LabelledLine, LineKind, Shard};
use keima::data::stream::{MOST_KOMI_SHIFT, Stream, StreamSettings, batch_of};
use keima::data::tally::Tally;
use keima::data::tsv::{self, GameRow};
use keima::go::{BoardSize, Color, Komi, Position, Rules, Symmetry};
use keima::nn::arch::Arch;
use keima::nn::backend::{self, DeviceChoice, Precision};
use keima::nn::desc::{InputVersion, Net};
use keima::nn::evaluator::{NetEvaluator, NetRequest, NetSettings};
use keima::nn::features::FeatureSettings;
use keima::nn::network::Network;
use keima::nn::output::PolicySettings;
use keima::nn::symmetrized::PointMap;
use keima::train::validation::{self, HumanMoves};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cases::cases;
use crate::folders::folder;
use crate::nets::NETWORK;
use crate::outside::outside;
use crate::under_test;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
const HEAD: &str =
    "#source\tsize\tkomi\thandicap\trules\tresult\tfirst\tsetup_black\tsetup_white\tmoves_n\tmoves";

fn teacher() -> &'static NetEvaluator {
    static TEACHER: OnceLock<NetEvaluator> = OnceLock::new();
    TEACHER.get_or_init(|| {
        let network = Network::read_file(Path::new(NETWORK)).unwrap();
        evaluator(&network.into_net().unwrap())
    })
}

fn evaluator(net: &Net) -> NetEvaluator {
    let opened = backend::open(DeviceChoice::Cpu, Precision::F32).unwrap();
    NetEvaluator::new(net, &opened.backend, NetSettings::default()).unwrap()
}

/// Random legal moves in the letters of a table.
fn random_game(size: usize, moves: usize, seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let size = BoardSize::square(size);
    let mut position = Position::new(size, Rules::CHINESE, Komi::default());
    let mut text = String::new();
    for _ in 0..moves {
        let legal: Vec<_> = position
            .legal_moves()
            .filter(|mv| mv.point().is_some())
            .collect();
        let mv = legal[rng.random_range(0..legal.len())];
        let index = size.index(mv.point().unwrap());
        let letter = |place: usize| char::from(b'a' + place as u8);
        text.extend([letter(index % size.width()), letter(index / size.width())]);
        position.play(mv);
    }
    text
}

fn row(size: usize, moves: &str) -> String {
    format!(
        "club\t{size}\t6.5\t0\tJapanese\tB+R\tB\t\t\t{}\t{moves}",
        moves.len() / 2
    )
}

/// A table of random games of 9x9, gzipped.
fn table(folder: &Path, games: u64) -> PathBuf {
    let rows: Vec<String> = (0..games)
        .map(|seed| row(9, &random_game(9, 40, seed)))
        .collect();
    let path = folder.join("games.tsv.gz");
    let mut file = GzEncoder::new(fs::File::create(&path).unwrap(), Compression::fast());
    writeln!(file, "{HEAD}\n{}", rows.join("\n")).unwrap();
    file.finish().unwrap();
    path
}

fn read(paths: &[PathBuf]) -> (Collection, Tally) {
    Collection::read(paths, &|_| {}).unwrap()
}

fn settings(seed: u64) -> SamplerSettings {
    SamplerSettings {
        seed,
        part: Part::Train,
        held_out: 0.1,
        labels: 40,
        ownership: true,
        not_imitated: Vec::new(),
        side_positions: 1.0,
        siblings: 1,
        min_occupancy: 0.0,
        rings: 0.0,
        game_share: None,
    }
}

fn run_folder(path: &Path, sizes: &str, sampler: &SamplerSettings) -> LabelFolder {
    let sizes: Vec<String> = sizes.split(',').map(str::to_owned).collect();
    let teacher = NetIdentity {
        name: "s8".to_owned(),
        sha256: "00112233445566778899".to_owned(),
        precision: "f32".to_owned(),
    };
    let games = GamesIdentity {
        count: 0,
        digest: String::new(),
    };
    let sizes = SizeMix::parse(&sizes).unwrap();
    LabelFolder::create(
        path,
        &LabelSettings::new(sampler, &sizes, teacher, None, games),
    )
    .unwrap()
}

fn shards(folder: &LabelFolder) -> Vec<Vec<u8>> {
    let files = folder.shard_files().unwrap();
    files.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn labelled(name: &str, sizes: &str, shards: u32) -> (LabelFolder, PathBuf) {
    labelled_as(settings(5), name, sizes, shards)
}

fn labelled_as(
    settings: SamplerSettings,
    name: &str,
    sizes: &str,
    shards: u32,
) -> (LabelFolder, PathBuf) {
    let path = folder(name);
    let (collection, _) = read(&[table(&path, 30)]);
    let run = run_folder(&path.join("run"), sizes, &settings);
    let sampler = Sampler::new(teacher(), &collection, settings);
    run.fill(&sampler, shards, 2, &|_| {}).unwrap();
    (run, path.join("run"))
}

#[test]
fn the_repository_s_own_games_are_read_or_skipped_with_a_reason() {
    let (collection, tally) = read(&[PathBuf::from(DATA)]);
    // Five records, thirteen odd ones and thirty positions of the dragons, all but a few moves long.
    assert_eq!(collection.len() + tally.skipped.values().sum::<usize>(), 48);
    assert!(tally.to_string().contains("fewer than 10 moves"), "{tally}");
}

#[test]
fn a_game_record_gives_the_same_game_as_a_table() {
    let folder = folder("labels_sources");
    let moves = random_game(9, 40, 3);
    let mut record = "(;GM[1]FF[4]SZ[9]KM[6.5]RU[Japanese]RE[B+R]".to_owned();
    for (index, place) in moves.as_bytes().chunks(2).enumerate() {
        let place = str::from_utf8(place).unwrap();
        record += &format!(";{}[{place}]", if index % 2 == 0 { 'B' } else { 'W' });
    }
    fs::write(folder.join("game.sgf"), record + ")").unwrap();
    fs::write(
        folder.join("games.tsv"),
        format!("{HEAD}\n{}\n", row(9, &moves)),
    )
    .unwrap();
    let (one, _) = read(&[folder.join("game.sgf")]);
    let (other, _) = read(&[folder.join("games.tsv")]);
    assert_eq!(one.line(0), other.line(0));
    assert_eq!(one.line(0).moves.len(), 40);
    assert_eq!(one.known(0).komi, Komi::from_points(6.5));
    assert_eq!(one.known(0).rules, Some(Rules::JAPANESE));
    assert_eq!(other.known(0).rules, Some(Rules::JAPANESE));
    assert_eq!(other.known(0).winner(), Some(Color::Black));
    assert_eq!(one.id(0), other.id(0));
    // Both together are one game, which occurs twice.
    let (both, tally) = read(std::slice::from_ref(&folder));
    assert_eq!((both.len(), tally.skipped["seen before"]), (1, 1));
}

#[test]
fn remarks_on_records_are_told_in_one_line() {
    let folder = folder("labels_remarks");
    for game in 0..5u64 {
        let moves = random_game(9, 20, game);
        let moves = moves.as_bytes().chunks(2).enumerate();
        let sgf_moves = moves.map(|(index, place)| {
            let color = if index % 2 == 0 { 'B' } else { 'W' };
            format!(";{color}[{}]", str::from_utf8(place).unwrap())
        });
        let (komi, sgf_moves) = (
            ["6.5", "6.5 points"][game as usize % 2],
            sgf_moves.collect::<String>(),
        );
        let record = format!("(;SZ[9]KM[{komi}]{sgf_moves})");
        fs::write(folder.join(format!("{game}.sgf")), record).unwrap();
    }
    fs::write(folder.join("odd.sgf"), "(;SZ[9]KM[none];B[aa])").unwrap();
    let (collection, tally) = read(std::slice::from_ref(&folder));
    assert_eq!(collection.len(), 5);
    let first = folder.join("1.sgf");
    let expected = format!(
        "remarks on 3 of 6 records, e.g. {}: node 1: KM[6.5 points] taken for komi 6.5",
        first.display()
    );
    let text = tally.to_string();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("remarks"))
        .collect();
    assert_eq!(lines, [expected]);
}

#[test]
fn odd_records_are_counted_by_reason() {
    let folder = folder("labels_odd");
    let good = random_game(9, 20, 1);
    let mirrored: String = good
        .as_bytes()
        .chunks(2)
        .flat_map(|pair| [char::from(b'a' + b'i' - pair[0]), char::from(pair[1])])
        .collect();
    let rows = [
        row(9, &good),
        row(9, &mirrored),
        row(9, &format!("{good}{}", &good[38..])),
        row(9, "aabb"),
        row(9, "zz"),
        row(9, "abc"),
        row(40, &good),
        "club\t9".to_owned(),
        row(9, &random_game(9, 20, 2)).replace("\t0\tJap", "\t4\tJap"),
        row(9, "aabbabccbadddceeedffacggghhh"),
        String::new(),
        row(9, &format!("{}--------", random_game(9, 20, 4))),
        row(9, &random_game(9, 20, 5)).replace("club", &"club".repeat(64)),
    ];
    fs::write(
        folder.join("games.tsv"),
        format!("\u{feff}{HEAD}\n{}\n", rows.join("\n")),
    )
    .unwrap();
    fs::write(folder.join("broken.tsv.gz"), b"no gzip").unwrap();
    fs::write(folder.join("broken.sgf"), b"nothing").unwrap();
    fs::write(folder.join("other.tsv"), b"a\tb\n1\t2\n").unwrap();
    fs::write(folder.join("notes.txt"), b"not looked at").unwrap();
    let (collection, tally) = read(std::slice::from_ref(&folder));
    let expected = [
        ("board size", 1),
        ("damaged file", 1),
        ("fewer than 10 moves", 1),
        ("handicap without stones", 1),
        ("incomplete line", 1),
        ("move on a stone", 1),
        ("no table of games", 1),
        ("seen before", 1),
        ("source with a long name", 1),
        ("unreadable game record", 1),
        ("unreadable moves", 2),
    ];
    let skipped: Vec<_> = tally
        .skipped
        .iter()
        .map(|(&reason, &count)| (reason, count))
        .collect();
    assert_eq!(skipped, expected, "{tally}");
    assert!(
        tally.examples["move on a stone"].contains("line 4"),
        "{tally}"
    );
    // Moves after two passes do not belong to the game.
    assert_eq!(collection.line(collection.len() - 1).moves.len(), 22);
    assert_eq!(tally.kept["club"], collection.len());
}

#[test]
fn the_split_is_by_game_and_stable() {
    let folder = folder("labels_split");
    let (collection, _) = read(&[table(&folder, 200)]);
    let train = &collection.part(Part::Train, 0.2)[&(9, 9)];
    let held_out = &collection.part(Part::HeldOut, 0.2)[&(9, 9)];
    assert_eq!(train.len() + held_out.len(), 200);
    assert!((25..=55).contains(&held_out.len()), "{}", held_out.len());
    for &game in held_out {
        assert_eq!(part_of(collection.id(game), 0.2), Part::HeldOut);
        // A larger share holds out more games, never others.
        assert_eq!(part_of(collection.id(game), 0.3), Part::HeldOut);
    }
    // The number of a game may not change with the program.
    assert_eq!(collection.id(0), FIRST_ID);
}

/// Of the first random game, computed once.
const FIRST_ID: u64 = 12_853_444_034_555_271_193;

#[test]
fn shards_depend_on_seed_and_number_alone() {
    let folder = folder("labels_seed");
    let (collection, _) = read(&[table(&folder, 30)]);
    let make = |seed, number| {
        let sampler = Sampler::new(teacher(), &collection, settings(seed));
        sampler
            .shard(number, BoardSize::square(9), &|_| {})
            .unwrap()
            .lines
    };
    let first = make(1, 7);
    assert_eq!(first, make(1, 7));
    assert_ne!(first, make(1, 8));
    assert_ne!(first, make(2, 7));
    assert!(first.iter().any(|line| line.kind == LineKind::Teacher));
    let held_out = &collection.part(Part::HeldOut, 0.1)[&(9, 9)];
    let held_out: Vec<Line> = held_out.iter().map(|&game| collection.line(game)).collect();
    assert!(!held_out.is_empty());
    assert!(first.iter().all(|line| !held_out.contains(&line.line)));
}

#[test]
fn player_network_replaces_teacher_between_labels() {
    let (collection, _) = read(&[]);
    let player = evaluator(&Arch::named("b1c8").unwrap().init(9));
    let shard = |player: Option<&NetEvaluator>| {
        let settings = SamplerSettings {
            labels: 400,
            ..settings(1)
        };
        let sampler = Sampler::new(teacher(), &collection, settings).with_player(player);
        sampler.shard(0, BoardSize::square(7), &|_| {}).unwrap()
    };
    let labels =
        |shard: &ShardLabels| -> usize { shard.lines.iter().map(|l| l.labels.len()).sum() };
    let (alone, helped) = (shard(None), shard(Some(&player)));
    assert!(alone.evaluations > labels(&alone) * 5 / 4, "{alone:?}");
    assert_eq!(helped.evaluations, labels(&helped));
    assert_ne!(helped.lines, alone.lines);
    // It is not evaluated often in any one game either.
    assert!(helped.lines.len() > 2 * alone.lines.len());
    for line in helped.lines.iter().chain(&alone.lines) {
        assert_eq!(line.kind, LineKind::Teacher);
        let off = line
            .labels
            .iter()
            .filter(|label| !label.side_line.is_empty());
        assert!(off.clone().all(|label| label.next.is_none()));
        assert!(off.count() > 0);
    }
}

#[test]
fn min_occupancy_limits_labels() {
    let (collection, _) = read(&[table(&folder("labels_full"), 30)]);
    let player = evaluator(&Arch::named("b1c8").unwrap().init(9));
    let settings = SamplerSettings {
        min_occupancy: 0.3,
        game_share: Some(0.5),
        labels: 200,
        ..settings(2)
    };
    let sampler = Sampler::new(teacher(), &collection, settings).with_player(Some(&player));
    let shard = sampler.shard(0, BoardSize::square(9), &|_| {}).unwrap();
    let mut kinds = [0, 0];
    for line in &shard.lines {
        kinds[usize::from(line.kind == LineKind::Game)] += line.labels.len();
        for label in &line.labels {
            let on_the_line = Label {
                side_line: Vec::new(),
                ..label.clone()
            };
            let position = position_of(line, &on_the_line).unwrap();
            assert!(position.board().occupancy() >= 0.3, "{label:?}");
        }
    }
    assert!(kinds.iter().all(|labels| *labels > 50), "{kinds:?}");
}

#[test]
fn rings_put_large_groups_on_recorded_games() {
    let (collection, _) = read(&[table(&folder("labels_rings"), 30)]);
    let largest_chains = |rings: f64| -> Vec<usize> {
        let settings = SamplerSettings {
            rings,
            game_share: Some(1.0),
            labels: 100,
            ..settings(4)
        };
        let sampler = Sampler::new(teacher(), &collection, settings);
        let shard = sampler.shard(0, BoardSize::square(9), &|_| {}).unwrap();
        let lines = shard.lines.iter();
        let largest = lines.map(|line| {
            assert_eq!(line.line.moves.is_empty(), rings > 0.0);
            let position = position_of(line, &line.labels[0]).unwrap();
            let board = position.board();
            let stones = board.points().filter(|&point| !board.is_empty(point));
            stones.map(|stone| board.chain_len(stone)).max().unwrap()
        });
        largest.collect()
    };
    // The ring around four points has twelve to fourteen, a few of them left empty.
    let large = |chains: &[usize]| chains.iter().filter(|&&chain| chain >= 10).count();
    let (plain, ringed) = (largest_chains(0.0), largest_chains(1.0));
    assert!(large(&plain) * 10 < plain.len(), "{plain:?}");
    assert!(large(&ringed) * 2 > ringed.len(), "{ringed:?}");
}

#[test]
fn small_boards_have_no_rings() {
    let path = folder("labels_no_rings").join("games.tsv");
    let rows: Vec<String> = (0..12)
        .map(|seed| row(7, &random_game(7, 30, seed)))
        .collect();
    fs::write(&path, format!("{HEAD}\n{}\n", rows.join("\n"))).unwrap();
    let (collection, _) = read(&[path]);
    let lines = |rings: f64| {
        let settings = SamplerSettings {
            rings,
            game_share: Some(1.0),
            ..settings(4)
        };
        let sampler = Sampler::new(teacher(), &collection, settings);
        let shard = sampler.shard(0, BoardSize::square(7), &|_| {}).unwrap();
        shard.lines
    };
    assert_eq!(lines(1.0), lines(0.0));
}

#[test]
fn open_games_have_more_side_positions() {
    let (collection, _) = read(&[]);
    let off_path = |teacher: &NetEvaluator, side_positions: f64| {
        let settings = SamplerSettings {
            side_positions,
            labels: 200,
            ..settings(3)
        };
        let sampler = Sampler::new(teacher, &collection, settings);
        let shard = sampler.shard(0, BoardSize::square(7), &|_| {}).unwrap();
        let labels: Vec<&Label> = shard.lines.iter().flat_map(|line| &line.labels).collect();
        let off = labels.iter().filter(|label| !label.side_line.is_empty());
        off.count() as f64 / labels.len() as f64
    };
    let mut net = Arch::named("b1c8").unwrap().init(9);
    let open = evaluator(&net);
    assert_eq!(off_path(&open, 0.0), 0.0);
    let [seldom, often] = [1.0, 3.0].map(|side_positions| off_path(&open, side_positions));
    assert!(seldom > 0.2 && often > seldom + 0.1, "{seldom} {often}");
    let heads = net.heads.pooled_mut().unwrap();
    heads.value.value_bias.weights = vec![9.0, -9.0, -9.0];
    assert_eq!(off_path(&evaluator(&net), 3.0), 0.0);
}

#[test]
fn game_share_is_reached() {
    let (collection, _) = read(&[table(&folder("labels_share"), 30)]);
    let of_games = |size: usize, game_share: Option<f64>| {
        let settings = SamplerSettings {
            game_share,
            labels: 1200,
            ..settings(6)
        };
        let sampler = Sampler::new(teacher(), &collection, settings);
        let shard = sampler.shard(0, BoardSize::square(size), &|_| {}).unwrap();
        let labels = |line: &LabelledLine| line.labels.len() as f64;
        let games = shard
            .lines
            .iter()
            .filter(|line| line.kind == LineKind::Game);
        games.map(labels).sum::<f64>() / shard.lines.iter().map(labels).sum::<f64>()
    };
    assert_eq!(of_games(9, Some(1.0)), 1.0);
    assert_eq!(of_games(9, Some(0.0)), 0.0);
    let half = of_games(9, Some(0.5));
    assert!((0.4..0.6).contains(&half), "{half}");
    // Thirty games are few, and there is none on 7x7.
    let usual = of_games(9, None);
    assert!(usual > 0.0 && usual < 0.1, "{usual}");
    assert_eq!(of_games(7, Some(1.0)), 0.0);
}

#[test]
fn shards_made_together_are_those_made_alone() {
    let path = folder("labels_together");
    let (collection, _) = read(&[table(&path, 30)]);
    let player = evaluator(&Arch::named("b1c8").unwrap().init(9));
    let shards = |name: &str, together: bool| {
        let run = run_folder(&path.join(name), "9:2,7:1", &settings(5));
        let mut sampler =
            Sampler::new(teacher(), &collection, settings(5)).with_player(Some(&player));
        if together {
            // Fewer than the threads, so some batches are full and others are not.
            sampler = sampler.in_batches(3);
        }
        run.fill(&sampler, 6, 4, &|_| {}).unwrap();
        shards(&run)
    };
    assert_eq!(shards("together", true), shards("alone", false));
}

#[test]
fn a_missing_shard_is_made_again_as_it_was() {
    let path = folder("labels_resume");
    let (collection, _) = read(&[table(&path, 30)]);
    let run = run_folder(&path.join("run"), "9:3,7:1", &settings(5));
    let sampler = Sampler::new(teacher(), &collection, settings(5));
    let outcome = run.fill(&sampler, 4, 1, &|_| {}).unwrap();
    assert_eq!((outcome.made, outcome.present, outcome.busy), (4, 0, 0));
    let before = shards(&run);
    fs::remove_file(run.shard_file(2)).unwrap();
    // Files left behind by a killed process.
    fs::write(run.shard_file(2).with_extension("lock"), b"").unwrap();
    assert_eq!([4, 2].map(|first| run.present(first).unwrap()), [3, 2]);
    let outcome = run.fill(&sampler, 4, 2, &|_| {}).unwrap();
    assert_eq!((outcome.made, outcome.present, outcome.busy), (1, 3, 0));
    assert_eq!(shards(&run), before);
    let report = check::check(&path.join("run"), &|| {}).unwrap();
    assert!(
        report.faults.is_empty() && report.missing.is_empty(),
        "{report}"
    );
    assert_eq!(
        (report.shards, report.sums.labels),
        (4, report.sums.sizes.values().sum())
    );
    assert!(
        report.sums.games["club"] > 0 && report.sums.networks > 0,
        "{report}"
    );
    let names = fs::read_dir(path.join("run")).unwrap();
    let names: BTreeSet<String> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 6, "{names:?}");
    let metrics = fs::read_to_string(path.join("run/metrics.jsonl")).unwrap();
    assert_eq!(metrics.lines().count(), 5);
    // A damaged shard is not missing.
    fs::write(run.shard_file(1), b"no shard").unwrap();
    let report = check::check(&path.join("run"), &|| {}).unwrap();
    assert_eq!(report.faults.len(), 1, "{report}");
    assert!(report.missing.is_empty(), "{report}");
}

#[test]
fn other_settings_are_refused() {
    let path = folder("labels_settings").join("run");
    run_folder(&path, "9", &settings(5));
    let teacher = NetIdentity {
        name: "s8".to_owned(),
        sha256: "00112233445566778899".to_owned(),
        precision: "f32".to_owned(),
    };
    let games = GamesIdentity {
        count: 0,
        digest: String::new(),
    };
    let sizes = SizeMix::parse(&["9".to_owned()]).unwrap();
    let other = LabelSettings::new(&settings(6), &sizes, teacher.clone(), None, games.clone());
    let error = LabelFolder::create(&path, &other).unwrap_err().to_string();
    assert!(error.contains("seed is 5 there, not 6"), "{error}");
    let player = Some(teacher.clone());
    let other = LabelSettings::new(&settings(5), &sizes, teacher, player, games);
    let error = LabelFolder::create(&path, &other).unwrap_err().to_string();
    assert!(error.contains("player is null there"), "{error}");
}

/// In folders of earlier versions all sizes are stated, also where all labels come from games.
#[test]
fn a_folder_keeps_its_sizes() {
    let path = folder("labels_sizes");
    let games = table(&path, 30);
    let label = |count: &str, more: &[&str]| {
        let mut command = under_test::program();
        command.args([
            "label",
            "--model",
            NETWORK,
            "--shard",
            "20",
            "--threads",
            "1",
        ]);
        command.args(["--device", "cpu", "--game-share", "1", "--count", count]);
        command.args(more).arg("--games").arg(&games);
        let output = command.arg("--out").arg(path.join("run")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    label("20", &["--sizes", "9:2,19:1"]);
    label("40", &[]);
    let run = LabelFolder::open(&path.join("run")).unwrap();
    assert_eq!(run.settings().sizes, ["9x9:2", "19x19:1"]);
    assert_eq!(run.shard_files().unwrap().len(), 2);
}

/// Of labels computed on a CPU and on a GPU; here by two formats of a CPU.
#[test]
fn labels_of_two_number_formats_do_not_mix() {
    let path = folder("labels_precision").join("run");
    let label = |count: &str, precision: &str| {
        let mut command = under_test::program();
        command.args([
            "label", "--model", NETWORK, "--shard", "20", "--sizes", "5:1",
        ]);
        command.args(["--device", "cpu", "--threads", "1", "--count", count]);
        command
            .args(["--precision", precision])
            .arg("--out")
            .arg(&path);
        command.output().unwrap()
    };
    assert!(label("20", "auto").status.success());
    let made_in = LabelFolder::open(&path)
        .unwrap()
        .settings()
        .teacher
        .precision
        .clone();
    let other = match &made_in[..] {
        "int16" => "f32",
        "f32" => "int16",
        unknown => panic!("{unknown}"),
    };
    assert!(label("40", &made_in).status.success());
    let output = label("60", other);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("precision"), "{said}");
    assert!(label("60", &made_in).status.success());
}

#[test]
fn several_processes_fill_one_folder() {
    let path = folder("labels_processes");
    let games = table(&path, 30);
    let start = || {
        let mut command = under_test::program();
        command.args([
            "label", "--model", NETWORK, "--count", "600", "--shard", "50",
        ]);
        command.args(["--threads", "2", "--sizes", "9:2,7x8", "--device", "cpu"]);
        command
            .arg("--games")
            .arg(&games)
            .arg("--out")
            .arg(path.join("run"));
        command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        command.spawn().unwrap()
    };
    let processes = [start(), start(), start()];
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let run = LabelFolder::open(&path.join("run")).unwrap();
    let metrics = fs::read_to_string(path.join("run/metrics.jsonl")).unwrap();
    let numbers: Vec<u64> = metrics
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["shard"].as_u64())
        .map(Option::unwrap)
        .collect();
    let distinct: BTreeSet<u64> = numbers.iter().copied().collect();
    assert_eq!(numbers.len(), 12, "{numbers:?}");
    assert_eq!(distinct, (0..12).collect());
    assert_eq!(run.shard_files().unwrap().len(), 12);
    let mut check = under_test::program();
    let checked = check
        .args(["label", "--check"])
        .arg(path.join("run"))
        .output()
        .unwrap();
    let text = String::from_utf8(checked.stdout).unwrap();
    assert!(
        checked.status.success() && text.starts_with("12 shards"),
        "{text}"
    );
    // A damaged shard is found.
    let mut bytes = fs::read(run.shard_file(3)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(run.shard_file(3), bytes).unwrap();
    let checked = check.output().unwrap();
    let text = String::from_utf8(checked.stdout).unwrap();
    assert_eq!(checked.status.code(), Some(1));
    assert!(
        text.contains("shard-000003.glb: the checksum is wrong"),
        "{text}"
    );
    assert!(text.contains("remove it; if `keima label`"), "{text}");
}

#[test]
fn games_of_networks_can_be_labelled_again() {
    let (run, path) = labelled("labels_again", "9:2,7x8", 4);
    let mut expected = Vec::new();
    for bytes in shards(&run) {
        let lines = Shard::from_bytes(&bytes).unwrap().lines.into_iter();
        let lines = lines.filter(|line| line.kind == LineKind::Teacher);
        expected.extend(lines.map(|line| line.line));
    }
    assert!(expected.iter().any(|line| line.size.width() == 7));
    expected.retain(|line| line.size == BoardSize::square(9));
    let said = |file: &Path| {
        let mut command = under_test::program();
        command.args(["label", "--check"]).arg(&path);
        let output = command.arg("--network-games").arg(file).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8(text).unwrap()
    };
    for name in ["again.tsv", "again.tsv.gz"] {
        let file = path.join(name);
        let text = said(&file);
        let ending = format!(" games of networks: {}\n", file.display());
        assert!(text.ends_with(&ending), "{text}");
        let text = said(&file);
        assert!(text.contains("exists already"), "{text}");
        let (collection, tally) = read(&[file]);
        assert_eq!(collection.sources(), ["network"]);
        let found: Vec<Line> = (0..collection.len())
            .map(|game| collection.line(game))
            .collect();
        assert!(!found.is_empty(), "{tally}");
        assert!(found.iter().all(|line| expected.contains(line)), "{tally}");
        // Short games and repeated ones are left out by the reader.
        let skipped: usize = tally.skipped.values().sum();
        assert!(found.len() + skipped >= expected.len() / 2, "{tally}");
    }
    let text = said(&path.join("again.txt"));
    assert!(text.contains("should end with .tsv or .tsv.gz"), "{text}");
}

#[test]
fn a_game_written_as_a_table_is_read_back() {
    let folder = folder("labels_row");
    let letter = |place: u8| char::from(b'a' + place);
    let moves = (0..12).flat_map(|mv| [letter(mv % 9), letter(2 + mv / 9 * 2)]);
    let row = row(9, &moves.collect::<String>());
    let row = row.replacen("\tB\t\t\t", "\tW\taaii\tia\t", 1);
    let (first, second) = (folder.join("first.tsv"), folder.join("second.tsv"));
    fs::write(&first, format!("{HEAD}\n{row}\n")).unwrap();
    let game = read(&[first]).0.line(0);
    assert_eq!((game.first, game.stones.len()), (Color::White, 3));
    let written = GameRow {
        source: "a",
        line: &game,
        rules: Some(Rules::TROMP_TAYLOR),
        komi: Some(Komi::from_half(11)),
        result: Some("B+2.5".parse().unwrap()),
    };
    fs::write(&second, tsv::table([written])).unwrap();
    let (collection, _) = read(&[second]);
    assert_eq!(collection.line(0), game);
    let known = collection.known(0);
    assert_eq!(known.rules, Some(Rules::TROMP_TAYLOR));
    assert_eq!(known.komi, Some(Komi::from_half(11)));
    assert_eq!(known.winner(), Some(Color::Black));
    let mut twice = game;
    twice.moves[1] = twice.moves[0];
    assert!(!GameRow::fits(&twice));
}

#[test]
fn labels_round_trip_within_rounding() {
    let (run, _) = labelled("labels_rounding", "9", 2);
    let mut seen = 0;
    for bytes in shards(&run) {
        let shard = Shard::from_bytes(&bytes).unwrap();
        assert_eq!(shard.to_bytes().unwrap(), bytes);
        for line in &shard.lines {
            for label in line.labels.iter().step_by(7) {
                assert_is_what_the_teacher_says(line, label);
                seen += 1;
            }
        }
    }
    assert!(seen >= 10, "{seen}");
}

/// The teacher evaluated under a random symmetry, which the label does not store.
fn assert_is_what_the_teacher_says(line: &LabelledLine, label: &Label) {
    let position = position_of(line, label).unwrap();
    let legal = legal_mask(&position);
    let mut answers = Symmetry::all().map(|symmetry| {
        let features = FeatureSettings {
            max_history: label.history.into(),
            ..FeatureSettings::default()
        };
        let request = NetRequest {
            features,
            policy: PolicySettings::default(),
            symmetry,
            wants_ownership: true,
        };
        teacher().output_for(&position, &request).unwrap()
    });
    let answer = answers.find(|answer| LabelValues::of(answer, true) == label.values);
    let answer = answer.expect("one of the symmetries was asked");
    let values = &label.values;
    let near = |a: f32, b: f32, by: f32| assert!((a - b).abs() <= by, "{a} is not near {b}");
    for (stored, said) in
        values
            .outcome()
            .into_iter()
            .zip([answer.win, answer.loss, answer.no_result])
    {
        near(stored, said, 4e-5);
    }
    near(values.lead(), answer.lead, 1.0 / 32.0 + 1e-4);
    near(values.score_mean(), answer.score_mean, 1.0 / 32.0 + 1e-4);
    near(
        values.score_stdev(),
        answer.score_stdev(),
        1.0 / 32.0 + 1e-4,
    );
    for (stored, said) in values.ownership().zip(&answer.ownership) {
        near(stored, *said, 1.0 / 14.0 + 1e-4);
    }
    // This net, of version 8, has no error estimates.
    assert_eq!(values.errors(), [None; 3]);
    let policy = values.policy(&legal);
    near(policy.iter().sum(), 1.0, 1e-5);
    let mut probabilities: Vec<f32> = answer.policy.clone();
    probabilities.sort_by(|a, b| b.total_cmp(a));
    let least_kept = probabilities[values.policy.len() - 1];
    assert!(values.policy.len() <= MAX_ENTRIES);
    for ((&stored, &said), &legal) in policy.iter().zip(&answer.policy).zip(&legal) {
        assert_eq!(legal, said >= 0.0);
        match said {
            _ if !legal => assert_eq!(stored, 0.0),
            said if said >= least_kept => {
                assert!(
                    (stored / said).ln().abs() < 0.12,
                    "{stored} is not near {said}"
                );
            }
            _ => assert!(stored < 0.1),
        }
    }
}

#[test]
fn errors_and_extreme_values_are_rounded_within_bounds() {
    let values = |error: f32| {
        let mut position = Position::new(BoardSize::square(9), Rules::CHINESE, Komi::default());
        position.set_komi(Komi::from_half(15));
        let mut answer = teacher()
            .output_for(&position, &NetRequest::raw(Symmetry::IDENTITY))
            .unwrap();
        answer.shortterm_win_loss_error = error;
        answer.shortterm_score_error = -1.0;
        answer.variance_time_left = error;
        answer.lead = 1e9;
        LabelValues::of(&answer, false)
    };
    for error in [0.0, 0.01, 0.3, 1.5, 20.0, 400.0] {
        let [value, score, time] = values(error).errors();
        assert_eq!(score, None);
        assert_eq!(value, time);
        let value = value.unwrap();
        assert!(
            (value - error).abs() <= 0.03 * (error + 0.125),
            "{value} is not near {error}"
        );
    }
    assert_eq!(values(0.0).lead(), i16::MAX as f32 / 16.0);
    assert!(values(0.0).ownership.is_empty());
}

#[test]
fn symmetries_transform_inputs_and_targets() {
    let (_, path) = labelled("labels_turned", "9:2,7x9", 4);
    let open = |turn| {
        let settings = StreamSettings {
            batch: 16,
            seed: 3,
            window: 2,
            turn,
            ..StreamSettings::default()
        };
        Stream::open(std::slice::from_ref(&path), settings).unwrap()
    };
    let (mut straight, mut turned) = (open(false), open(true));
    let mut symmetries = BTreeSet::new();
    let mut sizes = BTreeSet::new();
    for _ in 0..straight.batches() {
        let (one, other) = (straight.next_batch().unwrap(), turned.next_batch().unwrap());
        one.check().unwrap();
        other.check().unwrap();
        assert_eq!(one.size, other.size);
        sizes.insert(one.size.to_string());
        for sample in 0..one.len() {
            let (one, other) = (one.part(sample..sample + 1), other.part(sample..sample + 1));
            let found: Vec<usize> = Symmetry::all()
                .filter(|&symmetry| symmetry.size(one.size) == one.size)
                .filter(|&symmetry| image(&one, symmetry) == other)
                .map(Symmetry::number)
                .collect();
            assert!(!found.is_empty(), "no symmetry explains sample {sample}");
            symmetries.extend(found);
        }
    }
    assert_eq!(symmetries.len(), 8);
    assert_eq!(sizes.len(), 2, "{sizes:?}");
}

/// A batch of one sample as its mirror image.
fn image(batch: &Batch, symmetry: Symmetry) -> Batch {
    let mut image = batch.clone();
    let map = PointMap::new(symmetry, batch.size);
    let area = batch.size.area();
    let turn = |values: &[f32]| {
        let mut turned = map.turn(&values[..area], 1);
        turned.extend(&values[area..]);
        turned
    };
    image.inputs.spatial = map.turn(&batch.inputs.spatial, batch.inputs.spatial.len() / area);
    let targets = &mut image.targets;
    targets.policy = turn(&targets.policy);
    targets.opponent_policy = turn(&targets.opponent_policy);
    targets.ownership = turn(&targets.ownership);
    let legal: Vec<f32> = targets
        .legal
        .iter()
        .map(|&is| f32::from(u8::from(is)))
        .collect();
    targets.legal = turn(&legal).iter().map(|&is| is > 0.0).collect();
    // One-hot, transformed, and found again.
    targets.human_move = vec![targets.human_move[0].map(|index| {
        let mut one_hot = vec![0.0; area + 1];
        one_hot[index] = 1.0;
        turn(&one_hot).iter().position(|&p| p == 1.0).unwrap()
    })];
    image
}

#[test]
fn another_komi_moves_the_lead_by_as_much() {
    let (_, path) = labelled("labels_komi", "9:2,7", 5);
    let batch = |komi_shifts| {
        let settings = StreamSettings {
            batch: 32,
            turn: false,
            komi_shifts,
            ..StreamSettings::default()
        };
        let mut stream = Stream::open(std::slice::from_ref(&path), settings).unwrap();
        stream.next_batch().unwrap()
    };
    let (plain, all, half) = (batch(0.0), batch(1.0), batch(0.5));
    let globals = plain.inputs.global.len() / plain.len();
    // In points; the input of komi is in units of twenty.
    let komi = |batch: &Batch, sample: usize| 20.0 * batch.inputs.global[sample * globals + 5];
    let shift = |batch: &Batch, sample| {
        let shift = komi(batch, sample) - komi(&plain, sample);
        let gained = batch.targets.lead[sample] - plain.targets.lead[sample];
        assert!((shift - gained).abs() < 1e-3, "{shift} {gained}");
        assert!((gained - gained.round()).abs() < 1e-3);
        gained.round() as i32
    };
    let shifts: BTreeSet<i32> = (0..all.len()).map(|sample| shift(&all, sample)).collect();
    assert!(!shifts.contains(&0) && shifts.iter().all(|points| points.abs() <= MOST_KOMI_SHIFT));
    assert!(shifts.iter().any(|points| *points < 0) && shifts.iter().any(|points| *points > 0));
    for weights in &all.targets.weights {
        assert_eq!((weights.score, weights.ownership), (1.0, 1.0));
        assert_eq!(
            (weights.policy, weights.outcome, weights.stdev),
            (0.0, 0.0, 0.0)
        );
    }
    let changed = (0..half.len()).filter(|&sample| shift(&half, sample) != 0);
    assert!((6..=26).contains(&changed.count()));
}

#[test]
fn streams_are_shuffled_complete_and_can_go_on() {
    let (_, path) = labelled("labels_stream", "9:2,7", 5);
    let settings = StreamSettings {
        batch: 8,
        window: 2,
        ..StreamSettings::default()
    };
    let open = |settings: &StreamSettings| {
        Stream::open(std::slice::from_ref(&path), settings.clone()).unwrap()
    };
    let mut stream = open(&settings);
    let number = stream.batches();
    let labels = stream.labels();
    assert!(number * 8 <= labels && labels < (number + 2) * 8);
    let batches: Vec<Batch> = (0..number).map(|_| stream.next_batch().unwrap()).collect();
    assert!(stream.next_batch().is_err());
    for skipped in [0, 1, 5, number - 3] {
        let mut other = open(&settings);
        other.skip(skipped).unwrap();
        assert_eq!(
            other.next_batch().unwrap(),
            batches[skipped],
            "{skipped} skipped"
        );
        other.skip(1).unwrap();
        assert_eq!(
            other.next_batch().unwrap(),
            batches[skipped + 2],
            "{skipped} and one more"
        );
    }
    assert!(open(&settings).skip(number + 1).is_err());
    let other_seed = StreamSettings {
        seed: 1,
        ..settings
    };
    assert_ne!(open(&other_seed).next_batch().unwrap(), batches[0]);
    // No label occurs twice: their values are nearly always different.
    let policies = |batch: &Batch| -> Vec<Vec<u32>> {
        let rows = batch.targets.policy.chunks(batch.size.area() + 1);
        let sorted = rows.map(|row| {
            let mut bits: Vec<u32> = row.iter().map(|p| p.to_bits()).collect();
            bits.sort_unstable();
            bits
        });
        sorted.collect()
    };
    let distinct: BTreeSet<Vec<u32>> = batches.iter().flat_map(policies).collect();
    let given = number * 8;
    assert!(
        distinct.len() > given * 9 / 10,
        "{} of {given}",
        distinct.len()
    );
}

#[test]
fn siblings_are_labelled_together_and_stay_together() {
    let with_siblings = SamplerSettings {
        side_positions: 3.0,
        siblings: 4,
        labels: 200,
        ..settings(5)
    };
    let (run, path) = labelled_as(with_siblings, "labels_siblings", "9:2,7", 3);
    let (mut of_groups, mut labels) = (0, 0);
    for bytes in shards(&run) {
        for line in Shard::from_bytes(&bytes).unwrap().lines {
            let sibling_group = sibling_groups(line.labels.iter().map(|label| ((), label)));
            labels += sibling_group.len();
            let mut left = &line.labels[..];
            for siblings in sibling_group.chunk_by(|one, other| one == other) {
                let (them, others) = left.split_at(siblings.len());
                left = others;
                if them.len() == 1 {
                    continue;
                }
                of_groups += them.len();
                // Two side positions of one move each may begin at the same place.
                assert!(them.len() <= 4 || them[0].side_line.len() == 1, "{them:?}");
                let (_, path) = them[0].side_line.split_last().unwrap();
                for label in them {
                    assert_eq!(label.ply, them[0].ply);
                    assert_eq!(label.side_line.split_last().unwrap().1, path);
                }
            }
        }
    }
    assert!(of_groups > labels / 2, "{of_groups} of {labels}");

    let mut stream = Stream::open(std::slice::from_ref(&path), StreamSettings::default()).unwrap();
    let (mut together, mut given) = (0, 0);
    for _ in 0..stream.batches() {
        let batch = stream.next_batch().unwrap();
        given += batch.len();
        for siblings in batch
            .targets
            .sibling_group
            .chunk_by(|one, other| one == other)
        {
            together += if siblings.len() > 1 {
                siblings.len()
            } else {
                0
            };
        }
    }
    let (expected, found) = (of_groups * given / labels, together);
    assert!(
        found * 10 > expected * 8,
        "{found}, not {expected} of {given}"
    );

    let values = |net: &NetEvaluator| {
        let report = validation::of_networks(
            &|_| Ok(net.clone()),
            1,
            &run.shard_files().unwrap(),
            &|_| {},
        )
        .unwrap();
        let values = report.values().swap_remove(0).1;
        let value = |name: &str| values.iter().find(|it| it.0 == name).unwrap().1;
        ["siblings", "sibling_error", "sibling_correlation"].map(value)
    };
    let [siblings, error, correlation] = values(teacher());
    let [_, other_error, other_correlation] =
        values(&evaluator(&Arch::named("b1c8").unwrap().init(9)));
    assert_eq!(siblings, of_groups as f64);
    // The teacher used other symmetries.
    assert!(
        correlation > 0.5 && correlation > other_correlation + 0.3,
        "{correlation}, {other_correlation}"
    );
    assert!(error < other_error, "{error}, {other_error}");
}

#[test]
fn batches_keep_sibling_groups_whole() {
    let with_siblings = SamplerSettings {
        side_positions: 3.0,
        siblings: 4,
        labels: 200,
        ..settings(5)
    };
    let (run, path) = labelled_as(with_siblings, "labels_whole_groups", "9:2", 3);
    // Of each sample the sibling group, where samples like it have but one.
    let mut groups: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    let mut count = 0;
    for bytes in shards(&run) {
        let shard = Shard::from_bytes(&bytes).unwrap();
        for (index, line) in shard.lines.iter().enumerate() {
            let firsts = sibling_groups(line.labels.iter().map(|label| ((), label)));
            for (label, &first) in firsts.iter().enumerate() {
                count += usize::from(first == label);
                let batch = batch_of(&shard, &[(index, label)], InputVersion::V7).unwrap();
                groups.entry(sample_key(&batch)).or_default().push(count);
            }
        }
    }
    groups.retain(|_, of| of.len() == 1);
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    groups
        .values()
        .for_each(|of| *sizes.entry(of[0]).or_default() += 1);
    assert!(sizes.values().filter(|&&size| size > 1).count() > 50);

    let settings = StreamSettings {
        batch: 12,
        window: 2,
        turn: false,
        ..StreamSettings::default()
    };
    let open = || Stream::open(std::slice::from_ref(&path), settings.clone()).unwrap();
    let mut stream = open();
    let batches: Vec<Batch> = (0..stream.batches())
        .map(|_| stream.next_batch().unwrap())
        .collect();
    for (number, batch) in batches.iter().enumerate() {
        let mut found: BTreeMap<usize, usize> = BTreeMap::new();
        for sample in 0..batch.len() {
            if let Some(of) = groups.get(&sample_key(&batch.part(sample..sample + 1))) {
                *found.entry(of[0]).or_default() += 1;
            }
        }
        for (group, found) in found {
            assert_eq!(found, sizes[&group], "group {group} in batch {number}");
        }
        let mut other = open();
        other.skip(number).unwrap();
        assert_eq!(&other.next_batch().unwrap(), batch, "{number} skipped");
    }
    let given: usize = batches.iter().map(Batch::len).sum();
    assert!(given.abs_diff(12 * batches.len()) < 12, "{given}");
}

/// Identifies a batch of one sample.
fn sample_key(batch: &Batch) -> Vec<u32> {
    let values = batch.inputs.spatial.iter().chain(&batch.targets.policy);
    values.map(|value| value.to_bits()).collect()
}

#[test]
fn validation_separates_stages() {
    let (run, _) = labelled("labels_stages", "9:1", 4);
    let net = evaluator(&Arch::named("b1c8").unwrap().init(9));
    let files = run.shard_files().unwrap();
    let values = validation::of_networks(&|_| Ok(net.clone()), 1, &files, &|_| {})
        .unwrap()
        .values();
    let mut stages = [
        ("early", 0.0, 0.0),
        ("middle", 0.0, 0.0),
        ("late", 0.0, 0.0),
    ];
    for file in &files {
        let shard = Shard::from_bytes(&fs::read(file).unwrap()).unwrap();
        for line in &shard.lines {
            for label in &line.labels {
                let position = position_of(line, label).unwrap();
                let output = net
                    .output_for(&position, &validation::request_of(label))
                    .unwrap();
                let [win, loss, _] = label.values.outcome();
                let share = (position.legal_moves().count() as f64) / 82.0;
                let stage = usize::from(share <= 0.75) + usize::from(share < 0.55);
                stages[stage].1 += 1.0;
                stages[stage].2 += f64::from((output.win - output.loss - win + loss).abs());
            }
        }
    }
    let value = |name: &str| values[0].1.iter().find(|it| it.0 == name).unwrap().1;
    let mut divergence = 0.0;
    for (stage, labels, errors) in stages {
        assert!(labels > 0.0, "{stage}");
        let value_error = value(&format!("value_error_{stage}"));
        assert!((value_error - errors / labels).abs() < 1e-3, "{stage}");
        assert!(value(&format!("ownership_brier_{stage}")) > 0.0, "{stage}");
        divergence += labels * value(&format!("policy_kl_{stage}"));
    }
    let mean = divergence / value("labels");
    assert!((mean - value("policy_kl")).abs() < 1e-9, "{mean}");
    assert_ne!(value("policy_kl_early"), value("policy_kl_late"));
}

#[test]
fn human_moves_are_predicted_with_full_history() {
    let (collection, _) = read(&[table(&folder("labels_people"), 6)]);
    let net = evaluator(&Arch::named("b1c8").unwrap().init(9));
    let asked = |per_game: usize| -> BTreeMap<&str, f64> {
        let interview = HumanMoves {
            per_game,
            symmetries: 1,
        };
        let report = validation::of_games(&|_| Ok(net.clone()), interview, &collection, &|_| {});
        let values = report.unwrap().values().into_iter();
        let (_, all) = values.into_iter().find(|(size, _)| size == "all").unwrap();
        all.into_iter().collect()
    };
    // All 40 moves of each game.
    let (mut moves, mut found, mut surprise) = (0.0, 0.0, 0.0);
    for game in 0..collection.len() {
        let line = collection.line(game);
        let mut position = line.start(Rules::JAPANESE, Komi::from_half(13)).unwrap();
        for &code in &line.moves {
            let request = NetRequest {
                features: FeatureSettings::default(),
                policy: PolicySettings::default(),
                symmetry: Symmetry::IDENTITY,
                wants_ownership: false,
            };
            let policy = net.output_for(&position, &request).unwrap().policy;
            let share = policy[code.index()];
            moves += 1.0;
            found += f64::from(policy.iter().all(|other| *other <= share));
            surprise -= f64::from(share).ln();
            position.play(code.decode(line.size).unwrap());
        }
    }
    let all = asked(40);
    assert_eq!(all["human_labels"], moves);
    assert!((all["human_top1"] - found / moves).abs() < 1e-9);
    assert!((all["human_cross_entropy"] - surprise / moves).abs() < 1e-4);
    assert!(!all.contains_key("labels"));
    assert_eq!(asked(7)["human_labels"], 7.0 * collection.len() as f64);
}

#[test]
fn targets_name_the_moves_that_were_made() {
    let folder = folder("labels_moves");
    let (collection, _) = read(&[table(&folder, 30)]);
    let sampler = Sampler::new(teacher(), &collection, settings(1));
    let lines = sampler
        .shard(0, BoardSize::square(9), &|_| {})
        .unwrap()
        .lines;
    let (mut is_human, mut side_positions) = (0, 0);
    for line in &lines {
        for label in &line.labels {
            let code = |ahead| line.line.moves.get(usize::from(label.ply) + ahead);
            let index = |code: &MoveCode| code.index() as u16;
            is_human += usize::from(label.is_human);
            side_positions += usize::from(!label.side_line.is_empty());
            if label.side_line.is_empty() {
                assert_eq!(label.next, code(0).map(index));
                assert_eq!(label.reply, code(1).map(index));
                assert_eq!(
                    label.is_human,
                    line.kind == LineKind::Game && code(0).is_some()
                );
            } else {
                assert!(!label.is_human && label.next.is_none() && label.reply.is_none());
            }
        }
    }
    assert!(
        is_human > 0 && side_positions > 0,
        "{is_human} {side_positions}"
    );
}

fn stored_shard() -> &'static [u8] {
    static SHARD: OnceLock<Vec<u8>> = OnceLock::new();
    SHARD.get_or_init(|| shards(&labelled("labels_damage", "9", 1).0).swap_remove(0))
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn damaged_shards_are_refused(cut in any::<prop::sample::Index>(), bit in 0..8u8) {
        let bytes = stored_shard();
        let place = cut.index(bytes.len());
        prop_assert!(Shard::from_bytes(&bytes[..place]).is_err());
        let mut flipped = bytes.to_vec();
        flipped[place] ^= 1 << bit;
        prop_assert!(Shard::from_bytes(&flipped).is_err());
    }
}

#[test]
#[ignore = "takes half a minute and needs files that are not part of the package"]
fn all_games_at_hand_are_read() {
    let Some(folder) = outside("games") else {
        return;
    };
    let begin = Instant::now();
    let (collection, tally) = read(&[folder]);
    println!("{tally}\n{:.1} s", begin.elapsed().as_secs_f64());
    assert!(collection.len() > 200_000);
    let skipped: usize = tally.skipped.values().sum();
    assert!(skipped * 100 < collection.len(), "{skipped} skipped");
}

/// `keima label` with a table of games of one size, and more options.
fn label_games(name: &str, side: usize, options: &str) -> (PathBuf, std::process::Output) {
    let folder = folder(name);
    let lines = (0..12).map(|seed| format!("{side}\t{}\n", random_game(side, 30, seed)));
    let table = format!("size\tmoves\n{}", lines.collect::<String>());
    fs::write(folder.join("games.tsv"), table).unwrap();
    let out = folder.join("out");
    let output = under_test::program()
        .args(["label", "--model", NETWORK, "--threads", "1", "--out"])
        .arg(&out)
        .arg("--games")
        .arg(folder.join("games.tsv"))
        .args(options.split(' '))
        .output()
        .unwrap();
    (out, output)
}

/// Sizes and numbers of labels of the shards made.
fn shards_made(out: &Path) -> Vec<(String, u64)> {
    let lines = fs::read_to_string(out.join("metrics.jsonl")).unwrap();
    let line = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let size = value["size"].as_str().unwrap().to_owned();
        (size, value["labels"].as_u64().unwrap())
    };
    lines.lines().map(line).collect()
}

#[test]
fn labels_of_games_alone_keep_boards_and_count() {
    let options = "--game-share 1 --held-out 0 --count 60";
    let (out, output) = label_games("label-own-size", 7, options);
    assert!(output.status.success(), "{output:?}");
    let [(size, labels)] = &shards_made(&out)[..] else {
        panic!("one shard");
    };
    assert_eq!(size, "7x7");
    assert!((60..120).contains(labels), "{labels}");
}

#[test]
fn siblings_are_labelled_and_ownership_is_left_out() {
    let made = |name: &str, more: &str| -> Vec<Shard> {
        let common = "--held-out 0 --count 60 --sizes 7:1 --side-positions 1";
        let (out, output) = label_games(name, 7, &format!("{common}{more}"));
        assert!(output.status.success(), "{output:?}");
        let files = LabelFolder::open(&out).unwrap().shard_files().unwrap();
        files
            .iter()
            .map(|file| Shard::read(file).unwrap())
            .collect()
    };
    // Labels that are not the first of their group.
    let siblings = |shards: &[Shard]| -> usize {
        let lines = shards.iter().flat_map(|shard| &shard.lines);
        let of_line = lines.map(|line| {
            let groups = sibling_groups(line.labels.iter().map(|label| ((), label)));
            let later = groups.iter().enumerate();
            later.filter(|&(index, &first)| index != first).count()
        });
        of_line.sum()
    };
    let plain = made("label-alone", "");
    let grouped = made("label-siblings", " --siblings 4 --no-ownership");
    assert_eq!(siblings(&plain), 0);
    assert!(siblings(&grouped) > 10, "{}", siblings(&grouped));
    assert!(plain.iter().all(|shard| shard.has_ownership));
    assert!(grouped.iter().all(|shard| !shard.has_ownership));
}

#[test]
fn games_of_other_sizes_are_reported() {
    let options = "--game-share 1 --held-out 0 --count 20 --sizes 5:1";
    let (_, output) = label_games("label-other-size", 7, options);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(
        said.contains("12 on 7x7") && said.contains("--sizes"),
        "{said}"
    );
}

/// As docs/training.md describes it.
#[test]
fn a_table_of_two_columns_is_enough() {
    let folder = folder("small-table");
    let moves = "eecegcgededdggcc--ff";
    let table =
        format!("size\tmoves\tkomi\tsetup_black\tfirst\n9\t{moves}\n9\t{moves}\t0.5\tgheh\tW\n");
    fs::write(folder.join("games.tsv"), table).unwrap();
    let (games, tally) = Collection::read(&[folder.join("games.tsv")], &|_| ()).unwrap();
    assert_eq!(games.len(), 2, "{tally}");
    assert_eq!(games.line(0).moves.len(), 10);
    assert_eq!(games.line(0).first, Color::Black);
    assert_eq!(games.line(1).first, Color::White);
    assert_eq!(games.line(1).stones.len(), 2);
    assert_eq!(games.known(1).komi, Some(Komi::from_half(1)));
}

#[test]
fn games_without_a_source_are_named_after_their_table() {
    let folder = folder("labels_unnamed");
    let rows = [(1, "club"), (2, "")]
        .map(|(seed, source)| format!("{source}\t9\t{}\n", random_game(9, 20, seed)));
    let text = format!("source\tsize\tmoves\n{}", rows.concat());
    fs::write(folder.join("mine.tsv"), &text).unwrap();
    let zipped = keima::files::gzipped(text.as_bytes()).unwrap();
    fs::write(folder.join("mine.tsv.gz"), zipped).unwrap();
    for name in ["mine.tsv", "mine.tsv.gz"] {
        let (collection, _) = read(&[folder.join(name)]);
        assert_eq!(collection.sources(), ["club", "mine"], "{name}");
    }
}
