//! Text output of a match.

use std::collections::BTreeMap;

use crate::arena::played::{Kind, PlayedGame};
use crate::arena::series::{Division, Series};
use crate::arena::sprt::{Sprt, Verdict};
use crate::arena::standing::Standing;
use crate::arena::tally::{Interval, Tally, elo_difference, mean_with_interval};
use crate::arena::terms::Terms;
use crate::console::counted;

/// The first player's result so far, in short; empty without a result.
pub fn running_score(standing: &Standing) -> String {
    let (name, tally) = (&standing.names()[0], standing.tally());
    let Some(score) = tally.score() else {
        return String::new();
    };
    let score = format!("{name}: {tally}, {:.0} %", 100.0 * score);
    match standing.sprt().zip(standing.llr()) {
        Some((sprt, llr)) => format!("{score}, LLR {llr:.2} in {}", bounds_text(&sprt)),
        None => score,
    }
}

/// The final table; none without games.
pub fn table<C: Terms>(standing: &Standing, series: &Series<C>) -> Option<String> {
    if standing.games().is_empty() {
        return None;
    }
    let names = standing.names();
    let lengths = names.iter().map(|name| name.chars().count());
    let width = lengths.max().unwrap_or(0).max(10);
    let mut lines = vec![String::new()];
    lines.extend(series.divisions.iter().map(conditions_text));
    lines.push(format!(
        "{:width$}  games   won  lost drawn  score (95 %)            Elo (95 %)            s/move",
        ""
    ));
    let totals = [standing.tally(), standing.tally().reversed()];
    let seconds = standing.seconds_per_move();
    for ((name, tally), seconds) in names.iter().zip(totals).zip(seconds) {
        let time = seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.3}"));
        lines.push(format!("{name:width$}  {} {time:>7}", row(tally)));
    }
    for color in [C::FIRST, !C::FIRST] {
        let tally = standing.tally_of(|game| game.first_color() == color);
        lines.push(format!("{} as {color}: {tally}", names[0]));
    }
    if series.divisions.len() > 1 {
        for board in boards(series) {
            let tally = standing.tally_of(|game| game.board == board);
            lines.push(format!("{} on {board}: {tally}", names[0]));
        }
    }
    lines.extend(pairs_text(standing));
    lines.extend(points_text(standing, series));
    lines.extend(sprt_text(standing));
    lines.extend(repeats_text(standing));
    let endings = endings(standing);
    let endings = endings
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"));
    let endings: Vec<String> = endings.collect();
    lines.push(format!("endings: {}", endings.join(", ")));
    Some(lines.join("\n"))
}

/// The board sizes.
pub fn boards<C: Terms>(series: &Series<C>) -> Vec<String> {
    let divisions = series.divisions.iter();
    divisions
        .map(|division| division.conditions.board())
        .collect()
}

/// Kinds of endings with their counts.
pub fn endings(standing: &Standing) -> BTreeMap<String, usize> {
    let mut endings = BTreeMap::new();
    for game in standing.games() {
        *endings.entry(ending(game)).or_default() += 1;
    }
    endings
}

fn ending(game: &PlayedGame) -> String {
    match game.kind {
        Kind::Counted => match &game.remark {
            Some(remark) => format!("counted ({remark})"),
            None => "counted".to_owned(),
        },
        Kind::Resigned => format!("resigned by {}", game.loser()),
        Kind::OutOfTime => format!("lost on time by {}", game.loser()),
        Kind::IllegalMove => format!("illegal move by {}", game.loser()),
        Kind::Error => format!("error from {}", game.loser()),
        Kind::Crash => format!("crash of {}", game.loser()),
        Kind::TooLong => "too long".to_owned(),
        Kind::NoResult => "without result".to_owned(),
        Kind::Won | Kind::Drawn => game.remark.clone().unwrap_or_default(),
        Kind::Adjudicated => "adjudicated".to_owned(),
    }
}

fn pairs_text(standing: &Standing) -> Option<String> {
    let pairs = standing.pairs();
    let (score, interval) = (pairs.score()?, pairs.interval()?);
    let counts = pairs.0.iter().zip(["0", "½", "1", "1½", "2"]);
    let counts: Vec<String> = counts
        .filter(|(count, _)| **count > 0)
        .map(|(&count, points)| format!("{points} in {}", counted(count as usize, "pair")))
        .collect();
    Some(format!(
        "{} of games, points of the first engine: {}  Elo {}",
        counted(pairs.len() as usize, "pair"),
        counts.join(", "),
        elo_with_interval(score, interval)
    ))
}

/// The points of both players, and the first one's less the other's in a game, by pairs of games; none where wins alone
/// count.
fn points_text<C: Terms>(standing: &Standing, series: &Series<C>) -> Option<String> {
    let conditions = &series.divisions.first()?.conditions;
    let (mut totals, mut by_pair) = ([0.0; 2], BTreeMap::<usize, Vec<f64>>::new());
    let games = standing.games().iter();
    for game in games.filter(|game| game.repeats.is_none()) {
        let lead = f64::from(conditions.points(game)?) * (2.0 * game.points? - 1.0);
        totals[usize::from(lead < 0.0)] += lead.abs();
        by_pair.entry(game.pair()).or_default().push(lead);
    }
    let whole = by_pair.values().filter(|leads| leads.len() == 2);
    let means: Vec<f64> = whole.map(|leads| leads.iter().sum::<f64>() / 2.0).collect();
    let by_pairs = mean_with_interval(&means).map_or(String::new(), |(mean, interval)| {
        let Interval { low, high } = interval;
        format!(", {mean:+.3} ({low:+.3} .. {high:+.3}) a game")
    });
    Some(format!("points: {}-{}{by_pairs}", totals[0], totals[1]))
}

/// A remark on repeated games; none if there are none.
pub fn repeats_text(standing: &Standing) -> Option<String> {
    let (repeats, games) = (standing.repeats(), standing.games().len());
    let verb = if repeats == 1 { "repeats" } else { "repeat" };
    (repeats > 0).then(|| {
        format!("{repeats} of {games} games {verb} an earlier one move for move, not counted above")
    })
}

fn sprt_text(standing: &Standing) -> Option<String> {
    let sprt = standing.sprt()?;
    Some(format!(
        "SPRT of {}: LLR {:.2} in {}, {}",
        hypotheses_text(&sprt),
        standing.llr()?,
        bounds_text(&sprt),
        verdict_text(standing.verdict()),
    ))
}

/// The hypotheses of the test.
pub fn hypotheses_text(sprt: &Sprt) -> String {
    format!(
        "Elo {:+} against {:+} (alpha {}, beta {})",
        sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta
    )
}

/// The bounds of the test.
pub fn bounds_text(sprt: &Sprt) -> String {
    let (lower, upper) = sprt.bounds();
    format!("[{lower:.2}, {upper:.2}]")
}

/// The verdict of the test.
pub fn verdict_text(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::H0) => "H0 accepted",
        Some(Verdict::H1) => "H1 accepted",
        None => "undecided",
    }
}

/// The match and its players.
pub fn match_head<C: Terms>(series: &Series<C>, engines: &[String; 2]) -> String {
    let conditions: Vec<String> = series.divisions.iter().map(conditions_text).collect();
    format!(
        "{}{}, {}\n1: {}\n2: {}",
        series.games,
        if series.games == 1 { " game" } else { " games" },
        conditions.join("\n"),
        engines[0],
        engines[1],
    )
}

/// The conditions of the games.
pub fn conditions_text<C: Terms>(division: &Division<C>) -> String {
    let text = division.conditions.text();
    match division.openings() {
        [only] if division.conditions.is_bare(only) => text,
        openings => format!("{text}, {}", counted(openings.len(), "opening")),
    }
}

/// One game: number, players, result, length.
pub fn game_line<C: Terms>(game: &PlayedGame, series: &Series<C>) -> String {
    let mut players = game.names.each_ref().map(String::as_str).to_vec();
    let mut times = game.seconds.map(minutes).to_vec();
    if game.first_color() != C::FIRST {
        players.reverse();
        times.reverse();
    }
    let board = match series.divisions.len() {
        1 => String::new(),
        _ => format!("  {}", game.board),
    };
    let opening = match game.opening.as_str() {
        "" => String::new(),
        name => format!("  [{name}]"),
    };
    let repeats = match game.repeats {
        Some(earlier) => format!("  (repeats game {earlier})"),
        None => String::new(),
    };
    format!(
        "game {}: {}  {}  {} moves  {}{board}{opening}{repeats}",
        game.number,
        players.join(" - "),
        game.result,
        game.len(),
        times.join("/"),
    )
}

fn row(tally: Tally) -> String {
    let counts = format!(
        "{:5} {:5} {:5} {:5}",
        tally.len(),
        tally.wins,
        tally.losses,
        tally.draws
    );
    let (Some(score), Some(interval)) = (tally.score(), tally.interval()) else {
        return counts;
    };
    let Interval { low, high } = interval;
    let elo = elo_with_interval(score, interval);
    format!("{counts}  {score:.3} ({low:.3} .. {high:.3})  {elo:<20}")
}

/// A score with its interval, and Elo.
pub fn elo_with_interval(score: f64, interval: Interval) -> String {
    let Interval { low, high } = interval;
    let [score, low, high] = [score, low, high].map(elo_text);
    format!("{score} ({low} .. {high})")
}

fn elo_text(score: f64) -> String {
    let elo = elo_difference(score);
    if elo.is_finite() {
        format!("{elo:+.0}")
    } else {
        if elo > 0.0 { "+inf" } else { "-inf" }.to_owned()
    }
}

fn minutes(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
