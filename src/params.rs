//! Parameters with names: what can be set from text on a command line or while a program plays.
//!
//! A group of parameters is declared by `parameters!`, one line for each: name, type, default,
//! range and meaning. From that line come the field, its setter by name, and the listing for a
//! protocol, a help text or a tuner.

use std::fmt;

mod renamed;

pub use renamed::renamed;

/// Why a parameter could not be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamError {
    /// There is no parameter of this name.
    Unknown(String),
    /// The text is not a value of the parameter's type, or out of range.
    Invalid {
        /// The parameter.
        name: &'static str,
        /// What was given.
        text: String,
    },
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamError::Unknown(name) => write!(f, "no parameter is called '{name}'"),
            ParamError::Invalid { name, text } => write!(f, "'{text}' is no value for {name}"),
        }
    }
}

impl std::error::Error for ParamError {}

/// One parameter as the listing of its group shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamEntry {
    /// What it is called outside.
    pub name: &'static str,
    /// Present value as text that its setter accepts.
    pub value: String,
    /// Smallest and largest number allowed; `None` if the present value is not a number.
    pub range: Option<(f64, f64)>,
    /// What it does.
    pub meaning: &'static str,
}

/// Types a parameter can have.
pub trait Setting: Sized {
    /// The value of a text, if it is one.
    fn parse(text: &str) -> Option<Self>;

    /// A text of which [`Setting::parse`] makes the value again.
    fn text(&self) -> String;

    /// The value as a number to hold against the range, if it is one.
    fn number(&self) -> Option<f64>;
}

/// Settings by their `FromStr` and `Display`: numbers.
macro_rules! numeric_setting {
    ($($kind:ty),+) => {$(
        impl Setting for $kind {
            fn parse(text: &str) -> Option<$kind> {
                text.parse().ok()
            }

            fn text(&self) -> String {
                self.to_string()
            }

            fn number(&self) -> Option<f64> {
                Some(*self as f64)
            }
        }
    )+};
}

numeric_setting!(f32, f64, u32, u64);

/// Settings by their `FromStr` and `Display`: what is no number.
macro_rules! named_setting {
    ($($kind:ty),+) => {$(
        impl $crate::params::Setting for $kind {
            fn parse(text: &str) -> Option<$kind> {
                text.parse().ok()
            }

            fn text(&self) -> String {
                self.to_string()
            }

            fn number(&self) -> Option<f64> {
                None
            }
        }
    )+};
}

pub(crate) use named_setting;

named_setting!(bool);

/// What may be left empty.
impl<T: Setting> Setting for Option<T> {
    fn parse(text: &str) -> Option<Option<T>> {
        match text {
            "" => Some(None),
            _ => T::parse(text).map(Some),
        }
    }

    fn text(&self) -> String {
        self.as_ref().map(T::text).unwrap_or_default()
    }

    fn number(&self) -> Option<f64> {
        self.as_ref().and_then(T::number)
    }
}

/// A group of parameters.
pub trait Parameters {
    /// Sets the parameter called `name` from text.
    fn set(&mut self, name: &str, text: &str) -> Result<(), ParamError>;

    /// All parameters with their present values, in the order of declaration.
    fn list(&self) -> Vec<ParamEntry>;
}

/// Sets a parameter in the first of the groups that has it.
pub fn set_in(
    groups: &mut [&mut dyn Parameters],
    name: &str,
    text: &str,
) -> Result<(), ParamError> {
    let mut results = groups.iter_mut().map(|group| group.set(name, text));
    let is_known = |result: &Result<(), ParamError>| !matches!(result, Err(ParamError::Unknown(_)));
    results
        .find(is_known)
        .unwrap_or_else(|| Err(ParamError::Unknown(name.to_owned())))
}

/// The value of a text for the parameter `name`, whose numbers lie between `low` and `high`.
pub fn parsed<T: Setting>(
    name: &'static str,
    text: &str,
    low: f64,
    high: f64,
) -> Result<T, ParamError> {
    T::parse(text.trim())
        .filter(|value| {
            value
                .number()
                .is_none_or(|number| (low..=high).contains(&number))
        })
        .ok_or_else(|| ParamError::Invalid {
            name,
            text: text.to_string(),
        })
}

/// Declares a group: its documentation and name, then for each parameter its documentation, its
/// field, the name it has outside where that is another, type, default and range. What follows `by_code`
/// has no name outside: it is reckoned, not set.
macro_rules! parameters {
    (
        $(#[doc = $about:literal])+
        $group:ident;
        $(
            $(#[doc = $doc:literal])+
            $name:ident $(as $shown:literal)?: $kind:ty = $default:expr, $low:expr => $high:expr;
        )+
        $( by_code {
            $( $(#[doc = $field_doc:literal])+ $field:ident: $field_kind:ty = $field_default:expr; )+
        } )?
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $group {
            $( $(#[doc = $doc])+ pub $name: $kind, )+
            $( $( $(#[doc = $field_doc])+ pub $field: $field_kind, )+ )?
        }

        impl Default for $group {
            fn default() -> $group {
                $group { $( $name: $default, )+ $( $( $field: $field_default, )+ )? }
            }
        }

        impl $crate::params::Parameters for $group {
            fn set(&mut self, name: &str, text: &str) -> Result<(), $crate::params::ParamError> {
                match name {
                    $( $crate::params::parameter_name!($name $($shown)?) => {
                        self.$name = $crate::params::parsed(
                            $crate::params::parameter_name!($name $($shown)?),
                            text,
                            $low as f64,
                            $high as f64,
                        )?;
                    } )+
                    _ => return Err($crate::params::ParamError::Unknown(name.to_string())),
                }
                Ok(())
            }

            fn list(&self) -> Vec<$crate::params::ParamEntry> {
                use $crate::params::Setting;
                vec![ $( $crate::params::ParamEntry {
                    name: $crate::params::parameter_name!($name $($shown)?),
                    value: self.$name.text(),
                    range: self.$name.number().map(|_| ($low as f64, $high as f64)),
                    meaning: concat!($($doc),+).trim_ascii(),
                }, )+ ]
            }
        }
    };
}

/// The name a parameter has outside.
macro_rules! parameter_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $shown:literal) => {
        $shown
    };
}

pub(crate) use {parameter_name, parameters};
