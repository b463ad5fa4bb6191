//! Evaluations per second of a network, features included, in batches of 1 and 8.
//!
//! `KEIMA_BENCH_MODEL` names the file; without it a tiny synthetic net is measured.

mod positions;

use std::path::PathBuf;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

use keima::nn::backend::Backend;
use keima::nn::evaluator::{NetEvaluator, NetSettings};
use keima::nn::katago;
use keima::search::evaluator::{Evaluator, Request};

fn bench(criterion: &mut Criterion) {
    let synthetic = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nets/s8.bin.gz");
    let path = std::env::var_os("KEIMA_BENCH_MODEL").unwrap_or_else(|| synthetic.into());
    let net = katago::read_file(&PathBuf::from(path)).expect("a network file");
    let evaluator = NetEvaluator::new(&net, &Backend::candle(), NetSettings::default())
        .expect("a net of a supported version");
    for batch in [1usize, 8] {
        let request = |index: usize| Request::inner(positions::scattered(19, 40 + 10 * index));
        let requests: Vec<_> = (0..batch).map(request).collect();
        let mut group = criterion.benchmark_group(&net.name);
        group.throughput(Throughput::Elements(batch as u64));
        group.bench_function(format!("evaluate {batch} on 19x19"), |bencher| {
            bencher.iter(|| evaluator.evaluate(&requests).expect("finite outputs"));
        });
        group.finish();
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
