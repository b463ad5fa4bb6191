//! Options whose values shells complete.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};

use super::board_games::{DICE_NAMES, GO, NAMES, variant_names};
use super::settings;
use crate::go::Rules;

/// A parser that takes what another one takes, with names that shells complete, which need not be all values.
#[derive(Clone)]
pub struct Completed<P> {
    parser: P,
    names: Vec<&'static str>,
}

/// A parser with names for shells.
pub fn completed<P>(parser: P, names: impl IntoIterator<Item = &'static str>) -> Completed<P> {
    Completed {
        parser,
        names: names.into_iter().collect(),
    }
}

impl<P: TypedValueParser> TypedValueParser for Completed<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<P::Value, Error> {
        self.parser.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().copied().map(PossibleValue::new)))
    }
}

/// Names of all games.
pub fn game() -> Completed<StringValueParser> {
    let names = [GO].into_iter().chain(NAMES).chain(DICE_NAMES);
    completed(StringValueParser::new(), names)
}

/// Names of variants of the games other than Go.
pub fn variant() -> Completed<StringValueParser> {
    completed(StringValueParser::new(), variant_names())
}

/// Rule sets of Go.
pub fn rules() -> impl TypedValueParser<Value = Rules> {
    completed(settings::rules, Rules::NAMED.map(|(name, ..)| name))
}
