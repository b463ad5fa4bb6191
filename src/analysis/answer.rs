//! An analysis as JSON: what a search found about a position, in KataGo's fields.

use serde::Serialize;

use super::hashes::hashes;
use super::options::Options;
use crate::games::go::decode;
use crate::go::{Color, Move, Position};
use crate::player::analysis::{PointOfView, shown_variation, winrate_error};
use crate::player::search_player::HumanOpinion;
use crate::search::{MoveReport, Ownership, RawValues, Report};

/// Decimal digits of a number beyond its first.
const DIGITS: i32 = 8;
/// Decimal places of ownership.
const OWNER_SCALE: f64 = 1e6;
/// Stands for errors that a network does not estimate, on the scale of its own outputs.
const UNKNOWN: f64 = -1.0;

/// The answer for one position.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer<'a> {
    id: &'a str,
    is_during_search: bool,
    turn_number: usize,
    move_infos: Vec<MoveInfo>,
    root_info: RootInfo,
    #[serde(skip_serializing_if = "Option::is_none")]
    ownership: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ownership_stdev: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    human_policy: Option<Vec<f64>>,
}

/// One of the moves that were searched.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct MoveInfo {
    #[serde(rename = "move")]
    mv: String,
    order: usize,
    visits: u32,
    edge_visits: u32,
    weight: f64,
    edge_weight: f64,
    play_selection_value: f64,
    prior: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    human_prior: Option<f64>,
    winrate: f64,
    lcb: f64,
    utility: f64,
    utility_lcb: f64,
    score_lead: f64,
    /// The lead, as older clients expect.
    score_mean: f64,
    score_selfplay: f64,
    score_stdev: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_result_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_symmetry_of: Option<String>,
    pv: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pv_visits: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pv_edge_visits: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ownership: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ownership_stdev: Option<Vec<f64>>,
}

/// The position as a whole, with the network's own opinion.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RootInfo {
    current_player: &'static str,
    visits: u32,
    weight: f64,
    winrate: f64,
    utility: f64,
    score_lead: f64,
    score_selfplay: f64,
    score_stdev: f64,
    raw_winrate: f64,
    raw_lead: f64,
    raw_score_selfplay: f64,
    raw_score_selfplay_stdev: f64,
    raw_no_result_prob: f64,
    raw_st_wr_error: f64,
    raw_st_score_error: f64,
    raw_var_time_left: f64,
    #[serde(flatten)]
    human: Option<HumanValues>,
    this_hash: String,
    sym_hash: String,
}

/// The opinion of a network of human play on the position.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct HumanValues {
    human_winrate: f64,
    human_score_mean: f64,
    human_score_stdev: f64,
    human_st_wr_error: f64,
    human_st_score_error: f64,
}

/// Turns reports on a position into answers.
pub(super) struct Writer<'a> {
    pub id: &'a str,
    pub turn: usize,
    pub position: &'a Position,
    pub options: Options,
    /// Who sees the values.
    pub seen: PointOfView,
    /// The opinion of a network of human play, if somebody is imitated.
    pub human: Option<&'a HumanOpinion>,
}

impl<'a> Writer<'a> {
    pub(super) fn answer(&self, report: &Report, is_during_search: bool) -> Answer<'a> {
        let searched = report.moves.iter().filter(|mv| mv.visits > 0);
        let (ownership, ownership_stdev) = self.ownership(
            report.ownership.as_ref(),
            self.options.ownership,
            self.options.ownership_stdev,
        );
        Answer {
            id: self.id,
            is_during_search,
            turn_number: self.turn,
            move_infos: searched
                .enumerate()
                .map(|(order, mv)| self.move_info(order, mv))
                .collect(),
            root_info: self.root_info(report),
            ownership,
            ownership_stdev,
            policy: self.options.policy.then(|| self.policy(report)),
            human_policy: self.human_policy(),
        }
    }

    fn move_info(&self, order: usize, mv: &MoveReport) -> MoveInfo {
        let seen = self.seen;
        let lead = rounded(seen.value(mv.lead));
        let variation = shown_variation(mv);
        let visits = |visits: &[u32]| {
            let is_wanted = self.options.pv_visits;
            is_wanted.then(|| visits[..variation.len()].to_vec())
        };
        let (ownership, ownership_stdev) = self.ownership(
            mv.ownership.as_ref(),
            self.options.moves_ownership,
            self.options.moves_ownership_stdev,
        );
        MoveInfo {
            mv: decode(mv.code).to_string(),
            order,
            visits: mv.visits,
            edge_visits: mv.edge_visits,
            weight: rounded(mv.position_weight),
            edge_weight: rounded(mv.weight),
            play_selection_value: rounded(mv.selection_value),
            prior: rounded(mv.prior.into()),
            human_prior: self.human.map(|human| {
                let policy = human.policy[self.index_of(decode(mv.code))];
                rounded(policy.into())
            }),
            winrate: rounded(seen.winrate(mv.win_loss)),
            lcb: rounded(seen.winrate(mv.win_loss_lcb)),
            utility: rounded(seen.value(mv.utility)),
            utility_lcb: rounded(seen.value(mv.utility_lcb)),
            score_lead: lead,
            score_mean: lead,
            score_selfplay: rounded(seen.value(mv.score_mean)),
            score_stdev: rounded(mv.score_stdev),
            no_result_value: self.options.no_result_value.then(|| rounded(mv.no_result)),
            is_symmetry_of: mv.twin_of.map(|twin| decode(twin).to_string()),
            pv: variation.iter().map(Move::to_string).collect(),
            pv_visits: visits(&mv.pv_visits),
            pv_edge_visits: visits(&mv.pv_edge_visits),
            ownership,
            ownership_stdev,
        }
    }

    fn root_info(&self, report: &Report) -> RootInfo {
        let seen = self.seen;
        let RawValues {
            win_loss,
            no_result,
            score_mean,
            score_stdev,
            lead,
            errors,
        } = report.raw;
        let (this, symmetric) = hashes(self.position);
        let error = |known: Option<f64>, unknown: f64| rounded(known.unwrap_or(unknown));
        RootInfo {
            current_player: match self.position.to_move() {
                Color::Black => "B",
                Color::White => "W",
            },
            visits: report.visits,
            weight: rounded(report.weight),
            winrate: rounded(seen.winrate(report.win_loss)),
            utility: rounded(seen.value(report.utility)),
            score_lead: rounded(seen.value(report.lead)),
            score_selfplay: rounded(seen.value(report.score_mean)),
            score_stdev: rounded(report.score_stdev),
            raw_winrate: rounded(seen.winrate(win_loss)),
            raw_lead: rounded(seen.value(lead)),
            raw_score_selfplay: rounded(seen.value(score_mean)),
            raw_score_selfplay_stdev: rounded(score_stdev),
            raw_no_result_prob: rounded(no_result),
            raw_st_wr_error: error(errors.as_ref().map(winrate_error), 0.5 * UNKNOWN),
            raw_st_score_error: error(errors.map(|errors| errors.score.into()), UNKNOWN),
            raw_var_time_left: error(errors.map(|errors| errors.time_left.into()), UNKNOWN),
            human: self.human.map(|human| self.human_values(human)),
            this_hash: format!("{this:032X}"),
            sym_hash: format!("{symmetric:032X}"),
        }
    }

    fn human_values(&self, human: &HumanOpinion) -> HumanValues {
        HumanValues {
            human_winrate: rounded(self.seen.winrate(human.win_loss)),
            human_score_mean: rounded(self.seen.value(human.score_mean)),
            human_score_stdev: rounded(human.score_stdev),
            human_st_wr_error: rounded(0.5 * human.win_loss_error),
            human_st_score_error: rounded(human.score_error),
        }
    }

    /// Row by row from the top left, then the pass; -1 for illegal moves.
    fn policy(&self, report: &Report) -> Vec<f64> {
        let mut policy = vec![-1.0; self.position.size().area() + 1];
        for &(code, prior) in &report.policy {
            policy[self.index_of(decode(code))] = rounded(prior.into());
        }
        policy
    }

    /// The same of the network of human play, where the policy is wanted.
    fn human_policy(&self) -> Option<Vec<f64>> {
        let human = self.human.filter(|_| self.options.policy)?;
        let policy = human.policy.iter().map(|&policy| rounded(policy.into()));
        Some(policy.collect())
    }

    /// Place of a move in a policy.
    fn index_of(&self, mv: Move) -> usize {
        self.position.size().move_index(mv)
    }

    /// Mean and standard deviation, as far as they are wanted.
    fn ownership(
        &self,
        ownership: Option<&Ownership>,
        wants_mean: bool,
        wants_stdev: bool,
    ) -> (Option<Vec<f64>>, Option<Vec<f64>>) {
        let places = |owner: f64| (owner * OWNER_SCALE).round() / OWNER_SCALE + 0.0;
        let mean = ownership.filter(|_| wants_mean).map(|ownership| {
            let seen = ownership.mean.iter().map(|&owner| self.seen.value(owner));
            seen.map(places).collect()
        });
        let stdev = ownership.filter(|_| wants_stdev).map(|ownership| {
            let stdev = ownership.stdev.iter().map(|&stdev| f64::from(stdev));
            stdev.map(places).collect()
        });
        (mean, stdev)
    }
}

/// A number with as many digits as KataGo writes; 0 instead of what is no number, which JSON cannot say.
fn rounded(number: f64) -> f64 {
    if !number.is_normal() {
        return 0.0;
    }
    let places = DIGITS - number.abs().log10().floor() as i32;
    if places <= 0 {
        return number.round();
    }
    let scale = 10_f64.powi(places.min(300));
    (number * scale).round() / scale
}
