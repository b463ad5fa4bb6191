//! KataGo's configuration files, and its option `-override-config`: lines of the form `key = value`, comments
//! after `#`, and `@include FILE`. What keima has too is used; the rest is only named, as files written for
//! KataGo speak of much that keima lacks.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use super::listing::{all_parameters, check_parameter};
use super::setting::{ConfigSource, Origin, Setting};
use crate::cmd::settings;
use crate::files;
use crate::params::SWITCHES;

/// Files that include files that include files: how deep.
const DEEPEST: usize = 8;

/// Keys of single rules; [`crate::formats::rules_json`] knows them.
const RULES: [&str; 7] = [
    "koRule",
    "scoringRule",
    "taxRule",
    "multiStoneSuicideLegal",
    "hasButton",
    "whiteHandicapBonus",
    "friendlyPassOk",
];

/// KataGo's keys of options of keima.
const OPTIONS: [(&str, &str); 5] = [
    ("rules", "rules"),
    ("defaultBoardSize", "size"),
    ("ogsChatToStderr", "ogs-chat"),
    ("logFile", "log"),
    ("logDir", "log"),
];

/// The name of the log in KataGo's `logDir`.
const LOG_NAME: &str = "keima.log";

/// A switch of networks, as those of [`SWITCHES`].
const RANDOMIZE: (&str, (&str, &str)) = ("nnRandomize", ("symmetries", "none"));

/// What KataGo's configuration means for keima.
#[derive(Clone, Debug, Default)]
pub struct KatagoConfig {
    /// What is used.
    pub source: ConfigSource,
    /// Keys that mean nothing here.
    pub unused: Vec<String>,
    /// Single rules, by KataGo's names.
    rules: Map<String, Value>,
}

impl KatagoConfig {
    /// Reads files in this order, and those that they include.
    pub fn read(paths: &[PathBuf]) -> Result<KatagoConfig> {
        let mut config = KatagoConfig::default();
        for path in paths {
            config.include(path, 0)?;
        }
        if let Some(last) = paths.last() {
            config.use_rules(Origin::Line(last.clone(), 1));
        }
        Ok(config)
    }

    /// The value of `-override-config`: `key=value,key=value`.
    pub fn of_overrides(text: &str) -> KatagoConfig {
        let mut config = KatagoConfig::default();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            match part.split_once('=') {
                Some((key, value)) => config.add(Origin::Override, key.trim(), value.trim()),
                None => config.unused.push(part.trim().to_owned()),
            }
        }
        config.use_rules(Origin::Override);
        config
    }

    /// What is not used, for people; none if all is.
    pub fn remark(&self, place: &str) -> Option<String> {
        let unused = self.unused.join(", ");
        (!unused.is_empty()).then(|| format!("{place}: keima does not use {unused}"))
    }

    fn include(&mut self, path: &Path, depth: usize) -> Result<()> {
        let text = files::read_text(path);
        let text =
            text.with_context(|| format!("cannot use the configuration {}", path.display()))?;
        for (index, line) in text.lines().enumerate() {
            let line = uncommented(line);
            if let Some(name) = line.strip_prefix("@include") {
                let beside = path.parent().unwrap_or(Path::new("")).join(unquoted(name));
                if depth == DEEPEST || self.include(&beside, depth + 1).is_err() {
                    self.unused.push(format!("@include {}", beside.display()));
                }
            } else if let Some((key, value)) = line.split_once('=') {
                let origin = Origin::Line(path.to_owned(), index + 1);
                self.add(origin, key.trim(), unquoted(value));
            } else if !line.is_empty() {
                self.unused.push(line.to_owned());
            }
        }
        Ok(())
    }

    /// Later lines replace earlier ones, as those of an including or a later file do.
    fn add(&mut self, origin: Origin, key: &str, value: &str) {
        if RULES.contains(&key) {
            self.rules.insert(key.to_owned(), value.into());
            return;
        }
        let mut switches = SWITCHES.iter().chain([&RANDOMIZE]);
        let switch = switches.find(|switch| switch.0 == key);
        let setting = match (option(key, value), switch) {
            (Some(setting), _) => Some(setting),
            (None, Some((_, (name, meaning)))) if value == "false" => {
                Some((*name, meaning.to_string()))
            }
            // The other value is what keima does anyway, unless an earlier line has switched it off.
            (None, Some((_, (name, meaning)))) => {
                let settings = &mut self.source.settings;
                settings.retain(|it| it.name != *name || it.value != *meaning);
                return;
            }
            (None, None) => parameter(key, value),
        };
        self.unused.retain(|other| other != key);
        let Some((name, value)) = setting else {
            self.unused.push(key.to_owned());
            return;
        };
        self.source.take(name);
        self.source.settings.push(Setting::new(origin, name, value));
    }

    /// Single rules together make a rule set, where none is named.
    fn use_rules(&mut self, origin: Origin) {
        let rules = std::mem::take(&mut self.rules);
        if rules.is_empty() {
            return;
        }
        let names: Vec<String> = rules.keys().cloned().collect();
        let text = Value::Object(rules).to_string();
        match settings::rules(&text) {
            Ok(_) if self.source.find("rules").is_none() => {
                let setting = Setting::new(origin, "rules", text);
                self.source.settings.push(setting);
            }
            _ => self.unused.extend(names),
        }
    }
}

/// Understands what KataGo's configuration says as its analysis does: the threads of a search are those of each position,
/// not of all together.
pub fn as_for_analysis(source: &mut ConfigSource) {
    let (of_all, of_each) = ("numSearchThreads", "numSearchThreadsPerAnalysisThread");
    if let Some(threads) = source.take(of_all)
        && source.find(of_each).is_none()
    {
        let setting = Setting::new(threads.origin, of_each, threads.value);
        source.settings.push(setting);
    }
}

/// Whether a file is KataGo's, by its name or else by its contents.
pub fn is_katago(path: &Path, text: &str) -> bool {
    let extension = path.extension().map(|it| it.to_ascii_lowercase());
    match extension.and_then(|it| it.into_string().ok()).as_deref() {
        Some("cfg") => true,
        Some("toml") => false,
        _ => toml::de::DeTable::parse(text).is_err() && text.lines().all(is_line_of_katago),
    }
}

fn is_line_of_katago(line: &str) -> bool {
    let line = uncommented(line);
    line.is_empty() || line.starts_with("@include") || line.contains('=')
}

/// A line without its comment.
fn uncommented(line: &str) -> &str {
    let is_quoted = |place: usize| line[..place].matches('"').count() % 2 == 1;
    let mut marks = line.match_indices('#').map(|(place, _)| place);
    let end = marks.find(|&place| !is_quoted(place));
    line[..end.unwrap_or(line.len())].trim()
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let inner = value.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    inner.unwrap_or(value)
}

/// The option of keima that a key stands for, with its value, if it takes that.
fn option(key: &str, value: &str) -> Option<(&'static str, String)> {
    let (_, name) = OPTIONS.iter().find(|(katago, _)| *katago == key)?;
    let is_right = match *name {
        "rules" => settings::rules(value).is_ok(),
        "size" => settings::board_size(value).is_ok(),
        "ogs-chat" => value.parse::<bool>().is_ok(),
        _ => !value.is_empty(),
    };
    let value = match key {
        "logDir" => Path::new(value).join(LOG_NAME).display().to_string(),
        _ => value.to_owned(),
    };
    is_right.then_some((*name, value))
}

/// The parameter of this name, if it takes the value.
fn parameter(key: &str, value: &str) -> Option<(&'static str, String)> {
    let entry = all_parameters().into_iter().find(|it| it.name == key)?;
    let setting = Setting::new(Origin::Override, key, value);
    check_parameter(&setting).ok()?;
    Some((entry.name, value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings_of(config: &KatagoConfig) -> Vec<String> {
        let settings = config.source.settings.iter();
        let shown = settings.map(|it| format!("{}={}", it.name, it.value.display()));
        shown.collect()
    }

    #[test]
    fn override_uses_what_keima_has_and_names_the_rest() {
        let text = "homeDataDir=/tmp/x, maxVisits=50,numSearchThreads=0,rules=japanese,useLcbForSelection=false,nnRandomize=false";
        let config = KatagoConfig::of_overrides(text);
        let expected = [
            "maxVisits=50",
            "rules=japanese",
            "lcbStdevs=0",
            "symmetries=none",
        ];
        assert_eq!(settings_of(&config), expected);
        assert_eq!(config.unused, ["homeDataDir", "numSearchThreads"]);
        let remark = config.remark("-override-config").unwrap();
        assert!(remark.ends_with("does not use homeDataDir, numSearchThreads"));
    }

    #[test]
    fn threads_of_a_search_are_those_of_a_position_in_analysis() {
        let each = "numSearchThreadsPerAnalysisThread";
        for (text, expected) in [
            ("numSearchThreads=8", 8),
            ("numSearchThreads=8,numSearchThreadsPerAnalysisThread=3", 3),
        ] {
            let mut source = KatagoConfig::of_overrides(text).source;
            as_for_analysis(&mut source);
            assert!(source.find("numSearchThreads").is_none());
            let threads = source.find(each).unwrap().text().unwrap();
            assert_eq!(threads, expected.to_string(), "{text}");
        }
    }

    #[test]
    fn single_rules_make_a_rule_set() {
        let text = "koRule=SIMPLE,scoringRule=TERRITORY,taxRule=SEKI,multiStoneSuicideLegal=false";
        let config = KatagoConfig::of_overrides(text);
        let rules = config.source.find("rules").unwrap().read(settings::rules);
        assert_eq!(rules.unwrap().name(), Some("japanese"));
        let wrong = KatagoConfig::of_overrides("koRule=SOMETIMES");
        assert_eq!(wrong.unused, ["koRule"]);
    }

    #[test]
    fn comments_and_quotes_are_taken_off() {
        assert_eq!(uncommented(" a = \"x#y\" # z"), "a = \"x#y\"");
        assert_eq!(unquoted(" \"x y\" "), "x y");
        assert_eq!(uncommented("# a = b"), "");
    }

    #[test]
    fn kind_of_file_is_known_by_name_or_contents() {
        let is = |name: &str, text| is_katago(Path::new(name), text);
        assert!(is("gtp.cfg", "a = 1"));
        assert!(!is("keima.toml", "rules = japanese"));
        assert!(is("config", "# x\nrules = japanese\n@include other\n"));
        assert!(!is("config", "rules = 'japanese'\n"));
        assert!(!is("config", "[section\n"));
    }
}
