//! Ownership as text: one character for each point, row by row from the top left.

/// The characters for -1 (White's for certain) to 1 (Black's for certain) in steps of 1/31, as in Base64; `f` is
/// a point that belongs to both alike.
const DIGITS: &[u8; 63] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";
/// The digit of 0.
const MIDDLE: f64 = 31.0;

/// Expected owners, +1 for Black, as text. Values are clamped to -1..1.
pub fn text(owners: impl Iterator<Item = f64>) -> String {
    let digit = |owner: f64| {
        let steps = (owner.clamp(-1.0, 1.0) + 1.0) * MIDDLE;
        char::from(DIGITS[(steps.round() as usize).min(DIGITS.len() - 1)])
    };
    owners.map(digit).collect()
}

/// The inverse of [`text`], to 1/62; none for any other character.
pub fn parse(text: &str) -> Option<Vec<f64>> {
    let value = |byte| {
        let digit = DIGITS.iter().position(|&digit| digit == byte)?;
        Some(digit as f64 / MIDDLE - 1.0)
    };
    text.bytes().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_keeps_owners_to_half_a_step() {
        let owners = [-1.0, -0.5, -0.01, 0.0, 0.3, 0.99, 1.0];
        let read = parse(&text(owners.into_iter())).unwrap();
        assert_eq!(read.len(), owners.len());
        for (owner, read) in owners.into_iter().zip(read) {
            assert!((owner - read).abs() <= 0.5 / MIDDLE, "{owner} {read}");
        }
        assert_eq!(text([-1.0, 0.0, 1.0, f64::NAN, 7.0].into_iter()), "Af+A+");
        assert_eq!(parse("A/"), None);
    }
}
