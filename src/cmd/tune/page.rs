//! Pages of tuning runs.

use anyhow::Result;
use maud::{Markup, html};

use crate::arena::tally::elo_difference;
use crate::cmd::curves::{Line, figure};
use crate::cmd::matches::report::elo_with_interval;
use crate::formats::html as frame;
use crate::games::board_game::BoardGame;
use crate::games::weighted::Weighted;
use crate::tune::genome::{Genome, genome};
use crate::tune::run::Run;
use crate::tune::texel_run::{TexelResult, TexelSettings};

/// Larger differences are not drawn.
const LARGEST_ELO: f64 = 800.0;

/// The page of a genetic run.
pub fn genetic<G: BoardGame>(run: &Run<G>) -> Result<String> {
    let settings = run.settings();
    let title = format!("Genetic tuning: {}", settings.game);
    let genetic = &settings.genetic;
    let champion = match run.best() {
        Some(best) => Some(&run.generations()[best.generation].champion),
        None => run
            .generations()
            .last()
            .map(|generation| &generation.champion),
    };
    let start = genome(&settings.start[0]);
    let body = html! {
        h1 { (title) }
        p {
            (run.generations().len()) " generations of " (genetic.population) " individuals, "
            (settings.duel.games) " games each of " (settings.duel.nodes) " nodes a move; selection "
            code { (format!("{:?}", genetic.selection).to_lowercase()) } ", crossing "
            code { (format!("{:?}", genetic.crossing).to_lowercase()) } ", replacement "
            code { (format!("{:?}", genetic.replacement).to_lowercase()) } ", mutation "
            (genetic.mutation) " by up to " (genetic.sigma) ", seed " (genetic.seed) "."
        }
        (champions(run)?)
        (generations(run)?)
        @if let Some(champion) = champion { (weights::<G>(run.evaluation(), [&start, champion])) }
    };
    Ok(frame::page(&title, &body))
}

/// Matches of champions against the start.
fn champions<G: BoardGame>(run: &Run<G>) -> Result<Markup> {
    let elo = |score: f64| elo_difference(score).clamp(-LARGEST_ELO, LARGEST_ELO);
    let curve = |color: usize, label: &str, score: &dyn Fn(usize) -> f64| {
        let points = run.judged().iter().enumerate();
        let points =
            points.map(|(index, judged)| ((judged.generation + 1) as f64, elo(score(index))));
        Line::plain(color, label, points.collect())
    };
    let judged = run.judged();
    let picture = figure(
        "Elo against the start",
        vec![
            curve(0, "champion", &|index| judged[index].score),
            curve(7, "95 %", &|index| judged[index].interval.low),
            curve(7, "", &|index| judged[index].interval.high),
        ],
    )?;
    Ok(html! {
        @if !judged.is_empty() {
            h2 { "Champions against the start" }
            (picture)
            div.wide { table #champions {
                tr {
                    th { "generation" } th { "won" } th { "lost" } th { "drawn" } th { "score" }
                    th.whole { "Elo (95 %)" }
                }
                @for judged in judged {
                    tr {
                        td { (judged.generation + 1) } td { (judged.tally.wins) }
                        td { (judged.tally.losses) } td { (judged.tally.draws) }
                        td { (format!("{:.3}", judged.score)) }
                        td.whole { (elo_with_interval(judged.score, judged.interval)) }
                    }
                }
            } }
        }
    })
}

/// Scores within each generation, and how much individuals differ.
fn generations<G: BoardGame>(run: &Run<G>) -> Result<Markup> {
    let curve = |color: usize, label: &str, value: &dyn Fn(usize) -> f64| {
        let count = run.generations().len();
        let points = (0..count).map(|index| ((index + 1) as f64, value(index)));
        Line::plain(color, label, points.collect())
    };
    let scores = |index: usize| &run.generations()[index].scores;
    let best = |index: usize| scores(index).iter().copied().fold(0.0, f64::max);
    let mean = |index: usize| scores(index).iter().sum::<f64>() / scores(index).len() as f64;
    let spread = |index: usize| run.generations()[index].spread;
    let scores = figure(
        "points per game against the generation's opponents",
        vec![curve(0, "best", &best), curve(1, "mean", &mean)],
    )?;
    let spreads = figure("spread of weights, percent", vec![curve(2, "", &spread)])?;
    Ok(html! {
        h2 { "Generations" }
        p.note {
            "Opponents are the start and the latest champions, so scores do not show progress. The spread is the "
            "mean standard deviation of a weight among the individuals, in percent of its mean."
        }
        div.pictures { (scores) (spreads) }
    })
}

/// The page of a run by Texel's method.
pub fn texel<G: BoardGame>(
    settings: &TexelSettings,
    evaluation: &G::Evaluation,
    result: &TexelResult,
) -> Result<String> {
    let title = format!("Texel tuning: {}", settings.game);
    let [training, held_out] = result.positions;
    let course = &result.fit.course;
    let curve = |color: usize, label: &str, value: &dyn Fn(usize) -> f64| {
        let points = (0..course.len()).map(|index| (index as f64, value(index)));
        Line::plain(color, label, points.collect())
    };
    let errors = figure(
        "mean squared error by epoch",
        vec![
            curve(0, "training", &|index| course[index].training),
            curve(1, "held out", &|index| course[index].held_out),
        ],
    )?;
    let body = html! {
        h1 { (title) }
        p {
            (training) " positions of the engine's own games at " (settings.nodes) " nodes a move, "
            (held_out) " more held out; scale " (format!("{:.3}", result.fit.scale)) ", seed "
            (settings.seed) "."
        }
        (errors)
        (weights::<G>(evaluation, [&result.start, &result.fit.weights]))
    };
    Ok(frame::page(&title, &body))
}

/// Larger groups of weights are not shown one by one.
const MOST_SHOWN: usize = 200;

/// Weights before and after, by group.
fn weights<G: BoardGame>(evaluation: &G::Evaluation, [before, after]: [&Genome; 2]) -> Markup {
    let mut begin = 0;
    let groups = evaluation.groups().into_iter().map(|group| {
        let range = begin..begin + group.size;
        begin = range.end;
        (group.name, range)
    });
    let groups: Vec<_> = groups.collect();
    let text = |weights: &[f64]| {
        if weights.len() > MOST_SHOWN {
            let used = weights.iter().filter(|weight| weight.round() != 0.0);
            return format!("{} values, {} other than 0", weights.len(), used.count());
        }
        let numbers: Vec<String> = weights
            .iter()
            .map(|weight| format!("{weight:.0}"))
            .collect();
        numbers.join(" ")
    };
    html! {
        h2 { "Weights" }
        div.wide { table #weights {
            tr { th.left { "group" } th.left { "before" } th.left { "after" } }
            @for (name, range) in groups {
                tr {
                    td.left { (name) } td.left { (text(&before[range.clone()])) }
                    td.left { (text(&after[range])) }
                }
            }
        } }
    }
}
