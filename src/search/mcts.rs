//! The public interface of the search: a root position, a tree that is kept between moves, runs.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::backup::Valuation;
use super::bonus::{Bonuses, RootBonus, RootValues};
use super::choice::selection_values;
use super::evaluator::{Evaluator, Request};
use super::game::{Game, MoveCode, Side};
use super::limits::Limits;
use super::memory::{TreeMemory, Usage};
use super::pace::{MachineTime, TimeSource};
use super::params::SearchParams;
use super::playout::evaluate;
use super::report::{Detail, Report};
use super::restrictions::Restrictions;
use super::root::{Candidate, Heat, choose_index, root_policy, seeded};
use super::tree::Tree;
use super::validate;
use super::worker::{self, Progress, Task};

/// Purpose of the random generator for root noise.
const FOR_NOISE: u64 = 1;

/// Purpose of the random generator for the choice of a move.
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
    /// The side that the tree was searched for.
    side: Option<Side>,
    time: Arc<dyn TimeSource>,
    usage: Option<Usage>,
    /// Whether the last run found no memory left.
    is_full: bool,
}

#[derive(Debug)]
struct Root<G> {
    position: G,
    /// Legal moves with the evaluator's priors, sorted by prior; empty until this root has been
    /// evaluated.
    legal: Option<Vec<Candidate>>,
    /// Their second policy; empty if there is none.
    guide: HashMap<MoveCode, f32>,
    /// Moves to be ignored.
    excluded: Vec<MoveCode>,
    /// Groups of symmetric moves.
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
            side: None,
            time: Arc::new(MachineTime),
            usage: None,
            is_full: false,
        }
    }

    /// The same with memory that it shares with other searches.
    #[must_use]
    pub fn with_memory(self, memory: Arc<TreeMemory>) -> Search<G> {
        let usage = Some(Usage::new(memory));
        Search { usage, ..self }
    }

    /// The same with another clock.
    #[must_use]
    pub fn with_time(self, time: Arc<dyn TimeSource>) -> Search<G> {
        Search { time, ..self }
    }

    /// The same with bonuses for root moves, which are computed at the start of each run.
    #[must_use]
    pub fn with_root_bonus(self, bonus: Arc<dyn RootBonus<G>>) -> Search<G> {
        Search {
            bonus: Some(bonus),
            ..self
        }
    }

    /// Changes the bonuses for root moves; the tree is kept.
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

    /// Advances the root to `position`, reached by `code`, and keeps that part of the tree.
    /// Excluded moves and restrictions are cleared.
    pub fn advance(&mut self, code: MoveCode, position: G) {
        // Restrictions are relative to the root.
        if std::mem::take(&mut self.restrictions).end_at_root() {
            self.tree.advance(code);
        } else {
            self.tree = Tree::default();
        }
        self.place(position);
    }

    /// Sets the root moves to ignore. Takes effect at once for [`Search::choose`]; the next run
    /// drops their part of the tree.
    pub fn exclude(&mut self, codes: &[MoveCode]) {
        if let Some(root) = &mut self.root {
            root.excluded = codes.to_vec();
        }
    }

    /// Sets the groups of root moves whose priors are averaged.
    pub fn level(&mut self, alike: Vec<Vec<MoveCode>>) {
        if let Some(root) = &mut self.root {
            root.alike = alike;
        }
    }

    /// Sets the moves that the search must not play. Moves forbidden at the root must be excluded
    /// in addition. Drops a tree that was searched under other restrictions.
    pub fn restrict(&mut self, restrictions: &Restrictions) {
        if self.restrictions != *restrictions {
            self.restrictions = restrictions.clone();
            self.clear();
        }
    }

    /// Requests ownership until the next [`Search::set_root`]. Drops a tree without ownership.
    pub fn want_ownership(&mut self) {
        if !self.wants_ownership {
            self.wants_ownership = true;
            self.clear();
        }
    }

    /// Drops the tree but keeps the root, for independence of earlier searches.
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

    /// [`Search::run`] with reports at intervals.
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
            legal: root.legal.as_deref().unwrap_or_default(),
            excluded: &root.excluded,
            restrictions: &self.restrictions,
            wants_ownership: self.wants_ownership,
            evaluator,
            limits,
            stop,
            time: &*self.time,
            usage: self.usage.as_ref(),
        };
        // Moved out of `self`, so that a panic leaves no inconsistent tree behind.
        let mut tree = std::mem::take(&mut self.tree);
        let result = worker::run(&task, &mut tree, start, progress);
        self.tree = tree;
        let ran = result?;
        (self.playouts, self.due, self.is_full) = (ran.playouts, ran.due, ran.is_full);
        Ok(())
    }

    /// Time from the start of the last run at which it was to end, if it ended by time.
    pub fn due(&self) -> Option<Duration> {
        self.due
    }

    /// The results so far; `None` before the first run from this root, unless a tree was kept.
    pub fn report(&self) -> Option<Report> {
        self.report_in(Detail::default())
    }

    /// As [`Search::report`], with options.
    pub fn report_in(&self, detail: Detail) -> Option<Report> {
        let root = self.root.as_ref();
        let legal = root.and_then(|root| root.legal.as_deref());
        Report::of(
            &self.tree,
            &self.params,
            legal.unwrap_or_default(),
            root.map_or(&[], |root| &root.excluded),
            self.playouts,
            self.is_full,
            detail,
        )
    }

    /// The root's legal moves, including excluded ones, in descending order of the prior; none
    /// before the first run.
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
        self.choose_weighted(turn, |_, values| values)
    }

    /// As [`Search::choose`], with the values of the moves that are not excluded changed by `weigh`.
    pub fn choose_weighted(
        &self,
        turn: usize,
        weigh: impl FnOnce(&[MoveCode], Vec<f64>) -> Vec<f64>,
    ) -> Option<MoveCode> {
        let root = self.root.as_ref()?;
        if self.tree.is_empty() {
            return None;
        }
        let node = self.tree.root();
        let mut values = selection_values(&self.tree, &self.params, &root.excluded);
        if values.iter().all(|&value| value == 0.0) {
            values = node.priors.iter().map(|&prior| f64::from(prior)).collect();
            self.tree.prefer_proven(node, &mut values);
        }
        // Moves that were not visited come after the others.
        values.resize(node.moves.len(), 0.0);
        let mut rng = seeded(
            self.params.seed,
            root.position.key(),
            FOR_CHOICE + turn as u64,
        );
        let allowed: Vec<usize> = (0..values.len())
            .filter(|&i| !root.excluded.contains(&node.moves[i]))
            .collect();
        let allowed_values: Vec<f64> = allowed.iter().map(|&i| values[i]).collect();
        let moves: Vec<MoveCode> = allowed.iter().map(|&i| node.moves[i]).collect();
        let weights = weigh(&moves, allowed_values);
        let heat = Heat {
            temperature: self.params.temperature_at(turn),
            below: self.params.temperature_below,
        };
        choose_index(&weights, heat, &mut rng).map(|i| moves[i])
    }

    /// Recomputes the tree and compares: counts, averages, nothing left in flight. The error names
    /// the first difference. For tests.
    pub fn validate(&self) -> Result<(), String> {
        // Corrections use differences to averages that may themselves be corrected.
        let factor = self.params.bias_factor;
        let most = self.params.max_utility() * (1.0 + factor) / (1.0 - factor);
        validate::check(&self.tree, most)
    }

    fn place(&mut self, position: G) {
        self.playouts = 0;
        self.root = Some(Root {
            position,
            legal: None,
            guide: HashMap::new(),
            excluded: Vec::new(),
            alike: Vec::new(),
        });
    }

    /// Drops a tree that a second policy has led where the other side would go.
    fn clear_for_other_side(&mut self) {
        let side = self.root.as_ref().map(|root| root.position.to_move());
        let before = std::mem::replace(&mut self.side, side);
        if before.is_some() && before != side && self.params.is_one_sided() {
            self.clear();
        }
    }

    /// Whether results are proven: if that is wanted, and no move is left out. Drops a tree that was made otherwise.
    fn prepare_proofs(&mut self) -> bool {
        let is_complete =
            |root: &Root<G>| root.excluded.is_empty() && root.position.is_exhaustive();
        let proves = self.params.proves
            && self.restrictions.end_at_root()
            && self.root.as_ref().is_some_and(is_complete);
        if proves != self.tree.valuation().proves {
            if !self.tree.is_empty() {
                self.clear();
            }
            self.tree.set_proves(proves);
        }
        proves
    }

    /// Prepares the root for descents.
    fn prepare(&mut self, evaluator: &dyn Evaluator<G>) -> Result<()> {
        self.clear_for_other_side();
        let proves = self.prepare_proofs();
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
            let (legal, guide) = evaluate_root(request, &mut self.tree, evaluator)?;
            (root.legal, root.guide) = (Some(legal), guide);
        }
        let mut legal: Vec<Candidate> = root.legal.iter().flatten().copied().collect();
        root.alike.iter().for_each(|codes| level(&mut legal, codes));
        let mut rng = seeded(self.params.seed, root.position.key(), FOR_NOISE);
        // Of all moves, so that the others' priors are the same whatever is excluded.
        let mut allowed = root_policy(&legal, &self.params, &mut rng);
        allowed.retain(|c| !root.excluded.contains(&c.code));
        ensure!(!allowed.is_empty(), "every legal move is excluded");
        self.tree.set_root_policy(&allowed);
        self.tree.set_root_guide(&root.guide);
        let node = self.tree.root();
        let (expected_score, errors) = (node.averages.score, node.own.errors);
        self.tree.set_valuation(Valuation {
            proves,
            ..Valuation::new(&self.params, expected_score, errors.is_some())
        });
        let values = RootValues::of(self.tree.root());
        let bonuses = self.bonus.iter();
        let bonuses = bonuses.flat_map(|it| it.bonuses(&root.position, &values));
        self.tree.set_bonuses(Bonuses::new(bonuses.collect()));
        Ok(())
    }
}

/// Replaces the priors of moves by their mean.
fn level(candidates: &mut [Candidate], codes: &[MoveCode]) {
    let alike = candidates.iter_mut().filter(|c| codes.contains(&c.code));
    let mut alike: Vec<&mut Candidate> = alike.collect();
    let sum: f32 = alike.iter().map(|c| c.prior).sum();
    let mean = sum / alike.len().max(1) as f32;
    alike.iter_mut().for_each(|c| c.prior = mean);
}

/// Evaluates the root as such, even if its subtree was kept: some evaluators are more cautious
/// there. Creates the tree if there is none, and returns the legal moves with their priors, and the
/// second policy.
fn evaluate_root<G: Game>(
    request: Request<G>,
    tree: &mut Tree,
    evaluator: &dyn Evaluator<G>,
) -> Result<(Vec<Candidate>, HashMap<MoveCode, f32>)> {
    let to_move = request.position.to_move();
    // So that it joins the others' batch instead of closing it.
    let _present = evaluator.attend();
    let expansion = evaluate(evaluator, &[request])?
        .pop()
        .expect("there is an answer to each request");
    let legal = expansion
        .moves
        .iter()
        .zip(&expansion.priors)
        .map(|(&code, &prior)| Candidate { code, prior })
        .collect();
    let guide = expansion.guide.iter().flat_map(|table| table.0.iter());
    let guide = expansion.moves.iter().zip(guide);
    let guide = guide.map(|(&code, &prior)| (code, prior)).collect();
    if tree.is_empty() {
        tree.plant(to_move, expansion);
    } else {
        tree.set_root_evaluation(expansion);
    }
    Ok((legal, guide))
}
