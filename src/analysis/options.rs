//! What an answer is to contain, and when reports before it are due.

use std::time::Duration;

use super::fields::Fields;
use super::message::FieldError;
use crate::player::ReportTimes;
use crate::search::Detail;

const NO_SECONDS: &str = "Must be number of seconds from 0.001 to 1000000.0";

/// The optional parts of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Expected ownership.
    pub ownership: bool,
    /// Its standard deviation over the tree.
    pub ownership_stdev: bool,
    /// Expected ownership after each move.
    pub moves_ownership: bool,
    /// Its standard deviation after each move.
    pub moves_ownership_stdev: bool,
    /// The network's policy.
    pub policy: bool,
    /// Visits along the variations.
    pub pv_visits: bool,
    /// Probability of a game without result after each move.
    pub no_result_value: bool,
}

impl Options {
    pub(super) fn parse(fields: Fields) -> Result<Options, FieldError> {
        Ok(Options {
            moves_ownership: fields.flag("includeMovesOwnership")?,
            moves_ownership_stdev: fields.flag("includeMovesOwnershipStdev")?,
            ownership: fields.flag("includeOwnership")?,
            ownership_stdev: fields.flag("includeOwnershipStdev")?,
            policy: fields.flag("includePolicy")?,
            pv_visits: fields.flag("includePVVisits")?,
            no_result_value: fields.flag("includeNoResultValue")?,
        })
    }

    /// A field by which ownership is asked for, if it is.
    pub(super) fn ownership_field(&self) -> Option<&'static str> {
        let fields = [
            ("includeOwnership", self.ownership),
            ("includeOwnershipStdev", self.ownership_stdev),
            ("includeMovesOwnership", self.moves_ownership),
            ("includeMovesOwnershipStdev", self.moves_ownership_stdev),
        ];
        fields.iter().find(|field| field.1).map(|field| field.0)
    }

    /// What a search must report, with variations of at most `pv_length` moves after the first.
    pub(super) fn detail(&self, pv_length: usize) -> Detail {
        Detail {
            min_moves: 0,
            pv_length: pv_length + 1,
            ownership: self.ownership || self.ownership_stdev,
            moves_ownership: self.moves_ownership || self.moves_ownership_stdev,
            policy: self.policy,
        }
    }
}

/// When reports before the end are due, if they are asked for.
pub(super) fn report_times(fields: Fields) -> Result<Option<ReportTimes>, FieldError> {
    let seconds = |name| fields.number(name, 0.001..=1e6, NO_SECONDS);
    let interval: Option<f64> = seconds("reportDuringSearchEvery")?;
    let first: Option<f64> = seconds("firstReportDuringSearchAfter")?;
    let first = first.or(interval).map(Duration::from_secs_f64);
    Ok(first.map(|first| ReportTimes {
        first,
        interval: interval.map_or(Duration::MAX, Duration::from_secs_f64),
    }))
}
