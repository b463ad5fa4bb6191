//! Networks of any known family, told apart by the contents of their files.

use std::borrow::Cow;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::backend::Backend;
use super::desc::Net;
use super::desc::leela::{LeelaNet, SIDE};
use super::evaluator::{NetEvaluator, NetSettings};
use super::input_shape::InputShape;
use super::{checkpoint, default_network, default_small_network, katago, leela, network_folder};
use crate::files;
use crate::go::BoardSize;

/// A network of one of the families.
#[derive(Clone, Debug, PartialEq)]
pub enum Network {
    /// KataGo's, be it in a file of KataGo's or a checkpoint.
    KataGo(Box<Net>),
    /// Leela Zero's.
    LeelaZero(Box<LeelaNet>),
}

impl Network {
    /// Reads a file, whatever its name.
    pub fn read_file(path: &Path) -> Result<Network> {
        let stored = stored_bytes(path)?;
        Network::read_bytes(&stored).with_context(|| unusable(path))
    }

    /// Reads the contents of a file.
    pub fn read_bytes(stored: &[u8]) -> Result<Network> {
        // Before a look at compression: any two bytes may begin a checkpoint.
        let bytes = match checkpoint::is_checkpoint(stored) {
            true => Cow::Borrowed(stored),
            false => katago::inflate(stored)?,
        };
        if checkpoint::is_checkpoint(&bytes) {
            return Ok(Network::KataGo(checkpoint::read_bytes(&bytes)?.into()));
        }
        if leela::is_leela_net(&bytes) {
            return Ok(Network::LeelaZero(leela::read_inflated(&bytes)?.into()));
        }
        Ok(Network::KataGo(katago::read_inflated(&bytes)?.into()))
    }

    /// The net, if it is not one of Leela Zero's.
    pub fn into_net(self) -> Result<Net> {
        match self {
            Network::KataGo(net) => Ok(*net),
            Network::LeelaZero(_) => bail!(
                "it is one of Leela Zero's networks, which are for play, `net plan` and `net test` alone"
            ),
        }
    }

    /// For display: the name its makers gave it, or what it is.
    pub fn name(&self) -> String {
        match self {
            Network::KataGo(net) => net.name.clone(),
            Network::LeelaZero(net) => {
                let (blocks, width) = (net.blocks.len(), net.input.conv.outputs);
                format!("leela-zero-{blocks}x{width}-{SIDE}x{SIDE}")
            }
        }
    }

    /// The only boards that it is for, if it is not for all.
    pub fn only_size(&self) -> Option<BoardSize> {
        match self {
            Network::KataGo(net) => net.only_size(),
            Network::LeelaZero(_) => InputShape::of_leela().only_size,
        }
    }

    /// Whether it needs to be told whom to play like.
    pub fn takes_profile(&self) -> bool {
        match self {
            Network::KataGo(net) => net.wants_metadata(),
            Network::LeelaZero(_) => false,
        }
    }

    /// Version of its file in KataGo's numbering; 0 for Leela Zero's.
    pub fn version(&self) -> u32 {
        match self {
            Network::KataGo(net) => net.version,
            Network::LeelaZero(_) => 0,
        }
    }

    /// Makes it ready to compute.
    pub fn evaluator(&self, backend: &Backend, settings: NetSettings) -> Result<NetEvaluator> {
        match self {
            Network::KataGo(net) => NetEvaluator::new(net, backend, settings),
            Network::LeelaZero(net) => NetEvaluator::of_leela(net, backend, settings),
        }
    }
}

/// For messages: that a file holds no network, and what would.
pub fn unusable(path: &Path) -> String {
    format!(
        "{} is not a usable network (KataGo's .bin.gz or .txt.gz, Leela Zero's .txt.gz, or a checkpoint \
         .safetensors, also with .gz)",
        path.display()
    )
}

/// Names of the built-in networks.
pub const BUILT_IN: [&str; 2] = ["default", "small"];

/// Whether [`stored_bytes`] takes this for the name of a network built in.
pub fn is_built_in(path: &Path) -> bool {
    built_in(path).is_some()
}

fn built_in(path: &Path) -> Option<Option<&'static [u8]>> {
    let network = match path.to_str()? {
        "default" => default_network(),
        "small" => default_small_network(),
        _ => return None,
    };
    (!path.exists()).then_some(network)
}

/// The contents of a network file. `default` and `small`, where there are no files called so, are the
/// networks built into the program; any other name that is no file is searched in the folder of networks.
pub fn stored_bytes(path: &Path) -> Result<Cow<'static, [u8]>> {
    match built_in(path) {
        Some(built_in) => built_in.map(Cow::Borrowed).with_context(|| {
            let name = path.display();
            format!("this program was built without a network called {name}: name a file")
        }),
        None => files::read_regular(&network_folder::located(path)?, files::NETWORK_LIMIT)
            .map(Cow::Owned),
    }
}
