//! Ownership as text: one character for each point, row by row from the top left, as reviews and the computer Go
//! server have it.

/// The characters for -1 (one side's for certain) to 1 (the other's) in steps of 1/31, as in Base64; `f` is a point
/// that belongs to both alike.
const DIGITS: &[u8; 63] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";
/// The digit of 0.
const MIDDLE: f64 = 31.0;

/// Expected ownership as text. Values are clamped to -1..1.
pub fn text(values: impl Iterator<Item = f64>) -> String {
    let digit = |value: f64| {
        let steps = (value.clamp(-1.0, 1.0) + 1.0) * MIDDLE;
        char::from(DIGITS[(steps.round() as usize).min(DIGITS.len() - 1)])
    };
    values.map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The inverse of [`text`], to half a step; none for any other character.
    fn parse(text: &str) -> Option<Vec<f64>> {
        let value_of = |byte| {
            let digit = DIGITS.iter().position(|&digit| digit == byte)?;
            Some(digit as f64 / MIDDLE - 1.0)
        };
        text.bytes().map(value_of).collect()
    }

    #[test]
    fn text_keeps_owners_to_half_a_step() {
        let values = [-1.0, -0.5, -0.01, 0.0, 0.3, 0.99, 1.0];
        let read = parse(&text(values.into_iter())).unwrap();
        assert_eq!(read.len(), values.len());
        for (value, read) in values.into_iter().zip(read) {
            assert!((value - read).abs() <= 0.5 / MIDDLE, "{value} {read}");
        }
        assert_eq!(text([-1.0, 0.0, 1.0, f64::NAN, 7.0].into_iter()), "Af+A+");
        assert_eq!(parse("A/"), None);
    }
}
