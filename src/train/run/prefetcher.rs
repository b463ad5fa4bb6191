//! Prefetching of batches: prepared on demand, or ahead of time by another thread.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use anyhow::{Context, Result};

use crate::data::batch::Batch;
use crate::threads;

use super::data_loader::{DataLoader, Place, StepBatches};

/// Steps to prepare ahead.
const AHEAD: usize = 2;

/// The batches of one step after another.
pub struct Prefetcher {
    source: Source,
    /// The loader's position after the last step taken, not counting prepared steps.
    place: Place,
}

enum Source {
    /// Prepared on demand, with all threads.
    Here(Box<DataLoader>),
    /// Prepared while earlier steps are computed elsewhere.
    Ahead(Worker),
}

impl Prefetcher {
    /// The batches are the same with `ahead` and without.
    pub fn new(loader: DataLoader, ahead: bool) -> Result<Prefetcher> {
        Ok(Prefetcher {
            place: loader.place(),
            source: match ahead {
                true => Source::Ahead(Worker::start(loader)?),
                false => Source::Here(Box::new(loader)),
            },
        })
    }

    pub fn next_step(&mut self) -> Result<Vec<Batch>> {
        let step = match &mut self.source {
            Source::Here(loader) => loader.next_step(),
            Source::Ahead(worker) => worker.next_step(),
        }?;
        self.place = step.place;
        Ok(step.batches)
    }

    /// Where to resume after the last step.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Ends all batches and writes to the run's list of shards.
    pub fn stop(&mut self) {
        if let Source::Ahead(worker) = &mut self.source {
            worker.stop();
        }
    }
}

/// A thread that owns a loader; dropping this ends it.
struct Worker {
    steps: Option<Receiver<Result<StepBatches>>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    fn start(loader: DataLoader) -> Result<Worker> {
        let (sender, steps) = sync_channel(AHEAD);
        Ok(Worker {
            steps: Some(steps),
            thread: Some(threads::start(move || make(loader, &sender))?),
        })
    }

    fn next_step(&mut self) -> Result<StepBatches> {
        let steps = self.steps.as_ref().context("there are no more batches")?;
        steps
            .recv()
            .context("the thread that loads batches has ended")?
    }

    /// Nothing receives batches any more: the thread ends at its next send.
    fn stop(&mut self) {
        self.steps = None;
        // A panic in the thread has been printed.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Prepares batches until the receiver is dropped or an error was sent.
fn make(mut loader: DataLoader, sender: &SyncSender<Result<StepBatches>>) {
    loop {
        let step = loader.next_step();
        let is_last = step.is_err();
        if sender.send(step).is_err() || is_last {
            return;
        }
    }
}
