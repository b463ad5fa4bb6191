//! Selection of positions to label: some of recorded games, perhaps with a cyclic group put on them;
//! some of games that the teacher plays from many kinds of starts (or a cheaper network plays, with the
//! teacher for labelled positions); and side positions a few moves away from all of these.
//!
//! All random choices in a game depend on the seed, the shard and the number of the game alone, so
//! a shard can be made again at any time, in any process, with the same content.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::go::BoardSize;
use crate::nn::evaluator::NetEvaluator;

use super::collection::{Collection, Part};
use super::shard::{LabelledLine, LineKind};

mod evaluators;
mod game;
mod game_sampler;
mod ring;
mod side_line;
mod start;
mod teacher_game;

use evaluators::Evaluators;
use game_sampler::GameSampler;
pub use game_sampler::{is_fit, set_moves};

/// Default fraction of labels from recorded games, on boards with many games.
const GAME_SHARE: f64 = 0.65;
/// Number of games that counts as many.
const MANY_GAMES: f64 = 1000.0;

/// Settings of a run besides teacher and games.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplerSettings {
    /// Random seed.
    pub seed: u64,
    /// Which part of the games.
    pub part: Part,
    /// Fraction of held-out games.
    pub held_out: f64,
    /// A shard ends with the game in which it reaches this many labels.
    pub labels: usize,
    /// Whether ownership is stored.
    pub ownership: bool,
    /// Fraction of labels from recorded games, if there are any; by default 65 %, less on boards
    /// with few games.
    pub game_share: Option<f64>,
    /// Sources of games whose moves should not be imitated.
    pub not_imitated: Vec<String>,
    /// Side positions per labelled position of an even game, on average; fewer in decided games.
    pub side_positions: f64,
    /// Maximal labelled moves at the end of each side line, at least 1.
    pub siblings: usize,
    /// Positions with a lower [`Board::occupancy`](crate::go::Board::occupancy) are not labelled
    /// and have no side positions.
    pub min_occupancy: f64,
    /// Fraction of recorded games of which one position is labelled, with a cyclic group put on it.
    pub rings: f64,
}

/// Makes shards. Can be shared between threads.
pub struct Sampler<'a> {
    evaluators: Evaluators<'a>,
    collection: &'a Collection,
    games: BTreeMap<(usize, usize), Vec<usize>>,
    settings: SamplerSettings,
}

/// Labels of a shard, and their cost.
#[derive(Debug)]
pub struct ShardLabels {
    /// The games with their labels.
    pub lines: Vec<LabelledLine>,
    /// Evaluations by the teacher.
    pub evaluations: usize,
}

impl<'a> Sampler<'a> {
    pub fn new(
        teacher: &'a NetEvaluator,
        collection: &'a Collection,
        settings: SamplerSettings,
    ) -> Sampler<'a> {
        Sampler {
            evaluators: Evaluators::new(teacher),
            collection,
            games: collection.part(settings.part, settings.held_out),
            settings,
        }
    }

    /// With a network that plays the moves of teacher games where no label is made: this is
    /// cheaper, and reaches positions that the teacher alone would not.
    pub fn with_player(self, player: Option<&'a NetEvaluator>) -> Sampler<'a> {
        Sampler {
            evaluators: self.evaluators.with_player(player),
            ..self
        }
    }

    /// Batches the evaluations of shards that are made at the same time, up to this many. The last
    /// bits of the networks' outputs may then depend on the batch.
    pub fn in_batches(self, most: usize) -> Sampler<'a> {
        Sampler {
            evaluators: self.evaluators.in_batches(most),
            ..self
        }
    }

    /// Makes the labels of a shard. `progress` is called with the number of new labels.
    pub fn shard(
        &self,
        number: u32,
        size: BoardSize,
        progress: &dyn Fn(usize),
    ) -> Result<ShardLabels> {
        let _present = self.evaluators.attend();
        let wanted = self.settings.labels;
        let share = self.game_share(size);
        let mut lines: Vec<LabelledLine> = Vec::new();
        let (mut of_games, mut labels, mut evaluations) = (0, 0, 0);
        for game in 0.. {
            if labels >= wanted {
                break;
            }
            ensure!(
                game as usize <= 100 + 10 * wanted,
                "there is next to nothing to label on {size}"
            );
            let mut game_sampler = GameSampler::new(self, self.rng(number, game));
            let is_game = (of_games as f64) < share * (labels + 1) as f64;
            let line = if is_game {
                let record = game_sampler.pick(self.games_of(size));
                match game_sampler.wants_ring(size) {
                    true => game_sampler.game_with_ring(record)?,
                    false => game_sampler.game(record)?,
                }
            } else {
                game_sampler.teacher_game(size)?
            };
            evaluations += game_sampler.evaluations;
            progress(line.labels.len());
            labels += line.labels.len();
            of_games += match line.kind {
                LineKind::Game => line.labels.len(),
                _ => 0,
            };
            lines.extend(Some(line).filter(|line| !line.labels.is_empty()));
        }
        Ok(ShardLabels { lines, evaluations })
    }

    /// Names of sources by number.
    pub fn sources(&self) -> Vec<String> {
        let teacher = ["teacher".to_owned()];
        [self.collection.sources(), &teacher].concat()
    }

    /// Where few games of a size exist, they are sampled less, so that none is repeated too often.
    fn game_share(&self, size: BoardSize) -> f64 {
        match (self.games_of(size).len(), self.settings.game_share) {
            (0, _) => 0.0,
            (_, Some(share)) => share,
            (games, None) => GAME_SHARE * (games as f64 / MANY_GAMES).min(1.0),
        }
    }

    fn games_of(&self, size: BoardSize) -> &[usize] {
        let games = self.games.get(&(size.width(), size.height()));
        games.map_or(&[], Vec::as_slice)
    }

    fn rng(&self, shard: u32, game: u32) -> ChaCha8Rng {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&self.settings.seed.to_le_bytes());
        bytes[8..12].copy_from_slice(&shard.to_le_bytes());
        bytes[12..16].copy_from_slice(&game.to_le_bytes());
        bytes[16] = self.settings.part as u8;
        ChaCha8Rng::from_seed(bytes)
    }
}
