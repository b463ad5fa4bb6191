//! Players of this process, described: how their settings are read, and how they are made.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail, ensure};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::engine_player::{EnginePlayer, OVERHEAD};
use super::plain_players::{DEEPEST_PLAIN, PlainPlayer, RandomPlayer};
use super::player::BoardPlayer;
use super::settings::{move_time, set_each};
use super::tree_player::{KeptTree, TreePlayer};
use crate::files;
use crate::games::board_game::BoardGame;
use crate::games::coded::Coded;
use crate::games::coded_evaluators::{Heuristic, Playouts};
use crate::games::weighted::Weighted;
use crate::minimax::engine::Engine;
use crate::minimax::limits::MoveTime;
use crate::minimax::plain::Method;
use crate::minimax::{Limits, MinimaxParams};
use crate::params::Parameters;
use crate::search::{self, Evaluator, SearchParams};

/// Names of the kinds of players.
pub const KINDS: [&str; 6] = ["random", "minimax", "beam", "alphabeta", "mcts", "uct"];
/// Depth of the textbook searches in plies, where nothing else is said.
const PLAIN_DEPTH: u32 = 3;
/// Moves of each position that beam search follows, where nothing else is said.
const BEAM: usize = 8;
/// Size of the engine's table in MiB, where nothing else is said.
const TABLE_MIB: usize = 16;

/// A player, described.
#[derive(Clone, Debug, PartialEq)]
pub enum Builtin {
    /// Any legal move.
    Random {
        /// Of the random numbers, together with the number of the game.
        seed: u64,
    },
    /// A textbook search to a fixed depth.
    Plain {
        /// The algorithm.
        method: Method,
        /// Plies; none: as many as the nodes suffice for, by the number of moves.
        depth: Option<u32>,
        /// Positions beyond this number are not searched further.
        nodes: u64,
        /// The evaluation.
        weights: WeightsOf,
    },
    /// The engine.
    AlphaBeta {
        /// Limits of each move; without any those of the match.
        limits: Limits,
        /// Settings of the search.
        params: MinimaxParams,
        /// The evaluation.
        weights: WeightsOf,
        /// Search threads.
        threads: usize,
        /// MiB of the table.
        hash: usize,
    },
    /// Monte Carlo tree search.
    Tree {
        /// What evaluates positions.
        leaves: Leaves,
        /// Limits of each move; without any those of the match.
        limits: search::Limits,
        /// Settings of the search.
        params: Box<SearchParams>,
        /// The evaluation.
        weights: WeightsOf,
    },
}

/// Which evaluation, and with which weights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WeightsOf {
    /// The game's own.
    #[default]
    Default,
    /// One by its name, with built-in weights.
    Named(String),
    /// Weights of a file.
    File(PathBuf),
}

impl WeightsOf {
    fn load<G: BoardGame>(&self) -> Result<G::Evaluation> {
        match self {
            WeightsOf::Default => G::evaluation(None),
            WeightsOf::Named(name) => G::evaluation(Some(name)),
            WeightsOf::File(file) => {
                let read = files::read_text(file).and_then(|text| G::Evaluation::from_json(&text));
                read.with_context(|| format!("cannot use {}", file.display()))
            }
        }
    }
}

/// What evaluates the positions of Monte Carlo tree search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// The evaluation of alpha-beta search.
    Evaluation,
    /// Random games, this many for each position.
    Playouts(u32),
}

impl Builtin {
    /// Reads a description: `random seed=3`, `minimax depth=4 nodes=25000`, `beam width=6`,
    /// `alphabeta nodes=10000 weights=FILE nullMove=false`, `minimax depth=auto nodes=25000 evaluation=thesis`,
    /// `mcts visits=800`, `uct playouts=4`. None if it does not begin with the name of a kind. Files may not have
    /// blanks in their names.
    pub fn parse(text: &str) -> Option<Result<Builtin>> {
        let mut words = text.split_whitespace();
        let kind = words.next()?;
        let settings: Vec<&str> = words.collect();
        let kind = match kind {
            // The program's own name, unless it is a command line.
            "keima" if settings.iter().all(|word| word.contains('=')) => "alphabeta",
            kind => kind,
        };
        if !KINDS.contains(&kind) {
            return None;
        }
        let mut player = Builtin::named(kind);
        let set = set_each(text, settings, |name, value| player.set(name, value));
        Some(set.and_then(|()| player.check()).map(|()| player))
    }

    fn named(kind: &str) -> Builtin {
        let plain = |method| Builtin::Plain {
            method,
            depth: Some(PLAIN_DEPTH),
            nodes: u64::MAX,
            weights: WeightsOf::Default,
        };
        match kind {
            "random" => Builtin::Random { seed: 0 },
            "minimax" => plain(Method::Minimax),
            "beam" => plain(Method::Beam(BEAM)),
            "mcts" => Builtin::tree(Leaves::Evaluation, SearchParams::plain()),
            "uct" => Builtin::tree(Leaves::Playouts(1), SearchParams::uct()),
            _ => Builtin::AlphaBeta {
                limits: Limits::default(),
                params: MinimaxParams::default(),
                weights: WeightsOf::Default,
                threads: 1,
                hash: TABLE_MIB,
            },
        }
    }

    fn tree(leaves: Leaves, params: SearchParams) -> Builtin {
        Builtin::Tree {
            leaves,
            limits: search::Limits::default(),
            params: Box::new(params),
            weights: WeightsOf::Default,
        }
    }

    fn check(&self) -> Result<()> {
        let is_endless = matches!(
            self,
            Builtin::Plain {
                depth: None,
                nodes: u64::MAX,
                ..
            }
        );
        ensure!(
            !is_endless,
            "depth=auto needs a number of nodes, as in nodes=25000"
        );
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let whole = |least: u64, most: u64| -> Result<u64> {
            let number = value.parse().ok();
            let number = number.filter(|number| (least..=most).contains(number));
            number.with_context(|| format!("{name} is a whole number from {least} to {most}"))
        };
        match (self, name) {
            (Builtin::Random { seed }, "seed") => *seed = whole(0, u64::MAX)?,
            (Builtin::Plain { depth, .. }, "depth") if value == "auto" => *depth = None,
            (Builtin::Plain { depth, .. }, "depth") => {
                *depth = Some(whole(1, DEEPEST_PLAIN.into())? as u32)
            }
            (Builtin::Plain { nodes, .. }, "nodes") => *nodes = whole(1, u64::MAX)?,
            (Builtin::Plain { method, .. }, "width") if matches!(method, Method::Beam(_)) => {
                *method = Method::Beam(whole(1, 1_000)? as usize);
            }
            (Builtin::Plain { weights, .. }, "weights" | "evaluation")
            | (Builtin::AlphaBeta { weights, .. }, "weights" | "evaluation")
            | (Builtin::Tree { weights, .. }, "weights" | "evaluation") => {
                *weights = match name {
                    "weights" => WeightsOf::File(value.into()),
                    _ => WeightsOf::Named(value.to_owned()),
                };
            }
            (Builtin::AlphaBeta { limits, .. }, "depth") => {
                limits.depth = Some(whole(1, 200)? as u32);
            }
            (Builtin::AlphaBeta { limits, .. }, "nodes") => {
                limits.nodes = Some(whole(1, u64::MAX)?);
            }
            (Builtin::AlphaBeta { limits, .. }, "time") => {
                let hard = move_time(value)?;
                limits.time = Some(MoveTime { soft: None, hard });
            }
            (Builtin::AlphaBeta { threads, .. }, "threads") => *threads = whole(1, 256)? as usize,
            (Builtin::AlphaBeta { hash, .. }, "hash") => *hash = whole(1, 65_536)? as usize,
            (Builtin::AlphaBeta { params, .. }, _) => params.set(name, value)?,
            (
                Builtin::Tree {
                    leaves: Leaves::Playouts(games),
                    ..
                },
                "playouts",
            ) => {
                *games = whole(1, 1_000_000)? as u32;
            }
            (Builtin::Tree { limits, .. }, "visits") => limits.visits = Some(whole(1, u64::MAX)?),
            (Builtin::Tree { limits, .. }, "time") => limits.time = Some(move_time(value)?),
            (Builtin::Tree { params, .. }, _) => params.set(name, value)?,
            _ => bail!("there is no such setting"),
        }
        Ok(())
    }

    /// Whether it knows by itself how long to search.
    pub fn has_limits(&self) -> bool {
        match self {
            Builtin::AlphaBeta { limits, .. } => *limits != Limits::default(),
            Builtin::Tree { limits, .. } => *limits != search::Limits::default(),
            _ => true,
        }
    }

    /// The file of its weights, if it has one.
    pub fn weights(&self) -> Option<&Path> {
        match self {
            Builtin::Plain { weights, .. }
            | Builtin::AlphaBeta { weights, .. }
            | Builtin::Tree { weights, .. } => match weights {
                WeightsOf::File(file) => Some(file),
                WeightsOf::Default | WeightsOf::Named(_) => None,
            },
            Builtin::Random { .. } => None,
        }
    }

    /// Makes the player. Once `stop` is set it gives up its game.
    pub fn make<G: BoardGame>(
        &self,
        name: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<Box<dyn BoardPlayer<G>>> {
        let name = name.to_owned();
        Ok(match self {
            Builtin::Random { seed } => Box::new(RandomPlayer {
                name,
                seed: *seed,
                random: ChaCha8Rng::seed_from_u64(*seed),
                stop: Arc::clone(stop),
            }),
            Builtin::Plain {
                method,
                depth,
                nodes,
                weights,
            } => Box::new(PlainPlayer::<G> {
                name,
                method: *method,
                depth: *depth,
                nodes: *nodes,
                evaluator: weights.load::<G>()?,
                stop: Arc::clone(stop),
            }),
            Builtin::AlphaBeta {
                limits,
                params,
                weights,
                threads,
                hash,
            } => {
                let evaluator = weights.load::<G>()?;
                let mut engine = Engine::new(evaluator, *hash);
                (engine.params, engine.threads) = (*params, *threads);
                Box::new(EnginePlayer::<G>::new(name, engine, limits.clone(), stop))
            }
            Builtin::Tree {
                leaves,
                limits,
                params,
                weights,
            } => {
                let evaluation = weights.load::<G>()?;
                let evaluator: Box<dyn Evaluator<Coded<G>>> = match leaves {
                    Leaves::Evaluation => Box::new(Heuristic { evaluation }),
                    Leaves::Playouts(games) => Box::new(Playouts {
                        evaluation,
                        games: *games,
                        seed: params.seed,
                    }),
                };
                let limits = (*limits, OVERHEAD);
                let tree = KeptTree::new(**params);
                Box::new(TreePlayer::new(name, tree, evaluator, limits, stop))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_read_and_mistakes_named() {
        let parsed = |text| Builtin::parse(text).unwrap();
        assert_eq!(
            parsed("random seed=7").unwrap(),
            Builtin::Random { seed: 7 }
        );
        let Builtin::AlphaBeta { limits, params, .. } =
            parsed("keima nodes=500 nullMove=false").unwrap()
        else {
            panic!("not the engine");
        };
        assert_eq!((limits.nodes, params.null_move), (Some(500), false));
        assert!(parsed("beam width=4 depth=5").unwrap().has_limits());
        assert!(!parsed("alphabeta").unwrap().has_limits());
        let Builtin::Plain { depth, weights, .. } =
            parsed("minimax depth=auto nodes=25000 evaluation=thesis").unwrap()
        else {
            panic!("not minimax");
        };
        assert_eq!(
            (depth, weights),
            (None, WeightsOf::Named("thesis".to_owned()))
        );
        for text in [
            "minimax depth=0",
            "minimax depth=auto",
            "random depth=3",
            "alphabeta size=9",
            "beam deep",
        ] {
            let error = format!("{:#}", parsed(text).unwrap_err());
            assert!(error.contains(text.split(' ').nth(1).unwrap()), "{error}");
        }
        for text in ["stockfish", "keima uci", ""] {
            assert!(Builtin::parse(text).is_none(), "{text}");
        }
    }
}
