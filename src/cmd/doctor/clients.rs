//! Entries that make keima the engine of a client, to be pasted.

use std::path::Path;

use clap::builder::PossibleValuesParser;
use regex::{Captures, Regex};

use crate::threads::cores;

/// Stands for the command line in an entry.
const COMMAND: &str = "COMMAND";
/// Stands for the path of the program.
const PROGRAM: &str = "PROGRAM";
/// Stands for the arguments, as words of a command line.
const ARGUMENTS: &str = "ARGUMENTS";
/// Stands for path and arguments, each in quotes and with commas between.
const LIST: &str = "LIST";

/// The choice of all clients.
const ALL: &str = "all";

/// A program that uses engines.
pub struct Client {
    /// As typed.
    name: &'static str,
    /// As it calls itself, and where the entry goes.
    place: &'static str,
    /// Options that it needs.
    options: &'static [&'static str],
    /// The entry.
    entry: &'static str,
    /// Whether it uses the JSON protocol instead of GTP.
    is_json: bool,
}

const fn gtp(name: &'static str, place: &'static str, entry: &'static str) -> Client {
    Client {
        name,
        place,
        options: &[],
        entry,
        is_json: false,
    }
}

/// In the order of the help.
const CLIENTS: [Client; 11] = [
    gtp(
        "sabaki",
        "Sabaki: Engines > Manage Engines > Add",
        "Name       keima\nPath       PROGRAM\nArguments  ARGUMENTS",
    ),
    gtp(
        "lizzie",
        "Lizzie: the engine in its settings (in its configuration file: leelaz, engine-command)",
        "COMMAND",
    ),
    gtp(
        "lizzieyzy",
        "LizzieYzy: a new engine in its engine settings, command line",
        "COMMAND",
    ),
    Client {
        name: "katrain",
        place: "KaTrain: general and engine settings, override engine command",
        options: &[],
        entry: "exec COMMAND",
        is_json: true,
    },
    gtp("gogui", "GoGui: Program > New Program, Command", "COMMAND"),
    gtp(
        "ogatak",
        "Ogatak: in its config.json, while it is not running",
        "\"gtp_filepath\": \"PROGRAM\",\n\"gtp_argslist\": [LIST],",
    ),
    gtp(
        "lizgoban",
        "LizGoban: in its config.json, under \"preset\"",
        "{\"label\": \"keima\", \"engine\": [\"PROGRAM\", LIST], \"wait_for_startup\": false}",
    ),
    gtp(
        "q5go",
        "q5Go: preferences, computer Go, a new engine",
        "Name        keima\nExecutable  PROGRAM\nArguments   ARGUMENTS",
    ),
    Client {
        name: "gtp2ogs",
        place: "gtp2ogs: in its configuration file (JSON5), with your apikey",
        options: &["--rules", "chinese", "--ogs-chat"],
        entry: "bot: {\n    command: [\"PROGRAM\", LIST],\n},",
        is_json: false,
    },
    Client {
        name: "kgsgtp",
        place: "kgsGtp: in its configuration file, with your name and password",
        options: &["--rules", "chinese"],
        entry: "engine=COMMAND\nmode=custom\nrules=chinese",
        is_json: false,
    },
    Client {
        name: "cgos",
        place: "CGOS (Python client): in its configuration file, with your user and password",
        options: &["--rules", "tromp-taylor"],
        entry: "GTPEngine:\n  Name = keima\n  CommandLine = COMMAND",
        is_json: false,
    },
];

/// Understands the names of clients, and `all`.
pub fn parser() -> PossibleValuesParser {
    PossibleValuesParser::new(Client::names().into_iter().chain([ALL]))
}

impl Client {
    /// All names.
    pub fn names() -> Vec<&'static str> {
        CLIENTS.iter().map(|client| client.name).collect()
    }

    /// Those of these names.
    pub fn chosen(names: &[String]) -> impl Iterator<Item = &'static Client> {
        let is_chosen = move |client: &&Client| {
            names
                .iter()
                .any(|name| [ALL, client.name].contains(&&**name))
        };
        CLIENTS.iter().filter(is_chosen)
    }

    /// The place and the entry, for a program and more options of the engine.
    pub fn entry(&self, program: &Path, more: &[String]) -> String {
        // Clients of the JSON protocol mostly ask about one position at a time, which then gets all cores.
        let command = match self.is_json {
            true => format!("analysis --analysis-threads 2 --search-threads {}", cores()),
            false => "gtp".to_owned(),
        };
        let words = command.split(' ').chain(self.options.iter().copied());
        let words: Vec<String> = words
            .map(str::to_owned)
            .chain(more.iter().cloned())
            .collect();
        let program = program.display().to_string();
        let arguments = shell_words(&words);
        let line = format!(
            "{} {arguments}",
            shell_words(std::slice::from_ref(&program))
        );
        let list: Vec<String> = words.iter().map(|word| json(word)).collect();
        // In one pass, as what is filled in may hold such a word, too.
        let words = format!("\"{PROGRAM}\"|{PROGRAM}|{COMMAND}|{LIST}|{ARGUMENTS}");
        let words = Regex::new(&words).expect("the words are no operators");
        let entry = words.replace_all(self.entry, |found: &Captures| match &found[0] {
            COMMAND => line.clone(),
            LIST => list.join(", "),
            ARGUMENTS => arguments.clone(),
            PROGRAM => program.clone(),
            _ => json(&program),
        });
        format!("{}\n\n{entry}", self.place)
    }
}

/// A word as a string of JSON.
fn json(word: &str) -> String {
    serde_json::Value::from(word).to_string()
}

/// Words of a command line, in double quotes where they have blanks or signs of shells: all clients and shells know
/// these.
fn shell_words(words: &[String]) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./\\:=,+@%~".contains(letter);
    let quoted = words.iter().map(|word| match word.chars().all(is_plain) {
        true => word.clone(),
        false => {
            let escaped = word.replace('"', "\\\"");
            let escaped = escaped.replace('$', "\\$").replace('`', "\\`");
            format!("\"{escaped}\"")
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_entries_may_be_in_paths_and_signs_are_quoted() {
        let more = ["--set".to_owned(), "a=$b \"c\"".to_owned()];
        for client in &CLIENTS {
            let entry = client.entry(Path::new("/opt/PROGRAMS/LIST/keima"), &more);
            assert_eq!(
                entry.matches("/opt/PROGRAMS/LIST/keima").count(),
                1,
                "{entry}"
            );
        }
        assert_eq!(shell_words(&more), r#"--set "a=\$b \"c\"""#);
    }

    #[test]
    fn entries_hold_the_command_and_parse() {
        let program = Path::new("/opt/my go/keima");
        let more = ["--visits".to_owned(), "400".to_owned()];
        for client in &CLIENTS {
            let entry = client.entry(program, &more);
            assert!(entry.contains("/opt/my go/keima"), "{entry}");
            for word in [COMMAND, PROGRAM, ARGUMENTS, LIST] {
                assert!(!entry.contains(word), "{entry}");
            }
        }
        let entry = |name: &str| {
            let names = [name.to_owned()];
            let client = Client::chosen(&names).next().unwrap();
            client.entry(program, &more)
        };
        assert!(entry("gogui").ends_with("\"/opt/my go/keima\" gtp --visits 400"));
        let threads = format!("--search-threads {} --visits 400", cores());
        assert!(entry("katrain").ends_with(&threads));
        let lizgoban = entry("lizgoban");
        let (_, json) = lizgoban.split_once("\n\n").unwrap();
        let json: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(json["engine"][1], "gtp");
        assert!(
            entry("gtp2ogs")
                .contains("\"gtp\", \"--rules\", \"chinese\", \"--ogs-chat\", \"--visits\"")
        );
        assert_eq!(Client::chosen(&["all".to_owned()]).count(), CLIENTS.len());
    }
}
