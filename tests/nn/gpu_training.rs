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
use keima::train::real::Precision;
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

fn batches(sizes: &[((usize, usize), usize)]) -> Vec<Batch> {
    let mut random = seeded(4);
    let batch = |&((width, height), samples): &((usize, usize), usize)| {
        batch(BoardSize::new(width, height).unwrap(), samples, &mut random)
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

#[test]
fn networks_without_kernels_are_refused() {
    for name in ["b2c64tf", "b2c32a2", "seed-9x9", "hu-9x9"] {
        let model = Model::init(&Arch::named(name).unwrap(), 7).unwrap();
        assert!(check(&model).is_err(), "{name}");
    }
}
