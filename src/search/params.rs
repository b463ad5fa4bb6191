//! The parameters of the search, each declared once: name, type, default, range and meaning.
//!
//! "KataGo" in a source means what its GTP program uses when nothing else is configured.

use crate::params::{named_choices, parameters};

/// Selection rule for edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionRule {
    /// Priors guide exploration (Rosin 2011; Silver et al. 2017).
    Puct,
    /// UCB1 (Auer et al. 2002): every untried move first, then mean + c·sqrt(ln N / n). Moves with
    /// prior 0 are never tried unless every move has prior 0.
    Ucb1,
    /// UCB1 on values mixed with all-moves-as-first values, as long as little else is known (RAVE:
    /// Gelly and Silver 2007). Needs an evaluator that plays games out.
    Rave,
}

named_choices!(SelectionRule by eq { Puct = "puct", Ucb1 = "ucb1", Rave = "rave" });

parameters! {
    /// All settings of a search. Defaults are KataGo's settings for play, as far as this search has
    /// them.
    SearchParams;

    /// Selection rule: `puct`, `ucb1` or `rave`.
    rule: SelectionRule = SelectionRule::Puct, 0 => 0;
    /// Exploration constant of PUCT on utilities in [-1, 1]. KataGo: 1.0.
    cpuct as "cpuctExploration": f64 = 1.0, 0 => 100;
    /// Growth of the exploration constant with the logarithm of the weight. KataGo: 0.45.
    cpuct_log as "cpuctExplorationLog": f64 = 0.45, 0 => 100;
    /// Weight from which that growth sets in. KataGo: 500.
    cpuct_base as "cpuctExplorationBase": f64 = 500.0, 1 => 1e9;
    /// How strongly exploration scales with the standard deviation of utility below a node; 0 is
    /// off. KataGo: 0.85.
    utility_stdev_scale as "cpuctUtilityStdevScale": f64 = 0.85, 0 => 1;
    /// Prior standard deviation of utility. KataGo: 0.40.
    utility_stdev_prior as "cpuctUtilityStdevPrior": f64 = 0.40, 1e-8 => 10;
    /// Weight of that prior, in visits. KataGo: 2.
    utility_stdev_prior_weight as "cpuctUtilityStdevPriorWeight": f64 = 2.0, 0 => 1e6;
    /// Exploration constant of UCB1, on values scaled to [0, 1]. Many Faces of Go: 0.45.
    ucb1_exploration as "ucb1Exploration": f64 = 0.45, 0 => 100;
    /// Visits of a move at which its own value and its RAVE value count the same, under the rule
    /// `rave`. Gelly and Silver: 1000; but 150 did better in 500 visits on 9x9.
    rave_equivalence as "raveEquivalence": f64 = 150.0, 1 => 1e9;
    /// Whether an unvisited move starts from its parent's value; otherwise from an even game
    /// (AlphaZero).
    fpu_from_parent as "fpuFromParent": bool = true, 0 => 0;
    /// Reduction of an unvisited move's value, times the square root of the visited prior.
    /// KataGo: 0.2.
    fpu_reduction as "fpuReductionMax": f64 = 0.2, 0 => 2;
    /// The same at the root; taken as 0 while root noise is on. KataGo: 0.1.
    root_fpu_reduction as "rootFpuReductionMax": f64 = 0.1, 0 => 2;
    /// Power of the visited prior with which the parent's average replaces its own evaluation as
    /// the value of an unvisited move. KataGo: 2.
    fpu_parent_power as "fpuParentWeightByVisitedPolicyPow": f64 = 2.0, 0 => 8;
    /// Weight of one playout in flight as a visit. KataGo: 1.
    virtual_loss as "numVirtualLossesPerThread": f64 = 1.0, 0 => 1000;
    /// Whether playouts in flight also count as losses. KataGo: true.
    virtual_loss_in_value as "virtualLossInValue": bool = true, 0 => 0;
    /// Weight of winning in the utility. KataGo: 1.
    win_loss_factor as "winLossUtilityFactor": f64 = 1.0, 0 => 10;
    /// Utility of a game without result, for the second player. KataGo: 0.
    no_result_utility as "noResultUtilityForWhite": f64 = 0.0, -10 => 10;
    /// Weight of the score itself in the utility. KataGo: 0.1.
    static_score_factor as "staticScoreUtilityFactor": f64 = 0.1, 0 => 10;
    /// Width of the static score's curve, in units of the board's side. KataGo: 2.
    static_score_width as "staticScoreWidth": f64 = 2.0, 0.01 => 100;
    /// Weight of the score relative to the one expected at the root. KataGo: 0.3.
    dynamic_score_factor as "dynamicScoreUtilityFactor": f64 = 0.3, 0 => 10;
    /// Width of the dynamic score's curve in units of the board's side. KataGo: 0.75.
    dynamic_score_width as "dynamicScoreCenterScale": f64 = 0.75, 0.01 => 100;
    /// Fraction by which the center of the dynamic score is moved from the expected score towards
    /// 0. KataGo: 0.20.
    dynamic_score_zero_weight as "dynamicScoreCenterZeroWeight": f64 = 0.2, 0 => 1;
    /// Error of a leaf's utility at which it counts as one sample; more certain leaves count for
    /// more. 0 is off; ignored if the evaluator gives no error estimates. KataGo: 0.25.
    uncertainty_coefficient as "uncertaintyCoeff": f64 = 0.25, 0 => 100;
    /// Power of the error in that weight. KataGo: 1.
    uncertainty_exponent as "uncertaintyExponent": f64 = 1.0, 0 => 10;
    /// Weight of a leaf that is certain. KataGo: 8.
    uncertainty_max_weight as "uncertaintyMaxWeight": f64 = 8.0, 0.01 => 1000;
    /// Gap in utility by which a child visited beyond its prior must be worse than earlier ones to
    /// lose most of the surplus in its parent's average; 0 is off. KataGo: 0.15.
    noise_prune_scale as "noisePruneUtilityScale": f64 = 0.15, 0 => 100;
    /// Power of a child's chance to be better than average by which it counts for more in its
    /// parent's average; 0 is off. KataGo: 0.25.
    value_weight_exponent as "valueWeightExponent": f64 = 0.25, 0 => 10;
    /// Fraction of the observed error at a local pattern that is subtracted from evaluations at
    /// that pattern; 0 is off. KataGo: 0.45.
    bias_factor as "subtreeValueBiasFactor": f64 = 0.45, 0 => 1;
    /// Power of a node's weight with which it contributes to the error of its pattern. KataGo:
    /// 0.85.
    bias_exponent as "subtreeValueBiasWeightExponent": f64 = 0.85, 0 => 1;
    /// Fraction of a node's contribution that is removed with the node. KataGo: 0.8.
    bias_free_share as "subtreeValueBiasFreeProp": f64 = 0.8, 0 => 1;
    /// Temperature of the root's policy: priors are raised to its reciprocal. KataGo: 1 in play, 1.25 to 1.1 in self-play.
    root_policy_temperature as "rootPolicyTemperature": f64 = 1.0, 0.01 => 100;
    /// Fraction of Dirichlet noise in the root's policy; 0 is off. KataGo's self-play: 0.25.
    noise_weight as "rootDirichletNoiseWeight": f64 = 0.0, 0 => 1;
    /// Sum of the Dirichlet parameters over the legal moves. KataGo: 10.83 on 19x19, less in
    /// proportion to the area.
    noise_concentration as "rootDirichletNoiseTotalConcentration": f64 = 10.83, 0.001 => 1e6;
    /// Whether half of the concentration goes to moves with a plausible prior. KataGo: true.
    noise_is_shaped as "rootDirichletNoiseIsShaped": bool = true, 0 => 0;
    /// Whether transpositions share a node, where the game says that this is safe. KataGo: true.
    graph_search as "useGraphSearch": bool = true, 0 => 0;
    /// Probability that a visit selects the root's move by the policy of the network of human play
    /// (`--human-model`, where `humanSLProfile` says whom to imitate) and counts for that move only, but not
    /// for the value of the position. KataGo: 0.
    guide_root_weightless as "humanSLRootExploreProbWeightless": f64 = 0.0, 0 => 1;
    /// The same with visits that count as all others do. KataGo: 0.
    guide_root_weightful as "humanSLRootExploreProbWeightful": f64 = 0.0, 0 => 1;
    /// As `humanSLRootExploreProbWeightless`, in later positions with the same side to move. KataGo: 0.
    guide_mover_weightless as "humanSLPlaExploreProbWeightless": f64 = 0.0, 0 => 1;
    /// The same with visits that count as all others do. KataGo: 0.
    guide_mover_weightful as "humanSLPlaExploreProbWeightful": f64 = 0.0, 0 => 1;
    /// As `humanSLRootExploreProbWeightless`, in positions with the opponent to move. KataGo: 0.
    guide_opponent_weightless as "humanSLOppExploreProbWeightless": f64 = 0.0, 0 => 1;
    /// The same with visits that count as all others do. KataGo: 0.
    guide_opponent_weightful as "humanSLOppExploreProbWeightful": f64 = 0.0, 0 => 1;
    /// Exploration constant of such visits. KataGo: 1.
    guide_cpuct as "humanSLCpuctExploration": f64 = 1.0, 0 => 1000;
    /// A part of that constant that grows with the square root of the weight, so that moves which lose less
    /// utility than this always get visits. KataGo: 0.
    guide_cpuct_permanent as "humanSLCpuctPermanent": f64 = 0.0, 0 => 1000;
    /// Random bonus on the values of root moves, which widens the search there; 0 is off. KataGo: 0
    /// in play, 0.04 in analysis.
    wide_root_noise as "wideRootNoise": f64 = 0.0, 0 => 5;
    /// Whether results that are certain are passed on to parents, so that visits end where the result is proven; not
    /// while moves are excluded. KataGo: no such setting.
    proves as "provenValues": bool = false, 0 => 0;
    /// Whether move selection only counts visits that would still be made in retrospect. KataGo:
    /// true.
    choice_trim as "choiceTrim": bool = true, 0 => 0;
    /// Width of a move's lower confidence bound in standard deviations; the move with the best
    /// bound is favored. 0 is off. KataGo: 5.
    lcb_deviations as "lcbStdevs": f64 = 5.0, 0 => 100;
    /// Smallest fraction of the best move's weight that a move needs for that. KataGo: 0.15.
    lcb_min_share as "minVisitPropForLCB": f64 = 0.15, 0 => 1;
    /// Temperature of move selection at the start of the game; 0 is always the best move. KataGo:
    /// 0.5.
    temperature_early as "chosenMoveTemperatureEarly": f64 = 0.5, 0 => 100;
    /// Temperature of move selection late in the game. KataGo: 0.1.
    temperature as "chosenMoveTemperature": f64 = 0.1, 0 => 100;
    /// Turns of the game until half of the change from early to late. KataGo: 19 on 19x19, less in
    /// proportion to the side.
    temperature_halflife as "chosenMoveTemperatureHalflife": f64 = 19.0, 0.01 => 1e9;
    /// Only moves less probable than this before the temperature are subject to it. KataGo: 1.
    temperature_below as "chosenMoveTemperatureOnlyBelowProb": f64 = 1.0, 0 => 1;
    /// Moves with less than this many visits (or than 1/64 of the most visited) are not chosen.
    /// KataGo: 1.
    choice_prune as "chosenMovePrune": f64 = 1.0, 0 => 1e10;
    /// Visits (1/64 of the most visited's at most) that each move lacks when one is chosen. KataGo: 0.
    choice_subtract as "chosenMoveSubtract": f64 = 0.0, 0 => 1e10;
    /// Search threads.
    threads as "numSearchThreads": u32 = 1, 1 => 1024;
    /// Leaves per batch of a thread.
    batch_size as "batchSize": u32 = 1, 1 => 4096;
    /// Visits without evaluation that a thread may make while gathering, per leaf that can be in
    /// flight. lc0: 2.4.
    free_visit_factor as "freeVisitFactor": f64 = 2.4, 0 => 1000;
    /// Memory limit of the tree in bytes; a search that reaches it ends.
    max_tree_bytes as "maxTreeBytes": u64 = 1 << 31, 1 << 12 => 1_u64 << 50;
    /// Random seed of root noise and move selection.
    seed: u64 = 0, 0 => u64::MAX;

    by_code {
        /// Points per unit of score: the square root of the board's area. 0 means that the game has
        /// no score, which disables both score factors.
        score_scale: f64 = 0.0;
    }
}

impl SearchParams {
    /// KataGo's search with plain averages of visits: no weights by certainty or value, no noise
    /// pruning, no bias correction, no exploration by standard deviation, no transpositions. The
    /// score still counts, and lower confidence bounds still choose the move; temperature 0.
    pub fn plain() -> SearchParams {
        SearchParams {
            utility_stdev_scale: 0.0,
            uncertainty_coefficient: 0.0,
            noise_prune_scale: 0.0,
            value_weight_exponent: 0.0,
            bias_factor: 0.0,
            graph_search: false,
            temperature_early: 0.0,
            temperature: 0.0,
            ..SearchParams::default()
        }
    }

    /// PUCT as in the first replicas of AlphaGo and AlphaZero: constant 5, untried moves valued as
    /// even, averages of visits, the most visited move.
    pub fn alphazero() -> SearchParams {
        SearchParams {
            cpuct: 5.0,
            cpuct_log: 0.0,
            fpu_from_parent: false,
            fpu_reduction: 0.0,
            root_fpu_reduction: 0.0,
            static_score_factor: 0.0,
            dynamic_score_factor: 0.0,
            choice_trim: false,
            lcb_deviations: 0.0,
            ..SearchParams::plain()
        }
    }

    /// UCT: UCB1 over the results of rollouts (Kocsis and Szepesvári 2006).
    pub fn uct() -> SearchParams {
        SearchParams {
            rule: SelectionRule::Ucb1,
            ..SearchParams::alphazero()
        }
    }

    /// These parameters, which are for 19x19, adapted to a board of this area: the score counts in
    /// board sides, the temperature of move selection decays with the side, root noise grows with
    /// the area (as in KataGo).
    pub fn for_board(&self, area: usize) -> SearchParams {
        let side = (area as f64).sqrt();
        SearchParams {
            score_scale: side,
            temperature_halflife: self.temperature_halflife * side / 19.0,
            noise_concentration: self.noise_concentration * area as f64 / 361.0,
            ..*self
        }
    }

    /// UCT with RAVE, which needs less exploration: 0.3 won 10 of 10 games on 9x9 against UCT with
    /// 500 visits, 0.05 none of 7.
    pub fn rave() -> SearchParams {
        SearchParams {
            rule: SelectionRule::Rave,
            ucb1_exploration: 0.3,
            ..SearchParams::uct()
        }
    }

    /// PUCT over results of rollouts whose policy is good enough to guide the search too. On 9x9 200 visits with
    /// the learned policy won 57 of 58 games against RAVE with 1400 uniform ones, which take as long; RAVE with
    /// 200 learned ones won 7 of 39.
    pub fn guided_rollouts() -> SearchParams {
        SearchParams {
            cpuct: 1.5,
            ..SearchParams::alphazero()
        }
    }

    /// Whether the evaluator should return the games it plays out.
    pub(super) fn wants_games(&self) -> bool {
        self.rule == SelectionRule::Rave
    }

    /// Whether the score counts besides winning.
    pub(super) fn counts_score(&self) -> bool {
        self.score_factors() != (0.0, 0.0)
    }

    /// Maximal utility: the sum of the factors in use. Not 0 even if they are, so that values can be
    /// scaled by it.
    pub fn max_utility(&self) -> f64 {
        let (fixed, dynamic) = self.score_factors();
        (self.win_loss_factor + fixed + dynamic).max(f64::MIN_POSITIVE)
    }

    /// Maximal number of leaves in flight.
    pub fn lanes(&self) -> u32 {
        self.threads.saturating_mul(self.batch_size).max(1)
    }

    /// Static and dynamic score factor, both 0 without a score.
    pub(super) fn score_factors(&self) -> (f64, f64) {
        if self.score_scale > 0.0 {
            (self.static_score_factor, self.dynamic_score_factor)
        } else {
            (0.0, 0.0)
        }
    }

    /// Temperature for choosing the move of turn `turn` of the game, counted from 0: it decays
    /// exponentially from the early to the late one.
    pub fn temperature_at(&self, turn: usize) -> f64 {
        let half_lives = turn as f64 / self.temperature_halflife;
        self.temperature + (self.temperature_early - self.temperature) * (-half_lives).exp2()
    }
}
