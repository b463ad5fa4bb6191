//! Random inputs of networks, and how far answers to them are apart.

use keima::go::BoardSize;
use keima::nn::desc::Net;
use keima::nn::features::InputBatch;
use keima::nn::input_shape::InputShape;
use keima::nn::output::RawOutput;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random inputs, mostly zeros as real ones are; planes are 0 or 1 if they shall be packed.
pub fn inputs(
    net: &Net,
    (width, height): (usize, usize),
    boards: usize,
    is_packed: bool,
) -> InputBatch {
    let size = BoardSize::new(width, height).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64((width * 100 + height + boards) as u64);
    let InputShape {
        planes,
        globals,
        metadata,
        ..
    } = InputShape::of(net);
    let mut random = |len: usize, share: f64, is_packed: bool| -> Vec<f32> {
        let value = |_| match rng.random_bool(share) {
            true if is_packed => 1.0,
            true => rng.random_range(-1.0..1.0),
            false => 0.0,
        };
        (0..len).map(value).collect()
    };
    let mut spatial = random(boards * size.area() * planes, 0.1, is_packed);
    let first = spatial.iter_mut().step_by(planes);
    first.for_each(|value| *value = 1.0);
    InputBatch {
        size,
        spatial,
        global: random(boards * globals, 0.5, false),
        metadata: random(boards * metadata, 0.5, false),
    }
}

/// All values of an output.
pub fn figures(raw: &RawOutput) -> Vec<f32> {
    let parts = [&raw.policy, &raw.pass, &raw.score, &raw.ownership];
    let parts = parts.into_iter().flatten();
    parts.chain(&raw.value).copied().collect()
}

/// The largest difference, relative to the largest figure of the position, at least 1.
pub fn difference(found: &[RawOutput], expected: &[RawOutput]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let of_position = |(found, expected): (&RawOutput, &RawOutput)| {
        assert_eq!(found.policy.len(), expected.policy.len());
        assert_eq!(found.score.len(), expected.score.len());
        let (found, expected) = (figures(found), figures(expected));
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().all(|value| value.is_finite()), "{found:?}");
        let greatest = expected.iter().fold(1.0, |a: f32, b| a.max(b.abs()));
        let pairs = found.iter().zip(&expected);
        pairs.fold(0.0, |most: f32, (a, b)| most.max((a - b).abs())) / greatest
    };
    let pairs = found.iter().zip(expected);
    pairs.map(of_position).fold(0.0, f32::max)
}
