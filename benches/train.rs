//! Samples per second of training steps on 19x19 boards, 128 samples a step, with all cores, in f32
//! and in bf16 (which is slow where the machine has no instructions for it).
//!
//! And the time of a step's work besides losses and gradients: weights shared by symmetries, and the optimizer.
//!
//! The environment variables `KEIMA_TEST_DEVICE` and `KEIMA_TEST_PRECISION` ask for a GPU instead,
//! with larger steps; see `.ci/cuda-check`.

use std::env;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

use keima::data::batch::Batch;
use keima::go::BoardSize;
use keima::nn::arch::Arch;
use keima::nn::cpu::simd::{Isa, Kernels};
use keima::train::engine::Site;
use keima::train::losses::LossWeights;
use keima::train::model::Model;
use keima::train::optimizer::{Method, Optimizer, OptimizerSettings};
use keima::train::real::Precision;
use keima::train::schedule::Schedule;
use keima::train::trainer::{Trainer, TrainerSettings};

#[path = "../tests/train/training.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod training;

/// Where to compute, and samples of a step.
fn sites() -> Vec<(Site, usize)> {
    if let Ok(device) = env::var("KEIMA_TEST_DEVICE") {
        let device = device.parse().expect("a device");
        let precision = env::var("KEIMA_TEST_PRECISION").unwrap_or("auto".to_owned());
        let precision = precision.parse().expect("a number format");
        let site = Site::open(device, precision, 1, &mut |_| {}).expect("the device answers");
        return [256, 1024, 2048, 4096]
            .map(|samples| (site.clone(), samples))
            .into();
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    [Precision::F32, Precision::Bf16, Precision::Int16]
        .map(|precision| (Site::Cpu { threads, precision }, 128))
        .into()
}

fn trainer(name: &str, site: Site) -> Trainer {
    let arch = Arch::named(name).expect("a name of an architecture");
    let model = Model::init(&arch, 1).expect("a net that can be trained");
    let settings = TrainerSettings {
        optimizer: OptimizerSettings::default(),
        schedule: Schedule {
            peak: 1e-3,
            warmup: 100_000,
            decay: None,
        },
        losses: LossWeights::default(),
        average_half_life: 50_000,
        average_share: 0.02,
        symmetric: false,
        site,
    };
    Trainer::new(model, settings).expect("instructions of this machine")
}

fn bench(criterion: &mut Criterion) {
    let size = BoardSize::square(19);
    let mut group = criterion.benchmark_group("train");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for (site, samples) in sites() {
        let batches: Vec<Batch> = vec![training::batch(size, samples, &mut training::seeded(1))];
        group.throughput(Throughput::Elements(samples as u64));
        for name in ["b4c64", "b6c96"] {
            let mut trainer = trainer(name, site.clone());
            group.bench_function(format!("{name}, {site}, {samples}"), |bencher| {
                bencher.iter(|| trainer.step(&batches).expect("finite losses"));
            });
        }
    }
    group.finish();
}

/// With a gradient of waves.
fn updates(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("update");
    for name in ["b10c64ch2", "b6c96"] {
        let mut model = Model::init(&Arch::named(name).expect("a name"), 1).expect("a net");
        model.make_symmetric().expect("no directions");
        let sharing = model.weight_sharing_held(&model.values).expect("symmetric");
        let waves = |index: usize| ((index * index) as f32 * 0.7).sin() * 1e-3;
        let gradient: Vec<f32> = (0..model.values.len()).map(waves).collect();
        let (parameters, mut values) = (model.parameters().to_vec(), model.values.clone());
        let kernels = Kernels::new(Isa::chosen().expect("instructions"));
        for method in [Method::Muon, Method::AdamW] {
            let settings = OptimizerSettings {
                method,
                ..OptimizerSettings::default()
            };
            let mut optimizer = Optimizer::new(settings, values.len());
            group.bench_function(format!("{name}, {method:?}"), |bencher| {
                bencher.iter(|| optimizer.step(&parameters, &mut values, &gradient, 1e-6, kernels));
            });
        }
        let mut shared = gradient.clone();
        group.bench_function(format!("{name}, norm"), |bencher| {
            bencher.iter(|| Optimizer::new(OptimizerSettings::default(), 0).clip(&mut shared));
        });
        group.bench_function(format!("{name}, weight sharing"), |bencher| {
            bencher.iter(|| sharing.average(&mut shared));
        });
    }
    group.finish();
}

criterion_group!(benches, bench, updates);
criterion_main!(benches);
