//! How many values a network reads, and of which boards.

use anyhow::{Result, ensure};

use super::desc::Net;
use super::desc::leela::{PLANES, SIDE};
use super::features::InputBatch;
use super::metadata::VALUES;
use crate::go::BoardSize;

/// How many values a network reads, and of which boards.
#[derive(Clone, Copy, Debug)]
pub struct InputShape {
    /// Planes: values of each point.
    pub planes: usize,
    /// Values of each board.
    pub globals: usize,
    /// Values about the players, see [`super::metadata`].
    pub metadata: usize,
    /// The only boards that the network is for, if it is not for all.
    pub only_size: Option<BoardSize>,
}

impl InputShape {
    /// A network's.
    pub fn of(net: &Net) -> InputShape {
        let (planes, globals) = net.input_version().channels();
        InputShape {
            planes,
            globals,
            metadata: if net.wants_metadata() { VALUES } else { 0 },
            only_size: net.only_size(),
        }
    }

    /// That of Leela Zero's networks.
    pub fn of_leela() -> InputShape {
        InputShape {
            planes: PLANES,
            globals: 0,
            metadata: 0,
            only_size: Some(BoardSize::square(SIDE)),
        }
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
        let of_points = batch.size.area() * self.planes;
        let boards = batch.spatial.len() / of_points;
        let lengths = [
            ("spatial", batch.spatial.len(), of_points),
            ("global", batch.global.len(), self.globals),
            ("human-profile", batch.metadata.len(), self.metadata),
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
