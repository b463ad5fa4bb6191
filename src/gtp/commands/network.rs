//! The network: its own outputs in the layout of KataGo's `kata-raw-nn` and `kata-raw-human-nn`, its exchange,
//! and the evaluations kept of it.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use crate::go::{BoardSize, Color, Position, Symmetry};
use crate::nn::output::NetOutput;
use crate::player::evaluators::Evaluators;
use crate::player::search_player::HUMAN_PROFILE;

/// `[COLOR] SYMMETRY [OPTIMISM]`: the outputs if that color were to move, of one symmetry by number or of `all` that
/// fit the board, with that share of the optimistic policy.
pub(super) fn kata_raw_nn(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let asked = RawQuery::read(&engine.session.position, arguments, true)?;
    let evaluators = engine.session.player.evaluators();
    asked.answer(evaluators, shown_values)
}

/// `[COLOR] SYMMETRY`: the same of the network of human play.
pub(super) fn kata_raw_human_nn(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let asked = RawQuery::read(&engine.session.position, arguments, false)?;
    let player = &engine.session.player;
    let evaluators = player
        .human_evaluators()
        .context("there is no network of human play: --human-model names one")?;
    let mut settings = player.evaluators().parameters().into_iter();
    if settings.any(|entry| entry.name == HUMAN_PROFILE && entry.value.is_empty()) {
        bail!("it is not said whom to imitate: set {HUMAN_PROFILE}");
    }
    asked.answer(evaluators, shown_human_values)
}

/// What is asked of a network.
struct RawQuery {
    position: Position,
    symmetries: Vec<Symmetry>,
    optimism: Option<f32>,
}

impl RawQuery {
    /// The arguments, of which an optimism is known only to some commands.
    fn read(position: &Position, arguments: &Arguments, takes_optimism: bool) -> Result<RawQuery> {
        let color: Option<Color> = arguments.word(0)?.parse().ok();
        let place = usize::from(color.is_some());
        let mut position = position.clone();
        if let Some(color) = color {
            position.set_to_move(color);
        }
        let optimism = match arguments.len() - place {
            0 | 1 => None,
            2 if takes_optimism => {
                let number = arguments.number(place + 1)?;
                ensure!((0.0..=1.0).contains(&number), "optimism must be 0 to 1");
                Some(number as f32)
            }
            _ => bail!("syntax error"),
        };
        Ok(RawQuery {
            symmetries: symmetries(arguments, place, position.size())?,
            position,
            optimism,
        })
    }

    /// For each symmetry the outputs that a network of `evaluators` has, its values as `values` shows them.
    fn answer(
        &self,
        evaluators: &dyn Evaluators,
        values: fn(&NetOutput) -> String,
    ) -> Result<String> {
        let (mover, size) = (self.position.to_move(), self.position.size());
        let view = evaluators.view(mover, size)?;
        let mut text = String::new();
        for &symmetry in &self.symmetries {
            let output = view.raw_outputs(&self.position, symmetry, self.optimism)?;
            let output = output.context("only networks of KataGo's kind have these outputs")?;
            text.push_str(&format!("symmetry {}\n", symmetry.number()));
            text.push_str(&values(&output));
            text.push_str(&shown_points(size, &output));
        }
        Ok(text)
    }
}

/// The symmetry at a place by its number, or all that fit the board.
fn symmetries(arguments: &Arguments, place: usize, size: BoardSize) -> Result<Vec<Symmetry>> {
    let fits = |symmetry: &Symmetry| size.is_square() || !symmetry.transposes();
    if arguments.word(place)? == "all" {
        return Ok(Symmetry::all().filter(fits).collect());
    }
    let number = usize::try_from(arguments.integer(place)?).ok();
    let symmetry = number
        .and_then(Symmetry::new)
        .context("symmetry must be 0 to 7 or all")?;
    ensure!(fits(&symmetry), "the board is not square");
    Ok(vec![symmetry])
}

/// The networks as a list in JSON, with KataGo's keys: that which plays, that of human play if there is one, others.
pub(super) fn kata_get_models(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let player = &engine.session.player;
    let mut models = player.evaluators().models();
    let human = player.human_evaluators().into_iter();
    let second = models.len().min(1);
    models.splice(second..second, human.flat_map(Evaluators::models));
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

/// Win, score and errors, seen by White, a line each.
fn shown_values(output: &NetOutput) -> String {
    lines(
        output,
        &[
            ("whiteLead", output.lead),
            ("whiteScoreSelfplay", output.score_mean),
            ("whiteScoreSelfplaySq", output.score_mean_square),
            ("varTimeLeft", output.variance_time_left),
        ],
    )
}

/// The same with what KataGo tells of a network of human play.
fn shown_human_values(output: &NetOutput) -> String {
    lines(
        output,
        &[
            ("whiteScore", output.score_mean),
            ("whiteScoreSq", output.score_mean_square),
        ],
    )
}

/// The values of all networks, with these about the score in their place.
fn lines(output: &NetOutput, scores: &[(&str, f32)]) -> String {
    let chances = [
        ("whiteWin", output.win),
        ("whiteLoss", output.loss),
        ("noResult", output.no_result),
    ];
    let errors = [
        ("shorttermWinlossError", output.shortterm_win_loss_error),
        ("shorttermScoreError", output.shortterm_score_error),
    ];
    let chances = chances.map(|(key, value)| format!("{key} {value:.6}\n"));
    let others = scores.iter().chain(&errors);
    let others = others.map(|(key, value)| format!("{key} {value:.3}\n"));
    chances.into_iter().chain(others).collect()
}

/// Policy and ownership, seen by White, as grids.
fn shown_points(size: BoardSize, output: &NetOutput) -> String {
    let (points, pass) = output.policy.split_at(size.area());
    let policy = points.iter().map(|&probability| match probability {
        0.0.. => format!("{probability:8.6}"),
        _ => "     NAN".to_owned(),
    });
    let ownership = output.ownership.iter();
    let ownership = ownership.map(|owner| format!("{owner:10.7}"));
    let (policy, pass) = (grid(size, policy), pass[0]);
    let ownership = grid(size, ownership);
    format!("policy\n{policy}\npolicyPass {pass:8.6}\nwhiteOwnership\n{ownership}\n")
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
