//! The conditions of games, and what matches have to know of a game.

use maud::{Markup, html};
use serde::{Deserialize, Serialize};

use super::player::DiceContestant;
use super::referee;
use crate::arena::contest::GameReport;
use crate::arena::played::PlayedGame;
use crate::arena::terms::{Terms, color_of};
use crate::games::dice_game::{DiceGame, DiceResult, Rolled};
use crate::games::record::Details;
use crate::go::result::GameResult;
use crate::go::{Color, PerColor};
use crate::search::game::Side;

/// Conditions of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct DiceConditions<G> {
    /// The initial position.
    pub initial: G,
    /// Seed of the dice.
    pub seed: u64,
    /// Turns of both sides after which a game is a draw.
    pub max_moves: usize,
}

/// The conditions as stored in the log of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiceSettings {
    /// The game with its variant.
    pub game: String,
    /// The initial position.
    pub position: String,
    /// Seed of the dice.
    pub seed: u64,
    /// Turns after which a game is a draw.
    pub max_moves: usize,
}

/// The dice of a pair of games.
#[derive(Clone, Debug, PartialEq)]
pub struct DiceOpening {
    /// Number of the pair; with the seed it determines the dice.
    pub pair: u64,
    /// Name in reports.
    pub name: String,
}

impl DiceOpening {
    /// The dice of a pair.
    pub fn new(pair: u64) -> DiceOpening {
        DiceOpening {
            pair,
            name: format!("dice {}", pair + 1),
        }
    }
}

/// The turns of a finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct DiceMoves<G: DiceGame> {
    /// Where the game began.
    pub start: G,
    /// Rolls and plays.
    pub turns: Vec<Rolled<G::Play>>,
}

impl<G: DiceGame> DiceMoves<G> {
    /// The position after all turns.
    fn last(&self) -> G {
        let mut position = self.start.clone();
        for turn in &self.turns {
            position = position.rolled(turn.dice).after(&turn.play);
        }
        position
    }
}

impl<G: DiceGame> Terms for DiceConditions<G> {
    type Opening = DiceOpening;
    type Contestant = dyn DiceContestant<G>;
    type Moves = DiceMoves<G>;
    type Settings = DiceSettings;

    const FIRST: Color = Color::White;
    const RECORDS: &'static str = G::RECORDS;

    fn board(&self) -> String {
        self.initial.title()
    }

    fn text(&self) -> String {
        format!("{}, dice of seed {}", self.initial.title(), self.seed)
    }

    fn settings(&self, _openings: &[DiceOpening]) -> DiceSettings {
        DiceSettings {
            game: self.initial.title(),
            position: self.initial.text(),
            seed: self.seed,
            max_moves: self.max_moves,
        }
    }

    fn bare_opening(&self) -> DiceOpening {
        DiceOpening::new(0)
    }

    fn is_bare(&self, _opening: &DiceOpening) -> bool {
        false
    }

    fn opening_name(opening: &DiceOpening) -> &str {
        &opening.name
    }

    fn play(
        &self,
        number: usize,
        opening: &DiceOpening,
        contestants: PerColor<&mut (dyn DiceContestant<G> + 'static)>,
    ) -> anyhow::Result<GameReport<DiceMoves<G>>> {
        referee::play(self, number, opening, contestants)
    }

    /// Words like `W31:8/5,6/5`.
    fn moves_text(moves: &DiceMoves<G>) -> String {
        let mut position = moves.start.clone();
        let mut words = Vec::new();
        for turn in &moves.turns {
            let letter = color_of(position.to_move()).letter();
            let [one, other] = turn.dice;
            let play = G::play_text(&turn.play).replace(' ', ",");
            words.push(format!("{letter}{one}{other}:{play}"));
            position = position.rolled(turn.dice).after(&turn.play);
        }
        words.join(" ")
    }

    fn points(&self, game: &PlayedGame) -> Option<u8> {
        let by = game.remark.as_deref().unwrap_or_default();
        self.initial.points_by(by)
    }

    fn record(&self, report: &GameReport<DiceMoves<G>>, number: usize) -> String {
        let moves = &report.moves;
        let [black, white] = report.names.0.clone();
        let ended = report.ending.remark().unwrap_or_default();
        let details = Details {
            event: "keima match".to_owned(),
            round: number.to_string(),
            white,
            black,
            more: vec![("Termination".to_owned(), ended)],
            comments: Vec::new(),
        };
        let by_fault = match report.ending.result() {
            GameResult::Win(Color::White, _) => Some(Side::First),
            GameResult::Win(Color::Black, _) => Some(Side::Second),
            _ => None,
        };
        let by_fault = by_fault.map(|winner| DiceResult {
            winner,
            points: 1,
            by: "fault",
        });
        let result = moves.last().result().or(by_fault);
        G::write_record(&moves.start, &moves.turns, None, result, &details)
    }

    fn picture(&self, game: &PlayedGame) -> Option<Markup> {
        let mut position = self.initial.clone();
        for word in game.moves.split_whitespace() {
            let (dice, play) = word.get(1..)?.split_once(':')?;
            let dice: Vec<u8> = dice.bytes().map(|digit| digit.wrapping_sub(b'0')).collect();
            let dice: [u8; 2] = dice.try_into().ok()?;
            if !dice.iter().all(|die| (1..=6).contains(die)) {
                return None;
            }
            let rolled = position.rolled(dice);
            position = rolled.after(&rolled.read_play(play).ok()?);
        }
        Some(html! { pre { (position.diagram()) } })
    }
}
