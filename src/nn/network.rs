//! Networks of any known family, told apart by the contents of their files.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use candle_core::Device;

use super::desc::Net;
use super::desc::leela::{LeelaNet, SIDE};
use super::evaluator::{NetEvaluator, NetSettings};
use super::{katago, leela};

/// A network of one of the families.
#[derive(Clone, Debug, PartialEq)]
pub enum Network {
    /// KataGo's.
    KataGo(Box<Net>),
    /// Leela Zero's.
    LeelaZero(Box<LeelaNet>),
}

impl Network {
    /// Reads a file, whatever its name.
    pub fn read_file(path: &Path) -> Result<Network> {
        let stored = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let unusable = || format!("{} is no usable network", path.display());
        Network::read_bytes(&stored).with_context(unusable)
    }

    /// Reads the contents of a file.
    pub fn read_bytes(stored: &[u8]) -> Result<Network> {
        let bytes = katago::inflate(stored)?;
        if leela::is_leela_net(&bytes) {
            return Ok(Network::LeelaZero(leela::read_inflated(&bytes)?.into()));
        }
        Ok(Network::KataGo(katago::read_inflated(&bytes)?.into()))
    }

    /// For people: the name its makers gave it, or what it is.
    pub fn name(&self) -> String {
        match self {
            Network::KataGo(net) => net.name.clone(),
            Network::LeelaZero(net) => {
                let (blocks, width) = (net.blocks.len(), net.input.conv.outputs);
                format!("leela-zero-{blocks}x{width}-{SIDE}x{SIDE}")
            }
        }
    }

    /// Whether it needs to be told whom to play like.
    pub fn takes_profile(&self) -> bool {
        match self {
            Network::KataGo(net) => net.wants_metadata(),
            Network::LeelaZero(_) => false,
        }
    }

    /// Makes it ready on a device.
    pub fn evaluator(&self, device: &Device, settings: NetSettings) -> Result<NetEvaluator> {
        match self {
            Network::KataGo(net) => NetEvaluator::new(net, device, settings),
            Network::LeelaZero(net) => NetEvaluator::of_leela(net, device, settings),
        }
    }
}
