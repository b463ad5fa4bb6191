//! Inputs of a plan.

use super::builder::Builder;
use super::{Extent, Plan, ValueId};
use crate::nn::desc::InputVersion;
use crate::nn::features::InputBatch;
use crate::nn::input_shape::InputShape;

/// What a network reads.
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    /// How many values.
    pub shape: InputShape,
    /// A plane that is 1 at all points.
    pub ones: Option<usize>,
    /// Values of boards.
    pub globals: Option<ValueId>,
    /// About the players.
    pub metadata: Option<ValueId>,
}

impl Builder {
    /// The inputs of a network of this version and shape. Where the inputs have a plane that is 1 at all points,
    /// it is the first.
    pub fn inputs(&mut self, version: InputVersion, shape: InputShape) -> Inputs {
        let mut of_boards =
            |name, count| (count > 0).then(|| self.value(name, Extent::Boards, count));
        let globals = of_boards("globals", shape.globals);
        let metadata = of_boards("metadata", shape.metadata);
        Inputs {
            shape,
            ones: match version {
                InputVersion::LeelaZero | InputVersion::Hu => None,
                _ => Some(0),
            },
            globals,
            metadata,
        }
    }
}

impl Plan {
    /// Values of boards that come from outside, with their numbers for all boards.
    pub fn board_inputs<'a>(
        &self,
        batch: &'a InputBatch,
    ) -> impl Iterator<Item = (ValueId, &'a [f32])> {
        let all = [
            (self.inputs.globals, &batch.global[..]),
            (self.inputs.metadata, &batch.metadata[..]),
        ];
        all.into_iter()
            .filter_map(|(id, values)| Some((id?, values)))
    }
}
