//! The options of sequential tests.

use anyhow::Result;

use crate::arena::sprt::Sprt;

/// Stopping rule of a match.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct SprtArguments {
    /// End when it is clear whether the first engine is ahead by the first or by the second Elo
    /// difference, as in 0,30
    #[arg(long, value_name = "ELO0,ELO1", value_parser = hypotheses, allow_hyphen_values = true)]
    pub sprt: Option<(f64, f64)>,

    /// Probability of wrongly accepting the second difference
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    pub alpha: f64,

    /// Probability of wrongly accepting the first difference
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    pub beta: f64,
}

impl SprtArguments {
    /// The test, if requested.
    pub fn test(&self) -> Result<Option<Sprt>> {
        let test = |(elo0, elo1)| Sprt::new(elo0, elo1, self.alpha, self.beta);
        self.sprt.map(test).transpose()
    }
}

fn hypotheses(text: &str) -> Result<(f64, f64), String> {
    let numbers = text.split_once(',').and_then(|(low, high)| {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        number(low).zip(number(high))
    });
    numbers.ok_or_else(|| "not two numbers as in 0,30".to_owned())
}
