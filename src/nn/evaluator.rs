//! A net as a search's evaluator: features, forward pass, figures.

use anyhow::{Result, ensure};
use candle_core::Device;
use rayon::prelude::*;

use crate::go::{Position, Symmetry};
use crate::search::evaluator::{Evaluation, Evaluator, Request};

use super::candle::Model;
use super::desc::{InputVersion, Net};
use super::features::{self, FeatureSettings, GLOBALS, InputBatch, PLANES};
use super::output::{NetOutput, OutputFormat, PolicySettings};
use super::symmetrized::PointMap;

/// How boards are turned before the net sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymmetryChoice {
    /// Always the same way.
    Fixed(Symmetry),
    /// A way that depends on the position alone; `seed` makes runs differ.
    ByPosition {
        /// Any number.
        seed: u64,
    },
    /// All eight ways, averaged: eight times the work.
    Average,
}

/// What is told to the net and how its answers are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetSettings {
    /// What the net is told. `conservative_pass` is meant for the root and ignored elsewhere.
    pub features: FeatureSettings,
    /// How the policy is read at the root.
    pub root_policy: PolicySettings,
    /// How the policy is read elsewhere.
    pub policy: PolicySettings,
    /// How boards are turned.
    pub symmetry: SymmetryChoice,
}

impl NetSettings {
    /// What KataGo uses for `kata-raw-nn` with a given symmetry.
    pub fn raw(symmetry: Symmetry) -> NetSettings {
        let policy = PolicySettings {
            optimism: 0.2,
            ..PolicySettings::default()
        };
        NetSettings {
            features: FeatureSettings::default(),
            root_policy: policy,
            policy,
            symmetry: SymmetryChoice::Fixed(symmetry),
        }
    }
}

impl Default for NetSettings {
    /// What KataGo uses for playing.
    fn default() -> NetSettings {
        let features = FeatureSettings {
            conservative_pass: true,
            hide_losing_pass: true,
            ..FeatureSettings::default()
        };
        let policy = |optimism| PolicySettings {
            optimism,
            temperature: 1.0,
            bound_pass: true,
        };
        NetSettings {
            features,
            root_policy: policy(0.2),
            policy: policy(1.0),
            symmetry: SymmetryChoice::ByPosition { seed: 0 },
        }
    }
}

/// Evaluates positions of any size; nets of 19x19 boards answer on larger ones too, but have never
/// seen such.
pub struct NetEvaluator {
    model: Model,
    format: OutputFormat,
    /// How the net was trained to see pass-alive stones.
    pass_alive_under_suicide: bool,
    settings: NetSettings,
}

impl NetEvaluator {
    /// Makes the net ready on a device.
    pub fn new(net: &Net, device: &Device, settings: NetSettings) -> Result<NetEvaluator> {
        ensure!(
            net.input_version() == InputVersion::V7,
            "model version {} is older than 8: its inputs are not supported yet",
            net.version
        );
        let model = Model::new(net, device)?;
        Ok(NetEvaluator {
            model,
            format: OutputFormat::of(net),
            pass_alive_under_suicide: net.pass_alive_under_suicide,
            settings,
        })
    }

    /// All the net says of a position, seen by the player to move.
    pub fn output(&self, position: &Position, is_root: bool) -> Result<NetOutput> {
        self.output_with(&self.settings, position, is_root)
    }

    /// The same with other settings than the evaluator's own.
    pub fn output_with(
        &self,
        settings: &NetSettings,
        position: &Position,
        is_root: bool,
    ) -> Result<NetOutput> {
        let turned = |symmetry: Symmetry| self.turned_output(settings, position, is_root, symmetry);
        match settings.symmetry {
            SymmetryChoice::Fixed(symmetry) => turned(symmetry),
            SymmetryChoice::ByPosition { seed } => turned(symmetry_of(position, seed)),
            SymmetryChoice::Average => {
                let outputs = Symmetry::all().map(turned).collect::<Result<Vec<_>>>()?;
                Ok(NetOutput::average(&outputs).expect("there are eight symmetries"))
            }
        }
    }

    fn turned_output(
        &self,
        settings: &NetSettings,
        position: &Position,
        is_root: bool,
        symmetry: Symmetry,
    ) -> Result<NetOutput> {
        let map = PointMap::new(symmetry, position.size());
        let inputs = self.inputs(&settings.features, position, is_root, &map);
        let mut raw = self
            .model
            .forward(&inputs)?
            .pop()
            .expect("one answer per position");
        ensure!(raw.is_finite(), "the net's output is not finite");
        map.restore(&mut raw);
        let policy = if is_root {
            settings.root_policy
        } else {
            settings.policy
        };
        Ok(self.format.read(&raw, position, policy))
    }

    fn inputs(
        &self,
        settings: &FeatureSettings,
        position: &Position,
        is_root: bool,
        map: &PointMap,
    ) -> InputBatch {
        let settings = FeatureSettings {
            conservative_pass: settings.conservative_pass && is_root,
            pass_alive_under_suicide: self.pass_alive_under_suicide,
            ..*settings
        };
        let mut spatial = vec![0.0; position.size().area() * PLANES];
        let mut global = vec![0.0; GLOBALS];
        features::write(position, &settings, &mut spatial, &mut global);
        InputBatch {
            size: map.size(),
            spatial: map.turn(&spatial, PLANES),
            global,
        }
    }
}

/// A symmetry that depends on the position and the seed.
fn symmetry_of(position: &Position, seed: u64) -> Symmetry {
    let key = position.key();
    let mixed = ((key as u64) ^ (key >> 64) as u64 ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Symmetry::new((mixed >> 61) as usize).expect("three bits")
}

impl Evaluator<Position> for NetEvaluator {
    /// One position at a time on each core: on a CPU larger batches are no faster.
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        requests
            .par_iter()
            .map(|request| {
                let output = self.output(&request.position, request.is_root)?;
                Ok(output.into_evaluation(request.wants_ownership))
            })
            .collect()
    }
}
