//! Results of a network test as tables.

use crate::train::validation::{CLASSES, Diagnosis, Fraction, Mistakes, Report, Winners};

/// Width of the names of values.
const NAMES: usize = 54;
/// Width of a column of values.
const COLUMN: usize = 20;
/// Width of a column of a board size.
const SIZES: usize = 10;

/// A row for each value and a column for each board size, then the diagnosis of all sizes if there
/// is one.
pub fn report(report: &Report) -> String {
    let mut lines = values(report);
    if let Some(diagnosis) = report.all().diagnosis() {
        lines.push(String::new());
        lines.extend(diagnosed(diagnosis));
    }
    lines.join("\n")
}

fn values(report: &Report) -> Vec<String> {
    let columns = report.values();
    let name_width = 28;
    let heads = columns.iter().map(|(size, _)| format!("{size:>SIZES$}"));
    let head = format!("{:name_width$}{}", "", heads.collect::<String>());
    let names = columns.first().map_or(&[][..], |(_, values)| values);
    let row = |&(name, _): &(&str, f64)| {
        let cells = columns.iter().map(|(_, values)| {
            let value = values.iter().find(|value| value.0 == name);
            let text = value.map_or_else(|| "-".to_owned(), |value| number(value.1));
            format!("{text:>SIZES$}")
        });
        format!("{name:name_width$}{}", cells.collect::<String>())
    };
    [head].into_iter().chain(names.iter().map(row)).collect()
}

/// Counts as integers, other values with four digits.
fn number(value: f64) -> String {
    match value.fract() == 0.0 && value.abs() >= 2.0 {
        true => format!("{value:.0}"),
        false => format!("{value:.4}"),
    }
}

/// Late positions beside all.
fn diagnosed(diagnosis: &Diagnosis) -> Vec<String> {
    let columns = [&diagnosis.late, &diagnosis.all].map(rows);
    let head = format!(
        "{:NAMES$}{:>COLUMN$}{:>COLUMN$}",
        "where it errs", "late", "all stages"
    );
    let [late, all] = columns;
    let line = |((name, late), (_, all)): ((String, String), (String, String))| {
        format!("{name:NAMES$}{late:>COLUMN$}{all:>COLUMN$}")
    };
    [head]
        .into_iter()
        .chain(late.into_iter().zip(all).map(line))
        .collect()
}

/// Names and values of a column.
fn rows(mistakes: &Mistakes) -> Vec<(String, String)> {
    let chains = &mistakes.chains;
    let by_class = |what: &'static str, fractions: [Fraction; CLASSES.len()]| {
        let classes = CLASSES.iter().zip(fractions);
        classes.map(move |(class, it)| (format!("{what}, chains of {class}"), stones(it)))
    };
    let mut rows: Vec<(String, String)> =
        by_class("dead stones taken for alive", chains.dead).collect();
    rows.extend(by_class("living stones taken for dead", chains.living));
    let large = CLASSES[CLASSES.len() - 1];
    rows.push((
        format!("stones in chains of {large} whose ownership differs by > 0.5"),
        stones(chains.uneven),
    ));
    rows.push(("  by the labels".to_owned(), stones(chains.uneven_known)));
    for (is_same, which) in [
        (true, "score within 2 points of the label's"),
        (false, "another score"),
    ] {
        let errors = mistakes.of_score(is_same);
        rows.push((
            format!("{which}: positions"),
            of(
                percent(mistakes.share_of_positions(is_same)),
                errors.positions,
            ),
        ));
        let error = errors
            .mean()
            .map_or_else(|| "-".to_owned(), |error| format!("{error:.3}"));
        rows.push(("  error of win less loss".to_owned(), error));
        rows.push((
            "  share of all such error".to_owned(),
            percent(mistakes.share_of_error(is_same)),
        ));
    }
    rows
}

fn stones(fraction: Fraction) -> String {
    of(percent(fraction.share()), fraction.all)
}

fn of(share: String, count: u64) -> String {
    format!("{share} of {count}")
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

/// The number of right predictions, and the wrong ones.
pub fn winners(winners: &Winners) -> String {
    let mut lines = vec![format!(
        "{} of {} winners named",
        winners.named(),
        winners.predictions.len()
    )];
    let missed = winners.predictions.iter().filter(|it| !it.is_named());
    lines.extend(missed.map(|it| format!("{:>7}  {}", percent(Some(it.win)), it.place)));
    lines.join("\n")
}
