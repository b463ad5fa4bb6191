//! The network: its own outputs in the layout of KataGo's `kata-raw-nn`, its exchange, and the
//! evaluations kept of it.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use crate::go::{BoardSize, Symmetry};
use crate::player::thinker::RawNetwork;

/// Of one symmetry by number, or of all that fit the board.
pub(super) fn kata_raw_nn(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let size = engine.position.size();
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
    let position = engine.position.clone();
    let judge = engine.judge()?;
    let mut text = String::new();
    for symmetry in symmetries {
        let raw = judge.raw_network(&position, symmetry)?;
        text.push_str(&shown(size, &raw.context("the player has no network")?));
    }
    Ok(text)
}

/// Forgets evaluations and judgements.
pub(super) fn clear_cache(engine: &mut Engine, _: &Arguments) -> Result<String> {
    engine.judged = None;
    engine.thinker.forget();
    engine.thinker.service_mut().clear_cache();
    Ok(String::new())
}

/// Plays on with the network of a file, whose name may contain blanks; game, settings and clocks
/// stay.
pub(super) fn load_model(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let (file, size) = (Path::new(arguments.rest()), engine.position.size());
    let name = engine.thinker.service_mut().load_model(file, size)?;
    engine.judged = None;
    Ok(name)
}

fn shown(size: BoardSize, raw: &RawNetwork) -> String {
    let mut text = format!("symmetry {}\n", raw.symmetry.number());
    let figures = [
        ("whiteWin", raw.white_win, 6),
        ("whiteLoss", raw.white_loss, 6),
        ("noResult", raw.no_result, 6),
        ("whiteLead", raw.white_lead, 3),
        ("whiteScoreSelfplay", raw.white_score_mean, 3),
        ("whiteScoreSelfplaySq", raw.white_score_mean_square, 3),
        ("varTimeLeft", raw.variance_time_left, 3),
        ("shorttermWinlossError", raw.shortterm_win_loss_error, 3),
        ("shorttermScoreError", raw.shortterm_score_error, 3),
    ];
    for (key, figure, decimals) in figures {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{key} {figure:.decimals$}");
    }
    let policy = raw.policy.iter().map(|probability| match probability {
        Some(probability) => format!("{probability:8.6}"),
        None => "     NAN".to_owned(),
    });
    let ownership = raw
        .white_ownership
        .iter()
        .map(|owner| format!("{owner:10.7}"));
    let _ = writeln!(text, "policy\n{}", grid(size, policy));
    let _ = writeln!(text, "policyPass {:8.6}", raw.policy_pass);
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
