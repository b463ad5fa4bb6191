//! Parameters whose values have names.

/// A type as a `Setting` that is no number, by `FromStr` and `Display`.
macro_rules! named_setting {
    ($($kind:ty),+) => {$(
        impl $crate::params::Setting for $kind {
            const NUMBER: Option<&'static str> = None;

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

/// `Display`, `FromStr` and `Setting` of an enum: each value with its name and others that are also read. After `by`,
/// the method of `str` that compares a text with a name.
macro_rules! named_choices {
    ($kind:ident by $same:ident {
        $( $value:ident = $name:literal $(| $other:literal)* ),+ $(,)?
    }) => {
        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $( $kind::$value => $name, )+
                })
            }
        }

        impl std::str::FromStr for $kind {
            type Err = ();

            fn from_str(text: &str) -> Result<$kind, ()> {
                match text {
                    $( _ if text.$same($name) $(|| text.$same($other))* => Ok($kind::$value), )+
                    _ => Err(()),
                }
            }
        }

        $crate::params::named_setting!($kind);
    };
}

pub(crate) use {named_choices, named_setting};

#[cfg(test)]
mod tests {
    use crate::params::Setting;

    #[derive(Debug, PartialEq)]
    enum Side {
        Left,
        Right,
    }

    named_choices!(Side by eq_ignore_ascii_case { Left = "LEFT" | "L", Right = "RIGHT" });

    #[derive(Debug, PartialEq)]
    enum Case {
        Upper,
        Lower,
    }

    named_choices!(Case by eq { Upper = "UPPER", Lower = "lower" });

    #[test]
    fn choices_are_read_by_every_name_and_written_by_the_first() {
        let read = ["LEFT", "l", "Right", "R"].map(Side::parse);
        let (left, right) = (Some(Side::Left), Some(Side::Right));
        assert_eq!(read, [left, Some(Side::Left), right, None]);
        assert_eq!(Side::Left.text(), "LEFT");
        let exact = ["UPPER", "upper", "lower"].map(Case::parse);
        assert_eq!(exact, [Some(Case::Upper), None, Some(Case::Lower)]);
    }
}
