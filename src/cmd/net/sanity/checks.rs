//! The checks and their criteria.

use anyhow::Result;

use super::positions::{Positions, replayed};
use crate::go::{BoardSize, Color, Komi, Move, Rules};
use crate::nn::evaluator::NetEvaluator;
use crate::nn::output::NetOutput;
use crate::train::validation::lead_of;

/// Komi around the even one, in points, ascending in steps of 2.
const KOMI: [f64; 9] = [-8.0, -6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0, 8.0];
/// Smaller increases of the win rate per two points of komi are ignored.
const RISE: f64 = 0.01;
/// Tolerance of the lead's change per point of komi, around -1.
const SLOPE: f64 = 0.3;
/// A board is quiet if the mean absolute ownership is at least this.
const QUIET: f32 = 0.85;
/// Tolerance between area and territory scores on quiet boards, in points.
const DIFFERENCE: f64 = 1.5;
/// Fraction of positions that must satisfy a criterion; KataGo's g170-b6c96 reaches 80 %.
const MOST: f64 = 0.75;
/// Iterations of adjusting komi by the lead until a position is even: leads are underestimated.
const TRIES: usize = 3;
/// A game is far from its end before this many moves, as a fraction of the board's points.
const EARLY: f64 = 0.4;

/// A fraction or mean, and its criterion.
pub struct Finding {
    pub name: &'static str,
    pub meaning: &'static str,
    /// None if there were no cases.
    pub value: Option<f64>,
    pub cases: usize,
    bounds: (f64, f64),
    is_share: bool,
}

/// All results.
pub struct Findings(pub Vec<Finding>);

impl Finding {
    fn share(
        name: &'static str,
        meaning: &'static str,
        cases: &[bool],
        bounds: (f64, f64),
    ) -> Finding {
        let held = cases.iter().filter(|&&held| held).count();
        Finding {
            name,
            meaning,
            value: (!cases.is_empty()).then(|| held as f64 / cases.len() as f64),
            cases: cases.len(),
            bounds,
            is_share: true,
        }
    }

    fn median(
        name: &'static str,
        meaning: &'static str,
        cases: &[f64],
        bounds: (f64, f64),
    ) -> Finding {
        let mut sorted = cases.to_vec();
        sorted.sort_by(f64::total_cmp);
        Finding {
            name,
            meaning,
            value: sorted.get(sorted.len() / 2).copied(),
            cases: cases.len(),
            bounds,
            is_share: false,
        }
    }

    /// Whether the criterion is met or there were no cases.
    pub fn is_fine(&self) -> bool {
        self.value
            .is_none_or(|value| (self.bounds.0..=self.bounds.1).contains(&value))
    }

    /// The value, for display.
    pub fn value_text(&self) -> String {
        self.value
            .map_or_else(|| "-".to_owned(), |value| self.text(value))
    }

    /// The criterion, for display.
    pub fn wanted(&self) -> String {
        match self.bounds {
            (0.0, high) if self.is_share => format!("at most {}", self.text(high)),
            (low, 1.0) if self.is_share => format!("at least {}", self.text(low)),
            (low, high) => format!("{} to {}", self.text(low), self.text(high)),
        }
    }

    fn text(&self, value: f64) -> String {
        match self.is_share {
            true => format!("{:.1} %", 100.0 * value),
            false => format!("{value:.2}"),
        }
    }
}

/// Runs all checks.
pub fn of(evaluator: &NetEvaluator, positions: &Positions) -> Result<Findings> {
    let (mut rises, mut slopes, mut differences) = (Vec::new(), Vec::new(), Vec::new());
    let mut early_passes = Vec::new();
    for (size, moves) in &positions.lines {
        let subject = Subject {
            evaluator,
            size: *size,
            moves,
        };
        let Some(even) = subject.even()? else {
            continue;
        };
        if let Some(by_komi) = subject.by_komi(even)? {
            let steps = by_komi.windows(2);
            rises.extend(steps.map(|pair| black_chance(&pair[1]) > black_chance(&pair[0]) + RISE));
            slopes.extend(slope(&by_komi));
        }
        differences.extend(subject.difference_of_scorings(even)?);
        if (moves.len() as f64) < EARLY * size.area() as f64 {
            early_passes.extend(subject.passes()?);
        }
    }
    let mut late_passes = Vec::new();
    for position in &positions.finished {
        late_passes.push(prefers_pass(&evaluator.output(position, false)?));
    }
    let near: Vec<bool> = slopes
        .iter()
        .map(|it: &f64| (it + 1.0).abs() <= SLOPE)
        .collect();
    let agree: Vec<bool> = differences
        .iter()
        .map(|it: &f64| it.abs() <= DIFFERENCE)
        .collect();
    Ok(Findings(vec![
        Finding::share(
            "chances_rise_with_komi",
            "Black's win rate rises with 2 points of komi",
            &rises,
            (0.0, 0.02),
        ),
        Finding::median(
            "lead_per_komi",
            "Black's lead per point of komi, median",
            &slopes,
            (-1.0 - SLOPE, -1.0 + SLOPE),
        ),
        Finding::share(
            "lead_per_komi_near_minus_1",
            "the same within 0.3 of -1",
            &near,
            (MOST, 1.0),
        ),
        Finding::share(
            "scorings_agree",
            "area and territory within 1.5 points on quiet boards",
            &agree,
            (MOST, 1.0),
        ),
        Finding::share(
            "passes_finished_games",
            "pass is the best move on finished boards",
            &late_passes,
            (0.95, 1.0),
        ),
        Finding::share(
            "passes_early",
            "pass is the best move early",
            &early_passes,
            (0.0, 0.01),
        ),
    ]))
}

struct Subject<'a> {
    evaluator: &'a NetEvaluator,
    size: BoardSize,
    moves: &'a [Move],
}

impl Subject<'_> {
    /// From Black's point of view; none if the moves are illegal.
    fn evaluate(&self, rules: Rules, komi: Komi) -> Result<Option<NetOutput>> {
        let position = replayed(self.size, self.moves, rules, komi);
        let evaluate = |position| self.evaluator.output(&position, false);
        let output = position.map(evaluate).transpose()?;
        Ok(output.map(|output| output.seen_by(Color::Black)))
    }

    /// The komi at which the net finds the position even, to half a point.
    fn even(&self) -> Result<Option<Komi>> {
        let mut komi = Rules::CHINESE.usual_komi();
        let limit = self.size.area() as f64;
        for _ in 0..TRIES {
            let Some(output) = self.evaluate(Rules::CHINESE, komi)? else {
                return Ok(None);
            };
            let even = f64::from(komi.points() + output.lead).floor() + 0.5;
            komi = Komi::from_half((2.0 * even.clamp(-limit, limit)) as i32);
        }
        Ok(Some(komi))
    }

    /// Evaluations with komi around a value.
    fn by_komi(&self, even: Komi) -> Result<Option<Vec<NetOutput>>> {
        let at = |points: f64| {
            let komi = Komi::from_half(even.half() + (2.0 * points) as i32);
            self.evaluate(Rules::CHINESE, komi)
        };
        KOMI.iter().map(|&points| at(points)).collect()
    }

    /// Black's lead by area less that by territory, if both sides have played equally often and all
    /// is settled.
    fn difference_of_scorings(&self, even: Komi) -> Result<Option<f64>> {
        if self.moves.len() % 2 == 1 {
            return Ok(None);
        }
        let area = self.evaluate(Rules::CHINESE, even)?;
        let Some(area) = area.filter(is_quiet) else {
            return Ok(None);
        };
        let territory = self.evaluate(Rules::JAPANESE, even)?;
        Ok(territory.map(|territory| f64::from(area.lead - territory.lead)))
    }

    fn passes(&self) -> Result<Option<bool>> {
        let output = self.evaluate(Rules::CHINESE, Rules::CHINESE.usual_komi())?;
        Ok(output.map(|output| prefers_pass(&output)))
    }
}

fn is_quiet(output: &NetOutput) -> bool {
    let sum: f32 = output.ownership.iter().map(|owner| owner.abs()).sum();
    sum > QUIET * output.ownership.len() as f32
}

fn black_chance(output: &NetOutput) -> f64 {
    f64::from(output.win) + f64::from(output.no_result) / 2.0
}

fn prefers_pass(output: &NetOutput) -> bool {
    let best = output.policy.iter().copied().fold(0.0, f32::max);
    output.policy.last().is_some_and(|&pass| pass >= best)
}

/// Slope of lead against komi, by least squares; none of a net that knows no lead.
fn slope(outputs: &[NetOutput]) -> Option<f64> {
    let leads: Vec<f32> = outputs.iter().map(lead_of).collect::<Option<_>>()?;
    let terms = KOMI.iter().zip(leads);
    let product: f64 = terms.map(|(komi, lead)| komi * f64::from(lead)).sum();
    Some(product / KOMI.iter().map(|komi| komi * komi).sum::<f64>())
}
