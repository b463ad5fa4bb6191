//! The random numbers of SplitMix64 (Steele, Lea and Flood 2014), of which hashes are made.

/// The number in this place, counted from 1, of the sequence with this seed.
pub const fn splitmix(seed: u64, place: u64) -> u64 {
    let mut x = seed.wrapping_add(place.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// A number that looks random, always the same for `x`: the first of the sequence with this seed.
pub const fn scramble(x: u64) -> u64 {
    splitmix(x, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_reference() {
        let numbers = [1, 2, 3].map(|place| splitmix(1_234_567, place));
        let reference = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(numbers, reference);
    }
}
