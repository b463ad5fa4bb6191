//! From the nodes of a file to a record.

use anyhow::{Context, Result};
use sgf_parse::go::Prop;

use crate::go::{BoardSize, Color, GameRecord, Komi, Rules, Setup};

use super::info::{self, Source};
use super::property::{self, simple};
use super::scan;
use super::start::Start;

/// What a reader wants, and what it is to suppose where a file says nothing.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Rules if `RU` is missing or unknown.
    pub rules: Rules,
    /// Komi if `KM` is missing.
    pub komi: Komi,
    /// Stop before this move, from 1, as GTP's `loadsgf` asks; with none, or beyond the end, all
    /// is read.
    pub before_move: Option<usize>,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            rules: Rules::TROMP_TAYLOR,
            komi: Komi::default(),
            before_move: None,
        }
    }
}

/// The main line of a file's first game, under Tromp-Taylor rules without komi where it says
/// nothing. Moves are not checked, except that their points are on the board.
pub fn parse(bytes: &[u8]) -> Result<GameRecord> {
    parse_with(bytes, &ReadOptions::default())
}

/// The main line of a file's first game.
///
/// If neither `PL` nor an earlier move says whose turn it is, the first move does, and without one
/// White follows handicap stones. If a handicap is stated, White moves first and no stones are set
/// up, the stones of the fixed handicap are.
pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<GameRecord> {
    let text = scan::decode(bytes);
    let nodes = scan::main_line(&text)?;
    let root = nodes.first().context("a game without nodes")?;
    let mut reader = Reader::new(&property::properties(root)?, options)?;
    for (index, node) in nodes.iter().enumerate() {
        let goes_on = property::properties(node).and_then(|node| reader.read_node(&node));
        if !goes_on.with_context(|| format!("node {}", index + 1))? {
            break;
        }
    }
    Ok(reader.finish())
}

struct Reader<'a> {
    options: &'a ReadOptions,
    source: Source,
    /// Complete but for the start.
    record: GameRecord,
    start: Start,
    moves_read: usize,
}

impl Reader<'_> {
    fn new<'a>(root: &[Prop], options: &'a ReadOptions) -> Result<Reader<'a>> {
        let size = property::size(root)?.unwrap_or(BoardSize::square(19));
        Ok(Reader {
            options,
            source: property::source(root),
            record: GameRecord::new(Setup::new(size, options.rules, options.komi)),
            start: Start::empty(size),
            moves_read: 0,
        })
    }

    /// Returns whether to go on.
    fn read_node(&mut self, node: &[Prop]) -> Result<bool> {
        for property in node {
            self.read_info(property)?;
        }
        self.read_setup(node)?;
        for property in node {
            if let Some((color, made)) = property::made(property, self.record.setup.size)? {
                self.start.see_move(color);
                self.moves_read += 1;
                if self.is_at_end() {
                    return Ok(false);
                }
                self.record.moves.push((color, made));
            }
        }
        self.read_comments(node);
        Ok(true)
    }

    fn is_at_end(&self) -> bool {
        let before = self.options.before_move;
        before.is_some_and(|before| self.moves_read >= before)
    }

    fn read_info(&mut self, property: &Prop) -> Result<()> {
        let record = &mut self.record;
        match property {
            Prop::KM(stated) => self.read_komi(*stated)?,
            Prop::HA(stones) => record.handicap = usize::try_from(*stones)?,
            Prop::RU(text) => self.read_rules(&text.text),
            Prop::RE(text) => record.result = text.text.parse().ok(),
            Prop::PB(text) => record.names[Color::Black] = simple(text),
            Prop::PW(text) => record.names[Color::White] = simple(text),
            Prop::BR(text) => record.ranks[Color::Black] = simple(text),
            Prop::WR(text) => record.ranks[Color::White] = simple(text),
            Prop::EV(text) => record.event = simple(text),
            Prop::DT(text) => record.date = simple(text),
            Prop::Invalid(name, values) => self.read_odd_number(name, &values.join("]["))?,
            _ => {}
        }
        Ok(())
    }

    /// Komi and handicap that the crate does not take: with a decimal comma, with blanks, empty,
    /// handicaps below 2.
    fn read_odd_number(&mut self, name: &str, value: &str) -> Result<()> {
        let number = value.trim();
        if number.is_empty() || !matches!(name, "KM" | "HA") {
            return Ok(());
        }
        let wrong = || format!("{name}[{value}] is no number");
        if name == "HA" {
            self.record.handicap = number.parse().with_context(wrong)?;
            return Ok(());
        }
        self.read_komi(number.replace(',', ".").parse().with_context(wrong)?)
    }

    fn read_komi(&mut self, stated: f64) -> Result<()> {
        let setup = &mut self.record.setup;
        setup.komi = info::komi(stated, self.source, setup.size)?;
        Ok(())
    }

    fn read_rules(&mut self, text: &str) {
        let known = info::rules(text);
        let name = text.replace('\n', " ");
        let is_unknown = known.is_none() && !text.is_empty();
        self.record.setup.rules = known.unwrap_or(self.options.rules);
        self.record.unknown_rules = is_unknown.then_some(name);
    }

    /// Takes set-up stones and turn, and starts over if there have been moves.
    fn read_setup(&mut self, node: &[Prop]) -> Result<()> {
        let set_up = property::set_up(node, self.record.setup.size)?;
        if let Some(&(last, _)) = self.record.moves.last() {
            if set_up.points.is_empty() && set_up.turn.is_none_or(|turn| turn != last) {
                return Ok(());
            }
            self.start_over()?;
        }
        self.start.set_up(&set_up.points, set_up.turn)
    }

    fn start_over(&mut self) -> Result<()> {
        let record = &mut self.record;
        self.start.put_into(&mut record.setup, record.handicap);
        self.start = Start::at(&record.position()?);
        record.moves.clear();
        record.comments.clear();
        Ok(())
    }

    /// Several comments after the same move are joined, one a line.
    fn read_comments(&mut self, node: &[Prop]) {
        let moves = self.record.moves.len();
        for comment in node.iter().filter_map(property::comment) {
            let earlier = self.record.comments.entry(moves).or_default();
            if !earlier.is_empty() {
                earlier.push('\n');
            }
            earlier.push_str(&comment);
        }
    }

    fn finish(mut self) -> GameRecord {
        let record = &mut self.record;
        self.start.put_into(&mut record.setup, record.handicap);
        self.record
    }
}
