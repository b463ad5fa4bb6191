//! Settings as the sources of the configuration make them: a name, a text, and who says so.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::listing::is_option;

/// Who makes a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// An option of the command line, with its dashes.
    Option(String),
    /// A variable of the environment.
    Variable(String),
    /// KataGo's option for lines that replace those of its file.
    Override,
    /// A line of a file, counted from 1.
    Line(PathBuf, usize),
}

impl Origin {
    /// Whether it speaks of every player that is started, so that some have no use for what it says.
    pub fn is_general(&self) -> bool {
        matches!(self, Origin::Line(..) | Origin::Override)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Option(name) | Origin::Variable(name) => f.write_str(name),
            Origin::Override => f.write_str("--override-config"),
            Origin::Line(file, line) => write!(f, "{}:{line}", file.display()),
        }
    }
}

/// An option or a parameter, as a source sets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Who sets it, for messages.
    pub origin: Origin,
    /// That of an option, see [`is_option`], or of a parameter.
    pub name: String,
    /// Its value. Names of files need not be Unicode.
    pub value: OsString,
    /// KataGo's key that it is made by; none outside of KataGo's files and overrides.
    pub key: Option<String>,
}

impl Setting {
    /// Reads `NAME=VALUE`, where the name is that of a parameter.
    pub fn parse(origin: Origin, text: &str) -> Result<Setting> {
        let (name, value) = text
            .split_once('=')
            .with_context(|| format!("'{text}' is not of the form NAME=VALUE"))?;
        let name = name.trim();
        ensure!(
            !is_option(name) || name == "seed",
            "{origin}: {name} is not a parameter; the option is --{name}"
        );
        Ok(Setting::new(origin, name, value.trim()))
    }

    /// A setting by its name.
    pub fn new(origin: Origin, name: &str, value: impl AsRef<OsStr>) -> Setting {
        Setting {
            origin,
            name: name.to_owned(),
            value: value.as_ref().to_owned(),
            key: None,
        }
    }

    /// As [`Setting::new`], by an option of the command line.
    pub fn of_option(option: &str, name: &str, value: impl AsRef<OsStr>) -> Setting {
        Setting::new(Origin::Option(option.to_owned()), name, value)
    }

    /// The value as text.
    pub fn text(&self) -> Result<&str> {
        let text = self.value.to_str();
        text.with_context(|| format!("{}: the value is no text in UTF-8", self.origin))
    }

    /// The value of a type; `T`'s error says what would be one.
    pub fn parsed<T: FromStr<Err = String>>(&self) -> Result<T> {
        self.read(str::parse)
    }

    /// The value as `read` understands it.
    pub fn read<T>(&self, read: impl FnOnce(&str) -> Result<T, String>) -> Result<T> {
        read(self.text()?).map_err(|error| anyhow!("{}: {error}", self.origin))
    }
}

/// What a source says does not hold, whatever sources of lower rank say.
#[derive(Clone, Debug, PartialEq)]
pub struct Removal {
    /// KataGo's key: settings that its other keys make hold.
    pub key: String,
    /// The name of settings that do not hold where no key of KataGo's makes them; none for switches.
    pub name: Option<&'static str>,
}

impl Removal {
    fn concerns(&self, setting: &Setting) -> bool {
        match &setting.key {
            Some(key) => *key == self.key,
            None => self.name.is_some_and(|name| setting.name == name),
        }
    }
}

/// What one source says.
#[derive(Clone, Debug, Default)]
pub struct ConfigSource {
    /// In the source's order; no name twice, see [`ConfigSource::check`].
    pub settings: Vec<Setting>,
    /// Whether it comes from a file of KataGo's, at least in part.
    pub is_katagos: bool,
}

impl ConfigSource {
    /// What the environment says. `variable` looks one up; empty ones say nothing.
    pub fn of_environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<ConfigSource> {
        let given = |name: &str| variable(name).filter(|text| !text.is_empty());
        let mut settings = Vec::new();
        for (variable, name) in [
            ("KEIMA_MODEL", "model"),
            ("KEIMA_MODELS", "models"),
            ("KEIMA_DEVICE", "device"),
            ("KEIMA_PRECISION", "precision"),
            ("KEIMA_THREADS", "numSearchThreads"),
        ] {
            let origin = Origin::Variable(variable.to_owned());
            settings.extend(given(variable).map(|value| Setting::new(origin, name, value)));
        }
        if let Some(list) = given("KEIMA_SET") {
            let list = list.to_str().context("KEIMA_SET is no text in UTF-8")?;
            for text in list.split(',') {
                let origin = Origin::Variable("KEIMA_SET".to_owned());
                settings.push(Setting::parse(origin, text)?);
            }
        }
        Ok(ConfigSource {
            settings,
            is_katagos: false,
        })
    }

    /// Adds what an option of the command line says, if it is given; its name has no dashes here.
    pub fn add(&mut self, name: &str, value: Option<impl Into<OsString>>) {
        self.add_as(name, name, value);
    }

    /// The same of an option that is called otherwise than what it sets.
    pub fn add_as(&mut self, option: &str, name: &str, value: Option<impl Into<OsString>>) {
        let option = format!("--{option}");
        let setting = value.map(|value| Setting::of_option(&option, name, value.into()));
        self.settings.extend(setting);
    }

    /// What it says of a name.
    pub fn find(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.name == name)
    }

    /// Takes out what it says of a name.
    pub fn take(&mut self, name: &str) -> Option<Setting> {
        let place = self.settings.iter().position(|it| it.name == name)?;
        Some(self.settings.remove(place))
    }

    /// Takes out what does not hold.
    pub fn remove(&mut self, removals: &[Removal]) {
        let is_removed = |setting: &Setting| removals.iter().any(|it| it.concerns(setting));
        self.settings.retain(|setting| !is_removed(setting));
    }

    /// This source with what it leaves open as `lower` has it.
    pub fn or(self, lower: ConfigSource) -> ConfigSource {
        let is_open = |setting: &Setting| self.find(&setting.name).is_none();
        let inherited: Vec<Setting> = lower.settings.into_iter().filter(is_open).collect();
        ConfigSource {
            settings: [inherited, self.settings].concat(),
            is_katagos: self.is_katagos || lower.is_katagos,
        }
    }

    /// Nothing may be set twice.
    pub fn check(&self) -> Result<()> {
        match self.set_twice() {
            Some((_, message)) => bail!("{message}"),
            None => Ok(()),
        }
    }

    /// The second setting of what is set twice, with a message.
    pub fn set_twice(&self) -> Option<(&Setting, String)> {
        let pairs = self
            .settings
            .iter()
            .enumerate()
            .filter_map(|(index, setting)| {
                let mut earlier = self.settings[..index].iter();
                Some((earlier.find(|other| other.name == setting.name)?, setting))
            });
        let (first, second) = pairs.into_iter().next()?;
        let message = format!(
            "{} is set twice, by {} and by {}: leave one out",
            second.name, first.origin, second.origin
        );
        Some((second, message))
    }
}
