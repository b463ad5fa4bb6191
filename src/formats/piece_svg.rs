//! Checkered boards with pieces as SVG.

use maud::{Markup, html};

/// Width of a square.
const CELL: usize = 20;

/// A board from its rows, the uppermost first. Each square is dark or not and has a character for its
/// piece, a blank for none.
pub fn board(rows: &[Vec<(bool, char)>]) -> Markup {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0) * CELL;
    let height = rows.len() * CELL;
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}")) {
            @for (row, squares) in rows.iter().enumerate() {
                @for (column, (is_dark, _)) in squares.iter().enumerate() {
                    rect x=(column * CELL) y=(row * CELL) width=(CELL) height=(CELL)
                        fill=(if *is_dark { "#c9a26d" } else { "#f3e3c3" }) {}
                }
            }
            g font-family="DejaVu Sans, Segoe UI Symbol, sans-serif" font-size="17" text-anchor="middle" {
                @for (row, squares) in rows.iter().enumerate() {
                    @for (column, (_, piece)) in squares.iter().enumerate() {
                        @if *piece != ' ' {
                            text x=(column * CELL + CELL / 2) y=(row * CELL + 16) { (piece) }
                        }
                    }
                }
            }
        }
    }
}
