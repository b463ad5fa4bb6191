//! What a network is asked, for one position and for those of a search.

use crate::go::Symmetry;
use crate::nn::features::FeatureSettings;
use crate::nn::metadata::HumanProfile;
use crate::nn::output::PolicySettings;
use crate::nn::symmetry_choice::SymmetryChoice;

/// Share of the optimistic policy at the root, and in `kata-raw-nn`; in the tree it is 1. (KataGo's
/// choices.)
pub(in crate::nn) const ROOT_OPTIMISM: f32 = 0.2;

/// How a network evaluates a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetRequest {
    /// Choices about the inputs.
    pub features: FeatureSettings,
    /// How the policy is read.
    pub policy: PolicySettings,
    /// The symmetry of the board that it sees.
    pub symmetry: Symmetry,
    /// Whether ownership is asked for; an answer without it is read faster.
    pub wants_ownership: bool,
}

impl NetRequest {
    /// KataGo's for `kata-raw-nn`.
    pub fn raw(symmetry: Symmetry) -> NetRequest {
        NetRequest {
            features: FeatureSettings::default(),
            policy: PolicySettings {
                optimism: ROOT_OPTIMISM,
                ..PolicySettings::default()
            },
            symmetry,
            wants_ownership: true,
        }
    }

    /// The same for a number of symmetries, 1 to 8, its own first.
    pub(super) fn with_symmetries(self, count: usize) -> impl Iterator<Item = NetRequest> {
        let others = Symmetry::all().take(count);
        others.map(move |other| NetRequest {
            symmetry: Symmetry::new(self.symmetry.number() ^ other.number()).expect("three bits"),
            ..self
        })
    }
}

/// How a network evaluates the positions of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetSettings {
    /// Choices about the inputs. `conservative_pass` is meant for the root and ignored elsewhere.
    pub features: FeatureSettings,
    /// How the policy is read at the root.
    pub root_policy: PolicySettings,
    /// How the policy is read elsewhere.
    pub policy: PolicySettings,
    /// The symmetries that are evaluated.
    pub symmetry: SymmetryChoice,
    /// Makes runs with random symmetries differ.
    pub symmetry_seed: u64,
    /// Number of random symmetries, 1 to 8, averaged at the root.
    pub root_symmetries: usize,
    /// The rank to imitate; for networks trained on human games, and only those.
    pub profile: Option<HumanProfile>,
}
