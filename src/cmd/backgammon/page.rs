//! The page of a run.

use anyhow::Result;
use maud::html;

use super::train::Checkpoint;
use crate::cmd::board_games::LearningSettings;
use crate::cmd::curves::{Line, figure};
use crate::formats::html as frame;

/// Settings, curves and figures.
pub(super) fn page(settings: &LearningSettings, checkpoints: &[Checkpoint]) -> Result<String> {
    let title = match settings.hidden {
        Some(hidden) => format!("Backgammon: a network with {hidden} hidden units"),
        None => "Backgammon: the linear evaluation".to_owned(),
    };
    let curve = |title: &str, value: &dyn Fn(&Checkpoint) -> f64| {
        let points = checkpoints
            .iter()
            .map(|checkpoint| (checkpoint.games as f64, value(checkpoint)));
        figure(title, vec![Line::plain(0, "", points.collect())])
    };
    let body = html! {
        h1 { (title) }
        p {
            "TD(" (settings.lambda) ") from random weights, games against itself, steps from "
            (settings.first_rate) " to " (settings.last_rate) ", seed " (settings.seed) "."
        }
        div.pictures {
            (curve("percent won against the built-in linear evaluation", &|at| 100.0 * at.judged.0)?)
            (curve("difference of targets and evaluations", &|at| at.error)?)
            (curve("plies per game", &|at| at.plies)?)
            (curve("percent of gammons", &|at| 100.0 * at.gammons)?)
        }
        div.wide { table #checkpoints {
            tr {
                th { "games" } th { "won, %" } th { "of" } th { "error" } th { "plies" }
                th { "gammons, %" } th { "step" } th { "seconds" }
            }
            @for at in checkpoints {
                tr {
                    td { (at.games) } td { (format!("{:.1}", 100.0 * at.judged.0)) } td { (at.judged.1) }
                    td { (format!("{:.4}", at.error)) } td { (format!("{:.1}", at.plies)) }
                    td { (format!("{:.1}", 100.0 * at.gammons)) } td { (format!("{:.4}", at.rate)) }
                    td { (format!("{:.1}", at.seconds)) }
                }
            }
        } }
    };
    Ok(frame::page(&title, &body))
}
