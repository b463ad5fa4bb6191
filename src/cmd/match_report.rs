//! What a match looks like as text.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::arena::ending::Ending;
use crate::arena::series::{Series, SeriesGame};
use crate::arena::tally::{Interval, Tally, elo_difference};
use crate::go::{Color, PerColor};

/// The results so far.
#[derive(Clone, Debug, Default)]
pub struct MatchReport {
    names: [String; 2],
    /// By the color of the first player.
    tallies: PerColor<Tally>,
    /// Kinds of endings, and how often they occurred.
    endings: BTreeMap<String, usize>,
    time_used: [Duration; 2],
    moves: [usize; 2],
}

impl MatchReport {
    /// Adds a game.
    pub fn add(&mut self, game: &SeriesGame) {
        let (first, report) = (game.pairing.first_color, &game.report);
        self.names = names(game);
        self.tallies[first] = self.tallies[first] + game.tally();
        for (player, color) in [first, !first].into_iter().enumerate() {
            self.time_used[player] += report.time_used[color];
            let own_moves = report.moves[report.opening_len..]
                .iter()
                .filter(|(c, _)| *c == color);
            self.moves[player] += own_moves.count();
        }
        let name = |color| self.names[usize::from(color != first)].as_str();
        *self
            .endings
            .entry(kind_of_ending(&report.ending, name))
            .or_default() += 1;
    }

    /// All games, for the first player.
    pub fn tally(&self) -> Tally {
        self.tallies[Color::Black] + self.tallies[Color::White]
    }

    /// How the first player stands, in a few words; empty without a result.
    pub fn running_score(&self) -> String {
        let (name, tally) = (&self.names[0], self.tally());
        match tally.score() {
            Some(score) => format!("{name}: {tally}, {:.0} %", 100.0 * score),
            None => String::new(),
        }
    }

    /// The final table; none without games.
    pub fn table(&self, series: &Series) -> Option<String> {
        if self.endings.is_empty() {
            return None;
        }
        let width = self
            .names
            .iter()
            .map(|name| name.chars().count())
            .max()
            .unwrap_or(0)
            .max(10);
        let mut lines = vec![String::new(), conditions_text(series)];
        lines.push(format!(
            "{:width$}  games   won  lost drawn  score (95 %)            Elo (95 %)            s/move",
            ""
        ));
        let totals = [self.tally(), self.tally().reversed()];
        for (player, tally) in totals.into_iter().enumerate() {
            let time = mean_seconds(self.time_used[player], self.moves[player]);
            lines.push(format!(
                "{:width$}  {} {time:>7}",
                self.names[player],
                row(tally)
            ));
        }
        for color in Color::BOTH {
            let label = format!("{} as {color}", self.names[0]);
            lines.push(format!("{label}: {}", self.tallies[color]));
        }
        let endings: Vec<String> = self
            .endings
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        lines.push(format!("endings: {}", endings.join(", ")));
        Some(lines.join("\n"))
    }
}

/// What is going to be played, and by whom.
pub fn match_head(series: &Series, command_lines: [&str; 2]) -> String {
    let conditions = conditions_text(series);
    let [first, second] = command_lines;
    format!(
        "{}{}, {conditions}\n1: {first}\n2: {second}",
        series.games,
        if series.games == 1 { " game" } else { " games" },
    )
}

fn conditions_text(series: &Series) -> String {
    let conditions = &series.conditions;
    let (size, komi, time) = (conditions.size, conditions.komi, conditions.time);
    let text = format!(
        "{size}, komi {komi}, {} rules, time {time}",
        conditions.rules_text
    );
    match series.openings.len() {
        0 => text,
        openings => format!("{text}, {openings} openings"),
    }
}

/// The first and the second player's names, told apart.
fn names(game: &SeriesGame) -> [String; 2] {
    let first = game.pairing.first_color;
    let names = [first, !first].map(|color| game.report.names[color].clone());
    if names[0] != names[1] {
        return names;
    }
    [format!("{} #1", names[0]), format!("{} #2", names[1])]
}

/// One game: number, players, result, length.
pub fn game_line(game: &SeriesGame, series: &Series) -> String {
    let report = &game.report;
    let mut names = names(game);
    if game.pairing.first_color == Color::White {
        names.reverse();
    }
    let opening = match series.openings.get(game.pairing.opening_index) {
        Some(opening) => format!("  [{}]", opening.name),
        None => String::new(),
    };
    format!(
        "game {}: {} - {}  {}  {} moves  {}/{}{opening}",
        game.pairing.game_index + 1,
        names[0],
        names[1],
        report.ending,
        report.moves.len(),
        minutes(report.time_used[Color::Black]),
        minutes(report.time_used[Color::White]),
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
    let elo = format!(
        "{} ({} .. {})",
        elo_text(score),
        elo_text(low),
        elo_text(high)
    );
    format!("{counts}  {score:.3} ({low:.3} .. {high:.3})  {elo:<20}")
}

fn elo_text(score: f64) -> String {
    let elo = elo_difference(score);
    if elo.is_finite() {
        format!("{elo:+.0}")
    } else {
        if elo > 0.0 { "+inf" } else { "-inf" }.to_owned()
    }
}

fn kind_of_ending<'a>(ending: &Ending, name: impl Fn(Color) -> &'a str) -> String {
    match ending {
        Ending::Counted { basis, .. } => match basis.remark() {
            Some(remark) => format!("counted ({remark})"),
            None => "counted".to_owned(),
        },
        Ending::Resigned { loser } => format!("resigned by {}", name(*loser)),
        Ending::OutOfTime { loser } => format!("lost on time by {}", name(*loser)),
        Ending::IllegalMove { loser, .. } => format!("illegal move by {}", name(*loser)),
        Ending::Refused { loser, .. } => format!("error from {}", name(*loser)),
        Ending::Crashed { loser, .. } => format!("crash of {}", name(*loser)),
        Ending::TooLong => "too long".to_owned(),
        Ending::NoResult => "without result".to_owned(),
    }
}

fn mean_seconds(time: Duration, moves: usize) -> String {
    if moves == 0 {
        "-".to_owned()
    } else {
        format!("{:.3}", time.as_secs_f64() / moves as f64)
    }
}

fn minutes(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
