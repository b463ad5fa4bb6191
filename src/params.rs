//! Named parameters that can be set from text, on the command line or during play.
//!
//! A group is declared by `parameters!`, one line per parameter: name, type, default, range and
//! meaning. It generates the field, the setter by name, and the listing for protocols, help texts
//! and tuners.

use std::fmt;

mod named;
mod nearest;

pub(crate) use named::{named_choices, named_setting};
pub use nearest::{nearest, unknown_name};

/// KataGo's switches that are on by default: the name, and the parameter with its value that stand for it being off.
pub const SWITCHES: [(&str, (&str, &str)); 4] = [
    ("useLcbForSelection", ("lcbStdevs", "0")),
    ("useUncertainty", ("uncertaintyCoeff", "0")),
    ("useNoisePruning", ("noisePruneUtilityScale", "0")),
    (
        "fpuParentWeightByVisitedPolicy",
        ("fpuParentWeightByVisitedPolicyPow", "0"),
    ),
];

/// The reason why a parameter could not be set.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamError {
    /// There is no parameter of this name.
    Unknown(String),
    /// The text is not of the parameter's type, or out of range.
    Invalid {
        /// The parameter.
        name: &'static str,
        /// The given text.
        text: String,
        /// What messages call its values, the smallest and the largest; `None` if it is not a number.
        range: Option<(&'static str, f64, f64)>,
    },
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamError::Unknown(name) => write!(f, "no parameter is called '{name}'"),
            ParamError::Invalid { name, text, range } => {
                write!(f, "'{text}' is no value for {name}")?;
                match range {
                    Some((number, low, high)) => write!(f, ", {number} from {low} to {high}"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl std::error::Error for ParamError {}

/// A parameter in the listing of its group.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamEntry {
    /// Public name.
    pub name: &'static str,
    /// Current value, as text that its setter accepts.
    pub value: String,
    /// Smallest and largest value; `None` if the current value is not a number.
    pub range: Option<(f64, f64)>,
    /// Description.
    pub meaning: &'static str,
}

/// Types a parameter can have.
pub trait Setting: Sized {
    /// What messages call its values, as `a whole number`; `None` if they are not numbers.
    const NUMBER: Option<&'static str>;

    /// Parses a value.
    fn parse(text: &str) -> Option<Self>;

    /// Text that [`Setting::parse`] accepts.
    fn text(&self) -> String;

    /// The value as a number to compare with the range, if it is one.
    fn number(&self) -> Option<f64>;
}

/// The digits before a fraction of 0, as in `2.0`.
fn whole_part(text: &str) -> Option<&str> {
    let (digits, fraction) = text.split_once('.')?;
    let is_whole = fraction.bytes().all(|digit| digit == b'0');
    is_whole.then_some(digits)
}

/// Numbers, by `FromStr` and `Display`; whole ones may be written as `2.0`.
macro_rules! numeric_setting {
    ($number:literal: $($kind:ty),+) => {$(
        impl Setting for $kind {
            const NUMBER: Option<&'static str> = Some($number);

            fn parse(text: &str) -> Option<$kind> {
                let number = text.parse().ok();
                number.or_else(|| whole_part(text)?.parse().ok())
            }

            fn text(&self) -> String {
                self.to_string()
            }

            fn number(&self) -> Option<f64> {
                // By its digits: those of a bound mean another number as an `f32` than as an `f64`.
                self.to_string().parse().ok()
            }
        }
    )+};
}

numeric_setting!("a number": f32, f64);
numeric_setting!("a whole number": i32, u32, u64);

named_setting!(bool);

/// Optional values; an empty text is `None`.
impl<T: Setting> Setting for Option<T> {
    const NUMBER: Option<&'static str> = T::NUMBER;

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
    /// Sets the parameter `name` from text.
    fn set(&mut self, name: &str, text: &str) -> Result<(), ParamError>;

    /// All parameters with their current values, in the order of declaration.
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

/// Parses a value for the parameter `name`; numbers must lie between `low` and `high`.
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
            range: T::NUMBER.map(|number| (number, low, high)),
        })
}

/// Declares a group: its documentation and name, then for each parameter its documentation, field,
/// public name if different, type, default and range. Fields after `by_code` have no public name:
/// they are computed, not set.
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

/// The public name of a parameter.
macro_rules! parameter_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $shown:literal) => {
        $shown
    };
}

pub(crate) use {parameter_name, parameters};

#[cfg(test)]
mod tests {
    use super::parsed;

    #[test]
    fn whole_numbers_may_have_a_fraction_of_0() {
        let read = |text: &str| parsed::<u32>("n", text, 0.0, 8.0).ok();
        assert_eq!(["2", "2.0", " 2.00 ", "2."].map(read), [Some(2); 4]);
        assert_eq!(["0.5", "9.0", "-1.0", ".0", "2.0x"].map(read), [None; 5]);
        let optional = |text: &str| parsed::<Option<u64>>("n", text, 1.0, 8.0);
        assert_eq!(["", "3.0"].map(optional), [Ok(None), Ok(Some(3))]);
        let error = optional("0.5").unwrap_err().to_string();
        let expected = "'0.5' is no value for n, a whole number from 1 to 8";
        assert_eq!(error, expected);
    }

    #[test]
    fn bounds_are_values_whatever_the_precision() {
        let read = |text: &str| parsed::<f32>("x", text, 0.01, 5.1);
        assert_eq!(["0.01", "5.1"].map(read), [Ok(0.01), Ok(5.1)]);
        for text in ["0.0099", "5.11", "NaN", "inf"] {
            let error = read(text).unwrap_err().to_string();
            let expected = format!("'{text}' is no value for x, a number from 0.01 to 5.1");
            assert_eq!(error, expected);
        }
    }
}
