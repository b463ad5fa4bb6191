//! `keima doctor`: what keima finds on this machine, what is slow or wrong and what to do about it; and the
//! entries that make it the engine of a client.

mod clients;
mod machine;
mod networks;
mod speed;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use self::clients::Client;
use super::engine_config::{ConfigFile, EngineConfig, Purpose, file};
use super::player_arguments::PlayerArguments;
use crate::console::say;
use crate::files;
use crate::nn::network::is_built_in;

/// Check this machine, the networks and the configuration, or print the entry for a client
///
/// Names the processor, memory, GPU, networks and configuration that keima finds, measures its speed, and says
/// what is slow or wrong and what to do. With clients: the exact entries that make keima their engine.
#[derive(Args)]
pub struct DoctorArguments {
    /// Client to print the entry for, or all
    #[arg(value_name = "CLIENT", value_parser = clients::parser())]
    clients: Vec<String>,

    /// The engine's options, for which the check is made and which are part of the entries.
    #[command(flatten)]
    player: PlayerArguments,
}

/// What the doctor has found, in the order of finding.
#[derive(Default)]
struct Findings {
    /// A name and what is known of it.
    facts: Vec<(&'static str, String)>,
    /// What is wrong or slow, and what to do.
    advice: Vec<String>,
    /// Whether the engine does not start like this.
    is_broken: bool,
}

impl Findings {
    fn add(&mut self, name: &'static str, fact: impl Into<String>) {
        self.facts.push((name, fact.into()));
    }

    fn advise(&mut self, advice: impl Into<String>) {
        self.advice.push(advice.into());
    }

    /// The same where the engine does not start.
    fn refuse(&mut self, advice: impl Into<String>) {
        self.advise(advice);
        self.is_broken = true;
    }

    /// The page that is printed.
    fn page(&self) -> String {
        let mut before = "";
        let mut lines = Vec::new();
        for (name, fact) in &self.facts {
            let shown = if *name == before { "" } else { name };
            lines.push(format!("{shown:<14} {fact}"));
            before = name;
        }
        lines.push(String::new());
        match self.advice.is_empty() {
            true => lines.push("Nothing is wrong.".to_owned()),
            false => lines.push("What to do:".to_owned()),
        }
        lines.extend(self.advice.iter().map(|advice| format!("- {advice}")));
        lines.join("\n")
    }
}

pub fn run(arguments: DoctorArguments) -> Result<ExitCode> {
    if !arguments.clients.is_empty() {
        let options = engine_options(&arguments.clients);
        let program = std::env::current_exe()?;
        for client in Client::chosen(&arguments.clients) {
            say(format_args!("{}\n", client.entry(&program, &options)))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut findings = Findings::default();
    machine::examine(&mut findings);
    let named = arguments.player.config.clone();
    let paths = file::locations(named, |name| std::env::var_os(name));
    configuration(&mut findings, &paths);
    match EngineConfig::load(Purpose::Play, arguments.player.source()?) {
        Ok(config) => {
            machine::compare(&mut findings, &config);
            networks::examine(&mut findings, &config);
            if !findings.is_broken {
                speed::measure(&mut findings, &config);
            }
        }
        Err(error) => findings.refuse(format!("keima does not start: {error:#}")),
    }
    let clients = Client::names().join(", ");
    findings.add(
        "clients",
        format!("keima doctor CLIENT prints the entry for {clients}, or all"),
    );
    say(format_args!("{}", findings.page()))?;
    Ok(match findings.is_broken {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

/// The options of this command that are the engine's, as they were written.
fn engine_options(clients: &[String]) -> Vec<String> {
    // File names need not be Unicode.
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let words = words.skip_while(|word| word != "doctor").skip(1);
    let options = words.filter(|word| !clients.contains(word));
    options.map(with_absolute_path).collect()
}

/// A word that names a file, also after `=`, with the file's absolute path, since clients start programs anywhere.
/// A number is a setting, even if there is a file of that name.
fn with_absolute_path(word: String) -> String {
    let (name, value) = match word.split_once('=') {
        Some((name, value)) if name.starts_with("--") => (Some(name), value),
        _ => (None, word.as_str()),
    };
    let file = std::path::absolute(value)
        .ok()
        .filter(|_| value.parse::<f64>().is_err() && files::exists(Path::new(value)));
    let Some(file) = file.filter(|_| !is_built_in(Path::new(value))) else {
        return word;
    };
    match name {
        Some(name) => format!("{name}={}", file.display()),
        None => file.display().to_string(),
    }
}

fn configuration(findings: &mut Findings, paths: &[PathBuf]) {
    if paths.is_empty() {
        let own = file::user_file();
        let place = own.map_or_else(String::new, |own| {
            format!("; it would be {}", own.display())
        });
        findings.add(
            "configuration",
            format!("none (keima config init makes one{place})"),
        );
        return;
    }
    match ConfigFile::read_all(paths) {
        Ok(file) => {
            let names = file::names(paths);
            let fact = match file.faults.len() {
                0 => format!("{names}: nothing is wrong"),
                _ => format!("{names} has faults"),
            };
            findings.add("configuration", fact);
            for fault in &file.faults {
                findings.advise(fault.to_string());
            }
        }
        Err(error) => findings.advise(format!("{error:#}")),
    }
}
