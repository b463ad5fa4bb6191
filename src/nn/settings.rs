//! What may be set about the way a network is asked, by name and while it plays. Names and ranges
//! are KataGo's where it has the setting.

use super::evaluator::{NetSettings, ROOT_OPTIMISM};
use super::features::{FeatureSettings, MAX_HISTORY};
use super::metadata::HumanProfile;
use super::output::PolicySettings;
use super::symmetry_choice::SymmetryChoice;
use crate::games::rollout::RolloutPolicy;
use crate::go::Color;
use crate::params::{named_setting, parameters};

named_setting!(SymmetryChoice, Color, HumanProfile);

parameters! {
    /// How a player asks its network, as a plain value. The defaults are KataGo's for play.
    NetParams;

    /// The network plays as if one side had 2 to this power times as many playouts as the other;
    /// for networks trained with that.
    playout_doubling_advantage as "playoutDoublingAdvantage": f32 = 0.0, -3 => 3;
    /// The side with the advantage: `black`, `white`, or empty for whoever is to move at the root.
    playout_doubling_advantage_side as "playoutDoublingAdvantagePla": Option<Color> = None, 0 => 0;
    /// Share of the optimistic policy within the tree, in networks that have one.
    policy_optimism as "policyOptimism": f32 = 1.0, 0 => 1;
    /// The same at the root.
    root_policy_optimism as "rootPolicyOptimism": f32 = ROOT_OPTIMISM, 0 => 1;
    /// Temperature: the policy's logits are divided by it.
    policy_temperature as "nnPolicyTemperature": f32 = 1.0, 0.01 => 5;
    /// Symmetries shown to the network: `random`, `average`, `none`, or a number from 0 to 7.
    symmetries: SymmetryChoice = SymmetryChoice::Random, 0 => 0;
    /// Number of symmetries averaged at the root, the first of them as `symmetries` says.
    root_symmetries as "rootNumSymmetriesToSample": u32 = 1, 1 => 8;
    /// Seed of random symmetries.
    symmetry_seed as "symmetrySeed": u64 = 0, 0 => u64::MAX;
    /// Hide from the network at the root that a pass would end the game.
    conservative_pass as "conservativePass": bool = true, 0 => 0;
    /// Hide it also where that pass would lose the game.
    passing_hacks as "enablePassingHacks": bool = true, 0 => 0;
    /// Hide the previous moves from the network.
    ignore_all_history as "ignoreAllHistory": bool = false, 0 => 0;
    /// What a draw is worth to White, in wins.
    draw_value as "drawEquivalentWinsForWhite": f32 = 0.5, 0 => 1;
    /// Weight of a rollout's result in each value; for weak networks.
    rollout_mix as "rolloutMix": f32 = 0.0, 0 => 1;
    /// Policy of these rollouts: `uniform`, `light`, or `learned` from game records.
    rollout_mix_policy as "rolloutMixPolicy": RolloutPolicy = RolloutPolicy::Uniform, 0 => 0;
    /// Whom to imitate: `rank_5k` (from `rank_20k` to `rank_9d`), `rank_5k_3d` for Black and White,
    /// `preaz_5k` before AlphaZero, professionals as in `proyear_1990`, or empty; for networks trained
    /// on human games.
    human_profile as "humanSLProfile": Option<HumanProfile> = None, 0 => 0;
}

impl NetParams {
    /// What this means for a search whose root has `mover` to move, with a network that takes a
    /// profile or does not.
    pub fn settings(&self, mover: Color, takes_profile: bool) -> NetSettings {
        let policy = |optimism| PolicySettings {
            optimism,
            temperature: self.policy_temperature,
            bound_pass: true,
        };
        NetSettings {
            features: self.features(mover),
            root_policy: policy(self.root_policy_optimism),
            policy: policy(self.policy_optimism),
            symmetry: self.symmetries,
            symmetry_seed: self.symmetry_seed,
            root_symmetries: self.root_symmetries as usize,
            profile: self.human_profile.filter(|_| takes_profile),
        }
    }

    fn features(&self, mover: Color) -> FeatureSettings {
        FeatureSettings {
            conservative_pass: self.conservative_pass,
            hide_losing_pass: self.passing_hacks,
            max_history: if self.ignore_all_history {
                0
            } else {
                MAX_HISTORY
            },
            playout_doubling_advantage: self.advantage_of_black(mover),
            draw_value: self.draw_value,
            ..FeatureSettings::default()
        }
    }

    /// The advantage seen by Black, where `mover` is to move at the root.
    pub fn advantage_of_black(&self, mover: Color) -> f32 {
        match self.playout_doubling_advantage_side.unwrap_or(mover) {
            Color::Black => self.playout_doubling_advantage,
            Color::White => -self.playout_doubling_advantage,
        }
    }
}

impl Default for NetSettings {
    /// What KataGo uses for playing.
    fn default() -> NetSettings {
        NetParams::default().settings(Color::Black, false)
    }
}
