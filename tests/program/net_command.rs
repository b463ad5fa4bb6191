//! `keima net` as users start it: the commands, their JSON, their files and their errors.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Command;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::folders::vacant;
use crate::leela_text::leela_zero;
use crate::running::{self, keima, printed};

const NETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets");

/// The net in the program for small boards.
const OWN_NET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/weights/small.bin.gz");

fn net_file(name: &str) -> String {
    format!("{NETS}/{name}.bin.gz")
}

/// `keima net` with its output in a pipe.
fn keima_net(arguments: &[&str]) -> Command {
    let mut command = keima(&[&["net"], arguments].concat());
    command.env("TERM", "xterm-256color");
    command
}

fn text(arguments: &[&str]) -> String {
    printed(keima_net(arguments))
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&text(arguments)).unwrap()
}

/// The error message for refused arguments.
fn refusal(arguments: &[&str], code: i32) -> String {
    running::refusal(keima_net(arguments), code)
}

/// A file for one test.
fn written(name: &str, contents: &[u8]) -> PathBuf {
    let path = vacant(name);
    std::fs::write(&path, contents).unwrap();
    path
}

/// KataGo's evaluations with a net, one position per line.
fn records(name: &str) -> Vec<Value> {
    let file = File::open(format!("{NETS}/rec_{name}.jsonl.gz")).unwrap();
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

fn assert_close(what: &str, found: &Value, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!(
        (found - expected).abs() <= 1e-4,
        "{what}: {found}, not {expected}"
    );
}

#[test]
fn info_describes_a_file() {
    let info = json(&["info", &net_file("s8"), "--json"]);
    assert_eq!(info["name"], "synth-v8-s4");
    assert_eq!(info["version"], 8);
    assert_eq!(info["compression"], "gzip");
    assert_eq!(info["form"], "binary");
    assert_eq!(
        info["bytes"],
        std::fs::metadata(net_file("s8")).unwrap().len()
    );
    assert_eq!(
        info["inputs"],
        serde_json::json!({"version": 7, "planes": 22, "globals": 19, "human_profile": false})
    );
    assert_eq!(info["score_outputs"].as_array().unwrap().len(), 4);
    assert_eq!(
        info["blocks"],
        serde_json::json!({"ordinary": 2, "global pooling": 1})
    );
    assert_eq!(info["channels"]["trunk"], 16);
}

/// Counted by a script that knows the layers of these files only by their shape: all weights, those
/// of convolutions, and those of matrices.
#[test]
fn info_counts_weights_and_work() {
    for (name, parameters, at_points, at_board) in
        [("s8", 15_256, 13_921, 946), ("s16", 25_115, 23_263, 1_238)]
    {
        let info = json(&["info", &net_file(name), "--json"]);
        assert_eq!(info["parameters"], parameters, "{name}");
        assert_eq!(info["weight_bytes"], 4 * parameters, "{name}");
        for side in [9, 13, 19] {
            let gflop = 2e-9 * f64::from(side * side * at_points + at_board);
            let found = info["gflop"][format!("{side}x{side}")].as_f64().unwrap();
            assert!(
                (found - gflop).abs() < 1e-12,
                "{name}: {found}, not {gflop}"
            );
        }
    }
}

#[test]
fn files_are_told_apart_by_content() {
    for (name, compression, form) in [
        ("s3.txt.gz", "gzip", "text"),
        ("s5.bin", "none", "binary"),
        ("s6.txt", "none", "text"),
        ("s17.bin.gz", "gzip", "binary"),
    ] {
        let info = json(&["info", &format!("{NETS}/{name}"), "--json"]);
        assert_eq!(
            (&info["compression"], &info["form"]),
            (&compression.into(), &form.into())
        );
    }
}

#[test]
fn info_prints_a_table() {
    let table = text(&["info", &net_file("s16")]);
    for row in [
        "name        synth-v16-s1\n",
        "version     16\n",
        "SHA-256     1612224f8cb6134b",
    ] {
        assert!(table.contains(row), "{table}");
    }
    assert!(
        table
            .lines()
            .all(|line| line.len() <= 120 && line == line.trim_end()),
        "{table}"
    );
}

#[test]
fn eval_equals_recorded_outputs() {
    for name in ["s8", "s16"] {
        let record = records(name)
            .into_iter()
            .find(|record| {
                let is_empty = |key: &str| record[key].as_array().unwrap().is_empty();
                is_empty("moves") && is_empty("setup") && record["optimism"] == 0.2
            })
            .expect("a record of an empty board");
        let size = format!("{}x{}", record["width"], record["height"]);
        let found = json(&[
            "eval",
            &net_file(name),
            "--json",
            "--size",
            &size,
            "--komi",
            &record["komi"].to_string(),
            "--rules",
            &record["rules"].to_string(),
            "--symmetry",
            &record["symmetry"].to_string(),
        ]);
        let raw = &record["raw"];
        let recorded = |key: &str| raw[key].as_f64().unwrap();
        assert_close("win", &found["black_win"], recorded("whiteLoss"));
        assert_close("loss", &found["white_win"], recorded("whiteWin"));
        assert_close("no result", &found["no_result"], recorded("noResult"));
        // Printed with three decimals.
        let lead = found["black_lead"].as_f64().unwrap() + recorded("whiteLead");
        assert!(lead.abs() <= 1e-3, "{lead}");
        assert_close("pass", &found["policy_pass"], recorded("policyPass"));
        let (policy, owner) = (
            found["policy"].as_array().unwrap(),
            found["black_ownership"].as_array().unwrap(),
        );
        assert_eq!((policy.len(), owner.len()), (25, 25));
        for point in 0..25 {
            assert_close(
                "policy",
                &policy[point],
                raw["policy"][point].as_f64().unwrap(),
            );
            assert_close(
                "owner",
                &owner[point],
                -raw["whiteOwnership"][point].as_f64().unwrap(),
            );
        }
    }
}

#[test]
fn the_average_is_that_of_all_symmetries() {
    let game = "(;SZ[5:3];B[ba])";
    let game = written("net_command_turned.sgf", game.as_bytes())
        .display()
        .to_string();
    let net = net_file("s8");
    let of = |symmetry: &str| {
        json(&[
            "eval",
            &net,
            "--json",
            "--sgf",
            &game,
            "--symmetry",
            symmetry,
        ])
    };
    let all: Vec<Value> = (0..8)
        .map(|number: usize| of(&number.to_string()))
        .collect();
    assert_ne!(all[0]["black_win"], all[1]["black_win"]);
    let average = of("average");
    assert_eq!(average["symmetry"], "average");
    for key in ["black_win", "black_lead", "policy_pass"] {
        let sum: f64 = all.iter().map(|one| one[key].as_f64().unwrap()).sum();
        assert_close(key, &average[key], sum / 8.0);
    }
}

#[test]
fn human_nets_take_profile() {
    let net = net_file("s15m");
    let options = ["eval", &net, "--size", "5"];
    assert!(refusal(&options, 1).contains("rank_5k"));
    let of = |profile| json(&[&options[..], &["--json", "--human-profile", profile]].concat());
    assert_eq!(of("rank_5k")["human_profile"], "rank_5k");
    assert_ne!(of("rank_5k")["policy"], of("rank_5d")["policy"]);
}

#[test]
fn positions_come_from_game_records() {
    let game = "(;GM[1]SZ[9]KM[6.5]RU[Japanese];B[ee];W[gc];B[cc](;W[];B[gg])(;W[aa]))";
    let game = written("net_command.sgf", game.as_bytes())
        .display()
        .to_string();
    let net = net_file("s8");
    let of =
        |options: &[&str]| json(&[&["eval", &net, "--json", "--sgf", &game], options].concat());
    let last = of(&[]);
    assert_eq!(
        (&last["moves"], &last["to_move"]),
        (&5.into(), &"white".into())
    );
    assert_eq!((&last["width"], &last["komi"]), (&9.into(), &6.5.into()));
    assert_eq!(last["rules"]["scoring"], "TERRITORY");
    assert_eq!(of(&["--move", "5"]), last);
    let second = of(&["--move", "2", "--komi", "0", "--rules", "chinese"]);
    assert_eq!(
        (&second["moves"], &second["komi"]),
        (&2.into(), &0.0.into())
    );
    assert_eq!(second["rules"]["scoring"], "AREA");
    let occupied = |point: &usize| second["policy"][*point].is_null();
    assert_eq!(
        (0..81).filter(occupied).collect::<Vec<_>>(),
        [2 * 9 + 6, 4 * 9 + 4]
    );
    assert_eq!(of(&["--move", "0"])["moves"], 0);

    let refused = |options: &[&str], code| {
        refusal(&[&["eval", &net, "--sgf", &game], options].concat(), code)
    };
    assert!(refused(&["--move", "6"], 1).contains("ends before move 6"));
    assert!(refused(&["--size", "9"], 2).contains("cannot be used with"));
    assert!(refused(&["--symmetry", "8"], 2).contains("0 to 7"));
}

#[test]
fn eval_draws_boards_without_colors_in_a_pipe() {
    let game = "(;SZ[5]KM[0];B[cc];W[bb])";
    let game = written("net_command_drawn.sgf", game.as_bytes())
        .display()
        .to_string();
    let page = text(&["eval", &net_file("s8"), "--sgf", &game]);
    assert!(page.is_ascii() && !page.contains('\x1b'), "{page}");
    let row = page.lines().find(|line| line.starts_with(" 4 ")).unwrap();
    assert_eq!(&row[6..9], "(O)", "the last move in {page}");
    assert_eq!(
        page.lines().filter(|line| line.starts_with(" 3 ")).count(),
        1,
        "{page}"
    );
    assert!(page.contains("after move 2, Black to move\n"), "{page}");
    let shares = page.lines().filter(|line| line.contains("%  ")).count();
    assert_eq!(shares, 10, "{page}");
    assert!(page.lines().all(|line| line.len() <= 80), "{page}");
}

#[test]
fn bench_measures_every_setting() {
    let table = text(&[
        "bench",
        &net_file("s8"),
        "--size",
        "5",
        "--seconds",
        "0.03",
        "--batch",
        "1,3",
        "--threads",
        "1,2",
    ]);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip_while(|line| !line.starts_with("threads"))
        .skip(1)
        .map(|line| line.split_whitespace().collect())
        .collect();
    let settings: Vec<[&str; 2]> = rows.iter().map(|row| [row[0], row[1]]).collect();
    assert_eq!(settings, [["1", "1"], ["1", "3"], ["2", "1"], ["2", "3"]]);
    for row in rows {
        for rate in [row[2], row[6]] {
            assert!(rate.parse::<f64>().unwrap() > 0.0, "{table}");
        }
    }
    assert!(refusal(&["bench", &net_file("s8"), "--batch", "0"], 2).contains("--batch"));
}

/// Stages with their times, where our own kernels compute.
#[test]
fn bench_shows_the_stages_of_an_evaluation() {
    let net = net_file("s15m");
    let rest = [
        "--size",
        "9",
        "--seconds",
        "0.03",
        "--batch",
        "1",
        "--threads",
        "1",
        "--stages",
    ];
    let page =
        |device| text(&[&["bench", net.as_str(), "--device", device][..], &rest[..]].concat());
    let own = page("cpu");
    let (_, stages) = own
        .split_once("one evaluation on one core: ")
        .expect("the stages");
    let shares: Vec<f64> = stages
        .lines()
        .filter_map(|line| {
            line.split_once(" %")?
                .0
                .split_whitespace()
                .last()?
                .parse()
                .ok()
        })
        .collect();
    assert_eq!(shares.len(), 8, "{own}");
    assert!((shares.iter().sum::<f64>() - 100.0).abs() < 5.0, "{own}");
    assert!(page("candle").contains("only own kernels know the stages"));
}

/// All networks have a plan, also those that a GPU leaves to another library.
#[test]
fn plan_shows_all_kinds_of_networks() {
    let leela = written("plan_leela.txt", leela_zero(0, 1, "0").as_bytes());
    let leela = leela.to_str().unwrap();
    for (file, operation, remark) in [
        (net_file("s8"), "block 0, conv a", None),
        (net_file("s17"), "block 0, attention", None),
        (
            leela.to_owned(),
            "policy, points",
            Some("fully connected heads"),
        ),
    ] {
        let plan = text(&["plan", &file]);
        assert!(plan.contains(operation), "{plan}");
        let by_candle = plan.contains("On a GPU the candle library computes it");
        assert_eq!(by_candle, remark.is_some(), "{plan}");
        let is_counted = plan.contains("launches of kernels on a GPU");
        assert_eq!(is_counted, remark.is_none(), "{plan}");
        assert!(remark.is_none_or(|remark| plan.contains(remark)), "{plan}");
    }
    let on_cpu = text(&["plan", &net_file("s8"), "--device", "cpu"]);
    assert!(
        on_cpu.contains(" in f32\n") && !on_cpu.contains("GPU"),
        "{on_cpu}"
    );
    let error = refusal(&["plan", leela, "--device", "candle"], 2);
    assert!(error.contains("'candle' is not cuda or cpu"), "{error}");
    let error = refusal(&["plan", leela, "--size", "9"], 1);
    assert!(error.contains("plays on 19x19 only"), "{error}");
}

#[test]
fn broken_files_are_refused_with_the_reason() {
    let mut bytes = std::fs::read(net_file("s8")).unwrap();
    bytes.truncate(bytes.len() / 2);
    let broken = written("net_command_broken.bin.gz", &bytes)
        .display()
        .to_string();
    for command in ["info", "eval", "bench"] {
        let message = refusal(&[command, &broken], 1);
        assert!(message.starts_with("keima: "), "{message}");
        assert!(message.contains("net_command_broken.bin.gz"), "{message}");
        assert!(message.contains("damaged compression"), "{message}");
        let message = refusal(&[command, "no/such/file"], 1);
        assert!(message.contains("cannot read no/such/file"), "{message}");
    }
}

/// A path for one test where there is no file.
fn unwritten(name: &str) -> String {
    vacant(name).display().to_string()
}

#[test]
fn new_makes_a_net_by_name_and_seed() {
    let files = ["net_new_a.safetensors", "net_new_b.safetensors"].map(unwritten);
    for file in &files {
        let said = text(&["new", "--arch", "b2c16", "--seed", "3", file]);
        assert!(
            said.starts_with("b2c16, ") && said.ends_with("seed 3\n"),
            "{said}"
        );
    }
    let [first, second] = files.each_ref().map(|file| std::fs::read(file).unwrap());
    assert_eq!(first, second);
    let info = json(&["info", &files[0], "--json"]);
    assert_eq!(
        (&info["name"], &info["form"]),
        (&"b2c16".into(), &"safetensors".into())
    );
    assert_eq!(info["channels"]["trunk"], 16);
    assert!(json(&["eval", &files[0], "--size", "5", "--json"])["black_win"].is_number());

    let net = unwritten("net_new_c.bin.gz");
    text(&["new", "--arch", "b3c16nbt", &net]);
    assert_eq!(
        json(&["info", &net, "--json"])["blocks"],
        serde_json::json!({"nested bottleneck": 3})
    );
    assert!(refusal(&["new", "--arch", "c3", &net], 2).contains("no architecture"));
}

#[test]
fn convert_preserves_net() {
    let original = net_file("s15m");
    let ask = |file: &str| {
        let options = ["--size", "5", "--json", "--human-profile", "rank_3k"];
        json(&[&["eval", file], &options[..]].concat())
    };
    let mut last = original.clone();
    for (end, compression, form) in [
        ("safetensors", "none", "safetensors"),
        ("txt", "none", "text"),
        ("bin", "none", "binary"),
        ("txt.gz", "gzip", "text"),
        ("bin.gz", "gzip", "binary"),
    ] {
        let next = unwritten(&format!("net_convert.{end}"));
        assert_eq!(text(&["convert", &last, &next]), "");
        let info = json(&["info", &next, "--json"]);
        assert_eq!(
            (&info["compression"], &info["form"]),
            (&compression.into(), &form.into())
        );
        let [mut found, mut expected] = [&next, &original].map(|file| ask(file));
        for answer in [&mut found, &mut expected] {
            answer.as_object_mut().unwrap().remove("file");
        }
        assert_eq!(found, expected, "{end}");
        last = next;
    }
    let exported = unwritten("net_export.bin.gz");
    text(&["export", &original, &exported]);
    assert_eq!(
        std::fs::read(exported).unwrap(),
        std::fs::read(last).unwrap()
    );
}

#[test]
fn existing_files_are_replaced_only_by_force() {
    let net = net_file("s8");
    let kept = written("net_kept.bin", b"precious").display().to_string();
    for command in [
        &["convert", &net, &kept][..],
        &["new", "--arch", "b1c8", &kept],
    ] {
        let message = refusal(command, 1);
        assert!(message.contains("net_kept.bin exists already"), "{message}");
        assert_eq!(std::fs::read(&kept).unwrap(), b"precious");
    }
    text(&["convert", &net, &kept, "--force"]);
    assert_eq!(json(&["info", &kept, "--json"])["name"], "synth-v8-s4");
}

#[test]
fn unconvertible_net_is_error() {
    let net = net_file("s8");
    let message = refusal(&["convert", &net, "net_convert.onnx"], 1);
    assert!(message.contains(".safetensors"), "{message}");
    let message = refusal(&["convert", &net, "no/such/folder/net.bin"], 1);
    assert!(
        message.contains("cannot write no/such/folder/net.bin"),
        "{message}"
    );
    let leela = written("net_convert_leela.txt", leela_zero(0, 1, "0").as_bytes())
        .display()
        .to_string();
    let target = unwritten("net_convert_leela.bin.gz");
    let message = refusal(&["convert", &leela, &target], 1);
    assert!(message.contains("Leela Zero"), "{message}");
    assert!(!PathBuf::from(target).exists());
}

/// Random weights know neither rules nor komi; the program's own net knows something of both.
#[test]
fn sanity_separates_trained_from_random_nets() {
    let random = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sanity-random.safetensors");
    let random = random.to_str().unwrap();
    text(&["new", "--arch", "b1c16", "--seed", "3", "--force", random]);
    let options = [
        "--positions",
        "24",
        "--sizes",
        "7,9",
        "--seed",
        "1",
        "--json",
    ];
    let ask = |net: &str| -> Value {
        let mut command = keima_net(&[&["sanity", net][..], &options].concat());
        let output = command.output().unwrap();
        let remarks = String::from_utf8_lossy(&output.stderr);
        let found: Value = serde_json::from_slice(&output.stdout).expect(&remarks);
        let mut findings = found["findings"].as_object().unwrap().values();
        let is_fine = findings.all(|finding| finding["fine"] == true);
        let code = if is_fine { 0 } else { 3 };
        assert_eq!(output.status.code(), Some(code), "{net}: {found}");
        found["findings"].clone()
    };
    let known = ask(OWN_NET);
    assert_eq!(known.as_object().unwrap().len(), 6);
    for name in [
        "chances_rise_with_komi",
        "passes_finished_games",
        "passes_early",
    ] {
        assert_eq!(known[name]["fine"], true, "{known}");
    }
    let slope = &known["lead_per_komi"];
    assert_eq!(slope["cases"], 24);
    let value = slope["value"].as_f64().unwrap();
    assert!((-1.3..-0.4).contains(&value), "{known}");
    assert_eq!(ask(OWN_NET), known);
    let unknown = ask(random);
    assert_eq!(unknown["lead_per_komi"]["fine"], false, "{unknown}");
    let mut command = keima_net(&["sanity", random, "--positions", "3", "--sizes", "5"]);
    let table = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert_eq!(table.lines().count(), 6, "{table}");
    assert!(
        table.contains("FAILS Black's lead per point of komi, median"),
        "{table}"
    );
}

#[test]
fn built_in_networks_need_no_file() {
    let own = json(&["info", OWN_NET, "--json"]);
    let small = json(&["info", "small", "--json"]);
    assert_eq!(small["sha256"], own["sha256"]);
    let default = json(&["info", "--json"]);
    assert_eq!(default, json(&["info", "default", "--json"]));
    assert_ne!(default["sha256"], own["sha256"]);
    // By default as the engine chooses by the board.
    for (size, chosen) in [("19", &default), ("9", &small), ("9x13", &default)] {
        let answer = json(&["eval", "--size", size, "--json"]);
        assert_eq!(answer["network"], chosen["name"], "{size}");
    }
    text(&[
        "bench",
        "--seconds",
        "0.01",
        "--batch",
        "1",
        "--threads",
        "1",
    ]);
}

#[test]
fn test_without_input_names_all_options() {
    let said = refusal(&["test"], 2);
    for kind in ["--labels", "--games", "--positions"] {
        assert!(said.contains(kind), "{kind}: {said}");
    }
}

/// A table of games on 9x9 with these lines of moves, komi and result.
fn table(name: &str, games: &[(&str, &str, &str)]) -> String {
    let line =
        |(moves, komi, result): &(&str, &str, &str)| format!("9\t{moves}\t{komi}\t{result}\n");
    let lines: String = games.iter().map(line).collect();
    let text = format!("size\tmoves\tkomi\tresult\n{lines}");
    written(name, text.as_bytes()).to_str().unwrap().to_owned()
}

#[test]
fn test_counts_known_winners() {
    // Whoever is to move, komi decides.
    let right = [
        ("ee", "60.5", "W+"),
        ("eeec", "60.5", "W+"),
        ("", "-60.5", "B+"),
        ("ee", "-60.5", "B+"),
    ];
    let file = table("winners.tsv", &right);
    let told = json(&["test", "--positions", &file, "--json", "--precision", "f32"]);
    assert_eq!(
        (&told["positions"], &told["winners_named"]),
        (&4.into(), &4.into())
    );
    let wrong = [
        ("ee", "60.5", "B+"),
        ("eeec", "60.5", "B+"),
        ("", "-60.5", "W+"),
        ("ee", "-60.5", "B+"),
    ];
    let file = table("losers.tsv", &wrong);
    let told = text(&["test", "--positions", &file, "--precision", "f32"]);
    assert!(told.starts_with("1 of 4 winners named\n"), "{told}");
    let missed: Vec<bool> = (2..=5)
        .map(|line| told.contains(&format!("line {line}")))
        .collect();
    assert_eq!(missed, [true, true, true, false], "{told}");
}

#[test]
fn test_runs_on_dragons() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/dragons/positions.tsv"
    );
    let told = json(&["test", &net_file("s8"), "--positions", file, "--json"]);
    let probabilities = told["win_probabilities"].as_array().unwrap();
    let named = probabilities
        .iter()
        .filter(|it| it["win"].as_f64().unwrap() > 0.5);
    assert_eq!(told["winners_named"], named.count());
    assert_eq!((&told["positions"], probabilities.len()), (&30.into(), 30));
}

#[test]
fn unusable_positions_are_reported() {
    let cases = [
        ("nobody.tsv", ("ee", "6.5", ""), "no winner is stated"),
        ("occupied.tsv", ("eeee", "6.5", "B+"), "move 2"),
        ("off.tsv", ("zz", "6.5", "B+"), "unreadable moves"),
    ];
    for (name, game, reason) in cases {
        let file = table(name, &[("ee", "6.5", "B+"), game]);
        let said = refusal(&["test", "--positions", &file], 1);
        assert!(said.contains("line 3") && said.contains(reason), "{said}");
    }
    let none = table("none.tsv", &[]);
    let said = refusal(&["test", "--positions", &none], 1);
    assert!(said.contains("there are no positions in"), "{said}");
}
