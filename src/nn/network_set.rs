//! Which network answers on which board: one for all, and maybe another for small and narrow ones.

use std::sync::{Mutex, OnceLock};

use anyhow::Result;

use super::backend::Backend;
use super::evaluator::{NetEvaluator, NetSettings};
use super::network::Network;
use super::plan::{Plan, Products};
use super::{LONGEST_SMALL_SIDE, is_for_small_network};
use crate::go::BoardSize;
use crate::threads::locked;

/// A network, or two of which one is for small and narrow boards. Each model is made once, when it is first
/// needed.
pub struct NetworkSet {
    backend: Backend,
    /// Positions that threads evaluate together.
    batch: usize,
    default: Model,
    small: Option<Model>,
}

/// A network, ready to compute or not yet.
struct Model {
    network: Network,
    products: OnceLock<Products>,
    ready: Mutex<Option<NetEvaluator>>,
}

impl NetworkSet {
    /// One network for all boards, as far as it can play there.
    pub fn new(network: Network, backend: Backend) -> NetworkSet {
        NetworkSet {
            backend,
            batch: 1,
            default: Model::new(network),
            small: None,
        }
    }

    /// The same with positions of all threads evaluated together, at most `batch` (1: each thread its own). For
    /// sets whose models are not made yet.
    #[must_use]
    pub fn in_batches(self, batch: usize) -> NetworkSet {
        NetworkSet { batch, ..self }
    }

    /// Positions that are evaluated together.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// The same with another network for small and narrow boards ([`is_for_small_network`]).
    pub fn with_small(self, network: Network) -> NetworkSet {
        NetworkSet {
            small: Some(Model::new(network)),
            ..self
        }
    }

    /// Another network for all boards instead, on the same device and in batches of the same size.
    pub fn replaced_by(&self, network: Network) -> NetworkSet {
        NetworkSet::new(network, self.backend.clone()).in_batches(self.batch)
    }

    /// The network for all boards, or for all but small and narrow ones.
    pub fn default_network(&self) -> &Network {
        &self.default.network
    }

    /// All networks, the one for all boards first.
    pub fn all(&self) -> impl Iterator<Item = &Network> {
        let small = self.small.iter().map(|model| &model.network);
        std::iter::once(self.default_network()).chain(small)
    }

    /// The network for a board.
    pub fn network(&self, size: BoardSize) -> &Network {
        &self.model(size).network
    }

    /// The network for a board, to be asked so. The model is the same each time.
    pub fn evaluator(&self, size: BoardSize, settings: NetSettings) -> Result<NetEvaluator> {
        self.model(size)
            .evaluator(&self.backend, self.batch, settings)
    }

    /// Multiply-adds of an evaluation on a board.
    pub fn multiply_adds(&self, size: BoardSize) -> u64 {
        let model = self.model(size);
        let plan = || match &model.network {
            Network::KataGo(net) => Plan::new(net),
            Network::LeelaZero(net) => Plan::of_leela(net),
        };
        let products = model.products.get_or_init(|| plan().products());
        products.multiply_adds(size)
    }

    /// For display: the names of the networks.
    pub fn names(&self) -> String {
        let default = self.default.network.name();
        match &self.small {
            None => default,
            Some(small) => {
                let (side, small) = (LONGEST_SMALL_SIDE, small.network.name());
                format!("{default} (up to {side}x{side} and on narrow boards {small})")
            }
        }
    }

    fn model(&self, size: BoardSize) -> &Model {
        match &self.small {
            Some(small) if is_for_small_network(size) => small,
            _ => &self.default,
        }
    }
}

impl Model {
    fn new(network: Network) -> Model {
        Model {
            network,
            products: OnceLock::new(),
            ready: Mutex::new(None),
        }
    }

    fn evaluator(
        &self,
        backend: &Backend,
        batch: usize,
        settings: NetSettings,
    ) -> Result<NetEvaluator> {
        let mut ready = locked(&self.ready);
        let evaluator = match &*ready {
            Some(ready) => ready.with_settings(settings)?,
            None => self.network.evaluator(backend, settings)?.in_batches(batch),
        };
        Ok(ready.insert(evaluator).clone())
    }
}
