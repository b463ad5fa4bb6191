//! Lists of points as options name them.

use std::fmt;
use std::str::FromStr;

use anyhow::{Result, ensure};

use crate::go::{BoardSize, Point};

/// Points and rectangles of points, as `D4` and `A1-J9`, separated by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointList(Vec<(Point, Point)>);

impl FromStr for PointList {
    type Err = String;

    fn from_str(text: &str) -> Result<PointList, String> {
        let point = |text: &str| {
            let point: Result<Point, _> = text.trim().parse();
            point.map_err(|_| format!("'{text}' is no point; points are named as D4"))
        };
        let mut corners = Vec::new();
        for part in text.split([',', ' ']).filter(|part| !part.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            corners.push((point(first)?, point(last)?));
        }
        match corners.is_empty() {
            true => Err("no points; they are named as D4, or A1-J9 for a rectangle".to_owned()),
            false => Ok(PointList(corners)),
        }
    }
}

impl fmt::Display for PointList {
    /// In the form that is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (first, last)) in self.0.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match first == last {
                true => write!(f, "{comma}{first}")?,
                false => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

impl PointList {
    /// The points, which must be on the board.
    pub fn on(&self, size: BoardSize) -> Result<Vec<Point>> {
        let mut points = Vec::new();
        for &(first, last) in &self.0 {
            for corner in [first, last] {
                ensure!(
                    size.contains(corner),
                    "{corner} is not on the board of {size}"
                );
            }
            let columns = first.column().min(last.column())..=first.column().max(last.column());
            let rows = first.row().min(last.row())..=first.row().max(last.row());
            points.extend(
                columns.flat_map(|column| rows.clone().map(move |row| Point::new(column, row))),
            );
        }
        Ok(points)
    }
}
