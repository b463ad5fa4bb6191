//! GNU Backgammon's language for external players: one line in, one answer out.
//!
//! | line | answer |
//! |---|---|
//! | `version`, `help` | a few lines |
//! | `set NAME VALUE` | `ok`; `set depth 2` searches two choices deep |
//! | `board:You:...`, a FIBS line with dice | the play, as in `8/5 6/5`, or an empty line where none is possible |
//! | the same without dice | `roll`; `accept` or `reject` where a double is offered |
//! | `evaluation fibsboard board:... PLIES N CUBE OFF CUBELESS` | win, gammon, backgammon, gammon lost, backgammon lost, equity |
//! | `exit`, `quit` | ends the session |
//!
//! In a match a double is accepted by the score ([`super::match_score`]), for money from an equity on. Mistakes are
//! answered by `Error: ...`, and the session goes on.

use std::io::{BufRead, Write};

use anyhow::{Context, Result, bail, ensure};

use super::fibs::{self, FibsBoard};
use super::notation::play_text;
use super::outcome::Outcome;
use super::player::{DEEPEST, Searcher};
use super::position::{BackgammonPosition, Stakes};
use super::variant;
use crate::games::dice_game::DicePlayer;
use crate::input_lines::next_line;
use crate::minimax::chance::player::SearchSettings;

/// For money a double is accepted from this equity on, a quarter of the games won without gammons.
const TAKE: f64 = -0.5;

const HELP: &str = "board:...   a FIBS board: answers the play, roll, accept or reject\n\
                    evaluation fibsboard board:... PLIES N CUBE OFF CUBELESS\n\
                    set depth N   how many choices to look ahead, from 1 to 4\n\
                    version, help, exit";

/// Serves a client until it says `exit` or closes the connection. `version` is the program's.
pub fn serve(
    player: &mut Searcher,
    version: &str,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<()> {
    while let Some(line) = next_line(&mut input).context("cannot read from the client")? {
        let answer = line.text().and_then(|line| {
            let is_blank = |letter: char| letter.is_whitespace() || letter == '\0';
            let line = line.trim_matches(is_blank);
            let is_end = ["exit", "quit", "bye"].contains(&line);
            let answer = || answer(player, version, line);
            (!is_end).then(answer).transpose()
        });
        let answer = match answer {
            Ok(None) => break,
            Ok(Some(answer)) => answer,
            Err(error) => format!("Error: {error:#}"),
        };
        let sent = output.write_all(format!("{answer}\n").as_bytes());
        sent.and_then(|()| output.flush())
            .context("cannot write to the client")?;
    }
    Ok(())
}

fn answer(player: &mut Searcher, version: &str, line: &str) -> Result<String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word.to_ascii_lowercase().as_str() {
        "version" => Ok(format!(
            "Interface: 2\nRFBF: 0\nEngine: 1.00\nSoftware: {version}"
        )),
        "help" => Ok(HELP.to_owned()),
        "set" => set(player, rest),
        "evaluation" => evaluation(player, rest),
        "fibsboard" => decision(player, rest.split_whitespace().next().unwrap_or_default()),
        _ if line.starts_with("board:") => decision(player, line),
        "" => bail!("an empty line; help lists what is understood"),
        _ => bail!(
            "'{}' is not understood; help lists what is",
            word.escape_debug()
        ),
    }
}

/// Settings of other programs are accepted: they do not change how this one plays.
fn set(player: &mut Searcher, text: &str) -> Result<String> {
    let (name, value) = text
        .trim()
        .split_once(char::is_whitespace)
        .unwrap_or((text.trim(), ""));
    ensure!(!name.is_empty(), "set NAME VALUE");
    if name == "depth" {
        let depth = value
            .trim()
            .parse()
            .ok()
            .filter(|depth| (1..=DEEPEST).contains(depth));
        player.settings.depth = depth.with_context(|| format!("depth is from 1 to {DEEPEST}"))?;
    }
    Ok("ok".to_owned())
}

/// The play, or what to do before the roll.
fn decision(player: &mut Searcher, board: &str) -> Result<String> {
    let FibsBoard {
        position,
        is_double_offered,
        score,
    } = fibs::read(board)?;
    if is_double_offered {
        let points = variant::with_stakes(position, Stakes::Points);
        // The one who doubled is to move.
        let outcome = player.outcome(&points);
        let is_take = match score {
            Some(score) => score.is_take(!position.turn, &outcome.turned()),
            None => -outcome.equity(Stakes::Points) >= TAKE,
        };
        return Ok(if is_take { "accept" } else { "reject" }.to_owned());
    }
    if position.dice.is_none() {
        return Ok("roll".to_owned());
    }
    let best = player
        .rated(&position)
        .into_iter()
        .next()
        .context("there is no play")?;
    Ok(match best.play.steps().is_empty() {
        true => String::new(),
        false => play_text(&best.play),
    })
}

/// The six numbers of an evaluation.
fn evaluation(player: &Searcher, text: &str) -> Result<String> {
    let mut words = text.split_whitespace();
    let usage = "as in: evaluation fibsboard board:... PLIES 0 CUBE OFF CUBELESS";
    ensure!(
        words
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case("fibsboard")),
        usage
    );
    let position = fibs::read(words.next().context(usage)?)?.position;
    let mut plies = 0;
    while let Some(word) = words.next() {
        if word.eq_ignore_ascii_case("plies") {
            let number = words.next().and_then(|word| word.parse().ok());
            plies = number
                .filter(|plies| *plies <= 2)
                .context("PLIES is 0, 1 or 2")?;
        }
    }
    // Dice are left out: the position is evaluated before the roll.
    let position = BackgammonPosition {
        dice: None,
        ..position
    };
    let mut player = Searcher {
        settings: SearchSettings::default(),
        ..player.clone()
    };
    let outcome = averaged(&mut player, &position, plies);
    let parts: Vec<String> = outcome
        .parts()
        .iter()
        .map(|part| format!("{part:.6}"))
        .collect();
    Ok(format!(
        "{} {:.6}",
        parts.join(" "),
        outcome.equity(position.stakes)
    ))
}

/// The outcome for the side to roll, looked this many rolls ahead: the mean over all rolls after the best play.
fn averaged(player: &mut Searcher, position: &BackgammonPosition, plies: u32) -> Outcome {
    if plies == 0 || position.points_won().is_some() {
        return player.outcome(position);
    }
    let mut sums = [0.0; super::outcome::PARTS];
    for dice in super::plays::rolls() {
        let rolled = position.rolled(dice);
        let after = rolled.after(&player.rated(&rolled)[0].play);
        let outcome = averaged(player, &after, plies - 1).turned();
        for (sum, part) in sums.iter_mut().zip(outcome.parts()) {
            *sum += dice.probability() as f32 * part;
        }
    }
    Outcome::of_parts(sums)
}
