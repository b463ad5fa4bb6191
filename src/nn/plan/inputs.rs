//! Inputs of a plan.

use anyhow::{Result, ensure};

use super::builder::Builder;
use super::{Extent, Plan, ValueId};
use crate::nn::desc::InputVersion;
use crate::nn::features::InputBatch;
use crate::nn::metadata::VALUES;

/// What a network reads.
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    /// Number of planes.
    pub planes: usize,
    /// A plane that is 1 at all points.
    pub ones: Option<usize>,
    /// Values of boards.
    pub globals: Option<ValueId>,
    /// About the players.
    pub metadata: Option<ValueId>,
}

impl Builder {
    /// The inputs of a network of this version. Where the inputs have a plane that is 1 at all points, it is the
    /// first.
    pub fn inputs(&mut self, version: InputVersion, has_metadata: bool) -> Inputs {
        let (planes, globals) = version.channels();
        let globals = (globals > 0).then(|| self.value("globals", Extent::Boards, globals));
        let metadata = has_metadata.then(|| self.value("metadata", Extent::Boards, VALUES));
        Inputs {
            planes,
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

    /// The number of boards of a batch. Refuses inputs of another network, and boards that this one is
    /// not for.
    pub fn boards(&self, batch: &InputBatch) -> Result<usize> {
        if let Some(size) = self.only_size {
            ensure!(
                batch.size == size,
                "this network plays on {size} only, not on {}",
                batch.size
            );
        }
        let of_board = batch.size.area() * self.inputs.planes;
        let boards = batch.spatial.len() / of_board;
        let channels = |id: Option<ValueId>| id.map_or(0, |id| self.value(id).channels);
        let lengths = [
            ("spatial", batch.spatial.len(), of_board),
            ("global", batch.global.len(), channels(self.inputs.globals)),
            (
                "human-profile",
                batch.metadata.len(),
                channels(self.inputs.metadata),
            ),
        ];
        for (name, len, of_board) in lengths {
            ensure!(
                len == boards * of_board,
                "{name} inputs of the wrong length: {len} values for {boards} boards, not {of_board} for each"
            );
        }
        Ok(boards)
    }
}
