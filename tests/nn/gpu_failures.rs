//! GPUs that lack memory, fail, or are slow: the executor on a device that computes nothing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Condvar, Mutex};

use anyhow::{Error, Result, bail};
use keima::go::BoardSize;
use keima::nn::arch::Arch;
use keima::nn::cpu::Executor as CpuExecutor;
use keima::nn::cpu::simd::Isa;
use keima::nn::desc::Net;
use keima::nn::features::InputBatch;
use keima::nn::gpu::fallback::WithFallback;
use keima::nn::gpu::{Batch, Device, Executor, Format, Lane, Launch, OutOfMemory};
use keima::nn::plan::Plan;

use crate::in_time::in_time;

/// A device that answers zeros.
#[derive(Clone, Default)]
struct Fake(Arc<State>);

#[derive(Default)]
struct State {
    /// Bytes that one allocation may have; 0 for any number.
    room: usize,
    /// The same for inputs and outputs of a lane.
    host_room: usize,
    /// Batches that are computed before the device is lost; 0 for any number.
    life: usize,
    /// Batches so far.
    batches: AtomicUsize,
    /// Batches that have been submitted and not been waited for, and the most at a time.
    in_flight: Mutex<(usize, usize)>,
    /// Whether a batch is only done when another has been submitted.
    wants_two: bool,
    /// Batches that are only done when all are waited for.
    meeting: Option<Arc<Barrier>>,
    submitted: Condvar,
}

struct HostMemory(Vec<u8>, Vec<u8>);

impl Lane for HostMemory {
    fn inputs(&mut self) -> &mut [u8] {
        &mut self.0
    }

    fn outputs(&self) -> &[u8] {
        &self.1
    }
}

impl Device for Fake {
    type Memory = ();
    type Lane = HostMemory;

    fn name(&self) -> String {
        "fake".to_owned()
    }

    fn shared_limit(&self) -> usize {
        99 << 10
    }

    fn has_groups(&self) -> bool {
        false
    }

    fn allocate(&self, bytes: usize) -> Result<()> {
        if self.0.room > 0 && bytes > self.0.room {
            return Err(OutOfMemory { bytes }.into());
        }
        Ok(())
    }

    fn address(&self, (): &()) -> u64 {
        256
    }

    fn upload(&self, _: u64, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn lane(&self, inputs: usize, outputs: usize) -> Result<HostMemory> {
        let (bytes, room) = (inputs + outputs, self.0.host_room);
        if room > 0 && bytes > room {
            return Err(Error::from(OutOfMemory { bytes }).context("no page-locked memory"));
        }
        Ok(HostMemory(vec![0; inputs], vec![0; outputs]))
    }

    fn submit(&self, _: &mut HostMemory, _: &Batch) -> Result<()> {
        let number = self.0.batches.fetch_add(1, Ordering::Relaxed) + 1;
        if self.0.life > 0 && number > self.0.life {
            bail!("the device is lost");
        }
        let mut in_flight = self.0.in_flight.lock().unwrap();
        in_flight.0 += 1;
        in_flight.1 = in_flight.1.max(in_flight.0);
        self.0.submitted.notify_all();
        Ok(())
    }

    fn wait(&self, _: &mut HostMemory) -> Result<()> {
        if let Some(meeting) = &self.0.meeting {
            meeting.wait();
        }
        let mut in_flight = self.0.in_flight.lock().unwrap();
        while self.0.wants_two && in_flight.1 < 2 {
            in_flight = self.0.submitted.wait(in_flight).unwrap();
        }
        in_flight.0 -= 1;
        Ok(())
    }

    fn forget(&self) {}

    fn measure(&self, _: &[Launch], _: usize) -> Result<f64> {
        Ok(1.0)
    }
}

fn net() -> Net {
    Arch::named("b2c32").unwrap().init(1)
}

fn executor(net: &Net, state: State) -> (Executor<Fake>, Arc<State>) {
    let state = Arc::new(state);
    let device = Fake(Arc::clone(&state));
    let plan = Plan::new(net);
    (Executor::new(device, plan, Format::F16).unwrap(), state)
}

fn inputs(net: &Net, boards: usize) -> InputBatch {
    let (planes, globals) = net.input_version().channels();
    InputBatch {
        size: BoardSize::square(9),
        spatial: vec![1.0; boards * 81 * planes],
        global: vec![0.0; boards * globals],
        metadata: vec![],
    }
}

#[test]
fn large_batches_are_cut() {
    let net = net();
    let (executor, state) = executor(&net, State::default());
    assert_eq!(executor.forward(&inputs(&net, 1200)).unwrap().len(), 1200);
    assert_eq!(state.batches.load(Ordering::Relaxed), 3);
    assert!(executor.forward(&inputs(&net, 0)).unwrap().is_empty());
}

/// Room for some boards on the device or on the host: the largest batch is halved until it fits, once and for all.
#[test]
fn batches_are_halved_where_memory_is_short() {
    let net = net();
    let states = [(4 << 20, 0), (0, 1 << 20)].map(|(room, host_room)| State {
        room,
        host_room,
        ..State::default()
    });
    for state in states {
        let (executor, state) = executor(&net, state);
        assert_eq!(executor.forward(&inputs(&net, 512)).unwrap().len(), 512);
        let batches = state.batches.load(Ordering::Relaxed);
        assert!(batches > 1 && batches.is_power_of_two(), "{batches}");
        assert_eq!(executor.forward(&inputs(&net, 512)).unwrap().len(), 512);
        assert_eq!(state.batches.load(Ordering::Relaxed), 2 * batches);
    }
}

#[test]
fn the_cpu_goes_on_when_the_gpu_is_lost() {
    static REPORTS: AtomicUsize = AtomicUsize::new(0);
    fn report(message: &str) {
        assert!(message.contains("the device is lost"), "{message}");
        REPORTS.fetch_add(1, Ordering::Relaxed);
    }
    let net = net();
    let (executor, _) = executor(
        &net,
        State {
            life: 2,
            ..State::default()
        },
    );
    let model = WithFallback::new(vec![executor], report);
    let inputs = inputs(&net, 3);
    for _ in 0..2 {
        let found = model.forward(&inputs).unwrap();
        assert!(found.iter().all(|raw| raw.value == [0.0; 3]));
    }
    let expected = CpuExecutor::new(Plan::new(&net), Isa::chosen().unwrap(), false)
        .forward(&inputs)
        .unwrap();
    for _ in 0..3 {
        assert_eq!(model.forward(&inputs).unwrap(), expected);
    }
    assert_eq!(REPORTS.load(Ordering::Relaxed), 1);
}

/// Batches go to the device that has the fewest in hand: of two at the same time each gets one.
#[test]
fn batches_are_spread_over_all_gpus() {
    in_time(|| {
        let net = net();
        let meeting = Arc::new(Barrier::new(2));
        let meeting_there = || State {
            meeting: Some(Arc::clone(&meeting)),
            ..State::default()
        };
        let (executors, states): (Vec<_>, Vec<_>) =
            (0..2).map(|_| executor(&net, meeting_there())).unzip();
        let model = WithFallback::new(executors, |message| panic!("{message}"));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| model.forward(&inputs(&net, 4)).unwrap());
            }
        });
        for state in states {
            assert_eq!(state.batches.load(Ordering::Relaxed), 1);
        }
    });
}

/// The other GPU answers what the first has failed to, and the CPU when both are lost.
#[test]
fn the_others_go_on_when_a_gpu_is_lost() {
    static REPORTS: Mutex<Vec<String>> = Mutex::new(Vec::new());
    fn report(message: &str) {
        REPORTS.lock().unwrap().push(message.to_owned());
    }
    let net = net();
    let living = |life| State {
        life,
        ..State::default()
    };
    let (executors, states): (Vec<_>, Vec<_>) = [1, 3]
        .map(|life| executor(&net, living(life)))
        .into_iter()
        .unzip();
    let model = WithFallback::new(executors, report);
    let inputs = inputs(&net, 3);
    // The first GPU answers once and fails once, the second answers three times.
    for _ in 0..4 {
        let found = model.forward(&inputs).unwrap();
        assert!(found.iter().all(|raw| raw.value == [0.0; 3]));
    }
    assert_eq!(REPORTS.lock().unwrap().len(), 1);
    let expected = CpuExecutor::new(Plan::new(&net), Isa::chosen().unwrap(), false);
    let expected = expected.forward(&inputs).unwrap();
    for _ in 0..2 {
        assert_eq!(model.forward(&inputs).unwrap(), expected);
    }
    let reports = REPORTS.lock().unwrap();
    assert!(
        reports[0].contains("GPU 1 failed, the others go on"),
        "{reports:?}"
    );
    assert!(reports[1].contains("the CPU goes on"), "{reports:?}");
    assert_eq!(reports.len(), 2);
    let batches = states
        .iter()
        .map(|state| state.batches.load(Ordering::Relaxed));
    assert_eq!(batches.collect::<Vec<_>>(), [2, 4]);
}

/// Inputs of another network are errors; they do not count as a failure of the device.
#[test]
fn wrong_inputs_do_not_end_the_gpu() {
    fn report(message: &str) {
        panic!("{message}");
    }
    let net = net();
    let (executor, state) = executor(&net, State::default());
    let model = WithFallback::new(vec![executor], report);
    let mut wrong = inputs(&net, 2);
    wrong.global.pop();
    assert!(model.forward(&wrong).is_err());
    assert_eq!(model.forward(&inputs(&net, 2)).unwrap().len(), 2);
    assert_eq!(state.batches.load(Ordering::Relaxed), 1);
}

/// No batch ends before another has been submitted: with one batch at a time they would wait for ever.
#[test]
fn a_batch_is_submitted_while_another_runs() {
    in_time(|| {
        let net = net();
        let (executor, state) = executor(
            &net,
            State {
                wants_two: true,
                ..State::default()
            },
        );
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| executor.forward(&inputs(&net, 4)).unwrap());
            }
        });
        assert_eq!(*state.in_flight.lock().unwrap(), (0, 2));
    });
}
