//! What pages with a board share: style, scripts that draw board, best moves and graph, keys, buttons.

use maud::{Markup, html};

/// The style.
pub const STYLE: &str = include_str!("page.css");

/// The scripts, in this order, before those of a page.
const SCRIPTS: [&str; 4] = [
    include_str!("board.js"),
    include_str!("candidates.js"),
    include_str!("graph.js"),
    include_str!("keys.js"),
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
