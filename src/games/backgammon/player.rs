//! Players: random plays, and searches with an evaluation.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::linear::Linear;
use super::model::{Judge, Model};
use super::outcome::Outcome;
use super::plays::Play;
use super::position::BackgammonPosition;
use crate::games::dice_game::{DicePlayer, RatedPlay, ReadFile};
use crate::minimax::chance::player::{SearchSettings, rated};
use crate::search::game::Side;

/// Names of the players, the default first.
pub const PLAYERS: [&str; 4] = ["net", "linear", "random", "keima"];
/// Most choices that may be looked ahead.
pub(super) const DEEPEST: u32 = 4;

/// A player that searches.
#[derive(Clone, Debug)]
pub struct Searcher {
    /// Its evaluation.
    pub model: Arc<Model>,
    /// How it searches.
    pub settings: SearchSettings,
}

impl Searcher {
    /// The built-in network without search beyond its plays.
    pub fn built_in() -> Result<Searcher> {
        Ok(Searcher {
            model: Model::built_in_net()?,
            settings: SearchSettings::default(),
        })
    }

    /// The evaluation for a position's stakes.
    pub fn judge(&self, position: &BackgammonPosition) -> Judge {
        Judge {
            model: Arc::clone(&self.model),
            stakes: position.stakes,
        }
    }

    /// The probabilities for the side to roll, or to play its dice, which are not looked at.
    pub fn outcome(&self, position: &BackgammonPosition) -> Outcome {
        self.judge(position).outcome(&position.board)
    }
}

impl DicePlayer<BackgammonPosition> for Searcher {
    fn rated(&mut self, position: &BackgammonPosition) -> Vec<RatedPlay<Play>> {
        let plays = position.plays();
        let after: Vec<BackgammonPosition> =
            plays.iter().map(|play| position.after(play)).collect();
        let is_first = position.turn == Side::First;
        let rated = rated(&after, is_first, &self.judge(position), &self.settings);
        let play = |rated: &crate::minimax::chance::player::Rated| RatedPlay {
            play: plays[rated.index],
            equity: rated.value,
            depth: rated.depth,
        };
        rated.iter().map(play).collect()
    }

    fn opinion(&self, position: &BackgammonPosition) -> String {
        let outcome = self.outcome(position);
        let percent = |part: f32| format!("{:.1} %", 100.0 * part);
        format!(
            "side to roll: wins {} (gammon {}, backgammon {}), loses gammon {}, backgammon {}; equity {:+.3}",
            percent(outcome.win),
            percent(outcome.win_gammon),
            percent(outcome.win_backgammon),
            percent(outcome.lose_gammon),
            percent(outcome.lose_backgammon),
            outcome.equity(position.stakes)
        )
    }
}

/// A player that makes random plays.
#[derive(Clone, Debug)]
struct Random {
    seed: u64,
    random: ChaCha8Rng,
}

impl DicePlayer<BackgammonPosition> for Random {
    fn rated(&mut self, position: &BackgammonPosition) -> Vec<RatedPlay<Play>> {
        let mut plays = position.plays();
        plays.shuffle(&mut self.random);
        let rated = |play| RatedPlay {
            play,
            equity: 0.0,
            depth: 0,
        };
        plays.into_iter().map(rated).collect()
    }

    fn opinion(&self, _position: &BackgammonPosition) -> String {
        "a random player has no opinion".to_owned()
    }

    fn begin(&mut self, number: u64) {
        self.random = ChaCha8Rng::seed_from_u64(self.seed);
        self.random.set_stream(number);
    }
}

/// Makes a player: `random seed=3`, `linear`, `net weights=FILE`, each of the last two with `depth`, `candidates` and
/// `margin`. `keima` is `net`. None if the text does not begin with one of these names.
pub fn player(
    text: &str,
    read: &ReadFile,
) -> Option<Result<Box<dyn DicePlayer<BackgammonPosition>>>> {
    let mut words = text.split_whitespace();
    let kind = words.next()?;
    let settings: Vec<&str> = words.collect();
    // The program's own name may also begin a command line.
    let is_known = PLAYERS.contains(&kind)
        && (kind != "keima" || settings.iter().all(|word| word.contains('=')));
    is_known.then(|| {
        let made = made(kind, &settings, read).with_context(|| format!("player '{text}'"))?;
        Ok(match made {
            Made::Random(player) => player as Box<dyn DicePlayer<BackgammonPosition>>,
            Made::Searcher(player) => Box::new(player),
        })
    })
}

/// A player that searches, from its description.
pub fn searcher(text: &str, read: &ReadFile) -> Result<Searcher> {
    let mut words = text.split_whitespace();
    let kind = words.next().unwrap_or_default();
    let settings: Vec<&str> = words.collect();
    let is_known = PLAYERS.contains(&kind);
    match made(kind, &settings, read).with_context(|| format!("player '{text}'"))? {
        Made::Searcher(searcher) if is_known => Ok(searcher),
        _ => bail!(
            "'{text}' is no player that evaluates: there are net and linear, as in 'net depth=2'"
        ),
    }
}

/// A player of either kind.
enum Made {
    Random(Box<Random>),
    Searcher(Searcher),
}

fn made(kind: &str, settings: &[&str], read: &ReadFile) -> Result<Made> {
    let is_random = kind == "random";
    let mut search = SearchSettings::default();
    let (mut seed, mut model) = (0, None);
    for setting in settings {
        let (name, value) = setting
            .split_once('=')
            .with_context(|| format!("'{setting}' is no setting: write NAME=VALUE"))?;
        let wrong = || format!("{name}={value} is out of range");
        match name {
            "seed" if is_random => seed = value.parse().ok().with_context(wrong)?,
            "depth" if !is_random => {
                let depth = value
                    .parse()
                    .ok()
                    .filter(|depth| (1..=DEEPEST).contains(depth));
                search.depth =
                    depth.with_context(|| format!("{}: depth is from 1 to {DEEPEST}", wrong()))?;
            }
            "candidates" if !is_random => {
                let count = value.parse().ok().filter(|count| *count > 0);
                search.candidates = count.with_context(wrong)?;
            }
            "margin" if !is_random => {
                let margin = value
                    .parse()
                    .ok()
                    .filter(|margin| (0.0..=6.0).contains(margin));
                search.margin = margin.with_context(wrong)?;
            }
            "weights" if !is_random => model = Some(model_of(kind, Path::new(value), read)?),
            _ if is_random => bail!("there is no setting '{name}'; random has seed"),
            _ => bail!(
                "there is no setting '{name}'; there are depth, candidates, margin and weights"
            ),
        }
    }
    if is_random {
        let random = ChaCha8Rng::seed_from_u64(seed);
        return Ok(Made::Random(Box::new(Random { seed, random })));
    }
    let model = match (model, kind) {
        (Some(model), _) => model,
        (None, "linear") => Arc::new(Model::Linear(Linear::default())),
        (None, _) => Model::built_in_net()?,
    };
    Ok(Made::Searcher(Searcher {
        model,
        settings: search,
    }))
}

fn model_of(kind: &str, file: &Path, read: &ReadFile) -> Result<Arc<Model>> {
    let model = Model::from_bytes(&read(file)?).with_context(|| file.display().to_string())?;
    let is_linear = matches!(model, Model::Linear(_));
    ensure!(
        is_linear == (kind == "linear"),
        "{} has weights of the player {}",
        file.display(),
        if is_linear { "linear" } else { "net" }
    );
    Ok(Arc::new(model))
}
