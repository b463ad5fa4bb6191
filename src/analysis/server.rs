//! The server: reads lines, has positions analyzed, and writes answers.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Map, Value, json};

use super::engine::Engine;
use super::message::{ErrorMessage, NoResults};
use super::output::Output;
use super::request::{self, Action, Request};
use super::scheduler::Scheduler;
use super::worker::work;
use crate::input_lines::{Line, next_line};
use crate::player::Player;
use crate::threads;

/// How long a server that is stopped waits for a client that does not read.
const PATIENCE: Duration = Duration::from_secs(2);

/// What becomes of positions that are not answered yet when the input ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// They are analyzed.
    Waits,
    /// The server is stopped.
    Quits,
}

/// Answers queries. Clones are handles of the same server.
#[derive(Clone)]
pub struct Server {
    engine: Arc<Engine>,
    scheduler: Arc<Scheduler>,
    output: Arc<Output>,
}

impl Server {
    /// A server that has not begun to read.
    pub fn new(engine: Engine) -> Server {
        let limit = engine.params.max_waiting as usize;
        Server {
            engine: Arc::new(engine),
            scheduler: Arc::new(Scheduler::new(limit)),
            output: Arc::default(),
        }
    }

    /// Answers what comes on `input` with `workers` threads, until it ends and all is answered, the
    /// server is stopped, or nobody reads the output any more, which is no error. The thread that reads
    /// may be left behind: after the end of the input it calls `reader_is_gone`, which returns when it
    /// knows whether anybody still reads the output.
    pub fn serve(
        &self,
        workers: usize,
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
        end: End,
        reader_is_gone: impl FnOnce() -> bool + Send + 'static,
    ) -> Result<()> {
        let server = self.clone();
        threads::start(move || {
            if !server.output.write_to(output) {
                server.scheduler.stop();
            }
        })?;
        let workers = self.start_workers(workers)?;
        let server = self.clone();
        threads::start(move || {
            server.read(input);
            match end {
                End::Waits => server.scheduler.complete(),
                End::Quits => server.scheduler.stop(),
            }
            if reader_is_gone() {
                server.scheduler.stop();
            }
        })?;
        let results: Vec<_> = workers.into_iter().map(JoinHandle::join).collect();
        self.output.complete();
        self.output.wait();
        let has_failed = results.iter().any(Result::is_err);
        ensure!(!has_failed, "a search has failed");
        Ok(())
    }

    /// Ends all analyses and the server: positions whose search has begun are answered with what it has
    /// found, others without results. A client that has stopped reading is not waited for.
    pub fn stop(&self) {
        self.scheduler.stop();
        let output = Arc::clone(&self.output);
        // Without a thread the server ends as soon as the client reads.
        let _ = threads::start(move || output.give_up_after(PATIENCE));
    }

    /// Positions that have waited at once at most.
    pub fn most_waiting(&self) -> usize {
        self.scheduler.most_waiting()
    }

    /// At least one; fewer than asked for where the system refuses more.
    fn start_workers(&self, count: usize) -> Result<Vec<JoinHandle<()>>> {
        let mut workers = Vec::new();
        while workers.len() < count {
            let Server {
                engine,
                scheduler,
                output,
            } = self.clone();
            match threads::start(move || work(&engine, &scheduler, &output)) {
                Ok(worker) => workers.push(worker),
                Err(error) if workers.is_empty() => return Err(error.into()),
                Err(_) => break,
            }
        }
        Ok(workers)
    }

    fn read(&self, mut input: impl BufRead) {
        // An input that fails has ended.
        while let Ok(Some(line)) = next_line(&mut input) {
            match line {
                Line::Text(line) if line.is_empty() => {}
                Line::Text(line) => self.take(&line),
                Line::TooLong => {
                    self.output
                        .send(&ErrorMessage::general("the line is too long"));
                }
            }
        }
    }

    /// Does what a line asks for.
    fn take(&self, line: &str) {
        let mut warnings = Vec::new();
        let request = request::parse(line, &self.engine, &mut warnings);
        warnings
            .iter()
            .for_each(|warning| self.output.send(warning));
        match request {
            Ok(Request::Analyze(query)) => self.scheduler.add(&Arc::from(query)),
            Ok(Request::Act(action, echo)) => self.act(&action, echo),
            Err(mistake) => self.output.send(&mistake),
        }
    }

    /// Does something at once; the answer is what was asked, with additions.
    fn act(&self, action: &Action, mut echo: Map<String, Value>) {
        match action {
            Action::QueryVersion => {
                echo.insert("version".to_owned(), json!(self.engine.version));
                echo.insert("git_hash".to_owned(), json!("<omitted>"));
            }
            Action::QueryModels => {
                echo.insert("models".to_owned(), json!(self.engine.models));
            }
            Action::ClearCache => (self.engine.make_player)().evaluators_mut().clear_cache(),
            Action::Terminate(targets) => {
                let is_meant = |query: &_, turn| targets.contain(query, turn);
                for job in self.scheduler.terminate(is_meant) {
                    self.output.send(&NoResults::new(&job.query.id, job.turn));
                }
            }
        }
        self.output.send(&echo);
    }
}
