//! `keima genconfig`: a configuration file by questions and answers, as `katago genconfig` makes one.

use std::fmt::Write;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use super::config::in_toml;
use super::engine_config::file;
use super::settings;
use crate::console::{ask, say};
use crate::files;
use crate::input_lines::next_line;
use crate::nn::network::Network;

/// What is asked for with an empty answer about visits, playouts or seconds (KataGo's).
const LIMITS: [(&str, &str, &str); 3] = [
    ("visits", "maxVisits", "500"),
    ("playouts", "maxPlayouts", "300"),
    ("seconds", "maxTime", "10"),
];

/// Answer a few questions and get a configuration file
///
/// It asks for rules, limits, pondering and threads. Files that end in .cfg are written in KataGo's form, others
/// as keima.toml. A file that exists is replaced only if you say so. `keima config init` writes a file with
/// every setting instead.
#[derive(Args)]
pub struct GenconfigArguments {
    /// Network to play with; by default the built-in ones
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,

    /// File to write; by default keima/keima.toml in your configuration folder
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn run(arguments: &GenconfigArguments) -> Result<ExitCode> {
    let path = arguments.output.clone().or_else(file::user_file);
    let path =
        path.context("there is no configuration folder for you: name a file with --output")?;
    if let Some(model) = &arguments.model {
        Network::read_file(model)?;
    }
    let mut dialogue = Dialogue(io::stdin().lock());
    let may_replace = path.exists();
    if may_replace {
        let question = format!("{} exists. Replace it? (y/n)", path.display());
        if !dialogue.put(&question, yes_or_no)? {
            say(format_args!(
                "Nothing was written. Another file is named with --output"
            ))?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    let settings = dialogue.settings()?;
    if let Some(folder) = path.parent() {
        files::make_folder(folder)?;
    }
    let text = text(&path, arguments.model.as_deref(), &settings)?;
    files::write_whole(&path, text.as_bytes(), may_replace)?;
    say(format_args!(
        "{} is written. {}",
        path.display(),
        how_to_use(&path)
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Names of parameters and options with their values.
type Settings = Vec<(&'static str, String)>;

/// Questions, and where the answers come from.
struct Dialogue<R>(R);

impl<R: BufRead> Dialogue<R> {
    /// Asks until there is an answer that can be understood.
    fn put<T>(&mut self, question: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<T> {
        loop {
            ask(format_args!("{question} "))?;
            let line = next_line(&mut self.0).context("cannot read the answer")?;
            let line = line.context("the answers end here: no file was written")?;
            match parse(&line.text()?) {
                Ok(answer) => return Ok(answer),
                Err(reason) => say(format_args!("{reason}"))?,
            }
        }
    }

    fn settings(&mut self) -> Result<Settings> {
        let rules = "Rules? (chinese, japanese, korean, tromp-taylor, aga, new-zealand, ...; by default tromp-taylor, in keima play chinese)";
        let rules = self.put(rules, rules_name)?;
        let mut settings: Settings = rules.map(|rules| ("rules", rules)).into_iter().collect();
        settings.extend(self.limit()?);
        settings.extend(self.pondering()?);
        let threads = "Search threads? (default: one for each core, more on a GPU)";
        let threads = self.put(threads, |line| match line {
            "" => Ok(None),
            _ => settings::whole::<1, 1024>(line).map(Some),
        })?;
        settings.extend(threads.map(|threads| ("numSearchThreads", threads.to_string())));
        Ok(settings)
    }

    fn limit(&mut self) -> Result<Option<(&'static str, String)>> {
        say(format_args!(
            "Clocks that a client sets are always respected."
        ))?;
        let question = "Limit for each move, in addition to the clock? (visits, playouts, seconds, none; default none)";
        let Some((unit, name, default)) = self.put(question, limit)? else {
            return Ok(None);
        };
        let question = format!("How many {unit}? (default {default})");
        let number = self.put(&question, |line| {
            let text = if line.is_empty() { default } else { line };
            match name {
                "maxTime" => settings::positive_seconds(text).map(|seconds| seconds.to_string()),
                _ => settings::whole::<1, 1_000_000_000>(text).map(|number| number.to_string()),
            }
        })?;
        Ok(Some((name, number)))
    }

    fn pondering(&mut self) -> Result<Settings> {
        let question = "Think on the opponent's time? (y/n; default n)";
        let ponders = self.put(question, |line| match line {
            "" => Ok(false),
            _ => yes_or_no(line),
        })?;
        let mut settings = vec![("ponderingEnabled", ponders.to_string())];
        if ponders {
            let question = "For how many seconds at most? (default: no limit)";
            let seconds = self.put(question, |line| match line {
                "" => Ok(String::new()),
                _ => settings::positive_seconds(line).map(|seconds| seconds.to_string()),
            })?;
            settings.push(("maxTimePondering", seconds));
        }
        Ok(settings)
    }
}

fn yes_or_no(line: &str) -> Result<bool, String> {
    match line.to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(true),
        "n" | "no" => Ok(false),
        _ => Err("Please answer y or n".to_owned()),
    }
}

/// None where the defaults are to hold.
fn rules_name(line: &str) -> Result<Option<String>, String> {
    match line {
        "" => Ok(None),
        name => settings::rules(name).map(|_| Some(name.to_owned())),
    }
}

fn limit(line: &str) -> Result<Option<(&'static str, &'static str, &'static str)>, String> {
    let word = line.to_ascii_lowercase();
    let known = LIMITS
        .iter()
        .find(|(unit, _, _)| unit.trim_end_matches('s') == word.trim_end_matches('s'));
    match (word.as_str(), known) {
        ("" | "none" | "n" | "no", _) => Ok(None),
        (_, Some(limit)) => Ok(Some(*limit)),
        _ => Err("Please answer visits, playouts, seconds or none".to_owned()),
    }
}

fn is_katagos(path: &Path) -> bool {
    path.extension()
        .is_some_and(|it| it.eq_ignore_ascii_case("cfg"))
}

/// The file's contents.
fn text(path: &Path, model: Option<&Path>, settings: &Settings) -> Result<String> {
    let katago = is_katagos(path);
    let mut text = String::from(
        "# Made by keima genconfig. `keima config show` prints all settings that hold.\n",
    );
    if let Some(model) = model {
        let model = std::path::absolute(model).context("the network's file has no path")?;
        let model = model
            .to_str()
            .context("the network's path is no text in UTF-8")?;
        // Writing to a string cannot fail.
        let _ = match katago {
            true => writeln!(
                text,
                "# The network is named on the command line: -model {model}"
            ),
            false => writeln!(text, "model = {}", in_toml(model)),
        };
    }
    for (name, value) in settings {
        let value = match katago {
            // Without a limit.
            true if value.is_empty() => continue,
            true => value.clone(),
            false => in_toml(value),
        };
        let _ = writeln!(text, "{name} = {value}");
    }
    Ok(text)
}

/// What to type, or that nothing is needed.
fn how_to_use(path: &Path) -> String {
    match file::user_file().is_some_and(|own| own == *path) {
        true => "keima reads it at every start".to_owned(),
        false => format!("keima gtp --config {} reads it", path.display()),
    }
}
