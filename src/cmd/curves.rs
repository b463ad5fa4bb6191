//! Charts of what changes with training samples, games or generations (SVG).

use anyhow::{Result, anyhow};
use maud::{Markup, PreEscaped, html};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

const SIZE: (u32, u32) = (400, 250);
const AXIS: RGBColor = RGBColor(120, 120, 120);
const GRID: RGBColor = RGBColor(225, 225, 225);
/// Distance from the start of a line to its label.
const LABEL_GAP: (i32, i32) = (0, -18);
/// Curves with fewer points show each of them.
const SEPARATE: usize = 12;
/// Fraction of the first values that is ignored for the range.
const BEGINNING: f64 = 0.06;
/// Maximal points of a curve.
const POINTS: usize = 500;
/// Curves with fewer points are not smoothed.
const SMOOTHED: usize = 30;
/// Fraction of the points in a moving average.
const MEMORY: f64 = 0.03;

/// Red, green and blue.
pub type Rgb = (u8, u8, u8);

/// Colors of runs and other categories (after Okabe and Ito).
pub const COLORS: [Rgb; 8] = [
    (0, 90, 170),
    (213, 94, 0),
    (0, 140, 100),
    (190, 80, 150),
    (160, 120, 0),
    (80, 160, 220),
    (110, 60, 30),
    (90, 90, 90),
];
/// Color of published results.
pub const GREY: Rgb = (150, 150, 150);

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// Unchanged.
    Plain,
    /// Faint, with a moving average on top.
    Smoothed,
    /// As points.
    Dots,
}

/// A line.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// Its color.
    pub color: Rgb,
    /// Its style.
    pub stroke: Stroke,
    /// Label at its start.
    pub label: String,
}

impl Line {
    /// In the color of this number.
    pub fn plain(color: usize, label: &str, points: Vec<(f64, f64)>) -> Line {
        Line {
            points,
            color: COLORS[color % COLORS.len()],
            stroke: Stroke::Plain,
            label: label.to_owned(),
        }
    }
}

/// A picture of lines over numbers of games, generations or steps; empty where there are no points.
pub fn figure(title: &str, lines: Vec<Line>) -> Result<Markup> {
    let picture = Picture {
        title: title.to_owned(),
        lines,
        is_counted: true,
        ..Picture::default()
    };
    picture.figure()
}

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

impl Line {
    /// Draws points, and a moving average on top.
    fn draw(
        &self,
        chart: &mut Chart,
        points: &[(f64, f64)],
        smoothed: &[(f64, f64)],
    ) -> Result<()> {
        let (red, green, blue) = self.color;
        let color = RGBColor(red, green, blue);
        let is_smoothed = self.stroke == Stroke::Smoothed && points.len() >= SMOOTHED;
        let curves = match (self.stroke, is_smoothed) {
            (Stroke::Dots, _) => vec![],
            (_, true) => vec![(points, color.mix(0.3), 1), (smoothed, color.to_rgba(), 2)],
            _ => vec![(points, color.to_rgba(), 2)],
        };
        for (points, color, width) in curves {
            let series = LineSeries::new(points.to_vec(), color.stroke_width(width));
            chart.draw_series(series).map_err(failed)?;
        }
        let radius = match self.stroke {
            Stroke::Dots => 4,
            _ if points.len() < SEPARATE => 2,
            _ => 0,
        };
        if radius > 0 {
            let dots = points.iter();
            let dots = dots.map(|&point| Circle::new(point, radius, color.filled()));
            chart.draw_series(dots).map_err(failed)?;
        }
        if let (Some(&first), false) = (points.first(), self.label.is_empty()) {
            let text = Text::new(self.label.clone(), LABEL_GAP, ("sans-serif", 12));
            let text = EmptyElement::at(first) + text;
            chart.draw_series([text]).map_err(failed)?;
        }
        Ok(())
    }
}

/// A chart of lines.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Title of the vertical axis.
    pub title: String,
    /// The lines.
    pub lines: Vec<Line>,
    /// Whether the horizontal axis is logarithmic.
    pub is_logarithmic: bool,
    /// Whether values are fractions, written in percent.
    pub is_share: bool,
    /// Whether the vertical axis begins at 0.
    pub from_zero: bool,
    /// Whether horizontal positions are integers, such as numbers of generations.
    pub is_counted: bool,
    /// Where the vertical axis ends, above and below 0; by the points where it is not given.
    pub reach: Option<f64>,
    /// Heights of horizontal lines.
    pub levels: Vec<f64>,
    /// Outline of an area behind the lines.
    pub band: Vec<(f64, f64)>,
}

impl Picture {
    /// As part of a page; empty without points.
    pub fn figure(&self) -> Result<Markup> {
        let svg = self.svg()?;
        Ok(html! { @if let Some(svg) = svg { figure { (PreEscaped(svg)) } } })
    }

    /// As SVG; none without points.
    pub fn svg(&self) -> Result<Option<String>> {
        let Some((xs, ys)) = self.ranges() else {
            return Ok(None);
        };
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut builder = ChartBuilder::on(&area);
        builder.caption(&self.title, ("sans-serif", 16));
        builder.margin(6).margin_right(16);
        builder.x_label_area_size(24).y_label_area_size(54);
        let chart = builder.build_cartesian_2d(xs.0..xs.1, ys.0..ys.1);
        let mut chart = chart.map_err(failed)?;
        let place = |x: &f64| self.place_text(*x);
        let height = |y: &f64| self.height_text(*y, ys.1 - ys.0);
        let mut mesh = chart.configure_mesh();
        mesh.x_labels(6).y_labels(6);
        mesh.x_label_formatter(&place).y_label_formatter(&height);
        mesh.label_style(("sans-serif", 13)).axis_style(AXIS);
        mesh.light_line_style(TRANSPARENT).bold_line_style(GRID);
        mesh.draw().map_err(failed)?;
        drop(mesh);
        if !self.band.is_empty() {
            let (red, green, blue) = COLORS[0];
            let faint = RGBColor(red, green, blue).mix(0.15);
            let band = Polygon::new(self.band.clone(), faint.filled());
            chart.draw_series([band]).map_err(failed)?;
        }
        for &level in &self.levels {
            let ends = [(xs.0, level), (xs.1, level)];
            let series = LineSeries::new(ends, AXIS.stroke_width(2));
            chart.draw_series(series).map_err(failed)?;
        }
        for line in &self.lines {
            let mut points = self.placed(&line.points);
            let smoothed = averaged(&points);
            let is_seen = |point: &(f64, f64)| (ys.0..=ys.1).contains(&point.1);
            points.retain(is_seen);
            let smoothed: Vec<_> = smoothed.into_iter().filter(is_seen).collect();
            line.draw(&mut chart, &thinned(&points), &thinned(&smoothed))?;
        }
        area.present().map_err(failed)?;
        drop(chart);
        drop(area);
        Ok(Some(svg))
    }

    /// The values with their colors, if no line has two points.
    pub fn single_values(&self) -> Option<Vec<(Rgb, String)>> {
        let mut values = Vec::new();
        for line in &self.lines {
            match self.placed(&line.points)[..] {
                [] => {}
                [(_, value)] => values.push((line.color, self.value_text(value))),
                _ => return None,
            }
        }
        Some(values)
    }

    /// A value with four digits.
    fn value_text(&self, value: f64) -> String {
        match self.is_share {
            true => format!("{:.1} %", 100.0 * value),
            false => {
                let digits = 3.0 - value.abs().max(1e-9).log10().floor();
                format!("{value:.*}", digits.clamp(0.0, 12.0) as usize)
            }
        }
    }

    fn placed(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let sound = points
            .iter()
            .filter(|(x, y)| x.is_finite() && y.is_finite());
        match self.is_logarithmic {
            false => sound.copied().collect(),
            true => sound
                .filter(|(x, _)| *x > 0.0)
                .map(|(x, y)| (x.log10(), *y))
                .collect(),
        }
    }

    /// Horizontal and vertical range.
    fn ranges(&self) -> Option<((f64, f64), (f64, f64))> {
        let lines: Vec<_> = self
            .lines
            .iter()
            .map(|it| self.placed(&it.points))
            .collect();
        let places = || lines.iter().flatten().map(|point| point.0);
        let (low, high) = (
            places().fold(f64::INFINITY, f64::min),
            places().fold(f64::NEG_INFINITY, f64::max),
        );
        if low > high {
            return None;
        }
        let settled = lines.iter().flat_map(|points| {
            let skipped = (points.len() as f64 * BEGINNING) as usize;
            &points[skipped..]
        });
        let settled: Vec<f64> = settled.map(|point| point.1).collect();
        let bottom = settled.iter().copied().fold(f64::INFINITY, f64::min);
        let top = settled.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let bottom = if self.from_zero { 0.0 } else { bottom };
        let rim = match top - bottom {
            0.0 if top == 0.0 => 1.0,
            0.0 => top.abs() * 0.1,
            reach => reach * 0.06,
        };
        let (start, end) = match (self.is_logarithmic, self.is_counted) {
            (true, _) => (low.floor(), high.ceil().max(low.floor() + 1.0)),
            (_, true) => (low - 0.5, high + 0.5),
            _ => (0.0, high.max(1.0)),
        };
        let bottom = if self.from_zero { 0.0 } else { bottom - rim };
        let vertical = self
            .reach
            .map_or((bottom, top + rim), |reach| (-reach, reach));
        Some(((start, end), vertical))
    }

    fn is_whole(&self) -> bool {
        self.is_logarithmic || self.is_counted
    }

    fn place_text(&self, x: f64) -> String {
        match self.is_logarithmic {
            _ if self.is_whole() && x.fract() != 0.0 => String::new(),
            true => count_text(10f64.powf(x)),
            false => count_text(x),
        }
    }

    fn height_text(&self, y: f64, reach: f64) -> String {
        if self.is_share {
            return format!("{:.*} %", usize::from(reach < 0.05), 100.0 * y);
        }
        if reach >= 1e5 {
            return count_text(y);
        }
        // Enough digits for neighbours on the axis to differ.
        let digits = (1.3 - reach.log10()).ceil().clamp(0.0, 12.0) as usize;
        format!("{y:.digits$}")
    }
}

/// A number of samples, short: `250k`, `1.5M`.
pub fn count_text(count: f64) -> String {
    let short = |number: f64| {
        let text = format!("{number:.1}");
        text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
    };
    match count.abs() {
        ..1e3 => short(count),
        ..1e6 => short(count / 1e3) + "k",
        ..1e9 => short(count / 1e6) + "M",
        _ => short(count / 1e9) + "G",
    }
}

/// Places of a sample of many points, including the last one.
pub fn sampled(count: usize) -> impl Iterator<Item = usize> {
    let step = count.div_ceil(POINTS).max(1);
    (0..count).filter(move |index| index.is_multiple_of(step) || index + 1 == count)
}

fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    sampled(points.len()).map(|index| points[index]).collect()
}

/// Exponential moving average.
fn averaged(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let memory = (points.len() as f64 * MEMORY).max(2.0);
    let share = 1.0 / memory;
    let (mut sum, mut weight) = (0.0, 0.0);
    let average = |&(x, y): &(f64, f64)| {
        sum += share * (y - sum);
        weight += share * (1.0 - weight);
        (x, sum / weight)
    };
    points.iter().map(average).collect()
}

fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("cannot draw: {error}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn counts_are_short() {
        let texts = [0.0, 950.0, 1500.0, 2e6, 3.25e9].map(count_text);
        assert_eq!(texts, ["0", "950", "1.5k", "2M", "3.2G"]);
    }

    #[test]
    fn labels_of_an_axis_differ() {
        let picture = Picture::default();
        for (low, reach) in [(0.65, 0.003), (1.4e-3, 1e-6), (14.0, 0.2), (0.0, 900.0)] {
            let labels =
                (0..6).map(|step| picture.height_text(low + f64::from(step) * reach / 6.0, reach));
            let labels: BTreeSet<String> = labels.collect();
            assert_eq!(labels.len(), 6, "{labels:?}");
        }
    }

    #[test]
    fn single_values_are_no_curve() {
        let line = |points: &[(f64, f64)]| Line {
            points: points.to_vec(),
            color: GREY,
            stroke: Stroke::Plain,
            label: String::new(),
        };
        let mut picture = Picture {
            lines: vec![line(&[(400.0, 0.012_345)]), line(&[])],
            ..Picture::default()
        };
        assert_eq!(
            picture.single_values(),
            Some(vec![(GREY, "0.01235".to_owned())])
        );
        picture.lines.push(line(&[(1.0, 1.0), (2.0, 3.0)]));
        assert_eq!(picture.single_values(), None);
    }

    #[test]
    fn averages_follow_and_begin_with_the_first_point() {
        let points: Vec<(f64, f64)> = (0..100).map(|i| (f64::from(i), 5.0)).collect();
        assert!(
            averaged(&points)
                .iter()
                .all(|point| (point.1 - 5.0).abs() < 1e-9)
        );
    }

    #[test]
    fn the_wild_beginning_does_not_set_the_range() {
        let mut points: Vec<(f64, f64)> = (0..100).map(|i| (f64::from(i), 2.0)).collect();
        points[0].1 = 1000.0;
        let line = Line {
            points,
            color: GREY,
            stroke: Stroke::Smoothed,
            label: "end".to_owned(),
        };
        let mut picture = Picture {
            lines: vec![line],
            ..Picture::default()
        };
        assert!(picture.ranges().unwrap().1.1 < 3.0);
        assert!(picture.svg().unwrap().unwrap().contains("end"));
        picture.lines[0].points = vec![(f64::NAN, 1.0)];
        assert!(picture.svg().unwrap().is_none());
        picture.is_counted = true;
        picture.lines[0].points = vec![(1.0, 1.0), (4.0, 2.0)];
        assert_eq!(picture.ranges().unwrap().0, (0.5, 4.5));
        assert_eq!(
            (picture.place_text(2.0), picture.place_text(2.5)),
            ("2".to_owned(), String::new())
        );
        picture.is_counted = false;
        picture.lines[0].points = vec![(5.0, 1.0)];
        picture.is_logarithmic = true;
        assert!(picture.svg().unwrap().is_some());
    }
}
