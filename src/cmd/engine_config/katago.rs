//! KataGo's configuration files, and its option `-override-config`: lines of the form `key = value`, comments
//! after `#`, and `@include FILE`. What keima has too is used, and values that it refuses are faults; the rest is only
//! named, as files written for KataGo speak of much that keima lacks.

mod line;

use std::path::{Path, PathBuf};
use std::slice;

use anyhow::{Context, Error, Result, anyhow, ensure};
use serde_json::{Map, Value};

use self::line::Line;
use super::file::Fault;
use super::listing::{all_parameters, check_parameter};
use super::setting::{ConfigSource, Origin, Removal, Setting};
use super::values::flag;
use crate::cmd::settings;
use crate::files;
use crate::formats::rules_json;
use crate::go::Rules;
use crate::params::SWITCHES;

/// Files that are read, at most: those named and all that they include.
const MOST_FILES: usize = 100;

/// Keys of single rules; [`rules_json`] knows them.
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
    /// What sources of lower rank may not say: by keys of switches that are on here, and by keys that are deleted.
    pub removals: Vec<Removal>,
    /// Values that keima refuses, each once, in the order of reading; that of single rules together comes last.
    pub faults: Vec<Fault>,
    /// Keys that mean nothing here, each once.
    pub unused: Vec<String>,
    /// Single rules, by KataGo's names.
    rules: ConfigSource,
    /// How many files have been read.
    files: usize,
}

/// What a line means.
enum Meaning {
    /// A setting: its name and value.
    Setting(&'static str, String),
    /// That a switch is on, which is so unless an earlier line or a source of lower rank has turned it off.
    On,
    /// A single rule.
    Rule,
    /// Nothing here.
    Nothing,
}

/// What a key stands for.
enum Key {
    /// A single rule.
    Rule,
    /// An option of keima.
    Option(&'static str),
    /// A switch: the parameter that stands for it, with its value where the switch is off.
    Switch(&'static str, &'static str),
    /// A parameter.
    Parameter(&'static str),
}

impl Key {
    /// The key of this name, if keima has it.
    fn find(key: &str) -> Option<Key> {
        if RULES.contains(&key) {
            return Some(Key::Rule);
        }
        if let Some(&(_, name)) = OPTIONS.iter().find(|(katago, _)| *katago == key) {
            return Some(Key::Option(name));
        }
        let mut switches = SWITCHES.iter().chain([&RANDOMIZE]);
        if let Some(&(_, (name, off))) = switches.find(|(switch, _)| *switch == key) {
            return Some(Key::Switch(name, off));
        }
        let mut parameters = all_parameters().into_iter();
        let entry = parameters.find(|it| it.name == key)?;
        Some(Key::Parameter(entry.name))
    }
}

impl KatagoConfig {
    /// Reads files in this order, and those that they include. An error if one cannot be read or includes itself.
    pub fn read(paths: &[PathBuf]) -> Result<KatagoConfig> {
        let mut config = KatagoConfig::default();
        for path in paths {
            config.include(path, &mut Vec::new())?;
        }
        config.use_rules();
        Ok(config)
    }

    /// The value of `-override-config`: `key=value,key=value`, where an empty value deletes the key.
    pub fn of_overrides(text: &str) -> KatagoConfig {
        let mut config = KatagoConfig::default();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            match part.split_once('=') {
                Some((key, value)) if value.trim().is_empty() => config.delete(key.trim()),
                Some((key, value)) => config.add(Origin::Override, key.trim(), value.trim()),
                None => config.leave(part.trim()),
            }
        }
        config.use_rules();
        config
    }

    /// What is not used, for people; none if all is.
    pub fn remark(&self, place: &str) -> Option<String> {
        let unused = self.unused.join(", ");
        (!unused.is_empty()).then(|| format!("{place}: keima does not use {unused}"))
    }

    /// Reads a file that these files include, each the next one.
    fn include(&mut self, path: &Path, including: &mut Vec<PathBuf>) -> Result<()> {
        let cannot = || format!("cannot use the configuration {}", path.display());
        ensure!(
            self.files < MOST_FILES,
            "{}: configurations of more than {MOST_FILES} files are not read",
            path.display()
        );
        let text = files::read_text(path).with_context(cannot)?;
        let canonical = path.canonicalize().with_context(cannot)?;
        ensure!(
            !including.contains(&canonical),
            "{} includes itself",
            path.display()
        );
        self.files += 1;
        including.push(canonical);
        for (index, line) in text.lines().enumerate() {
            let origin = Origin::Line(path.to_owned(), index + 1);
            match Line::parse(line) {
                Line::Empty => {}
                Line::Include(name) => {
                    let beside = path.parent().unwrap_or(Path::new("")).join(name);
                    let included = self.include(&beside, including);
                    included.with_context(|| origin.to_string())?;
                }
                Line::Setting(key, value) => self.add(origin, key, &value),
                Line::Unknown(text) => self.leave(text),
            }
        }
        including.pop();
        Ok(())
    }

    /// Later lines replace earlier ones, as those of an including or a later file do.
    fn add(&mut self, origin: Origin, key: &str, value: &str) {
        match meaning(key, value) {
            Ok(Meaning::Setting(name, value)) => {
                self.source.take(name);
                let setting = Setting::new(origin, name, value);
                let key = Some(key.to_owned());
                self.source.settings.push(Setting { key, ..setting });
            }
            Ok(Meaning::On) => self.remove(key, None),
            Ok(Meaning::Rule) => {
                self.rules.take(key);
                self.rules.settings.push(Setting::new(origin, key, value));
            }
            Ok(Meaning::Nothing) => self.leave(key),
            Err(error) => self.refuse(origin, &error),
        }
    }

    /// Has neither earlier lines nor sources of lower rank set a key. Single rules are only set together, so that
    /// one cannot be deleted.
    fn delete(&mut self, key: &str) {
        match Key::find(key) {
            Some(Key::Option(name) | Key::Parameter(name)) => self.remove(key, Some(name)),
            Some(Key::Switch(..)) => self.remove(key, None),
            Some(Key::Rule) => {
                let error = anyhow!("{key}: single rules are only replaced together");
                self.refuse(Origin::Override, &error);
            }
            None => self.leave(key),
        }
    }

    fn remove(&mut self, key: &str, name: Option<&'static str>) {
        let key = key.to_owned();
        let removal = Removal { key, name };
        self.source.remove(slice::from_ref(&removal));
        self.removals.push(removal);
    }

    /// Notes a fault, also if its line is read twice, once.
    fn refuse(&mut self, place: Origin, error: &Error) {
        let message = format!("{error:#}");
        let fault = Fault { place, message };
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// Notes what means nothing here.
    fn leave(&mut self, name: &str) {
        if !self.unused.iter().any(|other| other == name) {
            self.unused.push(name.to_owned());
        }
    }

    /// Single rules together make a rule set, where none is named.
    fn use_rules(&mut self) {
        let rules = std::mem::take(&mut self.rules).settings;
        let Some(last) = rules.last() else {
            return;
        };
        if self.source.find("rules").is_some() {
            rules.iter().for_each(|rule| self.leave(&rule.name));
            return;
        }
        let value = |rule: &Setting| Value::from(rule.value.to_string_lossy());
        let object: Map<String, Value> = rules
            .iter()
            .map(|rule| (rule.name.clone(), value(rule)))
            .collect();
        let text = Value::Object(object).to_string();
        let origin = last.origin.clone();
        match rules_json::parse(&text) {
            Ok(_) => {
                let setting = Setting::new(origin, "rules", text);
                self.source.settings.push(setting);
            }
            Err(error) => self.refuse(origin, &error),
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
    !matches!(Line::parse(line), Line::Unknown(_))
}

/// What a line means; an error if its value is refused.
fn meaning(key: &str, value: &str) -> Result<Meaning> {
    let of_key = |error: String| anyhow!("{key}: {error}");
    // KataGo reads these in any case.
    let value = match value.to_ascii_lowercase().as_str() {
        "true" => "true",
        "false" => "false",
        _ => value,
    };
    Ok(match Key::find(key) {
        None => Meaning::Nothing,
        Some(Key::Rule) => {
            rules_json::with_rule(&Rules::TROMP_TAYLOR, key, value)?;
            Meaning::Rule
        }
        Some(Key::Option(name)) => {
            let value = of_option(key, name, value).map_err(of_key)?;
            Meaning::Setting(name, value)
        }
        Some(Key::Switch(name, off)) => match flag(value).map_err(of_key)? {
            true => Meaning::On,
            false => Meaning::Setting(name, off.to_owned()),
        },
        Some(Key::Parameter(name)) => {
            check_parameter(&Setting::new(Origin::Override, key, value))?;
            Meaning::Setting(name, value.to_owned())
        }
    })
}

/// The value of an option of keima, given by KataGo's key.
fn of_option(key: &str, name: &str, value: &str) -> Result<String, String> {
    match name {
        "rules" => settings::rules(value).map(|_| ())?,
        "size" => settings::board_size(value).map(|_| ())?,
        "ogs-chat" => flag(value).map(|_| ())?,
        _ if value.is_empty() => return Err("the value is missing".to_owned()),
        _ => {}
    }
    Ok(match key {
        "logDir" => Path::new(value).join(LOG_NAME).display().to_string(),
        _ => value.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn faults_of(config: &KatagoConfig) -> Vec<String> {
        config.faults.iter().map(ToString::to_string).collect()
    }

    fn settings_of(config: &KatagoConfig) -> Vec<String> {
        let settings = config.source.settings.iter();
        let shown = settings.map(|it| format!("{}={}", it.name, it.value.display()));
        shown.collect()
    }

    #[test]
    fn override_uses_what_keima_has_and_names_the_rest() {
        let text = "homeDataDir=/tmp/x, maxVisits=50,numSearchThreads=0,rules=japanese,useLcbForSelection=False,nnRandomize=false";
        let config = KatagoConfig::of_overrides(text);
        let expected = [
            "maxVisits=50",
            "rules=japanese",
            "lcbStdevs=0",
            "symmetries=none",
        ];
        assert_eq!(settings_of(&config), expected);
        assert_eq!(config.unused, ["homeDataDir"]);
        let remark = config.remark("-override-config").unwrap();
        assert!(remark.ends_with("does not use homeDataDir"));
        let faults = faults_of(&config);
        let expected = "--override-config: '0' is no value for numSearchThreads, ";
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].starts_with(expected), "{faults:?}");
    }

    #[test]
    fn refused_values_are_faults_with_key_and_reason() {
        let text = "maxVisits=abc,useUncertainty=maybe,defaultBoardSize=40,rules=lunar,\
                    ogsChatToStderr=1,hasButton=2,scoringRule=TERRITORY,visits=x";
        let config = KatagoConfig::of_overrides(text);
        let faults = faults_of(&config);
        assert_eq!(faults.len(), 6, "{faults:?}");
        for (fault, expected) in faults.iter().zip([
            "'abc' is no value for maxVisits, a whole number from 1 to ",
            "useUncertainty: 'maybe' is neither true nor false",
            "defaultBoardSize: not a board size",
            "rules: unknown rules 'lunar'",
            "ogsChatToStderr: '1' is neither true nor false",
            "unknown value of hasButton: 2",
        ]) {
            let expected = format!("--override-config: {expected}");
            assert!(fault.starts_with(&expected), "{expected}: {fault}");
        }
        assert_eq!(config.unused, ["visits"]);
        let rules = config.source.find("rules").unwrap().text().unwrap();
        assert_eq!(rules, "{\"scoringRule\":\"TERRITORY\"}");
        let both = KatagoConfig::of_overrides("hasButton=true,scoringRule=TERRITORY");
        let expected = "--override-config: hasButton needs scoring AREA";
        assert_eq!(faults_of(&both), [expected]);
    }

    #[test]
    fn overrides_without_value_delete_keys() {
        let text = "maxVisits=5,maxVisits=,useUncertainty= ,useNoisePruning=true,logFile=,\
                    koRule=,noKey=";
        let config = KatagoConfig::of_overrides(text);
        assert!(settings_of(&config).is_empty());
        let removals = config.removals.iter().map(|it| (&*it.key, it.name));
        let expected = [
            ("maxVisits", Some("maxVisits")),
            ("useUncertainty", None),
            ("useNoisePruning", None),
            ("logFile", Some("log")),
        ];
        assert_eq!(removals.collect::<Vec<_>>(), expected);
        assert_eq!(config.unused, ["noKey"]);
        let expected = "--override-config: koRule: single rules are only replaced together";
        assert_eq!(faults_of(&config), [expected]);
    }

    #[test]
    fn removals_concern_only_what_their_own_key_has_set() {
        let overrides = KatagoConfig::of_overrides("useLcbForSelection=true,maxTime=,logDir=");
        for (text, expected) in [
            ("maxTime=3,maxVisits=5", "maxVisits=5"),
            ("useLcbForSelection=false,maxVisits=5", "maxVisits=5"),
            ("lcbStdevs=0", "lcbStdevs=0"),
            ("logFile=foo.log,logDir=", "log=foo.log"),
        ] {
            let mut config = KatagoConfig::of_overrides(text);
            config.source.remove(&overrides.removals);
            assert_eq!(settings_of(&config), [expected]);
        }
    }

    #[test]
    fn values_at_katagos_limits_are_no_faults() {
        let text = "maxTime=0.0,maxTimePondering=0,numVirtualLossesPerThread=1000,\
                    endgameTurnTimeDecay=0,cpuctUtilityStdevPrior=1e-8,\
                    cpuctUtilityStdevPriorWeight=0,chosenMovePrune=1e10,\
                    chosenMoveSubtract=1e10,nnPolicyTemperature=0.01,\
                    fpuParentWeightByVisitedPolicyPow=2.0";
        let config = KatagoConfig::of_overrides(text);
        assert_eq!(config.faults, []);
        assert_eq!(config.source.settings.len(), 10);
    }

    /// Writes files and reads the first as a configuration.
    fn read(files: &[(&str, &str)]) -> Result<KatagoConfig> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        KatagoConfig::read(&[folder.path().join(files[0].0)])
    }

    #[test]
    fn included_files_must_be_there_and_end() {
        let error = |files: &[(&str, &str)]| format!("{:#}", read(files).unwrap_err());
        let missing = error(&[("a.cfg", "maxVisits = 5\n@include b.cfg\n")]);
        assert!(missing.contains("a.cfg:2: cannot use"), "{missing}");
        assert!(missing.contains("cannot read"), "{missing}");
        let own = error(&[("a.cfg", "@include b.cfg\n"), ("b.cfg", "@include a.cfg")]);
        assert!(own.contains("a.cfg:1: ") && own.contains("b.cfg:1: "));
        assert!(own.ends_with("a.cfg includes itself"), "{own}");
        let names: Vec<String> = (0..8).map(|number| format!("{number}.cfg")).collect();
        let texts: Vec<String> = names[1..]
            .iter()
            .map(|next| format!("@include {next}\n").repeat(2))
            .chain(["maxVisits = 5\n".to_owned()])
            .collect();
        let files = names.iter().zip(&texts);
        let files: Vec<(&str, &str)> = files.map(|(name, text)| (&**name, &**text)).collect();
        let many = error(&files);
        assert!(many.contains("more than 100 files"), "{many}");
        // Twice is not within itself.
        let config = read(&files[4..]).unwrap();
        assert_eq!(settings_of(&config), ["maxVisits=5"]);
        for line in ["@include 'b.cfg'", "@include = b.cfg", "@include=b.cfg"] {
            let config = read(&[("a.cfg", line), ("b.cfg", "maxVisits = 5\n")]).unwrap();
            assert_eq!(settings_of(&config), ["maxVisits=5"], "{line}");
        }
        let other = read(&[("a.cfg", "@includes b.cfg\n@include =\n")]).unwrap();
        assert_eq!(other.unused, ["@includes b.cfg", "@include"]);
    }

    #[test]
    fn faults_and_unused_names_are_those_of_all_files() {
        let first = "maxVisits = 0\nnoKey = 1\n@include b.cfg\n@include b.cfg\nnoKey = 2\n";
        let second = "noKey = 1\nother\nlogFile =\n";
        let config = read(&[("a.cfg", first), ("b.cfg", second)]).unwrap();
        assert_eq!(config.unused, ["noKey", "other"]);
        let faults = faults_of(&config);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].contains("a.cfg:1: '0' is no value"));
        assert!(faults[1].ends_with("b.cfg:3: logFile: the value is missing"));
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
        let named = KatagoConfig::of_overrides("koRule=SIMPLE,rules=chinese");
        assert_eq!(settings_of(&named), ["rules=chinese"]);
        assert_eq!(named.unused, ["koRule"]);
        let quoted = r#"rules = "{\"ko\":\"SIMPLE\",\"scoring\":\"AREA\"}""#;
        let quoted = read(&[("a.cfg", quoted)]).unwrap();
        let expected = [r#"rules={"ko":"SIMPLE","scoring":"AREA"}"#];
        assert_eq!(settings_of(&quoted), expected);
        assert_eq!(quoted.faults, []);
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
