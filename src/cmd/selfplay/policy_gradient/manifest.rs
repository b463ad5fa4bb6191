//! Settings of policy gradients in a run: `policy-gradient.json`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::komi_of;
use crate::files;
use crate::files::difference::difference;
use crate::go::{BoardSize, Komi};
use crate::params::Parameters;
use crate::selfplay::policy_params::PolicyGradientParams;

/// Its name.
pub const FILE: &str = "policy-gradient.json";
/// Settings that may change when a run resumes.
const FREE: [&str; 1] = ["final_games"];

/// Settings that are fixed once a run has begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Side of the board.
    side: usize,
    /// In points.
    komi: f32,
    /// [`PolicyGradientParams`] as text.
    params: BTreeMap<String, String>,
    pub seed: u64,
}

impl Manifest {
    pub fn new(
        size: BoardSize,
        komi: Option<Komi>,
        params: &PolicyGradientParams,
        seed: u64,
    ) -> Manifest {
        let params = params.list().into_iter();
        let params = params.filter(|entry| !FREE.contains(&entry.name));
        Manifest {
            side: size.width(),
            komi: komi_of(komi).points(),
            params: params
                .map(|entry| (entry.name.to_owned(), entry.value))
                .collect(),
            seed,
        }
    }

    pub fn read(run: &Path) -> Result<Manifest> {
        files::read_json(&run.join(FILE))
    }

    pub fn write(&self, run: &Path) -> Result<()> {
        files::write_json(&run.join(FILE), self, true)
    }

    /// It is an error if a run would go on with other settings.
    pub fn check(&self, run: &Path, wanted: &Manifest) -> Result<()> {
        if let Some(difference) = difference(self, wanted)? {
            let run = run.display();
            bail!("{run} was begun otherwise, which cannot be changed: {difference}");
        }
        Ok(())
    }

    pub fn size(&self) -> Result<BoardSize> {
        BoardSize::new(self.side, self.side).context("an impossible board size")
    }

    pub fn komi(&self) -> Result<Komi> {
        Komi::from_points(self.komi.into()).context("an impossible komi")
    }
}
