//! Values of options as text, and back.

use std::str::FromStr;

use anyhow::Result;
use clap::ValueEnum;

use super::setting::ConfigSource;

/// What a source says of an option, as `read` understands it.
pub(super) fn value<T>(
    source: &ConfigSource,
    name: &str,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>> {
    let setting = source.find(name);
    setting.map(|setting| setting.read(read)).transpose()
}

pub(super) fn text_of(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

pub(super) fn flag(text: &str) -> Result<bool, String> {
    text.parse()
        .map_err(|_| format!("'{text}' is neither true nor false"))
}

pub(super) fn named_value<T: ValueEnum>(text: &str) -> Result<T, String> {
    T::from_str(text, true)
}

/// The name of a value on the command line.
pub fn value_name(value: &impl ValueEnum) -> String {
    let name = value.to_possible_value();
    name.map_or_else(String::new, |name| name.get_name().to_owned())
}

pub(super) fn number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("'{text}' is no whole number, or too large"))
}
