//! The command line of `keima serve`.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use anyhow::Result;

use crate::cmd::engine_config::ConfigSource;
use crate::cmd::player_arguments::PlayerArguments;
use crate::cmd::rules_arguments::RulesArguments;

/// Play and analyze in the browser
///
/// Prints the address of a page: games against keima, between two people or of keima against itself, analysis while
/// you step through a game, game records. The address holds a secret, which every request needs; only
/// this machine can reach it unless --listen says otherwise. With RUN it also shows a training run as it goes on.
#[derive(clap::Args, Clone)]
pub struct ServeArguments {
    /// Folders of training runs to show, as keima report does, while they go on
    #[arg(value_name = "RUN")]
    pub runs: Vec<PathBuf>,

    /// Folder of game records that the page may open and add to; it reaches no other files
    #[arg(long, value_name = "FOLDER")]
    pub games: Option<PathBuf>,

    /// Folder in which games are kept from run to run, with the address, so that pages go on after a restart; it is
    /// for this alone
    #[arg(long, value_name = "FOLDER")]
    pub state: Option<PathBuf>,

    /// Address to listen at; 0.0.0.0 lets other machines reach the page, without encryption
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub listen: IpAddr,

    /// Port to listen at; by default a free one, with --state that of the last run
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,

    /// Name by which browsers reach this machine, besides its addresses and localhost
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,

    /// Open the page in the browser, on whose command line other users of this machine can read the address
    #[arg(long)]
    pub open: bool,

    /// Rules and komi.
    #[command(flatten)]
    pub rules: RulesArguments,

    /// How keima finds its moves at full strength.
    #[command(flatten)]
    pub player: PlayerArguments,
}

impl ServeArguments {
    /// The options as a source of the configuration.
    pub(super) fn source(&self) -> Result<ConfigSource> {
        let mut source = self.player.clone().source()?;
        self.rules.add_to(&mut source);
        Ok(source)
    }
}
