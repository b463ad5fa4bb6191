//! `keima train` as users start it: runs that are stopped, killed, damaged, gone on with.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use flate2::read::GzDecoder;
use keima::train::model::Model;
use keima::train::run::checkpoint::{self, State};
use keima::train::run::tensorboard::checksum;
use keima::train::run::{Run, read_net};
use serde_json::Value;

use crate::folders;
use crate::guarded::Guarded;
use crate::nets::NETWORK;
use crate::running::{keima, refusal, remarks, succeed};

/// Samples of a step.
const BATCH: u64 = 16;

/// A path for a test, where nothing is.
fn fresh(name: &str) -> PathBuf {
    folders::vacant(&format!("train-{name}"))
}

/// A folder of a few labels on small boards.
fn labels() -> &'static Path {
    static LABELS: OnceLock<PathBuf> = OnceLock::new();
    LABELS.get_or_init(|| {
        let path = fresh("labels");
        let options =
            "--count 160 --shard 20 --sizes 5:1,6x5:1 --side-positions 0.3 --seed 3 --threads 2";
        let mut command = keima(&["label", "--model", NETWORK, "--out", path.to_str().unwrap()]);
        command.args(options.split(' '));
        succeed(command);
        path
    })
}

/// `keima train` with a tiny net and more options.
fn train(run: &Path, options: &str) -> Command {
    let mut command = keima(&["train", run.to_str().unwrap(), "--threads", "1"]);
    command.args(options.split_whitespace());
    command
}

fn tiny(run: &Path, options: &str) -> Command {
    let usual = "--arch b1c16 --batch 16 --micro-batch 4 --warmup 64 --log-every 16 --seed 5";
    let mut command = train(run, &format!("{usual} {options}"));
    command.arg("--data").arg(labels());
    command
}

fn checkpoint_file(run: &Path, samples: u64) -> PathBuf {
    run.join(format!("checkpoints/{samples:010}.safetensors"))
}

/// Without values that differ each time.
fn state(run: &Path, samples: u64) -> State {
    let (mut state, _) = checkpoint::read(&checkpoint_file(run, samples)).unwrap();
    state.counters.seconds = 0.0;
    state
}

fn metrics(run: &Path) -> Vec<Value> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Samples and losses of each step.
fn losses(run: &Path) -> Vec<(u64, f64)> {
    let lines = metrics(run).into_iter();
    let steps = lines.filter(|line| line.get("loss/total").is_some());
    steps
        .map(|line| {
            let loss = line["loss/total"].as_f64().unwrap();
            (line["samples"].as_u64().unwrap(), loss)
        })
        .collect()
}

#[test]
fn a_run_in_two_parts_equals_one_in_a_single_part() {
    for optimizer in ["adamw", "muon"] {
        let options = |steps: u64| {
            let samples = steps * BATCH;
            format!("--optimizer {optimizer} --samples {samples}")
        };
        let (whole, parts) = (fresh("whole"), fresh("parts"));
        succeed(tiny(&whole, &options(40)));
        succeed(tiny(&parts, &options(13)));
        succeed(tiny(&parts, &options(40)));
        assert_eq!(state(&whole, 40 * BATCH), state(&parts, 40 * BATCH));
        assert!(state(&whole, 40 * BATCH).counters.epoch > 1);
        assert_eq!(losses(&whole), losses(&parts));
        assert_eq!(losses(&whole).len(), 40);
    }
}

#[test]
fn a_run_may_change_its_device() {
    let options = |steps: u64, device: &str| {
        let samples = steps * BATCH;
        format!("--samples {samples} --precision f32 --device {device}")
    };
    let (whole, parts) = (fresh("one-device"), fresh("devices"));
    succeed(tiny(&whole, &options(20, "cpu")));
    let output = succeed(tiny(&parts, &options(10, "candle")));
    assert!(remarks(&output).contains("CPU by candle (f32)"));
    succeed(tiny(&parts, &options(20, "cpu")));
    let (expected, found) = (losses(&whole), losses(&parts));
    assert_eq!(found.len(), 20);
    for ((samples, expected), (_, found)) in expected.into_iter().zip(found) {
        let error = (expected - found).abs() / expected;
        assert!(error < 1e-4, "{samples} samples: {expected}, {found}");
    }

    let refused = refusal(
        tiny(&fresh("refused"), "--device candle --precision bf16"),
        1,
    );
    assert!(refused.contains("f32 only"), "{refused}");
    if !cfg!(feature = "cuda") {
        let refused = refusal(tiny(&fresh("refused"), "--device cuda"), 1);
        assert!(refused.contains("built without CUDA"), "{refused}");
    }
}

#[test]
fn killed_run_resumes_identically() {
    let (whole, killed) = (fresh("unkilled"), fresh("killed"));
    let options = "--checkpoint-every 0 --samples 1600";
    succeed(tiny(&whole, options));
    for steps in [3, 40] {
        let mut command = tiny(&killed, options);
        let child = Guarded::spawn(command.stdout(Stdio::null()).stderr(Stdio::null()));
        let begin = Instant::now();
        let newest = || {
            let entries = fs::read_dir(killed.join("checkpoints"))
                .into_iter()
                .flatten();
            let names = entries.flatten().map(|entry| entry.path());
            let numbers = names.filter_map(|path| path.file_stem()?.to_str()?.parse().ok());
            numbers.max().unwrap_or(0u64)
        };
        while newest() < steps * BATCH {
            assert!(
                begin.elapsed() < Duration::from_secs(180),
                "it does not begin"
            );
            sleep(Duration::from_millis(1));
        }
        drop(child);
    }
    // As if it had been killed within a line.
    let lines = killed.join("metrics.jsonl");
    let torn = fs::read_to_string(&lines).unwrap() + "{\"samples\": 1";
    fs::write(&lines, torn).unwrap();
    succeed(tiny(&killed, options));
    assert_eq!(state(&whole, 1600), state(&killed, 1600));
    assert_eq!(losses(&whole), losses(&killed));
}

#[test]
fn damaged_checkpoint_is_skipped() {
    let (whole, damaged) = (fresh("undamaged"), fresh("damaged"));
    succeed(tiny(&whole, "--samples 160"));
    for samples in [64, 96, 128] {
        succeed(tiny(&damaged, &format!("--samples {samples}")));
    }
    let newest = checkpoint_file(&damaged, 128);
    let bytes = fs::read(&newest).unwrap();
    fs::write(&newest, &bytes[..bytes.len() - 100]).unwrap();
    let flipped = checkpoint_file(&damaged, 96);
    let mut bytes = fs::read(&flipped).unwrap();
    let last = bytes.len() - 9;
    bytes[last] ^= 1;
    fs::write(&flipped, bytes).unwrap();
    let output = succeed(tiny(&damaged, "--samples 160"));
    let said = remarks(&output);
    assert!(
        said.contains("0000000128.safetensors: damaged checkpoint"),
        "{said}"
    );
    assert!(
        said.contains("0000000096.safetensors: the checksum is wrong"),
        "{said}"
    );
    assert!(said.contains("the one before is used"), "{said}");
    assert!(!newest.exists() && newest.with_extension("damaged").exists());
    assert_eq!(state(&whole, 160), state(&damaged, 160));
    assert_eq!(losses(&whole), losses(&damaged));
}

/// The files of a run with their contents.
fn contents(run: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for folder in [run.to_owned(), run.join("checkpoints")] {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        let files = entries.map(|entry| entry.unwrap().path());
        let files = files.filter(|path| path.is_file());
        found.extend(files.map(|path| (path.clone(), fs::read(&path).unwrap())));
    }
    found.sort();
    found
}

#[test]
fn a_run_without_usable_checkpoints_is_refused_unchanged() {
    let run = fresh("no-checkpoints");
    succeed(tiny(&run, "--samples 32"));
    let last = checkpoint_file(&run, 32);
    let bytes = fs::read(&last).unwrap();
    let change = |from: &str, to: &str| {
        let at = bytes
            .windows(from.len())
            .position(|it| it == from.as_bytes());
        let mut changed = bytes.clone();
        changed[at.unwrap()..][..from.len()].copy_from_slice(to.as_bytes());
        changed
    };
    let of_the_future = change("\\\"format\\\":1", "\\\"format\\\":2");
    for (contents_of_last, reason) in [
        (Some(of_the_future), "format is 2; only 1 is known"),
        (
            Some(bytes[..bytes.len() / 2].to_vec()),
            "damaged checkpoint",
        ),
        (None, "its checkpoints are gone"),
    ] {
        match contents_of_last {
            Some(bytes) => fs::write(&last, bytes).unwrap(),
            None => fs::remove_dir_all(run.join("checkpoints")).unwrap(),
        }
        for file in contents(&run) {
            if file.0.parent() == last.parent() && file.0 != last {
                fs::remove_file(&file.0).unwrap();
            }
        }
        let before = contents(&run);
        let said = refusal(tiny(&run, "--samples 64"), 1);
        assert!(said.contains(reason), "{said}");
        assert!(said.contains("--init"), "what to do: {said}");
        assert!(contents(&run) == before, "{reason}: files have changed");
    }
}

#[test]
fn checkpoints_without_their_run_are_not_taken_over() {
    let run = fresh("checkpoints-alone");
    succeed(tiny(&run, "--samples 32"));
    for file in ["run.json", "net.safetensors", "net-last.safetensors"] {
        fs::remove_file(run.join(file)).unwrap();
    }
    let before = contents(&run);
    let said = refusal(tiny(&run, "--samples 64"), 1);
    assert!(said.contains("holds checkpoints of another run"), "{said}");
    assert!(contents(&run) == before);
}

#[test]
fn networks_for_other_games_and_rates_of_zero_are_not_trained() {
    let (gomoku, run) = (fresh("of-gomoku"), fresh("rate-zero"));
    let learn = "--game gomoku --arch b1c16 --samples 1 --variants freestyle-7 --games 1 --threads 1 --set visits=2";
    let mut command = keima(&["learn", gomoku.to_str().unwrap()]);
    command.args(learn.split(' '));
    succeed(command);
    let before = contents(&gomoku);
    let mut command = train(&gomoku, "--samples 100000");
    command.arg("--data").arg(labels());
    assert!(refusal(command, 1).contains("keima learn"));
    assert!(contents(&gomoku) == before);
    for option in ["--init", "--from"] {
        let net = match option {
            "--init" => gomoku.join("net.safetensors"),
            _ => gomoku.clone(),
        };
        let mut command = train(&run, option);
        command.arg(net).arg("--data").arg(labels());
        assert!(
            refusal(command, 1).contains("is for another game"),
            "{option}"
        );
        assert!(!run.exists());
    }
    succeed(tiny(&run, "--samples 32 --decay-over 16"));
    let said = refusal(train(&run, "--samples 64"), 1);
    assert!(
        said.contains("the learning rate is 0 from 32 samples on"),
        "{said}"
    );
    succeed(train(&run, "--samples 64 --decay-over 16"));
    for (option, said) in [
        ("--held-out 0.5", "--held-out is about recorded games"),
        ("--batch 8", "batch"),
    ] {
        assert!(refusal(train(&run, option), 1).contains(said), "{option}");
    }
    let mut command = keima(&[
        "learn",
        gomoku.to_str().unwrap(),
        "--game",
        "gomoku",
        "--rate",
        "0.5",
    ]);
    command.args(["--max-seconds", "1"]);
    let said = refusal(command, 1);
    assert!(said.contains("rate is 0.002 there, not 0.5"), "{said}");
}

#[test]
fn few_labels_are_memorised() {
    let run = fresh("heart");
    let options = "--arch b2c32 --batch 16 --micro-batch 16 --warmup 0 --rate 0.005 \
        --weight-decay 0 --average-half-life 100 --samples 24000 --decay-over 12000";
    let mut command = train(&run, options);
    command
        .arg("--data")
        .arg(labels())
        .arg("--validate")
        .arg(labels());
    succeed(command);
    let lines = metrics(&run);
    let last = lines.last().unwrap();
    let value = |name: &str| last[&format!("val/all/{name}")].as_f64().unwrap();
    assert!(value("labels") >= 160.0);
    assert!(value("policy_kl") < 0.05, "{last}");
    assert!(value("outcome_excess") < 0.05, "{last}");
    assert!(value("lead_error") < 3.0, "{last}");
    assert!(value("ownership_brier") < 0.02, "{last}");
    assert!(value("value_error") < 0.2, "{last}");
    // The teacher's own error is part of the expected error.
    assert!(value("value_error_told") > value("value_error"), "{last}");

    // The written net gives the same values through its evaluator.
    let net = run.join("net.safetensors");
    let mut command = keima(&[
        "net",
        "test",
        net.to_str().unwrap(),
        "--json",
        "--precision",
        "f32",
    ]);
    command.args(["--device", "cpu", "--labels"]).arg(labels());
    let tested: Value = serde_json::from_slice(&succeed(command).stdout).unwrap();
    let names = [
        "labels",
        "policy_kl",
        "policy_agreement",
        "value_error",
        "value_error_told",
        "value_error_correlation",
        "ownership_brier",
        "value_error_late",
        "ownership_brier_early",
    ];
    for name in names {
        let (found, expected) = (tested["all"][name].as_f64().unwrap(), value(name));
        // Errors that are all small hardly differ, so that roundings weigh more in their correlation.
        let tolerance = match name {
            "value_error_correlation" => 1e-3,
            _ => 1e-4,
        };
        assert!(
            (found - expected).abs() < tolerance,
            "{name}: {found}, not {expected}"
        );
    }
    assert!(tested["5x5"]["labels"].as_f64().unwrap() > 0.0);
}

#[test]
fn net_test_uses_built_in_networks_by_size() {
    let tested = |network: &[&str]| -> Value {
        let mut command = keima(&[&["net", "test", "--json"], network].concat());
        command.args(["--device", "cpu", "--labels"]).arg(labels());
        serde_json::from_slice(&succeed(command).stdout).unwrap()
    };
    let file = |name: &str| format!("{}/weights/{name}", env!("CARGO_MANIFEST_DIR"));
    // All of these labels are of small boards.
    let built_in = tested(&[]);
    assert_eq!(built_in, tested(&[&file("small.bin.gz")]));
    assert_ne!(built_in, tested(&[&file("default.safetensors")]));
}

#[test]
fn net_test_shows_diagnosis() {
    let labels = fresh("diagnosis");
    let teacher = concat!(env!("CARGO_MANIFEST_DIR"), "/weights/small.bin.gz");
    let options = "--count 60 --shard 20 --sizes 7:1 --seed 7 --threads 2";
    let mut command = keima(&["label", "--model", teacher, "--out"]);
    command.arg(&labels).args(options.split(' '));
    succeed(command);
    let said = |network: &str, form: &[&str]| {
        let mut command = keima(&["net", "test", network, "--device", "cpu", "--labels"]);
        command.arg(&labels).args(["--precision", "f32"]).args(form);
        String::from_utf8(succeed(command).stdout).unwrap()
    };
    let diagnosis = |network: &str| -> Value {
        let report: Value = serde_json::from_str(&said(network, &["--json"])).unwrap();
        assert_eq!(report["all"]["diagnosis"], report["7x7"]["diagnosis"]);
        report["all"]["diagnosis"].clone()
    };
    let number = |value: &Value| value.as_f64().unwrap();
    let errors = ["dead_taken_for_alive", "living_taken_for_dead"];
    // The teacher agrees with itself.
    let own = diagnosis(teacher);
    for error in errors {
        let classes = own["all"][error].as_object().unwrap().values();
        let found = classes.filter(|found| number(&found["stones"]) > 0.0);
        let shares: Vec<f64> = found.map(|found| number(&found["share"])).collect();
        assert!(
            !shares.is_empty() && shares.iter().all(|&share| share == 0.0),
            "{error}: {own}"
        );
    }
    assert_eq!(
        own["all"]["value_error_by_score"]["same"]["share_of_positions"],
        1.0
    );
    // A network with random weights does not.
    let other = diagnosis(NETWORK);
    for (error, class) in [(errors[0], "1-2"), (errors[1], "7+")] {
        let share = number(&other["all"][error][class]["share"]);
        assert!(share > 0.1, "{error} {class}: {share}");
    }
    let by_score = &other["all"]["value_error_by_score"];
    let shares = ["same", "other"].map(|score| number(&by_score[score]["share_of_error"]));
    assert!(
        (shares[0] + shares[1] - 1.0).abs() < 1e-9 && shares[1] > 0.1,
        "{shares:?}"
    );
    // Statistics of the labels do not depend on the network.
    let uneven = |found: &Value| found["all"]["in_uneven_chains"]["labels"].clone();
    assert_eq!(uneven(&own), uneven(&other));
    assert!(number(&other["late"]["in_uneven_chains"]["network"]["stones"]) > 0.0);

    let text = said(NETWORK, &[]);
    for row in [
        "policy_kl",
        "where it errs",
        "dead stones taken for alive, chains of 7+",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
}

#[test]
fn a_run_begins_with_a_network_built_in() {
    for (name, arch) in [("default", "b10c64ch2"), ("small", "b4c64")] {
        let run = fresh(&format!("of-{name}"));
        let options = format!("--init {name} --samples 4 --batch 4");
        let mut command = train(&run, &options);
        command.arg("--data").arg(labels());
        succeed(command);
        let manifest = fs::read_to_string(run.join("run.json")).unwrap();
        let named = format!("\"arch\": \"{arch}\"");
        assert!(manifest.contains(&named), "{manifest}");
    }
}

#[test]
fn a_branch_begins_with_another_run_and_its_rate_decays() {
    let (run, branch) = (fresh("trunk"), fresh("branch"));
    succeed(tiny(&run, "--samples 160"));
    let from = format!("--from {} --decay-over 160 --log-every 16", run.display());
    succeed(train(&branch, &from));
    assert!(checkpoint_file(&run, 160).with_extension("keep").exists());
    let begun = state(&branch, 160);
    assert_eq!(begun.values, state(&run, 160).values);
    assert_eq!(begun.second, state(&run, 160).second);
    let lines = metrics(&branch);
    let rates: Vec<f64> = lines
        .iter()
        .filter_map(|line| line["rate"].as_f64())
        .collect();
    assert_eq!(rates.len(), 10);
    assert!(
        rates.is_sorted_by(|a, b| a > b) && rates[9] < 0.11 * rates[0],
        "{rates:?}"
    );
    // The same command again finds that all is done.
    let output = succeed(train(&branch, &from));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("320 samples, as planned"), "{said}");
    // Marked ones stay when others go.
    for samples in (176..=256).step_by(16) {
        succeed(tiny(&run, &format!("--samples {samples}")));
    }
    assert!(checkpoint_file(&run, 160).exists() && !checkpoint_file(&run, 176).exists());
}

#[test]
fn new_shards_are_used_from_the_next_epoch_on() {
    let (run, data) = (fresh("grows"), fresh("growing"));
    fs::create_dir_all(&data).unwrap();
    let mut shards: Vec<PathBuf> = fs::read_dir(labels())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "glb"))
        .collect();
    shards.sort();
    let take = |path: &Path| {
        fs::copy(path, data.join(path.file_name().unwrap())).unwrap();
    };
    take(&labels().join("settings.json"));
    shards[..4].iter().for_each(|shard| take(shard));
    let command = |samples: u64| {
        let options = "--arch b1c16 --batch 16 --micro-batch 4";
        let mut command = train(&run, &format!("{options} --samples {samples}"));
        command.arg("--data").arg(&data);
        command
    };
    succeed(command(32));
    shards[4..].iter().for_each(|shard| take(shard));
    succeed(command(640));
    let text = fs::read_to_string(run.join("shards.jsonl")).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let count = |line: usize| lines[line]["shards"].as_array().map(Vec::len);
    assert_eq!((count(0), count(1)), (Some(4), Some(shards.len())));
    assert_eq!(lines.get(2).map(|_| count(2)), Some(None), "{text}");
    // Where shards are gone, an epoch begins with those that are left.
    for shard in &shards[..4] {
        fs::remove_file(data.join(shard.file_name().unwrap())).unwrap();
    }
    let said = remarks(&succeed(command(656)));
    assert!(said.contains("shards of the epoch are gone"), "{said}");
    let text = fs::read_to_string(run.join("shards.jsonl")).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["shards"].as_array().unwrap().len(), shards.len() - 4);
}

/// The messages of a protocol buffer: number of the field, and its bytes or number.
fn fields(mut bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for place in 0.. {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                break;
            }
        }
        value
    }
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes) as u8;
        let value = match key & 7 {
            0 => varint(&mut bytes).to_le_bytes().to_vec(),
            kind => {
                let length = match kind {
                    1 => 8,
                    5 => 4,
                    2 => varint(&mut bytes) as usize,
                    _ => panic!("kind {kind}"),
                };
                let (value, rest) = bytes.split_at(length);
                bytes = rest;
                value.to_vec()
            }
        };
        found.push((key >> 3, value));
    }
    found
}

/// Step, tag and value of everything in an event file.
fn events(mut bytes: &[u8]) -> Vec<(u64, String, f32)> {
    let mut found = Vec::new();
    let mut records = 0;
    while !bytes.is_empty() {
        let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let crc = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let event = &bytes[12..12 + length];
        assert_eq!(crc(8), checksum(&bytes[..8]));
        assert_eq!(crc(12 + length), checksum(event));
        let event = fields(event);
        let field = |number: u8| {
            event
                .iter()
                .find(|(it, _)| *it == number)
                .map(|(_, v)| &v[..])
        };
        if records == 0 {
            assert_eq!(field(3), Some(&b"brain.Event:2"[..]));
        }
        let step = u64::from_le_bytes(field(2).unwrap().try_into().unwrap());
        for (_, value) in fields(field(5).unwrap_or_default()) {
            let value = fields(&value);
            let number = f32::from_le_bytes(value[1].1[..].try_into().unwrap());
            found.push((step, String::from_utf8(value[0].1.clone()).unwrap(), number));
        }
        records += 1;
        bytes = &bytes[16 + length..];
    }
    found
}

#[test]
fn tensorboard_has_all_values() {
    // Known from the specification of CRC-32C (RFC 3720, B.4): 32 zeros give 8a9136aa.
    let expected = 0x8a91_36aa_u32.rotate_right(15).wrapping_add(0xa282_ead8);
    assert_eq!(checksum(&[0; 32]), expected);
    let run = fresh("events");
    let mut command = tiny(&run, "--samples 80");
    command.arg("--validate").arg(labels());
    succeed(command);
    let files: Vec<_> = fs::read_dir(run.join("tensorboard")).unwrap().collect();
    assert_eq!(files.len(), 1);
    let found = events(&fs::read(files[0].as_ref().unwrap().path()).unwrap());
    let mut expected = 0;
    for line in metrics(&run) {
        let step = line["samples"].as_u64().unwrap();
        for (tag, value) in line.as_object().unwrap() {
            if ["samples", "time"].contains(&&tag[..]) || !value.is_number() {
                continue;
            }
            let value = value.as_f64().unwrap() as f32;
            assert!(found.contains(&(step, tag.clone(), value)), "{step} {tag}");
            expected += 1;
        }
    }
    assert_eq!(found.len(), expected);
    assert!(expected > 5 * 15, "{expected}");
}

#[test]
fn a_branch_goes_on_at_the_rate_of_a_run_that_diverged() {
    let run = fresh("halved");
    succeed(tiny(&run, "--samples 96"));
    let file = checkpoint_file(&run, 96);
    let (mut state, settings) = checkpoint::read(&file).unwrap();
    state.counters.backoffs = 3;
    fs::write(&file, checkpoint::to_bytes(&state, &settings).unwrap()).unwrap();
    for (options, rate) in [("", 0.0015 / 8.0), ("--rate 0.001", 0.001)] {
        let branch = fresh("of-halved");
        let from = format!("--from {} --samples 112 --log-every 16", run.display());
        succeed(train(&branch, &format!("{from} {options}")));
        let rates = metrics(&branch);
        let mut rates = rates.iter().filter_map(|line| line["rate"].as_f64());
        assert!((rates.next().unwrap() / rate - 1.0).abs() < 1e-6);
    }
}

#[test]
fn validation_that_cannot_be_read_does_not_stop_training() {
    let (run, data) = (fresh("no-validation"), fresh("bad-validation"));
    let options = "--samples 64 --validate-every 16";
    let mut command = tiny(&run, options);
    fs::create_dir_all(&data).unwrap();
    for name in ["settings.json", "shard-000000.glb"] {
        fs::copy(labels().join(name), data.join(name)).unwrap();
    }
    let shard = data.join("shard-000000.glb");
    let mut bytes = fs::read(&shard).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&shard, bytes).unwrap();
    command.arg("--validate").arg(&data);
    let said = remarks(&succeed(command));
    assert!(said.contains("no validation, see --validate: "), "{said}");
    assert!(said.contains("shard-000000.glb"), "{said}");
}

#[test]
fn diverging_run_halves_its_rate_and_ends() {
    for device in ["cpu", "candle"] {
        let run = fresh(&format!("diverged-{device}"));
        let options = "--arch b1c16 --batch 16 --samples 3200 --rate 1e30 --warmup 0";
        let mut command = train(&run, &format!("{options} --device {device}"));
        command.arg("--data").arg(labels());
        let said = refusal(command, 1);
        assert!(said.contains("back to 0 with the rate 5"), "{said}");
        assert!(said.contains("whatever the learning rate"), "{said}");
        // The reason is reported each time, and last.
        let causes = said.lines().filter(|line| line.contains("the gradient"));
        assert!(causes.count() >= 2, "{said}");
    }
}

/// The checkpoint has all parameters, and the last net the same layers.
#[test]
fn a_run_goes_on_without_its_initial_net() {
    let (run, whole) = (fresh("no-initial"), fresh("with-initial"));
    for run in [&run, &whole] {
        succeed(tiny(run, "--samples 32"));
    }
    fs::remove_file(run.join("initial.safetensors")).unwrap();
    let said = remarks(&succeed(tiny(&run, "--samples 64")));
    assert!(said.contains("initial.safetensors is missing"), "{said}");
    succeed(tiny(&whole, "--samples 64"));
    assert_eq!(state(&run, 64), state(&whole, 64));
}

#[test]
fn abandoned_temporary_files_are_removed() {
    let run = fresh("abandoned");
    succeed(tiny(&run, "--samples 32"));
    let folder = run.join("checkpoints");
    let write = |name: &str, age: u64| {
        let file = fs::File::create(folder.join(name)).unwrap();
        let then = SystemTime::now() - Duration::from_secs(age);
        file.set_modified(then).unwrap();
        file
    };
    write(".keima-dead", 3600);
    write(".keima-new", 0);
    write("others", 3600);
    let living = write(".keima-living", 3600);
    living.lock().unwrap();
    succeed(tiny(&run, "--samples 48"));
    let there = [".keima-dead", ".keima-new", "others", ".keima-living"];
    let there = there.map(|name| folder.join(name).exists());
    assert_eq!(there, [false, true, true, true]);
}

#[test]
fn folders_without_labels_are_named() {
    let run = fresh("no-labels");
    let said = refusal(train(&run, "--data nosuch"), 1);
    assert!(said.contains("nosuch with labels"), "{said}");
    let said = refusal(train(&run, "--data src"), 1);
    assert!(
        said.contains("src holds neither labels nor game records"),
        "{said}"
    );
    assert!(said.contains("keima label"), "{said}");
}

#[test]
fn impossible_options_are_errors() {
    let run = fresh("refusals");
    succeed(tiny(&run, "--samples 32"));
    let said = refusal(tiny(&run, "--rate 0.5"), 1);
    assert!(
        said.contains("cannot be changed: rate is 0.0015 there, not 0.5"),
        "{said}"
    );
    let said = refusal(tiny(&run, "--optimizer muon"), 1);
    assert!(said.contains("optimizer"), "{said}");
    let said = refusal(train(&run, "--arch b6c96"), 1);
    assert!(said.contains("arch is"), "{said}");
    {
        let _held = Run::open(&run).unwrap();
        let said = refusal(tiny(&run, "--samples 48"), 1);
        assert!(said.contains("another process is training"), "{said}");
    }
    succeed(tiny(&run, "--samples 48"));
    // What is not given stays as it is.
    let mut command = train(&run, "--batch 16 --samples 64");
    command.arg("--data").arg(labels());
    succeed(command);

    let none = fresh("none");
    assert!(refusal(train(&none, ""), 1).contains("--data is needed"));
    assert!(refusal(train(&none, "--data /nowhere"), 1).contains("/nowhere"));
    let none = fresh("none");
    for (options, expected) in [
        ("--arch c96b6", "no architecture"),
        ("--loss beauty=1", "no loss is called"),
        ("--micro-batch 5", "cannot be made of 5"),
        ("--samples 10 --decay-over 20", "see --samples"),
        (
            "--samples 96 --decay-from 0 --decay-over 32",
            "the learning rate is 0 from 32 samples on, before the end at 96",
        ),
        (
            "--batch 256 --micro-batch 256",
            "not one batch of 256 labels of one board size: there are ",
        ),
        (
            "--batch 512 --micro-batch 256",
            "of one size; a smaller --batch (and --micro-batch) would do",
        ),
        ("--init Cargo.toml", "it is no checkpoint"),
        ("--from nowhere", "nowhere is no training run"),
    ] {
        let mut command = train(&none, options);
        command
            .arg("--data")
            .arg(labels())
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        let said = refusal(command, 1);
        assert!(said.contains(expected), "{options}: {said}");
    }
    let mut command = train(&none, "--init");
    command.arg(NETWORK).arg("--data").arg(labels());
    assert!(refusal(command, 1).contains("it is no checkpoint"));
    let begun = folders::folder("train-labels-begun");
    let settings = "settings.json";
    fs::copy(labels().join(settings), begun.join(settings)).unwrap();
    let mut command = train(&none, "--data");
    command.arg(&begun);
    let said = refusal(command, 1);
    let expected = format!("no labels yet in {}: let `keima label`", begun.display());
    assert!(said.contains(&expected), "{said}");
    for options in [
        "--decay-from 5",
        "--loss policy",
        "--rate x",
        "--init a --from b",
        "--batch 0",
        "--sides 11-2",
        "--sides 9",
    ] {
        refusal(train(&none, options), 2);
    }
    assert!(!none.join("run.json").exists());
}

#[test]
fn a_symmetric_run_and_what_comes_of_it_stay_symmetric() {
    let assert_symmetric = |run: &Path| {
        let model = Model::of(read_net(&run.join("net.safetensors")).unwrap()).unwrap();
        model.weight_sharing_held(&model.values).unwrap();
        let manifest = fs::read_to_string(run.join("run.json")).unwrap();
        assert!(manifest.contains("\"symmetric\": true"), "{manifest}");
    };
    let (run, other) = (fresh("symmetric"), fresh("unsymmetric"));
    succeed(tiny(&run, "--symmetric --samples 32"));
    succeed(tiny(&run, "--samples 48"));
    assert_symmetric(&run);
    succeed(tiny(&other, "--samples 32"));
    assert!(refusal(tiny(&other, "--symmetric"), 1).contains("cannot be changed: symmetric"));

    let started = |name: &str, options: &str| {
        let path = fresh(name);
        let mut command = train(&path, &format!("--batch 16 {options}"));
        command.arg("--data").arg(labels());
        (path, command)
    };
    let net = |run: &Path| format!("--init {}/net-last.safetensors", run.display());
    let from = |run: &Path| format!("--from {}", run.display());
    for (name, options) in [
        ("decaying", format!("{} --decay-over 16", from(&run))),
        (
            "further-symmetric",
            format!("{} --symmetric --samples 16", net(&run)),
        ),
    ] {
        let (path, command) = started(name, &options);
        succeed(command);
        assert_symmetric(&path);
    }
    for (options, expected) in [
        (net(&other), "b1c16-s32 is not symmetric"),
        (from(&other), "is not symmetric"),
        ("--arch b1c16a1".to_owned(), "knows directions"),
    ] {
        let (path, command) = started("misbegun", &format!("{options} --symmetric"));
        let said = refusal(command, 1);
        assert!(said.contains(expected), "{options}: {said}");
        assert!(!path.join("run.json").exists());
    }
}

#[test]
fn boards_may_be_chosen_by_their_longer_side() {
    let sizes = |run: &Path| -> Vec<&str> {
        let lines = metrics(run);
        let is_there = |size: &&str| {
            let name = format!("val/{size}/policy_kl");
            lines.iter().any(|line| line.get(&name).is_some())
        };
        ["5x5", "6x5"].into_iter().filter(is_there).collect()
    };
    let run = fresh("sides");
    let mut command = tiny(&run, "--sides 6-11 --samples 64");
    command.arg("--validate").arg(labels());
    let said = remarks(&succeed(command));
    let note = "left out: this network is for boards whose longer side is 6 to 11 only";
    assert!(said.contains(note), "{said}");
    assert_eq!(sizes(&run), ["6x5"]);
    let said = remarks(&succeed(tiny(&run, "--samples 96")));
    assert!(said.contains(note), "{said}");
    let said = refusal(tiny(&run, "--samples 128 --sides 2-5"), 1);
    assert!(said.contains("sides"), "{said}");

    let branch = fresh("sides-branch");
    let mut command = train(&branch, "--sides 2-5 --samples 128 --from");
    command.arg(&run);
    succeed(command);
    assert_eq!(sizes(&branch), ["5x5"]);

    let said = refusal(tiny(&fresh("sides-none"), "--sides 12-19"), 1);
    let none = "not one batch of 4 labels of boards whose longer side is 12 to 19, and ";
    assert!(said.contains(none), "{said}");
}

/// From labels to a network that plays.
#[test]
fn seed_9x9_is_trained_and_plays_on_its_board_alone() {
    let (mixed, run) = (fresh("labels-9"), fresh("seed"));
    let options = "--count 200 --shard 20 --sizes 9:2,5:1 --seed 3 --threads 2";
    let mut command = keima(&[
        "label",
        "--model",
        NETWORK,
        "--out",
        mixed.to_str().unwrap(),
    ]);
    command.args(options.split(' '));
    succeed(command);
    let options = "--arch seed-9x9 --batch 16 --micro-batch 16 --warmup 64 --log-every 16";
    let mut command = train(&run, &format!("{options} --samples 960"));
    command.args(["--data", mixed.to_str().unwrap()]);
    command.args(["--validate", mixed.to_str().unwrap()]);
    let said = remarks(&succeed(command));
    let note = "on other boards are left out: this network is for 9x9 boards only";
    assert!(said.contains(note), "{said}");
    let losses = losses(&run);
    let last = losses[losses.len() - 10..].iter().map(|(_, loss)| loss);
    let (first, last) = (losses[0].1, last.sum::<f64>() / 10.0);
    assert!(last < 0.97 * first, "{first} to {last}");
    let looked = metrics(&run).iter().any(|line| {
        line.get("val/9x9/policy_kl").is_some() && line.get("val/5x5/policy_kl").is_none()
    });
    assert!(looked, "labels held out are those of 9x9");

    let net = run.join("net.safetensors");
    let net = net.to_str().unwrap();
    let info = succeed(keima(&["net", "info", net]));
    let info = String::from_utf8(info.stdout).unwrap();
    for part in [
        "seed-9x9-s960",
        "9x9 only",
        "32, 64, 128",
        "2 plain",
        "10 planes",
    ] {
        assert!(info.contains(part), "{part}: {info}");
    }
    let output = succeed(keima(&[
        "net",
        "test",
        net,
        "--json",
        "--labels",
        mixed.to_str().unwrap(),
    ]));
    assert!(remarks(&output).contains(note), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report.get("9x9").is_some() && report.get("5x5").is_none());

    let none = fresh("seed-none");
    let mut command = train(&none, options);
    command.arg("--data").arg(labels());
    let said = refusal(command, 1);
    assert!(
        said.contains("not one batch of 16 labels of 9x9 boards"),
        "{said}"
    );

    let mut play = keima(&["--model", net, "--visits", "20", "--threads", "1"]);
    play.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = play.stderr(Stdio::null()).spawn().unwrap();
    let lines = "1 genmove b\n2 boardsize 9\n3 genmove b\n4 genmove w\n5 kata-raw-nn 0\n\
                 6 boardsize 13\n7 quit\n";
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines.as_bytes()).unwrap();
    let said = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    for answer in [
        "?1 this network plays on 9x9 only",
        "=2",
        "=3",
        "=4",
        "=5",
        "?6 ",
    ] {
        assert!(said.contains(answer), "{answer}: {said}");
    }
}

#[test]
fn a_net_can_be_trained_further() {
    let (run, further) = (fresh("first"), fresh("further"));
    succeed(tiny(&run, "--samples 960"));
    let options = format!(
        "--init {}/net-last.safetensors --samples 16 --batch 16 --micro-batch 4 --seed 5",
        run.display()
    );
    let mut command = train(&further, &options);
    command.arg("--data").arg(labels());
    succeed(command);
    assert_eq!(state(&further, 0).counters.steps, 0);
    // Of the same labels, since the seed is the same.
    let loss = losses(&further)[0].1;
    assert!(loss < losses(&run)[0].1, "{loss}");
    let manifest = fs::read_to_string(further.join("run.json")).unwrap();
    assert!(
        manifest.contains("\"arch\": \"b1c16\"") && manifest.contains("b1c16-s960"),
        "{manifest}"
    );
    let mut command = train(&fresh("other-arch"), &format!("{options} --arch b2c24"));
    command.arg("--data").arg(labels());
    let said = refusal(command, 1);
    assert!(
        said.contains("b1c16-s960 is not b2c24 without some of its blocks"),
        "{said}"
    );
    let with_chains = fresh("with-chain-pooling");
    let mut command = train(&with_chains, &format!("{options} --arch b1c16ch1"));
    command.arg("--data").arg(labels());
    succeed(command);
    let manifest = fs::read_to_string(with_chains.join("run.json")).unwrap();
    assert!(
        manifest.contains("\"arch\": \"b1c16ch1\"") && manifest.contains("b1c16-s960"),
        "{manifest}"
    );
    let loss = losses(&with_chains)[0].1;
    assert!(loss < losses(&run)[0].1, "{loss}");
}

#[test]
fn folder_of_labels_is_gone_on_with_by_the_same_settings_alone() {
    let path = fresh("label-settings");
    let games = fresh("label-settings.tsv");
    fs::write(&games, "size\tmoves\n5\tccbcdccbcdbbdbbdddad\n").unwrap();
    let label = |options: &str| {
        let mut command = keima(&["label", "--model", NETWORK, "--out", path.to_str().unwrap()]);
        command.args("--shard 4 --sizes 5:1 --seed 3 --threads 1".split(' '));
        command.arg("--games").arg(&games);
        command.args(options.split(' '));
        command
    };
    let same = "--held-out 0 --side-positions 0.3 --min-occupancy 0.1 --rings 0.2";
    succeed(label(&format!("--count 4 {same}")));
    let more = succeed(label(&format!("--count 8 {same}")));
    let made = String::from_utf8_lossy(&more.stdout).into_owned() + &remarks(&more);
    assert!(made.contains("1 shard made"), "{made}");
    for (name, there, given) in [("side-positions", "0.3", "0.5"), ("rings", "0.2", "0.4")] {
        let others = same.replace(&format!("{name} {there}"), &format!("{name} {given}"));
        let refused = refusal(label(&format!("--count 12 {others}")), 1);
        let said = format!("{} is {there} there, not {given}", name.replace('-', "_"));
        assert!(refused.contains(&said), "{refused}");
    }
}

#[test]
fn rings_need_games() {
    let out = fresh("rings-alone");
    let mut command = keima(&["label", "--model", NETWORK, "--count", "4"]);
    command.args(["--rings", "0.5", "--out"]).arg(&out);
    assert!(refusal(command, 2).contains("--games"));
    assert!(!out.exists());
}

#[test]
fn samples_of_another_komi_teach_no_policy() {
    let run = fresh("komi-shifts");
    succeed(tiny(&run, "--samples 32 --komi-shifts 1"));
    let lines = metrics(&run).into_iter();
    let steps = lines.filter(|line| line.get("loss/total").is_some());
    let steps: Vec<Value> = steps.collect();
    assert_eq!(steps.len(), 2);
    for step in steps {
        for (head, is_learned) in [
            ("policy", false),
            ("outcome", false),
            ("lead", true),
            ("ownership", true),
        ] {
            let loss = step.get(format!("loss/{head}")).and_then(Value::as_f64);
            assert_eq!(loss > Some(0.0), is_learned, "{head}: {step}");
        }
    }
}

#[test]
fn a_finished_run_is_validated_once() {
    let run = fresh("validated-late");
    succeed(tiny(&run, "--samples 32"));
    let validations = || {
        let lines = metrics(&run);
        let lines = lines.iter();
        lines
            .filter(|line| line.get("val/all/labels").is_some())
            .count()
    };
    // Finished but not validated, as after a kill during the validation at the end.
    let mut command = train(&run, "--validate");
    command.arg(labels());
    succeed(command);
    assert_eq!(validations(), 1);
    succeed(train(&run, ""));
    assert_eq!(validations(), 1);
}

#[test]
fn labels_that_are_not_there_leave_a_run_as_it_was() {
    let (run, branch) = (fresh("plan-kept"), fresh("unborn"));
    succeed(tiny(&run, "--samples 32"));
    let before = contents(&run);
    let from = format!("--from {}", run.display());
    for (path, options, missing) in [
        (&run, "--samples 48", "--data"),
        (&run, "--samples 48", "--validate"),
        (&branch, &from[..], "--data"),
    ] {
        let said = refusal(train(path, &format!("{options} {missing} nosuch")), 1);
        assert!(said.contains("nosuch"), "{said}");
        assert!(contents(&run) == before, "{missing}: files have changed");
    }
    assert!(!branch.exists());
    // Those that it has learned from may be gone.
    let data = fresh("vanishing");
    fs::create_dir_all(&data).unwrap();
    for entry in fs::read_dir(labels()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, data.join(path.file_name().unwrap())).unwrap();
        }
    }
    let mut command = train(&run, "--data");
    command.arg(&data);
    succeed(command);
    let before = contents(&run);
    fs::remove_dir_all(&data).unwrap();
    let said = refusal(train(&run, "--samples 48"), 1);
    assert!(said.contains("there is no folder"), "{said}");
    assert!(contents(&run) == before, "files have changed");
}

#[test]
fn a_run_begins_with_a_compressed_network() {
    let compressed = fresh("new.safetensors.gz");
    let mut command = keima(&["net", "new", "--arch", "b1c16", "--seed", "7"]);
    command.arg(&compressed);
    succeed(command);
    let (mut bytes, plain) = (Vec::new(), fresh("new.safetensors"));
    let file = fs::File::open(&compressed).unwrap();
    GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
    fs::write(&plain, bytes).unwrap();
    let state_of = |name: &str, init: Option<&PathBuf>| {
        let run = fresh(name);
        let mut command = tiny(&run, "--samples 16");
        if let Some(net) = init {
            command.arg("--init").arg(net);
        }
        succeed(command);
        state(&run, 16)
    };
    let of_compressed = state_of("of-compressed", Some(&compressed));
    assert_eq!(of_compressed, state_of("of-plain", Some(&plain)));
    assert_ne!(of_compressed, state_of("of-none", None));
}

#[test]
fn a_damaged_list_of_shards_is_made_again() {
    let run = fresh("damaged-list");
    succeed(tiny(&run, "--samples 640"));
    let list = run.join("shards.jsonl");
    let lines = || -> Vec<Value> {
        let text = fs::read_to_string(&list).unwrap();
        let lines = text.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let (whole, before) = (fs::read_to_string(&list).unwrap(), lines());
    let (first, last) = (&before[0], before.last().unwrap());
    assert!(last["epoch"].as_u64() > Some(1), "{whole}");
    assert!(last["shards"].is_null(), "as the line before: {whole}");
    // The only list, and a second one, after which that of the epoch before is not to be used.
    let fewer = serde_json::json!({"epoch": 0, "shards": [first["shards"][0]]});
    let (_, later) = whole.split_once('\n').unwrap();
    for damaged in [format!("!{whole}"), format!("{fewer}\n!{later}")] {
        fs::write(&list, &damaged).unwrap();
        succeed(tiny(&run, "--samples 656"));
        let is_made =
            |line: &Value| line["epoch"] == last["epoch"] && line["shards"] == first["shards"];
        assert!(lines().iter().any(is_made), "{damaged}");
        // Back to the same epoch.
        fs::remove_file(checkpoint_file(&run, 656)).unwrap();
    }
}
