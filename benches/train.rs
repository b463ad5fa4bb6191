//! Samples per second of training steps on 19x19 boards, 128 samples a step, with all cores, in f32
//! and in bf16 (which is slow where the machine has no instructions for it).

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

use keima::go::BoardSize;
use keima::nn::arch::Arch;
use keima::train::batch::Batch;
use keima::train::engine::Site;
use keima::train::losses::LossWeights;
use keima::train::model::Model;
use keima::train::optimizer::OptimizerSettings;
use keima::train::real::Precision;
use keima::train::schedule::Schedule;
use keima::train::trainer::{Trainer, TrainerSettings};

#[path = "../tests/training/mod.rs"]
mod training;

const SAMPLES: usize = 128;

fn trainer(name: &str, precision: Precision) -> Trainer {
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
        site: Site::Cpu {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            precision,
        },
    };
    Trainer::new(model, settings).expect("instructions of this machine")
}

fn bench(criterion: &mut Criterion) {
    let size = BoardSize::square(19);
    let batches: Vec<Batch> = vec![training::batch(size, SAMPLES, &mut training::seeded(1))];
    let mut group = criterion.benchmark_group("train");
    group.throughput(Throughput::Elements(SAMPLES as u64));
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for name in ["b4c64", "b6c96"] {
        for precision in [Precision::F32, Precision::Bf16] {
            let mut trainer = trainer(name, precision);
            group.bench_function(format!("{name}-{}", precision.name()), |bencher| {
                bencher.iter(|| trainer.step(&batches).expect("finite losses"));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
