//! From the nodes of a file to a record.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow, ensure};
use sgf_parse::go::{self as sgf, Prop};

use crate::go::{BoardSize, Color, GameRecord, Komi, Move, Point, PointSet, Rules, Setup};
use crate::go::{handicap, record};

use super::info::{self, Source};
use super::scan;

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
    let in_node = |number: usize| move || format!("node {}", number + 1);
    let mut reader = Reader::new(&properties(&nodes[0])?, options)?;
    for (number, node) in nodes.iter().enumerate() {
        let read = properties(node).and_then(|node| reader.read_node(&node));
        if !read.with_context(in_node(number))? {
            break;
        }
    }
    Ok(reader.finish())
}

/// Parses the properties of one node.
fn properties(node: &str) -> Result<Vec<Prop>> {
    let trees = sgf_parse::parse(&format!("(;{node})")).map_err(|error| anyhow!("{error}"))?;
    let tree = trees.into_iter().next().context("no node")?;
    let root = tree.into_go_node();
    Ok(root.map_err(|_| anyhow!("not a game of Go"))?.properties)
}

struct Reader<'a> {
    options: &'a ReadOptions,
    source: Source,
    record: GameRecord,
    /// Stones at the start, by [`BoardSize::index`].
    stones: BTreeMap<usize, Color>,
    /// Who moves first: as `PL` says, as the first move says (even if it is not read), and as
    /// the moves before a set-up say.
    stated_turn: Option<Color>,
    first_color: Option<Color>,
    following_turn: Option<Color>,
    moves_read: usize,
}

impl Reader<'_> {
    fn new<'a>(root: &[Prop], options: &'a ReadOptions) -> Result<Reader<'a>> {
        let size = root.iter().find_map(stated_size).transpose()?;
        let size = size.unwrap_or(BoardSize::square(19));
        let source = root.iter().find_map(application);
        Ok(Reader {
            options,
            source: source.unwrap_or(Source::Other),
            record: GameRecord::new(Setup::new(size, options.rules, options.komi)),
            stones: BTreeMap::new(),
            stated_turn: None,
            first_color: None,
            following_turn: None,
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
            if let Some((color, made)) = self.stated_move(property)? {
                self.first_color.get_or_insert(color);
                self.moves_read += 1;
                if self
                    .options
                    .before_move
                    .is_some_and(|before| self.moves_read >= before)
                {
                    return Ok(false);
                }
                self.record.moves.push((color, made));
            }
        }
        for comment in node.iter().filter_map(comment) {
            let earlier = self
                .record
                .comments
                .entry(self.record.moves.len())
                .or_default();
            if !earlier.is_empty() {
                earlier.push('\n');
            }
            earlier.push_str(&comment);
        }
        Ok(true)
    }

    fn read_info(&mut self, property: &Prop) -> Result<()> {
        let record = &mut self.record;
        match property {
            Prop::KM(stated) => {
                record.setup.komi = info::komi(*stated, self.source, record.setup.size)?;
            }
            Prop::HA(stones) => record.handicap = usize::try_from(*stones)?,
            Prop::RU(text) => match info::rules(&text.text) {
                Some(rules) => record.setup.rules = rules,
                None => record.unknown_rules = simple(text),
            },
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
        } else {
            let stated: f64 = number.replace(',', ".").parse().with_context(wrong)?;
            self.record.setup.komi = info::komi(stated, self.source, self.record.setup.size)?;
        }
        Ok(())
    }

    /// Puts stones on the board or takes some off, and starts over if there have been moves.
    fn read_setup(&mut self, node: &[Prop]) -> Result<()> {
        let mut changes = Vec::new();
        let mut turn = None;
        for property in node {
            match property {
                Prop::AB(points) => changes.extend(points.iter().map(|&p| (p, Some(Color::Black)))),
                Prop::AW(points) => changes.extend(points.iter().map(|&p| (p, Some(Color::White)))),
                Prop::AE(points) => changes.extend(points.iter().map(|&p| (p, None))),
                Prop::PL(color) => turn = Some(to_color(*color)),
                Prop::Invalid(name, values) if name == "PL" => turn = stated_color(values),
                Prop::Invalid(name, values) if matches!(name.as_str(), "AB" | "AW" | "AE") => {
                    let is_empty = values.iter().all(|value| value.trim().is_empty());
                    ensure!(is_empty, "{name}[{}]: no points", values.join("]["));
                }
                _ => {}
            }
        }
        if let Some(&(last, _)) = self.record.moves.last() {
            if changes.is_empty() && turn.is_none_or(|turn| turn != last) {
                return Ok(());
            }
            self.start_over()?;
        }
        self.stated_turn = turn.or(self.stated_turn);
        self.change_stones(&changes)
    }

    fn start_over(&mut self) -> Result<()> {
        self.place_stones();
        let position = self.record.position()?;
        let size = position.size();
        let stones = record::stones(position.board()).into_iter();
        self.stones = stones
            .map(|(point, color)| (size.index(point), color))
            .collect();
        self.following_turn = Some(position.to_move());
        (self.stated_turn, self.first_color) = (None, None);
        self.record.moves.clear();
        self.record.comments.clear();
        Ok(())
    }

    fn change_stones(&mut self, changes: &[(sgf::Point, Option<Color>)]) -> Result<()> {
        let mut changed = PointSet::EMPTY;
        for &(stated, content) in changes {
            let point = self.point(stated)?;
            ensure!(changed.insert(point), "{point} is set up twice");
            let index = self.record.setup.size.index(point);
            match content {
                Some(color) => self.stones.insert(index, color),
                None => self.stones.remove(&index),
            };
        }
        Ok(())
    }

    fn stated_move(&self, property: &Prop) -> Result<Option<(Color, Move)>> {
        let (color, made) = match property {
            Prop::B(made) => (Color::Black, *made),
            Prop::W(made) => (Color::White, *made),
            Prop::Invalid(name, values) if matches!(name.as_str(), "B" | "W") => {
                let text = values.join("][");
                let made = text.trim().parse();
                let made = made.map_err(|_| anyhow!("{name}[{text}] is no move"))?;
                (
                    if name == "B" {
                        Color::Black
                    } else {
                        Color::White
                    },
                    made,
                )
            }
            _ => return Ok(None),
        };
        let size = self.record.setup.size;
        let made = match made {
            sgf::Move::Pass => Move::Pass,
            sgf::Move::Move(sgf::Point { x: 19, y: 19 })
                if size.width() <= 19 && size.height() <= 19 =>
            {
                Move::Pass
            }
            sgf::Move::Move(point) => Move::Play(self.point(point)?),
        };
        Ok(Some((color, made)))
    }

    fn point(&self, stated: sgf::Point) -> Result<Point> {
        let size = self.record.setup.size;
        let (column, from_top) = (usize::from(stated.x), usize::from(stated.y));
        ensure!(
            column < size.width() && from_top < size.height(),
            "column {} of row {} from the top is not on a board of {size}",
            column + 1,
            from_top + 1
        );
        Ok(Point::new(column, size.height() - 1 - from_top))
    }

    /// Makes the stones of the record what was set up.
    fn place_stones(&mut self) {
        let (stated, following) = (self.stated_turn.or(self.first_color), self.following_turn);
        let setup = &mut self.record.setup;
        let stones = |color| {
            self.stones
                .values()
                .filter(|&&stone| stone == color)
                .count()
        };
        let (black, white) = (stones(Color::Black), stones(Color::White));
        let is_handicap = white == 0 && self.record.handicap.max(black) >= 2;
        let usual = if is_handicap {
            Color::White
        } else {
            Color::Black
        };
        setup.to_move = stated.or(following).unwrap_or(usual);
        setup.stones = self
            .stones
            .iter()
            .map(|(&index, &color)| (setup.size.point_at(index), color))
            .collect();
        let is_fixed = self.stones.is_empty() && self.stated_turn.or(following).is_none();
        if is_fixed && setup.to_move == Color::White {
            let points = handicap::fixed(setup.size, self.record.handicap).unwrap_or_default();
            setup.stones = points
                .into_iter()
                .map(|point| (point, Color::Black))
                .collect();
            setup
                .stones
                .sort_by_key(|&(point, _)| setup.size.index(point));
        }
    }

    fn finish(mut self) -> GameRecord {
        self.place_stones();
        self.record
    }
}

/// The board size, if the property states one; sides that are no numbers or out of range are an
/// error.
fn stated_size(property: &Prop) -> Option<Result<BoardSize>> {
    match property {
        &Prop::SZ((width, height)) => Some(
            BoardSize::new(usize::from(width), usize::from(height))
                .with_context(|| format!("boards of {width}x{height} are not supported")),
        ),
        Prop::Invalid(name, values) if name == "SZ" && values.concat().trim() != "" => {
            Some(Err(anyhow!("SZ[{}] is no board size", values.join("]["))))
        }
        _ => None,
    }
}

fn application(property: &Prop) -> Option<Source> {
    match property {
        Prop::AP((name, _)) => Some(Source::of_application(&name.text)),
        Prop::Invalid(name, values) if name == "AP" => {
            Some(Source::of_application(&values.concat()))
        }
        _ => None,
    }
}

fn to_color(color: sgf_parse::Color) -> Color {
    match color {
        sgf_parse::Color::Black => Color::Black,
        sgf_parse::Color::White => Color::White,
    }
}

/// `PL` in other words than `B` and `W`; none if it means nothing.
fn stated_color(values: &[String]) -> Option<Color> {
    values.first()?.trim().parse().ok()
}

/// The comment of a property, unless it is empty.
fn comment(property: &Prop) -> Option<String> {
    let text = match property {
        Prop::C(text) => text.text.clone(),
        Prop::Invalid(name, values) if name == "C" => values.join("\n"),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// Text on one line; none if empty.
fn simple(text: &sgf_parse::SimpleText) -> Option<String> {
    (!text.text.is_empty()).then(|| text.text.replace('\n', " "))
}
