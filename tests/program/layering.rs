//! Which module may import which: the table of `docs/architecture.md`, held against the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// Each folder of `src` with the folders (or files, as `folder::file`) it may import.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("go", &["splitmix"]),
    ("search", &["params", "splitmix", "threads"]),
    ("solver", &["go"]),
    ("minimax", &["params", "search::game", "threads"]),
    (
        "games",
        &[
            "go",
            "minimax",
            "search::bonus",
            "search::game",
            "search::evaluator",
            "params",
            "splitmix",
            "threads",
            "input_lines",
        ],
    ),
    (
        "games/chess",
        &[
            "games::background",
            "games::board_game",
            "games::record",
            "games::weighted",
            "input_lines",
            "minimax",
            "search::game",
            "params",
            "threads",
        ],
    ),
    (
        "games/draughts",
        &[
            "games::background",
            "games::board_game",
            "games::hub_line",
            "games::record",
            "games::weighted",
            "input_lines",
            "minimax",
            "search::game",
            "splitmix",
            "params",
            "threads",
        ],
    ),
    (
        "games/gomoku",
        &[
            "games::background",
            "games::board_game",
            "games::chooser",
            "games::network_inputs",
            "games::record",
            "games::weighted",
            "input_lines",
            "minimax",
            "search::game",
            "splitmix",
            "threads",
        ],
    ),
    (
        "games/backgammon",
        &[
            "games::dice_game",
            "games::record",
            "games::weighted",
            "input_lines",
            "minimax",
            "search::game",
            "splitmix",
        ],
    ),
    ("formats", &["go"]),
    (
        "nn",
        &[
            "go",
            "games::coded",
            "games::go",
            "games::network_inputs",
            "minimax",
            "games::rollout",
            "search::game",
            "search::evaluator",
            "params",
            "files",
            "threads",
        ],
    ),
    ("files", &[]),
    ("process", &["threads"]),
    ("params", &[]),
    ("clock", &["go", "params"]),
    (
        "player",
        &[
            "go", "solver", "clock", "games", "search", "nn", "params", "threads",
        ],
    ),
    (
        "arena",
        &[
            "go", "clock", "games", "minimax", "search", "formats", "files", "params", "threads",
        ],
    ),
    (
        "tune",
        &[
            "arena",
            "clock",
            "games::board_game",
            "games::weighted",
            "go",
            "minimax",
            "files",
            "threads",
        ],
    ),
    (
        "data",
        &[
            "go",
            "games::board_game",
            "games::coded",
            "games::network_inputs",
            "minimax",
            "formats",
            "nn",
            "files",
            "splitmix",
            "threads",
        ],
    ),
    ("train", &["go", "nn", "data", "files", "threads"]),
    (
        "gtp",
        &[
            "go",
            "clock",
            "games",
            "search",
            "player",
            "formats",
            "files",
            "console",
            "params",
            "nn::output",
            "process",
            "threads",
        ],
    ),
    (
        "analysis",
        &[
            "go",
            "games",
            "search",
            "player",
            "formats",
            "params",
            "threads",
            "input_lines",
        ],
    ),
    (
        "review",
        &[
            "go", "games", "search", "player", "formats", "files", "threads",
        ],
    ),
    (
        "serve",
        &[
            "go",
            "clock",
            "games",
            "search",
            "player",
            "formats",
            "files",
            "params",
            "threads",
            "review::analysis",
        ],
    ),
    (
        "selfplay",
        &[
            "go",
            "games",
            "search",
            "formats",
            "files",
            "params",
            "threads",
            "nn::output",
            "data",
        ],
    ),
    (
        "cmd",
        &[
            "go",
            "clock",
            "games",
            "search",
            "formats",
            "nn",
            "player",
            "arena",
            "data",
            "train",
            "selfplay",
            "gtp",
            "analysis",
            "review",
            "serve",
            "console",
            "files",
            "memory",
            "params",
            "threads",
            "solver",
            "minimax",
            "process",
            "tune",
            "input_lines",
        ],
    ),
];

/// Words that the sources of a folder must not contain, outside comments.
const MUST_NOT_MENTION: &[(&str, &[&str])] = &[
    ("go", &["anyhow", "candle", "serde", "rand::"]),
    (
        "search",
        &[
            "candle",
            "komi",
            "println!",
            "eprintln!",
            "ending_shares",
            "ending_bonus",
            "repeats_position",
            "avoid_repeating",
        ],
    ),
    ("solver", &["anyhow", "candle", "println!", "eprintln!"]),
    (
        "minimax",
        &[
            "anyhow",
            "candle",
            "chess",
            "cozy",
            "draughts",
            "gomoku",
            "backgammon",
            "piskvork",
            "komi",
            "uci::",
            "println!",
            "eprintln!",
        ],
    ),
    (
        "games/chess",
        &[
            "crate::go",
            "draughts",
            "gomoku",
            "backgammon",
            "komi",
            "gtp",
            "nn::",
        ],
    ),
    (
        "games/draughts",
        &[
            "crate::go",
            "chess",
            "gomoku",
            "backgammon",
            "komi",
            "gtp",
            "nn::",
        ],
    ),
    (
        "games/gomoku",
        &[
            "crate::go",
            "chess",
            "draughts",
            "backgammon",
            "komi",
            "gtp",
            "nn::",
        ],
    ),
    (
        "games/backgammon",
        &[
            "crate::go",
            "chess",
            "draughts",
            "gomoku",
            "komi",
            "gtp",
            "nn::",
        ],
    ),
    ("games", &["candle", "println!", "eprintln!"]),
    ("formats", &["candle", "println!", "eprintln!"]),
    ("nn", &["clap", "println!"]),
    ("arena", &["candle", "clap", "println!"]),
    ("clock", &["anyhow", "println!"]),
    ("player", &["candle", "clap", "println!", "gtp::"]),
    (
        "tune",
        &[
            "clap",
            "chess",
            "draughts",
            "gomoku",
            "backgammon",
            "println!",
        ],
    ),
    ("data", &["clap", "println!", "train::"]),
    ("train", &["clap", "println!"]),
    ("selfplay", &["candle", "clap", "println!"]),
    ("gtp", &["candle", "clap", "println!"]),
    ("review", &["candle", "clap", "println!", "gtp::"]),
    (
        "serve",
        &[
            "candle", "clap", "println!", "gtp::", "hyper", "tokio", "http",
        ],
    ),
    ("analysis", &["candle", "clap", "println!", "gtp::"]),
    ("cmd", &["print!", "println!"]),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of src").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// The lines of a source file that are neither comments nor unit tests.
fn code_lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a readable source");
    let mut lines = text.lines();
    let mut code = Vec::new();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if trimmed == "#[cfg(test)]" {
            // Its item ends in the column where it begins.
            let indent = &line[..line.len() - trimmed.len()];
            lines.by_ref().find(|line| {
                let own = line.strip_prefix(indent).unwrap_or(" ");
                !own.starts_with(' ') && (own.ends_with(';') || own.ends_with('}'))
            });
        } else if !trimmed.starts_with("//") {
            let line = trimmed.split(" //").next().unwrap_or_default();
            code.push(line.to_string());
        }
    }
    code
}

/// The paths after `crate::` in the code of a folder, with their file.
fn imports(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for path in sources(folder) {
        let code = code_lines(&path).join("\n");
        for (place, _) in code.match_indices("crate::") {
            let rest = &code[place + "crate::".len()..];
            let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let end = rest.find(|c: char| !is_path(c)).unwrap_or(rest.len());
            found.push((path.clone(), rest[..end].to_string()));
        }
    }
    found
}

fn is_allowed(import: &str, allowed: &[&str]) -> bool {
    allowed
        .iter()
        .any(|module| import == *module || import.starts_with(&format!("{module}::")))
}

#[test]
fn imports_follow_layers() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = 0;
    for (folder, allowed) in MAY_IMPORT {
        for (file, import) in imports(&src.join(folder)) {
            seen += 1;
            let module = folder.replace('/', "::");
            let own = import == module || import.starts_with(&format!("{module}::"));
            assert!(
                own || is_allowed(&import, allowed),
                "{} imports crate::{import}, but {folder} may only import {allowed:?}",
                file.display()
            );
        }
    }
    assert!(seen > 20, "only {seen} imports found");
}

#[test]
fn layers_do_not_mention_higher_layers() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (folder, words) in MUST_NOT_MENTION {
        for path in sources(&src.join(folder)) {
            for line in code_lines(&path) {
                for word in *words {
                    assert!(
                        !line.contains(word),
                        "{}: {word} in `{line}`",
                        path.display()
                    );
                }
            }
        }
    }
}

/// A game can be deleted with its folder: besides that, only the list of games names it.
#[test]
fn board_games_are_named_in_their_list_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let list = src.join("cmd/board_games.rs");
    for game in ["chess", "draughts", "gomoku", "backgammon"] {
        let (folder, name) = (src.join("games").join(game), format!("games::{game}"));
        let names = |path: &Path| code_lines(path).join("\n").matches(&name).count();
        for path in sources(&src) {
            let may_name = path.starts_with(&folder) || path == list;
            assert!(
                names(&path) == 0 || may_name,
                "{} names {game}",
                path.display()
            );
        }
        assert_eq!(names(&list), 1, "{game}");
    }
}

#[test]
fn every_folder_of_src_is_in_the_table() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(src)
        .expect("src")
        .flatten()
        .filter(|entry| entry.path().is_dir())
    {
        let name = entry.file_name().into_string().expect("a plain name");
        assert!(
            MAY_IMPORT.iter().any(|(folder, _)| *folder == name),
            "{name} is not in the table"
        );
    }
}
