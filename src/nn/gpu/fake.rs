//! A device that computes nothing: it takes a given time for each batch and answers with pseudorandom numbers. It
//! stands for a GPU in measurements of the search and in tests of failures, on machines without one.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::{Batch, Device, Lane, Launch, OutOfMemory};
use crate::threads::locked;

/// Bytes of shared memory of a block, those of an RTX 30.
const SHARED_MEMORY: usize = 99 << 10;
/// Numbers from which outputs are cut.
const NUMBERS: usize = 1 << 16;
/// One in so many numbers is large, so that a few moves get most of the policy.
const LARGE_EVERY: u64 = 64;
/// The rest is at most this far from 0.
const SMALL: f32 = 1.0;
/// Added to large numbers.
const LARGE: f32 = 4.0;

/// What the device does.
#[derive(Clone, Copy, Debug, Default)]
pub struct FakeSettings {
    /// Time of a batch, whatever its size.
    pub latency: Duration,
    /// Time of each board.
    pub per_board: Duration,
    /// Bytes that one allocation may have; None for any number.
    pub room: Option<usize>,
    /// Batches until the device is lost; None if it never is.
    pub life: Option<usize>,
}

/// What the device has done.
#[derive(Clone, Debug, Default)]
pub struct FakeCounts {
    /// Boards of each batch.
    pub boards: Vec<usize>,
    /// Batches that were submitted while another was computed, so that the device did not have to wait.
    pub queued: usize,
    /// Time in which a batch was computed.
    pub busy: Duration,
}

/// A device that computes nothing. Clones are the same device.
#[derive(Clone, Debug)]
pub struct FakeGpu {
    settings: FakeSettings,
    numbers: Arc<[f32]>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    counts: FakeCounts,
    in_flight: usize,
    /// When all batches are done.
    free: Option<Instant>,
}

/// Host memory of a batch.
pub struct FakeLane {
    inputs: Vec<u8>,
    outputs: Vec<u8>,
    done: Option<Instant>,
}

impl FakeGpu {
    /// A new device.
    pub fn new(settings: FakeSettings) -> FakeGpu {
        FakeGpu {
            settings,
            numbers: numbers(),
            state: Arc::default(),
        }
    }

    /// What it has done since the last call.
    pub fn take_counts(&self) -> FakeCounts {
        std::mem::take(&mut locked(&self.state).counts)
    }

    /// Fills outputs with numbers that depend on the inputs.
    fn answer(&self, inputs: &[u8], outputs: &mut [u8]) {
        let (words, _) = inputs.as_chunks::<8>();
        let mixed = words.iter().fold(1, |mixed: u64, word| {
            (mixed ^ u64::from_ne_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let bytes: &[u8] = bytemuck::cast_slice(&self.numbers);
        let start = (mixed >> 40) as usize % NUMBERS * size_of::<f32>();
        let (first, rest) = outputs.split_at_mut(outputs.len().min(bytes.len() - start));
        first.copy_from_slice(&bytes[start..][..first.len()]);
        for part in rest.chunks_mut(bytes.len()) {
            part.copy_from_slice(&bytes[..part.len()]);
        }
    }
}

/// Pseudorandom, by the generator of Knuth's MMIX.
fn numbers() -> Arc<[f32]> {
    let mut state = 1_u64;
    let next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let unit = (state >> 40) as f32 / (1 << 24) as f32;
        let number = (2.0 * unit - 1.0) * SMALL;
        match (state >> 20) % LARGE_EVERY {
            0 => number + LARGE,
            _ => number,
        }
    };
    std::iter::repeat_with(next).take(NUMBERS).collect()
}

impl Lane for FakeLane {
    fn inputs(&mut self) -> &mut [u8] {
        &mut self.inputs
    }

    fn outputs(&self) -> &[u8] {
        &self.outputs
    }
}

impl Device for FakeGpu {
    type Memory = ();
    type Lane = FakeLane;

    fn name(&self) -> String {
        "fake GPU".to_owned()
    }

    fn shared_limit(&self) -> usize {
        SHARED_MEMORY
    }

    fn has_groups(&self) -> bool {
        false
    }

    fn allocate(&self, bytes: usize) -> Result<()> {
        if self.settings.room.is_some_and(|room| bytes > room) {
            return Err(OutOfMemory { bytes }.into());
        }
        Ok(())
    }

    fn address(&self, (): &()) -> u64 {
        0
    }

    fn upload(&self, _: u64, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn lane(&self, inputs: usize, outputs: usize) -> Result<FakeLane> {
        Ok(FakeLane {
            inputs: vec![0; inputs],
            outputs: vec![0; outputs],
            done: None,
        })
    }

    fn submit(&self, lane: &mut FakeLane, batch: &Batch) -> Result<()> {
        self.answer(&lane.inputs[..batch.inputs.1], &mut lane.outputs);
        let FakeSettings {
            latency,
            per_board,
            life,
            ..
        } = self.settings;
        let time = latency + per_board * batch.boards as u32;
        let mut state = locked(&self.state);
        if life.is_some_and(|life| state.counts.boards.len() >= life) {
            bail!("the device is lost");
        }
        state.counts.boards.push(batch.boards);
        state.counts.queued += usize::from(state.in_flight > 0);
        state.counts.busy += time;
        state.in_flight += 1;
        let now = Instant::now();
        let done = state.free.map_or(now, |free| free.max(now)) + time;
        state.free = Some(done);
        lane.done = Some(done);
        Ok(())
    }

    fn wait(&self, lane: &mut FakeLane) -> Result<()> {
        let left = lane
            .done
            .take()
            .map(|done| done.saturating_duration_since(Instant::now()));
        if let Some(left) = left.filter(|left| !left.is_zero()) {
            thread::sleep(left);
        }
        locked(&self.state).in_flight -= 1;
        Ok(())
    }

    fn forget(&self) {}

    fn measure(&self, _: &[Launch], _: usize) -> Result<f64> {
        Ok(1.0)
    }
}
