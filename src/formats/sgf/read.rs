//! From the nodes of a file to a record.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

use crate::go::{
    BoardSize, Color, GameRecord, IllegalMove, Komi, Move, Point, PointSet, Position, Rules, Setup,
};

use super::beside::Beside;
use super::decode;
use super::info::{self, Source};
use super::known;
use super::number::number;
use super::other_info::{Info, other_info};
use super::property::{self, simple};
use super::remark::{Kind, Remark, Remarks};
use super::scan::{self, MainLine, Node, Property};
use super::start::Start;
use crate::formats::rules_json;

/// Properties that should occur once per file; different repetitions get a remark.
const STATED_ONCE: [&str; 4] = ["HA", "KM", "RE", "RU"];

/// Options of a reader, and defaults for missing properties.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Rules if `RU` is missing or unknown.
    pub rules: Rules,
    /// Komi if `KM` is missing or has no number.
    pub komi: Komi,
    /// Stop before this move, from 1, as in GTP's `loadsgf`; by default, or beyond the end, all is
    /// read.
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

/// A record, and anomalies of its file.
#[derive(Debug)]
pub struct Reading {
    /// The game.
    pub record: GameRecord,
    /// In the order of the file, at most a hundred.
    pub remarks: Vec<Remark>,
    /// Whether all that the file holds was read.
    pub is_whole: bool,
    /// Points that are marked before the first move, each once.
    pub marks: Vec<Point>,
    /// What the file says of the game besides, in its order: place, round, time, commentator and the like;
    /// also a result that could not be read.
    pub info: Vec<Info>,
}

/// The main line of a file's first game, by default under Tromp-Taylor rules without komi. Moves
/// are not checked, except that their points are on the board.
pub fn parse(bytes: &[u8]) -> Result<GameRecord> {
    parse_with(bytes, &ReadOptions::default())
}

/// The main line of a file's first game; remarks are dropped.
pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<GameRecord> {
    Ok(read(bytes, options)?.record)
}

/// The main line of a file's first game.
///
/// If neither `PL` nor an earlier move gives the turn, the first move does, and without moves White
/// follows handicap stones. Stated handicap stones that are neither set up nor played are ignored.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Reading> {
    let (line, _) = main_line(bytes)?;
    Ok(read_line(line, options)?.0)
}

/// The main line of a file's first game, with what the file holds beside it: nothing where variations cannot be
/// read or do not fit the main line, which is remarked on.
pub fn read_with_variations(bytes: &[u8], options: &ReadOptions) -> Result<(Reading, Beside)> {
    let (line, text) = main_line(bytes)?;
    let nodes = line.nodes.len();
    let (mut reading, turns) = read_line(line, options)?;
    let tree = scan::tree(&text).ok();
    let tree = tree.filter(|tree| tree.main_line_length() == nodes);
    let (beside, is_whole) =
        tree.map_or((Beside::default(), false), |tree| Beside::of(tree, &turns));
    if !is_whole {
        reading.is_whole = false;
        reading.remarks.push(Remark {
            kind: Kind::NotRead,
            node: 1,
            text: "variations and other properties are not read, or not all of them".to_owned(),
        });
    }
    Ok((reading, beside))
}

/// A record from its main line, and the number of its moves after each node; none of nodes from which nothing is
/// left, since the record starts over later.
fn read_line(line: MainLine, options: &ReadOptions) -> Result<(Reading, Vec<Option<usize>>)> {
    let mut reader = Reader::new(&line.nodes, line.remarks, options)?;
    let mut goes_on = true;
    for (index, node) in line.nodes.iter().enumerate() {
        reader.node = index + 1;
        goes_on = reader
            .read_node(node)
            .with_context(|| format!("node {}", index + 1))?;
        if !goes_on {
            break;
        }
        reader.turns.push(Some(reader.record.moves.len()));
    }
    let turns = std::mem::take(&mut reader.turns);
    let mut reading = reader.finish(goes_on)?;
    reading.info = other_info(&line.nodes, &reading.record);
    Ok((reading, turns))
}

/// The main line in the most likely encoding: the first without anomalies, or the one with the
/// fewest; and the text in that encoding.
fn main_line(bytes: &[u8]) -> Result<(MainLine, String)> {
    let texts = decode::texts(bytes);
    // A wrong encoding may hide brackets and so the other games.
    let counts = |remark: &&Remark| remark.kind != Kind::MoreGames;
    let remarks = |line: &MainLine| line.remarks.as_slice().iter().filter(counts).count();
    let oddity = |line: &MainLine| line.overruns + remarks(line);
    let mut best: Option<Result<(MainLine, &str)>> = None;
    for text in &texts {
        let line = scan::main_line(text).and_then(|mut line| {
            known::check(&line.nodes, text)?;
            if text.contains('\u{fffd}') {
                let remark = "characters that could not be read".to_owned();
                line.remarks.add(Kind::Encoding, 1, remark);
            }
            Ok((line, &**text))
        });
        let is_better = match (&line, &best) {
            (_, None) | (Ok(_), Some(Err(_))) => true,
            (Ok((line, _)), Some(Ok((best, _)))) => oddity(line) < oddity(best),
            (Err(_), _) => false,
        };
        if is_better {
            best = Some(line);
        }
        if let Some(Ok((line, _))) = &best
            && oddity(line) == 0
        {
            break;
        }
    }
    let best = best.unwrap_or_else(|| bail!("no game found"));
    best.map(|(line, text)| (line, text.to_owned()))
}

struct Reader<'a> {
    options: &'a ReadOptions,
    source: Source,
    /// Complete except for the start.
    record: GameRecord,
    start: Start,
    moves_read: usize,
    /// The number of the node being read.
    node: usize,
    remarks: Remarks,
    /// Last values of the properties in [`STATED_ONCE`].
    stated: BTreeMap<String, String>,
    /// The position after the first moves, computed when needed.
    replayed: Option<Position>,
    /// Points marked before the first move, each once, in the order of the file, ...
    marks: Vec<Point>,
    /// ... and as a set.
    marked: PointSet,
    /// Moves of the record after each node, where they are part of it.
    turns: Vec<Option<usize>>,
    /// How many of these were set to none by a set-up.
    forgotten: usize,
}

impl Reader<'_> {
    fn new<'a>(nodes: &[Node], remarks: Remarks, options: &'a ReadOptions) -> Result<Reader<'a>> {
        let mut reader = Reader {
            options,
            source: property::source(nodes),
            record: GameRecord::new(Setup::new(
                BoardSize::square(19),
                options.rules,
                options.komi,
            )),
            start: Start::empty(BoardSize::square(19)),
            moves_read: 0,
            node: 1,
            remarks,
            stated: BTreeMap::new(),
            replayed: None,
            marks: Vec::new(),
            marked: PointSet::EMPTY,
            turns: Vec::new(),
            forgotten: 0,
        };
        let size = reader.size(nodes)?.unwrap_or(BoardSize::square(19));
        reader.record.setup.size = size;
        reader.start = Start::empty(size);
        Ok(reader)
    }

    /// The size given by the nodes before the first move.
    fn size(&mut self, nodes: &[Node]) -> Result<Option<BoardSize>> {
        let mut size = None;
        for (number, property) in property::header(nodes) {
            self.node = number;
            match property.name.as_str() {
                "GM" => property::check_game(property)?,
                "SZ" => {
                    let text = &property.values[0];
                    let Some((stated, is_usual)) = property::size(text)? else {
                        continue;
                    };
                    let first = *size.get_or_insert(stated);
                    if !is_usual || property.values.len() > 1 || stated != first {
                        let text = property.values.join("][");
                        self.remark(Kind::Size, format!("SZ[{text}]: the board is {first}"));
                    }
                }
                _ => {}
            }
        }
        Ok(size)
    }

    fn remark(&mut self, kind: Kind, text: String) {
        self.remarks.add(kind, self.node, text);
    }

    /// Returns whether to continue.
    fn read_node(&mut self, node: &[Property]) -> Result<bool> {
        for property in node {
            self.read_info(property);
        }
        self.read_setup(node)?;
        let mut has_move = false;
        let is_forced = node.iter().any(|property| property.name == "KO");
        for property in node {
            if let Some((color, mv)) = property::parse_move(property, self.record.setup.size)? {
                if property::is_pass_in_words(&property.values[0]) {
                    let text = format!("{}[{}] is a pass", property.name, property.values[0]);
                    self.remark(Kind::Move, text);
                }
                self.moves_read += 1;
                if self.is_at_end() {
                    self.start.see_move(color);
                    return Ok(false);
                }
                if has_move {
                    let text = format!("{color} {mv} is another move of the node");
                    self.remark(Kind::Crowded, text);
                }
                has_move = true;
                self.read_move(color, mv, is_forced)?;
            }
        }
        if self.moves_read == 0 {
            let (marks, marked) = (&mut self.marks, &mut self.marked);
            let of_node = property::marks(node, self.record.setup.size);
            marks.extend(of_node.filter(|&point| marked.insert(point)));
        }
        self.read_comments(node);
        Ok(true)
    }

    fn is_at_end(&self) -> bool {
        let before = self.options.before_move;
        before.is_some_and(|before| self.moves_read >= before)
    }

    /// Adds a move. A forced one is executed even if illegal; then the record restarts.
    fn read_move(&mut self, color: Color, mv: Move, is_forced: bool) -> Result<()> {
        if is_forced && let Err(reason) = self.play(color, mv)? {
            ensure!(reason != IllegalMove::OffBoard, "{color} {mv}: {reason}");
            self.remark(
                Kind::Executed,
                format!("{color} {mv}, {reason}, is executed as KO says"),
            );
            self.start_over()?;
            if reason == IllegalMove::Suicide {
                self.start.pass_turn_to(!color);
                return Ok(());
            }
            self.start.clear(mv.point());
        }
        self.start.see_move(color);
        self.record.moves.push((color, mv));
        Ok(())
    }

    /// Plays a move after those read, to check its legality.
    fn play(&mut self, color: Color, mv: Move) -> Result<Result<(), IllegalMove>> {
        let mut position = match self.replayed.take() {
            Some(position) => position,
            None => {
                self.start.see_move(color);
                self.start
                    .put_into(&mut self.record.setup, self.record.handicap);
                self.record.position()?
            }
        };
        for &(color, mv) in &self.record.moves[position.turn()..] {
            if position.play_recorded(color, mv).is_err() {
                self.record.position()?;
            }
        }
        let played = position.play_recorded(color, mv).map(|_| ());
        self.replayed = Some(position).filter(|_| played.is_ok());
        Ok(played)
    }

    fn read_info(&mut self, property: &Property) {
        self.compare_with_stated(property);
        let record = &mut self.record;
        let text = property.values.join(" ");
        match property.name.as_str() {
            "KM" => self.read_komi(&text),
            "HA" => self.read_handicap(&text),
            "RU" => self.read_rules(&text),
            "RE" => record.result = text.trim().parse().ok(),
            "PB" => record.names[Color::Black] = simple(property),
            "PW" => record.names[Color::White] = simple(property),
            "BR" => record.ranks[Color::Black] = simple(property),
            "WR" => record.ranks[Color::White] = simple(property),
            "EV" => record.event = simple(property),
            "DT" => record.date = simple(property),
            _ => {}
        }
    }

    /// Remarks on a property with a new value. The last one counts, except for the size, which does
    /// not change once there are stones.
    fn compare_with_stated(&mut self, property: &Property) {
        let (name, text) = (&property.name, property.values.join("]["));
        if name == "SZ" && self.has_begun() {
            let size = self.record.setup.size;
            let is_same = |stated: Option<(BoardSize, bool)>| stated.is_none_or(|it| it.0 == size);
            if !property::size(&property.values[0]).is_ok_and(is_same) {
                self.remark(Kind::Size, format!("SZ[{text}]: the board is {size}"));
            }
        }
        if !STATED_ONCE.contains(&name.as_str()) {
            return;
        }
        let earlier = self.stated.insert(name.clone(), text.clone());
        if let Some(earlier) = earlier.filter(|earlier| earlier.trim() != text.trim()) {
            let text = format!("{name}[{text}] replaces {name}[{earlier}]");
            self.remark(Kind::Twice, text);
        }
    }

    fn has_begun(&self) -> bool {
        self.moves_read > 0 || self.start.has_stones()
    }

    fn read_komi(&mut self, text: &str) {
        let setup = &mut self.record.setup;
        let number = number(text);
        let komi = number.and_then(|number| info::komi(number, text, self.source, setup.size));
        match komi {
            Some((komi, is_as_stated)) => {
                setup.komi = komi;
                if !is_as_stated {
                    self.remark(Kind::Komi, format!("KM[{text}] taken for komi {komi}"));
                }
            }
            None => {
                let remark =
                    format!("KM[{text}] has no number that is a komi, so it does not count");
                self.remark(Kind::Komi, remark);
            }
        }
    }

    fn read_handicap(&mut self, text: &str) {
        let number = number(text);
        let most = self.record.setup.size.area() as f64;
        let is_count = |value: f64| value.fract() == 0.0 && (0.0..=most).contains(&value);
        let stones = number.filter(|number| is_count(number.value));
        self.record.handicap = stones.map_or(0, |number| number.value as usize);
        let is_plain = number.is_some_and(|number| number.is_all) && !text.contains(['.', ',']);
        if stones.is_none() || !is_plain {
            let stones = self.record.handicap;
            let remark = format!("HA[{text}] taken for a handicap of {stones}");
            self.remark(Kind::Handicap, remark);
        }
    }

    fn read_rules(&mut self, text: &str) {
        let known = info::rules(text);
        let name = text.replace('\n', " ");
        let is_unknown = known.is_none() && !text.trim().is_empty();
        self.record.setup.rules = known.unwrap_or(self.options.rules);
        if is_unknown {
            let rules = rules_json::text(&self.record.setup.rules);
            self.remark(
                Kind::Rules,
                format!("RU[{name}] is unknown: {rules} rules are taken"),
            );
        }
        self.record.unknown_rules = is_unknown.then_some(name);
    }

    /// Applies setup stones and turn, and restarts if there have been moves.
    fn read_setup(&mut self, node: &[Property]) -> Result<()> {
        let set_up = property::set_up(node, self.record.setup.size)?;
        if let Some(turn) = set_up.unknown_turn {
            self.remark(Kind::Move, format!("PL[{turn}] is no color"));
        }
        if !set_up.points.is_empty() {
            // Nothing leads on from the board as it was.
            self.forget_turns();
        }
        let is_move = |property: &Property| matches!(property.name.as_str(), "B" | "W");
        if !set_up.points.is_empty() && node.iter().any(is_move) {
            let text = "stones are set up before the move of the node";
            self.remark(Kind::Crowded, text.to_owned());
        }
        if let Some(&(last, _)) = self.record.moves.last() {
            if set_up.points.is_empty() && set_up.turn.is_none_or(|turn| turn != last) {
                return Ok(());
            }
            self.start_over()?;
            let moves = self.moves_read;
            let text = format!("a set-up after {moves} moves: the record starts over from it");
            self.remark(Kind::StartedOver, text);
        }
        self.start.set_up(set_up.points, set_up.turn);
        Ok(())
    }

    /// The nodes so far lead to no position of the record.
    fn forget_turns(&mut self) {
        self.turns[self.forgotten..].fill(None);
        self.forgotten = self.turns.len();
    }

    fn start_over(&mut self) -> Result<()> {
        let record = &mut self.record;
        self.start.put_into(&mut record.setup, record.handicap);
        self.start = Start::at(&record.position()?);
        self.replayed = None;
        record.moves.clear();
        record.comments.clear();
        self.forget_turns();
        Ok(())
    }

    /// Comments after the same move are joined, one per line.
    fn read_comments(&mut self, node: &[Property]) {
        let moves = self.record.moves.len();
        for comment in node.iter().filter_map(property::comment) {
            let earlier = self.record.comments.entry(moves).or_default();
            if !earlier.is_empty() {
                earlier.push('\n');
            }
            earlier.push_str(&comment);
        }
    }

    /// `is_whole` if no nodes were left out.
    fn finish(mut self, is_whole: bool) -> Result<Reading> {
        let record = &mut self.record;
        self.start.put_into(&mut record.setup, record.handicap);
        if is_whole && let Some(remark) = self.start.handicap_remark(record) {
            self.remarks.add(Kind::HandicapStones, 1, remark);
        }
        Ok(Reading {
            record: self.record,
            is_whole: self.remarks.is_whole(),
            remarks: self.remarks.into_vec(),
            marks: self.marks,
            info: Vec::new(),
        })
    }
}
