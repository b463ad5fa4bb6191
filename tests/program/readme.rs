//! What the README and the other pages tell people to type: each line is understood.

use std::fs;

use clap::Parser;
use clap::error::ErrorKind;
use keima::cmd::{Cli, with_two_dashes};
use regex::Regex;

pub const README: &str = include_str!("../../README.md");

/// Words that stand for something, and what they may stand for.
const PLACEHOLDERS: [(&str, &str); 4] = [
    ("CLIENT", "sabaki"),
    ("DD", "31"),
    ("N", "1"),
    ("PORT", "3000"),
];

/// The blocks of commands of a page, without the marks around them.
pub fn blocks(page: &str) -> Vec<&str> {
    let parts = page.split("```sh\n").skip(1);
    parts
        .map(|part| part.split("```").next().unwrap())
        .collect()
}

/// The README and the pages in `docs`.
fn pages() -> Vec<String> {
    let docs = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/docs")).unwrap();
    let files = docs.map(|entry| entry.unwrap().path());
    let pages = files.filter(|path| path.extension().is_some_and(|it| it == "md"));
    let mut pages: Vec<String> = pages
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    pages.push(README.to_owned());
    pages
}

/// The command lines of this program in a page: those of the blocks, those for engines within them, and those
/// in running text.
fn command_lines(page: &str) -> Vec<String> {
    let found = |text: &str, pattern: &str| -> Vec<String> {
        let text = text
            .replace("\\\n", " ")
            .replace("target/release/keima", "keima");
        let found = Regex::new(pattern).unwrap();
        let found = found.captures_iter(&text);
        found.map(|found| found[1].replace('\n', " ")).collect()
    };
    let mut lines = found(&blocks(page).join(""), r"(?m)^ *(keima [^#\n]*)");
    lines.extend(found(page, "\"(keima[^\"\n]*)\""));
    lines.extend(found(page, "`(keima [^`]*)`"));
    lines
}

/// Running text leaves out what it does not speak of, such as the value of an option that it names.
fn is_part(error: &clap::Error, last: &str) -> bool {
    match error.kind() {
        ErrorKind::MissingRequiredArgument
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => true,
        ErrorKind::InvalidValue => last.starts_with("--"),
        _ => false,
    }
}

#[test]
fn command_lines_of_all_pages_are_understood() {
    let pages = pages();
    let lines: Vec<String> = pages.iter().flat_map(|page| command_lines(page)).collect();
    assert!(lines.len() > 150, "{lines:?}");
    for line in lines {
        // The shell's substitutions.
        let line = line
            .replace("$((24576 * (g + 1)))", "49152")
            .replace("$g", "1");
        let meant = |word: String| {
            let known = PLACEHOLDERS.iter().find(|(said, _)| *said == word);
            known.map_or(word, |(_, meant)| (*meant).to_owned())
        };
        let words = shlex::split(&line).unwrap().into_iter();
        let words: Vec<String> = words.filter(|word| word != "...").map(meant).collect();
        let given = words.iter().map(Into::into);
        if let Err(error) = Cli::try_parse_from(with_two_dashes(given)) {
            let last = words.last().unwrap();
            assert!(
                error.exit_code() == 0 || is_part(&error, last),
                "{line}: {error}"
            );
        }
    }
}
