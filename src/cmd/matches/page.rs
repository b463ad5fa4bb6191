//! The HTML page of a match.

use std::path::{Path, PathBuf};

use anyhow::Result;
use maud::{Markup, html};

use super::plot;
use super::report::{
    bounds_text, conditions_text, elo_with_interval, endings, hypotheses_text, repeats_text,
    verdict_text,
};
use super::run::{MatchPlan, record_name};
use crate::arena::played::{Kind, PlayedGame};
use crate::arena::sprt::Verdict;
use crate::arena::standing::Standing;
use crate::arena::tally::Tally;
use crate::arena::terms::Terms;
use crate::cmd::report::spread;
use crate::console::counted;
use crate::formats::html as frame;
use crate::go::Color;

/// Number of boards on the page.
const BOARDS: usize = 8;

pub fn page<C: Terms>(standing: &Standing, plan: &MatchPlan<C>) -> Result<String> {
    let names = match standing.games() {
        [] => plan.descriptions(),
        _ => standing.names(),
    };
    let title = format!("{} v {}", names[0], names[1]);
    let body = html! {
        h1 { (title) }
        (summary(standing, &names))
        (players(standing, &names))
        (pairs(standing))
        (test(standing)?)
        (parts(standing, &names, C::FIRST))
        (openings(standing))
        (ends(standing, &names))
        (settings(plan))
        (final_boards(standing, plan))
        (games(standing, plan))
    };
    Ok(frame::page(&title, &body))
}

fn summary(standing: &Standing, names: &[String; 2]) -> Markup {
    let tally = standing.tally();
    let class = match standing.verdict() {
        Some(Verdict::H1) => "good",
        Some(Verdict::H0) => "bad",
        None => "",
    };
    html! {
        p.lead {
            (names[0]) ": " b { (tally) } " in " (counted(standing.games().len(), "game"))
            @if let Some((score, interval)) = standing.score_with_interval() {
                ", Elo " b { (elo_with_interval(score, interval)) }
            }
            @if standing.sprt().is_some() {
                ", SPRT: " b class=(class) { (verdict_text(standing.verdict())) }
            }
        }
        @if let Some(repeats) = repeats_text(standing) { p #repeats { (repeats) } }
    }
}

/// Counts of games; columns for draws and void games only if any occurred.
struct TallyTable {
    has_draws: bool,
    has_void: bool,
}

impl TallyTable {
    fn of(standing: &Standing) -> TallyTable {
        let all = standing.tally();
        TallyTable {
            has_draws: all.draws > 0,
            has_void: all.void > 0,
        }
    }

    fn markup<'a>(&self, first: &str, rows: impl Iterator<Item = (&'a str, Tally)>) -> Markup {
        html! {
            div.wide { table {
                tr {
                    th { (first) } th { "games" } th { "won" } th { "lost" }
                    @if self.has_draws { th { "drawn" } }
                    @if self.has_void { th { "void" } }
                    th { "score" } th.whole { "Elo (95 %)" }
                }
                @for (name, tally) in rows { tr { td.whole { (name) } (self.cells(tally)) } }
            } }
        }
    }

    fn cells(&self, tally: Tally) -> Markup {
        let score = tally.score().map(|score| format!("{score:.3}"));
        let elo = tally.score().zip(tally.interval());
        let elo = elo.map(|(score, interval)| elo_with_interval(score, interval));
        html! {
            td { (tally.len()) } td { (tally.wins) } td { (tally.losses) }
            @if self.has_draws { td { (tally.draws) } }
            @if self.has_void { td { (tally.void) } }
            td { (score.unwrap_or_default()) } td.whole { (elo.unwrap_or_default()) }
        }
    }
}

fn players(standing: &Standing, names: &[String; 2]) -> Markup {
    let tallies = [standing.tally(), standing.tally().reversed()];
    html! {
        h2 { "Result" }
        (TallyTable::of(standing).markup("by games", names.iter().map(String::as_str).zip(tallies)))
    }
}

fn pairs(standing: &Standing) -> Markup {
    let pairs = standing.pairs();
    let Some((score, interval)) = pairs.score().zip(pairs.interval()) else {
        return html! {};
    };
    html! {
        div.wide { table #pairs {
            tr {
                th { "pairs by points" } th { "0" } th { "½" } th { "1" } th { "1½" } th { "2" }
                th { "score" } th.whole { "Elo (95 %)" }
            }
            tr {
                td { (pairs.len()) } @for count in pairs.0 { td { (count) } }
                td { (format!("{score:.3}")) } td.whole { (elo_with_interval(score, interval)) }
            }
        } }
        p {
            "A pair is one opening played with both colors. The difference in Elo is logistic; its "
            "interval holds the scores that a likelihood ratio test does not rule out."
        }
    }
}

fn test(standing: &Standing) -> Result<Markup> {
    let rows = standing.sprt().map(|sprt| {
        let tally = standing.tally();
        let by_games = sprt.llr(&[tally.losses, tally.draws, tally.wins]);
        [
            ("hypotheses", hypotheses_text(&sprt)),
            ("LLR", format!("{:.2}", sprt.llr(&standing.pairs().0))),
            ("bounds", bounds_text(&sprt)),
            ("verdict", verdict_text(standing.verdict()).to_owned()),
            ("LLR if games were not paired", format!("{by_games:.2}")),
        ]
    });
    Ok(html! {
        @if let Some(rows) = rows {
            h2 { "Sequential test" }
            table #sprt {
                @for (name, value) in rows { tr { td { (name) } td { (value) } } }
            }
        }
        (plot::llr(standing)?)
        (plot::elo(standing)?)
    })
}

fn parts(standing: &Standing, names: &[String; 2], first: Color) -> Markup {
    let boards = standing.tallies_by(|game| &game.board);
    let on = boards.iter().copied();
    let colors = [first, !first].map(|color| (format!("as {}", capital(color)), color));
    let colors = colors.each_ref().map(|(name, color)| {
        let tally = standing.tally_of(|game| game.first_color() == *color);
        (name.as_str(), tally)
    });
    html! {
        h2 { "Colors and boards" }
        (TallyTable::of(standing).markup(&names[0], on.chain(colors)))
        table {
            tr { th { "moves of a game" } th { "shortest" } th { "median" } th { "longest" } }
            @for (board, _) in &boards {
                tr { td { (board) } @for moves in lengths(standing, board) { td { (moves) } } }
            }
        }
    }
}

fn capital(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}

/// Shortest, median and longest game on a board.
fn lengths(standing: &Standing, board: &str) -> [usize; 3] {
    let games = standing.games().iter().filter(|game| game.board == board);
    let mut lengths: Vec<usize> = games.map(PlayedGame::len).collect();
    lengths.sort_unstable();
    let at = |index: usize| lengths.get(index).copied().unwrap_or(0);
    let last = lengths.len().saturating_sub(1);
    let median = (at(last / 2) + at(last.div_ceil(2))) / 2;
    [at(0), median, at(last)]
}

fn openings(standing: &Standing) -> Markup {
    let openings = standing.tallies_by(|game| &game.opening);
    if openings.len() < 2 {
        return html! {};
    }
    html! {
        h2 { "Openings" }
        details {
            summary { (openings.len()) " openings" }
            (TallyTable::of(standing).markup("opening", openings.into_iter()))
        }
    }
}

fn ends(standing: &Standing, names: &[String; 2]) -> Markup {
    let faults = [
        ("lost on time", Kind::OutOfTime),
        ("illegal moves", Kind::IllegalMove),
        ("errors", Kind::Error),
        ("crashes", Kind::Crash),
    ];
    let count = |name: &str, kind| {
        let of_player = |game: &&PlayedGame| game.kind == kind && game.loser() == name;
        standing.games().iter().filter(of_player).count()
    };
    let seconds = standing.seconds_per_move();
    html! {
        h2 { "Endings" }
        div.wide { table #faults {
            tr {
                th { "" } @for (fault, _) in faults { th { (fault) } }
                th { "seconds a move" }
            }
            @for (name, seconds) in names.iter().zip(seconds) {
                tr {
                    td { (name) } @for (_, kind) in faults { td { (count(name, kind)) } }
                    td { (seconds.map(|seconds| format!("{seconds:.3}")).unwrap_or_default()) }
                }
            }
        } }
        ul { @for (kind, count) in endings(standing) { li { (count) " " (kind) } } }
    }
}

fn settings<C: Terms>(plan: &MatchPlan<C>) -> Markup {
    let parallel = match plan.series.parallel {
        1 => "one game after the other".to_owned(),
        games => format!("{games} games at the same time"),
    };
    html! {
        h2 { "Settings" }
        ol { @for player in &plan.players { li { code { (player.description) } } } }
        ul { @for division in &plan.series.divisions { li { (conditions_text(division)) } } }
        p { (parallel) ", " (concat!("keima ", env!("CARGO_PKG_VERSION"))) }
    }
}

/// Final boards of games spread from the first to the last.
fn final_boards<C: Terms>(standing: &Standing, plan: &MatchPlan<C>) -> Markup {
    let mut games: Vec<&PlayedGame> = standing.games().iter().collect();
    games.retain(|game| game.repeats.is_none() && !game.is_empty());
    games.sort_by_key(|game| game.number);
    let shown = spread(games.len(), BOARDS).into_iter().filter_map(|index| {
        let game = games[index];
        let mut divisions = plan.series.divisions.iter();
        let division = divisions.find(|division| division.conditions.board() == game.board)?;
        Some((game, division.conditions.picture(game)?))
    });
    let shown: Vec<_> = shown.collect();
    html! {
        @if !shown.is_empty() {
            h2 { "Boards" }
            p.note {
                "Some games, from the first to the last, as they ended."
                @if C::FIRST == Color::Black { " Numbers: moves." }
            }
            div.boards {
                @for (game, svg) in shown {
                    @let begins = usize::from(game.first_color() != C::FIRST);
                    figure {
                        (svg)
                        figcaption {
                            "game " (game.number) ": " (game.names[begins]) " – "
                            (game.names[1 - begins]) ", " (game.result)
                        }
                    }
                }
            }
        }
    }
}

fn games<C: Terms>(standing: &Standing, plan: &MatchPlan<C>) -> Markup {
    let folder = plan.files.records.as_deref();
    let page = plan.files.page.as_deref();
    let link = |number| folder.map(|folder| href(&folder.join(record_name::<C>(number)), page));
    let mut games: Vec<&PlayedGame> = standing.games().iter().collect();
    games.sort_by_key(|game| game.number);
    html! {
        h2 { "Games" }
        details {
            summary { (counted(games.len(), "game")) }
            div.wide { table #games {
                tr {
                    th { "game" } th.left { (capital(C::FIRST)) } th.left { (capital(!C::FIRST)) }
                    th { "board" }
                    th.left { "opening" } th.left { "result" } th { "moves" }
                }
                @for game in games {
                    @let begins = usize::from(game.first_color() != C::FIRST);
                    tr {
                        td {
                            @match link(game.number) {
                                Some(link) => a href=(link) { (game.number) },
                                None => (game.number),
                            }
                        }
                        td.left { (game.names[begins]) } td.left { (game.names[1 - begins]) }
                        td { (game.board) } td.left { (game.opening) }
                        td.left {
                            (game.result)
                            @if let Some(earlier) = game.repeats { " (repeats game " (earlier) ")" }
                        }
                        td { (game.len()) }
                    }
                }
            } }
        }
    }
}

/// A link from a page to a file: relative if the file is below the page's folder.
fn href(file: &Path, page: Option<&Path>) -> String {
    let folder = page.and_then(Path::parent);
    let below = folder.and_then(|folder| file.strip_prefix(folder).ok());
    let absolute = || std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let path = below.map_or_else(absolute, PathBuf::from);
    frame::href(&path.to_string_lossy())
}
