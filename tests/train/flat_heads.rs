//! `hu-9x9`: its planes, its fully connected heads, their gradients, and what it can be used for.

use std::fs;
use std::path::PathBuf;

use keima::data::batch::Batch;
use keima::go::{BoardSize, Color, Komi, Move, Position, Rules};
use keima::nn::arch::{Arch, FlatWidths};
use keima::nn::candle::{Model as CandleModel, Place};
use keima::nn::checkpoint;
use keima::nn::cpu::Executor;
use keima::nn::cpu::simd::{Isa, Kernels};
use keima::nn::desc::InputVersion;
use keima::nn::features::hu::PLANES;
use keima::nn::features::{FeatureSettings, InputBatch};
use keima::nn::plan::Plan;
use keima::train::cells::Workspace;
use keima::train::graph::Graph;
use keima::train::layers::Layer;
use keima::train::losses::{Head, LossWeights};
use keima::train::model::Model;
use keima::train::objective::Objective;
use keima::train::real::Compute;
use keima::train::stem::Inputs;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::folders::folder;
use crate::nets::NETWORK;
use crate::running::{self, done, refused};
use crate::training::{batch, seeded, shake};
use crate::under_test;

fn small() -> Arch {
    Arch {
        flat_heads: Some(FlatWidths {
            policy: vec![2, 5, 82],
            value: vec![2, 6, 4, 1],
        }),
        ..Arch::named("hu-9x9").unwrap()
    }
}

/// Random planes of two boards.
fn hu_batch(random: &mut ChaCha8Rng) -> Batch {
    let size = BoardSize::square(9);
    let batch = batch(size, 2, random);
    let values = 2 * size.area() * PLANES;
    let plane = |_| f32::from(u8::from(random.random_bool(0.3)));
    let spatial = (0..values).map(plane).collect();
    Batch {
        version: InputVersion::Hu,
        inputs: InputBatch {
            spatial,
            global: Vec::new(),
            ..batch.inputs
        },
        ..batch
    }
}

fn compute() -> Compute {
    Compute::exact(Kernels::new(Isa::chosen().unwrap()))
}

fn inputs(batch: &Batch) -> Inputs<'_> {
    Inputs {
        spatial: &batch.inputs.spatial,
        global: &[],
    }
}

#[test]
fn planes_of_hu_9x9_are_those_of_the_thesis() {
    let size = BoardSize::square(9);
    let mut position = Position::new(size, Rules::TROMP_TAYLOR, Komi::default());
    let plane = |position: &Position, plane: usize| -> Vec<usize> {
        let settings = FeatureSettings::default();
        let inputs = InputBatch::of(InputVersion::Hu, position, &settings);
        assert_eq!(inputs.spatial.len(), 81 * PLANES);
        let points = inputs.spatial.chunks(PLANES).enumerate();
        points
            .filter(|(_, values)| values[plane] > 0.0)
            .map(|(point, _)| point)
            .collect()
    };
    assert!((0..PLANES).all(|number| plane(&position, number).is_empty()));
    // White captures the black stone in the corner.
    for place in [0, 1, 40, 9] {
        position.play(Move::Play(size.point_at(place)));
    }
    assert_eq!(position.to_move(), Color::Black);
    assert!(
        !position
            .board()
            .stones_of(Color::Black)
            .contains(size.point_at(0))
    );
    assert_eq!(plane(&position, 3), [0, 40], "as after Black's last move");
    assert_eq!(plane(&position, 2), [0]);
    assert!(plane(&position, 1).is_empty());
    assert_eq!(plane(&position, 7), [1, 9]);
    assert_eq!(plane(&position, 6), [1]);
    assert!(plane(&position, 8).is_empty());
    assert_eq!(plane(&position, 9), [9]);
    position.play(Move::Pass);
    assert_eq!(plane(&position, 3), [40]);
    assert_eq!(plane(&position, 2), [0, 40]);
    assert_eq!(plane(&position, 8).len(), 81);
    assert!(plane(&position, 9).is_empty());
}

#[test]
fn gradients_of_flat_heads_are_finite_differences() {
    let mut random = seeded(17);
    let mut model = Model::init(&small(), 5).unwrap();
    shake(&mut model, &mut random);
    let batch = hu_batch(&mut random);
    batch.check().unwrap();
    let objective = Objective {
        weights: LossWeights([1.0; Head::ALL.len()]),
        multipliers: model.multipliers(),
        version: model.version(),
    };
    let mut graph: Graph<f64> = model.graph();
    let mut workspace = Workspace::new(compute(), graph.grid(batch.size, batch.len()));
    let mut values: Vec<f64> = model.values.iter().map(|&value| value.into()).collect();
    let mut gradient = vec![0.0; values.len()];
    let mut loss = |values: &[f64], gradient: Option<&mut [f64]>| {
        graph.load(compute(), values);
        let (mut predictions, trace) = graph.forward(inputs(&batch), &mut workspace);
        let losses = objective.differentiate(&mut predictions, &batch.targets, 0..2, 0.5);
        match gradient {
            Some(gradient) => graph.backward(
                (trace, inputs(&batch)),
                &predictions,
                gradient,
                &mut workspace,
            ),
            None => trace.give_back(&mut workspace),
        }
        losses.total(&objective.weights)
    };
    loss(&values, Some(&mut gradient));
    let mut checked = 0;
    for parameter in model.parameters() {
        for _ in 0..4 {
            let index = random.random_range(parameter.place.clone());
            let kept = values[index];
            let mut at = |offset: f64| {
                values[index] = kept + offset;
                let loss = loss(&values, None);
                values[index] = kept;
                loss
            };
            let expected = (at(1e-5) - at(-1e-5)) / 2e-5;
            let found = gradient[index];
            let error = (found - expected).abs();
            assert!(
                error < 1e-6 + 1e-5 * expected.abs(),
                "{}: {found} instead of {expected}",
                parameter.name
            );
            checked += usize::from(expected.abs() > 1e-9);
        }
    }
    assert!(checked > model.parameters().len(), "{checked}");
}

#[test]
fn executors_of_flat_heads_agree_with_the_trained_net() {
    let mut random = seeded(3);
    let mut model = Model::init(&Arch::named("hu-9x9").unwrap(), 2).unwrap();
    shake(&mut model, &mut random);
    let net = model.net();
    let stored = checkpoint::write_bytes(&net).unwrap();
    assert_eq!(checkpoint::read_bytes(&stored).unwrap(), net);
    let executor = Executor::new(Plan::new(&net), Isa::chosen().unwrap(), false);
    let candle = CandleModel::new(&net, &Place::cpu()).unwrap();
    let mut graph = model.graph::<f32>();
    graph.load(compute(), &model.values);
    let batch = hu_batch(&mut random);
    let mut workspace = Workspace::new(compute(), graph.grid(batch.size, batch.len()));
    let (predictions, _) = graph.forward(inputs(&batch), &mut workspace);
    for outputs in [
        executor.forward(&batch.inputs),
        candle.forward(&batch.inputs),
    ] {
        for (prediction, output) in predictions.iter().zip(outputs.unwrap()) {
            let policy = output.policy.iter().chain(&output.pass);
            assert_eq!(policy.clone().count(), 82);
            for (found, expected) in policy.zip(&prediction.policy[0]) {
                assert!(
                    (f64::from(*found) - expected).abs() < 1e-3,
                    "{found} {expected}"
                );
            }
            let (found, expected) = (f64::from(output.value[0]), prediction.value[0]);
            assert!((found - expected).abs() < 1e-3, "{found} {expected}");
            assert_eq!(prediction.value[1], -expected);
        }
    }
    assert!(
        Model::init(&Arch::named("hu-9x9").unwrap(), 1)
            .unwrap()
            .make_symmetric()
            .is_err()
    );
}

#[test]
fn hu_9x9_plays_learns_from_its_games_and_plays_on() {
    let folder = folder("hu-9x9");
    let keima = |arguments: &[&str], files: &[&PathBuf]| {
        let mut command = under_test::program();
        command.args(arguments).args(files);
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {text}");
        String::from_utf8(output.stdout).unwrap()
    };
    let net = folder.join("new.safetensors");
    keima(&["net", "new", "--arch", "hu-9x9"], &[&net]);
    let info = keima(&["net", "info"], &[&net]);
    for part in [
        "hu-9x9",
        "9x9 only",
        "32, 64, 128",
        "10 planes",
        "win or loss",
    ] {
        assert!(info.contains(part), "{part}: {info}");
    }
    let run = folder.join("run");
    let games = "selfplay --games 3 --threads 1 --sizes 9 --set visits=8 --set fast_visits=4 --set full_share=1 --set longest=0.4";
    let mut arguments: Vec<&str> = games.split(' ').collect();
    arguments.extend([run.to_str().unwrap(), "--model"]);
    keima(&arguments, &[&net]);
    let (trained, made) = (run.join("train"), run.join("games"));
    let options = "--arch hu-9x9 --samples 64 --batch 16 --threads 1 --warmup 16 --log-every 16";
    let mut arguments = vec!["train", trained.to_str().unwrap()];
    arguments.extend(options.split(' '));
    arguments.extend(["--validate", made.to_str().unwrap(), "--data"]);
    keima(&arguments, &[&made]);
    let metrics = fs::read_to_string(trained.join("metrics.jsonl")).unwrap();
    assert!(metrics.contains("val/9x9/policy_kl"), "{metrics}");
    for lacking in [
        "human_head",
        "loss/lead",
        "loss/ownership",
        "lead_error",
        "ownership_brier",
    ] {
        assert!(!metrics.contains(lacking), "{lacking}: {metrics}");
    }
    let out = folder.join("report.html");
    let report = ["report", "--positions", "2", "--out", out.to_str().unwrap()];
    keima(&report, &[&trained]);
    let page = fs::read_to_string(&out).unwrap();
    assert!(page.contains("<b>teacher</b>: ownership"), "{page}");
    assert!(!page.contains("<b>network</b>: ownership"), "{page}");
    let evaluated = keima(
        &["net", "eval", "--size", "9", "--json"],
        &[&trained.join("net.safetensors")],
    );
    assert!(evaluated.contains("policy"), "{evaluated}");
    let drawn = keima(&["net", "eval", "--size", "9"], &[&net]);
    assert!(
        drawn.contains("policy, in percent") && !drawn.contains("owner"),
        "{drawn}"
    );
    // What it learns from recorded games has a policy and a value alone.
    let text = fs::read_to_string(trained.join("run.json")).unwrap();
    for part in ["\"outcome\": 1.0", "\"lead\": 0.0", "\"human\": 0.0"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_net_of_win_and_loss_on_9x9_is_used_for_no_more() {
    let folder = folder("hu-9x9-unfit");
    let [net, out, run] = ["new.safetensors", "labels", "run"].map(|name| folder.join(name));
    let [net, to, games] = [&net, &out, &run].map(|path| path.to_str().unwrap());
    done(&["net", "new", "--arch", "hu-9x9", net]);
    let label = ["label", "--count", "4", "--threads", "1", "--out", to];
    let labels = |more: &[&str]| refused(&[&label[..], more].concat());
    let said = labels(&["--sizes", "9", "--model", net]);
    assert!(said.contains("win and loss only"), "{said}");
    let said = labels(&["--sizes", "9,5", "--model", NETWORK, "--player", net]);
    assert!(said.contains("plays on 9x9 only: see --sizes"), "{said}");
    assert!(!out.exists());
    let said = refused(&["selfplay", games, "--games", "1", "--model", net]);
    assert!(said.contains("it plays on 9x9 only: see --sizes"), "{said}");
    assert!(!run.exists());
    let sanity = "net sanity --positions 4 --sizes 9 --json";
    let mut sanity: Vec<&str> = sanity.split(' ').collect();
    sanity.push(net);
    let output = running::run(&sanity, "");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let lead = &found["findings"]["lead_per_komi"];
    assert_eq!(lead["value"], Value::Null, "{found}");
    assert_eq!(lead["cases"], 0, "{found}");
}
