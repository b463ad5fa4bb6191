//! Which network answers on which board: one for all, and maybe another for small ones, which was
//! trained on nothing else.

use anyhow::Result;

use super::backend::Backend;
use super::evaluator::{NetEvaluator, NetSettings};
use super::network::Network;
use super::settings::NetParams;
use crate::go::{BoardSize, Color};

/// A network, or two of which one is for small boards. They are made ready when first asked for.
pub struct Lineup {
    backend: Backend,
    usual: Member,
    small: Option<SmallMember>,
}

/// The networks of a lineup, all of them ready: for questions about boards of all sizes at once.
pub struct Team {
    usual: NetEvaluator,
    /// With the longest side of its boards.
    small: Option<(usize, NetEvaluator)>,
}

/// A network, ready to compute or not yet.
struct Member {
    network: Network,
    ready: Option<NetEvaluator>,
}

/// A network for boards none of whose sides is longer than this.
struct SmallMember {
    longest_side: usize,
    member: Member,
}

/// Whether a board is for the network for small ones.
fn is_small(size: BoardSize, longest_side: usize) -> bool {
    size.longer_side() <= longest_side
}

impl Lineup {
    /// One network for all boards, as far as it can play there.
    pub fn new(network: Network, backend: Backend) -> Lineup {
        Lineup {
            backend,
            usual: Member::new(network),
            small: None,
        }
    }

    /// The same with another network for boards none of whose sides is longer than `longest_side`.
    pub fn with_small(self, network: Network, longest_side: usize) -> Lineup {
        let small = SmallMember {
            longest_side,
            member: Member::new(network),
        };
        Lineup {
            small: Some(small),
            ..self
        }
    }

    /// Another network for all boards instead, on the same device.
    pub fn replaced_by(&self, network: Network) -> Lineup {
        Lineup::new(network, self.backend.clone())
    }

    /// The network for all boards, or for all but small ones.
    pub fn usual(&self) -> &Network {
        &self.usual.network
    }

    /// The network for a board, to be asked by these parameters where this color is to move at the
    /// root. The model is the same each time.
    pub fn evaluator(
        &mut self,
        size: BoardSize,
        params: &NetParams,
        mover: Color,
    ) -> Result<NetEvaluator> {
        let member = match &mut self.small {
            Some(small) if is_small(size, small.longest_side) => &mut small.member,
            _ => &mut self.usual,
        };
        let settings = params.settings(mover, member.network.takes_profile());
        let evaluator = match &member.ready {
            Some(ready) => ready.with_settings(settings)?,
            None => member.network.evaluator(&self.backend, settings)?,
        };
        Ok(member.ready.insert(evaluator).clone())
    }

    /// Multiply-adds of an evaluation on a board; None where the network does not tell.
    pub fn multiply_adds(&self, size: BoardSize) -> Option<u64> {
        let member = match &self.small {
            Some(small) if is_small(size, small.longest_side) => &small.member,
            _ => &self.usual,
        };
        match &member.network {
            Network::KataGo(net) => Some(net.cost().multiply_adds(size)),
            Network::LeelaZero(_) => None,
        }
    }

    /// All networks, to be asked so.
    pub fn team(&self, settings: NetSettings) -> Result<Team> {
        let evaluator = |member: &Member| member.network.evaluator(&self.backend, settings);
        let small = match &self.small {
            Some(small) => Some((small.longest_side, evaluator(&small.member)?)),
            None => None,
        };
        Ok(Team {
            usual: evaluator(&self.usual)?,
            small,
        })
    }

    /// For people: the names of the networks.
    pub fn names(&self) -> String {
        let usual = self.usual.network.name();
        match &self.small {
            None => usual,
            Some(SmallMember {
                longest_side: side,
                member,
            }) => {
                let small = member.network.name();
                format!("{usual} (up to {side}x{side} {small})")
            }
        }
    }
}

impl Team {
    /// The network for a board.
    pub fn on(&self, size: BoardSize) -> &NetEvaluator {
        match &self.small {
            Some((longest_side, small)) if is_small(size, *longest_side) => small,
            _ => &self.usual,
        }
    }

    /// The network for all boards, or for all but small ones.
    pub fn usual(&self) -> &NetEvaluator {
        &self.usual
    }
}

impl From<NetEvaluator> for Team {
    fn from(usual: NetEvaluator) -> Team {
        Team { usual, small: None }
    }
}

impl Member {
    fn new(network: Network) -> Member {
        Member {
            network,
            ready: None,
        }
    }
}
