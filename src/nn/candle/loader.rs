//! Loading of weights: the net's own, or variables of a net in training.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Result;
use candle_core::{Shape, Tensor};

use super::place::Place;

/// Loads the weights of a part of a net to a place.
#[derive(Clone, Debug)]
pub struct Loader {
    place: Place,
    /// Name of the part, see [`super::super::desc::Tensor`].
    name: String,
    /// Variables by the name of the net's tensor.
    trained: Arc<HashMap<String, Tensor>>,
}

impl Loader {
    /// All weights are the net's.
    pub fn new(place: &Place) -> Loader {
        Loader::trained(place, HashMap::new())
    }

    /// Uses variables in place of the net's tensors of the same name; results depend on them
    /// differentiably. For norms with mean 0 that divide by 1, these are `scale` and `bias`.
    pub fn trained(place: &Place, tensors: HashMap<String, Tensor>) -> Loader {
        Loader {
            place: place.clone(),
            name: String::new(),
            trained: Arc::new(tensors),
        }
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

    /// A tensor of this part in the format of the place: the variable if there is one, else
    /// `values`.
    pub fn tensor(&self, name: &str, values: &[f32], shape: impl Into<Shape>) -> Result<Tensor> {
        match self.trained_tensor(name) {
            Some(tensor) => Ok(tensor.reshape(shape.into())?.to_dtype(self.place.dtype)?),
            None => self.place.tensor(values, shape),
        }
    }

    /// The variable of this part, if there is one, in its own format.
    pub fn trained_tensor(&self, name: &str) -> Option<&Tensor> {
        self.trained.get(&self.name_of(name))
    }

    fn name_of(&self, part: &str) -> String {
        match &self.name[..] {
            "" => part.to_owned(),
            name => format!("{name}.{part}"),
        }
    }
}
