//! All that may be set about a searching player, apart from its evaluations.

use super::analysis::AnalysisParams;
use super::resignation::ResignParams;
use super::root_params::RootParams;
use super::search_limits::SearchLimits;
use super::search_player::{DelayParams, HumanParams, OversightParams};
use crate::clock::TimeParams;
use crate::params::{ParamEntry, ParamError, Parameters, SWITCHES, set_in};
use crate::search::params::SearchParams;

/// The parameters of a searching player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerParams {
    /// Of the search on 19x19; what depends on the size of the board is scaled.
    pub search: SearchParams,
    /// How long it searches.
    pub limits: SearchLimits,
    /// How positions are analyzed.
    pub analysis: AnalysisParams,
    /// How time on a clock is spent.
    pub time: TimeParams,
    /// When it resigns.
    pub resignation: ResignParams,
    /// What is decided at the root, in Go's own terms.
    pub root: RootParams,
    /// How moves follow a network of human play.
    pub human: HumanParams,
    /// How long moves are delayed.
    pub delay: DelayParams,
    /// How it overlooks moves.
    pub oversight: OversightParams,
}

/// Names of parameters that have no effect where positions are analyzed without being played on.
pub const OF_GAMES: [&str; 14] = [
    "allowResignation",
    "analysisIgnorePreRootHistory",
    "analysisWideRootNoise",
    "delayMoveMax",
    "delayMoveScale",
    "genmoveAntiMirror",
    "maxTimePondering",
    "maxVisitsPondering",
    "openingVariety",
    "ponderingEnabled",
    "resignConsecTurns",
    "resignMinMovesPerBoardArea",
    "resignMinScoreDifference",
    "resignThreshold",
];

/// What a setting of one of KataGo's switches sets: the parameter that stands for it, which keeps its value where the
/// switch is on already, and gets its default where it was off. None if it is no switch; the error says what a switch
/// takes. `now` are the present parameters.
pub fn of_switch(
    name: &str,
    text: &str,
    now: &[ParamEntry],
) -> Result<Option<(&'static str, String)>, String> {
    let Some(&(_, (parameter, off))) = SWITCHES.iter().find(|(switch, _)| *switch == name) else {
        return Ok(None);
    };
    let value_in = |entries: &[ParamEntry]| {
        let entry = entries.iter().find(|entry| entry.name == parameter);
        entry.map_or_else(|| off.to_owned(), |entry| entry.value.clone())
    };
    let present = value_in(now);
    let value = match text {
        "false" => off.to_owned(),
        "true" if present == off => value_in(&PlayerParams::default().list()),
        "true" => present,
        _ => return Err(format!("'{text}' is no value for {name}: true or false")),
    };
    Ok(Some((parameter, value)))
}

impl PlayerParams {
    /// All groups, each with a name for help texts.
    pub fn groups(&mut self) -> [(&'static str, &mut dyn Parameters); 9] {
        [
            ("search", &mut self.search),
            ("search's limits", &mut self.limits),
            ("analysis", &mut self.analysis),
            ("time", &mut self.time),
            ("resignation", &mut self.resignation),
            ("root", &mut self.root),
            ("imitation of humans", &mut self.human),
            ("delays", &mut self.delay),
            ("oversights", &mut self.oversight),
        ]
    }
}

impl Parameters for PlayerParams {
    fn set(&mut self, name: &str, text: &str) -> Result<(), ParamError> {
        set_in(&mut self.groups().map(|(_, group)| group), name, text)
    }

    fn list(&self) -> Vec<ParamEntry> {
        let mut copy = *self;
        copy.groups()
            .iter()
            .flat_map(|(_, group)| group.list())
            .collect()
    }
}
