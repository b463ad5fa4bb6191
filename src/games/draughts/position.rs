//! Positions of draughts as the search sees them.

use super::board::{DIRECTIONS, Layout, Squares, Standing, each};
use super::captures;
use super::variant::{DrawRule, Variant};
use crate::minimax::{Position, Score, Verdict, Wanted};
use crate::search::game::Side;
use crate::splitmix::splitmix;

/// Worth of captured pieces at first sight, in hundredths of a man.
const MAN: Score = 100;
const KING: Score = 300;

/// No rule about endings ends a game in fewer plies.
const SHORTEST_LIMIT: u16 = 10;

const WHITE: usize = 0;
const BLACK: usize = 1;

/// A move. Captures with the same squares and captured pieces are one move, whatever the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DraughtsMove {
    /// The square that the piece leaves.
    pub from: Squares,
    /// Where it ends.
    pub to: Squares,
    /// Squares of the captured pieces.
    pub captured: Squares,
    /// Whether a man becomes a king.
    pub promotes: bool,
}

/// A position without its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraughtsPosition {
    variant: &'static Variant,
    layout: &'static Layout,
    /// Men and kings of White and Black.
    pieces: [Squares; 2],
    kings: Squares,
    /// Sums over the men of White and Black.
    standing: [Standing; 2],
    white_moves: bool,
    /// Plies by kings since the last capture or move of a man.
    king_plies: u16,
    /// Plies since the last capture, or crowning where the rule of draws counts from there.
    quiet_plies: u16,
    /// Plies since one side has only a king left against few pieces, see [`DrawRule`].
    ending_plies: u16,
    key: u64,
}

impl DraughtsPosition {
    /// The initial position of a variant.
    pub fn start(variant: &'static Variant) -> DraughtsPosition {
        let layout = Layout::shared(variant);
        let side = u32::from(variant.side);
        let rows =
            |rows: &mut dyn Iterator<Item = u32>| rows.fold(0, |all, row| all | layout.row(row));
        let black = rows(&mut (0..u32::from(variant.rows)));
        let white = rows(&mut (side - u32::from(variant.rows)..side));
        DraughtsPosition::new(variant, [white, black], 0, variant.white_first)
    }

    /// A position with these pieces of White and Black, of which some are kings.
    pub fn new(
        variant: &'static Variant,
        pieces: [Squares; 2],
        kings: Squares,
        white_moves: bool,
    ) -> DraughtsPosition {
        let mut position = DraughtsPosition {
            variant,
            layout: Layout::shared(variant),
            pieces,
            kings: kings & (pieces[WHITE] | pieces[BLACK]),
            standing: [Standing(0); 2],
            white_moves,
            king_plies: 0,
            quiet_plies: 0,
            ending_plies: 0,
            key: 0,
        };
        position.key = position.key_of_all();
        position.standing = [true, false].map(|is_white| position.standing_of_all(is_white));
        position
    }

    /// The rules.
    pub fn variant(&self) -> &'static Variant {
        self.variant
    }

    /// The layout of the board.
    pub fn layout(&self) -> &Layout {
        self.layout
    }

    /// Men and kings of a side.
    pub fn pieces(&self, is_white: bool) -> Squares {
        self.pieces[if is_white { WHITE } else { BLACK }]
    }

    /// Kings of both sides.
    pub fn kings(&self) -> Squares {
        self.kings
    }

    /// Sums over the men of a side.
    pub fn standing(&self, is_white: bool) -> Standing {
        self.standing[if is_white { WHITE } else { BLACK }]
    }

    /// Whether White is to move.
    pub fn white_moves(&self) -> bool {
        self.white_moves
    }

    /// Pieces of the side to move.
    pub fn own(&self) -> Squares {
        self.pieces(self.white_moves)
    }

    /// Pieces of the other side.
    pub fn others(&self) -> Squares {
        self.pieces(!self.white_moves)
    }

    /// Squares without a piece.
    pub fn empty(&self) -> Squares {
        self.layout.all & !(self.pieces[WHITE] | self.pieces[BLACK])
    }

    /// Whether there is a king on a square.
    pub fn is_king(&self, square: Squares) -> bool {
        self.kings & square != 0
    }

    /// Where men of the side to move become kings.
    pub fn last_row(&self) -> Squares {
        self.layout.last_row(self.white_moves)
    }

    /// Whether the side to move must capture.
    pub fn must_capture(&self) -> bool {
        self.capturing() != 0
    }

    /// Whether the other side could capture if it were to move.
    pub fn threatens(&self) -> bool {
        let turned = DraughtsPosition {
            white_moves: !self.white_moves,
            ..self.clone()
        };
        turned.must_capture()
    }

    /// Pieces of the side to move that can capture.
    pub(super) fn capturing(&self) -> Squares {
        let (own, others, empty) = (self.own(), self.others(), self.empty());
        let (men, kings) = (own & !self.kings, own & self.kings);
        let takeable = match self.variant.men_take_kings {
            true => others,
            false => others & !self.kings,
        };
        let mut capturing = 0;
        for direction in 0..DIRECTIONS {
            // Seen from an empty square behind the piece that is taken.
            let back = DIRECTIONS - 1 - direction;
            let over = self.layout.step(empty, back) & others;
            let is_forward = (direction < DIRECTIONS / 2) == self.white_moves;
            if is_forward || self.variant.men_capture_back {
                capturing |= self.layout.step(over & takeable, back) & men;
            }
            if kings != 0 {
                let mut front = self.layout.step(over, back);
                capturing |= front & kings;
                while self.variant.flying && front & empty != 0 {
                    front = self.layout.step(front & empty, back);
                    capturing |= front & kings;
                }
            }
        }
        capturing
    }

    /// Appends the moves that capture nothing; with `crowning` only those of men that become kings.
    fn steps(&self, crowning: bool, list: &mut Vec<DraughtsMove>) {
        let (own, empty) = (self.own(), self.empty());
        let last_row = self.last_row();
        let (men, kings) = (own & !self.kings, own & self.kings);
        let targets = if crowning { empty & last_row } else { empty };
        let kings = if crowning { 0 } else { kings };
        let quiet = |from, to| DraughtsMove {
            from,
            to,
            captured: 0,
            promotes: false,
        };
        for direction in 0..DIRECTIONS {
            if (direction < DIRECTIONS / 2) == self.white_moves {
                for to in each(self.layout.step(men, direction) & targets) {
                    let from = self.layout.step(to, DIRECTIONS - 1 - direction);
                    list.push(DraughtsMove {
                        promotes: to & last_row != 0,
                        ..quiet(from, to)
                    });
                }
            }
            for from in each(kings) {
                let mut to = self.layout.step(from, direction) & empty;
                while to != 0 {
                    list.push(quiet(from, to));
                    let goes_on = if self.variant.flying { empty } else { 0 };
                    to = self.layout.step(to, direction) & goes_on;
                }
            }
        }
    }

    /// Number of moves that capture nothing.
    fn count_steps(&self) -> usize {
        let (own, empty) = (self.own(), self.empty());
        let (men, kings) = (own & !self.kings, own & self.kings);
        let mut count = 0;
        for direction in 0..DIRECTIONS {
            if (direction < DIRECTIONS / 2) == self.white_moves {
                count += (self.layout.step(men, direction) & empty).count_ones();
            }
            let mut front = self.layout.step(kings, direction) & empty;
            while front != 0 {
                count += front.count_ones();
                let goes_on = if self.variant.flying { empty } else { 0 };
                front = self.layout.step(front, direction) & goes_on;
            }
        }
        count as usize
    }

    fn standing_of_all(&self, is_white: bool) -> Standing {
        let men = each(self.pieces(is_white) & !self.kings);
        Standing(men.map(|man| self.layout.standing(is_white, man).0).sum())
    }

    fn key_of_all(&self) -> u64 {
        let of_side = |is_white| {
            let keys = each(self.pieces(is_white));
            keys.fold(0, |key, square| {
                key ^ number(is_white, self.is_king(square), square)
            })
        };
        let mover = if self.white_moves { 0 } else { BLACK_MOVES };
        of_side(true) ^ of_side(false) ^ mover ^ self.variant_key()
    }

    /// So that positions of different variants differ.
    fn variant_key(&self) -> u64 {
        mixed(1_000 + self.variant.index() as u64)
    }

    /// The longest that an ending with a lone king may last, in plies, if it is one of those that
    /// [`DrawRule::International`] and [`DrawRule::Russian`] count.
    fn ending_limit(&self) -> Option<u16> {
        if !matches!(
            self.variant.draws,
            DrawRule::International | DrawRule::Russian
        ) {
            return None;
        }
        let lone = self.pieces.iter().position(|own| own.is_power_of_two())?;
        if self.pieces[lone] & self.kings == 0 {
            return None;
        }
        let others = self.pieces[1 - lone];
        let (count, kings) = (others.count_ones(), (others & self.kings).count_ones());
        match self.variant.draws {
            DrawRule::International if kings > 0 && count == 3 => Some(32),
            DrawRule::International if kings > 0 && count < 3 => Some(10),
            DrawRule::Russian if kings >= 3 => Some(30),
            _ => None,
        }
    }

    /// Plies without capture after which a game with this material is drawn.
    fn quiet_limit(&self) -> Option<u16> {
        let [white, black] = self.pieces.map(Squares::count_ones);
        match self.variant.draws {
            DrawRule::NoCapture(moves) => Some(2 * moves),
            DrawRule::Russian => {
                let kings = self.pieces.map(|own| (own & self.kings).count_ones());
                let has_lone_king =
                    (white == 1 && kings[WHITE] == 1) || (black == 1 && kings[BLACK] == 1);
                match white + black {
                    ..=3 if has_lone_king => Some(10),
                    4..=5 if !kings.contains(&0) => Some(60),
                    6..=7 if !kings.contains(&0) => Some(120),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Plies by kings without capture after which a game is drawn.
    fn king_limit(&self) -> Option<u16> {
        match self.variant.draws {
            DrawRule::International => Some(50),
            DrawRule::Russian => Some(30),
            DrawRule::KingMoves(moves) => Some(2 * moves),
            DrawRule::NoCapture(_) => None,
        }
    }

    /// Plies that may still be played before the game is drawn by their number, if none of them is a capture.
    pub fn plies_left(&self) -> u16 {
        let limits = [
            (self.king_plies, self.king_limit()),
            (self.quiet_plies, self.quiet_limit()),
            (self.ending_plies, self.ending_limit()),
        ];
        let left =
            limits.map(|(plies, limit)| limit.map_or(u16::MAX, |it| it.saturating_sub(plies)));
        left.into_iter().min().unwrap_or(u16::MAX)
    }

    fn is_drawn(&self) -> bool {
        let is_over = |plies: u16, limit: Option<u16>| limit.is_some_and(|limit| plies >= limit);
        is_over(self.king_plies, self.king_limit())
            || self.quiet_plies >= SHORTEST_LIMIT && is_over(self.quiet_plies, self.quiet_limit())
            || self.ending_plies >= SHORTEST_LIMIT
                && is_over(self.ending_plies, self.ending_limit())
    }
}

impl Position for DraughtsPosition {
    type Move = DraughtsMove;
    const SHAPES: usize = 128;

    #[inline]
    fn to_move(&self) -> Side {
        match self.white_moves {
            true => Side::First,
            false => Side::Second,
        }
    }

    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    fn moves(&self, wanted: Wanted, list: &mut Vec<DraughtsMove>) {
        match self.must_capture() {
            true => captures::append(self, list),
            false => self.steps(wanted == Wanted::Forcing, list),
        }
    }

    fn has_moves(&self) -> bool {
        self.must_capture() || self.count_steps() > 0
    }

    fn count(&self, list: &mut Vec<DraughtsMove>) -> usize {
        if !self.must_capture() {
            return self.count_steps();
        }
        let start = list.len();
        captures::append(self, list);
        let count = list.len() - start;
        list.truncate(start);
        count
    }

    #[inline]
    fn play(&mut self, mv: DraughtsMove) {
        let (is_white, was_king) = (self.white_moves, self.is_king(mv.from));
        let is_king = was_king || mv.promotes;
        let [own, other] = match is_white {
            true => [WHITE, BLACK],
            false => [BLACK, WHITE],
        };
        let limit_before = self.ending_limit();
        for square in each(mv.captured) {
            let is_king = self.is_king(square);
            self.key ^= number(!is_white, is_king, square);
            if !is_king {
                self.standing[other].0 -= self.layout.standing(!is_white, square).0;
            }
        }
        if !was_king {
            self.standing[own].0 -= self.layout.standing(is_white, mv.from).0;
        }
        if !is_king {
            self.standing[own].0 += self.layout.standing(is_white, mv.to).0;
        }
        self.key ^= number(is_white, was_king, mv.from) ^ number(is_white, is_king, mv.to);
        self.key ^= BLACK_MOVES;
        self.pieces[other] &= !mv.captured;
        self.pieces[own] = self.pieces[own] & !mv.from | mv.to;
        self.kings &= !(mv.captured | mv.from);
        if is_king {
            self.kings |= mv.to;
        }
        self.white_moves = !is_white;
        let next = |plies: u16, goes_on: bool| if goes_on { plies.saturating_add(1) } else { 0 };
        let is_quiet = mv.captured == 0;
        self.king_plies = next(self.king_plies, is_quiet && was_king);
        let keeps_balance = is_king == was_king || self.variant.draws != DrawRule::Russian;
        self.quiet_plies = next(self.quiet_plies, is_quiet && keeps_balance);
        let limit = self.ending_limit();
        // The move that brings an ending about does not count.
        let goes_on = limit_before.is_some() && limit.is_some();
        self.ending_plies = next(self.ending_plies, goes_on);
        if let (Some(before), Some(now)) = (limit_before, limit) {
            // A capture leaves as many moves as the ending had before, but no more than the new one has.
            let spent = before.saturating_sub(now);
            self.ending_plies = self.ending_plies.saturating_sub(spent);
        }
    }

    fn verdict(&self, is_stuck: bool) -> Option<Verdict> {
        let is_drawn = self.is_drawn();
        // The side that cannot move has lost, even where the number of moves is used up.
        if is_stuck || is_drawn && !self.has_moves() {
            return Some(Verdict::Lost);
        }
        is_drawn.then_some(Verdict::Drawn)
    }

    #[inline]
    fn is_settled(&self) -> bool {
        !self.must_capture()
    }

    fn reversible(&self) -> u32 {
        self.king_plies.into()
    }

    #[inline]
    fn gain(&self, mv: DraughtsMove) -> Score {
        let crowned = if mv.promotes { KING - MAN } else { 0 };
        if mv.captured == 0 {
            return crowned;
        }
        let kings = (mv.captured & self.kings).count_ones() as Score;
        let men = mv.captured.count_ones() as Score - kings;
        men * MAN + kings * KING + crowned
    }

    /// Ways to capture different pieces between the same squares may share a number.
    #[inline]
    fn code(&self, mv: DraughtsMove) -> u16 {
        const NONE: u64 = mixed(0) >> 60;
        let way = match mv.captured {
            0 => NONE,
            captured => mixed(captured) >> 60,
        };
        (mv.from.trailing_zeros() as u16 + 1)
            | (mv.to.trailing_zeros() as u16) << 6
            | (way as u16) << 12
    }

    #[inline]
    fn shape(&self, mv: DraughtsMove) -> usize {
        usize::from(self.is_king(mv.from)) * 64 + mv.to.trailing_zeros() as usize
    }
}

/// The part of the hash that says whose move it is; the number is none of those mixed for pieces and variants.
const BLACK_MOVES: u64 = mixed(2_000);

/// The hash of a piece on a square.
fn number(is_white: bool, is_king: bool, square: Squares) -> u64 {
    static NUMBERS: [u64; 256] = {
        let mut numbers = [0; 256];
        let mut index = 0;
        while index < numbers.len() {
            numbers[index] = mixed(index as u64);
            index += 1;
        }
        numbers
    };
    let piece = 2 * usize::from(is_white) + usize::from(is_king);
    NUMBERS[64 * piece + (square.trailing_zeros() as usize & 63)]
}

/// A hash.
const fn mixed(number: u64) -> u64 {
    splitmix(0, number.wrapping_add(1))
}
