//! `keima selfplay --method policy-gradient`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::read::GzDecoder;
use keima::data::batch::{SampleWeights, Targets};
use keima::data::collection::Collection;
use keima::data::line::{Line, MoveCode};
use keima::data::shard::Shard;
use keima::go::{BoardSize, Color, Komi, Move, Rules};
use keima::nn::desc::Multipliers;
use keima::selfplay::policy_games::PolicyGame;
use keima::train::heads::Prediction;
use keima::train::losses::LossWeights;
use keima::train::objective::Objective;

use crate::folders;
use crate::under_test;

fn fresh(name: &str) -> PathBuf {
    folders::folder(&format!("gradient-{name}"))
}

fn output(mut command: Command, succeeds: bool) -> (String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let [stdout, stderr] = [stdout, stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(status.success(), succeeds, "{command:?}: {stderr}");
    (stdout, stderr)
}

/// A tiny network with random weights.
fn network(folder: &Path) -> PathBuf {
    let path = folder.join("first.safetensors");
    let mut command = under_test::program();
    command
        .args(["net", "new", "--arch", "b1c16", "--seed", "3"])
        .arg(&path);
    output(command, true);
    path
}

fn learn(run: &Path, options: &str) -> Command {
    let mut command = under_test::program();
    let usual =
        "--method policy-gradient --sizes 5 --komi 0.5 --threads 1 --seed 1 --precision f32";
    command.args(["selfplay", run.to_str().unwrap()]);
    command
        .args(usual.split(' '))
        .args(options.split_whitespace());
    command
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

/// A won game of Black, the learner, with a value before its moves.
fn game(value: f32) -> PolicyGame {
    let size = BoardSize::square(5);
    let mut line = Line::new(size);
    for (index, place) in [12, 11, 7, 6].into_iter().enumerate() {
        let color = Color::BOTH[index % 2];
        let mv = Move::Play(size.point_at(place));
        line.moves.push(MoveCode::new(size, color, mv));
    }
    PolicyGame {
        line,
        rules: Rules::TROMP_TAYLOR,
        komi: Komi::default(),
        learner: Color::Black,
        turns: vec![(0, value), (2, value)],
        result: Some("B+3".parse().unwrap()),
    }
}

#[test]
fn moves_count_by_the_result_less_the_expected_one() {
    let (line, counts) = game(0.25).labelled(1.0);
    assert_eq!(counts, [0.75, 0.75]);
    assert_eq!(game(0.25).labelled(0.0).1, [1.0, 1.0]);
    let lost = PolicyGame {
        learner: Color::White,
        turns: vec![(1, 0.5)],
        ..game(0.0)
    };
    let (of_lost, counts) = lost.labelled(1.0);
    assert_eq!(counts, [-1.5]);
    assert_eq!(of_lost.labels[0].values.outcome()[..2], [0.0, 1.0]);
    assert_eq!(of_lost.labels[0].values.score_mean(), -3.0);
    let [first, second] = &line.labels[..] else {
        panic!("{line:?}");
    };
    assert_eq!((first.next, second.next), (Some(12), Some(7)));
    assert_eq!(first.values.outcome()[..2], [1.0, 0.0]);
}

#[test]
fn a_negative_weight_reverses_the_gradient() {
    let targets = |policy: f32| Targets {
        policy: vec![0.0, 1.0, 0.0, 0.0, 0.0],
        legal: vec![true; 5],
        opponent_policy: vec![0.0; 5],
        human_move: vec![None],
        outcome: vec![[1.0, 0.0, 0.0]],
        lead: vec![0.0],
        score_mean: vec![0.0],
        score_stdev: vec![0.0],
        variance_time: vec![0.0],
        shortterm_value_error: vec![0.0],
        shortterm_score_error: vec![0.0],
        is_expectation: vec![false],
        sibling_group: vec![0],
        ownership: vec![0.0; 4],
        weights: vec![SampleWeights {
            policy,
            ..SampleWeights::NONE
        }],
    };
    let objective = Objective {
        weights: LossWeights::default(),
        multipliers: Multipliers::DEFAULT,
        version: 11,
    };
    let gradient = |weight: f32| {
        let mut predictions = [Prediction {
            policy: vec![vec![0.3, -0.2, 0.5, 0.0, 1.0]; 4],
            value: vec![0.0; 3],
            score: vec![0.0; 6],
            ownership: vec![0.0; 4],
        }];
        let losses = objective.differentiate(&mut predictions, &targets(weight), 0..1, 1.0);
        let [prediction] = predictions;
        assert!(losses.total(&objective.weights).is_finite());
        prediction.policy[0].clone()
    };
    let (more, less) = (gradient(0.75), gradient(-0.75));
    assert!(more[1] < 0.0 && more[2] > 0.0, "{more:?}");
    let opposite: Vec<f64> = more.iter().map(|slope| -slope).collect();
    assert_eq!(less, opposite);
}

#[test]
fn the_last_network_beats_the_first() {
    let folder = fresh("learn");
    let run = folder.join("run");
    let model = network(&folder);
    let options =
        "--iterations 60 --set games=48 --set pool_every=20 --set final_games=200 --set rate=0.012";
    let mut command = learn(&run, options);
    command.arg("--model").arg(&model);
    let (said, _) = output(command, true);
    let rate = said.split("against the first: ").nth(1).unwrap();
    let rate: f64 = rate.split(' ').next().unwrap().parse().unwrap();
    assert!(rate > 75.0, "{said}");
    assert_eq!(files(&run.join("pool")).len(), 4);
    let metrics = fs::read_to_string(run.join("train/metrics.jsonl")).unwrap();
    assert_eq!(metrics.matches("policy_gradient/win_rate").count(), 60);
    // The games teach values: one position of each.
    let values = folder.join("values");
    let mut command = under_test::program();
    command
        .args(["train", values.to_str().unwrap(), "--data"])
        .arg(run.join("games"));
    let options = "--positions-per-game 1 --not-imitated policy-gradient --held-out 0.1 --samples 512 --threads 1 --arch b1c16 --batch 32";
    command.args(options.split(' '));
    let (_, told) = output(command, true);
    assert!(told.contains(" samples: validation: outcome KL "), "{told}");
    let (games, _) = Collection::read(&[run.join("games")], &|_| ()).unwrap();
    let mut labels = 0;
    for made in files(&values.join("records")) {
        for file in files(&made) {
            if file.extension().is_some_and(|ending| ending == "glb") {
                let shard = Shard::from_bytes(&fs::read(file).unwrap()).unwrap();
                for line in &shard.lines {
                    assert_eq!(line.labels.len(), 1);
                    assert!(!line.labels[0].values.knows_policy());
                    assert!(line.labels[0].values.knows_outcome());
                    labels += 1;
                }
            }
        }
    }
    assert_eq!(labels, games.len());
}

#[test]
fn a_stopped_run_goes_on_as_it_would_have() {
    let folder = fresh("resume");
    let model = network(&folder);
    let part = |run: &str, iterations: u32| {
        let options = format!(
            "--iterations {iterations} --set games=6 --set pool_every=4 --set final_games=4 --model {}",
            model.display()
        );
        output(learn(&folder.join(run), &options), true)
    };
    part("whole", 9);
    part("parts", 3);
    part("parts", 6);
    // As if a process had died after adding to the pool.
    let stray = folder.join("parts/pool/0007-000000000000.safetensors");
    fs::copy(&model, &stray).unwrap();
    let (_, told) = part("parts", 9);
    assert!(told.contains("going on after 6 iterations"), "{told}");
    assert!(!stray.exists());
    let pools = ["whole", "parts"].map(|run| {
        let nets = files(&folder.join(run).join("pool"));
        let name = |path: &PathBuf| path.file_name().unwrap().to_owned();
        nets.iter().map(name).collect::<Vec<_>>()
    });
    assert_eq!(pools[0], pools[1]);
    assert_eq!(pools[0].len(), 3);
    let games = |run: &str| {
        let mut rows = Vec::new();
        for file in files(&folder.join(run).join("games")) {
            let table = std::io::read_to_string(GzDecoder::new(fs::File::open(file).unwrap()));
            rows.extend(table.unwrap().lines().skip(1).map(str::to_owned));
        }
        rows
    };
    assert_eq!(games("whole"), games("parts"));
    assert_eq!(games("whole").len(), 54);
}

#[test]
fn unfit_options_of_policy_gradients_are_refused() {
    let folder = fresh("refused");
    let run = folder.join("run");
    let model = network(&folder);
    let refused = |options: &str| output(learn(&run, options), false).1;
    assert!(refused("").contains("--model is needed"));
    let with_model = format!("--model {}", model.display());
    assert!(refused(&format!("{with_model} --games 5")).contains("see --iterations"));
    assert!(refused(&format!("{with_model} --set visits=5")).contains("visits"));
    assert!(refused(&format!("{with_model} --part 5")).contains("--part has no effect"));
    assert!(refused("--model missing.safetensors").contains("missing.safetensors"));
    assert!(!run.join("train").exists());
    let few = "--iterations 1 --set games=2 --set final_games=0";
    output(learn(&run, &format!("{with_model} {few}")), true);
    let changed = refused("--iterations 2 --set games=4 --set final_games=0");
    assert!(changed.contains("was begun otherwise"), "{changed}");
    let mut command = under_test::program();
    command.args(["selfplay", run.to_str().unwrap(), "--iterations", "3"]);
    assert!(
        output(command, false)
            .1
            .contains("--method policy-gradient only")
    );
}

#[test]
fn policy_gradients_begin_with_a_network_built_in() {
    let run = fresh("built-in").join("run");
    let options = "--model small --iterations 1 --set games=2 --set final_games=0";
    output(learn(&run, options), true);
    let manifest = fs::read_to_string(run.join("train/run.json")).unwrap();
    assert!(manifest.contains("\"origin\": \"net small\""), "{manifest}");
}
