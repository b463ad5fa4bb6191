//! The page of games: what never changes is written here; the scripts fill in the rest.

use maud::{DOCTYPE, Markup, html};

use super::dialogs::{games, library, new_game, seats, settings};
use crate::cmd::board_page::{self, graph, moves_table, show_switches, step_buttons};
use crate::formats::html::BASE_STYLE;

/// The style that this page has besides that of all pages with boards.
const STYLE: &str = include_str!("live.css");
/// What makes the page work, after the scripts of all pages with boards.
const SCRIPTS: [&str; 10] = [
    include_str!("connection.js"),
    include_str!("squares.js"),
    include_str!("clocks.js"),
    include_str!("branches.js"),
    include_str!("show.js"),
    include_str!("edit.js"),
    include_str!("dialogs.js"),
    include_str!("games.js"),
    include_str!("live.js"),
    include_str!("start.js"),
];
/// What keeps the page of a training run up to date.
pub(super) const RUN_SCRIPT: &str = include_str!("run.js");

/// What the page depends on.
pub(super) struct Facts<'a> {
    /// The ranks that the program may have.
    pub(super) ranks: Vec<String>,
    /// Whether there is a folder of records.
    pub(super) has_library: bool,
    /// Whether a training run is shown.
    pub(super) has_runs: bool,
    /// What plays, for display.
    pub(super) engine: &'a str,
}

/// The style of the page.
pub(super) fn style() -> String {
    format!("{BASE_STYLE}{}{STYLE}", board_page::STYLE)
}

/// The scripts of the page.
pub(super) fn script() -> String {
    board_page::script(&SCRIPTS)
}

/// A page that loads its style and a script.
fn frame(title: &str, script: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                link rel="icon" href="data:,";
                link rel="stylesheet" href="style.css";
                title { (title) }
                script src=(script) defer {}
            }
            body { (body) }
        }
    };
    page.into_string()
}

/// The page of games.
pub(super) fn page(facts: &Facts) -> String {
    let body = html! {
        header.bar {
            h1 { "keima" }
            nav aria-label="Game" {
                button #new type="button" { "New game" }
                button #load type="button" { "Open SGF" }
                button #save type="button" { "Save SGF" }
                button #games type="button" { "Games" }
                @if facts.has_library { button #library type="button" { "Folder" } }
                button #edit type="button" { "Edit position" }
                button #settings type="button" { "Settings" }
                @if facts.has_runs { a.button href="run" { "Training run" } }
            }
            input #sgf-file type="file" accept=".sgf,application/x-go-sgf" hidden;
        }
        noscript { p.fault { "This page needs JavaScript." } }
        p #message.message.fault role="alert" hidden {}
        p #offline.fault role="status" hidden { "The connection to keima is lost; trying again …" }
        main {
            (board())
            (side(facts))
        }
        p #announcer.unseen aria-live="polite" {}
        (new_game(facts))
        (settings(facts))
        (games())
        @if facts.has_library { (library()) }
    };
    frame("keima", "app.js", &body)
}

/// The page of a training run; its script fills in the report.
pub(super) fn run_page() -> String {
    let body = html! {
        p.report-head { a href="./" { "Games" } " · " span #report-state role="status" { "making the report …" } }
        div #report {}
    };
    frame("Training run", "run.js", &body)
}

fn board() -> Markup {
    html! {
        section #play aria-label="Board" {
            div #edit-tools hidden {
                fieldset {
                    legend { "Set up" }
                    label { input type="radio" name="tool" value="B" checked; " black" }
                    label { input type="radio" name="tool" value="W"; " white" }
                    label { input type="radio" name="tool" value=""; " erase" }
                }
                fieldset {
                    legend { "To move" }
                    label { input type="radio" name="to-move" value="B" checked; " Black" }
                    label { input type="radio" name="to-move" value="W"; " White" }
                }
                div.edit-buttons {
                    button #edit-done.main type="button" { "Done" }
                    button #edit-cancel type="button" { "Cancel" }
                    button #edit-clear type="button" { "Clear" }
                }
            }
            div #place {
                svg #board aria-hidden="true" {}
                div #squares role="grid" aria-label="Board" {}
            }
            div.buttons {
                (step_buttons())
            }
            input #slider type="range" min="0" value="0" step="1" aria-label="Move number";
            div.switches {
                label { input #analysis type="checkbox"; " analysis" }
                label { input #whole type="checkbox"; " whole game" }
                (show_switches())
            }
        }
    }
}

fn side(facts: &Facts) -> Markup {
    html! {
        section #side aria-label="Game" {
            div.wide { table #players {
                tbody {
                    @for (color, name) in [("B", "Black"), ("W", "White")] {
                        tr {
                            td.left { span class={ "sample " (color) } {} " " (name) }
                            td.left { select id={ "seat-" (color) } aria-label={ (name) " is played by" } { (seats(facts)) } }
                            td.left id={ "name-" (color) } {}
                            td {
                                span.clock id={ "clock-" (color) } role="timer" aria-label={ (name) "'s clock" } hidden {}
                                span id={ "prisoners-" (color) } {}
                            }
                        }
                    }
                }
            } }
            div #status {}
            div #branches role="group" aria-label="Variations" {}
            div.buttons.actions {
                button #pass type="button" { "Pass" }
                button #undo type="button" { "Undo" }
                button #resign type="button" { "Resign" }
                button #accept.main type="button" hidden { "Count" }
                button #resume type="button" hidden { "Play on" }
                button #go-back type="button" hidden { "Back to the game" }
            }
            div #figures {
                (graph())
                div #evaluation {}
            }
            (moves_table(true))
            p #facts.note {}
            ul #remarks.note {}
        }
    }
}
