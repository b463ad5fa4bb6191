//! `keima dxp`: draughts against other programs over a network.

use std::io::BufReader;
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{Args, value_parser};

use super::board_games::dxp::{GameRequest, PORT, Played, Session, Told};
use super::board_games::{Draughts, DraughtsEvaluation, table_memory};
use crate::console::{say, tell};
use crate::games::board_game::BoardGame;
use crate::games::record::Details;
use crate::memory;
use crate::minimax::{Engine, Limits};

/// The name that other programs are told.
const NAME: &str = "keima";
/// How long a connection may be silent until it is given up, longer than anybody thinks about a move.
const LONGEST_SILENCE: Duration = Duration::from_secs(3600);
/// Pause after a connection that failed.
const PAUSE: Duration = Duration::from_millis(100);
/// Largest table in MiB.
const TABLE_MIB: usize = 64;

/// Play international draughts against other programs over DXP (DamExchange)
///
/// With --connect it asks the program there for games, as White and Black in turn; else it waits for programs that ask.
/// Moves go to stderr, the record of each game (PDN) to stdout, even where a connection breaks.
#[derive(Args)]
pub struct DxpArguments {
    /// Ask the program at this host for games
    #[arg(long, value_name = "HOST")]
    pub connect: Option<String>,

    /// Wait for programs at this address; from other machines with 0.0.0.0
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1",
        conflicts_with = "connect"
    )]
    pub listen: String,

    /// Port
    #[arg(long, default_value_t = PORT)]
    pub port: u16,

    /// Games to ask for
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..), requires = "connect")]
    pub games: u32,

    /// Color of this program in the first game it asks for
    #[arg(long = "as", value_name = "COLOR", default_value = "white", value_parser = ["white", "black"], requires = "connect")]
    pub color: String,

    /// Minutes of each player for --moves moves; 0, with --nodes, for a game without time
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = value_parser!(u16).range(0..=999), requires = "connect")]
    pub minutes: u16,

    /// Moves for which --minutes last; 0 for the whole game
    #[arg(long, value_name = "N", default_value_t = 75, value_parser = value_parser!(u16).range(0..=999), requires = "connect")]
    pub moves: u16,

    /// Where games begin (FEN); by default the initial position
    #[arg(long, value_name = "FEN", requires = "connect")]
    pub position: Option<String>,

    /// Nodes for each move, instead of the game's time
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,

    /// Search threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..=256))]
    pub threads: u16,
}

/// Plays the games asked for, or those of programs that connect until it is interrupted.
pub fn run(arguments: &DxpArguments) -> Result<ExitCode> {
    match &arguments.connect {
        Some(host) => arguments.ask(host)?,
        None => arguments.wait()?,
    }
    Ok(ExitCode::SUCCESS)
}

impl DxpArguments {
    fn ask(&self, host: &str) -> Result<()> {
        ensure!(
            self.minutes > 0 || self.nodes.is_some(),
            "without minutes nothing says how long to search: say --nodes"
        );
        let start = match &self.position {
            Some(text) => Draughts::read(None, text)?,
            None => Draughts::initial(None)?,
        };
        let stream = TcpStream::connect((host, self.port));
        let stream = stream.with_context(|| {
            format!(
                "no program answers at {host}, port {}: is it listening?",
                self.port
            )
        })?;
        self.with_session(&stream, |session| {
            for game in 0..self.games {
                let request = GameRequest {
                    name: NAME.to_owned(),
                    follower_is_white: (self.color == "black") == (game % 2 == 0),
                    minutes: self.minutes,
                    moves: self.moves,
                    start: start.clone(),
                };
                if session.initiate(&request, &mut print)? {
                    let (played, games) = (game + 1, self.games);
                    if played < games {
                        tell(format_args!(
                            "the other program plays no more, after {played} of {games} games"
                        ));
                    }
                    return Ok(());
                }
            }
            session.part()
        })
    }

    fn wait(&self) -> Result<()> {
        let address = (self.listen.as_str(), self.port);
        let listener = TcpListener::bind(address).with_context(|| {
            let (address, port) = address;
            format!("cannot listen at {address}, port {port}: choose another with --port")
        })?;
        tell(format_args!(
            "waiting for draughts programs at {}",
            listener.local_addr()?
        ));
        for stream in listener.incoming() {
            // The next program may do better.
            let stream = match stream {
                Ok(stream) => stream,
                Err(error) => {
                    tell(format_args!("a connection failed: {error}"));
                    thread::sleep(PAUSE);
                    continue;
                }
            };
            if let Err(error) = self.with_session(&stream, |session| session.follow(&mut print)) {
                tell(format_args!("the connection ends: {error:#}"));
            }
        }
        Ok(())
    }

    fn with_session(
        &self,
        stream: &TcpStream,
        play: impl FnOnce(&mut Session<BufReader<TcpStream>, TcpStream>) -> Result<()>,
    ) -> Result<()> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(LONGEST_SILENCE))?;
        let memory = table_memory(memory::available()).min(TABLE_MIB);
        let mut engine = Engine::new(DraughtsEvaluation::default(), memory);
        engine.threads = self.threads.into();
        play(&mut Session {
            input: BufReader::new(stream.try_clone()?),
            output: stream.try_clone()?,
            name: NAME,
            engine,
            limits: Limits {
                nodes: self.nodes,
                ..Limits::default()
            },
            tell: &mut |told| match told {
                Told::Move(position, mv, is_ours) => {
                    let whose = if is_ours { "" } else { " (opponent)" };
                    tell(format_args!("{}{whose}", position.move_text(mv)));
                }
                Told::Chat(text) => tell(format_args!("opponent says: {}", text.escape_debug())),
            },
        })
    }
}

/// Prints the record of a game.
fn print(played: &Played) -> Result<()> {
    let mut names = [NAME, &played.opponent];
    if !played.is_white {
        names.reverse();
    }
    let details = Details {
        event: "DXP".to_owned(),
        white: names[0].to_owned(),
        black: names[1].to_owned(),
        ..Details::default()
    };
    let record = Draughts::write_record(
        Draughts::RECORDS,
        &played.start,
        &played.moves,
        played.result,
        &details,
    );
    say(format_args!("{record}"))
}
