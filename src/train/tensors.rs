//! Training with candle, on GPUs.
//!
//! The forward pass is the model for play, [`crate::nn::candle`], with variables as weights; candle
//! computes the backward pass. Losses are computed on the CPU for all engines
//! ([`super::objective`]), which costs little: a few numbers per point are transferred.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use anyhow::{Context, Result, ensure};
use candle_core::{Tensor, Var};
use rayon::prelude::*;

use crate::nn::candle::{Heads, Loader, Model as CandleModel, Place};
use crate::nn::desc::{InputVersion, Net};
use crate::nn::features::{InputBatch, seed_planes};
use crate::threads::for_each;

use super::engine::{Engine, slices};
use super::heads::{EXTRA_POLICIES, Prediction};
use super::layers::add;
use super::losses::Losses;
use super::model::Model;
use super::objective::Objective;
use super::register::Parameter;
use crate::data::batch::Batch;

/// Models that compute at the same time on a GPU.
const STREAMS: usize = 4;
/// About this many cells of boards per task of the losses: eight 19x19 boards.
const SLICE_CELLS: usize = 3200;

/// Candle models with variables as weights. A GPU has several, which take turns with the batches of
/// a step: while the CPU computes the losses of one, the GPU computes another.
pub struct Tensors {
    /// The structure; its weights are not used.
    net: Net,
    parameters: Vec<Parameter>,
    /// Each model has its own stream.
    places: Vec<Place>,
    /// The models, once parameters are loaded.
    loaded: Vec<Loaded>,
}

/// A model and its variables.
struct Loaded {
    /// One f32 variable for each parameter tensor.
    variables: Vec<Var>,
    model: CandleModel,
    /// Weights of the auxiliary policies, which are not in the net's file.
    extra_points: Tensor,
    extra_passes: Tensor,
}

/// Outputs of the heads, each `[board][value]`: policies of the points and of the pass, in the file
/// and auxiliary; value, score and ownership.
type Outputs<T> = [T; 7];

impl Tensors {
    /// Parameters are loaded later.
    pub fn new(model: &Model, place: &Place) -> Result<Tensors> {
        let mut places = vec![place.clone()];
        while place.device.is_cuda() && places.len() < STREAMS {
            places.push(place.with_own_stream()?);
        }
        Ok(Tensors {
            net: model.net(),
            parameters: model.parameters().to_vec(),
            places,
            loaded: Vec::new(),
        })
    }

    fn load_at(&self, place: &Place, parameters: &[f32]) -> Result<Loaded> {
        let variable = |parameter: &Parameter| {
            let values = &parameters[parameter.place.clone()];
            let values = Tensor::from_slice(values, &parameter.shape[..], &place.device)?;
            Var::from_tensor(&values)
        };
        let variables = self.parameters.iter().map(variable);
        let variables = variables.collect::<candle_core::Result<Vec<_>>>()?;
        let weights = self.parameters.iter().zip(&variables).map(|(own, values)| {
            let weights = values.affine(own.factor, 0.0)?;
            Ok((own.name.clone(), weights))
        });
        let weights: HashMap<_, _> = weights.collect::<candle_core::Result<_>>()?;
        let loader = Loader::trained(place, weights);
        let head = loader.at("policy_head").exact();
        let extra = |name: &str| {
            let weights = head.trained_tensor(&format!("{name}.weight"));
            let weights = weights.with_context(|| format!("{name} is not trained"))?;
            anyhow::Ok(weights.reshape(((), EXTRA_POLICIES))?)
        };
        Ok(Loaded {
            model: CandleModel::load(&self.net, &loader)?,
            extra_points: extra("extra_conv_out")?,
            extra_passes: extra("extra_pass")?,
            variables,
        })
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
        let load = |place: &Place| self.load_at(place, parameters);
        let loaded = for_each(self.places.iter().collect(), "training", load);
        self.loaded = loaded.into_iter().collect::<Result<_>>()?;
        Ok(())
    }

    fn run(
        &mut self,
        batches: &[Batch],
        objective: &Objective,
        mut gradient: Option<&mut [f32]>,
    ) -> Result<Losses> {
        let samples: usize = batches.iter().map(Batch::len).sum();
        let (scale, learns) = (1.0 / samples as f64, gradient.is_some());
        let batches: Vec<&Batch> = batches.iter().filter(|batch| !batch.is_empty()).collect();
        let models = self.loaded.len();
        ensure!(models > 0, "no parameters are loaded");
        let work = |(number, model): (usize, &Loaded)| {
            let own = batches.iter().skip(number).step_by(models);
            let (mut losses, mut sum) = (Losses::default(), None::<Tensor>);
            for batch in own {
                let outputs = model.outputs(&self.inputs(batch))?;
                let mut predictions = predictions(&outputs)?;
                losses += differentiate(objective, &mut predictions, batch, scale);
                if learns {
                    let found = model.gradient(&outputs, &predictions)?;
                    sum = Some(sum.map_or(Ok(found.clone()), |sum| sum + found)?);
                }
            }
            let sum = sum.map(|sum| sum.to_vec1::<f32>()).transpose()?;
            anyhow::Ok((losses, sum))
        };
        let mut losses = Losses::default();
        let numbered = self.loaded.iter().enumerate().collect();
        for result in for_each(numbered, "training", work) {
            let (own, sum) = result?;
            losses += own;
            if let (Some(gradient), Some(sum)) = (&mut gradient, sum) {
                add(gradient, &sum);
            }
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

    /// The gradient of all parameters in order, given that of the predictions.
    fn gradient(&self, outputs: &Outputs<Tensor>, of_predictions: &[Prediction]) -> Result<Tensor> {
        // Candle differentiates scalars; the gradient of this one is the required vector-Jacobian
        // product.
        let mut products = Vec::new();
        for (output, direction) in outputs.iter().zip(flattened(of_predictions)) {
            let direction = Tensor::from_vec(direction, output.shape(), output.device())?;
            products.push((output * direction)?.sum_all()?);
        }
        let gradients = Tensor::stack(&products, 0)?.sum_all()?.backward()?;
        let of_variable = |variable: &Var| {
            let found = gradients.get(variable).context("a parameter is not used")?;
            anyhow::Ok(found.flatten_all()?)
        };
        let found = self.variables.iter().map(of_variable);
        let found = found.collect::<Result<Vec<_>>>()?;
        Ok(Tensor::cat(&found, 0)?)
    }
}

/// One prediction for each board.
fn predictions(outputs: &Outputs<Tensor>) -> Result<Vec<Prediction>> {
    let rows = |output: &Tensor| output.to_vec2::<f32>();
    let [
        points,
        extra_points,
        passes,
        extra_passes,
        value,
        score,
        ownership,
    ] = outputs;
    let (points, extra_points) = (rows(points)?, rows(extra_points)?);
    let (passes, extra_passes) = (rows(passes)?, rows(extra_passes)?);
    let (value, score, ownership) = (rows(value)?, rows(score)?, rows(ownership)?);
    let wide = |values: &[f32]| values.iter().map(|v| f64::from(*v)).collect::<Vec<_>>();
    let prediction = |board: usize| {
        let area = ownership[board].len();
        let of_points = points[board].chunks_exact(area);
        let of_points = of_points.chain(extra_points[board].chunks_exact(area));
        let of_passes = passes[board].iter().chain(&extra_passes[board]);
        let join = |(points, pass): (&[f32], &f32)| {
            let mut moves = wide(points);
            moves.push(f64::from(*pass));
            moves
        };
        Prediction {
            policy: of_points.zip(of_passes).map(join).collect(),
            value: wide(&value[board]),
            score: wide(&score[board]),
            ownership: wide(&ownership[board]),
        }
    };
    Ok((0..value.len()).into_par_iter().map(prediction).collect())
}

/// The inverse of [`predictions`].
fn flattened(predictions: &[Prediction]) -> Outputs<Vec<f32>> {
    let mut outputs = Outputs::default();
    let [
        points,
        extra_points,
        passes,
        extra_passes,
        value,
        score,
        ownership,
    ] = &mut outputs;
    let narrow = |to: &mut Vec<f32>, values: &[f64]| to.extend(values.iter().map(|v| *v as f32));
    for prediction in predictions {
        let (of_file, extra) = prediction
            .policy
            .split_at(prediction.policy.len() - EXTRA_POLICIES);
        for (policies, points, passes) in [
            (of_file, &mut *points, &mut *passes),
            (extra, &mut *extra_points, &mut *extra_passes),
        ] {
            for moves in policies {
                let (on_board, pass) = moves.split_at(moves.len() - 1);
                narrow(points, on_board);
                narrow(passes, pass);
            }
        }
        narrow(value, &prediction.value);
        narrow(score, &prediction.score);
        narrow(ownership, &prediction.ownership);
    }
    outputs
}

/// See [`Objective::differentiate`]; the predictions are those of a whole batch.
fn differentiate(
    objective: &Objective,
    predictions: &mut [Prediction],
    batch: &Batch,
    scale: f64,
) -> Losses {
    let mut rest = predictions;
    let mut tasks = Vec::new();
    for samples in slices(batch, SLICE_CELLS) {
        let (own, others) = rest.split_at_mut(samples.len());
        tasks.push((own, samples));
        rest = others;
    }
    let of_task = |(own, samples)| objective.differentiate(own, &batch.targets, samples, scale);
    let of_tasks: Vec<Losses> = tasks.into_par_iter().map(of_task).collect();
    let mut losses = Losses::default();
    of_tasks.into_iter().for_each(|own| losses += own);
    losses
}

impl fmt::Debug for Tensors {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut named = f.debug_struct("Tensors");
        named
            .field("place", &self.places[0])
            .finish_non_exhaustive()
    }
}
