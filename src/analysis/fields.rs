//! The fields of a JSON object, read one by one, so that each mistake can name its field.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::message::FieldError;
use crate::go::Color;

/// An object whose fields are read.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(pub &'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// A field as it is.
    pub(super) fn get(self, name: &str) -> Option<&'a Value> {
        self.0.get(name)
    }

    pub(super) fn has(self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A field of a type; `mistake` says what it must be.
    pub(super) fn read<T: Deserialize<'a>>(
        self,
        name: &str,
        mistake: impl Display,
    ) -> Result<Option<T>, FieldError> {
        let read =
            |value| T::deserialize(value).map_err(|_| FieldError::new(name, mistake.to_string()));
        self.get(name).map(read).transpose()
    }

    /// An array of whole numbers, also where they are written with a decimal point.
    pub(super) fn whole_numbers(
        self,
        name: &str,
        mistake: &str,
    ) -> Result<Option<Vec<i64>>, FieldError> {
        let whole = |value: &Value| {
            let rounded = value.as_f64().filter(|number| number.fract() == 0.0);
            value.as_i64().or(rounded.map(|number| number as i64))
        };
        let all =
            |value: &Value| -> Option<Vec<i64>> { value.as_array()?.iter().map(whole).collect() };
        let mistake = || FieldError::new(name, mistake.to_owned());
        self.get(name)
            .map(|value| all(value).ok_or_else(mistake))
            .transpose()
    }

    /// A number within bounds.
    pub(super) fn number<T: Deserialize<'a> + PartialOrd>(
        self,
        name: &str,
        range: RangeInclusive<T>,
        mistake: impl Display,
    ) -> Result<Option<T>, FieldError> {
        match self.read(name, &mistake)? {
            Some(number) if !range.contains(&number) => {
                Err(FieldError::new(name, mistake.to_string()))
            }
            number => Ok(number),
        }
    }

    /// A switch, off where it is missing.
    pub(super) fn flag(self, name: &str) -> Result<bool, FieldError> {
        Ok(self.read(name, "Must be a boolean")?.unwrap_or(false))
    }

    /// A player.
    pub(super) fn color(self, name: &str) -> Result<Option<Color>, FieldError> {
        let mistake = "Must be \"b\" or \"w\"";
        let parsed = |text: &str| {
            let color = text.parse();
            color.map_err(|_| FieldError::new(name, mistake))
        };
        self.read(name, mistake)?.map(parsed).transpose()
    }
}
