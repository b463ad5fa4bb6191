//! Gradients on a GPU that a CPU plays, held against those of the CPU's own kernels.

use std::ops::Range;

use crate::gpu::Emulated;
use crate::training::{batch, seeded};
use keima::data::batch::Batch;
use keima::go::BoardSize;
use keima::nn::arch::Arch;
use keima::nn::gpu::Format;
use keima::train::engine::{Engine, Site};
use keima::train::gpu::{Gpu, check};
use keima::train::losses::{Head, LossWeights, Losses};
use keima::train::model::Model;
use keima::train::objective::Objective;
use keima::train::optimizer::{Method, OptimizerSettings};
use keima::train::real::Precision;
use keima::train::schedule::Schedule;
use keima::train::trainer::{Trainer, TrainerSettings};
use rand::RngExt;

/// A model in which nothing is 0 or 1.
fn model(name: &str) -> Model {
    let mut model = Model::init(&Arch::named(name).unwrap(), 7).unwrap();
    let mut random = seeded(5);
    for value in &mut model.values {
        *value += random.random_range(-0.1..0.1);
    }
    model
}

/// With known and unknown targets of every kind.
fn batches(sizes: &[((usize, usize), usize)]) -> Vec<Batch> {
    let mut random = seeded(4);
    let batch = |&((width, height), samples): &((usize, usize), usize)| {
        let size = BoardSize::new(width, height).unwrap();
        let mut batch = batch(size, samples, &mut random);
        let targets = &mut batch.targets;
        for (sample, weights) in targets.weights.iter_mut().enumerate() {
            targets.is_expectation[sample] = sample % 2 == 1;
            match sample {
                2 => (weights.policy, weights.stdev) = (-0.5, 0.0),
                3 => (weights.soft_policy, weights.human) = (0.0, 0.0),
                4 => (weights.outcome, weights.score) = (0.0, 0.0),
                5 => (weights.policy, weights.shortterm) = (0.0, 0.0),
                _ => {}
            }
        }
        batch
    };
    sizes.iter().map(batch).collect()
}

fn losses_and_gradient(
    engine: &mut dyn Engine,
    model: &Model,
    batches: &[Batch],
) -> (Losses, Vec<f32>) {
    let objective = Objective {
        weights: LossWeights::default(),
        multipliers: model.multipliers(),
        version: model.version(),
    };
    let mut gradient = vec![0.0; model.values.len()];
    engine.load(&model.values).unwrap();
    let losses = engine.run(batches, &objective, Some(&mut gradient));
    (losses.unwrap(), gradient)
}

fn length(values: &mut dyn Iterator<Item = f32>) -> f32 {
    values.map(|g| g * g).sum::<f32>().sqrt()
}

/// Bounds are relative: of losses, of the gradient of each parameter, and of all.
fn compare(
    name: &str,
    (format, workers): (Format, usize),
    sizes: &[((usize, usize), usize)],
    (of_loss, of_part, of_all): (f64, f32, f32),
) {
    let devices: Option<Vec<Emulated>> = (0..workers).map(|_| Emulated::start()).collect();
    let Some(devices) = devices else {
        return;
    };
    let (model, batches) = (model(name), batches(sizes));
    let site = Site::Cpu {
        threads: 1,
        precision: Precision::F32,
    };
    let mut oracle = site.engine(&model).unwrap();
    let (expected_losses, expected) = losses_and_gradient(&mut *oracle, &model, &batches);
    let mut engine = Gpu::new(&model, devices, format).unwrap();
    let (losses, found) = losses_and_gradient(&mut engine, &model, &batches);
    for head in Head::ALL {
        let (expected, found) = (expected_losses.of(head), losses.of(head));
        let error = (expected - found).abs() / (1.0 + expected.abs());
        assert!(error < of_loss, "{name}, {}: {error}", head.name());
    }
    assert_eq!(losses.samples, expected_losses.samples);
    if format == Format::F32 {
        assert_eq!(losses.hits, expected_losses.hits, "{name}");
    }
    let error = |place: Range<usize>| {
        let (expected, found) = (&expected[place.clone()], &found[place]);
        let differences = &mut expected.iter().zip(found).map(|(a, b)| a - b);
        length(differences) / length(&mut expected.iter().copied()).max(1e-4)
    };
    let mut worst = (0.0, "");
    for parameter in model.parameters() {
        let error = error(parameter.place.clone());
        if error > worst.0 {
            worst = (error, &parameter.name);
        }
    }
    let of_found = error(0..expected.len());
    println!("{name} {format:?}: {of_found:.1e}, worst {worst:?}");
    assert!(worst.0 < of_part, "{name}: {worst:?}");
    assert!(of_found < of_all, "{name}: {of_found}");
    // Nothing is left of the step before.
    let (again, same) = losses_and_gradient(&mut engine, &model, &batches);
    assert_eq!((again, same), (losses, found));
}

const SIZES: [((usize, usize), usize); 3] = [((5, 5), 7), ((7, 7), 3), ((4, 6), 5)];

#[test]
fn gradients_in_f32_equal_the_cpu() {
    for name in ["b3c16", "b3c16ch2", "b4c32nbt"] {
        compare(name, (Format::F32, 2), &SIZES, (1e-5, 2e-4, 2e-5));
    }
}

#[test]
fn gradients_on_tensor_cores_are_near_the_cpu() {
    for name in ["b3c16ch2", "b4c32nbt", "b2c96"] {
        compare(name, (Format::F16, 1), &SIZES, (2e-3, 0.3, 5e-2));
    }
    let sizes = [((19, 19), 2)];
    compare("b2c64", (Format::F16, 1), &sizes, (2e-3, 0.3, 5e-2));
}

/// A trainer on the emulated GPU, if it is there, and one on the CPU.
fn trainers(
    name: &str,
    (format, workers): (Format, usize),
    method: Method,
    symmetric: bool,
) -> Option<[Trainer; 2]> {
    let device = Emulated::start()?;
    let mut model = model(name);
    if symmetric {
        model = Model::init(&Arch::named(name).unwrap(), 7).unwrap();
        model.make_symmetric().unwrap();
    }
    let settings = TrainerSettings {
        optimizer: OptimizerSettings {
            method,
            clip_norm: 0.5,
            ..OptimizerSettings::default()
        },
        schedule: Schedule {
            peak: 1e-3,
            warmup: 0,
            decay: None,
        },
        losses: LossWeights::default(),
        average_half_life: 20,
        average_share: 0.0,
        symmetric,
        site: Site::Cpu {
            threads: 1,
            precision: Precision::F32,
        },
    };
    let devices = vec![device.clone(); workers];
    let gpu = Gpu::new(&model, devices, format).unwrap().holding(device);
    let on_gpu = Trainer::with_engine(model.clone(), settings.clone(), Box::new(gpu)).unwrap();
    Some([on_gpu, Trainer::new(model, settings).unwrap()])
}

/// Relative to what the second has done since `before`.
fn difference(found: &[f32], expected: &[f32], before: &[f32]) -> f32 {
    let apart = &mut found.iter().zip(expected).map(|(a, b)| a - b);
    let moved = &mut expected.iter().zip(before).map(|(a, b)| a - b);
    length(apart) / length(moved)
}

#[test]
fn steps_on_the_device_are_those_of_the_cpu() {
    for (name, method, symmetric) in [
        ("b3c16ch2", Method::AdamW, false),
        ("b4c32nbt", Method::Muon, false),
        ("b2c96", Method::Muon, true),
    ] {
        let Some(mut trainers) = trainers(name, (Format::F32, 2), method, symmetric) else {
            return;
        };
        let before = trainers[1].model.values.clone();
        let batches = batches(&SIZES);
        for step in 0..3 {
            let [found, expected] = trainers
                .each_mut()
                .map(|trainer| trainer.step(&batches).unwrap());
            let norms = found.gradient_norm / expected.gradient_norm;
            assert!((norms - 1.0).abs() < 1e-3, "{name}, step {step}: {norms}");
            let weights = LossWeights::default();
            let totals = [found, expected].map(|report| report.losses.total(&weights));
            let apart = (totals[0] / totals[1] - 1.0).abs();
            assert!(apart < 1e-3, "{name}, step {step}: {totals:?}");
            if step == 1 {
                // What is taken back and given again changes nothing.
                trainers[0].fetch().unwrap();
            }
        }
        let [found, expected] = &mut trainers;
        assert_ne!(found.model.values, expected.model.values);
        found.fetch().unwrap();
        let zeros = vec![0.0; before.len()];
        for (what, found, expected, before, limit) in [
            (
                "values",
                &found.model.values,
                &expected.model.values,
                &before,
                1e-3,
            ),
            ("averages", &found.average, &expected.average, &before, 1e-3),
            (
                "first",
                &found.optimizer.first,
                &expected.optimizer.first,
                &zeros,
                1e-5,
            ),
            (
                "second",
                &found.optimizer.second,
                &expected.optimizer.second,
                &zeros,
                1e-5,
            ),
        ] {
            let apart = difference(found, expected, before);
            println!("{name} {method:?}, {what}: {apart:.1e}");
            assert!(apart < limit, "{name} {method:?}, {what}: {apart}");
        }
        assert_eq!(found.optimizer.steps, 3);
        if symmetric {
            found
                .model
                .weight_sharing_held(&found.model.values)
                .unwrap();
        }
        // Losses after the steps, without another.
        let losses = [found, expected].map(|trainer| trainer.evaluate(&batches).unwrap());
        let totals = losses.map(|losses| losses.total(&LossWeights::default()));
        assert!((totals[0] / totals[1] - 1.0).abs() < 1e-3, "{totals:?}");
    }
}

#[test]
fn a_step_that_is_no_number_changes_nothing() {
    let Some([mut trainer, _]) = trainers("b3c16", (Format::F32, 1), Method::Muon, true) else {
        return;
    };
    let batches = batches(&SIZES);
    trainer.step(&batches).unwrap();
    let mut damaged = batches.clone();
    damaged[1].targets.lead[0] = f32::NAN;
    let state = |trainer: &mut Trainer| {
        trainer.fetch().unwrap();
        (
            trainer.model.values.clone(),
            trainer.average.clone(),
            trainer.optimizer.clone(),
        )
    };
    let before = state(&mut trainer);
    assert!(trainer.step(&damaged).is_err());
    assert_eq!(state(&mut trainer), before);
    trainer.step(&batches).unwrap();
}

#[test]
fn networks_without_kernels_are_refused() {
    for name in ["b2c64tf", "b2c32a2", "seed-9x9", "hu-9x9"] {
        let model = Model::init(&Arch::named(name).unwrap(), 7).unwrap();
        assert!(check(&model).is_err(), "{name}");
    }
}
