//! The program: parse, dispatch, print the chain of errors.

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use keima::cmd::{Cli, with_two_dashes};
use keima::console::tell;

/// Exit code for an invalid command line, as in clap.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(with_two_dashes(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => match file_for_command(&error) {
            Some(file) => {
                tell(format_args!("{}", about_file(file)));
                return ExitCode::from(USAGE);
            }
            None => error.exit(),
        },
    };
    match keima::cmd::run(cli) {
        Ok(code) => code,
        Err(error) => {
            tell(format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// The name of a file that was given instead of a command.
fn file_for_command(error: &Error) -> Option<&str> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => {
            let path = Path::new(word);
            (path.exists() || path.extension().is_some()).then_some(word)
        }
        _ => None,
    }
}

fn about_file(file: &str) -> String {
    let is_record = Path::new(file)
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("sgf"));
    match is_record {
        true => format!(
            "'{file}' is not a command. To look at a game record or go on with it, type \
             'keima play --load {file}'; 'keima --help' lists the commands"
        ),
        false => format!(
            "'{file}' is not a command. A network is given with --model, GTP commands on standard \
             input; 'keima --help' lists the commands"
        ),
    }
}
