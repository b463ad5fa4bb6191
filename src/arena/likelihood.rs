//! Likelihood of an expected score given observed results, for any distribution of results.
//!
//! Results are counted in cells by points: three cells for games (loss, draw, win), five for pairs
//! of games. Among all distributions with the expected score mu, the most likely is
//! p_i = f_i / (1 + x (a_i - mu)), where f_i is the observed frequency of cell i and a_i its score, and x is such
//! that the expectation is mu (M. Van den Bergh, "A practical introduction to the GSPRT", as in
//! fishtest's `LLRcalc.py`).

/// Empty cells count as this many results, as in fishtest.
const EMPTY: f64 = 1e-3;

/// Steps of bisection; enough for the precision of a double.
const STEPS: usize = 100;

/// The log-likelihood of the most likely distribution with this expected score, minus that of the
/// observed distribution; 0 at the observed score, negative elsewhere. The score is between 0 and
/// 1.
pub fn relative(counts: &[u32], score: f64) -> f64 {
    let cells = cells(counts);
    let x = multiplier(&cells, score);
    let term = |&(share, count): &(f64, f64)| -count * (x * (share - score)).ln_1p();
    cells.iter().map(term).sum()
}

/// The mean score, with the above counts for empty cells.
pub fn mean(counts: &[u32]) -> f64 {
    let cells = cells(counts);
    let total: f64 = cells.iter().map(|cell| cell.1).sum();
    cells.iter().map(|cell| cell.0 * cell.1).sum::<f64>() / total
}

/// The scores above and below the observed one at which the log-likelihood falls to `least`, which
/// is negative.
pub fn scores_above(counts: &[u32], least: f64) -> (f64, f64) {
    let mean = mean(counts);
    let bound = |mut outside: f64| {
        let mut inside = mean;
        for _ in 0..STEPS {
            let middle = (inside + outside) / 2.0;
            if relative(counts, middle) >= least {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        inside
    };
    (bound(0.0), bound(1.0))
}

/// Score and count of each cell.
fn cells(counts: &[u32]) -> Vec<(f64, f64)> {
    let last = counts.len().saturating_sub(1).max(1) as f64;
    let cell = |(index, &count): (usize, &u32)| {
        let count = if count == 0 { EMPTY } else { f64::from(count) };
        (index as f64 / last, count)
    };
    counts.iter().enumerate().map(cell).collect()
}

/// The x above. The expression decreases with x, and between the ends all probabilities are
/// positive.
fn multiplier(cells: &[(f64, f64)], score: f64) -> f64 {
    let (mut low, mut high) = (-1.0 / (1.0 - score), 1.0 / score);
    let residual = |x: f64| -> f64 {
        let term = |&(share, count): &(f64, f64)| {
            let difference = share - score;
            count * difference / (1.0 + x * difference)
        };
        cells.iter().map(term).sum()
    };
    for _ in 0..STEPS {
        let middle = (low + high) / 2.0;
        if residual(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}
