//! The page of a reviewed game: what is known without stepping through it is written here, boards are drawn by
//! the scripts, from the game's JSON.

use anyhow::Result;
use maud::{Markup, PreEscaped, html};

use crate::cmd::board_page::{
    self, STYLE, button, graph, moves_table, show_switches, step_buttons,
};
use crate::formats::html as frame;
use crate::review::review::{GameReview, Head, PlayerName};
use crate::review::summary::{Figures, PHASES, PlayerFigures};

/// What makes the page work, after the scripts of every page with a board.
const SCRIPTS: [&str; 2] = [include_str!("lists.js"), include_str!("page.js")];

/// The page.
pub fn page(review: &GameReview) -> Result<String> {
    let head = &review.head;
    let title = title(head);
    // Nothing in it may end the script.
    let data = serde_json::to_string(review)?.replace('<', "\\u003c");
    let body = html! {
        header {
            h1 { (title) }
            (facts(head))
        }
        noscript { p.fault { "Stepping through the game needs JavaScript." } }
        main {
            (board())
            (side())
        }
        (summary(head))
        script type="application/json" id="review" { (PreEscaped(data)) }
        script { (PreEscaped(board_page::script(&SCRIPTS))) }
    };
    Ok(frame::page_in_style(&title, STYLE, &body))
}

/// The players; the name of the game's file where the record names none.
fn title(head: &Head) -> String {
    let [black, white] = &head.players;
    match (&*black.name, &*white.name) {
        ("Black", "White") => head.name.clone(),
        _ => format!("{} – {}", named(black), named(white)),
    }
}

/// A player with rank.
pub(super) fn named(player: &PlayerName) -> String {
    match &player.rank {
        Some(rank) => format!("{} ({rank})", player.name),
        None => player.name.clone(),
    }
}

fn facts(head: &Head) -> Markup {
    let visits = head
        .made_of
        .visits
        .map(|visits| format!(", {visits} visits"));
    let handicap = (head.handicap > 0).then(|| format!("handicap {}", head.handicap));
    let known = [
        head.event.clone(),
        head.date.clone(),
        head.result
            .as_ref()
            .map(|result| format!("result {result}")),
        handicap,
        Some(format!("komi {}", head.komi)),
        Some(head.rules.clone()),
    ];
    let known: Vec<String> = known.into_iter().flatten().collect();
    let file = |extension| frame::href(&format!("{}.{extension}", head.name));
    html! {
        p { (known.join(", ")) }
        p.note {
            "Analyzed by keima, network " (head.made_of.network) (visits.unwrap_or_default()) ". "
            a href="index.html" { "All games" } ", "
            a href=(file("sgf")) download { "record with comments" } ", "
            a href=(file("json")) download { "data" }
        }
        @if let Some(fault) = &head.fault {
            p.fault { "The record goes on with an impossible move (" (fault) "); it is reviewed up to there." }
        }
        @if !head.remarks.is_empty() {
            details.note {
                summary { "Remarks on the file" }
                ul { @for remark in &head.remarks { li { (remark) } } }
            }
        }
    }
}

fn board() -> Markup {
    html! {
        section #play aria-label="Board" {
            svg #board role="group" aria-label="Board" {}
            div.buttons {
                (step_buttons())
                (button("worse", "To the next mistake", "next mistake"))
            }
            input #slider type="range" min="0" value="0" step="1" aria-label="Move number";
            div.switches {
                (show_switches())
            }
            p.note.keys {
                "Keys: ← → one move, PageUp and PageDown ten, Home and End, M next mistake, O ownership."
            }
        }
    }
}

fn side() -> Markup {
    html! {
        section #side {
            (graph())
            div #status aria-live="polite" {}
            (moves_table(false))
            h2 #mistakes-title { "Mistakes and blunders" }
            ol #mistakes {}
        }
    }
}

fn summary(head: &Head) -> Markup {
    let [opening, middle] = head.summary.borders;
    let thresholds = head.thresholds;
    let ranges = [
        format!("moves 1–{opening}"),
        format!("{}–{middle}", opening + 1),
        format!("from {}", middle + 1),
    ];
    let figures = [&head.summary.black, &head.summary.white];
    html! {
        section #summary {
            h2 { "Summary" }
            div.wide { table {
                thead { tr {
                    th.left { "phase" } th { "moves" } th { "average loss" }
                    th { "accuracy" } th { "first choices" } th { "mistakes" } th { "blunders" }
                } }
                @for (player, figures) in head.players.iter().zip(figures) {
                    (player_rows(&named(player), figures, &ranges))
                }
            } }
            p.note {
                "Average loss: points lost by a move. Accuracy: 100 % if nothing is lost; each point of average "
                "loss leaves three quarters. First choices: moves that are the search's best. Mistakes lose at "
                "least " (thresholds.mistake) " points, blunders at least " (thresholds.blunder) "."
            }
        }
    }
}

fn player_rows(name: &str, figures: &PlayerFigures, ranges: &[String; 3]) -> Markup {
    html! {
        tbody {
            tr { td.left colspan="7" { b { (name) } } }
            (figures_row("whole game", &figures.all))
            @for ((phase, range), figures) in PHASES.iter().zip(ranges).zip(&figures.phases) {
                @if figures.moves > 0 {
                    (figures_row(&format!("{phase} ({range})"), figures))
                }
            }
        }
    }
}

fn figures_row(phase: &str, figures: &Figures) -> Markup {
    let percent =
        |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.0} %"));
    let share = figures.first_choices.map(|share| 100.0 * share);
    html! {
        tr {
            td.left { (phase) } td { (figures.moves) }
            td { (points(figures.average_loss)) }
            td { (percent(figures.accuracy)) } td { (percent(share)) }
            td { (figures.mistakes) } td { (figures.blunders) }
        }
    }
}

/// A number of points, or a dash.
pub(super) fn points(points: Option<f64>) -> String {
    points.map_or("–".to_owned(), |points| format!("{points:.2}"))
}
