//! `keima.toml`: settings by the names they have on the command line. A line says what an option says, or
//! `--set` with a parameter.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Command, FromArgMatches};
use etcetera::BaseStrategy;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::katago::{self, KatagoConfig};
use super::listing::{all_parameters, check_parameter};
use super::setting::{ConfigSource, Origin, Removal, Setting};
use crate::cmd::gtp::GtpArguments;
use crate::files;
use crate::params::unknown_name;

/// The program's folder among those of the user's configuration and data.
const FOLDER: &str = "keima";
/// The file's name there.
const NAME: &str = "keima.toml";
/// Instead of a file: that none is to be read.
const NO_FILE: &str = "none";
/// Options that name networks, or folders of them.
const NETWORKS: [&str; 3] = ["model", "human-model", "models"];
/// Options that make no sense in a file.
const NOT_IN_FILES: [&str; 3] = ["config", "override-config", "set"];

/// The file to read, if any: the one named by `--config`, by KEIMA_CONFIG, or the user's own if it exists.
pub fn location(
    named: Option<OsString>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    let of_environment = || variable("KEIMA_CONFIG").filter(|name| !name.is_empty());
    match named.or_else(of_environment) {
        Some(name) => (name != NO_FILE).then(|| name.into()),
        None => user_file().filter(|path| path.exists()),
    }
}

/// The files to read: several if `--config` names several, otherwise that of [`location`].
pub fn locations(
    mut named: Vec<PathBuf>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Vec<PathBuf> {
    if named.len() > 1 {
        return named;
    }
    let named = named.pop().map(OsString::from);
    location(named, variable).into_iter().collect()
}

/// Files as messages name them.
pub fn names(paths: &[PathBuf]) -> String {
    let names = paths.iter().map(|path| path.display().to_string());
    names.collect::<Vec<_>>().join(", ")
}

/// Where the user's own file is, if it exists; none if the system does not say where such files are.
pub fn user_file() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.config_dir().join(FOLDER).join(NAME))
}

/// The user's own folder of networks.
pub fn user_networks() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.data_dir().join(FOLDER).join("models"))
}

/// Something wrong in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Where, as `keima.toml:3`.
    pub place: Origin,
    /// What, and what would be right.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// What a file says, and what is wrong with it.
#[derive(Clone, Debug, Default)]
pub struct ConfigFile {
    source: ConfigSource,
    /// In the order of reading; what is wrong with several lines together comes last. Those of a file of KataGo's do
    /// not stop the engine, see [`ConfigFile::ignored`].
    pub faults: Vec<Fault>,
    /// A remark on what is not used of a file of KataGo's.
    pub remark: Option<String>,
}

impl ConfigFile {
    /// Reads a file, which may be one of KataGo's. An error if it cannot be read; what is wrong in it is
    /// among the faults.
    pub fn read(path: &Path) -> Result<ConfigFile> {
        ConfigFile::read_all(&[path.to_owned()])
    }

    /// The same for several files, which must be KataGo's: later ones override earlier ones. Without any, nothing is
    /// set.
    pub fn read_all(paths: &[PathBuf]) -> Result<ConfigFile> {
        for path in paths {
            let text = files::read_text(path);
            let text =
                text.with_context(|| format!("cannot use the configuration {}", path.display()))?;
            if !katago::is_katago(path, &text) {
                ensure!(
                    paths.len() == 1,
                    "several --config must all be KataGo's files (.cfg), and {} is not",
                    path.display()
                );
                return Ok(ConfigFile::parse(path, &text));
            }
        }
        let config = KatagoConfig::read(paths)?;
        Ok(ConfigFile {
            remark: config.remark(&names(paths)),
            source: ConfigSource {
                is_katagos: !paths.is_empty(),
                ..config.source
            },
            faults: config.faults,
        })
    }

    /// The same as it is meant for analysis.
    #[must_use]
    pub fn for_analysis(mut self) -> ConfigFile {
        if self.source.is_katagos {
            katago::as_for_analysis(&mut self.source);
        }
        self
    }

    /// Takes out what a source of higher rank says does not hold.
    pub fn remove(&mut self, removals: &[Removal]) {
        self.source.remove(removals);
    }

    /// The contents of a file.
    pub fn parse(path: &Path, text: &str) -> ConfigFile {
        let place = |start: usize| {
            let line = 1 + text[..start.min(text.len())].matches('\n').count();
            Origin::Line(path.to_owned(), line)
        };
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut file = ConfigFile::default();
        for error in errors {
            let start = error.span().map_or(0, |span| span.start);
            file.add_fault(place(start), error.message());
        }
        let mut entries: Vec<_> = table.get_ref().iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let origin = place(key.span().start);
            match setting(key.get_ref(), value) {
                Ok(setting) => {
                    let setting = setting.map(|it| Setting { origin, ..it });
                    file.source.settings.extend(setting);
                }
                Err(error) => file.add_fault(origin, &format!("{error:#}")),
            }
        }
        file.locate_networks(path);
        if let Some((setting, message)) = file.source.set_twice() {
            file.add_fault(setting.origin.clone(), &message);
        }
        file
    }

    /// The faults of a file of KataGo's: values that the engine does without.
    pub fn ignored(&self) -> &[Fault] {
        match self.source.is_katagos {
            true => &self.faults,
            false => &[],
        }
    }

    /// What it says; all its faults as an error, if there are any that are not ignored.
    pub fn source(self) -> Result<ConfigSource> {
        let faults: Vec<String> = self.faults.iter().map(ToString::to_string).collect();
        match faults.is_empty() || self.source.is_katagos {
            true => Ok(self.source),
            false => bail!("{}", faults.join("\n")),
        }
    }

    fn add_fault(&mut self, place: Origin, message: &str) {
        let message = message.replace('\n', " ");
        self.faults.push(Fault { place, message });
    }

    /// Names of files are relative to the folder of the file that they stand in, if they are there.
    fn locate_networks(&mut self, path: &Path) {
        let folder = path.parent().unwrap_or(Path::new(""));
        let settings = self.source.settings.iter_mut();
        for setting in settings.filter(|setting| NETWORKS.contains(&&*setting.name)) {
            let beside = folder.join(&setting.value);
            if beside.exists() {
                setting.value = beside.into();
            }
        }
    }
}

/// The options of the engine, as clap knows them.
pub fn options() -> Command {
    let command = Command::new("keima").no_binary_name(true);
    GtpArguments::augment_args(command).disable_help_flag(true)
}

/// The names of options that may stand in a file.
fn option_names() -> Vec<String> {
    let command = options();
    let names = command.get_arguments().filter_map(|it| it.get_long());
    let names = names.filter(|name| !NOT_IN_FILES.contains(name));
    names.map(str::to_owned).collect()
}

/// The setting of a line; none if an option is left empty.
fn setting(key: &str, value: &Spanned<DeValue>) -> Result<Option<Setting>> {
    let value = text(value.get_ref())?;
    if option_names().iter().any(|option| option == key) {
        if value.is_empty() {
            return Ok(None);
        }
        return of_command_line(&format!("--{key}={value}"));
    }
    let is_known = |name: &str| all_parameters().iter().any(|entry| entry.name == name);
    let setting = of_command_line(&format!("--set={key}={value}"))?;
    match setting {
        Some(setting) if is_known(&setting.name) => {
            check_parameter(&setting)?;
            Ok(Some(setting))
        }
        _ => bail!("{}", unknown_key(key)),
    }
}

/// The setting that an argument makes.
fn of_command_line(argument: &str) -> Result<Option<Setting>> {
    let matches = options().try_get_matches_from([argument]);
    let arguments = matches.and_then(|matches| GtpArguments::from_arg_matches(&matches));
    match arguments {
        Ok(arguments) => Ok(arguments.source()?.settings.pop()),
        Err(error) => {
            let message = error.to_string();
            let message = message.trim_start_matches("error: ");
            let message = message.split("\n\nFor more").next().unwrap_or(message);
            bail!(
                "{}",
                message.split_whitespace().collect::<Vec<_>>().join(" ")
            )
        }
    }
}

/// A value as it would be written on the command line.
fn text(value: &DeValue) -> Result<String> {
    Ok(match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => {
            let value = i128::from_str_radix(number.as_str(), number.radix());
            value.context("the number is too large")?.to_string()
        }
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => bail!("a value is a text in quotes, a number, true or false"),
        DeValue::Array(_) | DeValue::Table(_) => {
            bail!("there are no sections and lists: a line is NAME = VALUE")
        }
    })
}

/// The message about a key that is neither an option nor a parameter.
fn unknown_key(key: &str) -> String {
    let options = option_names();
    let parameters = all_parameters();
    let names = parameters.iter().map(|entry| entry.name);
    unknown_name(key, options.iter().map(String::as_str).chain(names))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn parsed(text: &str) -> ConfigFile {
        ConfigFile::parse(Path::new("k.toml"), text)
    }

    fn faults(text: &str) -> Vec<String> {
        let file = parsed(text);
        file.faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn options_and_parameters_are_understood_by_both_names() {
        let text = "visits = 1_000\ncpuctExploration = 1.5\nponder = false\ncache-mb = 0x10\n\
                    lcbStdevs = 2\nmodel = \"\"\n";
        let source = parsed(text).source().unwrap();
        let settings = source.settings.iter();
        let settings: Vec<String> = settings
            .map(|it| format!("{} {}={}", it.origin, it.name, it.value.display()))
            .collect();
        assert_eq!(
            settings,
            [
                "k.toml:1 maxVisits=1000",
                "k.toml:2 cpuctExploration=1.5",
                "k.toml:3 ponderingEnabled=false",
                "k.toml:4 cache-mb=16",
                "k.toml:5 lcbStdevs=2",
            ]
        );
    }

    #[test]
    fn every_fault_is_named_with_its_line() {
        let text = "visits = 0\n\nmaxVisit = 5\ncashe-mb = 3\n[search]\nx = 1\n";
        let faults = faults(text);
        assert_eq!(faults.len(), 4, "{faults:?}");
        assert!(faults[0].starts_with("k.toml:1: invalid value '0' for '--visits"));
        assert_eq!(
            faults[1],
            "k.toml:3: no parameter is called 'maxVisit'; did you mean maxVisits?"
        );
        assert!(faults[2].ends_with("did you mean cache-mb?"), "{faults:?}");
        assert!(
            faults[3].starts_with("k.toml:5: there are no sections"),
            "{faults:?}"
        );
        let values = self::faults("player = 'go'\ncpuctExploration = -1\nset = 'maxVisits=5'\n");
        assert!(values[0].contains("possible values: puct"), "{values:?}");
        assert!(values[1].ends_with("a number from 0 to 100"), "{values:?}");
        assert!(values[2].starts_with("k.toml:3: no parameter is called 'set'"));
    }

    #[test]
    fn setting_something_by_two_names_is_a_fault() {
        let faults = faults("visits = 5\nmaxVisits = 6\n");
        let expected = "maxVisits is set twice, by k.toml:1 and by k.toml:2: leave one out";
        assert_eq!(faults, [format!("k.toml:2: {expected}")]);
        assert!(self::faults("visits = 5\nvisits = 6\n")[0].starts_with("k.toml:2: duplicate key"));
        assert!(self::faults("visits = \n")[0].starts_with("k.toml:1: "));
    }

    #[test]
    fn file_is_found_by_option_variable_or_folder() {
        let of = |name: &str| Some(OsString::from(name));
        let variable = |_: &str| of("b.toml");
        assert_eq!(location(of("a.toml"), variable), Some("a.toml".into()));
        assert_eq!(location(None, variable), Some("b.toml".into()));
        assert_eq!(location(of("none"), variable), None);
        let several = vec![PathBuf::from("a.cfg"), PathBuf::from("b.cfg")];
        assert_eq!(locations(several.clone(), variable), several);
        assert_eq!(locations(Vec::new(), variable), [Path::new("b.toml")]);
    }

    #[test]
    fn of_several_files_of_katago_later_ones_override() {
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let first = "maxVisits = 5\nmaxTime = 2\nuseLcbForSelection = false\nnoKey = 1\n\
                     koRule = SIMPLE\nscoringRule = AREA\ntaxRule = NONE\n";
        let second = "maxVisits = 9\nuseLcbForSelection = true\nnoKey = 2\nkoRule = POSITIONAL\n";
        let first = written("a.cfg", first);
        let both = [first.clone(), written("b.cfg", second)];
        let file = ConfigFile::read_all(&both).unwrap();
        let unused = format!("{}: keima does not use noKey", names(&both));
        assert_eq!(file.remark, Some(unused));
        let source = file.source().unwrap();
        let value = |name: &str| source.find(name).map(|setting| setting.text().unwrap());
        assert_eq!(value("maxVisits"), Some("9"));
        assert_eq!(value("maxTime"), Some("2"));
        assert_eq!(value("lcbStdevs"), None);
        assert!(value("rules").unwrap().contains("POSITIONAL"));
        let own = [first, written("own.toml", "visits = 5\n")];
        let error = ConfigFile::read_all(&own).unwrap_err().to_string();
        assert!(error.ends_with("own.toml is not"), "{error}");
    }
}
