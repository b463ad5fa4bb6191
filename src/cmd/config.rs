//! `keima config`: makes, shows and checks the configuration file.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand};

use super::engine_config::{ConfigFile, ConfigSource, EngineConfig, Purpose, file, is_option};
use super::gtp::GtpArguments;
use crate::console::{counted, say};
use crate::files;

/// Exit code of `check` for a file with faults.
const FAULTY: u8 = 1;

/// Width of the comments in the file that `init` makes.
const WIDTH: usize = 96;

/// Make, show or check the configuration file keima.toml
#[derive(Args)]
pub struct ConfigArguments {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Write a configuration file with all settings, their meanings and defaults; all are commented out
    Init {
        /// File to write; by default keima/keima.toml in your configuration folder; - prints it
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Replace an existing file
        #[arg(long)]
        force: bool,
    },
    /// Print all settings as they would be under the options that follow, and where each comes from
    Show(Box<GtpArguments>),
    /// Name everything that is wrong in a configuration file, with the line
    Check {
        /// File to check; by default the one that would be read
        #[arg(value_name = "FILE", conflicts_with = "config")]
        file: Option<PathBuf>,
        /// The same by the engine's option; may be repeated for KataGo's files
        #[arg(long, value_name = "FILE")]
        config: Vec<PathBuf>,
    },
}

pub fn run(arguments: ConfigArguments) -> Result<ExitCode> {
    match arguments.command {
        ConfigCommand::Init { file, force } => init(file, force)?,
        ConfigCommand::Show(options) => {
            let config = EngineConfig::load(Purpose::Play, options.source()?)?;
            say(format_args!("{}", shown(&config).trim_end()))?;
        }
        ConfigCommand::Check { file, config } => return check(file, config),
    }
    Ok(ExitCode::SUCCESS)
}

fn init(path: Option<PathBuf>, may_replace: bool) -> Result<()> {
    let text = template()?;
    if path.as_ref().is_some_and(|path| path.as_os_str() == "-") {
        return say(format_args!("{}", text.trim_end()));
    }
    let path = path.or_else(file::user_file);
    let path = path.context("there is no configuration folder for you: name a file")?;
    if let Some(folder) = path.parent() {
        files::make_folder(folder)?;
    }
    let written = files::write_whole(&path, text.as_bytes(), may_replace);
    written.context("--force replaces a file, and - prints to the screen")?;
    say(format_args!("{}", path.display()))
}

/// Checks a file, or those that `--config` and the environment name.
fn check(path: Option<PathBuf>, named: Vec<PathBuf>) -> Result<ExitCode> {
    let paths = match path {
        Some(path) => vec![path],
        None => file::locations(named, |name| std::env::var_os(name)),
    };
    ensure!(
        !paths.is_empty(),
        "there is no configuration file; `keima config init` makes one"
    );
    let file = ConfigFile::read_all(&paths)?;
    for fault in &file.faults {
        say(format_args!("{fault}"))?;
    }
    if let Some(remark) = &file.remark {
        say(format_args!("{remark}"))?;
    }
    match file.faults.len() {
        0 => say(format_args!("{}: nothing is wrong", file::names(&paths)))?,
        count => {
            say(format_args!("{}", counted(count, "fault")))?;
            return Ok(FAULTY.into());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Every setting as a line of the file, followed by where its value comes from.
fn shown(config: &EngineConfig) -> String {
    let mut text = String::new();
    for (name, value) in settings(config) {
        let setting = config.source.find(name);
        let origin = setting.map_or("default".to_owned(), |setting| setting.origin.to_string());
        let value = match name {
            // By default it depends on the rules.
            "komi" => config.start_komi().to_string(),
            _ => value,
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name} = {}  # {origin}", in_toml(&value));
    }
    text
}

/// Names and values of all options and parameters.
fn settings(config: &EngineConfig) -> Vec<(&'static str, String)> {
    let mut settings = config.options();
    for (_, entries) in config.parameter_groups() {
        let parameters = entries.into_iter().map(|entry| (entry.name, entry.value));
        settings.extend(parameters.filter(|(name, _)| !is_option(name)));
    }
    settings
}

/// The file that `init` makes.
fn template() -> Result<String> {
    let config = EngineConfig::resolve(Purpose::Play, [ConfigSource::default()])?;
    let mut text = String::new();
    add_comment(
        &mut text,
        "keima's configuration. Lines that begin with # do not count: remove the # to set something. \
         The command line and the environment rank above this file. Windows paths go in single \
         quotes. `keima config check` finds mistakes, `keima config show` shows what holds.",
    );
    let command = file::options();
    for (name, value) in config.options() {
        let mut arguments = command.get_arguments();
        let argument = arguments.find(|argument| argument.get_long() == Some(name));
        let help = argument.and_then(|argument| argument.get_help());
        add_entry(
            &mut text,
            &help.map(ToString::to_string).unwrap_or_default(),
            name,
            &value,
        );
    }
    for (group, entries) in config.parameter_groups() {
        let _ = writeln!(text, "\n\n### Of the {group}");
        for entry in entries.iter().filter(|entry| !is_option(entry.name)) {
            // Random by default, as the seed of all is.
            let is_seed = entry.name == "symmetrySeed";
            let value = if is_seed { "0" } else { &entry.value };
            add_entry(&mut text, entry.meaning, entry.name, value);
        }
    }
    Ok(text)
}

fn add_entry(text: &mut String, meaning: &str, name: &str, value: &str) {
    text.push('\n');
    add_comment(text, meaning);
    let _ = writeln!(text, "# {name} = {}", in_toml(value));
}

/// Adds a text as comment lines of at most [`WIDTH`] characters.
fn add_comment(text: &mut String, comment: &str) {
    let mut line = String::from("##");
    for word in comment.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(text, "{line}");
            line = String::from("##");
        }
        line = line + " " + word;
    }
    let _ = writeln!(text, "{line}");
}

/// A value as TOML writes it.
pub(super) fn in_toml(value: &str) -> String {
    let is_number = value.parse::<i64>().is_ok()
        || (value.contains('.') && value.parse::<f64>().is_ok_and(f64::is_finite));
    match is_number || matches!(value, "true" | "false") {
        true => value.to_owned(),
        // Quoted as in JSON, which TOML reads.
        false => serde_json::Value::from(value).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn file_of_init_with_everything_uncommented_means_the_defaults() {
        let template = template().unwrap();
        let lines = template.lines().map(|line| match line.strip_prefix("# ") {
            Some(setting) => setting,
            None => line,
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        let file = ConfigFile::parse(Path::new("keima.toml"), &text);
        assert_eq!(file.faults, []);
        let source = file.source().unwrap();
        assert!(source.settings.len() > 80, "{}", source.settings.len());
        let set = EngineConfig::resolve(Purpose::Play, [source]).unwrap();
        let default = EngineConfig::resolve(Purpose::Play, [ConfigSource::default()]).unwrap();
        let values = |config: &EngineConfig| -> Vec<_> {
            let settings = settings(config).into_iter();
            settings
                .filter(|(name, _)| *name != "symmetrySeed")
                .collect()
        };
        assert_eq!(values(&set), values(&default));
    }

    #[test]
    fn shown_settings_say_where_they_come_from() {
        let file = ConfigFile::parse(Path::new("k.toml"), "\nvisits = 50\nrules = 'japanese'\n");
        let config = EngineConfig::resolve(Purpose::Play, [file.source().unwrap()]).unwrap();
        let shown = shown(&config);
        assert!(shown.contains("\nmaxVisits = 50  # k.toml:2\n"), "{shown}");
        assert!(
            shown.contains("\nrules = \"japanese\"  # k.toml:3\n"),
            "{shown}"
        );
        assert!(
            shown.contains("\nmaxPlayouts = \"\"  # default\n"),
            "{shown}"
        );
    }
}
