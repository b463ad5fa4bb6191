//! Formulas of the losses and their derivatives.

/// From this model version on, short-term errors have another formula.
pub const HALVED_ERRORS: u32 = 14;

/// `ln(1 + e^x)` and its derivative, the logistic function.
pub fn softplus(x: f64) -> (f64, f64) {
    let power = (-x.abs()).exp();
    let numerator = if x < 0.0 { power } else { 1.0 };
    (x.max(0.0) + power.ln_1p(), numerator / (1.0 + power))
}

/// A short-term error from a raw output, and its derivative.
pub fn shortterm_error(version: u32, raw: f64, factor: f64) -> (f64, f64) {
    if version >= HALVED_ERRORS {
        let (value, slope) = softplus(raw / 2.0);
        return (value * factor.sqrt(), slope / 2.0 * factor.sqrt());
    }
    let (value, slope) = softplus(raw);
    let root = (value * factor).sqrt();
    (root, 0.5 * slope * factor / root.max(f64::MIN_POSITIVE))
}

/// Huber loss and its derivative: half the square up to `delta`, then linear.
pub fn huber(difference: f64, delta: f64) -> (f64, f64) {
    if difference.abs() <= delta {
        return (0.5 * difference * difference, difference);
    }
    let loss = delta * (difference.abs() - 0.5 * delta);
    (loss, delta * difference.signum())
}

/// Replaces logits by `factor` times the gradient of the cross entropy; masked ones get 0.
pub fn cross_entropy(
    logits: &mut [f64],
    target: &[f64],
    counts: impl Fn(usize) -> bool,
    factor: f64,
) -> f64 {
    let counted = || {
        logits
            .iter()
            .enumerate()
            .filter(|(index, _)| counts(*index))
    };
    let greatest = counted().fold(f64::NEG_INFINITY, |max, (_, logit)| max.max(*logit));
    let mass: f64 = target.iter().sum();
    // Sums of targets, of targets times logits, and of powers, which replace the logits.
    let (mut taught, mut expected, mut sum) = (0.0, 0.0, 0.0);
    for (index, (logit, target)) in logits.iter_mut().zip(target).enumerate() {
        if !counts(index) {
            *logit = 0.0;
            continue;
        }
        let above = *logit - greatest;
        if *target > 0.0 {
            taught += target;
            expected += target * above;
        }
        *logit = above.exp();
        sum += *logit;
    }
    let share = mass / sum;
    for (index, (power, target)) in logits.iter_mut().zip(target).enumerate() {
        if counts(index) {
            *power = (*power * share - target) * factor;
        }
    }
    taught * sum.ln() - expected
}

/// Softmax over unmasked logits, 0 elsewhere.
pub fn softmax(logits: &[f64], counts: impl Fn(usize) -> bool) -> Vec<f64> {
    let counted = |index: usize, logit: f64| match counts(index) {
        true => logit,
        false => f64::NEG_INFINITY,
    };
    let logits = logits.iter().enumerate();
    let logits: Vec<f64> = logits
        .map(|(index, &logit)| counted(index, logit))
        .collect();
    let greatest = logits.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
    let powers: Vec<f64> = logits
        .iter()
        .map(|logit| (logit - greatest).exp())
        .collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// The probability that an entry is among the first so many, the largest first and equal ones in random order; `values`
/// are those of all entries, with its `own`.
pub fn among_first<T: PartialOrd>(
    values: impl IntoIterator<Item = T>,
    own: T,
) -> impl Fn(usize) -> f64 {
    let (mut better, mut equal) = (0_usize, 0_usize);
    for value in values {
        better += usize::from(value > own);
        equal += usize::from(value == own);
    }
    let equal = equal.max(1) as f64;
    move |places| (places.saturating_sub(better) as f64 / equal).min(1.0)
}

/// Loss and gradient without a target.
pub fn ignored(raw: &mut [f64]) -> f64 {
    raw.fill(0.0);
    0.0
}

/// Fourth roots of probabilities, normalized over the legal moves.
pub fn softened(policy: &[f64], legal: &[bool]) -> Vec<f64> {
    let power = |(p, legal): (&f64, &bool)| {
        if *legal {
            p.max(0.0).sqrt().sqrt()
        } else {
            0.0
        }
    };
    let powers: Vec<f64> = policy.iter().zip(legal).map(power).collect();
    let sum = powers.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    powers.iter().map(|power| power / sum).collect()
}

/// 1 if prediction and target have the same most probable legal move.
pub fn hits(logits: &[f64], target: &[f64], legal: &[bool]) -> f64 {
    (best(logits, legal) == best(target, legal)) as u8 as f64
}

pub fn best(values: &[f64], legal: &[bool]) -> Option<usize> {
    let legal = values.iter().enumerate().filter(|(index, _)| legal[*index]);
    let best = legal.max_by(|a, b| a.1.total_cmp(b.1));
    best.map(|(index, _)| index)
}
