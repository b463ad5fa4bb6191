//! What a search with many threads costs besides the network: searches on a device that computes nothing, for
//! machines without a GPU. `cargo bench --bench search_on_gpu -- THREADS[xLEAVES],... BATCH MILLISECONDS VISITS`.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Result;
use cpu_time::ProcessTime;
use keima::go::BoardSize;
use keima::nn::arch::Arch;
use keima::nn::backend::Backend;
use keima::nn::cache::EvalCache;
use keima::nn::evaluator::{NetEvaluator, NetSettings};
use keima::nn::gpu::fake::{FakeGpu, FakeSettings};
use keima::nn::sample_games;
use keima::search::{Limits, Search, SearchParams};

/// Bytes of the cache.
const CACHE_BYTES: usize = 512 << 20;

fn main() -> Result<()> {
    let mut arguments = std::env::args()
        .skip(1)
        .filter(|text| !text.starts_with('-'));
    let threads = arguments.next().unwrap_or("1,64,128,256".to_owned());
    let batch: usize = arguments.next().map_or(Ok(64), |text| text.parse())?;
    let milliseconds: f64 = arguments.next().map_or(Ok(3.0), |text| text.parse())?;
    let visits: u64 = arguments.next().map_or(Ok(10_000), |text| text.parse())?;
    // Half of the time for any batch, half by size.
    let half = Duration::from_secs_f64(milliseconds / 2000.0);
    let device = FakeGpu::new(FakeSettings {
        latency: half,
        per_board: half / batch as u32,
        ..FakeSettings::default()
    });
    let net = Arch::named("b6c96")?.init(1);
    let backend = Backend::Fake(device.clone());
    let evaluator = NetEvaluator::new(&net, &backend, NetSettings::default())?;
    println!("threads    visits/s  CPU us/visit  batches  full  queued  device busy");
    for threads in threads.split(',') {
        let (count, leaves) = threads.split_once('x').unwrap_or((threads, "1"));
        let params = SearchParams {
            threads: count.parse()?,
            batch_size: leaves.parse()?,
            score_scale: 19.0,
            ..SearchParams::default()
        };
        let cache = EvalCache::new(evaluator.clone().in_batches(batch), CACHE_BYTES);
        let mut search = Search::new(params);
        let positions = sample_games::positions(BoardSize::square(19), 3);
        search.set_root(positions[1].clone());
        let (start, work) = (Instant::now(), ProcessTime::now());
        search.run(&cache, &Limits::visits(visits), &AtomicBool::new(false))?;
        let (time, work) = (start.elapsed(), work.elapsed());
        let counts = device.take_counts();
        let batches = counts.boards.len();
        let boards: usize = counts.boards.iter().sum();
        println!(
            "{threads:9} {:9.0} {:13.1} {batches:8} {:4.0}% {:6.0}% {:11.0}%",
            visits as f64 / time.as_secs_f64(),
            work.as_secs_f64() * 1e6 / visits as f64,
            100.0 * boards as f64 / (batches * batch) as f64,
            100.0 * counts.queued as f64 / batches as f64,
            100.0 * counts.busy.as_secs_f64() / time.as_secs_f64(),
        );
    }
    Ok(())
}
