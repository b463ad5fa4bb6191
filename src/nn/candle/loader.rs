//! Where a model's weights come from: the net's own, or those of a net in training.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Result;
use candle_core::{Shape, Tensor};

use super::place::Place;

/// Brings the weights of a part of a net to a place.
#[derive(Clone, Debug)]
pub struct Loader {
    place: Place,
    /// Of the part, see [`super::super::desc::Tensor`].
    name: String,
    /// By the name of the net's tensor.
    trained: Arc<HashMap<String, Tensor>>,
}

impl Loader {
    /// All weights are the net's.
    pub fn new(place: &Place) -> Loader {
        Loader::trained(place, HashMap::new())
    }

    /// Tensors that stand for those of the net of the same name, whatever they were made from;
    /// results depend on them in such a way that candle finds the way back. Of a norm these are
    /// `scale` and `bias` as they are if it has no mean and divides by 1.
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

    /// For a part of this part.
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

    /// A tensor of this part in the format of the place: `values` unless it is trained.
    pub fn tensor(&self, name: &str, values: &[f32], shape: impl Into<Shape>) -> Result<Tensor> {
        match self.trained_tensor(name) {
            Some(tensor) => Ok(tensor.reshape(shape.into())?.to_dtype(self.place.dtype)?),
            None => self.place.tensor(values, shape),
        }
    }

    /// A tensor of this part if it is trained, in its own format.
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
