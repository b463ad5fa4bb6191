//! The evaluations of chess, by name.

use anyhow::{Result, bail};
use serde_json::Value;

use super::evaluate::Evaluation;
use super::position::ChessPosition;
use super::thesis::Thesis;
use crate::games::weighted::{Features, WeightGroup, Weighted};
use crate::minimax::{Score, StaticEval};

/// One of the evaluations.
#[derive(Clone, Debug)]
pub enum AnyEvaluation {
    /// The engine's own.
    Standard(Box<Evaluation>),
    /// That of the thesis.
    Thesis(Box<Thesis>),
}

impl AnyEvaluation {
    /// The evaluation of this name with built-in weights.
    pub fn named(name: Option<&str>) -> Result<AnyEvaluation> {
        match name {
            None | Some("standard") => Ok(AnyEvaluation::default()),
            Some("thesis") => Ok(AnyEvaluation::Thesis(Box::default())),
            Some(other) => bail!("chess has no evaluation '{other}': there are standard, thesis"),
        }
    }
}

impl Default for AnyEvaluation {
    fn default() -> AnyEvaluation {
        AnyEvaluation::Standard(Box::default())
    }
}

impl StaticEval<ChessPosition> for AnyEvaluation {
    fn evaluate(&self, position: &ChessPosition) -> Score {
        match self {
            AnyEvaluation::Standard(it) => it.evaluate(position),
            AnyEvaluation::Thesis(it) => it.evaluate(position),
        }
    }
}

impl Weighted<ChessPosition> for AnyEvaluation {
    fn groups(&self) -> Vec<WeightGroup> {
        match self {
            AnyEvaluation::Standard(it) => it.groups(),
            AnyEvaluation::Thesis(it) => it.groups(),
        }
    }

    fn weights(&self) -> Vec<i32> {
        match self {
            AnyEvaluation::Standard(it) => Weighted::weights(&**it),
            AnyEvaluation::Thesis(it) => it.weights(),
        }
    }

    fn with_weights(&self, weights: &[i32]) -> AnyEvaluation {
        match self {
            AnyEvaluation::Standard(it) => {
                AnyEvaluation::Standard(Box::new(it.with_weights(weights)))
            }
            AnyEvaluation::Thesis(it) => AnyEvaluation::Thesis(Box::new(it.with_weights(weights))),
        }
    }

    fn to_json(&self) -> String {
        match self {
            AnyEvaluation::Standard(it) => it.to_json(),
            AnyEvaluation::Thesis(it) => it.to_json(),
        }
    }

    /// The names tell which evaluation the weights are of.
    fn from_json(text: &str) -> Result<AnyEvaluation> {
        let object: Option<Value> = serde_json::from_str(text).ok();
        let mut names = object.iter().filter_map(Value::as_object).flatten();
        Ok(match names.any(|(name, _)| Thesis::knows(name)) {
            true => AnyEvaluation::Thesis(Box::new(Thesis::from_json(text)?)),
            false => AnyEvaluation::Standard(Box::new(Evaluation::from_json(text)?)),
        })
    }

    fn features(&self, position: &ChessPosition) -> Features {
        match self {
            AnyEvaluation::Standard(it) => it.features(position),
            AnyEvaluation::Thesis(it) => it.features(position),
        }
    }
}
