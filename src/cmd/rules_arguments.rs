//! The options --rules and --komi, which several commands have.

use clap::Args;

use super::engine_config::ConfigSource;
use super::{completed, settings};
use crate::formats::rules_json;
use crate::go::{Komi, Rules};

/// Rules and komi where nothing else states them, such as a client or a record.
#[derive(Args, Clone, Copy, Default)]
pub struct RulesArguments {
    /// Rules, unless the record or client states some: tromp-taylor by default, in keima play chinese; also
    /// japanese, aga, ..., or KataGo's JSON
    #[arg(long, value_parser = completed::rules(), hide_possible_values = true)]
    pub rules: Option<Rules>,

    /// Komi where a record or client states none; by default the one usual under the rules, in keima play
    /// 0.5 with a handicap
    #[arg(long, value_name = "POINTS", value_parser = settings::komi, allow_negative_numbers = true)]
    pub komi: Option<Komi>,
}

impl RulesArguments {
    /// Adds them to a source of the configuration.
    pub(super) fn add_to(self, source: &mut ConfigSource) {
        source.add("rules", self.rules.map(|it| rules_json::text(&it)));
        source.add("komi", self.komi.map(|it| it.to_string()));
    }
}
