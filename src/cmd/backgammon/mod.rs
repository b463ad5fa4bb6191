//! `keima backgammon`: a player for other programs, and learning.

use std::io::{self, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};

use super::board_games::{BackgammonPlayer, serve_backgammon};
use crate::console::tell;
use crate::threads;

mod page;
mod train;

use train::TrainArguments;

/// Pause after a client that could not be served.
const PAUSE: Duration = Duration::from_millis(100);

/// Play backgammon for programs that speak GNU Backgammon's language for external players
///
/// Without --listen it is spoken on stdin and stdout. In GNU Backgammon 'set player 0 external localhost:PORT' makes
/// keima a player.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BackgammonArguments {
    #[command(subcommand)]
    command: Option<BackgammonCommand>,

    /// Port of this machine to listen on; 0 for any that is free, which is told
    #[arg(long, value_name = "PORT")]
    listen: Option<u16>,

    /// Player: net, or linear, with settings as in 'net depth=2'
    #[arg(long, value_name = "PLAYER", default_value = "net")]
    player: String,
}

#[derive(Subcommand)]
enum BackgammonCommand {
    Train(TrainArguments),
}

/// Serves, or learns.
pub fn run(arguments: &BackgammonArguments) -> Result<ExitCode> {
    if let Some(BackgammonCommand::Train(arguments)) = &arguments.command {
        return train::run(arguments);
    }
    let player = BackgammonPlayer::named(&arguments.player)?;
    match arguments.listen {
        Some(port) => listen(port, &player)?,
        None => serve_backgammon(&player, io::stdin().lock(), io::stdout())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Serves any number of clients of this machine, until the program is ended.
fn listen(port: u16, player: &BackgammonPlayer) -> Result<()> {
    let cannot = || format!("cannot listen on port {port}");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).with_context(cannot)?;
    let address = listener.local_addr().with_context(cannot)?;
    tell(format_args!("listening on {address}"));
    for client in listener.incoming() {
        let player = player.clone();
        let started = client.and_then(|client| {
            threads::start(move || {
                // One client's end is not the others'.
                if let Err(error) = serve_client(&client, &player) {
                    tell(format_args!("a client has left: {error:#}"));
                }
            })
        });
        if let Err(error) = started {
            tell(format_args!("a client cannot be served: {error}"));
            thread::sleep(PAUSE);
        }
    }
    Ok(())
}

fn serve_client(client: &TcpStream, player: &BackgammonPlayer) -> Result<()> {
    client.set_nodelay(true)?;
    serve_backgammon(player, BufReader::new(client), client)
}
