//! How well an expected score fits results that were seen, whatever their distribution is.
//!
//! Results are counted by the share of the points they give: of three cells, losses, draws and
//! wins; of five, pairs of games from none of two points to both. Among all distributions with an
//! expected score mu, the likeliest is p_i = f_i / (1 + x (a_i - mu)), f_i being the share of the
//! results in cell i, a_i their score, and x such that the scores have the expectation mu (M. Van den
//! Bergh, "A practical introduction to the GSPRT", as in fishtest's `LLRcalc.py`).

/// Empty cells count as this many results, as in fishtest: they were possible.
const EMPTY: f64 = 1e-3;

/// Steps of bisection; more than the digits of a double.
const STEPS: usize = 100;

/// The log-likelihood of the likeliest distribution with this expected score, less that of the
/// distribution seen; never positive, 0 at the score seen. The score is between 0 and 1.
pub fn relative(counts: &[u32], score: f64) -> f64 {
    let cells = cells(counts);
    let x = multiplier(&cells, score);
    let term = |&(share, count): &(f64, f64)| -count * (x * (share - score)).ln_1p();
    cells.iter().map(term).sum()
}

/// The mean score, with empty cells as above.
pub fn mean(counts: &[u32]) -> f64 {
    let cells = cells(counts);
    let total: f64 = cells.iter().map(|cell| cell.1).sum();
    cells.iter().map(|cell| cell.0 * cell.1).sum::<f64>() / total
}

/// The scores of which the likelihood is at least this, above and below the one seen. `least` is
/// negative.
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

/// The x above. What must be 0 falls with x, and all probabilities are positive between the ends.
fn multiplier(cells: &[(f64, f64)], score: f64) -> f64 {
    let (mut low, mut high) = (-1.0 / (1.0 - score), 1.0 / score);
    let excess = |x: f64| -> f64 {
        let term = |&(share, count): &(f64, f64)| {
            let difference = share - score;
            count * difference / (1.0 + x * difference)
        };
        cells.iter().map(term).sum()
    };
    for _ in 0..STEPS {
        let middle = (low + high) / 2.0;
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}
