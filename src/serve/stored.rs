//! A game as a file has it: its record with variations, and what records do not hold.

use std::collections::VecDeque;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::game::{Ending, Game, Stage, Value};
use super::seat::Seat;
use super::start;
use super::timing::Timing;
use super::tree::Tree;
use crate::clock::{Clock, TimeControl};
use crate::formats::rules_json;
use crate::formats::sgf::{Heading, ReadOptions};
use crate::go::count::Count;
use crate::go::{Color, Komi, PerColor, Point, PointSet};

/// Version of the files; others are left alone.
const VERSION: u32 = 1;

/// A game as its file has it.
#[derive(Serialize, Deserialize)]
pub(super) struct Stored {
    version: u32,
    seats: [Seat; 2],
    /// Time control as it is written on the command line; none without limits.
    time: Option<String>,
    /// Seconds of the turn so far.
    used: f64,
    remarks: Vec<String>,
    moves: StoredTree,
    /// What was left for a position set up by hand.
    left: Option<Box<StoredTree>>,
}

/// Moves with variations.
#[derive(Serialize, Deserialize)]
struct StoredTree {
    sgf: String,
    /// Where the record states no rules that are known.
    rules: String,
    komi: f64,
    /// Whether it comes from a record.
    is_loaded: bool,
    /// The result that the record states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    /// The place of the end of the line among all positions in the order of the record.
    end: usize,
    /// Positions of which more is known, by their places.
    known: Vec<Known>,
    /// What had been left for the position where this began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left: Option<Box<StoredTree>>,
}

/// What is known of a position besides moves.
#[derive(Serialize, Deserialize)]
struct Known {
    place: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    /// How far the game has come, unless it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<StoredStage>,
    /// Seconds and count of Black's and White's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    clocks: Option<[(f64, u32); 2]>,
    /// Whether the move does not come from the record.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_played: bool,
}

/// How far a game has come.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredStage {
    Counting,
    Agreeing(Vec<String>),
    Over {
        result: String,
        dead: Option<Vec<String>>,
        accounts: Vec<String>,
    },
}

impl Stored {
    pub(super) fn of(game: &Game) -> Result<Stored> {
        let timing = game.timing.as_ref();
        let mut left = None;
        for (tree, heading) in game.left() {
            let stored = StoredTree::of(tree, heading)?;
            left = Some(Box::new(StoredTree { left, ..stored }));
        }
        Ok(Stored {
            version: VERSION,
            seats: game.seats.0.clone(),
            time: timing.map(|timing| timing.control.to_string()),
            used: timing.map_or(0.0, |timing| timing.elapsed().as_secs_f64()),
            remarks: game.remarks.clone(),
            moves: StoredTree::of(&game.tree, game.heading())?,
            left,
        })
    }

    /// The game.
    pub(super) fn game(self) -> Result<Game> {
        ensure!(self.version == VERSION, "another version");
        let control = match &self.time {
            Some(text) => text.parse()?,
            None => TimeControl::Unlimited,
        };
        let (mut left, mut next) = (VecDeque::new(), self.left);
        while let Some(mut stored) = next {
            next = stored.left.take();
            left.push_front(stored.tree(control)?);
        }
        let (tree, heading) = self.moves.tree(control)?;
        let [black, white] = self.seats;
        let mut game = Game::with_moves(tree, heading, PerColor([black, white]));
        let used = Duration::try_from_secs_f64(self.used).unwrap_or_default();
        game.timing = Timing::new(control, used);
        game.remarks = self.remarks;
        Ok(game.with_left(left.into()))
    }
}

impl StoredTree {
    fn of(tree: &Tree, heading: &Heading) -> Result<StoredTree> {
        let position = tree.position();
        let nodes = tree.in_order().into_iter().map(|id| tree.node(id));
        let is_loaded = heading.loaded.is_some();
        let known = nodes.enumerate().map(|(place, node)| Known {
            place,
            value: node.value,
            stage: StoredStage::of(&node.stage),
            clocks: node.clocks.as_ref().map(|clocks| {
                Color::BOTH.map(|color| {
                    let left = clocks[color].left();
                    (left.seconds, left.count)
                })
            }),
            is_played: is_loaded && node.is_played,
        });
        let says = |known: &Known| {
            let is_more = known.value.is_some() || known.stage.is_some();
            is_more || known.clocks.is_some() || known.is_played
        };
        Ok(StoredTree {
            sgf: heading.text(&tree.position_of_game()?, None, tree.variations()),
            rules: rules_json::text(position.rules()),
            komi: position.komi().points().into(),
            is_loaded,
            result: heading.result().map(|result| result.to_string()),
            end: tree.place_of_end(),
            known: known.filter(says).collect(),
            left: None,
        })
    }

    fn tree(self, control: TimeControl) -> Result<(Tree, Heading)> {
        let options = ReadOptions {
            rules: rules_json::parse(&self.rules)?,
            komi: Komi::exactly(self.komi).context("komi")?,
            before_move: None,
        };
        let (mut tree, mut heading) = start::read(self.sgf.as_bytes(), &options)?.into_parts();
        if !self.is_loaded {
            tree.set_played();
            let name = |color| heading.name(color).map(str::to_owned);
            heading.names = PerColor(Color::BOTH.map(name));
            heading.loaded = None;
        }
        let ids = tree.in_order();
        for known in self.known {
            let id = *ids.get(known.place).context("no such move")?;
            let is_finished = matches!(known.stage, Some(StoredStage::Over { dead: Some(_), .. }));
            if is_finished {
                // The count is that of the position there.
                tree.go_to(id)?;
            }
            let stage = known.stage.map(|stage| stage.stage(&tree)).transpose()?;
            let node = tree.node_mut(id).context("no such move")?;
            node.value = known.value;
            node.is_played |= known.is_played;
            node.stage = stage.unwrap_or(Stage::Playing);
            node.clocks = known.clocks.map(|clocks| {
                Box::new(PerColor(clocks.map(|(seconds, count)| {
                    let mut clock = Clock::new(control);
                    clock.set_left(seconds, count);
                    clock
                })))
            });
        }
        if let Some(record) = &mut heading.loaded {
            record.moves.truncate(tree.moves_of_record());
            let stated = self.result.and_then(|text| text.parse().ok());
            record.result = stated.or(record.result);
        }
        tree.go_to(*ids.get(self.end).context("no such move")?)?;
        Ok((tree, heading))
    }
}

impl StoredStage {
    fn of(stage: &Stage) -> Option<StoredStage> {
        Some(match stage {
            Stage::Playing => return None,
            Stage::Counting => StoredStage::Counting,
            Stage::Agreeing(dead) => StoredStage::Agreeing(names(dead)),
            Stage::Over(ending) => StoredStage::Over {
                result: ending.result.to_string(),
                dead: ending.count.as_ref().map(|(dead, _)| names(dead)),
                accounts: ending.accounts.clone(),
            },
        })
    }

    /// The stage of a game whose line ends in the position that it is about.
    fn stage(self, tree: &Tree) -> Result<Stage> {
        Ok(match self {
            StoredStage::Counting => Stage::Counting,
            StoredStage::Agreeing(dead) => Stage::Agreeing(points(&dead)?),
            StoredStage::Over {
                result,
                dead,
                accounts,
            } => {
                let dead = dead.map(|dead| points(&dead)).transpose()?;
                let count = dead.map(|dead| (dead, Count::of(tree.position(), &dead)));
                Stage::Over(Box::new(Ending {
                    result: result.parse().context("no result")?,
                    count,
                    accounts,
                }))
            }
        })
    }
}

/// The points as in GTP.
pub(super) fn names(points: &PointSet) -> Vec<String> {
    points.iter().map(|point| point.to_string()).collect()
}

fn points(names: &[String]) -> Result<PointSet> {
    let points: Result<Vec<Point>> = names
        .iter()
        .map(|name| name.parse().ok().context("no point"))
        .collect();
    Ok(points?.into_iter().collect())
}
