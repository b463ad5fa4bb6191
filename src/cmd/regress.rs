//! `keima regress`: golden GTP scripts against any engine.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};

use super::interrupts::{INTERRUPTED, stop_flag};
use super::settings;
use crate::console::{counted, say};
use crate::files;
use crate::gtp::client::Client;
use crate::gtp::script::{Report, Script, Verdict};
use crate::process::end_all_engines;

/// Timeout for the exit after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(5);

/// Run golden GTP scripts against an engine
///
/// A script consists of GTP commands, each followed by lines like `#? [pattern]`: a regular
/// expression that the whole answer must match. `#? [!pattern]` must not match, `#? [pattern]*` is
/// known to fail, `#? ?[pattern]` expects an error with such a message. The engine is restarted for
/// each script, in the current directory. Exit code: 0 if nothing failed unexpectedly, 1 if
/// something did, 2 if a script could not be run.
#[derive(Clone, Debug, clap::Args)]
pub struct RegressArguments {
    /// Command line of the engine (no shell is used)
    #[arg(long, value_name = "COMMAND")]
    pub engine: String,

    /// Timeout of an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = settings::positive_seconds)]
    pub timeout: f64,

    /// Show every expectation, not only unexpected results
    #[arg(long, short)]
    pub verbose: bool,

    /// Scripts, or folders that are searched for `.gtp` and `.tst` files
    #[arg(required = true, value_name = "FILES")]
    pub files: Vec<PathBuf>,
}

/// Runs the scripts and prints the results.
pub fn run(arguments: &RegressArguments) -> anyhow::Result<ExitCode> {
    stop_flag("interrupted", || {
        end_all_engines();
        std::process::exit(INTERRUPTED)
    })?;
    let mut totals = Totals::default();
    for path in scripts(&arguments.files)? {
        match run_script(&path, arguments) {
            Ok(report) => {
                show_report(&path, &report, arguments.verbose)?;
                totals.add(&report);
            }
            Err(error) => {
                say(format_args!("{}: {error:#}", path.display()))?;
                totals.broken += 1;
            }
        }
    }
    say(format_args!("{totals}"))?;
    Ok(totals.exit_code())
}

fn run_script(path: &Path, arguments: &RegressArguments) -> anyhow::Result<Report> {
    let script = Script::parse(&files::read_text(path)?)?;
    let timeout = Duration::from_secs_f64(arguments.timeout);
    let mut client = Client::spawn(&arguments.engine, timeout)
        .with_context(|| format!("cannot start '{}'", arguments.engine))?;
    let report = script.run(|line| Ok(client.send_line(line)?))?;
    client.quit(QUIT_TIMEOUT);
    Ok(report)
}

fn show_report(path: &Path, report: &Report, is_verbose: bool) -> anyhow::Result<()> {
    let count = |verdict| report.count(verdict);
    let passed = count(Verdict::Pass) + count(Verdict::UnexpectedPass);
    say(format_args!(
        "{}: {passed} of {} passed{}{}{}",
        path.display(),
        report.checks.len(),
        unless_zero(count(Verdict::Fail), "failed"),
        unless_zero(count(Verdict::KnownFailure), "known to fail"),
        unless_zero(count(Verdict::UnexpectedPass), "passed unexpectedly"),
    ))?;
    for check in &report.checks {
        let label = match check.verdict {
            Verdict::Fail => "FAIL",
            Verdict::UnexpectedPass => "UNEXPECTED PASS (remove the star)",
            Verdict::Pass if is_verbose => "pass",
            Verdict::KnownFailure if is_verbose => "known failure",
            Verdict::Pass | Verdict::KnownFailure => continue,
        };
        say(format_args!("{label}, {check}"))?;
    }
    Ok(())
}

/// One more entry of a list of counts.
fn unless_zero(count: usize, what: &str) -> String {
    match count {
        0 => String::new(),
        _ => format!(", {count} {what}"),
    }
}

/// Sums over all scripts.
#[derive(Default)]
struct Totals {
    scripts: usize,
    checks: usize,
    failed: usize,
    broken: usize,
}

impl Totals {
    fn add(&mut self, report: &Report) {
        self.scripts += 1;
        self.checks += report.checks.len();
        self.failed += report.count(Verdict::Fail);
    }

    fn exit_code(&self) -> ExitCode {
        match (self.broken, self.failed) {
            (0, 0) => ExitCode::SUCCESS,
            (0, _) => ExitCode::from(1),
            _ => ExitCode::from(2),
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {}, {}",
            counted(self.scripts + self.broken, "script"),
            counted(self.checks, "expectation"),
            counted(self.failed, "unexpected failure"),
        )?;
        match self.broken {
            0 => Ok(()),
            broken => write!(f, ", {} could not be run", counted(broken, "script")),
        }
    }
}

/// The files, and for folders the scripts in them, in alphabetical order.
fn scripts(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut scripts = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut found = files::files_below(path)?;
            found.retain(|path| {
                path.extension()
                    .is_some_and(|it| it == "gtp" || it == "tst")
            });
            ensure!(
                !found.is_empty(),
                "no .gtp or .tst files in {}",
                path.display()
            );
            found.sort();
            scripts.extend(found);
        } else {
            scripts.push(path.clone());
        }
    }
    Ok(scripts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_count_one_and_many() {
        let totals = Totals {
            scripts: 1,
            checks: 2,
            failed: 1,
            broken: 0,
        };
        assert_eq!(
            totals.to_string(),
            "1 script, 2 expectations, 1 unexpected failure"
        );
        let totals = Totals {
            broken: 1,
            ..totals
        };
        assert!(totals.to_string().starts_with("2 scripts, "));
        assert!(totals.to_string().ends_with(", 1 script could not be run"));
    }
}
