//! Messages as they travel.

use std::io::{BufRead, Read, Write};

use anyhow::{Context, Result, bail, ensure};

use super::super::board::each;
use super::super::hub;
use super::super::position::{DraughtsMove, DraughtsPosition};
use super::super::variant::Variant;
use crate::minimax::{Position, Wanted};

/// Longest message in characters.
const LONGEST: usize = 127;
/// Characters of a name.
const NAME: usize = 32;
/// Squares of the board.
const SQUARES: usize = 50;
/// Most minutes, and most moves, that a request can name.
const MOST: u16 = 999;

/// What the initiator wants to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRequest {
    /// The initiator's name.
    pub name: String,
    /// Whether the follower has White.
    pub follower_is_white: bool,
    /// Minutes for each player for as many moves as follow.
    pub minutes: u16,
    /// Moves in that time.
    pub moves: u16,
    /// Where the game begins.
    pub start: DraughtsPosition,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// `R`: a game is asked for.
    Request(Box<GameRequest>),
    /// `A`: the answer of the follower with its name; 0 accepts.
    Accept {
        /// The follower's name.
        name: String,
        /// 0, or a number for the reason against it.
        code: u8,
    },
    /// `M`: a move.
    Move {
        /// Seconds that it took.
        seconds: u32,
        /// Square it starts from.
        from: u8,
        /// Square it ends on.
        to: u8,
        /// Squares of the captured pieces.
        captured: Vec<u8>,
    },
    /// `E`: the game ends, or that is confirmed.
    End {
        /// 0: for an unknown reason, 1: the sender has lost, 2: a draw, 3: the sender has won.
        reason: u8,
        /// Whether the connection ends as well.
        is_last: bool,
    },
    /// `C`: words for people.
    Chat(String),
    /// `B`: the other side wants moves back.
    Back,
    /// `K`: the answer to that: 0 yes, 1 not possible, 2 no.
    BackAnswer(u8),
}

impl Message {
    /// Reads the next message; none at the end of the connection.
    pub fn receive(input: &mut impl BufRead) -> Result<Option<Message>> {
        let mut bytes = Vec::new();
        let most = LONGEST as u64 + 1;
        input
            .take(most)
            .read_until(0, &mut bytes)
            .context("the connection broke")?;
        if bytes.is_empty() {
            return Ok(None);
        }
        ensure!(
            bytes.pop() == Some(0),
            "a message has more than {LONGEST} characters, or its end is missing"
        );
        // Names may have any encoding, and fields are counted in bytes.
        if bytes.first() != Some(&b'C') {
            let foreign = bytes.iter_mut().filter(|byte| !byte.is_ascii());
            foreign.for_each(|byte| *byte = b'?');
        }
        Message::parse(&String::from_utf8_lossy(&bytes)).map(Some)
    }

    /// Sends the message.
    pub fn send(&self, output: &mut impl Write) -> Result<()> {
        let mut bytes = self.text().into_bytes();
        bytes.truncate(LONGEST);
        bytes.push(0);
        let sent = output.write_all(&bytes).and_then(|()| output.flush());
        sent.context("the connection broke")
    }

    /// Reads a message without its zero byte.
    pub fn parse(text: &str) -> Result<Message> {
        let unclear = || format!("'{}' is no message of DXP", text.escape_debug());
        // What people write to each other may be anything.
        ensure!(text.starts_with('C') || text.is_ascii(), unclear());
        let mut fields = Fields(text);
        let message = match fields.take(1).with_context(unclear)? {
            "R" => fields.request().map(|it| Message::Request(Box::new(it))),
            "A" => fields.accept(),
            "M" => fields.mv(),
            "E" => fields.end(),
            "C" => Ok(Message::Chat(fields.0.to_owned())),
            "B" => Ok(Message::Back),
            "K" => fields.number(1).map(|code| Message::BackAnswer(code as u8)),
            _ => bail!(unclear()),
        };
        message.with_context(unclear)
    }

    /// The message without its zero byte.
    pub fn text(&self) -> String {
        match self {
            Message::Request(request) => request.text(),
            Message::Accept { name, code } => format!("A{}{code}", padded(name)),
            Message::Move {
                seconds,
                from,
                to,
                captured,
            } => {
                let squares = captured.iter().map(|square| format!("{square:02}"));
                let (time, count) = ((*seconds).min(9999), captured.len());
                format!(
                    "M{time:04}{from:02}{to:02}{count:02}{}",
                    squares.collect::<String>()
                )
            }
            Message::End { reason, is_last } => format!("E{reason}{}", u8::from(*is_last)),
            Message::Chat(text) => format!("C{text}"),
            Message::Back => "B000W".to_owned(),
            Message::BackAnswer(code) => format!("K{code}"),
        }
    }

    /// A move that took so many seconds.
    pub fn of_move(position: &DraughtsPosition, mv: DraughtsMove, seconds: u32) -> Message {
        let number = |square| position.layout().number(square) as u8;
        let mut captured: Vec<u8> = each(mv.captured).map(number).collect();
        captured.sort_unstable();
        Message::Move {
            seconds,
            from: number(mv.from),
            to: number(mv.to),
            captured,
        }
    }
}

/// The legal move that a message means; captured squares may be in any order.
pub(super) fn legal_move(
    position: &DraughtsPosition,
    [from, to]: [u8; 2],
    captured: &[u8],
) -> Option<DraughtsMove> {
    let square = |number: u8| position.layout().square(number.into());
    let (from, to) = (square(from)?, square(to)?);
    let captured = captured
        .iter()
        .try_fold(0, |all, &number| Some(all | square(number)?))?;
    let mut moves = Vec::new();
    position.moves(Wanted::All, &mut moves);
    moves
        .into_iter()
        .find(|mv| (mv.from, mv.to, mv.captured) == (from, to, captured))
}

impl GameRequest {
    fn text(&self) -> String {
        let color = color(self.follower_is_white);
        let (minutes, moves) = (self.minutes.min(MOST), self.moves.min(MOST));
        let mut text = format!("R01{}{color}{minutes:03}{moves:03}", padded(&self.name));
        if self.start == DraughtsPosition::start(self.start.variant()) {
            text.push('A');
            return text;
        }
        text.push('B');
        text.push(color_of(&self.start));
        let squares = hub::position_text(&self.start);
        text.extend(squares.chars().skip(1).map(from_hub));
        text
    }
}

fn color(is_white: bool) -> char {
    if is_white { 'W' } else { 'Z' }
}

fn color_of(position: &DraughtsPosition) -> char {
    color(position.white_moves())
}

/// Black is *zwart* here, and `b` there.
fn from_hub(letter: char) -> char {
    match letter {
        'b' => 'z',
        'B' => 'Z',
        other => other,
    }
}

fn to_hub(letter: char) -> char {
    match letter {
        'z' => 'b',
        'Z' => 'B',
        other => other,
    }
}

/// A name as long as the protocol wants it.
fn padded(name: &str) -> String {
    let ascii = |c: char| if c.is_ascii_graphic() { c } else { ' ' };
    let name: String = name.chars().map(ascii).take(NAME).collect();
    format!("{name:<NAME$}")
}

/// What is left of a message.
struct Fields<'a>(&'a str);

impl<'a> Fields<'a> {
    fn take(&mut self, length: usize) -> Result<&'a str> {
        let field = self.0.get(..length).context("it is too short")?;
        self.0 = &self.0[length..];
        Ok(field)
    }

    fn number(&mut self, digits: usize) -> Result<u32> {
        let field = self.take(digits)?;
        // Some programs fill up with blanks.
        let number = field.trim_start().parse();
        number.with_context(|| format!("'{field}' is no number"))
    }

    fn is_white(&mut self) -> Result<bool> {
        match self.take(1)? {
            "W" => Ok(true),
            "Z" => Ok(false),
            other => bail!("'{other}' is neither W nor Z"),
        }
    }

    fn request(&mut self) -> Result<GameRequest> {
        let version = self.take(2)?;
        ensure!(version == "01", "its version is {version}, not 01");
        let name = self.take(NAME)?.trim().to_owned();
        let follower_is_white = self.is_white()?;
        let (minutes, moves) = (self.number(3)? as u16, self.number(3)? as u16);
        let variant = Variant::named(None)?;
        let start = match self.take(1)? {
            "A" => DraughtsPosition::start(variant),
            "B" => {
                let mover = if self.is_white()? { 'W' } else { 'B' };
                let squares = self.take(SQUARES)?.chars().map(to_hub);
                let text: String = [mover].into_iter().chain(squares).collect();
                hub::parse_position(variant, &text)?
            }
            other => bail!("'{other}' is neither A nor B"),
        };
        Ok(GameRequest {
            name,
            follower_is_white,
            minutes,
            moves,
            start,
        })
    }

    fn accept(&mut self) -> Result<Message> {
        let name = self.take(NAME)?.trim().to_owned();
        let code = self.number(1)? as u8;
        Ok(Message::Accept { name, code })
    }

    fn mv(&mut self) -> Result<Message> {
        let seconds = self.number(4)?;
        let (from, to) = (self.number(2)? as u8, self.number(2)? as u8);
        let count = self.number(2)?;
        let captured = (0..count).map(|_| Ok(self.number(2)? as u8));
        Ok(Message::Move {
            seconds,
            from,
            to,
            captured: captured.collect::<Result<_>>()?,
        })
    }

    fn end(&mut self) -> Result<Message> {
        let reason = self.number(1)? as u8;
        // Left out by some programs.
        let is_last = self.0.starts_with('1');
        Ok(Message::End { reason, is_last })
    }
}
