//! Golden scripts: GTP commands and the answers expected of them, in the format of
//! gogui-regress and a little more.
//!
//! ```text
//! # A comment; also blank lines are free.
//! 10 play b d4
//! #? []
//! 20 genmove w
//! #? [C3|[FG]4]
//! play w d4
//! #? ?[illegal move]
//! undo
//! #? [!.*undo.*]*
//! ```
//!
//! A line `#? [pattern]` tells about the command before it: the whole text of its result must
//! match the regular expression (syntax of the `regex` crate, `.` matches LF too). `!` before the
//! pattern: it must not match. `*` at the end: known to fail. `?` before the bracket: the command
//! must fail, and the pattern is for its message; without it a failed command fails any
//! expectation. Several expectations may follow one command. A command with none must succeed;
//! `#? ?[.*]` allows for a failure. The id of every reply must be the one that was sent.

use std::fmt;

use anyhow::{Context, bail};
use regex::Regex;

use super::protocol::{Line, Response};
use super::reply::Reply;

/// A parsed script.
#[derive(Debug)]
pub struct Script {
    steps: Vec<Step>,
}

/// One command and what is expected of it.
#[derive(Debug)]
struct Step {
    line_number: usize,
    command: String,
    id: Option<u32>,
    expectations: Vec<Expectation>,
}

#[derive(Debug)]
struct Expectation {
    text: String,
    pattern: Regex,
    wants_failure: bool,
    is_negated: bool,
    is_known_to_fail: bool,
}

/// How an expectation fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// As expected.
    Pass,
    /// Not as expected, without a star.
    Fail,
    /// Not as expected, with a star.
    KnownFailure,
    /// As expected, but with a star, which should be removed.
    UnexpectedPass,
}

/// An expectation and the answer it met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Line of the command in the script, from 1.
    pub line_number: usize,
    /// The command as sent.
    pub command: String,
    /// The expectation as written.
    pub expectation: String,
    /// The engine's response; the text is trimmed.
    pub response: Response,
    /// What came out.
    pub verdict: Verdict,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.response.is_success() { '=' } else { '?' };
        writeln!(f, "line {}: {}", self.line_number, self.command)?;
        writeln!(f, "  expected {}", self.expectation)?;
        write!(
            f,
            "  answer   {sign} {}",
            self.response.text().replace('\n', "\n           ")
        )
    }
}

/// What running a script showed, in the order of the script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// One per expectation, and one per command that failed without any.
    pub checks: Vec<Check>,
}

impl Report {
    /// Number of checks with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.with(verdict).count()
    }

    /// The checks with this verdict.
    pub fn with(&self, verdict: Verdict) -> impl Iterator<Item = &Check> {
        self.checks
            .iter()
            .filter(move |check| check.verdict == verdict)
    }
}

impl Script {
    /// Reads a script, which may begin with a byte-order mark. Fails on an expectation without a command, or that cannot be read.
    pub fn parse(text: &str) -> anyhow::Result<Script> {
        let mut steps: Vec<Step> = Vec::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, line) in text.lines().enumerate() {
            let line_number = index + 1;
            if let Some(expectation) = line.trim().strip_prefix("#?") {
                let step = steps.last_mut().with_context(|| {
                    format!("line {line_number}: an expectation before the first command")
                })?;
                let expectation = Expectation::parse(expectation.trim())
                    .with_context(|| format!("line {line_number}"))?;
                step.expectations.push(expectation);
            } else if let Some(id) = request_id(line) {
                let command = line.trim().replace('\t', " ");
                steps.push(Step {
                    line_number,
                    command,
                    id,
                    expectations: Vec::new(),
                });
            }
        }
        Ok(Script { steps })
    }

    /// Whether the script has no commands.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Sends all commands, by a function that takes a line without its end and gives the reply.
    /// The first error of that function ends the run.
    pub fn run(
        &self,
        mut respond: impl FnMut(&str) -> anyhow::Result<Reply>,
    ) -> anyhow::Result<Report> {
        let mut report = Report::default();
        for step in &self.steps {
            let reply =
                respond(&step.command).with_context(|| format!("line {}", step.line_number))?;
            report.checks.extend(step.check(&reply));
        }
        Ok(report)
    }
}

impl Step {
    fn check(&self, reply: &Reply) -> Vec<Check> {
        let check = |expectation: String, verdict| Check {
            line_number: self.line_number,
            command: self.command.clone(),
            expectation,
            response: reply.response.clone(),
            verdict,
        };
        let mut checks: Vec<Check> = self
            .expectations
            .iter()
            .map(|expectation| {
                let verdict = expectation.verdict_on(&reply.response);
                check(format!("#? {}", expectation.text), verdict)
            })
            .collect();
        if self.expectations.is_empty() && !reply.response.is_success() {
            checks.push(check("success".to_owned(), Verdict::Fail));
        }
        if reply.id != self.id {
            let (wanted, found) = (id_text(self.id), id_text(reply.id));
            checks.push(check(format!("{wanted}, not {found}"), Verdict::Fail));
        }
        checks
    }
}

impl Expectation {
    /// From what follows the `#?`.
    fn parse(text: &str) -> anyhow::Result<Expectation> {
        let (wants_failure, bracketed) = match text.strip_prefix('?') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, text),
        };
        let (bracketed, is_known_to_fail) = match bracketed.strip_suffix('*') {
            Some(rest) => (rest.trim_end(), true),
            None => (bracketed, false),
        };
        let Some(inside) = bracketed
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        else {
            bail!("expected `#? [pattern]`, `#? [!pattern]`, `#? ?[pattern]`, or one with a `*`");
        };
        let (pattern, is_negated) = match inside.strip_prefix('!') {
            Some(rest) => (rest, true),
            None => (inside, false),
        };
        let pattern = Regex::new(&format!(r"\A(?s:{pattern})\z")).context("bad pattern")?;
        let text = text.to_owned();
        Ok(Expectation {
            text,
            pattern,
            wants_failure,
            is_negated,
            is_known_to_fail,
        })
    }

    fn verdict_on(&self, response: &Response) -> Verdict {
        let is_kind_right = response.is_success() != self.wants_failure;
        let is_met = is_kind_right && self.pattern.is_match(response.text()) != self.is_negated;
        match (is_met, self.is_known_to_fail) {
            (true, false) => Verdict::Pass,
            (true, true) => Verdict::UnexpectedPass,
            (false, false) => Verdict::Fail,
            (false, true) => Verdict::KnownFailure,
        }
    }
}

/// None if the line is not answered, else the id that its answer should have.
fn request_id(line: &str) -> Option<Option<u32>> {
    match Line::parse(line.as_bytes()) {
        Line::Request(request) => Some(request.id),
        Line::TooLong { id } => Some(id),
        Line::Nothing | Line::Interrupt => None,
    }
}

fn id_text(id: Option<u32>) -> String {
    id.map_or("no id".to_owned(), |id| format!("id {id}"))
}
