//! Gradients of whole nets in training against finite differences, and forward passes against
//! those of the nets as they are exported.

use crate::training::{batch, seeded, shake};
use keima::data::batch::{Batch, Targets};
use keima::go::BoardSize;
use keima::nn::arch::Arch;
use keima::nn::candle::{Model as CandleModel, Place};
use keima::nn::cpu::Executor;
use keima::nn::cpu::simd::{Isa, Kernels};
use keima::nn::desc::{Activation, InputVersion, Net};
use keima::nn::features::{InputBatch, seed_planes};
use keima::nn::output::RawOutput;
use keima::nn::plan::Plan;
use keima::train::cells::Workspace;
use keima::train::graph::Graph;
use keima::train::heads::Prediction;
use keima::train::layers::Layer;
use keima::train::losses::{Head, LossWeights, Losses};
use keima::train::model::Model;
use keima::train::objective::{ERROR_TOLD, Objective};
use keima::train::real::{Compute, Real};
use keima::train::stem::Inputs;
use rand::RngExt;

fn compute() -> Compute {
    Compute::exact(Kernels::new(
        Isa::chosen().expect("this machine's own instructions"),
    ))
}

fn inputs(batch: &Batch) -> Inputs<'_> {
    Inputs {
        spatial: &batch.inputs.spatial,
        global: &batch.inputs.global,
    }
}

fn workspace<T: Real>(graph: &Graph<T>, batch: &Batch) -> Workspace<T> {
    Workspace::new(compute(), graph.grid(batch.size, batch.len()))
}

/// By its name, with the inputs of Go.
fn named(name: &str) -> Arch {
    let arch = Arch::named(name).expect("a name of an architecture");
    match arch.game_inputs {
        Some(_) => Arch {
            inputs: InputVersion::V7,
            game_inputs: None,
            ..arch
        },
        None => arch,
    }
}

fn objective(model: &Model) -> Objective {
    Objective {
        // All heads alike, so that errors of none are lost.
        weights: LossWeights([1.0; Head::ALL.len()]),
        multipliers: model.multipliers(),
        version: model.version(),
    }
}

/// The losses, and the gradient if there is room for it.
fn losses<T: Real>(
    graph: &Graph<T>,
    model: &Model,
    batch: &Batch,
    gradient: Option<&mut [T]>,
    workspace: &mut Workspace<T>,
) -> Losses {
    let (mut predictions, trace) = graph.forward(inputs(batch), workspace);
    let objective = objective(model);
    let (all, scale) = (0..batch.len(), 1.0 / batch.len() as f64);
    let losses = objective.differentiate(&mut predictions, &batch.targets, all, scale);
    match gradient {
        Some(gradient) => graph.backward((trace, inputs(batch)), &predictions, gradient, workspace),
        None => trace.give_back(workspace),
    }
    losses
}

/// Small nets of all kinds of blocks.
fn small_archs() -> Vec<Arch> {
    let mut mish = named("b2c24");
    mish.activation = Activation::Mish;
    mish.version = 14;
    let mut silu = named("b2c16");
    silu.activation = Activation::Silu;
    silu.version = 12;
    let nested = named("b4c32nbt");
    let (mixed, transformer) = (named("b2c16a1"), named("b2c32tf"));
    let chains = named("b2c16ch2");
    vec![
        named("b3c16"),
        mish,
        silu,
        nested,
        named("seed-9x9"),
        named("bako-l5"),
        mixed,
        transformer,
        chains,
    ]
}

#[test]
fn gradients_are_finite_differences() {
    for (number, arch) in small_archs().into_iter().enumerate() {
        let mut random = seeded(number as u64);
        let mut model = Model::init(&arch, 5).unwrap();
        shake(&mut model, &mut random);
        let size = BoardSize::new(3 + number, 5).unwrap();
        let batch = batch(size, 2, &mut random);
        let mut graph = model.graph::<f64>();
        let mut workspace = workspace(&graph, &batch);
        let mut values: Vec<f64> = model.values.iter().map(|value| *value as f64).collect();
        graph.load(compute(), &values);
        let mut gradient = vec![0.0; values.len()];
        let weights = objective(&model).weights;
        losses(&graph, &model, &batch, Some(&mut gradient), &mut workspace);
        let mut checked = 0;
        for parameter in model.parameters() {
            for _ in 0..4 {
                let index = random.random_range(parameter.place.clone());
                let mut loss_at = |offset: f64| {
                    let kept = values[index];
                    values[index] += offset;
                    graph.load(compute(), &values);
                    values[index] = kept;
                    losses(&graph, &model, &batch, None, &mut workspace).total(&weights)
                };
                let step = 1e-5;
                let expected = (loss_at(step) - loss_at(-step)) / (2.0 * step);
                let found = gradient[index];
                let error = (found - expected).abs();
                assert!(
                    error < 1e-6 + 1e-5 * expected.abs(),
                    "{} of {}: {found} instead of {expected}",
                    parameter.name,
                    arch.name
                );
                checked += (expected.abs() > 1e-9) as usize;
            }
        }
        assert!(
            checked > model.parameters().len(),
            "{checked} of {}",
            arch.name
        );
    }
}

#[test]
fn expected_error_includes_distance_from_teacher() {
    for (number, arch) in small_archs().into_iter().enumerate() {
        let mut random = seeded(70 + number as u64);
        let mut model = Model::init(&arch, 9).unwrap();
        shake(&mut model, &mut random);
        let told = batch(BoardSize::new(9, 9).unwrap(), 1, &mut random);
        let mut graph = model.graph::<f64>();
        graph.load(
            compute(),
            &model.values.iter().map(|&v| v.into()).collect::<Vec<_>>(),
        );
        let mut workspace = workspace(&graph, &told);
        let (predictions, trace) = graph.forward(inputs(&told), &mut workspace);
        trace.give_back(&mut workspace);
        let objective = objective(&model);
        let learn = |targets: &Targets| {
            let mut prediction = [predictions[0].clone()];
            let losses = objective.differentiate(&mut prediction, targets, 0..1, 1.0);
            let [prediction] = prediction;
            (prediction, losses)
        };

        let mut of_teacher = told.targets.clone();
        of_teacher.is_expectation[0] = true;
        let mut by_hand = told.targets.clone();
        let powers: Vec<f64> = predictions[0].value.iter().map(|x| x.exp()).collect();
        let value = (powers[0] - powers[1]) / powers.iter().sum::<f64>();
        let [win, loss, _] = told.targets.outcome[0].map(f64::from);
        let score = predictions[0].score[0] * f64::from(model.multipliers().score_mean);
        let distances = [
            value - (win - loss),
            score - f64::from(told.targets.score_mean[0]),
        ];
        let errors = [
            &mut by_hand.shortterm_value_error[0],
            &mut by_hand.shortterm_score_error[0],
        ];
        for (error, distance) in errors.into_iter().zip(distances) {
            *error = (f64::from(*error).hypot(distance) * ERROR_TOLD) as f32;
        }

        let (found, losses) = learn(&of_teacher);
        let (expected, _) = learn(&by_hand);
        let close = |found: &[f64], expected: &[f64]| {
            let mut pairs = found.iter().zip(expected);
            pairs.all(|(found, expected)| (found - expected).abs() < 1e-5)
        };
        assert!(close(&found.score, &expected.score), "{}", arch.name);
        assert_eq!(
            found.value, expected.value,
            "the outcome learns nothing of it"
        );
        let (_, without) = learn(&told.targets);
        for head in [Head::ShorttermValue, Head::ShorttermScore] {
            assert_ne!(losses.of(head), without.of(head), "{}", head.name());
        }
    }
}

#[test]
fn siblings_loss_compares_only_siblings() {
    let mut random = seeded(3);
    let mut model = Model::init(&Arch::named("b2c16").unwrap(), 9).unwrap();
    shake(&mut model, &mut random);
    let told = batch(BoardSize::square(5), 3, &mut random);
    let mut graph = model.graph::<f64>();
    let values: Vec<f64> = model.values.iter().map(|&v| v.into()).collect();
    graph.load(compute(), &values);
    let mut workspace = workspace(&graph, &told);
    let (predictions, trace) = graph.forward(inputs(&told), &mut workspace);
    trace.give_back(&mut workspace);
    let learn = |targets: &Targets| {
        let mut predictions = predictions.clone();
        let losses = objective(&model).differentiate(&mut predictions, targets, 0..3, 1.0);
        (predictions, losses.of(Head::Siblings))
    };

    let mut targets = told.targets.clone();
    let error = |targets: &Targets, sample: usize| {
        let powers: Vec<f64> = predictions[sample].value.iter().map(|x| x.exp()).collect();
        let [win, loss, _] = targets.outcome[sample].map(f64::from);
        (powers[0] - powers[1]) / powers.iter().sum::<f64>() - (win - loss)
    };
    let errors = [error(&targets, 0), error(&targets, 1)];
    let (_, found) = learn(&targets);
    let expected = ((errors[0] - errors[1]) / 2.0).powi(2);
    assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");

    // An error that both have is none among siblings.
    let [win, loss, _] = targets.outcome[1].map(f64::from);
    let value = win - loss + errors[1] - errors[0];
    targets.outcome[1] = [(1.0 + value) / 2.0, (1.0 - value) / 2.0, 0.0].map(|p| p as f32);
    let (as_siblings, found) = learn(&targets);
    assert!(found < 1e-12, "{found}");
    targets.sibling_group = vec![0, 1, 2];
    let (alone, found) = learn(&targets);
    assert_eq!(found, 0.0);
    for (one, other) in as_siblings.iter().zip(&alone) {
        let mut pairs = one.value.iter().zip(&other.value);
        assert!(pairs.all(|(one, other)| (one - other).abs() < 1e-6));
    }
}

#[test]
fn gradients_in_f32_are_those_in_f64() {
    for arch in small_archs() {
        let mut random = seeded(9);
        let mut model = Model::init(&arch, 5).unwrap();
        shake(&mut model, &mut random);
        let batch = batch(BoardSize::new(7, 6).unwrap(), 3, &mut random);
        let values: Vec<f64> = model.values.iter().map(|value| *value as f64).collect();
        let mut exact = vec![0.0; values.len()];
        let mut graph = model.graph::<f64>();
        graph.load(compute(), &values);
        losses(
            &graph,
            &model,
            &batch,
            Some(&mut exact),
            &mut workspace(&graph, &batch),
        );
        let mut found = vec![0.0; values.len()];
        let mut graph = model.graph::<f32>();
        graph.load(compute(), &model.values);
        losses(
            &graph,
            &model,
            &batch,
            Some(&mut found),
            &mut workspace(&graph, &batch),
        );
        for parameter in model.parameters() {
            let place = parameter.place.clone();
            let length = exact[place.clone()]
                .iter()
                .map(|g| g * g)
                .sum::<f64>()
                .sqrt();
            let pairs = exact[place.clone()].iter().zip(&found[place]);
            let error = pairs
                .map(|(a, b)| (a - *b as f64).powi(2))
                .sum::<f64>()
                .sqrt();
            assert!(
                error < 1e-8 + 1e-4 * length,
                "{}: {error} of {length}",
                parameter.name
            );
        }
    }
}

fn assert_near(found: &[f64], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let error = (found - *expected as f64).abs();
        assert!(
            error < 1e-4 * (1.0 + expected.abs() as f64),
            "{what}: {found}, {expected}"
        );
    }
}

fn assert_equal(prediction: &Prediction, output: &RawOutput, area: usize) {
    assert_near(
        &prediction.policy[0][..area],
        &output.policy[..area],
        "policy",
    );
    assert_near(&prediction.policy[0][area..], &output.pass[..1], "pass");
    assert_near(&prediction.value, &output.value, "value");
    assert_near(&prediction.score, &output.score, "score");
    assert_near(&prediction.ownership, &output.ownership, "ownership");
}

/// Network inputs of a batch.
fn inputs_of(net: &Net, batch: &Batch) -> InputBatch {
    let all = batch.inputs.clone();
    match net.input_version() {
        InputVersion::Seed => InputBatch {
            spatial: seed_planes(batch.size.area(), &all.spatial, &all.global),
            global: Vec::new(),
            ..all
        },
        _ => all,
    }
}

#[test]
fn exported_nets_equal_trained_model() {
    for (name, sides) in [
        ("b2c32", &[7, 9, 19][..]),
        ("b3c32nbt", &[7, 9, 19]),
        ("b2c32a2", &[7, 9, 19]),
        ("b2c64tf", &[7, 9, 19]),
        ("seed-9x9", &[9]),
        ("bako-l2", &[7, 19]),
        ("bako-l4", &[5, 19]),
    ] {
        let arch = named(name);
        let mut random = seeded(1);
        let mut model = Model::init(&arch, 2).unwrap();
        shake(&mut model, &mut random);
        let net = model.net();
        net.check().unwrap();
        let executor = Executor::new(Plan::new(&net), Isa::chosen().unwrap(), false);
        let candle = CandleModel::new(&net, &Place::cpu()).unwrap();
        let mut graph = model.graph::<f32>();
        graph.load(compute(), &model.values);
        for &side in sides {
            let batch = batch(BoardSize::square(side), 2, &mut random);
            let told = inputs_of(&net, &batch);
            let (predictions, _) = graph.forward(inputs(&batch), &mut workspace(&graph, &batch));
            for outputs in [executor.forward(&told), candle.forward(&told)] {
                for (prediction, output) in predictions.iter().zip(outputs.unwrap()) {
                    assert_equal(prediction, &output, side * side);
                }
            }
        }
        let again = Model::of(net.clone()).unwrap();
        assert_eq!(again.net(), net, "what is exported comes back");
    }
}
