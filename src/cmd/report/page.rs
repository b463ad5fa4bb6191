//! The HTML page.

use std::path::Path;

use anyhow::Result;
use maud::{Markup, PreEscaped, html};
use serde_json::Value;

use super::calibration::Calibration;
use super::examples::{Example, Opinion};
use super::games::{self, Shown};
use super::log::Log;
use super::loop_tables::Table;
use super::sections;
use crate::cmd::curves::count_text;
use crate::data::label_folder::LabelFolder;
use crate::data::records;
use crate::files;
use crate::formats::board_svg::{self, Marks};
use crate::formats::{html as frame, rules_json};

/// Additional styles.
const STYLE: &str = "\
body { max-width: 72em } h3 { margin: 1.6em 0 .4em; font-size: 1.05em }
.legend span { margin-right: 1.2em } .legend i { display: inline-block; width: 1.6em; height: .35em;
margin-right: .4em; vertical-align: middle; border-radius: .2em }";

/// Contents of the page.
pub struct Contents<'a> {
    /// Training runs.
    pub logs: &'a [Log],
    /// Tables of self-play folders.
    pub tables: &'a [Table],
    /// Examples of their games.
    pub games: &'a [Shown],
    /// Calibration of the first run's network.
    pub calibration: &'a Calibration,
    /// Held-out positions.
    pub examples: &'a [Example],
}

pub fn page(contents: &Contents) -> Result<String> {
    let Contents { logs, tables, .. } = *contents;
    let names: Vec<&str> = logs.iter().map(|log| &log.name[..]).collect();
    let title = match names[..] {
        [] => "Self-play".to_owned(),
        _ => format!("Training: {}", names.join(", ")),
    };
    let colors = names.iter().enumerate();
    let colors = || {
        colors
            .clone()
            .map(|(number, name)| (sections::color(number), *name))
    };
    let body = html! {
        style { (PreEscaped(STYLE)) }
        h1 { (title) }
        @if !logs.is_empty() { (summary(logs)) }
        @for table in tables { (plain_table(table)?) }
        (games::markup(contents.games))
        @if !logs.is_empty() {
            @if logs.len() > 1 { (sections::legend(colors())) }
            h2 { "Losses" }
            p.note {
                "Means over the samples between points, faint, and their moving average. "
                "Horizontal axis: samples."
            }
            (sections::losses(logs)?)
            h2 { "Validation" }
            p.note { "Averaged parameters on validation labels, all board sizes together." }
            (sections::validation(logs)?)
            @for log in logs { (sections::by_size(log)?) }
            (contents.calibration.markup()?)
            h2 { "Human moves" }
            (sections::accuracy(logs)?)
            h2 { "Course" }
            (sections::course(logs)?)
            (events(logs))
        }
        @if !contents.examples.is_empty() { (positions(contents.examples)) }
        @for log in logs { (settings(log)) }
        p.note { (concat!("keima ", env!("CARGO_PKG_VERSION"))) }
    };
    Ok(frame::page(&title, &body))
}

/// A duration, for display.
pub fn duration(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    match minutes {
        0 => format!("{seconds:.0} s"),
        1..90 => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

fn summary(logs: &[Log]) -> Markup {
    let shown = |log: &Log, name: &str, is_share: bool| match (log.last(name), is_share) {
        (None, _) => "–".to_owned(),
        (Some(value), true) => format!("{:.1} %", 100.0 * value),
        (Some(value), false) => format!("{value:.3}"),
    };
    html! {
        div.wide {
            table #summary {
                tr {
                    th { "run" } th { "network" } th { "parameters" } th { "samples" } th { "time" }
                    th { "loss" } th { "divergence" } th { "same best move" } th { "human moves" }
                    th { "lead error" }
                }
                @for log in logs {
                    tr {
                        td { (log.name) }
                        td { (log.manifest.settings.arch) }
                        td { (count_text(log.begin["parameters"].as_f64().unwrap_or(0.0))) }
                        td {
                            (count_text(log.samples()))
                            @if let Some(all) = log.manifest.plan.samples {
                                " of " (count_text(all as f64))
                            }
                        }
                        td { (duration(log.last("seconds").unwrap_or(0.0))) }
                        td { (shown(log, "loss/total", false)) }
                        td { (shown(log, "val/all/policy_kl", false)) }
                        td { (shown(log, "val/all/policy_agreement", true)) }
                        td { (shown(log, "val/all/human_top1", true)) }
                        td { (shown(log, "val/all/lead_error", false)) }
                    }
                }
            }
        }
        p.note {
            "Divergence: of the policy from the teacher's on validation labels, in nats. Lead error: "
            "in points."
        }
    }
}

fn events(logs: &[Log]) -> Markup {
    html! {
        @for log in logs.iter().filter(|log| !log.events.is_empty()) {
            h3 { "Events: " (log.name) }
            ul {
                @for (samples, text) in &log.events {
                    li { "after " (count_text(*samples)) " samples: " (text) }
                }
            }
        }
    }
}

fn plain_table(table: &Table) -> Result<Markup> {
    let svg = match &table.picture {
        Some(picture) => picture.svg()?,
        None => None,
    };
    Ok(html! {
        h2 { (table.title) }
        @if let Some(svg) = &svg {
            div.pictures { figure { (PreEscaped(svg)) figcaption { (table.note) } } }
        }
        div.wide {
            table {
                tr { @for name in &table.head { th { (name) } } }
                @for row in &table.rows { tr { @for cell in row { td { (cell) } } } }
            }
        }
        @if table.picture.is_none() && !table.note.is_empty() { p.note { (table.note) } }
    })
}

fn positions(examples: &[Example]) -> Markup {
    html! {
        h2 { "Validation positions" }
        p.note {
            "Policy in percent, the most probable move in red; ownership as squares. Red ring: the last "
            "move; blue ring: the move played."
        }
        @for (number, example) in examples.iter().enumerate() { (position(number + 1, example)) }
    }
}

fn position(number: usize, example: &Example) -> Markup {
    let position = &example.position;
    let summary = |opinion: &Opinion| {
        let pass = opinion.policy.last().copied().unwrap_or(0.0);
        let pass = match pass {
            0.01.. => format!(", pass {:.0} %", 100.0 * pass),
            _ => String::new(),
        };
        let lead = opinion.lead.map(|lead| format!(", ahead {lead:+.1}"));
        let lead = lead.unwrap_or_default();
        format!("wins {:.0} %{lead}{pass}", 100.0 * opinion.win)
    };
    let marks = Marks {
        last: example.last,
        next: example.played,
    };
    let board = position.board();
    let both = [("network", &example.student), ("teacher", &example.teacher)];
    let known = both.into_iter().filter(|(_, it)| !it.black.is_empty());
    html! {
        h3 {
            (number) ". " (position.size()) ", " (position.to_move()) " to move, komi "
            (position.komi()) ", divergence " (format!("{:.2}", example.divergence()))
        }
        div.boards {
            @for (who, opinion) in both {
                figure {
                    (board_svg::policy(board, &opinion.policy, marks))
                    figcaption { b { (who) } ": " (summary(opinion)) }
                }
            }
            @for (who, opinion) in known {
                figure {
                    (board_svg::ownership(board, &opinion.black, Marks::default()))
                    figcaption { b { (who) } ": ownership" }
                }
            }
        }
        p.note { (rules_json::in_words(position.rules())) }
    }
}

fn settings(log: &Log) -> Markup {
    let value = serde_json::to_value(&log.manifest.settings).unwrap_or_default();
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let (plain, losses): (Vec<_>, Vec<_>) = value
        .as_object()
        .into_iter()
        .flatten()
        .partition(|(_, value)| !value.is_object());
    let plan = &log.manifest.plan;
    html! {
        h2 { "Settings: " (log.name) }
        div.wide { table {
            @for (name, value) in plain { tr { td { (name) } td.left { (text(value)) } } }
            @for name in ["site", "parameters"] {
                tr { td { (name) } td.left { (text(&log.begin[name])) } }
            }
            @for (name, weights) in losses {
                tr {
                    td { (name) }
                    td.left {
                        @for (head, weight) in weights.as_object().into_iter().flatten() {
                            (head) " " (weight) "; "
                        }
                    }
                }
            }
            tr {
                td { "samples planned" }
                td.left { (plan.samples.map_or("–".to_owned(), |all| count_text(all as f64))) }
            }
            @if let Some((from, to)) = plan.decay {
                tr {
                    td { "rate falls" }
                    td.left { "from " (count_text(from as f64)) " to " (count_text(to as f64)) }
                }
            }
            @for (what, folders) in [("labels", &plan.data), ("validation labels", &plan.validate)] {
                @for folder in folders {
                    tr { td { (what) } td.left { (folder.display()) ": " (contents(folder)) } }
                }
            }
            @if !log.begin["labels"].is_null() {
                tr { td { "labels in all" } td.left { (text(&log.begin["labels"])) } }
            }
        } }
    }
}

/// Description of a folder of labels.
fn contents(folder: &Path) -> String {
    if let Ok(run) = LabelFolder::open(folder) {
        let settings = run.settings();
        return format!(
            "teacher {}, {} games, seed {}",
            settings.teacher.name, settings.games.count, settings.seed
        );
    }
    let is_of_games = records::is_folder(folder);
    let description = match files::exists(folder) {
        true if is_of_games => "of recorded games",
        true => "of self-play",
        false => "not there now",
    };
    description.to_owned()
}
