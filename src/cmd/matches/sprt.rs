//! The options of sequential tests.

use anyhow::{Result, ensure};

use crate::arena::sprt::Sprt;

/// Stopping rule of a match.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct SprtArguments {
    /// Sequential test: end as soon as it is clear whether the first engine is ELO0 or ELO1 stronger, as in 0,30
    #[arg(long, value_name = "ELO0,ELO1", value_parser = hypotheses, allow_hyphen_values = true)]
    pub sprt: Option<(f64, f64)>,

    /// Accepted risk of finding ELO1 where it is ELO0; by default 0.05
    #[arg(long, value_name = "P")]
    pub alpha: Option<f64>,

    /// Accepted risk of finding ELO0 where it is ELO1; by default 0.05
    #[arg(long, value_name = "P")]
    pub beta: Option<f64>,
}

/// Both probabilities where nothing else is said.
const ERROR: f64 = 0.05;

impl SprtArguments {
    /// The test, if requested.
    pub fn test(&self) -> Result<Option<Sprt>> {
        ensure!(
            self.sprt.is_some() || self.alpha.is_none() && self.beta.is_none(),
            "--alpha and --beta belong to a test: see --sprt"
        );
        self.sprt
            .map(|hypotheses| self.test_of(hypotheses))
            .transpose()
    }

    /// The test of two differences.
    pub fn test_of(&self, (elo0, elo1): (f64, f64)) -> Result<Sprt> {
        let [alpha, beta] = [self.alpha, self.beta].map(|error| error.unwrap_or(ERROR));
        Sprt::new(elo0, elo1, alpha, beta)
    }
}

fn hypotheses(text: &str) -> Result<(f64, f64), String> {
    let numbers = text.split_once(',').and_then(|(low, high)| {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        number(low).zip(number(high))
    });
    numbers.ok_or_else(|| "not two numbers as in 0,30".to_owned())
}
