//! Names that parameters had in earlier versions, and KataGo's switches.

/// KataGo's switches that are on by default: the name, and the parameter with its value that stand for it being off.
pub const SWITCHES: [(&str, (&str, &str)); 3] = [
    ("useLcbForSelection", ("lcbStdevs", "0")),
    ("useUncertainty", ("uncertaintyCoeff", "0")),
    ("useNoisePruning", ("noisePruneUtilityScale", "0")),
];

/// The current name of a parameter, given an old one.
pub fn renamed(name: &str) -> Option<&'static str> {
    let mut names = RENAMED.iter();
    names
        .find(|(old, _)| *old == name)
        .map(|(_, current)| *current)
}

/// Old and current names.
const RENAMED: [(&str, &str); 55] = [
    ("cpuct", "cpuctExploration"),
    ("cpuct_log", "cpuctExplorationLog"),
    ("cpuct_base", "cpuctExplorationBase"),
    ("spread_scale", "cpuctUtilityStdevScale"),
    ("spread_prior", "cpuctUtilityStdevPrior"),
    ("spread_prior_weight", "cpuctUtilityStdevPriorWeight"),
    ("ucb1_exploration", "ucb1Exploration"),
    ("rave_equivalence", "raveEquivalence"),
    ("fpu_from_parent", "fpuFromParent"),
    ("fpu_reduction", "fpuReductionMax"),
    ("root_fpu_reduction", "rootFpuReductionMax"),
    ("fpu_parent_power", "fpuParentWeightByVisitedPolicyPow"),
    ("virtual_loss", "numVirtualLossesPerThread"),
    ("virtual_loss_in_value", "virtualLossInValue"),
    ("win_loss_factor", "winLossUtilityFactor"),
    ("no_result_utility", "noResultUtility"),
    ("static_score_factor", "staticScoreUtilityFactor"),
    ("static_score_width", "staticScoreWidth"),
    ("dynamic_score_factor", "dynamicScoreUtilityFactor"),
    ("dynamic_score_width", "dynamicScoreCenterScale"),
    ("dynamic_score_zero_weight", "dynamicScoreCenterZeroWeight"),
    ("uncertainty_coefficient", "uncertaintyCoeff"),
    ("uncertainty_exponent", "uncertaintyExponent"),
    ("uncertainty_max_weight", "uncertaintyMaxWeight"),
    ("noise_prune_scale", "noisePruneUtilityScale"),
    ("value_weight_exponent", "valueWeightExponent"),
    ("bias_factor", "subtreeValueBiasFactor"),
    ("bias_exponent", "subtreeValueBiasWeightExponent"),
    ("bias_free_share", "subtreeValueBiasFreeProp"),
    ("root_policy_temperature", "rootPolicyTemperature"),
    ("noise_weight", "rootDirichletNoiseWeight"),
    (
        "noise_concentration",
        "rootDirichletNoiseTotalConcentration",
    ),
    ("noise_is_shaped", "rootDirichletNoiseIsShaped"),
    ("graph_search", "useGraphSearch"),
    ("wide_root_noise", "wideRootNoise"),
    ("ending_bonus", "rootEndingBonusPoints"),
    ("avoid_repeating", "avoidRepeating"),
    ("choice_trim", "choiceTrim"),
    ("lcb_deviations", "lcbStdevs"),
    ("lcb_min_share", "minVisitPropForLCB"),
    ("temperature_early", "chosenMoveTemperatureEarly"),
    ("temperature", "chosenMoveTemperature"),
    ("temperature_halflife", "chosenMoveTemperatureHalflife"),
    ("choice_prune", "chosenMovePrune"),
    ("threads", "numSearchThreads"),
    ("batch_size", "batchSize"),
    ("free_visit_factor", "freeVisitFactor"),
    ("max_tree_bytes", "maxTreeBytes"),
    ("default_visits", "defaultVisits"),
    ("default_time", "defaultTime"),
    ("early_stop", "earlyStop"),
    ("judging_visits", "judgingVisits"),
    ("symmetry_seed", "symmetrySeed"),
    ("rollout_mix", "rolloutMix"),
    ("rollout_policy", "rolloutPolicy"),
];
