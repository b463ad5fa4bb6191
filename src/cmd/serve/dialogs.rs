//! The choices of players, and the dialogs of the page: new games, settings, games that are kept, the folder of
//! records.

use maud::{Markup, html};

use super::page::Facts;
use crate::serve::MOST_GAMES;

/// Rule sets that are offered, with their names.
const RULES: [(&str, &str); 7] = [
    ("chinese", "Chinese"),
    ("japanese", "Japanese"),
    ("korean", "Korean"),
    ("aga", "AGA"),
    ("new-zealand", "New Zealand"),
    ("tromp-taylor", "Tromp-Taylor"),
    ("ing", "Ing"),
];
/// Time controls that are offered, with what they mean; others may be typed.
const TIMES: [(&str, &str); 5] = [
    ("5m", "5 minutes, then the game is lost"),
    ("5m+5s", "5 minutes, and 5 seconds more for each move"),
    ("10m+30sx3", "10 minutes, then 3 periods of 30 seconds"),
    (
        "20m+5m/15",
        "20 minutes, then 15 moves in 5 minutes each time",
    ),
    ("30s/move", "30 seconds for each move"),
];
/// Visits of a move that are offered, besides full strength.
const VISITS: [u32; 5] = [1, 10, 50, 200, 1000];
/// Visits of an analysis that are offered.
const ANALYSIS_VISITS: [u32; 5] = [100, 500, 2000, 10_000, 100_000];
/// Those that are chosen at first.
const DEFAULT_VISITS: u32 = 2000;

/// Where a dialog says what has gone wrong.
fn message() -> Markup {
    html! { p.message.fault role="alert" hidden {} }
}

/// The choices of who plays a color.
pub(super) fn seats(facts: &Facts) -> Markup {
    let engine = |visits: u32| format!("{{\"kind\":\"engine\",\"visits\":{visits},\"rank\":null}}");
    let rank = |rank: &str| format!("{{\"kind\":\"engine\",\"visits\":null,\"rank\":\"{rank}\"}}");
    html! {
        option value="{\"kind\":\"person\"}" { "a person" }
        option value="{\"kind\":\"engine\",\"visits\":null,\"rank\":null}" { "keima, full strength" }
        @for visits in VISITS {
            option value=(engine(visits)) {
                "keima, " (visits) @if visits == 1 { " visit" } @else { " visits" }
            }
        }
        @for name in &facts.ranks {
            option value=(rank(name)) { "keima like " (name) }
        }
    }
}

pub(super) fn new_game(facts: &Facts) -> Markup {
    html! {
        dialog #new-game aria-labelledby="new-game-title" {
            form method="dialog" {
                h2 #new-game-title { "New game" }
                div.fields {
                    label for="size" { "Board" }
                    select #size {
                        option value="9" { "9×9" } option value="13" { "13×13" }
                        option value="19" selected { "19×19" } option value="" { "other" }
                    }
                    label.other-size for="columns" { "Columns and rows" }
                    span.other-size {
                        input #columns type="number" min="2" max="25" value="7" aria-label="Columns";
                        " × "
                        input #rows type="number" min="2" max="25" value="7" aria-label="Rows";
                    }
                    label for="new-B" { "Black" } select #new-B { (seats(facts)) }
                    label for="new-W" { "White" } select #new-W { (seats(facts)) }
                    label for="rules" { "Rules" }
                    select #rules { @for (value, name) in RULES { option value=(value) { (name) } } }
                    label for="komi" { "Komi" }
                    input #komi type="number" step="0.5" min="-150" max="150" placeholder="by the rules";
                    label for="time" { "Time" }
                    input #time type="text" list="times" maxlength="40" placeholder="no limit, or 10m+30sx3" autocomplete="off";
                    datalist #times { @for (value, name) in TIMES { option value=(value) { (name) } } }
                    label for="handicap" { "Handicap" }
                    select #handicap {
                        option value="0" { "none" }
                        @for stones in 2..=9 { option value=(stones) { (stones) " stones" } }
                    }
                }
                (message())
                div.buttons {
                    button #new-cancel type="button" { "Cancel" }
                    button #new-start.main value="start" { "Start" }
                }
            }
        }
    }
}

pub(super) fn settings(facts: &Facts) -> Markup {
    html! {
        dialog #settings-dialog aria-labelledby="settings-title" {
            form method="dialog" {
                h2 #settings-title { "Settings" }
                div.fields {
                    label for="theme" { "Colors" }
                    select #theme {
                        option value="" { "as the system" } option value="light" { "light" } option value="dark" { "dark" }
                    }
                    label for="visits" { "Analysis up to" }
                    select #visits {
                        @for visits in ANALYSIS_VISITS {
                            option value=(visits) selected[visits == DEFAULT_VISITS] { (visits) " visits" }
                        }
                    }
                    label for="confirm" { "To play" }
                    select #confirm {
                        option value="auto" { "touch twice or click" }
                        option value="always" { "touch or click twice" }
                        option value="never" { "touch or click once" }
                    }
                    label for="coordinates" { "Coordinates" }
                    select #coordinates { option value="shown" { "shown" } option value="hidden" { "hidden" } }
                }
                h3 { "Keys" }
                p.note {
                    "← → one move, ↑ ↓ another variation, PageUp and PageDown ten, Home and End. P pass, U undo, A analysis, O ownership, B best "
                    "moves, N new game. On the board (reached with Tab) arrows choose a point, Enter plays there."
                }
                p.note { "keima " (env!("CARGO_PKG_VERSION")) ", " (facts.engine) }
                div.buttons { button.main value="close" { "Close" } }
            }
        }
    }
}

pub(super) fn games() -> Markup {
    html! {
        dialog #games-dialog aria-labelledby="games-title" {
            form method="dialog" {
                h2 #games-title { "Games" }
                p.note { "The program keeps " (MOST_GAMES) " games. Those used last come first." }
                (message())
                ul #kept-games.choices {}
                div.buttons { button value="close" { "Close" } }
            }
        }
    }
}

pub(super) fn library() -> Markup {
    html! {
        dialog #library-dialog aria-labelledby="library-title" {
            form method="dialog" {
                h2 #library-title { "Folder of game records" }
                label { "Save this game as " input #keep-name type="text" placeholder="game.sgf" maxlength="120"; }
                " " button #keep type="button" { "Save" }
                p #kept role="status" {}
                (message())
                ul #names.choices {}
                div.buttons { button value="close" { "Close" } }
            }
        }
    }
}
