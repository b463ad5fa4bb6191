//! Moves as humans play them: the search's choice is mixed with the policy of a network of human play, as
//! KataGo mixes them (searchresults.cpp, version 1.16).

use std::collections::HashMap;

use anyhow::Result;

use super::super::evaluators::Evaluators;
use super::SearchPlayer;
use super::variety::turns_behind;
use crate::games::go::decode;
use crate::go::{Move, Position, Symmetry};
use crate::nn::output::NetOutput;
use crate::params::{ParamEntry, parameters};
use crate::search::MoveCode;

parameters! {
    /// How moves follow a network of human play. The names are KataGo's.
    HumanParams;

    /// Share of the human network's policy in the choice of a move, where there is such a network
    /// (`--human-model`) and `humanSLProfile` says whom to imitate. KataGo: 0.
    share as "humanSLChosenMoveProp": f64 = 1.0, 0 => 1;
    /// Whether passing is left to the search.
    ignores_pass as "humanSLChosenMoveIgnorePass": bool = true, 0 => 0;
    /// Loss in utility that makes a human move less probable by a factor of e; only for moves that the
    /// search has looked at.
    loss_scale as "humanSLChosenMovePiklLambda": f64 = 1e9, 1e-3 => 1e12;
}

/// Parameter that says whom to imitate.
pub const HUMAN_PROFILE: &str = "humanSLProfile";

/// What a network of human play thinks of a position, seen by the side to move, without search.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanOpinion {
    /// Probability of each move: points row by row from the top left, then the pass; -1 if illegal.
    pub policy: Vec<f32>,
    /// Probability of winning less that of losing.
    pub win_loss: f64,
    /// Expected score in points.
    pub score_mean: f64,
    /// Its standard deviation.
    pub score_stdev: f64,
    /// Expected error of `win_loss` over the next moves; -1 if not known.
    pub win_loss_error: f64,
    /// Expected error of the score over the next moves; -1 if not known.
    pub score_error: f64,
}

impl HumanOpinion {
    fn new(output: NetOutput) -> HumanOpinion {
        let mean = f64::from(output.score_mean);
        let variance = f64::from(output.score_mean_square) - mean * mean;
        HumanOpinion {
            win_loss: f64::from(output.win - output.loss),
            score_mean: mean,
            score_stdev: variance.max(0.0).sqrt(),
            win_loss_error: output.shortterm_win_loss_error.into(),
            score_error: output.shortterm_score_error.into(),
            policy: output.policy,
        }
    }
}

impl SearchPlayer {
    /// The same with a network of human play.
    pub fn with_human(self, human: Option<Box<dyn Evaluators>>) -> SearchPlayer {
        SearchPlayer { human, ..self }
    }

    /// Has the human network imitate somebody; empty for nobody.
    pub(super) fn imitate(&mut self, name: &str, text: &str) -> Result<()> {
        match &mut self.human {
            Some(human) if name == HUMAN_PROFILE && !text.is_empty() => {
                human.set_parameter(name, text)
            }
            _ => Ok(()),
        }
    }

    /// The network of human play, if there is one and it is said whom to imitate.
    pub(super) fn imitating(&self) -> Option<&dyn Evaluators> {
        let imitates = |entry: &ParamEntry| entry.name == HUMAN_PROFILE && !entry.value.is_empty();
        let human = self.human.as_deref();
        human.filter(|_| self.evaluators.parameters().iter().any(imitates))
    }

    /// What the network of human play thinks of a position.
    pub fn human_opinion(&self, position: &Position) -> Result<Option<HumanOpinion>> {
        let Some(human) = self.imitating() else {
            return Ok(None);
        };
        let view = human.view(position.to_move(), position.size())?;
        let output = view.raw_outputs(position, Symmetry::IDENTITY, None)?;
        let seen = |output: NetOutput| output.seen_by(position.to_move());
        Ok(output.map(|output| HumanOpinion::new(seen(output))))
    }

    /// The move in place of one that the search has chosen.
    pub(super) fn as_human(&self, position: &Position, chosen: Move) -> Result<Move> {
        let params = self.params.human;
        let keeps_pass = chosen == Move::Pass && params.ignores_pass;
        let wanted = !keeps_pass && params.share > 0.0;
        let Some(human) = self.imitating().filter(|_| wanted) else {
            return Ok(chosen);
        };
        let view = human.view(position.to_move(), position.size())?;
        let policy = view.policy(position)?;
        let size = position.size();
        let probability = |mv: MoveCode| match decode(mv) {
            Move::Pass if params.ignores_pass => 0.0,
            Move::Pass => f64::from(policy[size.area()]),
            Move::Play(point) => f64::from(policy[size.index(point)]),
        };
        let utilities = self.utilities();
        let drawn = self
            .search
            .choose_weighted(turns_behind(position), |moves, values| {
                let humans: Vec<f64> = moves.iter().map(|&mv| probability(mv)).collect();
                mixed(&params, &values, &humans, &utilities.of(moves))
            });
        Ok(drawn.map_or(chosen, decode))
    }

    /// Utilities of the moves that were searched.
    fn utilities(&self) -> Utilities {
        let moves = self
            .search
            .report()
            .map_or_else(Vec::new, |report| report.moves);
        let visited = moves.iter().filter(|mv| mv.visits > 0);
        let known: HashMap<u16, f64> = visited.map(|mv| (mv.code.0, mv.utility)).collect();
        let average = known.values().sum::<f64>() / known.len().max(1) as f64;
        Utilities { known, average }
    }
}

/// Utilities of root moves for the side to move.
struct Utilities {
    known: HashMap<u16, f64>,
    /// Stands for moves that were not searched.
    average: f64,
}

impl Utilities {
    fn of(&self, moves: &[MoveCode]) -> Vec<f64> {
        let utility = |mv: &MoveCode| *self.known.get(&mv.0).unwrap_or(&self.average);
        moves.iter().map(utility).collect()
    }
}

/// Weights of moves: selection values of the search, and the policy of humans without what loses utility.
fn mixed(params: &HumanParams, values: &[f64], humans: &[f64], utilities: &[f64]) -> Vec<f64> {
    let best = utilities.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let scaled = humans.iter().zip(utilities);
    let scaled =
        scaled.map(|(policy, utility)| policy * ((utility - best) / params.loss_scale).exp());
    let scaled: Vec<f64> = scaled.collect();
    let (sum, total) = (scaled.iter().sum::<f64>(), values.iter().sum::<f64>());
    if sum <= 0.0 {
        return values.to_vec();
    }
    let mix = |(value, human): (&f64, &f64)| value + params.share * (total * human / sum - value);
    values.iter().zip(&scaled).map(mix).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policy_of_humans_replaces_selection_values_by_its_share() {
        let values = [30.0, 10.0, 0.0];
        let humans = [0.1, 0.1, 0.2];
        let utilities = [0.5, 0.1, 0.3];
        let with = |share, loss_scale| {
            let params = HumanParams {
                share,
                loss_scale,
                ..HumanParams::default()
            };
            let weights = mixed(&params, &values, &humans, &utilities).into_iter();
            weights
                .map(|weight| (100.0 * weight).round() as i64)
                .collect::<Vec<_>>()
        };
        assert_eq!(with(0.0, 1e9), [3000, 1000, 0]);
        assert_eq!(with(1.0, 1e9), [1000, 1000, 2000]);
        assert_eq!(with(0.5, 1e9), [2000, 1000, 1000]);
        let strict = with(1.0, 0.2);
        assert!(strict[0] > strict[2] && strict[2] > strict[1], "{strict:?}");
        let nobody = mixed(&HumanParams::default(), &values, &[0.0; 3], &utilities);
        assert_eq!(nobody, values);
    }
}
