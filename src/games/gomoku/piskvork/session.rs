//! A session: the board, what the manager has set, and the search in progress.

use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::super::board::Point;
use super::super::notation::{numbers, pair_text, parse_pair};
use super::super::position::GomokuPosition;
use super::super::rule::{Color, LARGEST, Rule, Variant};
use super::clock::Settings;
use super::game::Game;
use super::swap;
use super::think::{Thought, think};
use crate::games::background::{Output, Running, SearchKind};
use crate::games::chooser::Chooser;
use crate::input_lines::next_line;
use crate::minimax::{Limits, Position};
use crate::threads::locked;

/// Longest list of stones that is kept.
const MOST_LINES: usize = LARGEST * LARGEST;
/// What is said where there is no board.
const NO_BOARD: &str = "there is no board: send START first";

/// What the program tells of itself, and how it plays.
#[derive(Clone, Debug)]
pub struct Host {
    /// Version for `ABOUT`.
    pub version: String,
    /// Rule until the manager sends one.
    pub rule: Rule,
    /// Nodes of each search, instead of time.
    pub nodes: Option<u64>,
    /// Whether to send a line about each search.
    pub messages: bool,
}

/// Serves a manager until `END` or the end of the input; an output that fails is an error. A search that is running
/// then is given up, unless it has a number of nodes and the input has just ended.
pub fn serve(
    host: Host,
    chooser: Box<dyn Chooser<GomokuPosition>>,
    mut input: impl BufRead,
    output: impl Write + Send + 'static,
) -> Result<()> {
    let counts_nodes = host.nodes.is_some();
    let mut session = Session::new(host, chooser, output);
    while let Some(line) = next_line(&mut input).context("cannot read")? {
        match line.text() {
            Ok(line) if line.eq_ignore_ascii_case("END") => {
                session.is_silent.store(true, Ordering::Relaxed);
                session.stop_search();
                return Ok(());
            }
            Ok(line) => session.obey(&line)?,
            Err(error) => session.output.say(&format!("ERROR {error}"))?,
        }
    }
    match counts_nodes {
        true => session.finish_search(),
        false => session.stop_search(),
    }
    Ok(())
}

struct Session<W> {
    host: Host,
    output: Output<W>,
    settings: Settings,
    game: Option<Game>,
    /// Stones that are being listed.
    listed: Option<Listed>,
    chooser: Arc<Mutex<Box<dyn Chooser<GomokuPosition>>>>,
    /// MiB that it may use.
    memory: usize,
    running: Running,
    /// Where the search leaves its move.
    found: Arc<Mutex<Found>>,
    /// No answer is wanted any more.
    is_silent: Arc<AtomicBool>,
    /// Openings that were given for Swap2.
    swaps: usize,
    /// Time of all moves of the game.
    used: Duration,
}

/// A list of stones that ends with `DONE`.
struct Listed {
    is_swap: bool,
    lines: Vec<String>,
}

impl<W: Write + Send + 'static> Session<W> {
    fn new(host: Host, mut chooser: Box<dyn Chooser<GomokuPosition>>, output: W) -> Session<W> {
        let memory = Settings::default().memory(chooser.most_mib());
        chooser.resize(memory);
        Session {
            host,
            output: Output::new(output),
            settings: Settings::default(),
            game: None,
            listed: None,
            chooser: Arc::new(Mutex::new(chooser)),
            memory,
            running: Running::default(),
            found: Arc::default(),
            is_silent: Arc::default(),
            swaps: 0,
            used: Duration::ZERO,
        }
    }

    /// Answers a line.
    fn obey(&mut self, line: &str) -> Result<()> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (word, rest) = (word.to_ascii_uppercase(), rest.trim());
        if self.listed.is_some() {
            return self.list(line);
        }
        match word.as_str() {
            "" => return Ok(()),
            // May come while a move is being searched.
            "INFO" => {
                let (key, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                self.settings.note(key, value);
                self.hurry_if_asked();
                return Ok(());
            }
            _ => self.finish_search(),
        }
        let done = match word.as_str() {
            "ABOUT" => return self.introduce(),
            "START" => self.start(rest),
            "RECTSTART" => self.start_rectangle(rest),
            "RESTART" => self.restart(),
            "BEGIN" => self.begin(),
            "TURN" => self.turn(rest),
            "TAKEBACK" => self.take_back(rest),
            "BOARD" | "SWAP2BOARD" => {
                self.listed = Some(Listed {
                    is_swap: word == "SWAP2BOARD",
                    lines: Vec::new(),
                });
                Ok(())
            }
            "PLAY" => Err(anyhow::anyhow!("no move was suggested")),
            _ => {
                let word: String = word.chars().filter(|c| !c.is_control()).take(40).collect();
                return Ok(self.output.say(&format!("UNKNOWN no command '{word}'"))?);
            }
        };
        self.report(done)
    }

    /// Tells an error.
    fn report(&self, done: Result<()>) -> Result<()> {
        match done {
            Ok(()) => Ok(()),
            Err(error) => {
                let text = one_line(&format!("{error:#}"));
                Ok(self.output.say(&format!("ERROR {text}"))?)
            }
        }
    }

    fn ok(&self) -> Result<()> {
        Ok(self.output.say("OK")?)
    }

    fn introduce(&self) -> Result<()> {
        let version = &self.host.version;
        Ok(self.output.say(&format!(
            "name=\"keima\", version=\"{version}\", author=\"the keima developers\", country=\"-\""
        ))?)
    }

    /// The rule that is set, or an error that says why it cannot be played.
    fn rule(&self) -> Result<Rule> {
        match self.settings.rule {
            None => Ok(self.host.rule),
            Some(number) => Rule::numbered(number).with_context(|| {
                format!("INFO rule: {number} is not played; 0 is freestyle, 1 standard, 4 renju, 8 and 9 caro")
            }),
        }
    }

    fn start(&mut self, text: &str) -> Result<()> {
        let side = text
            .parse()
            .ok()
            .with_context(|| format!("'{text}' is no size of a board"))?;
        self.set_up(side, side)
    }

    fn start_rectangle(&mut self, text: &str) -> Result<()> {
        let [width, height] = numbers(text)?;
        self.set_up(width, height)
    }

    /// An unusable rule is told later, when it matters.
    fn set_up(&mut self, width: usize, height: usize) -> Result<()> {
        let variant = Variant::new(self.rule().unwrap_or(self.host.rule), width, height)?;
        self.game = Some(Game::new(GomokuPosition::start(variant)));
        self.forget();
        self.ok()
    }

    /// The stones of the game before need not be possible under a rule that has been set since.
    fn restart(&mut self) -> Result<()> {
        let Variant { width, height, .. } = self.started()?.position.variant();
        self.set_up(width, height)
    }

    /// The game as it was played so far, perhaps under another rule than is set now.
    fn started(&self) -> Result<&Game> {
        self.game.as_ref().context(NO_BOARD)
    }

    /// The size of the board with the rule that is set. What was found under another rule is forgotten.
    fn variant(&self) -> Result<Variant> {
        let played = self.started()?.position.variant();
        let variant = Variant {
            rule: self.rule()?,
            ..played
        };
        if variant != played {
            locked(&self.chooser).forget();
        }
        Ok(variant)
    }

    /// A new game begins.
    fn forget(&mut self) {
        locked(&self.chooser).forget();
        self.used = Duration::ZERO;
    }

    /// The game under the rule that is set.
    fn game(&mut self) -> Result<&mut Game> {
        let rule = self.rule();
        let game = self.game.as_mut().context(NO_BOARD)?;
        if game.follow(rule?)? {
            locked(&self.chooser).forget();
        }
        Ok(game)
    }

    fn begin(&mut self) -> Result<()> {
        let game = self.game()?;
        ensure!(game.moves.is_empty(), "there are stones on the board");
        self.think()
    }

    fn turn(&mut self, text: &str) -> Result<()> {
        let game = self.game()?;
        let point = parse_pair(game.position.variant(), text)?;
        game.position.check(point)?;
        game.play(point);
        self.think()
    }

    fn take_back(&mut self, text: &str) -> Result<()> {
        let game = self.game()?;
        let point = parse_pair(game.position.variant(), text)?;
        ensure!(game.undo(point), "{text} is not the last move");
        self.ok()
    }

    /// A line of a list.
    fn list(&mut self, line: &str) -> Result<()> {
        let Some(listed) = &mut self.listed else {
            return Ok(());
        };
        if !line.eq_ignore_ascii_case("DONE") {
            if !line.is_empty() && listed.lines.len() <= MOST_LINES {
                listed.lines.push(line.to_owned());
            }
            return Ok(());
        }
        let Some(Listed { is_swap, lines }) = self.listed.take() else {
            return Ok(());
        };
        let done = match is_swap {
            true => self.swap(&lines),
            false => self.set_board(&lines),
        };
        self.report(done)
    }

    fn set_board(&mut self, lines: &[String]) -> Result<()> {
        let variant = self.variant()?;
        self.game = Some(Game::listed(variant, lines)?);
        self.think()
    }

    fn swap(&mut self, lines: &[String]) -> Result<()> {
        let variant = self.variant()?;
        let points = lines.iter().map(|line| parse_pair(variant, line));
        let points: Vec<Point> = points.collect::<Result<_>>()?;
        let colors = Color::BOTH.into_iter().cycle();
        let stones: Vec<(Point, Color)> = points.iter().copied().zip(colors).collect();
        let position = GomokuPosition::with_stones(variant, &stones)?;
        match points.len() {
            0 => {
                let opening = swap::opening(variant, self.swaps)?;
                self.swaps += 1;
                Ok(self.output.say(&opening)?)
            }
            3 | 5 => self.search(position, swap::answer),
            number => bail!("SWAP2BOARD has 0, 3 or 5 stones, not {number}"),
        }
    }

    /// Searches a move, which is played on the board.
    fn think(&mut self) -> Result<()> {
        let position = self.game()?.position.clone();
        ensure!(
            position.winner().is_none() && !position.board().is_full(),
            "the game is over"
        );
        ensure!(position.has_moves(), "only forbidden points are left");
        self.search(position, |position, thought| {
            let variant = position.variant();
            thought
                .mv
                .map(|point| (pair_text(variant, point), Some(point)))
        })
    }

    /// Searches a position on a thread of its own; `answer` makes of the result a line, and the move to be played on the
    /// board.
    fn search(
        &mut self,
        position: GomokuPosition,
        answer: impl Fn(&GomokuPosition, &Thought) -> Option<(String, Option<Point>)> + Send + 'static,
    ) -> Result<()> {
        let memory = {
            let mut chooser = locked(&self.chooser);
            let memory = self.settings.memory(chooser.most_mib());
            if memory != self.memory {
                chooser.resize(memory);
            }
            memory
        };
        self.memory = memory;
        let limits = match (self.host.nodes, self.settings.move_time(self.used)) {
            (None, Some(time)) => Limits {
                time: Some(time),
                ..Limits::default()
            },
            (nodes, _) => Limits {
                nodes: nodes.or_else(|| Some(locked(&self.chooser).nodes_at_once())),
                ..Limits::default()
            },
        };
        let (chooser, output) = (Arc::clone(&self.chooser), self.output.clone());
        let (found, is_silent) = (Arc::clone(&self.found), Arc::clone(&self.is_silent));
        let messages = self.host.messages;
        let began = Instant::now();
        let started = self.running.start(SearchKind::default(), move |ongoing| {
            let control = &ongoing.control;
            let thought = think(&mut **locked(&chooser), &position, &limits, control);
            if is_silent.load(Ordering::Relaxed) {
                return;
            }
            let mut message = String::new();
            let (text, point) = match thought {
                Ok(thought) => {
                    if messages {
                        message = format!("MESSAGE {}\n", thought.remark);
                    }
                    answer(&position, &thought)
                        .unwrap_or_else(|| ("ERROR there is no legal move".to_owned(), None))
                }
                Err(error) => (format!("ERROR {}", one_line(&format!("{error:#}"))), None),
            };
            *locked(&found) = Found {
                point,
                time: began.elapsed(),
            };
            // The manager is gone if this fails, which ends the session as well.
            output.say(&format!("{message}{text}")).unwrap_or_default();
        });
        started.context("cannot start a search")
    }

    /// Waits for the answer of the search in progress and plays it.
    fn finish_search(&mut self) {
        self.running.finish();
        self.play_found();
    }

    /// Has the search in progress answer if the manager has just set a time of zero, as Piskvork does where its user is
    /// tired of waiting.
    fn hurry_if_asked(&self) {
        let is_timed = self.host.nodes.is_none();
        if is_timed && self.settings.move_time(self.used).is_none() {
            self.running.hurry();
        }
    }

    /// Ends the search in progress, which gives its answer at once.
    fn stop_search(&mut self) {
        self.running.stop();
        self.play_found();
    }

    /// Plays what a search that has ended has found, if one has.
    fn play_found(&mut self) {
        let Found { point, time } = std::mem::take(&mut *locked(&self.found));
        self.used += time;
        if let (Some(point), Some(game)) = (point, &mut self.game) {
            game.play(point);
        }
    }
}

/// What a search has found, and the time that it took; nothing if it was given up.
#[derive(Default)]
struct Found {
    point: Option<Point>,
    time: Duration,
}

/// Text without what would begin another line.
fn one_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}
