//! Where steps get their batches: made when they are wanted, or ahead of that by another thread.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use anyhow::{Context, Result};

use crate::data::batch::Batch;
use crate::threads;

use super::data_loader::{DataLoader, Place, StepBatches};

/// Steps whose batches are made ahead.
const AHEAD: usize = 2;

/// Batches of one step after another.
pub struct Prefetcher {
    source: Source,
    /// Where the loader was after the last step that was taken, however far ahead it is.
    place: Place,
}

enum Source {
    /// Made when they are wanted, with all threads.
    Here(Box<DataLoader>),
    /// Made while the steps before are computed elsewhere.
    Ahead(Worker),
}

impl Prefetcher {
    /// Of a loader, `ahead` or not: the batches are the same.
    pub fn new(loader: DataLoader, ahead: bool) -> Result<Prefetcher> {
        Ok(Prefetcher {
            place: loader.place(),
            source: match ahead {
                true => Source::Ahead(Worker::start(loader)?),
                false => Source::Here(Box::new(loader)),
            },
        })
    }

    /// The batches of a step.
    pub fn next_step(&mut self) -> Result<Vec<Batch>> {
        let step = match &mut self.source {
            Source::Here(loader) => loader.next_step(),
            Source::Ahead(worker) => worker.next_step(),
        }?;
        self.place = step.place;
        Ok(step.batches)
    }

    /// Where to go on after the last step.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Ends: nobody writes to the run's list of shards any more, and there are no further batches.
    pub fn stop(&mut self) {
        if let Source::Ahead(worker) = &mut self.source {
            worker.stop();
        }
    }
}

/// A thread with a loader. It has ended when this has been dropped.
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
        steps.recv().context("whoever makes batches has ended")?
    }

    /// Nobody waits for its batches any more: it ends with the next one.
    fn stop(&mut self) {
        self.steps = None;
        // If it has panicked, that has been told.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Makes batches until nobody wants them, or until an error, which is the last to be sent.
fn make(mut loader: DataLoader, sender: &SyncSender<Result<StepBatches>>) {
    loop {
        let step = loader.next_step();
        let is_last = step.is_err();
        if sender.send(step).is_err() || is_last {
            return;
        }
    }
}
