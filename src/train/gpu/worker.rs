//! One stream of a GPU with its own memory, which computes batches of a step.

use std::collections::HashMap;

use anyhow::{Context, Result};

use super::host::write_inputs;
use super::launches::{BatchBinding, Binding, Size, Tiles, shape, sizes};
use super::layout::{Constants, Layout};
use super::tape::{Operation, Tape};
use super::targets::{LOSS_ROW, ObjectiveNumbers, losses};
use crate::data::batch::Batch;
use crate::go::BoardSize;
use crate::nn::gpu::host_memory::HostMemory;
use crate::nn::gpu::outputs::floats;
use crate::nn::gpu::tiles::Tile;
use crate::nn::gpu::{self, Device, Format, Lane, Launch};
use crate::train::losses::Losses;
use crate::train::objective::Objective;

/// Batches are filled up to a multiple of this many boards, so that few lists of kernels are made.
const BOARD_STEP: usize = 16;
/// Boards in the measurement of tiles at most.
const MEASURED_BOARDS: usize = 512;
/// How often a tile is measured.
const MEASUREMENTS: usize = 4;
/// Widest board that a tile has room for, whichever is measured.
const WIDEST: usize = 25;
/// The gradient of a sample's loss is this many times as large on the device: in f16 small numbers would
/// become 0.
const SCALE: f64 = 128.0;
/// Lanes for inputs: one is written while another is read.
const LANES: usize = 2;

/// Makes a gradient on the device that of the mean loss of so many samples.
pub fn unscaled(samples: usize) -> f32 {
    (1.0 / (SCALE * samples as f64)) as f32
}

/// Where parameters come from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    Host(&'a [f32]),
    /// An address on the device.
    Device(u64),
}

/// What batches are computed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Losses alone.
    Losses,
    /// Losses, and the gradient of the net's tensors, which stays on the device.
    Gradient,
    /// The same, downloaded.
    Download,
}

/// Memory, lists of kernels and lanes.
pub struct Worker<D: Device> {
    device: D,
    format: Format,
    /// Number of parameters.
    parameters: usize,
    constants: Constants,
    constants_memory: D::Memory,
    tiles: Tiles,
    /// Of the batch in hand, with its bytes.
    memory: Option<(D::Memory, usize)>,
    prepared: HashMap<(BoardSize, usize), Prepared>,
    load: Vec<Launch>,
    clear: Vec<Launch>,
    /// Whether the weights are those of the parameters.
    is_loaded: bool,
    /// What the device was told last.
    objective: Option<ObjectiveNumbers>,
    lists: usize,
    inputs: [Option<HostMemory<D>>; LANES],
    others: Option<HostMemory<D>>,
}

/// Lists of kernels for a board size and a number of boards.
struct Prepared {
    layout: Layout,
    /// To losses.
    forward: (usize, Vec<Launch>),
    /// To gradients.
    all: (usize, Vec<Launch>),
}

/// Numbers of the first lists.
const LOAD: usize = 1;
const CLEAR: usize = 2;
const DOWNLOAD: usize = 3;
const FETCH: usize = 4;

impl<D: Device> Worker<D> {
    /// For a network with so many parameters.
    pub fn new(device: D, tape: &Tape, format: Format, parameters: usize) -> Result<Worker<D>> {
        let constants = Constants::new(tape, format, parameters);
        let memory = device.allocate(constants.bytes)?;
        // Paddings stay 0.
        device.upload(device.address(&memory), &vec![0; constants.bytes])?;
        Ok(Worker {
            constants_memory: memory,
            device,
            format,
            parameters,
            constants,
            tiles: Tiles::new(),
            memory: None,
            prepared: HashMap::new(),
            load: Vec::new(),
            clear: Vec::new(),
            is_loaded: false,
            objective: None,
            lists: FETCH,
            inputs: std::array::from_fn(|_| None),
            others: None,
        })
    }

    /// The parameters have changed.
    pub fn forget_parameters(&mut self) {
        self.is_loaded = false;
    }

    /// Addresses on the device: of the gradient of the net's tensors, and of the sums of losses.
    pub fn results(&self) -> [u64; 2] {
        let at = self.device.address(&self.constants_memory);
        [self.constants.gradient, self.constants.sums].map(|place| at + place as u64)
    }

    /// The summed losses of some batches, and their gradient if it is downloaded, to be multiplied by [`unscaled`].
    pub fn run(
        &mut self,
        (tape, source): (&Tape, Source),
        batches: &[&Batch],
        objective: &Objective,
        purpose: Purpose,
    ) -> Result<(Losses, Option<Vec<f32>>)> {
        for (index, batch) in batches.iter().enumerate() {
            let key = self.prepare(tape, batch.size, batch.len())?;
            if index == 0 {
                self.begin(tape, source, objective)?;
            }
            self.batch(tape, batch, key, index % LANES, purpose)?;
        }
        self.results_of_batches(purpose)
    }

    /// Brings parameters to the device, and clears sums.
    fn begin(&mut self, tape: &Tape, source: Source, objective: &Objective) -> Result<()> {
        let at = self.device.address(&self.constants_memory);
        let mut lane = HostMemory::with_room(&self.device, self.others.take(), (0, 0))?;
        let objective = ObjectiveNumbers::new(objective, SCALE as f32);
        if self.objective != Some(objective) {
            let to = at + self.constants.objective as u64;
            self.device.upload(to, bytemuck::bytes_of(&objective))?;
            self.objective = Some(objective);
        }
        if !self.is_loaded {
            match source {
                Source::Host(values) => {
                    let to = at + self.constants.parameters as u64;
                    self.device.upload(to, bytemuck::cast_slice(values))?;
                }
                Source::Device(from) => {
                    let fetch = self.binding(tape).fetch(from, self.parameters)?;
                    self.submit(&mut lane, (FETCH, &fetch), (at, 0), (at, 0))?;
                }
            }
            self.submit(&mut lane, (LOAD, &self.load), (at, 0), (at, 0))?;
            self.is_loaded = true;
        }
        self.submit(&mut lane, (CLEAR, &self.clear), (at, 0), (at, 0))?;
        self.others = Some(lane);
        Ok(())
    }

    fn submit(
        &self,
        host: &mut HostMemory<D>,
        (list, launches): (usize, &[Launch]),
        inputs: (u64, usize),
        outputs: (u64, usize),
    ) -> Result<()> {
        let batch = gpu::Batch {
            list,
            boards: 0,
            inputs,
            launches,
            outputs,
        };
        self.device.submit(&mut host.lane, &batch)
    }

    /// Submits a batch, whose results are added to those before.
    fn batch(
        &mut self,
        tape: &Tape,
        batch: &Batch,
        key: (BoardSize, usize),
        lane: usize,
        purpose: Purpose,
    ) -> Result<()> {
        let Prepared {
            layout,
            forward,
            all,
        } = &self.prepared[&key];
        let (memory, _) = self.memory.as_ref().context("no memory")?;
        let at = self.device.address(memory);
        let room = (layout.inputs_end, 0);
        let mut host = HostMemory::with_room(&self.device, self.inputs[lane].take(), room)?;
        self.device.wait(&mut host.lane)?;
        let uploaded = write_inputs((tape, layout), (batch, key.1), host.lane.inputs());
        let (list, launches) = match purpose {
            Purpose::Losses => forward,
            Purpose::Gradient | Purpose::Download => all,
        };
        self.submit(&mut host, (*list, launches), (at, uploaded), (at, 0))?;
        self.inputs[lane] = Some(host);
        Ok(())
    }

    /// Waits for all batches, and downloads what is wanted of them.
    fn results_of_batches(&mut self, purpose: Purpose) -> Result<(Losses, Option<Vec<f32>>)> {
        let sums = LOSS_ROW * size_of::<f64>();
        let gradient = self.constants.gradient - self.constants.sums;
        let bytes = match purpose {
            Purpose::Download => gradient + self.parameters * size_of::<f32>(),
            Purpose::Losses | Purpose::Gradient => sums,
        };
        let at = self.device.address(&self.constants_memory) + self.constants.sums as u64;
        let mut lane = HostMemory::with_room(&self.device, self.others.take(), (0, bytes))?;
        self.submit(&mut lane, (DOWNLOAD, &[]), (at, 0), (at, bytes))?;
        self.device.wait(&mut lane.lane)?;
        let found = &lane.lane.outputs()[..bytes];
        let (sums, _) = found[..sums].as_chunks::<8>();
        let sums: Vec<f64> = sums.iter().copied().map(f64::from_ne_bytes).collect();
        let losses = losses(&sums);
        let gradient = (purpose == Purpose::Download).then(|| floats(&found[gradient..]));
        self.others = Some(lane);
        Ok((losses, gradient))
    }

    /// Lists for so many boards or a few more.
    fn prepare(
        &mut self,
        tape: &Tape,
        size: BoardSize,
        boards: usize,
    ) -> Result<(BoardSize, usize)> {
        let boards = boards.next_multiple_of(BOARD_STEP);
        let key = (size, boards);
        if self.prepared.contains_key(&key) {
            return Ok(key);
        }
        let layout = Layout::new(tape, self.format, boards, size.area());
        if self
            .memory
            .as_ref()
            .is_none_or(|(_, room)| *room < layout.bytes)
        {
            for lane in self.inputs.iter_mut().flatten() {
                self.device.wait(&mut lane.lane)?;
            }
            self.prepared.clear();
            self.memory = None;
            self.device.forget();
            let memory = self.device.allocate(layout.bytes);
            let memory = memory.context("smaller batches (--micro-batch) need less")?;
            self.memory = Some((memory, layout.bytes));
        }
        if self.load.is_empty() {
            self.choose_tiles(tape, &layout, (size, boards))?;
            let binding = self.binding(tape);
            let (load, clear) = (binding.load()?, binding.clear(self.parameters)?);
            (self.load, self.clear) = (load, clear);
        }
        let binding = self.of_batch(tape, &layout, (size, boards))?;
        let mut forward = binding.forward()?;
        forward.extend(binding.losses()?);
        let mut all = forward.clone();
        all.extend(binding.backward()?);
        self.lists += 2;
        let prepared = Prepared {
            layout,
            forward: (self.lists - 1, forward),
            all: (self.lists, all),
        };
        self.prepared.insert(key, prepared);
        Ok(key)
    }

    fn binding<'a>(&'a self, tape: &'a Tape) -> Binding<'a> {
        Binding {
            tape,
            format: self.format,
            tiles: &self.tiles,
            constants: &self.constants,
            constants_at: self.device.address(&self.constants_memory),
        }
    }

    fn of_batch<'a>(
        &'a self,
        tape: &'a Tape,
        layout: &'a Layout,
        (size, boards): (BoardSize, usize),
    ) -> Result<BatchBinding<'a>> {
        let (memory, _) = self.memory.as_ref().context("no memory")?;
        Ok(BatchBinding {
            all: self.binding(tape),
            layout,
            values_at: self.device.address(memory),
            size,
            boards,
        })
    }

    /// Measures which tile is the fastest for each kind of convolution, with the first batch's memory.
    fn choose_tiles(
        &mut self,
        tape: &Tape,
        layout: &Layout,
        (size, boards): (BoardSize, usize),
    ) -> Result<()> {
        if self.format == Format::F32 {
            return Ok(());
        }
        let boards = boards.min(MEASURED_BOARDS);
        for (index, operation) in tape.operations.iter().enumerate() {
            let Operation::Conv(conv) = operation else {
                continue;
            };
            let [forward, backward] = sizes(conv);
            for (kind, from, to) in [
                (forward, conv.input, conv.raw),
                (backward, conv.raw, conv.input),
            ] {
                if self.tiles.contains_key(&kind) {
                    continue;
                }
                let mut best: Option<(f64, Tile)> = None;
                for tile in self.candidates(kind, size) {
                    self.tiles.insert(kind, tile);
                    let binding = self.of_batch(tape, layout, (size, boards))?;
                    let [from, to] = [from, to].map(|id| binding.values_at + layout.of(id) as u64);
                    let place = self.constants.places[index].forward;
                    let launch = binding.conv(kind, binding.products(kind, from, place, to)?)?;
                    let seconds = self.device.measure(&[launch], MEASUREMENTS)?;
                    if best.is_none_or(|(least, _)| seconds < least) {
                        best = Some((seconds, tile));
                    }
                }
                let (_, tile) =
                    best.context("the board is too wide for the GPU's shared memory")?;
                self.tiles.insert(kind, tile);
            }
        }
        Ok(())
    }

    /// Tiles that have room for all boards.
    fn candidates(&self, kind: Size, size: BoardSize) -> Vec<Tile> {
        let width = size.width().max(WIDEST);
        let limit = self.device.shared_limit();
        Tile::candidates(
            &shape(kind, size.area(), width),
            limit,
            self.device.has_groups(),
        )
    }
}
