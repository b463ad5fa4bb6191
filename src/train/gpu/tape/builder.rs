//! The operations of a network, layer by layer.

use std::collections::HashMap;
use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};

use super::{Conv, Dense, Extent, Id, Norm, Operation, Tape, Value};
use crate::nn::desc::{self, Activation, Block, BlockParts, Heads, Net, PassHead, Tip};
use crate::nn::features::GLOBALS;
use crate::nn::plan::Third;
use crate::nn::plan::memory::padded;
use crate::nn::regions;
use crate::train::heads::EXTRA_POLICIES;
use crate::train::register::Parameter;

/// Padded channels of a convolution's outputs: the kernels of its gradient have a thread for eight of them.
const MOST_CHANNELS: usize = 2048;
/// Most channels that leave the network at once.
const MOST_MAPS: usize = 4;

/// See [`Tape::new`].
pub fn tape(net: &Net, parameters: &[Parameter]) -> Result<Tape> {
    let places = parameters.iter();
    let places = places.map(|own| (&own.name[..], own.place.clone()));
    let mut builder = Builder {
        places: places.collect(),
        tape: Tape {
            pools_chains: net.pools_chains(),
            ..Tape::default()
        },
    };
    builder.net(net)?;
    Ok(builder.tape)
}

struct Builder<'a> {
    places: HashMap<&'a str, Range<usize>>,
    tape: Tape,
}

impl Builder<'_> {
    fn net(&mut self, net: &Net) -> Result<()> {
        let Heads::Pooled(heads) = &net.heads else {
            bail!("fully connected heads")
        };
        let Tip::Batch(tip) = &net.trunk.tip else {
            bail!("a norm of root mean squares")
        };
        let stem = &net.trunk.initial_conv;
        self.tape.planes = stem.inputs;
        let planes = self.value(Extent::Points, stem.inputs);
        self.push(Operation::Planes { to: planes });
        let everywhere = match &net.trunk.initial_global {
            Some(matrix) => {
                let globals = self.value(Extent::Boards, matrix.inputs);
                ensure!(matrix.inputs == GLOBALS, "other global inputs");
                self.tape.globals = Some(globals);
                Some(self.dense("trunk.initial_global", globals, matrix, None)?)
            }
            None => None,
        };
        let mut trunk = self.conv("trunk.initial_conv", stem, planes, (everywhere, None))?;
        trunk = self.blocks("trunk.blocks", &net.trunk.blocks, trunk)?;
        let tip = self.norm("trunk.tip", tip, trunk)?;
        let policies = self.policy(&heads.policy, tip)?;
        let values = self.values_of(&heads.value, tip)?;
        self.tape.outputs = policies.into_iter().chain(values).collect();
        Ok(())
    }

    fn value(&mut self, extent: Extent, channels: usize) -> Id {
        self.tape.values.push(Value { extent, channels });
        Id(self.tape.values.len() - 1)
    }

    fn push(&mut self, operation: Operation) -> usize {
        self.tape.operations.push(operation);
        self.tape.operations.len() - 1
    }

    fn place(&self, name: &str) -> Result<Range<usize>> {
        let place = self.places.get(name).cloned();
        place.with_context(|| format!("{name} is not trained"))
    }

    /// The operation whose sum [`Builder::norm`] normalizes.
    fn conv(
        &mut self,
        name: &str,
        conv: &desc::Conv,
        input: Id,
        (board_bias, residual): (Option<Id>, Option<Id>),
    ) -> Result<usize> {
        let taps = (conv.kernel_height, conv.kernel_width);
        ensure!(
            [(1, 1), (3, 3), (5, 5)].contains(&taps),
            "a convolution of {}x{}",
            conv.kernel_width,
            conv.kernel_height
        );
        ensure!(
            padded(conv.outputs) <= MOST_CHANNELS,
            "a convolution to {} channels",
            conv.outputs
        );
        let conv = Conv {
            input,
            weights: self.place(&format!("{name}.weight"))?,
            kernel_height: conv.kernel_height,
            kernel_width: conv.kernel_width,
            inputs: conv.inputs,
            outputs: conv.outputs,
            board_bias,
            residual,
            raw: self.value(Extent::Points, conv.outputs),
            norm: None,
        };
        Ok(self.push(Operation::Conv(Box::new(conv))))
    }

    /// Normalizes the sum of a convolution.
    fn norm(&mut self, name: &str, norm: &desc::NormAct, index: usize) -> Result<Id> {
        let to = self.value(Extent::Points, norm.norm.channels());
        let norm = Norm {
            gain: self.place(&format!("{name}.scale"))?,
            bias: self.place(&format!("{name}.bias"))?,
            activation: norm.activation,
            to,
        };
        let Operation::Conv(conv) = &mut self.tape.operations[index] else {
            bail!("{name}: a norm of something else than a convolution")
        };
        ensure!(conv.norm.is_none(), "{name}: a second norm");
        conv.norm = Some(norm);
        Ok(to)
    }

    fn raw(&self, index: usize) -> Option<Id> {
        match &self.tape.operations[index] {
            Operation::Conv(conv) => Some(conv.raw),
            _ => None,
        }
    }

    fn dense(
        &mut self,
        name: &str,
        from: Id,
        matrix: &desc::MatMul,
        bias: Option<&str>,
    ) -> Result<Id> {
        let to = self.value(Extent::Boards, matrix.outputs);
        let dense = Dense {
            from,
            weights: self.place(&format!("{name}.weight"))?,
            bias: bias.map(|bias| self.place(bias)).transpose()?,
            inputs: matrix.inputs,
            outputs: matrix.outputs,
            to,
        };
        self.push(Operation::Dense(Box::new(dense)));
        Ok(to)
    }

    fn pool(&mut self, from: Id, third: Third) -> Id {
        let to = self.value(Extent::Boards, 3 * self.tape.value(from).channels);
        self.push(Operation::Pool { from, to, third });
        to
    }

    fn activation(&mut self, from: Id, activation: Activation) -> Id {
        let to = self.value(Extent::Boards, self.tape.value(from).channels);
        self.push(Operation::Activation {
            from,
            to,
            activation,
        });
        to
    }

    fn points(&mut self, name: &str, from: Id, outputs: usize) -> Result<Id> {
        ensure!(outputs <= MOST_MAPS, "{outputs} outputs of {name}");
        let weights = self.place(&format!("{name}.weight"))?;
        let to = self.value(Extent::Maps, outputs);
        self.push(Operation::Points { from, weights, to });
        Ok(to)
    }

    /// The last convolution of the blocks, given that before them.
    fn blocks(&mut self, name: &str, blocks: &[Block], mut trunk: usize) -> Result<usize> {
        for (index, block) in blocks.iter().enumerate() {
            trunk = self.block(&format!("{name}.{index}"), block, trunk)?;
        }
        Ok(trunk)
    }

    fn block(&mut self, name: &str, block: &Block, trunk: usize) -> Result<usize> {
        let named = |layer: &str| format!("{name}.{layer}");
        let residual = self.raw(trunk);
        match block.parts() {
            BlockParts::Residual(parts) => {
                let [conv_in, post, conv_out] = parts.names;
                let u = self.norm(&named("pre"), parts.pre, trunk)?;
                let bias = match parts.pool {
                    Some(layers) => Some(self.pooled(&named, layers, u)?.1),
                    None => None,
                };
                let inner = self.conv(&named(conv_in), parts.conv_in, u, (bias, None))?;
                let inner = self.blocks(&named("blocks"), parts.blocks, inner)?;
                let v = self.norm(&named(post), parts.post, inner)?;
                self.conv(&named(conv_out), parts.conv_out, v, (None, residual))
            }
            BlockParts::ChainPooling(block) => {
                let u = self.norm(&named("pre"), &block.pre, trunk)?;
                let p = self.conv(&named("conv"), &block.conv, u, (None, None))?;
                let q = self.norm(&named("norm"), &block.norm, p)?;
                let channels = regions::VALUES * block.conv.outputs;
                let to = self.value(Extent::Points, channels);
                self.push(Operation::Chains { from: q, to });
                self.conv(&named("conv_out"), &block.conv_out, to, (None, residual))
            }
            BlockParts::Plain(_) => bail!("blocks of one convolution ({name})"),
            BlockParts::Attention(_) | BlockParts::FeedForward(_) => {
                bail!("parts of transformers ({name})")
            }
        }
    }

    /// The pooled values of a branch, and the bias of boards that is made of them.
    fn pooled(
        &mut self,
        named: &dyn Fn(&str) -> String,
        (conv, norm, matrix): (&desc::Conv, &desc::NormAct, &desc::MatMul),
        from: Id,
    ) -> Result<(Id, Id)> {
        let p = self.conv(&named("pool_conv"), conv, from, (None, None))?;
        let p = self.norm(&named("pool_norm"), norm, p)?;
        let pooled = self.pool(p, Third::Maximum);
        debug_assert_eq!(self.tape.value(pooled).channels, matrix.inputs);
        let bias = self.dense(&named("pool_matmul"), pooled, matrix, None)?;
        Ok((pooled, bias))
    }

    /// Policies of points and of the pass: those of the file, and the extra ones.
    fn policy(&mut self, head: &desc::PolicyHead, tip: Id) -> Result<[Id; 4]> {
        let named = |layer: &str| format!("policy_head.{layer}");
        let layers = (&head.pool_conv, &head.pool_norm, &head.pool_matmul);
        let (pooled, bias) = self.pooled(&named, layers, tip)?;
        let a = self.conv(&named("conv"), &head.conv, tip, (Some(bias), None))?;
        let v = self.norm(&named("norm"), &head.norm, a)?;
        let points = self.points(&named("conv_out"), v, head.conv_out.outputs)?;
        let extra = self.points(&named("extra_conv_out"), v, EXTRA_POLICIES)?;
        let (from, name, matrix) = match &head.pass {
            PassHead::Linear(matrix) => (pooled, named("pass"), matrix),
            PassHead::Hidden {
                hidden,
                activation,
                output,
                ..
            } => {
                let bias = named("pass.bias");
                let z = self.dense(&named("pass.hidden"), pooled, hidden, Some(&bias))?;
                let h = self.activation(z, *activation);
                (h, named("pass.output"), output)
            }
        };
        let passes = self.dense(&name, from, matrix, None)?;
        let extra_matrix = desc::MatMul {
            name: String::new(),
            inputs: self.tape.value(from).channels,
            outputs: EXTRA_POLICIES,
            weights: Vec::new(),
        };
        let extra_passes = self.dense(&named("extra_pass"), from, &extra_matrix, None)?;
        Ok([points, extra, passes, extra_passes])
    }

    /// Value, score and ownership.
    fn values_of(&mut self, head: &desc::ValueHead, tip: Id) -> Result<[Id; 3]> {
        let named = |layer: &str| format!("value_head.{layer}");
        let a = self.conv(&named("conv"), &head.conv, tip, (None, None))?;
        let v = self.norm(&named("norm"), &head.norm, a)?;
        let pooled = self.pool(v, Third::Square);
        let mut dense = |layer: &str, from: Id, matrix: &desc::MatMul| {
            let bias = named(&format!("{layer}_bias"));
            self.dense(&named(layer), from, matrix, Some(&bias))
        };
        let z = dense("hidden", pooled, &head.hidden)?;
        let h = self.activation(z, head.hidden_activation);
        let mut dense = |layer: &str, matrix: &desc::MatMul| {
            let bias = named(&format!("{layer}_bias"));
            self.dense(&named(layer), h, matrix, Some(&bias))
        };
        let value = dense("value", &head.value)?;
        let score = dense("score", &head.score)?;
        let ownership = self.points(&named("ownership"), v, head.ownership.outputs)?;
        Ok([value, score, ownership])
    }
}
