//! `keima selfplay`: games, their labels, and killed processes.

use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use flate2::read::GzDecoder;
use keima::data::check::{self, position_of};
use keima::data::generations;
use keima::data::line::Line;
use keima::data::plan::SizeMix;
use keima::data::shard::{LabelledLine, Shard};
use keima::data::stream::files_of;
use keima::files::{self, sha256};
use keima::formats::sgf;
use keima::go::{BoardSize, Color, Komi, Rules};
use keima::selfplay::game::{Played, Table};
use keima::selfplay::human_games::HumanGames;
use keima::selfplay::initial_evaluator::InitialEvaluator;
use keima::selfplay::nets::PlayerIdentity;
use keima::selfplay::params::SelfplayParams;
use keima::selfplay::parts::{Manifest, PartLimits, Parts};
use keima::selfplay::start::{Start, Starter};
use keima::selfplay::targets;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::folders;
use crate::guarded::Guarded;
use crate::running::{self, printed, refusal, succeed};

/// Few visits on tiny boards.
const QUICK: &str = "--sizes 5:2,6x5:1 --set visits=12 --set fast_visits=4 --set full_share=0.5 \
                     --set longest=2";

fn fresh(name: &str) -> PathBuf {
    folders::vacant(&format!("selfplay-{name}"))
}

fn keima(command: &str, run: &Path, options: &str) -> Command {
    let mut keima = running::keima(&[command, run.to_str().unwrap()]);
    keima.args(options.split_whitespace());
    keima
}

fn selfplay(run: &Path, options: &str) -> Command {
    keima("selfplay", run, &format!("{QUICK} {options}"))
}

/// The error message of a command that is refused.
fn refused(command: Command) -> String {
    refusal(command, 1)
}

fn shards(generation: &Path) -> Vec<Shard> {
    let parts = generations::parts(generation).unwrap();
    let read = |path: &PathBuf| Shard::from_bytes(&fs::read(path).unwrap()).unwrap();
    parts.iter().map(read).collect()
}

fn games(generation: &Path) -> usize {
    shards(generation)
        .iter()
        .map(|shard| shard.lines.len())
        .sum()
}

/// Records beside the parts of a generation, each read.
fn records(generation: &Path) -> usize {
    let mut count = 0;
    for part in generations::parts(generation).unwrap() {
        let file = fs::File::open(part.with_extension("sgf.gz")).unwrap();
        let mut text = String::new();
        GzDecoder::new(file).read_to_string(&mut text).unwrap();
        for game in text.split("(;").filter(|game| !game.is_empty()) {
            let record = sgf::parse(format!("(;{game}").as_bytes()).unwrap();
            assert!(record.result.is_some() && !record.moves.is_empty());
            count += 1;
        }
    }
    count
}

fn set_current(run: &Path, id: u32, net: &[u8]) {
    let nets = run.join("nets");
    fs::create_dir_all(&nets).unwrap();
    let file = format!("{id:04}.safetensors");
    fs::write(nets.join(&file), net).unwrap();
    let text = serde_json::json!({
        "id": id, "file": format!("nets/{file}"), "sha256": sha256(net), "elo": 0.0, "since": 1,
    });
    fs::write(nets.join("current.json"), text.to_string()).unwrap();
}

#[test]
fn games_make_labels_that_make_a_network_that_plays() {
    let run = fresh("loop");
    succeed(selfplay(&run, "--games 12 --threads 2 --seed 3"));
    let first = run.join("games/gen-0000");
    assert_eq!((games(&first), records(&first)), (12, 12));
    let report = check::check(&first, &|| ()).unwrap();
    assert!(report.faults.is_empty(), "{report}");
    assert!(
        report.sums.labels > 60 && report.sums.sizes.len() == 2,
        "{report}"
    );

    let trained = run.join("train");
    let learn = |samples: u32| {
        let mut train = keima(
            "train",
            &trained,
            "--batch 16 --micro-batch 4 --warmup 64 --log-every 16 --threads 1",
        );
        train.arg("--data").arg(run.join("games"));
        train.args(["--samples", &samples.to_string()]);
        if samples == 64 {
            train.args(["--arch", "b1c16", "--validate-every", "64"]);
            train.arg("--validate").arg(run.join("games/gen-0000"));
        }
        succeed(train)
    };
    learn(64);
    set_current(&run, 1, &fs::read(trained.join("net.safetensors")).unwrap());
    succeed(selfplay(&run, "--games 4 --threads 1 --seed 3"));
    let second = run.join("games/gen-0001");
    assert_eq!((games(&first), games(&second)), (12, 4));
    let report = check::check(&second, &|| ()).unwrap();
    assert!(report.faults.is_empty(), "{report}");
    let all = shards(&first).len() + shards(&second).len();
    assert_eq!(files_of(&[run.join("games")]).unwrap().len(), all);
    learn(640);
    let lists = fs::read_to_string(trained.join("shards.jsonl")).unwrap();
    assert!(lists.contains("gen-0001"), "{lists}");
    look_at_report(&run);
}

fn look_at_report(run: &Path) {
    // A damaged line, and one that a trainer is just writing.
    let metrics = run.join("train/metrics.jsonl");
    let mut text = fs::read(&metrics).unwrap();
    text.extend(b"{\"samples\": \xff}\n{\"samples\": 7");
    fs::write(&metrics, text).unwrap();
    fs::create_dir_all(run.join("gates")).unwrap();
    let verdict = r#"{"gate": 1, "verdict": "admitted", "candidate": {"name": "b1c16-s64"},
        "opponent": null, "games": 40, "wins": 30, "losses": 9, "draws": 1,
        "elo": 203.4, "elo_low": 90.2, "elo_high": null}"#;
    fs::write(run.join("gates/0001.json"), verdict).unwrap();
    let out = run.join("report.html");
    let report = || {
        let mut report = keima("report", run, "--positions 3");
        report.arg("--out").arg(&out);
        report
    };
    succeed(report());
    let page = fs::read_to_string(&out).unwrap();
    let named = [
        "Training: selfplay-loop",
        "policy: divergence from the target",
        "soft policy",
        "learning rate",
        "Self-play in",
        "gen-0001",
        "30, 9, 1",
        "+203 (+90 to ?)",
        "Elo above the first network",
        "<h2>Calibration</h2>",
        "lead: error in points",
        "download=\"gen-0001-",
        "data:application/x-go-sgf,%28%3BFF%5B4%5D",
        "overturned",
        "3. 5x5",
        "ownership",
        "b1c16",
    ];
    for text in named {
        assert!(page.contains(text), "no {text:?} in the page");
    }
    assert!(page.matches("<svg").count() > 25);
    assert!(!page.contains("<script") && !page.contains("src="));
    let text = printed(keima("report", run, "--text"));
    let lines = [
        "nets/0001.safetensors is in use, Elo 0",
        "selfplay-loop: b1c16, 640 samples",
        "gate  candidate",
        "generation",
    ];
    for line in lines {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
    let games: u32 = text
        .lines()
        .filter(|line| line.starts_with("gen-"))
        .filter_map(|line| line.split_whitespace().nth(2)?.parse::<u32>().ok())
        .sum();
    assert_eq!(games, 16, "{text}");
    // Without the network there are no positions, but still a page.
    fs::remove_file(run.join("train/net.safetensors")).unwrap();
    succeed(report());
    assert!(
        !fs::read_to_string(&out)
            .unwrap()
            .contains("Validation positions")
    );
    let nothing = refused(keima("report", &run.join("gates"), ""));
    assert!(
        nothing.contains("is no folder of `keima train`"),
        "{nothing}"
    );
}

#[test]
fn parts_are_joined_after_a_while() {
    let parts = |name: &str, more: &str| {
        let run = fresh(name);
        succeed(selfplay(&run, &format!("--games 3 --threads 1 {more}")));
        let generation = run.join("games/gen-0000");
        assert_eq!(games(&generation), 3);
        generations::parts(&generation).unwrap().len()
    };
    // One for each size of boards.
    assert!((1..=2).contains(&parts("slow-parts", "")));
    assert_eq!(parts("quick-parts", "--part-seconds 0"), 3);
}

#[test]
fn a_killed_worker_loses_only_games_in_progress() {
    let run = fresh("killed");
    let generation = run.join("games/gen-0000");
    let start = |worker: &str| {
        let options = format!("--worker-id {worker} --threads 1 --part 20000");
        let mut command = selfplay(&run, &options);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Guarded::spawn(&mut command)
    };
    let kept = |worker: &str| -> usize {
        let folders = files::entries(&generation).unwrap_or_default();
        let of_worker = folders.iter().filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with(worker) && name.ends_with(".part")
        });
        let count = |path: &PathBuf| {
            let files = files::entries(path).unwrap_or_default();
            let glb = files
                .iter()
                .filter(|f| f.extension().is_some_and(|e| e == "glb"));
            glb.count()
        };
        of_worker.map(count).sum()
    };
    let (mut killed, mut other) = (start("w1"), start("w2"));
    let begin = Instant::now();
    while kept("w1") < 3 || kept("w2") < 1 {
        assert!(begin.elapsed() < Duration::from_secs(120), "no games");
        sleep(Duration::from_millis(20));
    }
    let same = refused(selfplay(&run, "--games 1 --worker-id w2"));
    assert!(same.contains("another process is worker w2"), "{same}");
    killed.kill().unwrap();
    killed.wait().unwrap();
    let left = kept("w1");
    assert!(left >= 3);
    // The next worker joins the games of the dead one, but not those of w2 in progress.
    succeed(selfplay(&run, "--games 1 --worker-id w3 --threads 1"));
    assert_eq!(kept("w1"), 0);
    assert!(kept("w2") > 0);
    other.kill().unwrap();
    other.wait().unwrap();
    let of_other = kept("w2");
    succeed(selfplay(&run, "--games 2 --worker-id w2 --threads 1"));
    assert_eq!(games(&generation), left + 1 + of_other + 2);
    assert_eq!(records(&generation), games(&generation));
    // No game was played twice.
    let shards = shards(&generation);
    let lines = shards.iter().flat_map(|shard| &shard.lines);
    let mut lines: Vec<_> = lines.map(|line| line.line.moves.clone()).collect();
    let all = lines.len();
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), all);
    assert!(check::check(&generation, &|| ()).unwrap().faults.is_empty());
}

#[test]
fn generations_are_ordered_by_number_or_time() {
    let folder = folders::folder("generations-in-order");
    let begun = [
        "gen-0002",
        "gen-0010",
        "gen-f00000000000",
        "gen-0a0000000000",
    ];
    for (hour, name) in begun.iter().enumerate() {
        fs::create_dir(folder.join(name)).unwrap();
        let manifest = folder.join(name).join(generations::MANIFEST);
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(3600 * (100 + hour as u64));
        let manifest = fs::File::create(manifest).unwrap();
        manifest.set_modified(time).unwrap();
    }
    let found = generations::generations(&folder).unwrap();
    assert_eq!(found, begun.map(|name| folder.join(name)));
}

#[test]
fn games_joined_by_another_worker_meanwhile_stay() {
    let run = fresh("taken-lock");
    let params = SelfplayParams::default();
    let player = PlayerIdentity {
        folder: "gen-0000".to_owned(),
        name: "first".to_owned(),
        sha256: String::new(),
    };
    let manifest = Manifest::new(&player, &SizeMix::default(), &params, 1);
    let limits = PartLimits {
        labels: usize::MAX,
        age: Duration::MAX,
    };
    let mut parts = Parts::open(&run, "w1", limits).unwrap();
    let add = |parts: &mut Parts, seed| {
        let game = played(Rules::TROMP_TAYLOR, &params, seed);
        let line = targets::labelled(&game, &params, &mut ChaCha8Rng::seed_from_u64(seed));
        parts.add(&manifest, &game, line).unwrap();
    };
    add(&mut parts, 1);
    add(&mut parts, 2);
    // A lock that another machine does not see.
    fs::remove_file(run.join("workers/w1.lock")).unwrap();
    Parts::open(&run, "w2", limits).unwrap().finish().unwrap();
    let generation = run.join("games/gen-0000");
    assert_eq!(games(&generation), 2);
    add(&mut parts, 3);
    parts.finish().unwrap();
    assert_eq!(games(&generation), 3);
    assert_eq!(records(&generation), 3);
}

fn played(rules: Rules, params: &SelfplayParams, seed: u64) -> Played {
    let size = BoardSize::square(5);
    let start = Start {
        line: Line::new(size),
        rules,
        komi: Komi::from_half(1),
    };
    let (evaluator, stop) = (InitialEvaluator::new(2, 1), AtomicBool::new(false));
    let table = Table {
        evaluator: &evaluator,
        params,
        stop: &stop,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    table.play(start, &mut rng).unwrap().unwrap()
}

#[test]
fn labels_say_how_the_game_ended() {
    let params = SelfplayParams {
        visits: 16,
        fast_visits: 4,
        full_share: 1.0,
        surprise: 0.0,
        value_surprise: 0.0,
        result_share: 1.0,
        decided: 1.0,
        ..SelfplayParams::default()
    };
    for (seed, rules) in [(1, Rules::TROMP_TAYLOR), (2, Rules::JAPANESE)] {
        let game = played(rules, &params, seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let line = targets::labelled(&game, &params, &mut rng);
        let lessons = game
            .turns
            .iter()
            .filter(|turn| turn.policy_target.is_some());
        assert_eq!(line.labels.len(), lessons.count());
        assert!(line.labels.len() > 5 && !game.is_cut);
        assert_eq!(
            line.winner,
            Some(Color::Black)
                .filter(|_| game.end.score > 0.0)
                .or(Some(Color::White))
        );
        for label in &line.labels {
            let to_move = position_of(&line, label).unwrap().to_move();
            let sign = if to_move == Color::Black { 1.0 } else { -1.0 };
            let score = sign * game.end.score as f32;
            assert_eq!(label.values.score_mean(), score);
            assert_eq!(label.values.lead(), score);
            assert_eq!(label.values.outcome()[0], f32::from(u8::from(score > 0.0)));
            assert!(label.values.errors().iter().all(Option::is_some));
            let ownership: f32 = label.values.ownership().sum();
            let expected = game.ownership.iter().map(|owner| match owner {
                Some(color) if *color == to_move => 1.0,
                Some(_) => -1.0,
                None => 0.0,
            });
            assert_eq!(ownership, expected.sum::<f32>());
        }
    }
}

#[test]
fn surprising_positions_come_more_often() {
    let params = SelfplayParams {
        visits: 16,
        full_share: 1.0,
        surprise: 0.7,
        decided: 1.0,
        ..SelfplayParams::default()
    };
    let mut game = played(Rules::TROMP_TAYLOR, &params, 4);
    for (index, turn) in game.turns.iter_mut().enumerate() {
        if let Some(policy_target) = &mut turn.policy_target {
            policy_target.surprise = if index == 3 { 1.0 } else { 0.0 };
        }
    }
    let (mut copies, mut all) = (0, 0);
    for seed in 0..40 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let line = targets::labelled(&game, &params, &mut rng);
        all += line.labels.len();
        copies += line.labels.iter().filter(|label| label.ply == 3).count();
    }
    let lessons = game
        .turns
        .iter()
        .filter(|turn| turn.policy_target.is_some())
        .count();
    let mean = all as f64 / 40.0;
    assert!((mean - lessons as f64).abs() < 2.0, "{mean} of {lessons}");
    let expected = 0.7 * lessons as f64;
    let mean = copies as f64 / 40.0;
    assert!(
        (mean - expected).abs() < 3.0,
        "{mean}, not about {expected}"
    );
}

#[test]
fn games_begin_in_many_ways_and_forks_differ() {
    let evaluator = InitialEvaluator::new(1, 1);
    let params = SelfplayParams {
        handicap: 0.5,
        opening: 0.3,
        ..SelfplayParams::default()
    };
    let starter = Starter {
        evaluator: &evaluator,
        params: &params,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let begin = |_| starter.begin(BoardSize::square(7), &mut rng).unwrap();
    let starts: Vec<Start> = (0..40).map(begin).collect();
    let count = |what: &dyn Fn(&Start) -> bool| starts.iter().filter(|s| what(s)).count();
    assert!((8..32).contains(&count(&|start| !start.line.stones.is_empty())));
    assert!(count(&|start| !start.line.moves.is_empty()) > 20);
    assert!(count(&|start| start.komi.is_integer()) > 5);
    assert!(count(&|start| start.rules == starts[0].rules) < 20);
    for start in &starts {
        let fork = starter.fork(start, &mut rng).unwrap();
        assert_eq!((fork.rules, fork.komi), (start.rules, start.komi));
        assert!(!fork.position().unwrap().is_over());
    }
}

#[test]
fn games_start_from_human_positions() {
    let run = fresh("people");
    let folder = run.join("given");
    fs::create_dir_all(&folder).unwrap();
    let moves = [
        "cc", "bb", "bc", "cb", "db", "ab", "dc", "da", "ca", "ba", "ac", "cd",
    ];
    let colors = ["B", "W"].into_iter().cycle();
    let text: String = moves
        .iter()
        .zip(colors)
        .map(|(mv, color)| format!(";{color}[{mv}]"))
        .collect();
    fs::write(
        folder.join("game.sgf"),
        format!("(;GM[1]FF[4]SZ[5]KM[3]{text})"),
    )
    .unwrap();
    let games = HumanGames::read(std::slice::from_ref(&folder)).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    assert!(games.draw(BoardSize::square(6), &mut rng).is_none());
    let whole = games.draw(BoardSize::square(5), &mut rng).unwrap();
    assert_eq!(whole.moves.len(), moves.len());
    let evaluator = InitialEvaluator::new(1, 1);
    let params = SelfplayParams::default();
    let starter = Starter {
        evaluator: &evaluator,
        params: &params,
    };
    let starts = (0..40).map(|_| starter.at_game(whole.clone(), &mut rng).unwrap());
    let starts: Vec<Start> = starts.collect();
    for start in &starts {
        assert!(whole.moves.starts_with(&start.line.moves) && start.line.moves.len() <= 8);
        assert!(!start.position().unwrap().is_over());
    }
    let lengths: HashSet<usize> = starts.iter().map(|start| start.line.moves.len()).collect();
    assert!(lengths.len() > 4, "{lengths:?}");
    // The command does so too, and plays on from there.
    let options = "--sizes 5 --games 6 --threads 1 --set visits=4 --set fast_visits=2 --set people=1 \
                   --set fork=0 --starts";
    let mut play = keima("selfplay", &run, options);
    play.arg(&folder);
    succeed(play);
    let shards = shards(&run.join("games/gen-0000"));
    let lines: Vec<&LabelledLine> = shards.iter().flat_map(|shard| &shard.lines).collect();
    assert_eq!(lines.len(), 6);
    let begins = |line: &&&LabelledLine| line.line.moves.starts_with(&whole.moves[..2]);
    assert!(lines.iter().filter(begins).count() >= 3);
    let nothing = refused(selfplay(&run, "--games 1 --starts src"));
    assert!(nothing.contains("no games to begin at"), "{nothing}");
}

#[test]
fn shards_store_side_far_ahead() {
    let params = SelfplayParams {
        visits: 16,
        fast_visits: 4,
        decided: 0.5,
        ..SelfplayParams::default()
    };
    let games = (1..9).map(|seed| played(Rules::TROMP_TAYLOR, &params, seed));
    let mut decided = 0;
    for game in games {
        let line = targets::labelled(&game, &params, &mut ChaCha8Rng::seed_from_u64(1));
        let shard = Shard {
            size: game.line.size,
            has_ownership: true,
            number: 0,
            seed: 0,
            teacher: [0; 8],
            settings: [0; 8],
            sources: vec!["self-play".to_owned()],
            lines: vec![line],
        };
        let read = Shard::from_bytes(&shard.to_bytes().unwrap()).unwrap();
        assert_eq!(read, shard);
        let said = read.lines[0].decided_for;
        assert_eq!(said, game.decided.map(|(_, color)| color));
        if let Some((ply, color)) = game.decided {
            decided += 1;
            let sign = if color == Color::Black { 1.0 } else { -1.0 };
            let before = game.turns.iter().filter(|turn| turn.ply < ply);
            let last: Vec<_> = before.rev().take(5).collect();
            assert_eq!(last.len(), 5);
            assert!(last.iter().all(|turn| sign * turn.value.win_loss > 0.5));
        }
    }
    assert!(decided > 3, "{decided} of 8");
}

#[test]
fn impossible_options_are_errors() {
    let run = fresh("refused");
    let cases = [
        ("--set visits", "'visits' is not of the form NAME=VALUE"),
        ("--set visits=0", "'0' is no value for visits"),
        ("--worker-id ../x", "is no name for a worker"),
        ("--model /nowhere", "cannot read /nowhere"),
    ];
    for (options, reason) in cases {
        let text = refused(selfplay(&run, &format!("--games 1 {options}")));
        assert!(text.contains(reason), "{options}: {text}");
    }
    fs::create_dir_all(run.join("nets")).unwrap();
    fs::write(run.join("nets/current.json"), "{").unwrap();
    assert!(refused(selfplay(&run, "--games 1")).contains("current.json"));
    set_current(&run, 1, b"no net");
    assert!(refused(selfplay(&run, "--games 1")).contains("0001.safetensors cannot play"));
    fs::write(run.join("nets/0001.safetensors"), "another").unwrap();
    assert!(refused(selfplay(&run, "--games 1")).contains("its SHA-256 is another"));
    fs::remove_dir_all(run.join("nets")).unwrap();
    succeed(selfplay(&run, "--games 1 --threads 1"));
    let other = refused(selfplay(&run, "--games 1 --set visits=13"));
    assert!(
        other.contains("holds games of another kind: params"),
        "{other}"
    );
}
