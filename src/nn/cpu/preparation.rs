//! From the operations of a plan to steps: layouts, arithmetic, packed weights, shared operands.

use super::attention::{self, Attend, Gate, side_by_side};
use super::boards::Frame;
use super::chain_pooling::ChainPooling;
use super::conv::{Conv, ConvStep, frame_for};
use super::epilogue::Epilogue;
use super::memory::Kind;
use super::norm::RmsNorm;
use super::simd::{Isa, Kernels, padded};
use super::stem::Stem;
use super::step::Step;
use super::vectors::{Pool, Turn};
use super::weights::Arithmetic;
use crate::nn::desc;
use crate::nn::plan::memory::{Slots, Uses};
use crate::nn::plan::{
    self, Attention, Extent, Gated, Maps, Operation, Plan, Value, ValueId, Work,
};

/// Memory and operations of a network.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Memory of the packed weights in bytes, shared by all threads.
    pub weight_bytes: usize,
    /// Multiply-adds of the matrix products of 3x3 convolutions, per place of a transformed tile.
    pub per_place: usize,
    /// Multiply-adds of other matrix products, per point.
    pub per_point: usize,
}

/// A network prepared so far.
pub struct Preparation {
    arithmetic: Arithmetic,
    /// Values of points by value; none for those that steps do not write.
    kinds: Vec<Option<Kind>>,
    /// Convolutions in floats whatever the arithmetic, by operation.
    are_exact: Vec<bool>,
    planes: Vec<ValueId>,
    ones: Option<usize>,
    pub steps: Vec<Step>,
    uses: Vec<Uses>,
    pub cost: Cost,
}

impl Preparation {
    /// Prepares all operations of a plan and takes them out of it. With `is_integer`, large layers multiply
    /// 16-bit integers.
    pub fn of(plan: &mut Plan, isa: Isa, is_integer: bool) -> Preparation {
        plan.fold_norms();
        let mut preparation = Preparation {
            arithmetic: Arithmetic {
                kernels: Kernels::new(isa),
                is_integer,
            },
            kinds: kinds(plan),
            are_exact: are_exact(plan),
            planes: Vec::new(),
            ones: plan.inputs.ones,
            steps: Vec::new(),
            uses: Vec::new(),
            cost: Cost::default(),
        };
        let operations = std::mem::take(&mut plan.operations);
        for (index, operation) in operations.into_iter().enumerate() {
            preparation.add(index, operation, &plan.values);
        }
        preparation
    }

    /// Places for all values of points.
    pub fn slots(&self) -> Slots<Kind> {
        Slots::of_steps(&self.uses, &self.kinds)
    }

    fn add(&mut self, index: usize, operation: Operation, values: &[Value]) {
        let uses = Uses::of(&operation.work);
        let channels = |id: ValueId| values[id.0].channels;
        let step = match operation.work {
            Work::Planes { to } => return self.planes.push(to),
            Work::Conv(conv) if self.planes.contains(&conv.input) => self.stem(&conv),
            Work::Conv(conv) if conv.pools_chains => return self.chain_pooling(&conv, uses),
            Work::Conv(conv) => return self.conv(&conv, index, uses),
            Work::RmsNorm(norm) => {
                let channels = channels(norm.from);
                Step::RmsNorm(RmsNorm::new(self.arithmetic.kernels, *norm, channels).into())
            }
            Work::Attention(attention) => return self.attention(&attention),
            Work::Gated(gated) => return self.gated(&gated),
            Work::Maps(maps) => return self.maps(&maps),
            Work::Pool { from, to, third } => Step::Pool(Pool {
                from,
                to,
                channels: channels(from),
                third,
            }),
            Work::Flatten { from, to } => Step::Turn(Turn { from, to }),
            Work::Dense(dense) => Step::Dense(dense),
        };
        self.push(step, uses);
    }

    fn push(&mut self, step: Step, uses: Uses) {
        self.steps.push(step);
        self.uses.push(uses);
    }

    fn kind(&self, id: ValueId) -> Kind {
        self.kinds[id.0].expect("a step writes what another reads")
    }

    /// A new value of points for so many channels.
    fn value(&mut self, channels: usize) -> ValueId {
        self.kinds.push(Some(plain(channels)));
        ValueId(self.kinds.len() - 1)
    }

    fn arithmetic(&self, is_exact: bool) -> Arithmetic {
        Arithmetic {
            is_integer: self.arithmetic.is_integer && !is_exact,
            ..self.arithmetic
        }
    }

    fn stem(&self, conv: &plan::Conv) -> Step {
        let (kernels, scale) = (self.arithmetic.kernels, conv.scale.as_deref());
        let epilogue = Epilogue::of(conv);
        Step::Stem(Stem::new(kernels, &conv.kernel, self.ones, scale, epilogue).into())
    }

    /// The weights of a convolution.
    fn packed(
        &mut self,
        kernel: &desc::Conv,
        source: Kind,
        scale: Option<&[f32]>,
        is_exact: bool,
    ) -> Conv {
        let conv = Conv::new(self.arithmetic(is_exact), kernel, source, scale);
        self.cost.weight_bytes += conv.bytes();
        match conv.frame() {
            Frame::Padded => self.cost.per_place += conv.multiply_adds(),
            Frame::Plain => self.cost.per_point += conv.multiply_adds(),
        }
        conv
    }

    fn conv(&mut self, conv: &plan::Conv, index: usize, uses: Uses) {
        let (scale, is_exact) = (conv.scale.as_deref(), self.are_exact[index]);
        let packed = self.packed(&conv.kernel, self.kind(conv.input), scale, is_exact);
        self.push_conv(conv.input, packed, Epilogue::of(conv), uses);
    }

    fn push_conv(&mut self, source: ValueId, conv: Conv, epilogue: Epilogue, uses: Uses) {
        let mut before = self.steps.iter().rev();
        let before = before.find(|step| !step.keeps_operands());
        let is_loaded = matches!(before, Some(Step::Conv(before))
            if before.source == source && before.conv.shares_operands_with(&conv));
        let uses = Uses {
            read_first: conv.reads_first().then_some(source),
            ..uses
        };
        let step = ConvStep {
            source,
            is_loaded,
            conv,
            epilogue,
        };
        self.push(Step::Conv(step.into()), uses);
    }

    /// A convolution whose results are stored as they are, in a new value.
    fn projection(&mut self, kernel: &desc::Conv, source: ValueId, is_exact: bool) -> ValueId {
        let packed = self.packed(kernel, self.kind(source), None, is_exact);
        let to = self.value(kernel.outputs);
        let epilogue = Epilogue::plain(to, kernel.outputs);
        self.push_conv(source, packed, epilogue, one(source, to));
        to
    }

    fn chain_pooling(&mut self, conv: &plan::Conv, uses: Uses) {
        let inputs = plain(conv.kernel.inputs);
        let packed = self.packed(&conv.kernel, inputs, conv.scale.as_deref(), true);
        let step = ChainPooling {
            kernels: self.arithmetic.kernels,
            source: conv.input,
            conv: packed,
            inputs: conv.kernel.inputs,
            epilogue: Epilogue::of(conv),
        };
        self.push(Step::ChainPooling(step.into()), uses);
    }

    fn attention(&mut self, attention: &Attention) {
        let matrices = attention::projection(attention);
        let projected = self.projection(&matrices, attention.from, false);
        let attend = Attend::new(attention, self.arithmetic, projected);
        self.kinds[attention.to.0] = Some(plain(attend.outputs()));
        self.push(Step::Attend(attend.into()), one(projected, attention.to));
    }

    fn gated(&mut self, gated: &Gated) {
        let matrices = side_by_side(&[&gated.inner, &gated.gate]);
        let projected = self.projection(&matrices, gated.from, false);
        let gate = Gate {
            kernels: self.arithmetic.kernels,
            projected,
            to: gated.to,
        };
        self.push(Step::Gate(gate), one(projected, gated.to));
    }

    fn maps(&mut self, maps: &Maps) {
        let from = self.projection(&maps.kernel, maps.from, true);
        let turn = Turn { from, to: maps.to };
        self.push(Step::Turn(turn), one(from, maps.to));
    }
}

/// Of a step that reads one value and writes one.
fn one(from: ValueId, to: ValueId) -> Uses {
    Uses {
        reads: vec![from],
        writes: vec![to],
        ..Uses::default()
    }
}

fn plain(channels: usize) -> Kind {
    Kind {
        frame: Frame::Plain,
        channels: padded(channels),
    }
}

/// Values of points that only 3x3 convolutions read have the layout for those.
fn kinds(plan: &Plan) -> Vec<Option<Kind>> {
    let frame_of = |operation: &Operation, id: ValueId| match &operation.work {
        Work::Conv(conv) if conv.input == id => frame_for(&conv.kernel),
        _ => Frame::Plain,
    };
    let kind = |id: ValueId| {
        let mut frames = plan
            .readers(id)
            .map(|reader| frame_of(&plan.operations[reader], id));
        let first = frames.next().unwrap_or(Frame::Plain);
        let frame = match frames.all(|frame| frame == first) {
            true => first,
            false => Frame::Plain,
        };
        let channels = padded(plan.value(id).channels);
        Kind { frame, channels }
    };
    let is_of_points = |id: &ValueId| plan.value(*id).extent == Extent::Points;
    let ids = (0..plan.values.len()).map(ValueId);
    ids.map(|id| Some(id).filter(is_of_points).map(kind))
        .collect()
}

/// The convolutions for which rounding the inputs would cost more than it saves: the heads', and those whose
/// results are pooled over chains.
fn are_exact(plan: &Plan) -> Vec<bool> {
    let pools = |reader: usize, id: ValueId| match &plan.operations[reader].work {
        Work::Conv(conv) => conv.pools_chains && conv.input == id,
        _ => false,
    };
    let is_pooled = |id: ValueId| plan.readers(id).any(|reader| pools(reader, id));
    let operations = plan.operations.iter().enumerate();
    operations
        .map(|(index, operation)| {
            index >= plan.trunk || operation.work.writes().into_iter().any(is_pooled)
        })
        .collect()
}
