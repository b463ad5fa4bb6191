//! Which network answers: the usual one, or for some positions another that was trained on nothing else.

use anyhow::Result;

use super::backend::Backend;
use super::evaluator::{NetEvaluator, NetSettings};
use super::network::Network;
use super::settings::NetParams;
use crate::go::{Color, Position};

/// A network for all positions, and maybe others for some. They are made ready when first asked for.
pub struct Lineup {
    backend: Backend,
    usual: Member,
    specialists: Vec<(Specialty, Member)>,
}

/// What a network may be for, by the position at the root of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Specialty {
    /// Boards none of whose sides is longer than this.
    SmallBoards {
        /// In points.
        longest_side: usize,
    },
    /// Boards where at least this share of the points has stones, see [`Board::fullness`](crate::go::Board::fullness).
    FullBoards {
        /// From 0 to 1.
        from: f64,
    },
}

/// The networks of a lineup, all of them ready: for questions about positions of all kinds at once.
pub struct Team {
    usual: NetEvaluator,
    specialists: Vec<(Specialty, NetEvaluator)>,
}

/// One of a lineup's networks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seat(Option<usize>);

/// A network, ready to compute or not yet.
struct Member {
    network: Network,
    ready: Option<NetEvaluator>,
}

impl Specialty {
    fn is_for(self, position: &Position) -> bool {
        match self {
            Specialty::SmallBoards { longest_side } => {
                position.size().longer_side() <= longest_side
            }
            Specialty::FullBoards { from } => position.board().fullness() >= from,
        }
    }

    /// For people.
    fn text(self) -> String {
        match self {
            Specialty::SmallBoards { longest_side: side } => format!("up to {side}x{side}"),
            Specialty::FullBoards { from } => format!("from {:.0} % stones on", 100.0 * from),
        }
    }
}

impl Lineup {
    /// One network for all positions, as far as it can play there.
    pub fn new(network: Network, backend: Backend) -> Lineup {
        Lineup {
            backend,
            usual: Member::new(network),
            specialists: Vec::new(),
        }
    }

    /// The same with another network for the positions of a specialty that no earlier one is for.
    pub fn with(mut self, specialty: Specialty, network: Network) -> Lineup {
        self.specialists.push((specialty, Member::new(network)));
        self
    }

    /// Another network for all positions instead, on the same device.
    pub fn replaced_by(&self, network: Network) -> Lineup {
        Lineup::new(network, self.backend.clone())
    }

    /// The network for all positions, or for all that no other one is for.
    pub fn usual(&self) -> &Network {
        &self.usual.network
    }

    /// Whose turn it is where this is the root; the usual network's is [`Seat::default`].
    pub fn seat(&self, root: &Position) -> Seat {
        let mut specialties = self.specialists.iter();
        Seat(specialties.position(|(specialty, _)| specialty.is_for(root)))
    }

    /// The network on a seat, to be asked by these parameters where this color is to move at the
    /// root. The model is the same each time.
    pub fn evaluator(
        &mut self,
        seat: Seat,
        params: &NetParams,
        mover: Color,
    ) -> Result<NetEvaluator> {
        let member = match seat.0 {
            Some(specialist) => &mut self.specialists[specialist].1,
            None => &mut self.usual,
        };
        let settings = params.settings(mover, member.network.takes_profile());
        let evaluator = match &member.ready {
            Some(ready) => ready.with_settings(settings)?,
            None => member.network.evaluator(&self.backend, settings)?,
        };
        Ok(member.ready.insert(evaluator).clone())
    }

    /// All networks, to be asked so.
    pub fn team(&self, settings: NetSettings) -> Result<Team> {
        let evaluator = |member: &Member| member.network.evaluator(&self.backend, settings);
        let specialists = self.specialists.iter();
        let specialists =
            specialists.map(|(specialty, member)| Ok((*specialty, evaluator(member)?)));
        Ok(Team {
            usual: evaluator(&self.usual)?,
            specialists: specialists.collect::<Result<_>>()?,
        })
    }

    /// For people: the names of the networks.
    pub fn names(&self) -> String {
        let usual = self.usual.network.name();
        let special = self.specialists.iter();
        let special: Vec<String> = special
            .map(|(specialty, member)| format!("{} {}", specialty.text(), member.network.name()))
            .collect();
        match special.is_empty() {
            true => usual,
            false => format!("{usual} ({})", special.join(", ")),
        }
    }
}

impl Team {
    /// The one whose turn it is where this is the root.
    pub fn at(&self, root: &Position) -> &NetEvaluator {
        let mut specialists = self.specialists.iter();
        let special = specialists.find(|(specialty, _)| specialty.is_for(root));
        special.map_or(&self.usual, |(_, evaluator)| evaluator)
    }

    /// The usual one.
    pub fn usual(&self) -> &NetEvaluator {
        &self.usual
    }
}

impl From<NetEvaluator> for Team {
    fn from(usual: NetEvaluator) -> Team {
        Team {
            usual,
            specialists: Vec::new(),
        }
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
