//! `keima completions` and `keima man`: what shells and `man` want to know of the command line.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use super::Cli;
use crate::console::{say, tell};
use crate::files;

/// Print a script with which a shell completes keima's options
///
/// For example: keima completions bash > ~/.local/share/bash-completion/completions/keima
#[derive(Args)]
pub struct CompletionsArguments {
    /// The shell
    shell: Shell,
}

/// Print the manual page, or write those of all commands to a folder
///
/// The page is for man, as in: keima man | man -l -
#[derive(Args)]
pub struct ManArguments {
    /// Folder for the pages of keima and all its commands
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

pub fn completions(arguments: &CompletionsArguments) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "keima", &mut script);
    let script = String::from_utf8(script).context("the script is no text")?;
    print(&script)?;
    Ok(ExitCode::SUCCESS)
}

pub fn man(arguments: &ManArguments) -> Result<ExitCode> {
    // Pages refer to those of all commands below, and `help` has none.
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    match &arguments.folder {
        Some(folder) => {
            files::make_folder(folder)?;
            write_pages(folder, &command)?;
        }
        None => {
            print(&page(&command)?)?;
            if io::stdout().is_terminal() {
                tell(format_args!("to read this page: keima man | man -l -"));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a text of which a reader such as `head` may want only the beginning.
fn print(text: &str) -> Result<()> {
    let said = say(format_args!("{}", text.trim_end()));
    said.or_else(|error| match error.downcast_ref::<io::Error>() {
        Some(reason) if reason.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    })
}

/// A page for a command and for each of those below it.
fn write_pages(folder: &Path, command: &Command) -> Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let path = folder.join(format!("{name}.1"));
    files::write_whole(&path, page(command)?.as_bytes(), true)?;
    for command in command.get_subcommands() {
        write_pages(folder, command)?;
    }
    Ok(())
}

fn page(command: &Command) -> Result<String> {
    let mut page = Vec::new();
    // The version takes the date's place in the middle of the last line: an empty one would be left out.
    let manual = Man::new(command.clone())
        .date(concat!("version ", env!("CARGO_PKG_VERSION")))
        .source("keima")
        .manual("keima");
    manual.render(&mut page)?;
    String::from_utf8(page).context("the page is no text")
}
