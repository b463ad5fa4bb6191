//! A game as pages see it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::game::{Game, Stage, Value};
use super::seat::Seat;
use super::stored::names;
use super::timing::ClocksView;
use super::tree::Branch;
use crate::formats::rules_json;
use crate::go::count::Count;
use crate::go::record::stones;
use crate::go::score::score;
use crate::go::{Color, GameResult, Position};
use crate::player::settlement::in_words;

/// Bytes of the comments that are shown; if there are more, the longest are cut.
const MOST_COMMENTS: usize = 100_000;

/// A game. Points are as in GTP.
#[derive(Serialize)]
pub(super) struct View<'a> {
    /// Columns and rows.
    size: [usize; 2],
    /// Stones at the start, Black's and White's.
    setup: [Vec<String>; 2],
    /// Color and place.
    moves: Vec<(char, String)>,
    to_move: char,
    rules: String,
    komi: f32,
    handicap: usize,
    seats: [&'a Seat; 2],
    names: [Option<&'a str>; 2],
    event: Option<&'a str>,
    date: Option<&'a str>,
    /// As the record that was loaded has it.
    stated_result: Option<String>,
    comments: BTreeMap<usize, Cow<'a, str>>,
    remarks: &'a [String],
    /// `playing`, `counting`, `agreeing` or `over`.
    stage: &'static str,
    /// Stones that are dead.
    dead: Vec<String>,
    /// What a count would give with these dead stones, while they are agreed on.
    proposal: Option<String>,
    result: Option<String>,
    result_in_words: Option<String>,
    accounts: &'a [String],
    /// Once stones are known to be dead: `B`, `W` or `-` for each point, row by row from the top left.
    ownership: Option<String>,
    /// Whether the program chooses a move or looks for dead stones.
    is_busy: bool,
    /// Why it does not.
    fault: Option<&'a str>,
    /// Whether there is a game to go back to.
    has_left: bool,
    /// Whether the position was set up by hand: going back loses its moves.
    is_set_up: bool,
    /// Changes when moves are taken back or replaced.
    course: u64,
    values: BTreeMap<usize, Value>,
    /// By turn: the ways to go on where there are several, or where the line ends though the game goes on.
    branches: BTreeMap<usize, Vec<BranchView>>,
    /// Whether the line is the game, not a variation.
    is_game: bool,
    clocks: Option<ClocksView>,
}

/// A game in a list.
#[derive(Serialize)]
pub(super) struct Entry<'a> {
    /// Its name.
    game: &'a str,
    /// Columns and rows.
    size: [usize; 2],
    /// Persons have none, unless a record names them.
    names: [Option<&'a str>; 2],
    rules: String,
    komi: f32,
    handicap: usize,
    /// Moves of the line that is shown.
    moves: usize,
    /// That of the game, or the one that its record states.
    result: Option<String>,
}

/// A way to go on.
#[derive(Serialize)]
struct BranchView {
    /// Color and place.
    r#move: (char, String),
    /// Whether the line goes on with it.
    is_shown: bool,
}

impl<'a> Entry<'a> {
    pub(super) fn new(id: &'a str, game: &'a Game) -> Entry<'a> {
        let (position, heading) = (game.position(), game.heading());
        let result = match &game.tree.last_of_game().stage {
            Stage::Over(ending) => Some(ending.result),
            _ => heading.result(),
        };
        Entry {
            game: id,
            size: [position.size().width(), position.size().height()],
            names: Color::BOTH.map(|color| heading.name(color)),
            rules: rules_json::in_words(position.rules()),
            komi: position.komi().points(),
            handicap: position.handicap_stones(),
            moves: position.turn(),
            result: result.map(|result| result.to_string()),
        }
    }
}

impl<'a> View<'a> {
    pub(super) fn new(game: &'a Game, is_busy: bool) -> View<'a> {
        let position = game.position();
        let heading = game.heading();
        let branches = game.tree.turns_with_branches();
        let branches = branches.map(|turn| (turn, branches_at(game, turn)));
        let loaded = heading.loaded.as_ref();
        let (stage, ending, agreed) = match game.stage() {
            Stage::Playing => ("playing", None, None),
            Stage::Counting => ("counting", None, None),
            Stage::Agreeing(dead) => ("agreeing", None, Some(dead)),
            Stage::Over(ending) => ("over", Some(&**ending), None),
        };
        let counted = ending.and_then(|ending| ending.count.as_ref());
        let dead = agreed.or(counted.map(|(dead, _)| dead));
        let proposed = agreed.map(|dead| Count::of(position, dead));
        let shown = proposed.as_ref().or(counted.map(|(_, count)| count));
        let ownership = shown.map(|count| ownership(position, |point| count.owner.owner(point)));
        let proposal = agreed.map(|dead| {
            let lead = score(position, dead).lead_black();
            GameResult::from_lead(lead).to_string()
        });
        let start = position.earlier_board(position.turn());
        let at_start = |color| {
            let stones = stones(&start).into_iter();
            let own = stones.filter(|stone| stone.1 == color);
            own.map(|(point, _)| point.to_string()).collect()
        };
        View {
            size: [position.size().width(), position.size().height()],
            setup: Color::BOTH.map(at_start),
            moves: position
                .moves()
                .map(|(color, mv)| (color.letter(), mv.to_string()))
                .collect(),
            to_move: position.to_move().letter(),
            rules: rules_json::in_words(position.rules()),
            komi: position.komi().points(),
            handicap: position.handicap_stones(),
            seats: Color::BOTH.map(|color| &game.seats[color]),
            names: Color::BOTH.map(|color| heading.name(color)),
            event: loaded.and_then(|record| record.event.as_deref()),
            date: loaded.and_then(|record| record.date.as_deref()),
            stated_result: heading.result().map(|result| result.to_string()),
            comments: comments(game),
            remarks: &game.remarks,
            stage,
            dead: dead.map(names).unwrap_or_default(),
            proposal,
            result: ending.map(|ending| ending.result.to_string()),
            result_in_words: ending.map(|ending| in_words(ending.result)),
            accounts: ending.map_or(&[], |ending| &ending.accounts),
            ownership,
            is_busy,
            fault: game.fault.as_deref(),
            has_left: game.has_left(),
            is_set_up: game.is_set_up(),
            course: game.course,
            values: game.values(),
            branches: branches.collect(),
            is_game: game.tree.is_game(),
            clocks: game.clocks_view(),
        }
    }

    /// As JSON in one line.
    pub(super) fn text(&self) -> String {
        // All of it can be said in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn ownership(position: &Position, owner: impl Fn(crate::go::Point) -> Option<Color>) -> String {
    let letter = |point| owner(point).map_or('-', Color::letter);
    position.size().points().map(letter).collect()
}

fn branches_at(game: &Game, turn: usize) -> Vec<BranchView> {
    let branches = game.tree.branches(turn).into_iter();
    let view = |branch: Branch| BranchView {
        r#move: (branch.color.letter(), branch.mv.to_string()),
        is_shown: branch.is_shown,
    };
    branches.map(view).collect()
}

/// The comments of the line.
fn comments(game: &Game) -> BTreeMap<usize, Cow<'_, str>> {
    let comments = game.tree.line().map(|node| &*node.comment).enumerate();
    let comments: Vec<(usize, &str)> = comments.filter(|(_, text)| !text.is_empty()).collect();
    let most = most_bytes(comments.iter().map(|(_, text)| text.len()).collect());
    let shown = comments.into_iter().map(|(turn, text)| {
        let shown = match text.len() > most {
            true => Cow::Owned(format!("{}…", &text[..text.floor_char_boundary(most)])),
            false => Cow::Borrowed(text),
        };
        (turn, shown)
    });
    shown.collect()
}

/// Up to how many bytes texts of these lengths are shown, so that there are at most [`MOST_COMMENTS`].
fn most_bytes(mut lengths: Vec<usize>) -> usize {
    lengths.sort_unstable();
    let (mut left, mut texts) = (MOST_COMMENTS, lengths.len());
    for length in lengths {
        let share = left / texts;
        if length > share {
            return share;
        }
        (left, texts) = (left - length, texts - 1);
    }
    usize::MAX
}
