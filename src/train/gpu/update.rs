//! Parameters and the optimizer's state on a GPU, and steps there (`optimizer.cuh`): nothing but losses and the
//! gradient's norm comes back.

mod memory;

use anyhow::{Context, Result, ensure};
use bytemuck::{Pod, Zeroable};

use super::arguments::{MuonArguments, ProductArguments, SharingArguments, UpdateArguments};
use crate::nn::gpu::host_memory::HostMemory;
use crate::nn::gpu::launches::number;
use crate::nn::gpu::outputs::floats;
use crate::nn::gpu::{Batch, Device, Lane, Launch};
use crate::train::engine::{Held, StepSettings};
use crate::train::muon::{COEFFICIENTS, STEPS};
use crate::train::optimizer::OptimizerSettings;
use crate::train::register::Parameter;
use crate::train::weight_sharing::WeightSharing;
use memory::{MUON_TILE, Numbers, Places};

/// Threads of a block of all these kernels.
const THREADS: usize = 256;
/// Shared memory for a sum over them in f64, and for the two sides of a product, 16 deep.
const SUM_BYTES: usize = THREADS * size_of::<f64>();
const PRODUCT_BYTES: usize = 2 * 16 * MUON_TILE * size_of::<f32>();

/// What changes with steps, as the kernels read it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct StepNumbers {
    decay: [f32; 2],
    adam: [f32; 2],
    of_second: f32,
    epsilon: f32,
    beta_first: f32,
    beta_second: f32,
    momentum: f32,
    muon: f32,
    clip_norm: f32,
    kept: f32,
    unscaled: f32,
    workers: i32,
}

/// What is downloaded after a step.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct GradientState {
    norm: f64,
    factor: f32,
    is_sound: i32,
}

/// Parameters, their averages, the optimizer's state, and the kernels of a step.
pub struct Update<D: Device> {
    device: D,
    memory: D::Memory,
    places: Places,
    launches: Vec<Launch>,
    optimizer: OptimizerSettings,
    lane: Option<HostMemory<D>>,
}

/// Numbers of lists.
const STEP: usize = 1;
const DOWNLOAD: usize = 2;

impl<D: Device> Update<D> {
    /// For workers whose gradients and losses lie at these addresses of the same GPU.
    pub fn new(
        device: D,
        parameters: &[Parameter],
        (optimizer, sharing): (OptimizerSettings, Option<&WeightSharing>),
        workers: &[[u64; 2]],
    ) -> Result<Update<D>> {
        let numbers = Numbers::new(parameters, &optimizer, sharing, workers);
        let places = Places::new(&numbers);
        let memory = device.allocate(places.bytes);
        let memory = memory.context("the optimizer's state needs it")?;
        let at = device.address(&memory);
        let fixed = places.fixed(&numbers).into_iter();
        for (place, bytes) in fixed.filter(|(_, bytes)| !bytes.is_empty()) {
            device.upload(at + place as u64, bytes)?;
        }
        let binding = Binding {
            at,
            places: &places,
            numbers: &numbers,
        };
        let launches = binding.step()?;
        Ok(Update {
            device,
            memory,
            places,
            launches,
            optimizer,
            lane: None,
        })
    }

    fn at(&self, place: usize) -> u64 {
        self.device.address(&self.memory) + place as u64
    }

    /// Where the network's tensors lie after a step: parameters times their factors.
    pub fn network(&self) -> u64 {
        self.at(self.places.network)
    }

    /// Brings parameters and state to the device. The optimizer must be the one at the start.
    pub fn put(&self, held: &Held<&[f32]>, optimizer: OptimizerSettings) -> Result<()> {
        ensure!(
            optimizer == self.optimizer,
            "the optimizer's settings have changed"
        );
        for (place, values) in self.places.held.into_iter().zip(held) {
            ensure!(
                values.len() == self.places.parameters,
                "parameters of another network"
            );
            self.device
                .upload(self.at(place), bytemuck::cast_slice(values))?;
        }
        Ok(())
    }

    /// Brings parameters and state from the device.
    pub fn get(&mut self, held: Held<&mut Vec<f32>>) -> Result<()> {
        let bytes = self.places.parameters * size_of::<f32>();
        for (place, values) in self.places.held.into_iter().zip(held) {
            let at = self.at(place);
            self.run((DOWNLOAD, &[]), (at, &[]), (at, bytes), |found| {
                *values = floats(found);
            })?;
        }
        Ok(())
    }

    /// Makes a step with the gradients of the first `workers`, times `unscaled`. Returns the gradient's norm, and
    /// whether it and the losses are finite; otherwise nothing has changed.
    pub fn step(
        &mut self,
        settings: &StepSettings,
        (workers, unscaled): (usize, f32),
    ) -> Result<(f64, bool)> {
        let rates = self.optimizer.rates(settings.rate, settings.step);
        let numbers = StepNumbers {
            decay: rates.decay,
            adam: rates.adam,
            of_second: rates.of_second,
            epsilon: rates.epsilon,
            beta_first: rates.beta_first,
            beta_second: rates.beta_second,
            momentum: rates.momentum,
            muon: rates.muon as f32,
            clip_norm: self.optimizer.clip_norm as f32,
            kept: settings.kept,
            unscaled,
            workers: number(workers)?,
        };
        let (inputs, outputs) = (self.at(self.places.step), self.at(self.places.state));
        let launches = std::mem::take(&mut self.launches);
        let mut state = GradientState::zeroed();
        let bytes = size_of::<GradientState>();
        let ran = self.run(
            (STEP, &launches),
            (inputs, bytemuck::bytes_of(&numbers)),
            (outputs, bytes),
            |found| state = bytemuck::pod_read_unaligned(found),
        );
        self.launches = launches;
        ran?;
        Ok((state.norm, state.is_sound != 0))
    }

    /// Uploads, runs kernels, and reads what is downloaded.
    fn run(
        &mut self,
        (list, launches): (usize, &[Launch]),
        (to, inputs): (u64, &[u8]),
        (from, bytes): (u64, usize),
        read: impl FnOnce(&[u8]),
    ) -> Result<()> {
        let room = (inputs.len(), bytes);
        let mut host = HostMemory::with_room(&self.device, self.lane.take(), room)?;
        host.lane.inputs()[..inputs.len()].copy_from_slice(inputs);
        let batch = Batch {
            list,
            boards: 0,
            inputs: (to, inputs.len()),
            launches,
            outputs: (from, bytes),
        };
        self.device.submit(&mut host.lane, &batch)?;
        self.device.wait(&mut host.lane)?;
        read(&host.lane.outputs()[..bytes]);
        self.lane = Some(host);
        Ok(())
    }
}

/// What the list of kernels is made from.
struct Binding<'a> {
    at: u64,
    places: &'a Places,
    numbers: &'a Numbers,
}

impl Binding<'_> {
    fn place(&self, place: usize) -> u64 {
        self.at + place as u64
    }

    fn step(&self) -> Result<Vec<Launch>> {
        let [values, ..] = self.places.held;
        let mut list = vec![self.of_pieces("update_gather")?];
        list.extend(self.share(self.places.gradient, 0)?);
        list.push(self.of_pieces("update_square")?);
        list.push(Launch {
            blocks: 1,
            ..self.of_pieces("update_judge")?
        });
        list.push(self.of_pieces("update_step")?);
        if !self.numbers.matrices.is_empty() {
            list.extend(self.muon()?);
            list.push(self.of_pieces("update_matrices")?);
        }
        list.extend(self.share(values, self.place(self.places.state))?);
        list.push(self.of_pieces("update_finish")?);
        Ok(list)
    }

    fn of_pieces(&self, kernel: &str) -> Result<Launch> {
        let [values, average, first, second] = self.places.held.map(|place| self.place(place));
        let arguments = UpdateArguments {
            pieces: self.place(self.places.pieces),
            tensors: self.place(self.places.tensors),
            step: self.place(self.places.step),
            state: self.place(self.places.state),
            results: self.place(self.places.results),
            values,
            average,
            first,
            second,
            gradient: self.place(self.places.gradient),
            network: self.place(self.places.network),
            direction: self.place(self.places.direction),
            squares: self.place(self.places.squares),
            pieces_count: number(self.numbers.pieces.len())?,
            most_workers: number(self.numbers.results.len() / 2)?,
        };
        Ok(Launch {
            kernel: kernel.to_owned(),
            blocks: self.numbers.pieces.len(),
            threads: THREADS,
            shared: SUM_BYTES,
            arguments: arguments.into(),
        })
    }

    /// Means over orbits, if weights are shared; only if a state is sound, unless that is 0.
    fn share(&self, values: usize, state: u64) -> Result<Option<Launch>> {
        let orbits = self.numbers.starts.len().saturating_sub(1);
        let arguments = SharingArguments {
            starts: self.place(self.places.starts),
            members: self.place(self.places.members),
            values: self.place(values),
            state,
            orbits: number(orbits)?,
            reserved: 0,
        };
        let launch = || Launch::of_threads("share".to_owned(), (orbits, THREADS), arguments);
        Ok((orbits > 0).then(launch))
    }

    /// From directions to orthogonal ones in the same place.
    fn muon(&self) -> Result<Vec<Launch>> {
        let (direction, x) = (self.places.direction, self.places.matrix);
        let arguments = MuonArguments {
            tensors: self.place(self.places.tensors),
            tiles: self.place(self.places.matrices),
            from: self.place(direction),
            to: self.place(x),
        };
        let mut list = vec![Launch {
            kernel: "muon_begin".to_owned(),
            blocks: self.numbers.matrices.len(),
            threads: THREADS,
            shared: SUM_BYTES,
            arguments: arguments.into(),
        }];
        let [of_x, of_square, of_fourth] = COEFFICIENTS;
        let [square, factor] = self.places.squares_of_matrices;
        let (mut from, mut to) = (x, direction);
        for _ in 0..STEPS {
            list.push(self.product(0, (from, from), (1.0, 0.0, square), square)?);
            list.push(self.product(1, (square, square), (of_fourth, of_square, square), factor)?);
            list.push(self.product(2, (factor, from), (1.0, of_x, from), to)?);
            (from, to) = (to, from);
        }
        ensure!(from == direction, "an odd number of steps");
        Ok(list)
    }

    /// `to = times * left * right + plus * addend`; for the kinds see `optimizer.cuh`.
    fn product(
        &self,
        kind: i32,
        (left, right): (usize, usize),
        (times, plus, addend): (f32, f32, usize),
        to: usize,
    ) -> Result<Launch> {
        let (tiles, count) = match kind {
            2 => (self.places.wide_tiles, self.numbers.wide_tiles.len()),
            _ => (self.places.square_tiles, self.numbers.square_tiles.len()),
        };
        let arguments = ProductArguments {
            tensors: self.place(self.places.tensors),
            tiles: self.place(tiles),
            left: self.place(left),
            right: self.place(right),
            addend: self.place(addend),
            to: self.place(to),
            times,
            plus,
            kind,
            reserved: 0,
        };
        Ok(Launch {
            kernel: "muon_product".to_owned(),
            blocks: count,
            threads: THREADS,
            shared: PRODUCT_BYTES,
            arguments: arguments.into(),
        })
    }
}
