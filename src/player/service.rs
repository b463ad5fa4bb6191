//! Where a player's evaluations come from, as far as the protocol can ask about it and change it:
//! judgements, the network, parameters.

use std::path::Path;

use anyhow::{Result, bail};

use super::judge::Judge;
use crate::go::{BoardSize, Color};
use crate::params::{ParamEntry, ParamError};

/// What stands behind a player. By default it has no network and nothing to set.
pub trait EvaluationService: Send {
    /// Who judges positions.
    fn judge(&self) -> &Judge;

    /// Whether a search with its evaluator tells ownership better than its judge does.
    fn is_for_ownership(&self) -> bool {
        false
    }

    /// Multiply-adds of an evaluation on a board; None where nobody knows.
    fn multiply_adds(&self, size: BoardSize) -> Option<u64> {
        let _ = size;
        None
    }

    /// A search is about to begin on a board of this size, at a position in which this color is to
    /// move.
    fn begin(&mut self, mover: Color, size: BoardSize) -> Result<()> {
        let _ = (mover, size);
        Ok(())
    }

    /// As [`EvaluationService::begin`], for a judgement: with no advantage of either side and the same
    /// symmetries in every run of the program, until the next beginning. Whether that makes a difference.
    fn begin_without_advantage(&mut self, mover: Color, size: BoardSize) -> Result<bool> {
        self.begin(mover, size)?;
        Ok(false)
    }

    /// Forgets evaluations.
    fn clear_cache(&mut self) {}

    /// Exchanges the network for that of a file, which must do for boards of this size; the new
    /// one's name. After an error everything is as before.
    fn load_model(&mut self, file: &Path, size: BoardSize) -> Result<String> {
        let _ = (file, size);
        bail!("the player has no network")
    }

    /// What can be set, with present values.
    fn parameters(&self) -> Vec<ParamEntry> {
        Vec::new()
    }

    /// Sets a parameter by name. After an error everything is as before.
    fn set_parameter(&mut self, name: &str, text: &str) -> Result<()> {
        let _ = text;
        Err(ParamError::Unknown(name.to_owned()).into())
    }
}

impl EvaluationService for Judge {
    fn judge(&self) -> &Judge {
        self
    }
}
