//! The sections of curves on the page.

use anyhow::Result;
use maud::{Markup, PreEscaped, html};

use super::log::Log;
use super::references::{PUBLISHED, ROC_ALPHA_GO, ROC_ALPHA_GO_NATS};
use crate::cmd::curves::{COLORS, GREY, Line, Picture, Stroke};
use crate::train::losses::Head;

/// Validation metrics shown by board size, and whether they are fractions.
const BY_SIZE: [(&str, &str, bool); 7] = [
    (
        "policy_kl",
        "policy: divergence from the target, nats",
        false,
    ),
    ("policy_agreement", "same best move as the target", true),
    ("outcome_excess", "outcome: divergence, nats", false),
    (
        "value_square_error",
        "win less loss: mean squared error",
        false,
    ),
    (
        "sibling_correlation",
        "values of siblings: correlation",
        false,
    ),
    ("lead_error", "lead: mean error, points", false),
    ("ownership_brier", "ownership: Brier score", false),
];

/// The color with this number.
pub fn color(number: usize) -> (u8, u8, u8) {
    COLORS[number % COLORS.len()]
}

/// A color in CSS.
pub fn css((red, green, blue): (u8, u8, u8)) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Legend of the colors.
pub fn legend<'a>(names: impl Iterator<Item = ((u8, u8, u8), &'a str)>) -> Markup {
    html! {
        p.legend {
            @for (color, name) in names {
                span { i style=(format!("background:{}", css(color))) {} (name) } " "
            }
        }
    }
}

/// Charts side by side. Charts of single points become a table.
pub fn pictures(pictures: Vec<Picture>) -> Result<Markup> {
    let mut drawn = Vec::new();
    let mut values = Vec::new();
    for picture in pictures {
        match picture.single_values() {
            Some(single) if single.is_empty() => {}
            Some(single) => values.push((picture.title, single)),
            None => drawn.extend(picture.svg()?),
        }
    }
    Ok(html! {
        @if !drawn.is_empty() {
            div.pictures { @for svg in drawn { figure { (PreEscaped(svg)) } } }
        }
        @if !values.is_empty() {
            table {
                @for (title, values) in values {
                    tr {
                        td { (title) }
                        @for (color, value) in values {
                            td { span style=(format!("color:{}", css(color))) { (value) } }
                        }
                    }
                }
            }
        }
    })
}

/// A value of all runs.
fn of_runs(logs: &[Log], name: &str, title: &str) -> Picture {
    let line = |(number, log): (usize, &Log)| Line {
        points: log.points(name).to_vec(),
        color: color(number),
        stroke: Stroke::Smoothed,
        label: String::new(),
    };
    Picture {
        title: title.to_owned(),
        lines: logs.iter().enumerate().map(line).collect(),
        ..Picture::default()
    }
}

/// The loss of each head.
pub fn losses(logs: &[Log]) -> Result<Markup> {
    let total = of_runs(logs, "loss/total", "all losses, weighted");
    let agreement = Picture {
        is_share: true,
        ..of_runs(logs, "policy_agreement", "same best move as the target")
    };
    let heads = Head::ALL.iter().map(|head| {
        let name = head.name();
        of_runs(logs, &format!("loss/{name}"), &name.replace('_', " "))
    });
    let against_pool = Picture {
        is_share: true,
        ..of_runs(
            logs,
            "policy_gradient/win_rate",
            "policy gradients: wins against the pool",
        )
    };
    let all = [total, agreement].into_iter().chain(heads);
    pictures(all.chain([against_pool]).collect())
}

/// Learning rate, gradient norms, speed.
pub fn course(logs: &[Log]) -> Result<Markup> {
    let zero = |picture: Picture| Picture {
        from_zero: true,
        ..picture
    };
    let mut rate = zero(of_runs(logs, "rate", "learning rate"));
    for line in &mut rate.lines {
        line.stroke = Stroke::Plain;
    }
    let norm = of_runs(logs, "gradient_norm", "length of the gradient");
    let clipped = Picture {
        is_share: true,
        ..zero(of_runs(logs, "clipped", "steps whose gradient was cut"))
    };
    let speed = zero(of_runs(logs, "samples_per_second", "samples a second"));
    pictures(vec![rate, norm, clipped, speed])
}

/// Validation metrics over all sizes, of all runs.
pub fn validation(logs: &[Log]) -> Result<Markup> {
    let picture = |(metric, title, is_share): (&str, &str, bool)| Picture {
        is_share,
        ..of_runs(logs, &format!("val/all/{metric}"), title)
    };
    if logs.iter().all(|log| log.sizes().is_empty()) {
        return Ok(html! { p { "There is no validation yet." } });
    }
    pictures(BY_SIZE.into_iter().map(picture).collect())
}

/// Validation metrics of one run by board size: a few sizes as curves, all as a table.
pub fn by_size(log: &Log) -> Result<Markup> {
    let sizes = log.sizes();
    let common = ["19x19", "13x13", "9x9"].map(str::to_owned);
    let mut shown: Vec<&String> = common.iter().filter(|size| sizes.contains(size)).collect();
    let others = sizes.iter().filter(|size| !common.contains(size));
    shown.extend(others.take(if shown.len() < 2 { 4 } else { 0 }));
    let picture = |(metric, title, is_share): (&str, &str, bool)| {
        let line = |(number, size): (usize, &&String)| Line {
            points: log.points(&format!("val/{size}/{metric}")).to_vec(),
            color: color(number),
            stroke: Stroke::Plain,
            label: String::new(),
        };
        Picture {
            title: title.to_owned(),
            lines: shown.iter().enumerate().map(line).collect(),
            is_share,
            ..Picture::default()
        }
    };
    let colors = shown.iter().enumerate();
    let colors = colors.map(|(number, size)| (color(number), &size[..]));
    let cell = |size: &str, metric: &str, is_share: bool| {
        let last = log.last(&format!("val/{size}/{metric}"));
        last.map_or_else(String::new, |value| match is_share {
            true => format!("{:.1} %", 100.0 * value),
            false => format!("{value:.3}"),
        })
    };
    let rows = std::iter::once("all").chain(sizes.iter().map(String::as_str));
    Ok(html! {
        @if !sizes.is_empty() {
            h3 { "By board size: " (log.name) }
            (legend(colors))
            (pictures(BY_SIZE.into_iter().map(picture).collect())?)
            details {
                summary { "All board sizes, last values" }
                div.wide {
                    table {
                        tr {
                            th { "board" } th { "labels" }
                            @for (_, title, _) in BY_SIZE { th { (title) } }
                            th { "human moves, first" }
                        }
                        @for size in rows {
                            tr {
                                td { (size) }
                                td { (log.last(&format!("val/{size}/labels")).unwrap_or(0.0)) }
                                @for (metric, _, is_share) in BY_SIZE {
                                    td { (cell(size, metric, is_share)) }
                                }
                                td { (cell(size, "human_top1", true)) }
                            }
                        }
                    }
                }
            }
        }
    })
}

/// Accuracy on human moves, with published results.
pub fn accuracy(logs: &[Log]) -> Result<Markup> {
    let reference = |points: &[(f64, f64)], label: &str, stroke| Line {
        points: points.to_vec(),
        color: GREY,
        stroke,
        label: label.to_owned(),
    };
    let published =
        PUBLISHED.map(|(_, samples, share)| reference(&[(samples, share)], "", Stroke::Dots));
    let of = |metric: &str, title: &str| Picture {
        is_logarithmic: true,
        is_share: true,
        ..of_runs(logs, &format!("val/all/{metric}"), title)
    };
    let roc = || reference(&ROC_ALPHA_GO, "RocAlphaGo", Stroke::Plain);
    let mut first = of("human_top1", "accuracy on human moves: policy");
    first.lines.push(roc());
    first.lines.extend(published.clone());
    let mut head = of("human_head_top1", "accuracy on human moves: human policy");
    head.lines.push(roc());
    head.lines.extend(published);
    let mut nats = of(
        "human_head_cross_entropy",
        "human moves: cross entropy of the human policy, nats",
    );
    nats.is_share = false;
    let nats_reference = reference(&ROC_ALPHA_GO_NATS, "RocAlphaGo", Stroke::Plain);
    nats.lines.push(nats_reference);
    let five = Picture {
        is_logarithmic: false,
        ..of("human_top5", "human moves among the top five: policy")
    };
    if logs
        .iter()
        .all(|log| log.points("val/all/human_top1").is_empty())
    {
        return Ok(html! {
            p { "No labels with human moves have been evaluated yet." }
        });
    }
    let names = PUBLISHED.map(|(name, _, share)| format!("{name} {:.1} %", 100.0 * share));
    Ok(html! {
        p.note {
            "Grey line: RocAlphaGo's network of 12 layers in training. Dots: " (names.join(", "))
            ". Games and methods differ."
        }
        (pictures(vec![first, head, nats, five])?)
    })
}
