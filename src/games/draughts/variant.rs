//! Variants of draughts: one table, after the rule books of their federations.

use anyhow::{Result, bail};

/// Which of several captures may be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureRule {
    /// Any.
    Any,
    /// If a king can take, a king must.
    KingFirst,
    /// One that takes the most pieces.
    MostPieces,
    /// The most pieces, and of these the most kings.
    MostPiecesThenKings,
    /// The most pieces, of these with a king, of these the most kings, of these kings earliest.
    Italian,
}

/// When a game is drawn, repetitions aside. Moves are those of each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawRule {
    /// 25 moves by kings only without capture; 16 with three pieces, a king among them, against one
    /// king; 5 with fewer. The last two go on counting through captures.
    International,
    /// 15 moves by kings only without capture, and with three kings or more against one; without a
    /// capture or crowning 5 moves with two pieces against one king, and where both sides have kings 30 with 4 or 5
    /// pieces on the board, 60 with 6 or 7 (rules of the FMJD for 64 squares, 7.2.6). That three pieces against a
    /// king on the long diagonal have 5 moves only (7.2.7) is not applied: they cannot win.
    Russian,
    /// This many moves by kings only without capture.
    KingMoves(u16),
    /// This many moves without capture.
    NoCapture(u16),
}

/// The rules of a variant.
#[derive(Debug, PartialEq, Eq)]
pub struct Variant {
    /// Name on the command line.
    pub name: &'static str,
    /// Number in the tag GameType of game records.
    pub pdn_type: u8,
    /// Squares on a side of the board.
    pub side: u8,
    /// Rows of men at the start.
    pub rows: u8,
    /// Whether the long diagonal begins on the right of each player.
    pub is_mirrored: bool,
    /// Whether square 1 is White's, at the lower right; otherwise it is Black's, at the upper left.
    pub numbered_from_white: bool,
    /// Whether White moves first.
    pub white_first: bool,
    /// Whether men capture backwards too.
    pub men_capture_back: bool,
    /// Whether kings move over any distance.
    pub flying: bool,
    /// Whether men may take kings.
    pub men_take_kings: bool,
    /// Whether a man that reaches the last row while capturing goes on as a king; otherwise it is
    /// crowned only where its move ends.
    pub crowned_at_once: bool,
    /// Whether captured pieces leave the board one by one, so that a king may land anywhere behind
    /// each; otherwise they stay to the end of the move, and a king lands where it can go on.
    pub leaves_at_once: bool,
    /// Which captures may be played.
    pub captures: CaptureRule,
    /// When a game is drawn.
    pub draws: DrawRule,
    /// The number of the set of values that the evaluation has for patterns of men (`patterns`).
    pub patterns: usize,
}

const INTERNATIONAL: Variant = Variant {
    name: "international",
    pdn_type: 20,
    side: 10,
    rows: 4,
    is_mirrored: false,
    numbered_from_white: false,
    white_first: true,
    men_capture_back: true,
    flying: true,
    men_take_kings: true,
    crowned_at_once: false,
    leaves_at_once: false,
    captures: CaptureRule::MostPieces,
    draws: DrawRule::International,
    patterns: 0,
};

const CZECH: Variant = Variant {
    name: "czech",
    pdn_type: 29,
    side: 8,
    rows: 3,
    men_capture_back: false,
    captures: CaptureRule::KingFirst,
    draws: DrawRule::NoCapture(15),
    patterns: 2,
    ..INTERNATIONAL
};

/// All variants, the default first.
pub static VARIANTS: [Variant; 8] = [
    INTERNATIONAL,
    Variant {
        name: "english",
        pdn_type: 21,
        white_first: false,
        flying: false,
        captures: CaptureRule::Any,
        draws: DrawRule::KingMoves(40),
        patterns: 3,
        ..CZECH
    },
    Variant {
        name: "italian",
        pdn_type: 22,
        is_mirrored: true,
        flying: false,
        men_take_kings: false,
        captures: CaptureRule::Italian,
        draws: DrawRule::KingMoves(40),
        patterns: 3,
        ..CZECH
    },
    Variant {
        name: "spanish",
        pdn_type: 24,
        is_mirrored: true,
        numbered_from_white: true,
        captures: CaptureRule::MostPiecesThenKings,
        draws: DrawRule::KingMoves(25),
        ..CZECH
    },
    Variant {
        name: "russian",
        pdn_type: 25,
        men_capture_back: true,
        crowned_at_once: true,
        captures: CaptureRule::Any,
        draws: DrawRule::Russian,
        patterns: 1,
        ..CZECH
    },
    Variant {
        name: "brazilian",
        pdn_type: 26,
        men_capture_back: true,
        captures: CaptureRule::MostPieces,
        draws: DrawRule::Russian,
        patterns: 1,
        ..CZECH
    },
    CZECH,
    Variant {
        name: "dama8",
        rows: 2,
        leaves_at_once: true,
        ..CZECH
    },
];

impl Variant {
    /// The variant of this name, by default international draughts.
    pub fn named(name: Option<&str>) -> Result<&'static Variant> {
        let Some(name) = name else {
            return Ok(&VARIANTS[0]);
        };
        let found = VARIANTS.iter().find(|variant| variant.name == name);
        let Some(found) = found else {
            let names: Vec<&str> = VARIANTS.iter().map(|variant| variant.name).collect();
            bail!(
                "there is no variant '{name}' of draughts; there are {}",
                names.join(", ")
            );
        };
        Ok(found)
    }

    /// Its place among [`VARIANTS`].
    pub(super) fn index(&self) -> usize {
        let place = VARIANTS.iter().position(|its| its.name == self.name);
        place.unwrap_or_default()
    }

    /// Number of squares that are played on.
    pub fn squares(&self) -> usize {
        usize::from(self.side) * usize::from(self.side) / 2
    }
}
