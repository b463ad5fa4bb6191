//! Training with candle, on GPUs.
//!
//! The forward pass is the model for play, [`crate::nn::candle`], with variables as weights; candle
//! computes the backward pass. Losses are computed on the CPU ([`super::objective`]), which costs little: a few
//! numbers per point are transferred.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use anyhow::{Context, Result, ensure};
use candle_core::{DType, Tensor};

use crate::nn::candle::{Heads, Loader, Model as CandleModel, Place, TrainedVariable};
use crate::nn::desc::{InputVersion, Net};
use crate::nn::features::{InputBatch, seed_planes};

use super::engine::{Engine, in_turns};
use super::heads::{EXTRA_POLICIES, Prediction};
use super::losses::Losses;
use super::model::Model;
use super::objective::Objective;
use super::outputs::{self, Outputs};
use super::register::{Parameter, add_gradients, times_factors};
use crate::data::batch::Batch;

/// Models that compute at the same time on a GPU.
const STREAMS: usize = 4;

/// Candle models with variables as weights. A GPU has several, which take turns with the batches of
/// a step: while the CPU computes the losses of one, the GPU computes another.
pub struct Tensors {
    /// The structure; its weights are not used.
    net: Net,
    parameters: Vec<Parameter>,
    /// Each model has its own stream.
    places: Vec<Place>,
    /// Values of the net's tensors: parameters times their factors.
    values: Vec<f32>,
}

/// A model and its variables.
struct Loaded {
    variables: Vec<TrainedVariable>,
    model: CandleModel,
    /// Weights of the auxiliary policies, which are not in the net's file.
    extra_points: Tensor,
    extra_passes: Tensor,
}

impl Tensors {
    /// Parameters are loaded later.
    pub fn new(model: &Model, place: &Place) -> Result<Tensors> {
        ensure!(
            model.has_all_outputs(),
            "networks with fully connected heads are trained with --device cpu only"
        );
        let mut places = vec![place.clone()];
        while place.device.is_cuda() && places.len() < STREAMS {
            places.push(place.with_own_stream()?);
        }
        Ok(Tensors {
            net: model.net(),
            parameters: model.parameters().to_vec(),
            places,
            values: Vec::new(),
        })
    }

    fn load_at(&self, place: &Place) -> Result<Loaded> {
        let ranges = self.parameters.iter();
        let ranges = ranges.map(|own| (own.name.clone(), own.place.clone()));
        let loader = Loader::trained(place, &self.values, ranges.collect())?;
        let head = loader.at("policy_head").exact();
        let extra = |name: &str| {
            let name = format!("{name}.weight");
            let full = format!("policy_head.{name}");
            let own = self.parameters.iter().find(|own| own.name == full);
            let own = own.with_context(|| format!("{full} is not trained"))?;
            let shape = (own.place.len() / EXTRA_POLICIES, EXTRA_POLICIES);
            head.tensor(&name, &[], shape)
        };
        let loaded = Loaded {
            model: CandleModel::load(&self.net, &loader)?,
            extra_points: extra("extra_conv_out")?,
            extra_passes: extra("extra_pass")?,
            variables: loader.variables(),
        };
        let ranges = loaded.variables.iter().flat_map(|own| &own.ranges);
        let used: usize = ranges.map(Range::len).sum();
        ensure!(used == self.values.len(), "a parameter is not used");
        Ok(loaded)
    }

    /// Inputs in the net's version.
    fn inputs<'a>(&self, batch: &'a Batch) -> Cow<'a, InputBatch> {
        let inputs = &batch.inputs;
        match self.net.input_version() {
            InputVersion::Seed => Cow::Owned(InputBatch {
                spatial: seed_planes(batch.size.area(), &inputs.spatial, &inputs.global),
                global: Vec::new(),
                ..inputs.clone()
            }),
            _ => Cow::Borrowed(inputs),
        }
    }
}

impl Engine for Tensors {
    fn load(&mut self, parameters: &[f32]) -> Result<()> {
        self.values = parameters.to_vec();
        times_factors(&self.parameters, &mut self.values);
        Ok(())
    }

    fn run(
        &mut self,
        batches: &[Batch],
        objective: &Objective,
        gradient: Option<&mut [f32]>,
    ) -> Result<Losses> {
        let samples: usize = batches.iter().map(Batch::len).sum();
        let (scale, learns) = (1.0 / samples as f64, gradient.is_some());
        ensure!(!self.values.is_empty(), "no parameters are loaded");
        let work = |place: &Place, batches: &[&Batch]| {
            let model = self.load_at(place)?;
            let (mut losses, mut sum) = (Losses::default(), None::<Tensor>);
            for batch in batches {
                let outputs = model.outputs(&self.inputs(batch))?;
                let values = downloaded(&outputs)?;
                let values = std::array::from_fn(|index| &values[index][..]);
                let mut predictions = outputs::predictions(&values, batch.len());
                losses += outputs::differentiate(objective, &mut predictions, batch, scale);
                if learns {
                    let found = model.gradient(&outputs, &predictions)?;
                    sum = Some(sum.map_or(Ok(found.clone()), |sum| sum + found)?);
                }
            }
            let sum = sum.map(|sum| model.of_parameters(&sum)).transpose()?;
            Ok((losses, sum))
        };
        let (losses, gradients) = in_turns(self.places.iter().collect(), batches, work)?;
        if let Some(gradient) = gradient {
            add_gradients(&self.parameters, gradient, &gradients, 1.0);
        }
        Ok(losses)
    }
}

impl Loaded {
    fn outputs(&self, inputs: &InputBatch) -> Result<Outputs<Tensor>> {
        let heads = self.model.heads(inputs)?;
        let extra_points = heads.policies.cells.matmul(&self.extra_points)?;
        let extra_points = heads.points(&extra_points)?;
        let extra_passes = heads.policies.values.matmul(&self.extra_passes)?;
        let Heads {
            policies, values, ..
        } = heads;
        Ok([
            policies.points,
            extra_points,
            policies.passes,
            extra_passes,
            values.value,
            values.score,
            values.ownership,
        ])
    }

    /// The gradients of all variables one after another, given that of the predictions.
    fn gradient(&self, outputs: &Outputs<Tensor>, of_predictions: &[Prediction]) -> Result<Tensor> {
        // Candle differentiates scalars; the gradient of this one is the required vector-Jacobian
        // product.
        let mut products = Vec::new();
        for (output, direction) in outputs.iter().zip(outputs::flattened(of_predictions)) {
            let direction = Tensor::from_vec(direction, output.shape(), output.device())?;
            products.push((output * direction)?.sum_all()?);
        }
        let gradients = Tensor::stack(&products, 0)?.sum_all()?.backward()?;
        let of_variable = |own: &TrainedVariable| {
            let found = gradients.get(&own.variable);
            let found = found.context("a parameter is not used")?;
            anyhow::Ok(found.flatten_all()?.to_dtype(DType::F32)?)
        };
        let found = self.variables.iter().map(of_variable);
        let found = found.collect::<Result<Vec<_>>>()?;
        Ok(Tensor::cat(&found, 0)?)
    }

    /// The gradients of all variables in the order of the parameters.
    fn of_parameters(&self, of_variables: &Tensor) -> Result<Vec<f32>> {
        let of_variables = of_variables.to_vec1::<f32>()?;
        let mut ordered = vec![0.0; of_variables.len()];
        let mut rest = &of_variables[..];
        for range in self.variables.iter().flat_map(|own| &own.ranges) {
            let (values, others) = rest.split_at(range.len());
            ordered[range.clone()].copy_from_slice(values);
            rest = others;
        }
        Ok(ordered)
    }
}

/// The values of tensors.
fn downloaded(outputs: &Outputs<Tensor>) -> Result<Outputs<Vec<f32>>> {
    let mut values = Outputs::default();
    for (to, output) in values.iter_mut().zip(outputs) {
        *to = output.flatten_all()?.to_vec1()?;
    }
    Ok(values)
}

impl fmt::Debug for Tensors {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut named = f.debug_struct("Tensors");
        named
            .field("place", &self.places[0])
            .finish_non_exhaustive()
    }
}
