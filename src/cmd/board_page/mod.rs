//! What pages with a board share: style, scripts that draw board, best moves and graph, keys, buttons.

use maud::{Markup, html};

/// The style.
pub const STYLE: &str = include_str!("page.css");

/// The scripts, in this order, before those of a page.
const SCRIPTS: [&str; 5] = [
    include_str!("board.js"),
    include_str!("candidates.js"),
    include_str!("graph.js"),
    include_str!("keys.js"),
    include_str!("steps.js"),
];

/// The scripts of a page, after those that all pages with a board have, as one that leaves no names behind.
pub fn script(own: &[&str]) -> String {
    format!(
        "(() => {{\n\"use strict\";\n{}{}}})();\n",
        SCRIPTS.concat(),
        own.concat()
    )
}

/// A button with a name for those who do not see its sign.
pub fn button(id: &str, label: &str, sign: &str) -> Markup {
    html! { button type="button" id=(id) title=(label) aria-label=(label) { (sign) } }
}

/// The buttons that step through a game.
pub fn step_buttons() -> Markup {
    html! {
        (button("first", "To the start", "|◀"))
        (button("back10", "Ten moves back", "◀◀"))
        (button("back", "One move back", "◀"))
        (button("next", "One move on", "▶"))
        (button("next10", "Ten moves on", "▶▶"))
        (button("last", "To the end", "▶|"))
    }
}

/// The switches for what is drawn on the board.
pub fn show_switches() -> Markup {
    html! {
        label { input #show-moves type="checkbox" checked; " best moves" }
        label { input #show-ownership type="checkbox"; " ownership" }
    }
}

/// The graph of win rate and lead, with its legend; the scripts draw it.
pub fn graph() -> Markup {
    html! {
        svg #graph role="img" aria-label="Win rate and score lead along the game; the slider moves along it" {}
        p.legend {
            span.key.winrate {} " Black's win rate (0 to 100 %) "
            span.key.lead {} " Black's score lead "
            span #scale {}
        }
    }
}

/// The table of the best moves, whose rows the scripts fill in.
pub fn moves_table(is_hidden: bool) -> Markup {
    html! {
        div.wide { table #moves hidden[is_hidden] {
            thead { tr {
                th.left { "best moves" }
                th { abbr title="Points lost compared with the best move" { "lost" } }
                th { "Black" } th { "lead" } th { "visits" }
                th { abbr title="The network's probability before the search" { "prior" } }
            } }
            tbody {}
        } }
    }
}
