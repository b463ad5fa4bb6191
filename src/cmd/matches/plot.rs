//! Charts of the course of a match (SVG).

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use crate::arena::pairs::Pairs;
use crate::arena::sprt::Sprt;
use crate::arena::standing::Standing;
use crate::arena::tally::elo_difference;

const SIZE: (u32, u32) = (520, 260);
/// Maximal points of a curve.
const POINTS: usize = 400;
/// Larger differences are not drawn.
const LARGEST_ELO: f64 = 800.0;
const LINE: RGBColor = RGBColor(30, 90, 160);
const BOUND: RGBColor = RGBColor(120, 120, 120);

/// The log-likelihood ratio after each pair, and the test's bounds; none without a test or with
/// less than two pairs.
pub fn llr(standing: &Standing) -> Result<Option<String>> {
    let Some(sprt) = standing.sprt() else {
        return Ok(None);
    };
    let points = sampled(standing.course(), |pairs| sprt.llr(&pairs.0));
    if points.len() < 2 {
        return Ok(None);
    }
    draw_llr(&points, &sprt).map(Some)
}

/// The Elo difference after each pair, with its interval; none with less than two pairs.
pub fn elo(standing: &Standing) -> Result<Option<String>> {
    let elo = |score: f64| elo_difference(score).clamp(-LARGEST_ELO, LARGEST_ELO);
    let course = sampled(standing.course(), |pairs| {
        let score = pairs.score().unwrap_or(0.5);
        let interval = pairs.interval();
        let (low, high) = interval.map_or((0.0, 1.0), |found| (found.low, found.high));
        [score, low, high].map(elo)
    });
    if course.len() < 2 {
        return Ok(None);
    }
    draw_elo(&course).map(Some)
}

/// A sample of the course, including the last pair.
fn sampled<T>(course: &[Pairs], value: impl Fn(&Pairs) -> T) -> Vec<(f64, T)> {
    let step = course.len().div_ceil(POINTS).max(1);
    let wanted = |index: usize| index.is_multiple_of(step) || index + 1 == course.len();
    let places = course
        .iter()
        .enumerate()
        .filter(|(index, _)| wanted(*index));
    places
        .map(|(index, pairs)| ((index + 1) as f64, value(pairs)))
        .collect()
}

fn draw_llr(points: &[(f64, f64)], sprt: &Sprt) -> Result<String> {
    let (lower, upper) = sprt.bounds();
    let values = points.iter().map(|point| point.1);
    let reach = values.fold(upper.max(-lower), |reach, value| reach.max(value.abs()));
    let curve = [(0.0, 0.0)].into_iter().chain(points.iter().copied());
    let end = points.last().map_or(1.0, |point| point.0);
    let bounds = [lower, upper].map(|bound| vec![(0.0, bound), (end, bound)]);
    draw((-1.1 * reach, 1.1 * reach), end, "LLR", |chart| {
        for bound in bounds {
            chart.line(bound, BOUND)?;
        }
        chart.line(curve.collect(), LINE)
    })
}

fn draw_elo(course: &[(f64, [f64; 3])]) -> Result<String> {
    let at = |which: usize| course.iter().map(move |(pairs, elo)| (*pairs, elo[which]));
    let band: Vec<_> = at(1)
        .chain(at(2).collect::<Vec<_>>().into_iter().rev())
        .collect();
    // The wide intervals of the first pairs would hide the rest.
    let settled = &course[course.len() / 4..];
    let reach = settled.iter().flat_map(|(_, elo)| elo.map(f64::abs));
    let reach = reach.fold(10.0, f64::max);
    let end = course.last().map_or(1.0, |point| point.0);
    draw((-1.1 * reach, 1.1 * reach), end, "Elo", |chart| {
        chart.area(band)?;
        chart.line(vec![(0.0, 0.0), (end, 0.0)], BOUND)?;
        chart.line(at(0).collect(), LINE)
    })
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Plane =
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>;

struct Chart<'a, 'b>(ChartContext<'a, SVGBackend<'b>, Plane>);

impl Chart<'_, '_> {
    fn line(&mut self, points: Vec<(f64, f64)>, color: RGBColor) -> Result<()> {
        let series = LineSeries::new(points, color.stroke_width(2));
        self.0.draw_series(series).map_err(failed)?;
        Ok(())
    }

    fn area(&mut self, outline: Vec<(f64, f64)>) -> Result<()> {
        let polygon = Polygon::new(outline, LINE.mix(0.15).filled());
        self.0.draw_series([polygon]).map_err(failed)?;
        Ok(())
    }
}

fn draw(
    range: (f64, f64),
    pairs: f64,
    label: &str,
    fill: impl FnOnce(&mut Chart) -> Result<()>,
) -> Result<String> {
    let mut svg = String::new();
    {
        let area: Area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut builder = ChartBuilder::on(&area);
        builder
            .margin(8)
            .x_label_area_size(36)
            .y_label_area_size(52);
        let context = builder.build_cartesian_2d(0.0..pairs.max(1.0), range.0..range.1);
        let mut chart = Chart(context.map_err(failed)?);
        let whole = |count: &f64| match count.fract() {
            0.0 => format!("{count}"),
            _ => String::new(),
        };
        let mut mesh = chart.0.configure_mesh();
        mesh.x_desc("pairs of games").y_desc(label);
        mesh.x_label_formatter(&whole).y_labels(7);
        let digits = usize::from(range.1 < 5.0);
        let height = |value: &f64| format!("{value:.digits$}");
        mesh.y_label_formatter(&height);
        mesh.label_style(("sans-serif", 14))
            .light_line_style(TRANSPARENT);
        mesh.draw().map_err(failed)?;
        drop(mesh);
        fill(&mut chart)?;
        drop(chart);
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("cannot draw: {error}")
}
