//! A whole trainable net: forward pass, and a hand-written backward pass.
//!
//! This is a plain list of layers with shared buffers, not a recorded graph of tensor operations:
//! all trainable nets have one structure, and this way no intermediate result is copied, added or
//! allocated without need.

use anyhow::{Result, ensure};

use crate::go::BoardSize;
use crate::nn::desc::{self, Net, Tip};
use crate::nn::features::PLANES;
use crate::nn::regions::Regions;

use super::blocks::{self, Block, added, blocks_of, stack_factor};
use super::cells::{Cells, Grid, Workspace};
use super::flat_heads::{FlatHeads, FlatTrace};
use super::heads::{PolicyHead, PolicyTrace, Prediction};
use super::layers::{Layer, NormAct};
use super::real::{Compute, Real};
use super::register::{Parameter, Part, Register};
use super::stem::{Inputs, Stem};
use super::value_head::{ValueHead, ValueTrace};

/// Model versions whose score outputs are those of [`super::losses`] and whose policy has no action
/// values.
const VERSIONS: [u32; 7] = [10, 11, 12, 13, 14, 15, 17];

/// The layers of a net.
#[derive(Debug)]
pub struct Graph<T: Real> {
    stem: Stem<T>,
    blocks: Vec<Block<T>>,
    tip: NormAct<T>,
    heads: Heads<T>,
    pools_chains: bool,
    /// See [`Grid::border`].
    border: usize,
    parameters: usize,
}

/// Intermediate results of a net's forward pass.
#[derive(Debug)]
pub struct Trace<T> {
    blocks: Vec<blocks::Trace<T>>,
    /// After the last block.
    stack: Cells<T>,
    /// The same, normalised.
    tip: Cells<T>,
    heads: HeadsTrace<T>,
}

/// The heads of a net.
#[derive(Debug)]
enum Heads<T: Real> {
    Pooled(Box<(PolicyHead<T>, ValueHead<T>)>),
    Flat(Box<FlatHeads<T>>),
}

/// Intermediate results of the heads.
#[derive(Debug)]
enum HeadsTrace<T> {
    Pooled(Box<(PolicyTrace<T>, ValueTrace<T>)>),
    Flat(Box<FlatTrace<T>>),
}

impl<T: Real> Heads<T> {
    fn new(heads: &desc::Heads, register: &mut Register) -> Heads<T> {
        match heads {
            desc::Heads::Pooled(heads) => Heads::Pooled(Box::new((
                PolicyHead::new(&heads.policy, register),
                ValueHead::new(&heads.value, register),
            ))),
            desc::Heads::Flat(heads) => Heads::Flat(Box::new(FlatHeads::new(heads, register))),
        }
    }

    fn forward(
        &self,
        tip: &Cells<T>,
        predictions: &mut [Prediction],
        workspace: &mut Workspace<T>,
    ) -> HeadsTrace<T> {
        match self {
            Heads::Pooled(heads) => {
                let policy = heads.0.forward(tip, predictions, workspace);
                let value = heads.1.forward(tip, predictions, workspace);
                HeadsTrace::Pooled(Box::new((policy, value)))
            }
            Heads::Flat(heads) => {
                HeadsTrace::Flat(Box::new(heads.forward(tip, predictions, workspace)))
            }
        }
    }

    /// Adds to the gradient of the trunk's output.
    fn backward(
        &self,
        (trace, tip): (HeadsTrace<T>, &Cells<T>),
        predictions: &[Prediction],
        of_tip: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        match (self, trace) {
            (Heads::Pooled(heads), HeadsTrace::Pooled(trace)) => {
                let (policy, value) = *trace;
                heads
                    .0
                    .backward((policy, tip), predictions, of_tip, gradient, workspace);
                heads
                    .1
                    .backward((value, tip), predictions, of_tip, gradient, workspace);
            }
            (Heads::Flat(heads), HeadsTrace::Flat(trace)) => {
                heads.backward((*trace, tip), predictions, of_tip, gradient, workspace);
            }
            // A trace is of the heads that have made it.
            _ => {}
        }
    }
}

impl<T: Real> HeadsTrace<T> {
    fn give_back(self, workspace: &mut Workspace<T>) {
        match self {
            HeadsTrace::Pooled(trace) => {
                trace.0.give_back(workspace);
                trace.1.give_back(workspace);
            }
            HeadsTrace::Flat(trace) => trace.give_back(workspace),
        }
    }
}

impl<T: Real> Graph<T> {
    /// The layers of a net; parameters are loaded later. It is an error if the net has a kind of
    /// layer that cannot be trained.
    pub fn new(net: &Net) -> Result<(Graph<T>, Vec<Parameter>)> {
        ensure!(
            VERSIONS.contains(&net.version),
            "nets of version {} cannot be trained, only those of versions {VERSIONS:?}",
            net.version,
        );
        ensure!(
            !net.wants_metadata(),
            "nets with inputs about the players cannot be trained"
        );
        ensure!(
            !net.pass_alive_under_suicide,
            "nets that see pass-alive areas as under suicide cannot be trained"
        );
        let Tip::Batch(tip) = &net.trunk.tip else {
            anyhow::bail!("nets that end in a norm of root mean squares cannot be trained")
        };
        let mut register = Register::default();
        register.enter(Part::Stem);
        let stem = Stem::new(&net.trunk, net.input_version(), &mut register);
        register.enter(Part::Trunk);
        let blocks = blocks_of("trunk.blocks", &net.trunk.blocks, &mut register);
        let factor = stack_factor(added(&net.trunk.blocks));
        let tip = register.norm("trunk.tip", tip, factor);
        register.enter(Part::Head);
        let heads = Heads::new(&net.heads, &mut register);
        let border = register.reach().max(1);
        let parameters = register.into_parameters();
        let graph = Graph {
            stem,
            blocks,
            tip,
            heads,
            pools_chains: net.pools_chains(),
            border,
            parameters: parameters.last().map_or(0, |last| last.place.end),
        };
        Ok((graph, parameters))
    }

    /// Number of parameters.
    pub fn parameter_count(&self) -> usize {
        self.parameters
    }

    /// Where boards lie in this net's buffers.
    pub fn grid(&self, size: BoardSize, boards: usize) -> Grid {
        Grid {
            size,
            boards,
            border: self.border,
        }
    }

    /// One prediction for each board.
    pub fn forward(
        &self,
        inputs: Inputs,
        workspace: &mut Workspace<T>,
    ) -> (Vec<Prediction>, Trace<T>) {
        if self.pools_chains {
            let grid = workspace.grid;
            let regions = Regions::new(inputs.spatial, PLANES, grid.size);
            workspace.regions = regions.moved(|point| grid.cell(point));
        }
        let mut stack = self.stem.forward(inputs, workspace);
        let mut blocks = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            let trace;
            (stack, trace) = block.forward(stack, workspace);
            blocks.push(trace);
        }
        let mut tip = workspace.take(stack.channels());
        self.tip.forward(&stack, &mut tip, workspace);
        let mut predictions = vec![Prediction::default(); workspace.grid.boards];
        let heads = self.heads.forward(&tip, &mut predictions, workspace);
        let trace = Trace {
            blocks,
            stack,
            tip,
            heads,
        };
        (predictions, trace)
    }

    /// Adds the gradient of all parameters, given the gradient of the predictions.
    pub fn backward(
        &self,
        (trace, inputs): (Trace<T>, Inputs),
        predictions: &[Prediction],
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        let mut of_stack = workspace.take(trace.stack.channels());
        of_stack.clear();
        let heads = (trace.heads, &trace.tip);
        self.heads
            .backward(heads, predictions, &mut of_stack, gradient, workspace);
        self.tip
            .backward(&trace.stack, &mut of_stack, gradient, workspace);
        for (block, trace) in self.blocks.iter().zip(trace.blocks).rev() {
            block.backward(trace, &mut of_stack, gradient, workspace);
        }
        self.stem.backward(inputs, &of_stack, gradient, workspace);
        workspace.give([trace.stack, trace.tip, of_stack]);
    }
}

impl<T: Real> Trace<T> {
    /// Returns all buffers if there is no backward pass.
    pub fn give_back(self, workspace: &mut Workspace<T>) {
        self.blocks
            .into_iter()
            .for_each(|block| block.give_back(workspace));
        self.heads.give_back(workspace);
        workspace.give([self.stack, self.tip]);
    }
}

impl<T: Real> Layer<T> for Graph<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.stem.load(compute, parameters);
        for block in &mut self.blocks {
            block.load(compute, parameters);
        }
        self.tip.load(compute, parameters);
        match &mut self.heads {
            Heads::Pooled(heads) => {
                heads.0.load(compute, parameters);
                heads.1.load(compute, parameters);
            }
            Heads::Flat(heads) => heads.load(compute, parameters),
        }
    }
}
