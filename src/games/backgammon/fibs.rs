//! Positions as text: the `board:` lines of the First Internet Backgammon Server (FIBS), which other programs exchange
//! too, and GNU Backgammon's position IDs.
//!
//! In a FIBS line the men of a side have the sign of its color, 1 or -1; the numbers are the men on the places 0 to 25,
//! of which 0 and 25 are bars. The direction is that in which the player named first moves: -1 from 24 to 1. GNU
//! Backgammon has the scores in this order only where a double is offered.

use anyhow::{Context, Result, bail, ensure};

use super::board::{BAR, Board, MEN, Men, men_left, men_off};
use super::match_score::MatchScore;
use super::plays::Dice;
use super::position::{BackgammonPosition, Stakes};
use crate::search::game::Side;

/// A FIBS line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FibsBoard {
    /// The position; the first side is the player that the line is for.
    pub position: BackgammonPosition,
    /// Whether the side to move has doubled, and the other has to answer.
    pub is_double_offered: bool,
    /// The score of a match; none where one plays for money.
    pub score: Option<MatchScore>,
}

/// Number of fields up to the men on the bar.
const FIELDS: usize = 49;

/// Reads a line, with `board:` or without.
pub fn read(line: &str) -> Result<FibsBoard> {
    let line = line.trim();
    let fields: Vec<&str> = line
        .strip_prefix("board:")
        .unwrap_or(line)
        .split(':')
        .collect();
    ensure!(
        fields.len() >= FIELDS - 1,
        "a FIBS board has at least {} fields, this has {}: board:You:opponent:...",
        FIELDS,
        fields.len() + 1
    );
    let number = |index: usize, what: &str| -> Result<i32> {
        let text = fields[index].trim();
        text.parse()
            .with_context(|| format!("{what}: '{}' is no number", text.escape_debug()))
    };
    let color = number(40, "color")?;
    let direction = number(41, "direction")?;
    ensure!(
        color.abs() == 1 && direction.abs() == 1,
        "color and direction are 1 or -1"
    );
    let mut men = [[0; 25]; 2];
    for place in 1..=24 {
        let count = number(5 + place, "men")?;
        let side = usize::from(count.signum() == -color);
        let from_24 = (side == 0) == (direction == -1);
        let index = if from_24 { place - 1 } else { 24 - place };
        men[side][index] = count.unsigned_abs().min(100) as u8;
    }
    let bars = if direction == -1 { [25, 0] } else { [0, 25] };
    for (side, men) in men.iter_mut().enumerate() {
        let count = number(46 + side, "men on the bar")?;
        let count = u8::try_from(count).context("men on the bar are not negative")?;
        // GNU Backgammon says it only among the places.
        let at_place = number(5 + bars[side], "men on the bar")?;
        men[BAR] = count.max(at_place.unsigned_abs().min(100) as u8);
        let total: u32 = men.iter().map(|&count| u32::from(count)).sum();
        ensure!(total <= MEN.into(), "a side has {total} men");
    }
    let turn = match number(31, "turn")? * color {
        0 => bail!("nobody is to move: the game is over"),
        1.. => Side::First,
        _ => Side::Second,
    };
    let dice_at = if turn == Side::First { 32 } else { 34 };
    let dice = [number(dice_at, "dice")?, number(dice_at + 1, "dice")?];
    let [own, other] = men;
    let board = Board::new(own, other);
    let score = match number(2, "match length")? {
        length @ 1.. => {
            let points = [number(3, "score")?, number(4, "score")?];
            MatchScore::new(length, points, number(36, "cube")?)
        }
        _ => None,
    };
    let stakes = if score.is_some_and(|score| score.is_last_game()) {
        Stakes::OnePoint
    } else {
        Stakes::Points
    };
    let position = BackgammonPosition {
        board: if turn == Side::First {
            board
        } else {
            board.turned()
        },
        turn,
        dice: read_dice(dice)?,
        stakes,
    };
    ensure!(
        men_left(&own) > 0 && men_left(&other) > 0,
        "a side has borne off all men: the game is over"
    );
    Ok(FibsBoard {
        position,
        is_double_offered: fields[39].trim() == "1",
        score,
    })
}

fn read_dice([one, other]: [i32; 2]) -> Result<Option<Dice>> {
    if one == 0 && other == 0 {
        return Ok(None);
    }
    let is_die = |die: i32| (1..=6).contains(&die);
    ensure!(
        is_die(one) && is_die(other),
        "dice are from 1 to 6, not {one} and {other}"
    );
    Ok(Some(Dice::new(one as u8, other as u8)))
}

/// The line for the first side, which has color 1 and moves from 24 to 1.
pub fn text(position: &BackgammonPosition, names: [&str; 2]) -> String {
    let (board, is_first) = match position.turn {
        Side::First => (position.board, true),
        Side::Second => (position.board.turned(), false),
    };
    let length = if position.stakes == Stakes::OnePoint {
        1
    } else {
        0
    };
    let mut places = [0; 26];
    for index in 0..24 {
        places[index + 1] = i32::from(board.own[index]) - i32::from(board.opposing(index));
    }
    places[25] = board.own[BAR].into();
    places[0] = -i32::from(board.other[BAR]);
    let dice = position.dice.map_or([0, 0], |dice| [dice.high, dice.low]);
    let [own_dice, other_dice] = if is_first {
        [dice, [0, 0]]
    } else {
        [[0, 0], dice]
    };
    let places: Vec<String> = places.iter().map(i32::to_string).collect();
    let rest: Vec<String> = [
        if is_first { 1 } else { -1 },
        own_dice[0].into(),
        own_dice[1].into(),
        other_dice[0].into(),
        other_dice[1].into(),
        // The cube, who may double, and whether one has. GNU Backgammon takes it for doubled where nobody may.
        1,
        1,
        1,
        0,
        // Color, direction, home, bar.
        1,
        -1,
        0,
        25,
        men_off(&board.own).into(),
        men_off(&board.other).into(),
        board.own[BAR].into(),
        board.other[BAR].into(),
        // Men that can be moved, and three numbers that only servers need.
        0,
        0,
        0,
        0,
    ]
    .iter()
    .map(i32::to_string)
    .collect();
    let [you, opponent] = names.map(|name| name.replace(':', "."));
    format!(
        "board:{you}:{opponent}:{length}:0:0:{}:{}",
        places.join(":"),
        rest.join(":")
    )
}

/// The digits of base 64.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Length of a position ID.
pub const ID_LENGTH: usize = 14;

/// GNU Backgammon's position ID: for each point and the bar as many ones as men and a zero, first of the side that is
/// not to roll, then of the other, in base 64.
pub fn position_id(board: &Board) -> String {
    let mut bytes = [0u8; 11];
    let mut bit = 0;
    for count in board.other.iter().chain(&board.own) {
        for _ in 0..*count {
            bytes[bit / 8] |= 1 << (bit % 8);
            bit += 1;
        }
        bit += 1;
    }
    let digit = |index: usize| {
        let at = index * 6;
        let bits =
            u32::from(bytes[at / 8]) << 16 | u32::from(*bytes.get(at / 8 + 1).unwrap_or(&0)) << 8;
        char::from(DIGITS[(bits >> (18 - at % 8) & 63) as usize])
    };
    (0..ID_LENGTH).map(digit).collect()
}

/// Reads a position ID.
pub fn read_position_id(text: &str) -> Result<Board> {
    let is_no_id = || {
        format!(
            "'{}' is no position ID of {ID_LENGTH} characters",
            text.escape_debug()
        )
    };
    ensure!(text.len() == ID_LENGTH, is_no_id());
    let mut bytes = [0u8; 12];
    for (index, letter) in text.bytes().enumerate() {
        let digit = DIGITS
            .iter()
            .position(|&digit| digit == letter)
            .with_context(is_no_id)?;
        let bits = (digit as u32) << (10 - index * 6 % 8);
        bytes[index * 6 / 8] |= (bits >> 8) as u8;
        bytes[index * 6 / 8 + 1] |= bits as u8;
    }
    let mut men: [Men; 2] = [[0; 25]; 2];
    let mut place = 0;
    for bit in 0..80 {
        if place == 50 {
            break;
        }
        match bytes[bit / 8] >> (bit % 8) & 1 {
            1 => men[place / 25][place % 25] += 1,
            _ => place += 1,
        }
    }
    ensure!(place == 50, is_no_id());
    let [other, own] = men;
    for men in [own, other] {
        ensure!(
            (1..=MEN).contains(&men_left(&men)),
            "a side has {} men",
            men_left(&men)
        );
    }
    let board = Board::new(own, other);
    let is_shared = |index: usize| own[index] > 0 && board.opposing(index) > 0;
    ensure!(!(0..24).any(is_shared), "both sides have men on a point");
    Ok(board)
}
