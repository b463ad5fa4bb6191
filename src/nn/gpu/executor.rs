//! Runs a plan on a device.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Condvar, Mutex};

use anyhow::{Context, Result};

use super::attention_block::AttentionBlock;
use super::device::{Batch, Device, Lane, OutOfMemory};
use super::feed_forward::FeedForward;
use super::groups::{costs, groups};
use super::host_memory::HostMemory;
use super::inputs::Checked;
use super::launches::{Binding, Launch};
use super::layout::Layout;
use super::products::Products;
use super::support::check;
use super::tiles::{Shape, Tile};
use super::weights::{Places, Weights, tiled_kernel};
use super::{Format, outputs};
use crate::go::BoardSize;
use crate::nn::desc;
use crate::nn::features::InputBatch;
use crate::nn::output::RawOutput;
use crate::nn::plan::Plan;
use crate::nn::plan::memory::Slots;
use crate::threads::{locked, signaled};

/// Numbers of boards that kernels are prepared for; other batches are filled up to the next, or cut.
pub const BATCHES: [usize; 16] = [
    1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512,
];
/// Batches at the same time: one is computed, one waits for the device, and one is read or written.
const LANES: usize = 3;
/// How often a tile is measured.
const MEASUREMENTS: usize = 4;
/// How often an operation is measured for a profile.
const PROFILE_MEASUREMENTS: usize = 20;

/// A network on a device.
pub struct Executor<D: Device> {
    device: D,
    plan: Plan,
    slots: Slots<usize>,
    format: Format,
    products: Products,
    places: Vec<Places>,
    weights: D::Memory,
    state: Mutex<State<D>>,
    lanes: Mutex<Vec<Option<HostMemory<D>>>>,
    returned: Condvar,
}

/// What changes with the sizes of batches.
struct State<D: Device> {
    /// Values of a batch, and the number of bytes.
    memory: Option<(Arc<D::Memory>, usize)>,
    prepared: HashMap<(BoardSize, usize), Arc<Prepared<D>>>,
    /// Tiles that were measured to be the fastest, by size with rows rounded up to a power of two.
    tiles: HashMap<Shape, Tile>,
    /// Kernels by operation, columns and depth of a tile.
    kernels: HashMap<(usize, usize, usize), D::Memory>,
    /// Number of lists so far.
    lists: usize,
    /// Most boards at once.
    most: usize,
}

/// Kernels for a board size and batch size.
struct Prepared<D: Device> {
    list: usize,
    boards: usize,
    /// Kept until the last batch that uses it is done.
    memory: Arc<D::Memory>,
    layout: Layout,
    launches: Vec<Launch>,
}

impl<D: Device> Executor<D> {
    /// Uploads the weights. Refuses what there is no kernel for.
    pub fn new(device: D, plan: Plan, format: Format) -> Result<Executor<D>> {
        check(&plan)?;
        let products = Products::new(&plan);
        let all = Weights::new(&plan, &products, format);
        let weights = device.allocate(all.bytes.len())?;
        device.upload(device.address(&weights), &all.bytes)?;
        let state = State {
            memory: None,
            prepared: HashMap::new(),
            tiles: HashMap::new(),
            kernels: HashMap::new(),
            lists: 0,
            most: BATCHES[BATCHES.len() - 1],
        };
        Ok(Executor {
            slots: Slots::new(&plan),
            device,
            plan,
            format,
            products,
            places: all.places,
            weights,
            state: Mutex::new(state),
            lanes: Mutex::new((0..LANES).map(|_| None).collect()),
            returned: Condvar::new(),
        })
    }

    /// The device.
    pub fn device(&self) -> &D {
        &self.device
    }

    /// What it runs.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// One output for each position of the batch.
    pub fn forward(&self, batch: &InputBatch) -> Result<Vec<RawOutput>> {
        self.forward_parts(&[batch])
    }

    /// The same for a batch in at least one part, all of boards of the same size.
    pub fn forward_parts(&self, parts: &[&InputBatch]) -> Result<Vec<RawOutput>> {
        let inputs = Checked::new(&self.plan, parts)?;
        let mut found = Vec::with_capacity(inputs.boards);
        while found.len() < inputs.boards {
            let first = found.len();
            found.extend(self.part(&inputs, first, inputs.boards - first)?);
        }
        Ok(found)
    }

    /// Outputs of boards from `first` on, at most `count`, at least one.
    fn part(&self, inputs: &Checked, first: usize, count: usize) -> Result<Vec<RawOutput>> {
        loop {
            let prepared = self.prepared(inputs.size, count)?;
            match self.prepared_part(&prepared, inputs, first, count) {
                // Of the host's memory.
                Err(error) if prepared.boards > 1 && error.is::<OutOfMemory>() => {
                    self.halve(&mut locked(&self.state), prepared.boards);
                }
                outcome => return outcome,
            }
        }
    }

    fn prepared_part(
        &self,
        prepared: &Prepared<D>,
        inputs: &Checked,
        first: usize,
        count: usize,
    ) -> Result<Vec<RawOutput>> {
        let (size, count) = (inputs.size, count.min(prepared.boards));
        let mut slot = self.free_lane();
        let outcome = self.through_lane(slot.take(), prepared, inputs, (first, count));
        let outcome = outcome.map(|host| {
            let bytes = host.lane.outputs();
            let found = outputs::read(&self.plan, &prepared.layout, size, count, bytes);
            slot = Some(host);
            found
        });
        locked(&self.lanes).push(slot);
        self.returned.notify_one();
        outcome
    }

    fn free_lane(&self) -> Option<HostMemory<D>> {
        let mut lanes = locked(&self.lanes);
        loop {
            match lanes.pop() {
                Some(lane) => return lane,
                None => lanes = signaled(&self.returned, lanes),
            }
        }
    }

    /// The lane, when the batch is done.
    fn through_lane(
        &self,
        slot: Option<HostMemory<D>>,
        prepared: &Prepared<D>,
        inputs: &Checked,
        range: (usize, usize),
    ) -> Result<HostMemory<D>> {
        let layout = &prepared.layout;
        let room = (layout.inputs_end, layout.outputs_end - layout.outputs);
        let mut host = HostMemory::with_room(&self.device, slot, room)?;
        let uploaded = inputs.write(&self.plan, layout, range, host.lane.inputs());
        let base = self.device.address(&prepared.memory);
        let batch = Batch {
            list: prepared.list,
            boards: range.1,
            inputs: (base, uploaded),
            launches: &prepared.launches,
            outputs: (base + layout.outputs as u64, room.1),
        };
        self.device.submit(&mut host.lane, &batch)?;
        self.device.wait(&mut host.lane)?;
        Ok(host)
    }

    /// Kernels for `count` boards, or for the most that are computed at once. Where memory does not suffice,
    /// that is half as many from then on.
    fn prepared(&self, size: BoardSize, count: usize) -> Result<Arc<Prepared<D>>> {
        let mut state = locked(&self.state);
        loop {
            let fitting = BATCHES
                .iter()
                .find(|&&boards| boards >= count.min(state.most));
            let boards = *fitting.unwrap_or(&state.most);
            if let Some(found) = state.prepared.get(&(size, boards)) {
                return Ok(Arc::clone(found));
            }
            match self.prepare(&mut state, size, boards) {
                Ok(prepared) => {
                    let prepared = Arc::new(prepared);
                    let known = Arc::clone(&prepared);
                    state.prepared.insert((size, boards), known);
                    return Ok(prepared);
                }
                Err(error) if boards > 1 && error.is::<OutOfMemory>() => {
                    self.halve(&mut state, boards);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Batches have at most half as many boards from then on.
    fn halve(&self, state: &mut State<D>, boards: usize) {
        // The memory of larger batches makes room.
        state.prepared.clear();
        state.memory = None;
        self.device.forget();
        state.most = state.most.min(boards / 2);
    }

    fn prepare(&self, state: &mut State<D>, size: BoardSize, boards: usize) -> Result<Prepared<D>> {
        let layout = Layout::new(&self.plan, &self.slots, self.format, boards, size.area());
        let memory = self.memory(state, layout.bytes)?;
        let binding = Binding {
            plan: &self.plan,
            format: self.format,
            size,
            boards,
            layout: &layout,
            values: self.device.address(&memory),
            places: &self.places,
            weights: self.device.address(&self.weights),
        };
        let mut launches = Vec::with_capacity(self.plan.operations.len());
        for group in groups(&self.plan, self.format, size.area()) {
            launches.extend(self.launches(state, &binding, group.start)?);
        }
        state.lists += 1;
        Ok(Prepared {
            list: state.lists,
            boards,
            memory,
            layout,
            launches,
        })
    }

    /// The kernels of an operation, and of those that are computed with it.
    fn launches(
        &self,
        state: &mut State<D>,
        binding: &Binding,
        index: usize,
    ) -> Result<Vec<Launch>> {
        let attention = AttentionBlock::at(&self.plan, index, self.format);
        if let Some(block) = attention.filter(|block| block.fits(binding.size.area())) {
            return Ok(vec![binding.attention_block(index, &block)?]);
        }
        if let Some(block) = FeedForward::at(&self.plan, index, self.format) {
            return Ok(vec![binding.feed_forward(index, &block)?]);
        }
        let Some(kernel) = self.products.of(&self.plan, index) else {
            return Ok(vec![binding.launch(index)?]);
        };
        let product = match self.format {
            Format::F32 => binding.plain(index, kernel)?,
            Format::F16 => self.tiled(state, binding, index, kernel)?,
        };
        let before = binding.before_product(index)?.into_iter();
        let after = binding.after_product(index)?;
        Ok(before.chain([product]).chain(after).collect())
    }

    /// Memory for the values of a batch. More of it makes all lists invalid.
    fn memory(&self, state: &mut State<D>, bytes: usize) -> Result<Arc<D::Memory>> {
        if let Some((memory, room)) = &state.memory
            && *room >= bytes
        {
            return Ok(Arc::clone(memory));
        }
        state.prepared.clear();
        state.memory = None;
        self.device.forget();
        let memory = Arc::new(self.device.allocate(bytes)?);
        state.memory = Some((Arc::clone(&memory), bytes));
        Ok(memory)
    }

    /// A convolution on tensor cores, with the fastest tile.
    fn tiled(
        &self,
        state: &mut State<D>,
        binding: &Binding,
        index: usize,
        kernel: &desc::Conv,
    ) -> Result<Launch> {
        let mut shape = binding.shape(kernel);
        shape.rows = shape.rows.next_power_of_two();
        let tile = match state.tiles.get(&shape) {
            Some(tile) => *tile,
            None => {
                let tile = self.fastest(state, binding, index, kernel)?;
                state.tiles.insert(shape, tile);
                tile
            }
        };
        self.with_tile(state, binding, index, kernel, tile)
    }

    fn with_tile(
        &self,
        state: &mut State<D>,
        binding: &Binding,
        index: usize,
        kernel: &desc::Conv,
        tile: Tile,
    ) -> Result<Launch> {
        let key = (index, tile.columns, tile.depth);
        let memory = match state.kernels.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let weights = tiled_kernel(kernel, tile.columns, tile.depth);
                let bytes: &[u8] = bytemuck::cast_slice(&weights);
                let memory = self.device.allocate(bytes.len())?;
                self.device.upload(self.device.address(&memory), bytes)?;
                unknown.insert(memory)
            }
        };
        let weights = self.device.address(memory);
        binding.tiled(index, kernel, tile, weights)
    }

    /// The tile that is measured to be the fastest.
    fn fastest(
        &self,
        state: &mut State<D>,
        binding: &Binding,
        index: usize,
        kernel: &desc::Conv,
    ) -> Result<Tile> {
        let (limit, has_groups) = (self.device.shared_limit(), self.device.has_groups());
        let mut best: Option<(f64, Tile)> = None;
        for tile in Tile::candidates(&binding.shape(kernel), limit, has_groups) {
            let launch = self.with_tile(state, binding, index, kernel, tile)?;
            let seconds = self.device.measure(&[launch], MEASUREMENTS)?;
            if best.is_none_or(|(least, _)| seconds < least) {
                best = Some((seconds, tile));
            }
        }
        let best = best.map(|(_, tile)| tile);
        best.context("the board is too wide for the GPU's shared memory")
    }

    /// The seconds that each kernel takes for a batch of this many boards, with the name of its operation.
    pub fn times(&self, size: BoardSize, boards: usize) -> Result<Vec<Time>> {
        let prepared = self.prepared(size, boards)?;
        let mut times = Vec::with_capacity(prepared.launches.len());
        let costs = groups(&self.plan, self.format, size.area()).flat_map(|group| {
            let name = &self.plan.operations[group.end - 1].name;
            let costs = costs(&self.plan, group, size.area(), self.format.bytes());
            costs.into_iter().map(move |cost| (name, cost))
        });
        for (launch, (operation, cost)) in prepared.launches.iter().zip(costs) {
            let launches = std::slice::from_ref(launch);
            let seconds = self.device.measure(launches, PROFILE_MEASUREMENTS)?;
            times.push(Time {
                operation: operation.clone(),
                kernel: launch.kernel.clone(),
                blocks: launch.blocks,
                multiplications: cost.multiplications * prepared.boards,
                bytes: cost.bytes * prepared.boards + cost.weights,
                seconds,
            });
        }
        Ok(times)
    }
}

/// The time of a kernel.
#[derive(Clone, Debug)]
pub struct Time {
    /// Its operation.
    pub operation: String,
    /// Its name in `kernels.cu`.
    pub kernel: String,
    /// Blocks of the kernel.
    pub blocks: usize,
    /// Multiplications of the batch.
    pub multiplications: usize,
    /// Bytes that have to be moved.
    pub bytes: usize,
    /// Measured, the kernel alone repeated.
    pub seconds: f64,
}
