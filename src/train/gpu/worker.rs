//! One stream of a GPU with its own memory, which computes batches of a step.

use std::collections::HashMap;

use anyhow::{Context, Result};

use super::host::{read_outputs, write_gradients, write_inputs};
use super::launches::{BatchBinding, Binding, Size, Tiles, shape, sizes};
use super::layout::{Constants, Layout};
use super::tape::{Operation, Tape};
use crate::data::batch::Batch;
use crate::go::BoardSize;
use crate::nn::gpu::host_memory::HostMemory;
use crate::nn::gpu::outputs::floats;
use crate::nn::gpu::tiles::Tile;
use crate::nn::gpu::{self, Device, Format, Lane, Launch};
use crate::train::losses::Losses;
use crate::train::objective::Objective;
use crate::train::outputs;

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

/// Makes a gradient on the device that of the mean loss of so many samples.
pub fn unscaled(samples: usize) -> f32 {
    (1.0 / (SCALE * samples as f64)) as f32
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
    lists: usize,
    inputs: Option<HostMemory<D>>,
    gradients: Option<HostMemory<D>>,
}

/// Lists of kernels for a board size and a number of boards.
struct Prepared {
    layout: Layout,
    forward: (usize, Vec<Launch>),
    backward: (usize, Vec<Launch>),
}

/// Numbers of the first lists.
const LOAD: usize = 1;
const CLEAR: usize = 2;
const DOWNLOAD: usize = 3;

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
            lists: DOWNLOAD,
            inputs: None,
            gradients: None,
        })
    }

    /// The parameters have changed.
    pub fn forget_parameters(&mut self) {
        self.is_loaded = false;
    }

    /// The summed losses of some batches, and the gradient of the net's tensors if it is wanted, to be multiplied by
    /// [`unscaled`].
    pub fn run(
        &mut self,
        (tape, values): (&Tape, &[f32]),
        batches: &[&Batch],
        objective: &Objective,
        (samples, learns): (usize, bool),
    ) -> Result<(Losses, Option<Vec<f32>>)> {
        let scale = 1.0 / samples as f64;
        let mut losses = Losses::default();
        for (index, batch) in batches.iter().enumerate() {
            let key = self.prepare(tape, batch.size, batch.len())?;
            if index == 0 {
                self.begin(values, learns)?;
            }
            losses += self.batch(tape, batch, key, objective, (scale, learns))?;
        }
        if !learns {
            return Ok((losses, None));
        }
        Ok((losses, Some(self.download()?)))
    }

    /// Brings parameters to the device, and clears their gradient.
    fn begin(&mut self, values: &[f32], learns: bool) -> Result<()> {
        let at = self.device.address(&self.constants_memory);
        let mut lane = HostMemory::with_room(&self.device, self.gradients.take(), (0, 0))?;
        if !self.is_loaded {
            let to = at + self.constants.parameters as u64;
            self.device.upload(to, bytemuck::cast_slice(values))?;
            self.submit(&mut lane, (LOAD, &self.load), (at, 0), (at, 0))?;
            self.is_loaded = true;
        }
        if learns {
            self.device.wait(&mut lane.lane)?;
            self.submit(&mut lane, (CLEAR, &self.clear), (at, 0), (at, 0))?;
        }
        self.gradients = Some(lane);
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

    fn batch(
        &mut self,
        tape: &Tape,
        batch: &Batch,
        key: (BoardSize, usize),
        objective: &Objective,
        (scale, learns): (f64, bool),
    ) -> Result<Losses> {
        let prepared = &self.prepared[&key];
        let layout = &prepared.layout;
        let (memory, _) = self.memory.as_ref().context("no memory")?;
        let at = self.device.address(memory);
        let room = layout.outputs_end - layout.outputs;
        let mut lane =
            HostMemory::with_room(&self.device, self.inputs.take(), (layout.inputs_end, room))?;
        let uploaded = write_inputs((tape, layout), (batch, key.1), lane.lane.inputs());
        let (list, launches) = &prepared.forward;
        let outputs = (at + layout.outputs as u64, room);
        self.submit(&mut lane, (*list, launches), (at, uploaded), outputs)?;
        self.device.wait(&mut lane.lane)?;
        let found = read_outputs(tape, layout, batch, lane.lane.outputs())?;
        let mut predictions = outputs::predictions(&found, batch.len());
        let losses = outputs::differentiate(objective, &mut predictions, batch, scale);
        self.inputs = Some(lane);
        if learns {
            let room = layout.of_outputs_end - layout.of_outputs;
            let mut lane = HostMemory::with_room(&self.device, self.gradients.take(), (room, 0))?;
            self.device.wait(&mut lane.lane)?;
            let factor = (SCALE / scale) as f32;
            let of_outputs = outputs::flattened(&predictions);
            let to = &mut lane.lane.inputs()[..room];
            write_gradients((tape, layout), (&of_outputs, factor), to);
            let (list, launches) = &prepared.backward;
            let inputs = (at + layout.of_outputs as u64, room);
            self.submit(&mut lane, (*list, launches), inputs, (at, 0))?;
            self.gradients = Some(lane);
        }
        Ok(losses)
    }

    fn download(&mut self) -> Result<Vec<f32>> {
        let bytes = self.parameters * size_of::<f32>();
        let at = self.device.address(&self.constants_memory) + self.constants.gradient as u64;
        let mut lane = HostMemory::with_room(&self.device, self.inputs.take(), (0, bytes))?;
        self.submit(&mut lane, (DOWNLOAD, &[]), (at, 0), (at, bytes))?;
        self.device.wait(&mut lane.lane)?;
        let found = floats(&lane.lane.outputs()[..bytes]);
        self.inputs = Some(lane);
        Ok(found)
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
            if let Some(lane) = &mut self.gradients {
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
        let (forward, backward) = (binding.forward()?, binding.backward()?);
        self.lists += 2;
        let prepared = Prepared {
            layout,
            forward: (self.lists - 1, forward),
            backward: (self.lists, backward),
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
