//! Boards as SVG with a value on each point.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::go::{Board, Color, Move, Point};

/// Width of a point.
const CELL: f64 = 20.0;
/// Less probable moves are not shown.
const LEAST: f32 = 0.005;
/// Moves from this probability on get a number.
const NUMBERED: f32 = 0.02;
const STARS: &str = "#5b4526";

/// Marks on a board.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks {
    /// The last move.
    pub last: Option<Point>,
    /// The next move of the game.
    pub next: Option<Point>,
}

/// The middle of a point.
fn middle(board: &Board, point: Point) -> (f64, f64) {
    let row = board.size().height() - 1 - point.row();
    let place = |line: usize| (line as f64 + 0.8) * CELL;
    (place(point.column()), place(row))
}

/// A board with stones, and layers under and over them.
fn framed(board: &Board, marks: Marks, under: Markup, over: Markup) -> Markup {
    let size = board.size();
    let length = |lines: usize| (lines as f64 + 0.6) * CELL;
    let (width, height) = (length(size.width()), length(size.height()));
    let (first, ends) = (0.8 * CELL, (width - 0.8 * CELL, height - 0.8 * CELL));
    let line = |line: usize| (line as f64 + 0.8) * CELL;
    html! {
        svg viewBox=(format!("0 0 {width:.0} {height:.0}")) xmlns="http://www.w3.org/2000/svg" {
            rect width="100%" height="100%" rx="3" fill="#e9c585" {}
            g stroke="#8a6d3b" stroke-width="0.8" {
                @for column in 0..size.width() {
                    line x1=(line(column)) x2=(line(column)) y1=(first) y2=(ends.1) {}
                }
                @for row in 0..size.height() {
                    line x1=(first) x2=(ends.0) y1=(line(row)) y2=(line(row)) {}
                }
            }
            (under)
            @for point in board.points() {
                @if let Some(color) = board.color_at(point) { (stone(board, point, color)) }
            }
            (over)
            @if let Some(point) = marks.last {
                @let (x, y) = middle(board, point);
                circle cx=(x) cy=(y) r=(0.2 * CELL) fill="none" stroke="#e03131" stroke-width="2" {}
            }
            @if let Some(point) = marks.next {
                @let (x, y) = middle(board, point);
                circle cx=(x) cy=(y) r=(0.44 * CELL) fill="none" stroke="#1864ab" stroke-width="2" {}
            }
        }
    }
}

fn stone(board: &Board, point: Point, color: Color) -> Markup {
    let (x, y) = middle(board, point);
    let fill = match color {
        Color::Black => "#1c1c1c",
        Color::White => "#fafafa",
    };
    html! {
        circle cx=(x) cy=(y) r=(0.46 * CELL) fill=(fill) stroke="#444" stroke-width="0.7" {}
    }
}

/// The board with move probabilities in percent: the more probable, the larger and redder.
pub fn policy(board: &Board, policy: &[f32], marks: Marks) -> Markup {
    let size = board.size();
    let best = policy.iter().copied().fold(0.0f32, f32::max);
    let moves: Vec<(Point, f32)> = board
        .points()
        .map(|point| (point, policy[size.index(point)]))
        .filter(|&(point, p)| p >= LEAST && board.is_empty(point))
        .collect();
    let text = |p: f32| format!("{:.0}", 100.0 * p);
    let under = html! {
        @for &(point, p) in &moves {
            @let (x, y) = middle(board, point);
            @let strength = p.sqrt();
            circle cx=(x) cy=(y) r=(CELL * (0.22 + 0.26 * f64::from(strength)))
                fill=(if p == best { "#c92a2a" } else { "#e8590c" })
                fill-opacity=(format!("{:.2}", 0.35 + 0.65 * strength)) {}
        }
    };
    let over = html! {
        g font-family="sans-serif" font-size="9.5" text-anchor="middle" {
            @for &(point, p) in moves.iter().filter(|(_, p)| *p >= NUMBERED) {
                @let (x, y) = middle(board, point);
                text x=(x) y=(y + 3.4) fill=(if p > 0.12 { "#fff" } else { STARS }) { (text(p)) }
            }
        }
    };
    framed(board, marks, under, over)
}

/// The board with ownership: the more certain, the larger the square.
pub fn ownership(board: &Board, black: &[f32], marks: Marks) -> Markup {
    let size = board.size();
    let over = html! {
        @for point in board.points() {
            @let owner = black[size.index(point)];
            @let side = CELL * 0.52 * f64::from(owner.abs().min(1.0)).sqrt();
            @if side > 1.5 {
                @let (x, y) = middle(board, point);
                rect x=(format!("{:.1}", x - side / 2.0)) y=(format!("{:.1}", y - side / 2.0))
                    width=(format!("{side:.1}")) height=(format!("{side:.1}"))
                    fill=(if owner > 0.0 { "#000" } else { "#fff" })
                    stroke=(if owner > 0.0 { "#777" } else { "#999" }) stroke-width="0.5" {}
            }
        }
    };
    framed(board, marks, html! {}, over)
}

/// The final board of a game, with move numbers on the stones.
pub fn numbered(board: &Board, moves: &[(Color, Move)]) -> Markup {
    let mut numbers: BTreeMap<Point, usize> = BTreeMap::new();
    for (number, (_, mv)) in (1..).zip(moves) {
        numbers.extend(mv.point().map(|point| (point, number)));
    }
    numbers.retain(|&point, _| !board.is_empty(point));
    let color = |point| match board.color_at(point) {
        Some(Color::Black) => "#fff",
        _ => "#000",
    };
    let over = html! {
        g font-family="sans-serif" font-size="8.5" text-anchor="middle" {
            @for (&point, number) in &numbers {
                @let (x, y) = middle(board, point);
                text x=(x) y=(y + 3.0) fill=(color(point)) { (number) }
            }
        }
    };
    framed(board, Marks::default(), html! {}, over)
}
