//! The search as its users see it: a root position, a tree that is kept between moves, runs.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::backup::Valuation;
use super::bonus::{Bonuses, RootBonus, RootValues};
use super::choice::selection_values;
use super::evaluator::{Evaluator, Request};
use super::game::{Game, MoveCode};
use super::limits::Limits;
use super::pace::{MachineTime, TimeSource};
use super::params::SearchParams;
use super::playout::evaluate;
use super::report::{Detail, Report};
use super::restrictions::Restrictions;
use super::root::{Candidate, choose_index, root_policy, seeded};
use super::tree::Tree;
use super::validate;
use super::worker::{self, Progress, Task};

/// What the generator of the root's noise is seeded for.
const FOR_NOISE: u64 = 1;

/// What the generator of the choice of move is seeded for.
const FOR_CHOICE: u64 = 2;

/// A search of one game: the tree, its root position and the settings.
#[derive(Debug)]
pub struct Search<G> {
    params: SearchParams,
    tree: Tree,
    root: Option<Root<G>>,
    playouts: u64,
    due: Option<Duration>,
    restrictions: Restrictions,
    wants_ownership: bool,
    bonus: Option<Arc<dyn RootBonus<G>>>,
    time: Arc<dyn TimeSource>,
}

#[derive(Debug)]
struct Root<G> {
    position: G,
    /// Legal moves with the evaluator's priors, sorted by them, once it has been asked about this
    /// root.
    legal: Option<Vec<Candidate>>,
    /// Moves that are not to be considered.
    excluded: Vec<MoveCode>,
    /// Groups of moves that are alike.
    alike: Vec<Vec<MoveCode>>,
}

impl<G: Game> Search<G> {
    /// A search without a root.
    pub fn new(params: SearchParams) -> Search<G> {
        Search {
            params,
            tree: Tree::default(),
            root: None,
            playouts: 0,
            due: None,
            restrictions: Restrictions::default(),
            wants_ownership: false,
            bonus: None,
            time: Arc::new(MachineTime),
        }
    }

    /// The same by another clock than the machine's.
    #[must_use]
    pub fn with_time(self, time: Arc<dyn TimeSource>) -> Search<G> {
        Search { time, ..self }
    }

    /// The same with bonuses for the root's moves. They are asked for at the start of each run.
    #[must_use]
    pub fn with_root_bonus(self, bonus: Arc<dyn RootBonus<G>>) -> Search<G> {
        Search {
            bonus: Some(bonus),
            ..self
        }
    }

    /// Changes the bonuses for the root's moves; the tree is kept.
    pub fn set_root_bonus(&mut self, bonus: Arc<dyn RootBonus<G>>) {
        self.bonus = Some(bonus);
    }

    /// The settings.
    pub fn params(&self) -> &SearchParams {
        &self.params
    }

    /// Changes the settings; the tree is kept.
    pub fn set_params(&mut self, params: SearchParams) {
        self.params = params;
    }

    /// The root position.
    pub fn root(&self) -> Option<&G> {
        self.root.as_ref().map(|root| &root.position)
    }

    /// Starts from `position`, without a tree.
    pub fn set_root(&mut self, position: G) {
        self.tree = Tree::default();
        self.wants_ownership = false;
        self.place(position);
    }

    /// Goes on to `position`, which `code` has led to from the root, and keeps what the tree knows
    /// about it. Excluded moves are forgotten.
    pub fn advance(&mut self, code: MoveCode, position: G) {
        if self.restrictions.end_at_root() {
            self.tree.advance(code);
        } else {
            // What was forbidden there need not be any more.
            self.tree = Tree::default();
        }
        self.place(position);
    }

    /// Keeps the search from considering these moves at the root, in place of those named before.
    /// Takes effect at once for [`Search::choose`]; the next run drops their part of the tree.
    pub fn exclude(&mut self, codes: &[MoveCode]) {
        if let Some(root) = &mut self.root {
            root.excluded = codes.to_vec();
        }
    }

    /// Gives the moves of each group the mean of their priors at the root, in place of groups named
    /// before.
    pub fn level(&mut self, alike: Vec<Vec<MoveCode>>) {
        if let Some(root) = &mut self.root {
            root.alike = alike;
        }
    }

    /// Keeps the search from making these moves, in place of those named before. What is forbidden
    /// at the root must be excluded besides. Drops the tree where it was searched otherwise.
    pub fn restrict(&mut self, restrictions: &Restrictions) {
        let is_same = self.restrictions == *restrictions
            || self.restrictions.end_at_root() && restrictions.end_at_root();
        self.restrictions = restrictions.clone();
        if !is_same {
            self.clear();
        }
    }

    /// Has evaluations tell the ownership until the next [`Search::set_root`]. Drops a tree
    /// that was made without.
    pub fn want_ownership(&mut self) {
        if !self.wants_ownership {
            self.wants_ownership = true;
            self.clear();
        }
    }

    /// Forgets the tree but keeps the root, so that nothing depends on earlier searches.
    pub fn clear(&mut self) {
        self.tree = Tree::default();
        if let Some(root) = &mut self.root {
            root.legal = None;
        }
    }

    /// Searches until a limit is reached or `stop` is set.
    ///
    /// Fails if there is no root, the game is over there, every move is excluded, or the evaluator
    /// fails; the tree stays usable. Panics if the evaluator or the game does.
    pub fn run(
        &mut self,
        evaluator: &dyn Evaluator<G>,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Result<()> {
        self.run_reporting(evaluator, limits, stop, None)
    }

    /// [`Search::run`] with reports on the way.
    pub fn run_reporting(
        &mut self,
        evaluator: &dyn Evaluator<G>,
        limits: &Limits,
        stop: &AtomicBool,
        progress: Option<Progress<'_>>,
    ) -> Result<()> {
        let start = self.time.now();
        (self.playouts, self.due) = (0, None);
        self.prepare(evaluator)?;
        let root = self.root.as_ref().expect("a prepared search has a root");
        let task = Task {
            root: &root.position,
            params: &self.params,
            excluded: &root.excluded,
            restrictions: &self.restrictions,
            wants_ownership: self.wants_ownership,
            evaluator,
            limits,
            stop,
            time: &*self.time,
        };
        // Taken out, so that a panic leaves no half-searched tree behind.
        let mut tree = std::mem::take(&mut self.tree);
        let result = worker::run(&task, &mut tree, start, progress);
        self.tree = tree;
        let ran = result?;
        (self.playouts, self.due) = (ran.playouts, ran.due);
        Ok(())
    }

    /// Time from the start of the last run at which it was to end, if it ended for the sake of time.
    pub fn due(&self) -> Option<Duration> {
        self.due
    }

    /// What has been found; `None` before the first run from this root, unless a tree was kept.
    pub fn report(&self) -> Option<Report> {
        self.report_in(Detail::default())
    }

    /// As [`Search::report`], with more in it.
    pub fn report_in(&self, detail: Detail) -> Option<Report> {
        let excluded = self.excluded();
        Report::of(&self.tree, &self.params, excluded, self.playouts, detail)
    }

    /// The root's legal moves, excluded ones too, the likeliest first; none before the first run.
    pub fn legal_moves(&self) -> impl Iterator<Item = MoveCode> + '_ {
        let legal = self
            .root
            .iter()
            .flat_map(|root| root.legal.iter().flatten());
        legal.map(|mv| mv.code)
    }

    /// The move to play in turn `turn` of the game (counted from 0), drawn by visits with the
    /// temperature of that turn; by priors if no move has been visited. The same search always
    /// chooses the same move. `None` before the first run and if every move is excluded.
    pub fn choose(&self, turn: usize) -> Option<MoveCode> {
        let root = self.root.as_ref()?;
        if self.tree.is_empty() {
            return None;
        }
        let node = self.tree.root();
        let mut values = selection_values(&self.tree, &self.params, &root.excluded);
        if values.iter().all(|&value| value == 0.0) {
            values = node.priors.iter().map(|&prior| f64::from(prior)).collect();
        }
        let mut rng = seeded(
            self.params.seed,
            root.position.key(),
            FOR_CHOICE + turn as u64,
        );
        let allowed: Vec<usize> = (0..values.len())
            .filter(|&i| !root.excluded.contains(&node.moves[i]))
            .collect();
        let allowed_values: Vec<f64> = allowed.iter().map(|&i| values[i]).collect();
        choose_index(&allowed_values, self.params.temperature_at(turn), &mut rng)
            .map(|i| node.moves[allowed[i]])
    }

    /// Recomputes what can be recomputed and compares: counts, averages, nothing left in flight.
    /// Says what is wrong. For tests.
    pub fn validate(&self) -> Result<(), String> {
        // Evaluations are corrected by differences to averages that may have been corrected.
        let factor = self.params.bias_factor;
        let most = self.params.max_utility() * (1.0 + factor) / (1.0 - factor);
        validate::check(&self.tree, most)
    }

    fn place(&mut self, position: G) {
        self.playouts = 0;
        self.root = Some(Root {
            position,
            legal: None,
            excluded: Vec::new(),
            alike: Vec::new(),
        });
    }

    fn excluded(&self) -> &[MoveCode] {
        self.root.as_ref().map_or(&[], |root| &root.excluded)
    }

    /// Brings the root into the state every descent relies on.
    fn prepare(&mut self, evaluator: &dyn Evaluator<G>) -> Result<()> {
        let root = self.root.as_mut().context("the search has no position")?;
        if root.position.outcome().is_some() {
            bail!("the game is over");
        }
        if root.legal.is_none() {
            let bonus = self.bonus.iter().filter(|_| self.params.counts_score());
            let request = Request {
                wants_ownership: self.wants_ownership
                    || bonus.clone().any(|it| it.wants_ownership()),
                wants_games: self.params.wants_games(),
                ..Request::root(root.position.clone())
            };
            root.legal = Some(evaluate_root(request, &mut self.tree, evaluator)?);
        }
        let mut allowed: Vec<Candidate> = root.legal.iter().flatten().copied().collect();
        root.alike
            .iter()
            .for_each(|codes| level(&mut allowed, codes));
        allowed.retain(|c| !root.excluded.contains(&c.code));
        ensure!(!allowed.is_empty(), "every legal move is excluded");
        let mut rng = seeded(self.params.seed, root.position.key(), FOR_NOISE);
        self.tree
            .set_root_policy(&root_policy(&allowed, &self.params, &mut rng));
        let node = self.tree.root();
        let (expected_score, errors) = (node.averages.score, node.own.errors);
        self.tree.set_valuation(Valuation::new(
            &self.params,
            expected_score,
            errors.is_some(),
        ));
        let values = RootValues::of(self.tree.root());
        let bonuses = self.bonus.iter();
        let bonuses = bonuses.flat_map(|it| it.bonuses(&root.position, &values));
        self.tree.set_bonuses(Bonuses::new(bonuses.collect()));
        Ok(())
    }
}

/// Gives some moves the mean of their priors.
fn level(candidates: &mut [Candidate], codes: &[MoveCode]) {
    let alike = candidates.iter_mut().filter(|c| codes.contains(&c.code));
    let mut alike: Vec<&mut Candidate> = alike.collect();
    let sum: f32 = alike.iter().map(|c| c.prior).sum();
    let mean = sum / alike.len().max(1) as f32;
    alike.iter_mut().for_each(|c| c.prior = mean);
}

/// Asks about the root as such, also where its subtree was kept: some evaluators are more cautious
/// there. Plants the tree if there is none, and returns the legal moves with their priors.
fn evaluate_root<G: Game>(
    request: Request<G>,
    tree: &mut Tree,
    evaluator: &dyn Evaluator<G>,
) -> Result<Vec<Candidate>> {
    let to_move = request.position.to_move();
    let expansion = evaluate(evaluator, &[request])?
        .pop()
        .expect("there is an answer to each request");
    let legal = expansion
        .moves
        .iter()
        .zip(&expansion.priors)
        .map(|(&code, &prior)| Candidate { code, prior })
        .collect();
    if tree.is_empty() {
        tree.plant(to_move, expansion);
    } else {
        tree.set_root_evaluation(expansion);
    }
    Ok(legal)
}
