//! What a search with many threads costs besides the network: searches on a device that computes nothing, for
//! machines without a GPU. `cargo bench --bench search_on_gpu -- THREADS[xLEAVES],... BATCH MILLISECONDS VISITS`, where
//! `analysis` instead of a number of threads answers a query of [`POSITIONS`] positions with VISITS in all, as
//! `keima analysis` does: there it has `analysisx4`.

use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Result;
use cpu_time::ProcessTime;
use keima::analysis::{End, Engine, Server, ServerParams};
use keima::go::BoardSize;
use keima::nn::arch::Arch;
use keima::nn::backend::Backend;
use keima::nn::cache::EvalCache;
use keima::nn::desc::Net;
use keima::nn::evaluator::{NetEvaluator, NetSettings};
use keima::nn::gpu::fake::{FakeGpu, FakeSettings};
use keima::nn::network::Network;
use keima::nn::network_set::NetworkSet;
use keima::nn::sample_games;
use keima::nn::settings::NetParams;
use keima::player::networks::Networks;
use keima::player::params::PlayerParams;
use keima::player::search_player::SearchPlayer;
use keima::search::{Limits, Search, SearchParams};
use serde_json::json;

/// Bytes of the cache.
const CACHE_BYTES: usize = 512 << 20;
/// Positions of the query, all analyzed at once.
const POSITIONS: usize = 100;

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
    let evaluator =
        NetEvaluator::new(&net, &Backend::Fake(device.clone()), NetSettings::default())?;
    println!("threads     visits/s  CPU us/visit  batches  full  queued  device busy");
    for threads in threads.split(',') {
        let (count, leaves) = threads.split_once('x').unwrap_or((threads, "1"));
        let leaves: u32 = leaves.parse()?;
        let (time, work) = match count {
            "analysis" => analyze((&net, &device), leaves, batch, visits)?,
            _ => search(&evaluator, (count.parse()?, leaves), batch, visits)?,
        };
        let counts = device.take_counts();
        let batches = counts.boards.len();
        let boards: usize = counts.boards.iter().sum();
        println!(
            "{threads:10} {:9.0} {:13.1} {batches:8} {:4.0}% {:6.0}% {:11.0}%",
            visits as f64 / time.as_secs_f64(),
            work.as_secs_f64() * 1e6 / visits as f64,
            100.0 * boards as f64 / (batches * batch) as f64,
            100.0 * counts.queued as f64 / batches as f64,
            100.0 * counts.busy.as_secs_f64() / time.as_secs_f64(),
        );
    }
    Ok(())
}

/// Searches a position; the time, and that of the processor.
fn search(
    evaluator: &NetEvaluator,
    (threads, leaves): (u32, u32),
    batch: usize,
    visits: u64,
) -> Result<(Duration, Duration)> {
    let params = SearchParams {
        threads,
        batch_size: leaves,
        score_scale: 19.0,
        ..SearchParams::default()
    };
    let cache = EvalCache::new(evaluator.clone().in_batches(batch), CACHE_BYTES);
    let mut search = Search::new(params);
    let positions = sample_games::positions(BoardSize::square(19), 3);
    search.set_root(positions[1].clone());
    let (start, work) = (Instant::now(), ProcessTime::now());
    search.run(&cache, &Limits::visits(visits), &AtomicBool::new(false))?;
    Ok((start.elapsed(), work.elapsed()))
}

/// Answers a query for positions of a game; the same times.
fn analyze(
    (net, device): (&Net, &FakeGpu),
    leaves: u32,
    batch: usize,
    visits: u64,
) -> Result<(Duration, Duration)> {
    let network = Network::KataGo(Box::new(net.clone()));
    let set = NetworkSet::new(network, Backend::Fake(device.clone())).in_batches(batch);
    let networks = Networks::new(Arc::new(set), NetParams::default(), CACHE_BYTES);
    let mut params = PlayerParams::default();
    params.limits.max_visits = Some(visits / POSITIONS as u64);
    params.search.threads = 1;
    params.search.batch_size = leaves;
    let server = Server::new(Engine {
        make_player: Box::new(move || SearchPlayer::new(params, Box::new(networks.clone()))),
        models: Vec::new(),
        version: String::new(),
        params: ServerParams::default(),
    });
    let game = sample_games::positions(BoardSize::square(19), 1).remove(0);
    let moves = game
        .moves()
        .map(|(color, mv)| [color.letter().to_string(), mv.to_string()]);
    let query = json!({
        "id": "1",
        "rules": "tromp-taylor",
        "komi": game.komi().points(),
        "boardXSize": 19,
        "boardYSize": 19,
        "moves": moves.collect::<Vec<_>>(),
        "analyzeTurns": (0..POSITIONS).map(|index| (index + 1) * game.turn() / POSITIONS).collect::<Vec<_>>(),
    });
    let (start, work) = (Instant::now(), ProcessTime::now());
    let input = Cursor::new(format!("{query}\n"));
    server.serve(POSITIONS, input, std::io::sink(), End::Waits, || false)?;
    Ok((start.elapsed(), work.elapsed()))
}
