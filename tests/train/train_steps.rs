//! Training steps: they reduce the loss and are reproducible, on every device.
//!
//! The environment variables `KEIMA_TEST_DEVICE` and `KEIMA_TEST_PRECISION` have candle's gradients
//! computed on a GPU, see `.ci/cuda-check`.

use std::env;
use std::ops::Range;
use std::time::Instant;

use crate::training::{batch, seeded};
use candle_core::DType;
use keima::data::batch::Batch;
use keima::go::BoardSize;
use keima::nn::arch::Arch;
use keima::nn::candle::Place;
use keima::train::engine::Site;
use keima::train::losses::{Head, LossWeights, Losses};
use keima::train::model::Model;
use keima::train::optimizer::{Method, OptimizerSettings};
use keima::train::real::Precision;
use keima::train::schedule::Schedule;
use keima::train::trainer::{Trainer, TrainerSettings};
use rand::RngExt;

fn cpu(threads: usize, precision: Precision) -> Site {
    Site::Cpu { threads, precision }
}

fn settings(site: Site, method: Method) -> TrainerSettings {
    TrainerSettings {
        optimizer: OptimizerSettings {
            method,
            weight_decay: 0.01,
            ..OptimizerSettings::default()
        },
        schedule: Schedule {
            peak: 5e-3,
            warmup: 256,
            decay: None,
        },
        losses: LossWeights::default(),
        average_half_life: 512,
        average_share: 0.0,
        symmetric: false,
        site,
    }
}

fn trainer(name: &str, threads: usize, method: Method) -> Trainer {
    let model = Model::init(&Arch::named(name).unwrap(), 7).unwrap();
    Trainer::new(model, settings(cpu(threads, Precision::F32), method)).unwrap()
}

fn batches(samples: usize) -> Vec<Batch> {
    let mut random = seeded(4);
    let sizes = [(5, 5), (7, 7), (4, 6)];
    let batch = |(width, height)| {
        let size = BoardSize::new(width, height).unwrap();
        batch(size, samples, &mut random)
    };
    sizes.map(batch).into()
}

/// How far the policy's loss is above the entropy of its target.
fn excess(loss: f64, batch: &Batch) -> f64 {
    let entropy = |p: &f32| {
        if *p > 0.0 {
            -(*p as f64) * (*p as f64).ln()
        } else {
            0.0
        }
    };
    loss - batch.targets.policy.iter().map(entropy).sum::<f64>() / batch.len() as f64
}

/// Trains on a batch this many times, 16 samples per step. The policy's KL must fall below a
/// fraction of its initial value; returns all losses before and after.
fn learn_by_heart(
    trainer: &mut Trainer,
    batch: &Batch,
    rounds: usize,
    share: f64,
) -> (Losses, Losses) {
    let started = Instant::now();
    let starts = (0..batch.len()).step_by(16);
    let parts: Vec<Batch> = starts.map(|start| batch.part(start..start + 16)).collect();
    let first = trainer.evaluate(&parts).unwrap();
    for part in std::iter::repeat_n(&parts, rounds).flatten() {
        trainer.step(std::slice::from_ref(part)).unwrap();
    }
    let last = trainer.evaluate(&parts).unwrap();
    let before = excess(first.of(Head::Policy), batch);
    let after = excess(last.of(Head::Policy), batch);
    println!(
        "policy {before:.3} to {after:.3} nats above the entropy, outcome {:.3} to {:.3}, hits {} in {:.1} s",
        first.of(Head::Outcome),
        last.of(Head::Outcome),
        last.hits,
        started.elapsed().as_secs_f64()
    );
    assert!(
        before > 0.3 && after < share * before,
        "{before} to {after}"
    );
    assert!(last.of(Head::Ownership) < first.of(Head::Ownership));
    (first, last)
}

#[test]
fn tiny_net_memorises_64_positions() {
    let sites = [
        (Method::AdamW, cpu(2, Precision::F32)),
        (Method::Muon, cpu(2, Precision::F32)),
        (Method::AdamW, cpu(2, Precision::Bf16)),
        (Method::AdamW, cpu(2, Precision::Int16)),
        (Method::Muon, Site::Candle(Place::cpu())),
    ];
    for (method, site) in sites {
        println!("{method:?}, {site}");
        let batch = batch(BoardSize::square(5), 64, &mut seeded(8));
        let model = Model::init(&Arch::named("b2c32").unwrap(), 7).unwrap();
        let mut trainer = Trainer::new(model, settings(site, method)).unwrap();
        let (_, last) = learn_by_heart(&mut trainer, &batch, 60, 0.2);
        // The best moves are hardly better than the next; by chance there would be 3 hits.
        assert!(last.hits > 16.0, "{} of 64", last.hits);
        assert_eq!(trainer.samples, 60 * 64);
    }
}

#[test]
fn seed_9x9_memorises_32_positions() {
    let batch = batch(BoardSize::square(9), 32, &mut seeded(8));
    let mut trainer = trainer("seed-9x9", 2, Method::AdamW);
    let other = batches(2).swap_remove(1);
    let error = trainer.step(&[other]).unwrap_err().to_string();
    assert!(error.contains("9x9 boards only"), "{error}");
    let (first, last) = learn_by_heart(&mut trainer, &batch, 80, 0.3);
    assert!(last.of(Head::Outcome) < first.of(Head::Outcome));
    assert!(last.hits > 8.0, "{} of 32", last.hits);
}

#[test]
fn single_thread_training_is_reproducible() {
    for method in [Method::AdamW, Method::Muon] {
        let run = || {
            let mut trainer = trainer("b3c16", 1, method);
            let batches = batches(6);
            let report = |_| trainer.step(&batches).unwrap();
            let reports: Vec<_> = (0..4).map(report).collect();
            (reports, trainer.model.values, trainer.average)
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn several_threads_nearly_equal_one() {
    let batches = batches(7);
    let (losses, gradient) = trainer("b3c16", 1, Method::AdamW)
        .losses_and_gradient(&batches)
        .unwrap();
    for threads in [2, 3, 50] {
        let mut trainer = trainer("b3c16", threads, Method::AdamW);
        let (others, other) = trainer.losses_and_gradient(&batches).unwrap();
        assert_eq!(losses.samples, others.samples);
        for head in Head::ALL {
            assert!(
                (losses.of(head) - others.of(head)).abs() < 1e-9,
                "{}",
                head.name()
            );
        }
        let length = gradient.iter().map(|g| g * g).sum::<f32>().sqrt();
        let pairs = gradient.iter().zip(&other);
        let error = pairs.map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
        assert!(error < 1e-5 * length, "{error} of {length}");
    }
}

#[test]
fn unknown_targets_have_no_gradient() {
    let mut known = batches(4).swap_remove(0);
    for weights in &mut known.targets.weights {
        weights.ownership = 0.0;
        weights.shortterm = 0.0;
        weights.opponent = 0.0;
    }
    let mut other = known.clone();
    other.targets.ownership.fill(f32::NAN);
    other.targets.opponent_policy.fill(f32::NAN);
    other.targets.shortterm_score_error.fill(f32::NAN);
    let mut trainer = trainer("b3c16", 1, Method::AdamW);
    let expected = trainer.losses_and_gradient(&[known]).unwrap();
    assert_eq!(trainer.losses_and_gradient(&[other]).unwrap(), expected);
    assert!(expected.1.iter().all(|g| g.is_finite()));
}

#[test]
fn broken_batches_are_refused_and_change_nothing() {
    let mut trainer = trainer("b1c16", 1, Method::AdamW);
    let sound = batches(2).swap_remove(0);
    let values = trainer.model.values.clone();
    assert!(trainer.step(&[]).is_err());
    let mut short = sound.clone();
    short.targets.legal.pop();
    let mut outside = sound.clone();
    outside.targets.human_move[0] = Some(26);
    let mut wild = sound.clone();
    wild.targets.lead[0] = f32::NAN;
    for broken in [short, outside, wild] {
        assert!(trainer.step(&[broken]).is_err());
        assert_eq!(trainer.model.values, values);
        assert_eq!(trainer.samples, 0);
    }
    trainer.step(&[sound]).unwrap();
    assert_ne!(trainer.model.values, values);
}

#[test]
fn gradients_are_clipped_and_averages_follow() {
    let batches = batches(3);
    let mut trainer = trainer("b1c16", 1, Method::AdamW);
    trainer.optimizer.settings.clip_norm = 0.1;
    let first = trainer.average.clone();
    let (_, mut gradient) = trainer.losses_and_gradient(&batches).unwrap();
    let norm = trainer.optimizer.clip(&mut gradient);
    let length = gradient
        .iter()
        .map(|g| *g as f64 * *g as f64)
        .sum::<f64>()
        .sqrt();
    assert!(
        norm > 0.1 && (length - 0.1).abs() < 1e-5,
        "{norm} to {length}"
    );
    trainer.step(&batches).unwrap();
    let moved = |index: usize, values: &[f32]| (values[index] - first[index]) as f64;
    // Of 9 samples so far the half-life is a single one, not 512.
    let share = 1.0 - 0.5f64.powi(9);
    for index in (0..first.len()).step_by(17) {
        let expected = moved(index, &trainer.model.values) * share;
        assert!((moved(index, &trainer.average) - expected).abs() < 1e-6);
    }
}

#[test]
fn rounded_gradients_are_nearly_exact() {
    let usual = LossWeights::default();
    let mut alone = usual;
    alone.0[Head::Siblings as usize] = 0.0;
    // Differences between siblings are small, so rounding errors are relatively larger.
    let cases = [
        (Precision::Bf16, alone, 3e-2),
        (Precision::Bf16, usual, 4e-2),
        (Precision::Int16, alone, 2e-2),
        (Precision::Int16, usual, 3e-2),
    ];
    let names = ["b3c16", "b2c24", "b4c32nbt"];
    for (name, (precision, losses, bound)) in
        names.iter().flat_map(|name| cases.map(|case| (name, case)))
    {
        // With an odd number of cells on some boards.
        let batches = batches(7);
        let gradient = |precision| {
            let model = Model::init(&Arch::named(name).unwrap(), 7).unwrap();
            let settings = TrainerSettings {
                losses,
                ..settings(cpu(1, precision), Method::AdamW)
            };
            let mut trainer = Trainer::new(model, settings).unwrap();
            trainer.losses_and_gradient(&batches).unwrap()
        };
        let (losses, exact) = gradient(Precision::F32);
        let (others, found) = gradient(precision);
        for head in Head::ALL {
            let (exact, found) = (losses.of(head), others.of(head));
            let error = (exact - found).abs();
            assert!(error < 1e-2 * (1.0 + exact.abs()), "{}", head.name());
        }
        let error = length(&mut exact.iter().zip(&found).map(|(a, b)| a - b));
        let share = error / length(&mut exact.iter().copied());
        println!("{name}, {precision:?}: the gradient differs by {share:.4} of its length");
        assert!(share > 1e-5, "nothing was rounded");
        assert!(share < bound, "{share}");
    }
}

/// The site that the environment asks for, as in `net_records`, or else candle on the CPU: exactly,
/// and in f16, since there is no bf16.
fn sites_of_candle() -> Vec<Site> {
    if let Ok(device) = env::var("KEIMA_TEST_DEVICE") {
        let precision = env::var("KEIMA_TEST_PRECISION").unwrap_or("auto".to_owned());
        let precision = precision.parse().unwrap();
        return vec![Site::open(device.parse().unwrap(), precision, 1, &mut |_| ()).unwrap()];
    }
    let rounded = Place {
        dtype: DType::F16,
        ..Place::cpu()
    };
    [Place::cpu(), rounded].map(Site::Candle).into()
}

fn length(values: &mut dyn Iterator<Item = f32>) -> f32 {
    values.map(|g| g * g).sum::<f32>().sqrt()
}

#[test]
fn other_devices_find_the_same_losses_and_gradients() {
    let names = [
        "b3c16", "b4c32nbt", "b2c32a2", "b2c64tf", "b3c16ch2", "seed-9x9",
    ];
    for (name, site) in names.iter().flat_map(|name| {
        let sites = sites_of_candle().into_iter();
        sites.map(move |site| (*name, site))
    }) {
        let batches = match name {
            "seed-9x9" => vec![batch(BoardSize::square(9), 7, &mut seeded(4))],
            _ => batches(7),
        };
        let format = match &site {
            Site::Candle(place) => place.dtype,
            Site::Gpu(places) => places[0].dtype,
            Site::Cpu { .. } => DType::F32,
        };
        let title = format!("{name} on {site}");
        let of_site = |site| {
            let mut model = Model::init(&Arch::named(name).unwrap(), 7).unwrap();
            // So that nothing is 0 or 1.
            let mut random = seeded(5);
            for value in &mut model.values {
                *value += random.random_range(-0.1..0.1);
            }
            let mut trainer = Trainer::new(model, settings(site, Method::AdamW)).unwrap();
            let (losses, gradient) = trainer.losses_and_gradient(&batches).unwrap();
            (losses, gradient, trainer.model)
        };
        let (expected_losses, expected, model) = of_site(cpu(2, Precision::F32));
        let (losses, found, _) = of_site(site);
        let (of_loss, of_part, of_all) = match format {
            DType::F32 => (1e-5, 2e-4, 2e-5),
            DType::F16 => (2e-2, 0.5, 5e-2),
            // Of the stack, too: three binary digits fewer than f16.
            _ => (5e-2, 1.0, 0.15),
        };
        for head in Head::ALL {
            let (expected, found) = (expected_losses.of(head), losses.of(head));
            let error = (expected - found).abs() / (1.0 + expected.abs());
            assert!(error < of_loss, "{title}, {}: {error}", head.name());
        }
        let error = |place: Range<usize>| {
            let (expected, found) = (&expected[place.clone()], &found[place]);
            let differences = &mut expected.iter().zip(found).map(|(a, b)| a - b);
            length(differences) / length(&mut expected.iter().copied()).max(1e-4)
        };
        for parameter in model.parameters() {
            let error = error(parameter.place.clone());
            assert!(error < of_part, "{title}, {}: {error}", parameter.name);
        }
        let error = error(0..expected.len());
        println!("{title}: the gradient differs by {error:.1e} of its length");
        assert!(error < of_all, "{title}: {error}");
    }
}
