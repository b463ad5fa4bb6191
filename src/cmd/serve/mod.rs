//! `keima serve`: the program as a live page in the browser.

use std::net::SocketAddr;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;

use super::analysis::Prepared;
use super::engine_config::{EngineConfig, Purpose};
use super::interrupts::stop_flag;
use crate::console::{say, tell};
use crate::formats::sgf::ReadOptions;
use crate::serve::{Hub, Library, Options, Store};

mod address;
mod answer;
mod arguments;
mod connections;
mod dialogs;
mod events;
mod gate;
mod page;
mod routes;
mod run_page;

use address::Address;
pub use arguments::ServeArguments;
use gate::Gate;
use routes::Site;
use run_page::RunPage;

/// Searches at once for moves, as many for analyses; trees of so many games are kept besides.
const SEARCHES: usize = 6;
/// Threads for requests that take a moment: records, files.
const BLOCKING_THREADS: usize = 8;

/// Serves until it is interrupted.
pub fn run(arguments: &ServeArguments) -> Result<ExitCode> {
    let mut config = EngineConfig::load(Purpose::Play, arguments.source()?)?;
    ensure!(
        config.kind.searches(),
        "keima serve needs a player that searches: --player puct or rollout"
    );
    let library = arguments.games.as_deref().map(Library::new).transpose()?;
    let state = arguments.state.as_deref();
    let store = state.map(Store::open).transpose()?;
    let run_page = RunPage::new(&arguments.runs, arguments.player.device)?;
    let reading = ReadOptions {
        rules: config.rules,
        komi: config.start_komi(),
        before_move: None,
    };
    config.server.threads = config.player.search.threads;
    config.server.positions = Some(3 * SEARCHES as u32);
    let engine = Prepared::new(&mut config)?;
    tell(format_args!("{}", engine.description));
    let has_library = library.is_some();
    let options = Options {
        make_player: engine.make_player,
        searches: SEARCHES,
        reading,
        library,
        store,
    };
    let hub = Hub::new(options, &mut |text| tell(format_args!("{text}")));
    let runtime = runtime()?;
    let mut known = Address::new(state);
    let listener = listener(&runtime, arguments, known.port)?;
    let address = listener.local_addr().context("cannot tell the address")?;
    known.port = address.port();
    if let Some(folder) = state {
        known.keep(folder)?;
    }
    let token = known.token;
    let shown = addresses(arguments, address, &token);
    let site = Arc::new(Site {
        gate: Gate::new(&token, &arguments.host),
        page: page::page(&page::Facts {
            ranks: hub.ranks(),
            has_library,
            has_runs: run_page.is_some(),
            engine: &engine.description,
        }),
        hub: Arc::clone(&hub),
        run_page,
    });
    let stopped = Arc::new(Notify::new());
    let stop = Arc::clone(&stopped);
    stop_flag("ending", move || stop.notify_one())?;
    for address in &shown {
        say(format_args!("{address}"))?;
    }
    if let (true, Some(address)) = (arguments.open, shown.first()) {
        open(address);
    }
    runtime.block_on(async {
        tokio::spawn(connections::accept(listener, site));
        stopped.notified().await;
    });
    hub.close();
    // Searches that run end by themselves.
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
}

fn runtime() -> Result<Runtime> {
    let mut builder = Builder::new_current_thread();
    builder.enable_all().max_blocking_threads(BLOCKING_THREADS);
    builder.build().context("cannot start the server")
}

/// Listens at the port that is asked for, or at `known`, that of the last run, or at a free one.
fn listener(runtime: &Runtime, arguments: &ServeArguments, known: u16) -> Result<TcpListener> {
    if arguments.port == 0 && known != 0 {
        let address = SocketAddr::new(arguments.listen, known);
        if let Ok(listener) = runtime.block_on(TcpListener::bind(address)) {
            return Ok(listener);
        }
    }
    let address = SocketAddr::new(arguments.listen, arguments.port);
    let listener = runtime.block_on(TcpListener::bind(address));
    listener.with_context(|| format!("cannot listen at {address}"))
}

/// What to type into a browser, the page of the training run first if there is one.
fn addresses(arguments: &ServeArguments, address: SocketAddr, token: &str) -> Vec<String> {
    let start = match (arguments.host.first(), address.ip().is_unspecified()) {
        (Some(name), _) => format!("http://{name}:{}/{token}/", address.port()),
        (None, true) => format!("http://localhost:{}/{token}/", address.port()),
        (None, false) => format!("http://{address}/{token}/"),
    };
    let run = (!arguments.runs.is_empty()).then(|| format!("{start}run"));
    run.into_iter().chain([start]).collect()
}

/// Has the system's browser show the page.
fn open(address: &str) {
    let mut command = match std::env::consts::OS {
        "macos" => Command::new("open"),
        "windows" => Command::new("explorer"),
        _ => Command::new("xdg-open"),
    };
    command.arg(address).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(error) = command.spawn() {
        tell(format_args!("cannot open a browser: {error}"));
    }
}
