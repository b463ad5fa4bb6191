//! The network: its own outputs in the layout of KataGo's `kata-raw-nn`, its exchange, and the
//! evaluations kept of it.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use crate::go::{BoardSize, Symmetry};
use crate::nn::output::NetOutput;
use crate::player::evaluators::Evaluators;

/// Of one symmetry by number, or of all that fit the board.
pub(super) fn kata_raw_nn(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let size = engine.session.position.size();
    let fits = |symmetry: &Symmetry| size.is_square() || !symmetry.transposes();
    let symmetries: Vec<Symmetry> = if arguments.word(0)? == "all" {
        Symmetry::all().filter(fits).collect()
    } else {
        let number = usize::try_from(arguments.integer(0)?).ok();
        let symmetry = number
            .and_then(Symmetry::new)
            .context("symmetry must be 0 to 7 or all")?;
        vec![symmetry]
    };
    if !symmetries.iter().all(fits) {
        bail!("the board is not square");
    }
    let position = engine.session.position.clone();
    let view = engine.session.view()?;
    let mut text = String::new();
    for symmetry in symmetries {
        let output = view.raw_outputs(&position, symmetry)?;
        let output = output.context("only networks of KataGo's kind have these outputs")?;
        text.push_str(&shown(size, symmetry, &output));
    }
    Ok(text)
}

/// The networks as a list in JSON, with KataGo's keys.
pub(super) fn kata_get_models(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let player = &engine.session.player;
    let mut models = player.evaluators().models();
    models.extend(
        player
            .human_evaluators()
            .into_iter()
            .flat_map(Evaluators::models),
    );
    Ok(serde_json::to_string(&models)?)
}

/// Forgets evaluations and judgements.
pub(super) fn clear_cache(engine: &mut Engine, _: &Arguments) -> Result<String> {
    engine.session.clear_cache();
    Ok(String::new())
}

/// Plays on with the network of a file, whose name may contain blanks; game, settings and clocks
/// stay.
pub(super) fn load_model(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    engine.session.load_model(Path::new(arguments.rest()))
}

/// `output` is seen by White.
fn shown(size: BoardSize, symmetry: Symmetry, output: &NetOutput) -> String {
    let mut text = format!("symmetry {}\n", symmetry.number());
    let values = [
        ("whiteWin", output.win, 6),
        ("whiteLoss", output.loss, 6),
        ("noResult", output.no_result, 6),
        ("whiteLead", output.lead, 3),
        ("whiteScoreSelfplay", output.score_mean, 3),
        ("whiteScoreSelfplaySq", output.score_mean_square, 3),
        ("varTimeLeft", output.variance_time_left, 3),
        ("shorttermWinlossError", output.shortterm_win_loss_error, 3),
        ("shorttermScoreError", output.shortterm_score_error, 3),
    ];
    for (key, value, decimals) in values {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{key} {value:.decimals$}");
    }
    let (points, pass) = output.policy.split_at(size.area());
    let policy = points.iter().map(|&probability| match probability {
        0.0.. => format!("{probability:8.6}"),
        _ => "     NAN".to_owned(),
    });
    let ownership = output.ownership.iter();
    let ownership = ownership.map(|owner| format!("{owner:10.7}"));
    let _ = writeln!(text, "policy\n{}", grid(size, policy));
    let _ = writeln!(text, "policyPass {:8.6}", pass[0]);
    let _ = writeln!(text, "whiteOwnership\n{}", grid(size, ownership));
    text
}

/// The cells of a board, row by row from the top, separated by blanks.
pub(super) fn grid(size: BoardSize, cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    let rows: Vec<String> = cells
        .chunks(size.width())
        .map(|row| row.join(" "))
        .collect();
    rows.join("\n")
}
