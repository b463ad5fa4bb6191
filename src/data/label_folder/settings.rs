//! Settings of the labels of a folder: `settings.json`.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::super::collection::Part;
use super::super::plan::SizeMix;
use super::super::sampler::SamplerSettings;
use crate::files;

/// Version of the labelling method, which is the same for all shards of a folder.
const SETTINGS_VERSION: u32 = 5;

/// Settings of the labels in a folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelSettings {
    /// Version of the method.
    pub version: u32,
    /// Random seed.
    pub seed: u64,
    /// A shard ends with the game in which it reaches this many labels.
    pub labels_per_shard: usize,
    /// Board sizes with their fractions, as `19x19:50`.
    pub sizes: Vec<String>,
    /// Which part of the games.
    pub part: Part,
    /// Fraction of held-out games.
    pub held_out: f64,
    /// Whether ownership is stored.
    pub ownership: bool,
    /// Fraction of labels from recorded games, if not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_share: Option<f64>,
    /// Sources of games whose moves should not be imitated.
    pub not_imitated: Vec<String>,
    /// Side positions per labelled position of an even game.
    pub side_positions: f64,
    /// Maximal labelled moves at the end of each side line, if more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub siblings: Option<usize>,
    /// Minimal occupancy of boards, if limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_occupancy: Option<f64>,
    /// Fraction of recorded games with a cyclic group put on them, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rings: Option<f64>,
    /// The teacher.
    pub teacher: NetIdentity,
    /// The separate player of the teacher's games, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<NetIdentity>,
    /// The recorded games.
    pub games: GamesIdentity,
}

/// A network that labels or plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetIdentity {
    /// Name in the network's file.
    pub name: String,
    /// SHA-256 of the network's file, in hexadecimal.
    pub sha256: String,
    /// Number format of its large layers.
    pub precision: String,
}

/// The recorded games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesIdentity {
    /// Number of games.
    pub count: usize,
    /// See [`Collection::digest`](super::super::collection::Collection::digest).
    pub digest: String,
}

impl LabelSettings {
    /// With the current version.
    pub fn new(
        sampler: &SamplerSettings,
        sizes: &SizeMix,
        teacher: NetIdentity,
        player: Option<NetIdentity>,
        games: GamesIdentity,
    ) -> LabelSettings {
        LabelSettings {
            version: SETTINGS_VERSION,
            seed: sampler.seed,
            labels_per_shard: sampler.labels,
            sizes: sizes.texts(),
            part: sampler.part,
            held_out: sampler.held_out,
            ownership: sampler.ownership,
            game_share: sampler.game_share,
            not_imitated: sampler.not_imitated.clone(),
            side_positions: sampler.side_positions,
            siblings: Some(sampler.siblings).filter(|siblings| *siblings > 1),
            min_occupancy: Some(sampler.min_occupancy).filter(|least| *least > 0.0),
            rings: Some(sampler.rings).filter(|share| *share > 0.0),
            teacher,
            player,
            games,
        }
    }

    /// A prefix of the SHA-256 of the file's text.
    pub fn digest(&self) -> Result<[u8; 8]> {
        let text = files::json_text(self)?;
        Ok(files::sha256_prefix(&[text.as_bytes()]))
    }

    /// The first eight bytes of the SHA-256 of the teacher's file.
    pub(super) fn teacher_digest(&self) -> Result<[u8; 8]> {
        let digits = self.teacher.sha256.get(..16);
        let digits = digits.context("a SHA-256 that is too short")?;
        Ok(u64::from_str_radix(digits, 16)?.to_be_bytes())
    }
}
