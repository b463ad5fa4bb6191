//! Time to compute a net's inputs for a position.

mod positions;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};

use keima::nn::desc::InputVersion;
use keima::nn::features::{self, FeatureSettings, GLOBALS, PLANES};

fn bench(criterion: &mut Criterion) {
    let settings = FeatureSettings::default();
    for (size, moves) in [(9, 30), (19, 60), (19, 200)] {
        let position = positions::scattered(size, moves);
        let mut spatial = vec![0.0; size * size * PLANES];
        let mut global = vec![0.0; GLOBALS];
        criterion.bench_function(&format!("features {size}x{size} move {moves}"), |bencher| {
            bencher.iter(|| {
                let position = black_box(&position);
                features::write(
                    InputVersion::V7,
                    position,
                    &settings,
                    &mut spatial,
                    &mut global,
                );
            });
        });
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
