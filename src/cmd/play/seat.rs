//! Who plays a color, as the command line says it.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;

use crate::cmd::engine_config::value_name;
use crate::cmd::player_arguments::PlayerKind;

/// What a command line of an external engine begins with.
const GTP: &str = "gtp:";

/// Names of those who can play a color, other engines aside.
pub const NAMES: [&str; 7] = [
    "person", "keima", "search", "policy", "value", "rollout", "random",
];

/// Who plays a color.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatChoice {
    /// Somebody at the terminal.
    Person,
    /// The program: a kind of player, or the one that the options and the configuration describe.
    Engine(Option<PlayerKind>),
    /// Another GTP engine, by its command line.
    Gtp(String),
}

impl SeatChoice {
    /// The other seat where only this one was named: an engine's opponent is a person, a person's is keima.
    pub fn default_opponent(&self) -> SeatChoice {
        match self {
            SeatChoice::Person => SeatChoice::Engine(None),
            SeatChoice::Engine(_) | SeatChoice::Gtp(_) => SeatChoice::Person,
        }
    }
}

impl FromStr for SeatChoice {
    type Err = String;

    /// `person`, `keima`, the name of a kind of player (`search` is `puct`), or `gtp:COMMAND`.
    fn from_str(text: &str) -> Result<SeatChoice, String> {
        if let Some(command) = text.strip_prefix(GTP) {
            return match command.trim() {
                "" => Err(
                    "gtp: needs the command line of an engine, as in gtp:gnugo --mode gtp".into(),
                ),
                command => Ok(SeatChoice::Gtp(command.to_owned())),
            };
        }
        match text {
            "person" => Ok(SeatChoice::Person),
            "keima" => Ok(SeatChoice::Engine(None)),
            "search" => Ok(SeatChoice::Engine(Some(PlayerKind::Puct))),
            _ => match PlayerKind::from_str(text, true) {
                Ok(kind) => Ok(SeatChoice::Engine(Some(kind))),
                Err(_) => Err(format!("not {}, or gtp:COMMAND", NAMES.join(", "))),
            },
        }
    }
}

impl fmt::Display for SeatChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeatChoice::Person => f.write_str("person"),
            SeatChoice::Engine(None) => f.write_str("keima"),
            SeatChoice::Engine(Some(PlayerKind::Puct)) => f.write_str("keima (search)"),
            SeatChoice::Engine(Some(kind)) => write!(f, "keima ({})", value_name(kind)),
            SeatChoice::Gtp(command) => f.write_str(command),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_read_by_name() {
        let seat = |text: &str| text.parse::<SeatChoice>();
        assert_eq!(seat("person"), Ok(SeatChoice::Person));
        assert_eq!(seat("search"), seat("puct"));
        let name = seat("search").map(|seat| seat.to_string());
        assert_eq!(name.as_deref(), Ok("keima (search)"));
        assert_eq!(
            seat("random"),
            Ok(SeatChoice::Engine(Some(PlayerKind::Random)))
        );
        assert_eq!(
            seat("gtp: gnugo --mode gtp"),
            Ok(SeatChoice::Gtp("gnugo --mode gtp".to_owned()))
        );
        assert!(seat("gtp:").unwrap_err().contains("command line"));
        assert!(seat("computer").unwrap_err().contains("person"));
    }
}
