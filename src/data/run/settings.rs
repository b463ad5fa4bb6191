//! What the labels of a folder are made of: `settings.json`.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::super::collection::Part;
use super::super::plan::SizeMix;
use super::super::sampler::SamplerSettings;

/// Of the way labels are made: shards of one folder must have been made in one way. Until version 4
/// half of the positions of a game of the teacher's were kept, with a player too.
const SETTINGS_VERSION: u32 = 5;

/// What the labels of a run are made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSettings {
    /// Of the way labels are made.
    pub version: u32,
    /// Of everything random.
    pub seed: u64,
    /// A shard ends with the game that brings it to so many labels.
    pub labels_per_shard: usize,
    /// Board sizes with their shares, as `19x19:50`.
    pub sizes: Vec<String>,
    /// Which games are looked at.
    pub part: Part,
    /// Share of games held out.
    pub held_out: f64,
    /// Whether ownership is kept.
    pub ownership: bool,
    /// Share of labels from games as they were played, if not the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_share: Option<f64>,
    /// Sources of games whose moves are not to be imitated.
    pub not_imitated: Vec<String>,
    /// How often a labelled position of an even game is left for others off the line. Not told before
    /// version 4; version 3 left 30 % of all.
    #[serde(default, alias = "detours", skip_serializing_if = "Option::is_none")]
    pub side_positions: Option<f64>,
    /// How many moves from the end of each side line are labelled at most, if more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub siblings: Option<usize>,
    /// How full boards are at least, if that matters.
    #[serde(
        default,
        alias = "fullness_from",
        skip_serializing_if = "Option::is_none"
    )]
    pub min_occupancy: Option<f64>,
    /// Who labels.
    pub teacher: NetCard,
    /// Who makes moves in the teacher's games besides, if anybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<NetCard>,
    /// Which games there are.
    pub games: GamesCard,
}

/// A network that labels or plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetCard {
    /// The name its makers gave it.
    pub name: String,
    /// Of its file, in hexadecimal.
    pub sha256: String,
    /// Number format that its large layers were computed in.
    pub precision: String,
}

impl NetCard {
    /// Folders of earlier versions say `auto`, which may be any format; they are gone on with.
    pub fn keep_unknown_precision(&mut self, known: &NetCard) {
        if known.precision == "auto" {
            self.precision.clone_from(&known.precision);
        }
    }
}

/// Which games there are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesCard {
    /// How many.
    pub count: usize,
    /// See [`Collection::digest`](super::super::collection::Collection::digest).
    pub digest: String,
}

impl RunSettings {
    /// With the version of this program.
    pub fn new(
        sampler: &SamplerSettings,
        sizes: &SizeMix,
        teacher: NetCard,
        player: Option<NetCard>,
        games: GamesCard,
    ) -> RunSettings {
        RunSettings {
            version: SETTINGS_VERSION,
            seed: sampler.seed,
            labels_per_shard: sampler.labels,
            sizes: sizes.texts(),
            part: sampler.part,
            held_out: sampler.held_out,
            ownership: sampler.ownership,
            game_share: sampler.game_share,
            not_imitated: sampler.not_imitated.clone(),
            side_positions: Some(sampler.side_positions),
            siblings: Some(sampler.siblings).filter(|siblings| *siblings > 1),
            min_occupancy: Some(sampler.min_occupancy).filter(|least| *least > 0.0),
            teacher,
            player,
            games,
        }
    }

    /// The contents of their file.
    pub(super) fn text(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// The beginning of the SHA-256 of their text.
    pub fn digest(&self) -> Result<[u8; 8]> {
        let digest = Sha256::digest(self.text()?);
        Ok(digest[..8].try_into().expect("eight bytes"))
    }

    /// The first eight bytes of the SHA-256 of the teacher's file.
    pub(super) fn teacher_digest(&self) -> Result<[u8; 8]> {
        let digits = self.teacher.sha256.get(..16);
        let digits = digits.context("a SHA-256 that is too short")?;
        Ok(u64::from_str_radix(digits, 16)?.to_be_bytes())
    }
}
