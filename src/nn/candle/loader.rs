//! Loading of weights: the net's own, or variables of a net in training.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use anyhow::{Result, ensure};
use candle_core::{DType, Shape, Tensor, Var};

use super::place::Place;

use crate::threads::locked;

/// Loads the weights of a part of a net to a place.
#[derive(Clone, Debug)]
pub struct Loader {
    place: Place,
    /// Name of the part, see [`super::super::desc::Tensor`].
    name: String,
    trained: Option<Arc<Trained>>,
}

/// The parameters of a net in training, and the variables that a model has made of them. A variable
/// is a weight as the model uses it, in its format, so that nothing is computed between the two,
/// neither forwards nor backwards.
#[derive(Debug)]
struct Trained {
    /// Range of each of the net's tensors.
    ranges: HashMap<String, Range<usize>>,
    /// All parameters in f32, and in the place's format.
    parameters: [Tensor; 2],
    variables: Mutex<Vec<TrainedVariable>>,
}

/// A variable of a model in training.
#[derive(Clone, Debug)]
pub struct TrainedVariable {
    /// The weight.
    pub variable: Var,
    /// Ranges of its parameters, one after another.
    pub ranges: Vec<Range<usize>>,
}

impl Loader {
    /// All weights are the net's.
    pub fn new(place: &Place) -> Loader {
        Loader {
            place: place.clone(),
            name: String::new(),
            trained: None,
        }
    }

    /// Uses parameters in place of the net's tensors that have a range there. For norms with mean 0
    /// that divide by 1, these are `scale` and `bias`.
    pub fn trained(
        place: &Place,
        parameters: &[f32],
        ranges: HashMap<String, Range<usize>>,
    ) -> Result<Loader> {
        let exact = Tensor::from_slice(parameters, parameters.len(), &place.device)?;
        let rounded = exact.to_dtype(place.dtype)?;
        let trained = Trained {
            ranges,
            parameters: [exact, rounded],
            variables: Mutex::default(),
        };
        Ok(Loader {
            trained: Some(Arc::new(trained)),
            ..Loader::new(place)
        })
    }

    /// The place.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// For a sub-part.
    pub fn at(&self, part: &str) -> Loader {
        Loader {
            name: self.name_of(part),
            ..self.clone()
        }
    }

    /// The same with weights in f32.
    pub fn exact(&self) -> Loader {
        Loader {
            place: self.place.exact(),
            ..self.clone()
        }
    }

    /// A tensor of this part in the format of the place: a variable if it is trained, else
    /// `values`.
    pub fn tensor(&self, name: &str, values: &[f32], shape: impl Into<Shape>) -> Result<Tensor> {
        self.joined(&[name], values, shape)
    }

    /// The same for several tensors of this part, one after another.
    pub fn joined(
        &self,
        names: &[&str],
        values: &[f32],
        shape: impl Into<Shape>,
    ) -> Result<Tensor> {
        let shape = shape.into();
        match self.variable(names, &shape)? {
            Some(variable) => Ok(variable),
            None => self.place.tensor(values, shape),
        }
    }

    /// A new variable of these tensors, if they are trained.
    fn variable(&self, names: &[&str], shape: &Shape) -> Result<Option<Tensor>> {
        let Some(trained) = &self.trained else {
            return Ok(None);
        };
        let range = |name: &&str| trained.ranges.get(&self.name_of(name)).cloned();
        let ranges: Vec<_> = names.iter().filter_map(range).collect();
        if ranges.is_empty() {
            return Ok(None);
        }
        ensure!(
            ranges.len() == names.len(),
            "{}: only some of {names:?} are trained",
            self.name
        );
        let is_exact = self.place.dtype == DType::F32;
        let parameters = &trained.parameters[usize::from(!is_exact)];
        let part = |range: &Range<usize>| parameters.narrow(0, range.start, range.len());
        let parts = ranges.iter().map(part);
        let parts = parts.collect::<candle_core::Result<Vec<_>>>()?;
        let variable = Var::from_tensor(&Tensor::cat(&parts, 0)?.reshape(shape)?)?;
        let weight = variable.as_tensor().clone();
        locked(&trained.variables).push(TrainedVariable { variable, ranges });
        Ok(Some(weight))
    }

    /// The variables so far, in order of their creation.
    pub fn variables(&self) -> Vec<TrainedVariable> {
        let variables = self.trained.as_ref().map(|trained| &trained.variables);
        let variables = variables.map(|all| locked(all));
        variables.map_or_else(Vec::new, |all| all.clone())
    }

    fn name_of(&self, part: &str) -> String {
        match &self.name[..] {
            "" => part.to_owned(),
            name => format!("{name}.{part}"),
        }
    }
}
