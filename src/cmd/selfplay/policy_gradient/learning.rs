//! Iterations of policy gradients.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::RULES;
use super::games::{self, Score};
use super::manifest::Manifest;
use super::pool::Pool;
use crate::console::{counted, say, tell};
use crate::data::stream::mixed;
use crate::go::{Position, Symmetry};
use crate::nn::backend::Backend;
use crate::nn::desc::Net;
use crate::nn::evaluator::{NetEvaluator, NetSettings};
use crate::nn::network::Network;
use crate::nn::symmetry_choice::SymmetryChoice;
use crate::search::evaluator::Evaluator;
use crate::selfplay::policy_games::{PolicyGame, PolicyMatch};
use crate::selfplay::policy_params::PolicyGradientParams;
use crate::train::losses::Head;
use crate::train::run::read_net;
use crate::train::run::stepwise::Stepwise;

/// Time between checkpoints.
const SAVE_EVERY: Duration = Duration::from_secs(300);

/// A run in progress.
pub struct Learning<'a> {
    pub folder: &'a Path,
    pub params: &'a PolicyGradientParams,
    pub manifest: &'a Manifest,
    pub stepwise: Stepwise<'a>,
    pub pool: Pool,
    pub backend: Backend,
    pub stop: &'a AtomicBool,
    /// Games since the last checkpoint.
    pub games: Vec<PolicyGame>,
    /// Results since the pool last grew.
    pub since_pool: Score,
}

impl Learning<'_> {
    /// Iterates until this many iterations are made in all, or it is time to end. The first network
    /// is in the pool from the start.
    pub fn go_on(&mut self, iterations: u64, until: Option<Instant>) -> Result<()> {
        if self.pool.nets().is_empty() {
            self.pool.add(0, &self.stepwise.net()?)?;
        }
        let every = u64::from(self.params.pool_every);
        let mut saved = Instant::now();
        while self.stepwise.steps() < iterations && !self.stop.load(Ordering::Relaxed) {
            if until.is_some_and(|until| Instant::now() >= until) || !self.iterate()? {
                break;
            }
            let steps = self.stepwise.steps();
            if steps.is_multiple_of(every) {
                self.pool
                    .add((steps / every) as u32, &self.stepwise.net()?)?;
                self.tell(steps);
            }
            if steps.is_multiple_of(every) || saved.elapsed() >= SAVE_EVERY {
                self.save()?;
                saved = Instant::now();
            }
        }
        self.save()
    }

    fn tell(&mut self, steps: u64) {
        let score = std::mem::take(&mut self.since_pool);
        let done = counted(steps as usize, "iteration");
        tell(format_args!(
            "{done}: {:.1} % against the pool, {:.0} moves a game",
            100.0 * score.rate(),
            score.length()
        ));
    }

    /// Games against one opponent, and a step; false if the games were abandoned.
    fn iterate(&mut self) -> Result<bool> {
        let begin = Instant::now();
        let seed = mixed(self.manifest.seed, self.stepwise.steps());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let pool = self.pool.nets();
        let (id, path) = &pool[rng.random_range(0..pool.len())];
        let opponent = self.evaluator(read_net(path)?)?;
        let net = self.stepwise.net()?;
        let reads = (self.manifest.size()?, net.input_version().in_training());
        let learner = self.evaluator(net)?;
        let games = self.params.games as usize;
        let Some(games) = self.play([&learner, &opponent], games, &mut rng)? else {
            return Ok(false);
        };
        let score = Score::of(&games);
        let batches = games::batches(&games, reads, self.params, &mut rng)?;
        let report = self.stepwise.step(&batches)?;
        let values = [
            ("policy_gradient/win_rate", score.rate()),
            ("policy_gradient/opponent", f64::from(*id)),
            ("policy_gradient/moves", score.length()),
            ("gradient_norm", report.gradient_norm),
            ("rate", report.rate),
            ("loss/outcome", report.losses.of(Head::Outcome)),
            ("seconds_of_iteration", begin.elapsed().as_secs_f64()),
        ];
        let values = values.map(|(name, value)| (name.to_owned(), value));
        self.stepwise.log(&values.to_vec())?;
        self.since_pool.add(score);
        self.games.extend(games);
        Ok(true)
    }

    fn play(
        &self,
        [learner, opponent]: [&dyn Evaluator<Position>; 2],
        games: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Option<Vec<PolicyGame>>> {
        let of_policies = PolicyMatch {
            learner,
            opponent,
            size: self.manifest.size()?,
            rules: RULES,
            komi: self.manifest.komi()?,
            temperature: self.params.temperature as f32,
            longest: self.params.longest,
            stop: self.stop,
        };
        of_policies.play(games, rng)
    }

    /// Plays the last network against the first.
    pub fn compare(&mut self) -> Result<()> {
        let (_, first) = self.pool.nets().first().context("the pool is empty")?;
        let mut rng = ChaCha8Rng::seed_from_u64(mixed(self.manifest.seed, u64::MAX));
        let first = self.evaluator(read_net(first)?)?;
        let net = self.stepwise.net()?;
        let last = self.evaluator(net)?;
        let games = self.params.final_games as usize;
        let played = self.play([&last, &first], games, &mut rng)?;
        let Some(games) = played.filter(|games| !games.is_empty()) else {
            return Ok(());
        };
        let rate = Score::of(&games).rate();
        let name = "policy_gradient/last_against_first".to_owned();
        self.stepwise.log(&vec![(name, rate)])?;
        say(format_args!(
            "the last network against the first: {:.1} % of {}",
            100.0 * rate,
            counted(games.len(), "game")
        ))
    }

    fn evaluator(&self, net: Net) -> Result<NetEvaluator> {
        let settings = NetSettings {
            // A step learns from positions as they are.
            symmetry: SymmetryChoice::Fixed(Symmetry::IDENTITY),
            ..NetSettings::default()
        };
        Network::KataGo(Box::new(net)).evaluator(&self.backend, settings)
    }

    /// Writes the games since the last checkpoint, then a checkpoint.
    fn save(&mut self) -> Result<()> {
        if !self.games.is_empty() {
            games::write(self.folder, self.stepwise.steps(), &self.games)?;
            self.stepwise.save()?;
            self.games.clear();
        }
        Ok(())
    }
}
