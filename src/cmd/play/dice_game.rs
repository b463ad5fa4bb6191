//! A game with dice in the terminal.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use rand::rngs::SysRng;
use rand::{SeedableRng, TryRng};
use rand_chacha::ChaCha8Rng;

use super::board_game::Play;
use super::commands::Usage;
use super::other_arguments::{DiceChoice, Seat};
use super::other_dialogue::{OtherGame, converse};
use super::own_file::{OwnFile, Saved};
use super::prompt::listed;
use super::record_file::RecordFile;
use crate::cmd::board_games::{DiceTask, dice_position_or_initial, read_file};
use crate::cmd::settings;
use crate::console::say;
use crate::files;
use crate::games::dice_game::{DiceGame, DicePlayer, DiceResult, Pair, RatedPlay, Rolled, thrown};
use crate::search::game::Side;

/// Plays that a hint shows.
const HINTS: usize = 5;

const DICE_HELP: &str = "Dice are yours to throw: type them as 31 when asked; undo takes them back";

impl DiceTask for Play<'_> {
    fn run_with_dice<G: DiceGame>(&self) -> Result<()> {
        let options = self.options;
        ensure!(
            options.nodes.is_none(),
            "--nodes is not for games with dice: --opponent 'net depth=2' looks further"
        );
        let variant = options.variant.as_deref();
        let start: G = dice_position_or_initial(variant, options.position.as_deref())?;
        let opponent = options.opponent.as_deref().unwrap_or(G::OPPONENT);
        let player = G::player(opponent, &read_file).with_context(|| {
            format!(
                "there is no player '{opponent}'; there are {}",
                G::PLAYERS.join(", ")
            )
        })??;
        let seed = match options.dice_seed {
            Some(seed) => seed,
            None => SysRng
                .try_next_u64()
                .context("the system gives no random numbers")?,
        };
        let mut game = Game {
            player,
            random: ChaCha8Rng::seed_from_u64(seed),
            throws: options.dice.unwrap_or(DiceChoice::Thrown),
            seat: options.side.unwrap_or(Seat::First),
            file: RecordFile::new(self.save, variant.map(|_| start.title())),
            recorded: None,
            initial: start.start_of_variant(),
            position: start.clone(),
            start,
            turns: Vec::new(),
            before: Vec::new(),
        };
        if let Some(file) = self.load {
            game.load(file)?;
        }
        if game.throws == DiceChoice::Entered {
            say(format_args!("{DICE_HELP}"))?;
        }
        converse(&mut game)
    }
}

/// A game in progress.
struct Game<G: DiceGame> {
    player: Box<dyn DicePlayer<G>>,
    random: ChaCha8Rng,
    throws: DiceChoice,
    seat: Seat,
    file: RecordFile,
    /// The result that the record gave which was loaded last.
    recorded: Option<DiceResult>,
    /// Where games of this variant begin.
    initial: G,
    start: G,
    position: G,
    turns: Vec<Rolled<G::Play>>,
    /// Positions before each turn, with their dice.
    before: Vec<G>,
}

impl<G: DiceGame> Game<G> {
    /// The first roll decides who begins, so it is no double.
    fn check_first(&self, dice: Pair) -> Result<()> {
        let is_first = self.turns.is_empty() && self.start == self.initial;
        ensure!(
            !is_first || dice[0] != dice[1],
            "the first roll of a game is no double"
        );
        Ok(())
    }

    fn throw(&mut self) {
        loop {
            let dice = thrown(&mut self.random);
            if self.check_first(dice).is_ok() {
                self.position = self.position.rolled(dice);
                return;
            }
        }
    }

    /// Dice have come or are taken back, which the file is to have, so that nobody throws again. A game that has only
    /// begun replaces no other in the file.
    fn note_dice(&mut self) {
        if !self.turns.is_empty() {
            self.own_file().note_more();
        }
    }

    fn side(&self) -> &'static str {
        G::SIDES[self.position.to_move() as usize]
    }

    fn rated(&mut self) -> Vec<RatedPlay<G::Play>> {
        self.player.rated(&self.position)
    }

    fn play(&mut self, play: G::Play) {
        self.file.change(self.turns.len());
        self.make(play);
    }

    fn make(&mut self, play: G::Play) {
        let dice = self.position.dice().unwrap_or_default();
        self.before.push(self.position.clone());
        self.position = self.position.after(&play);
        self.turns.push(Rolled { dice, play });
    }

    fn restart(&mut self, start: G) {
        self.position = start.clone();
        self.start = start;
        self.turns.clear();
        self.before.clear();
    }

    /// How the game ended. A game that is given up counts as a single one.
    fn result(&self) -> Option<DiceResult> {
        let given_up = self.file.resigned().map(|loser| DiceResult {
            winner: !loser,
            points: 1,
            by: "resignation",
        });
        given_up.or_else(|| self.position.result())
    }
}

impl<G: DiceGame> Saved for Game<G> {
    const RECORDS: &'static str = G::RECORDS;

    fn own_file(&mut self) -> &mut OwnFile {
        &mut self.file.own
    }

    fn write(&self, file: &Path) -> Result<()> {
        let heading = self.file.heading();
        // Where something has been played since, the heading has no result any more.
        let recorded = self.recorded.filter(|_| heading.result.is_some());
        let result = self.result().or(recorded);
        let dice = self.position.dice();
        let record = G::write_record(&self.start, &self.turns, dice, result, &heading.details);
        files::write_whole(file, record.as_bytes(), true)
    }
}

impl<G: DiceGame> OtherGame for Game<G> {
    const SIDES: [&'static str; 2] = G::SIDES;
    const MOVE: Usage = ("8/5 6/5", "play it; also bar/22 and 6/off");

    fn record_mut(&mut self) -> &mut RecordFile {
        &mut self.file
    }

    fn to_move(&self) -> Side {
        self.position.to_move()
    }

    /// A person may be to enter the program's dice.
    fn persons_side(&self) -> Side {
        let side = self.to_move();
        match self.seat.has(side, Side::First) {
            true => side,
            false => !side,
        }
    }

    /// A play of a person's dice, or dice; where dice are thrown they come first.
    fn is_to_enter(&self) -> bool {
        match self.position.dice() {
            Some(_) => self.seat.has(self.to_move(), Side::First),
            None => self.throws == DiceChoice::Entered,
        }
    }

    fn is_over(&self) -> bool {
        self.result().is_some()
    }

    /// Throws dice and plays for the program, until a person has something to type or the game is over.
    fn go_on(&mut self) -> Result<()> {
        loop {
            if self.is_over() {
                return self.show();
            }
            if self.position.dice().is_none() && self.throws == DiceChoice::Entered {
                self.show()?;
                return say(format_args!("dice for {}?", self.side()));
            }
            if self.position.dice().is_none() {
                self.throw();
                self.note_dice();
                self.keep_or_tell()?;
            }
            let plays = self.position.plays();
            let is_forced = plays.len() == 1 && G::is_pass(&plays[0]);
            if !is_forced && self.seat.has(self.position.to_move(), Side::First) {
                return self.show();
            }
            let play = match is_forced {
                true => plays[0].clone(),
                false => self.rated().swap_remove(0).play,
            };
            let [one, other] = self.position.dice().unwrap_or_default();
            let what = if is_forced {
                "cannot move".to_owned()
            } else {
                format!("plays {}", G::play_text(&play))
            };
            say(format_args!(
                "{} rolls {one}-{other} and {what}",
                self.side()
            ))?;
            self.play(play);
            self.keep_or_tell()?;
        }
    }

    fn show(&self) -> Result<()> {
        say(format_args!("{}", self.position.diagram()))?;
        let Some(result) = self.result() else {
            return Ok(());
        };
        let winner = G::SIDES[result.winner as usize];
        say(format_args!("{winner} has won: {}", result.by))
    }

    /// Dice where they are wanted, otherwise a play.
    fn enter(&mut self, line: &str) -> Result<()> {
        if self.position.dice().is_some() {
            let play = self.position.read_play(line)?;
            self.play(play);
            return Ok(());
        }
        let text = line.strip_prefix("roll").unwrap_or(line).trim();
        let dice = settings::dice(text).map_err(|error| anyhow::anyhow!("{error}"))?;
        self.check_first(dice)?;
        self.position = self.position.rolled(dice);
        self.note_dice();
        Ok(())
    }

    /// Takes back dice that were entered and are not played yet, otherwise turns until a person is to play the same
    /// dice again.
    fn undo(&mut self) -> Result<()> {
        let unrolled = match (self.before.last(), self.turns.last()) {
            (Some(before), Some(turn)) => before.after(&turn.play),
            _ => self.start.clone(),
        };
        let has_dice = self.position.dice().is_some() && unrolled.dice().is_none();
        if has_dice && self.throws == DiceChoice::Entered {
            self.position = unrolled;
            self.note_dice();
            return Ok(());
        }
        let is_choice = |position: &G| !position.plays().iter().all(|play| G::is_pass(play));
        let last = self.before.iter().rposition(|position| {
            self.seat.has(position.to_move(), Side::First) && is_choice(position)
        });
        let last = last.context("there is no play to take back")?;
        self.position = self.before[last].clone();
        self.before.truncate(last);
        self.turns.truncate(last);
        self.file.change(last);
        Ok(())
    }

    fn begin(&mut self) {
        self.restart(self.initial.clone());
    }

    fn hint(&mut self) -> Result<()> {
        ensure!(self.position.dice().is_some(), "there are no dice yet");
        let rated = self.rated();
        let best = rated[0].equity;
        for (index, rated) in rated.iter().take(HINTS).enumerate() {
            let RatedPlay {
                play,
                equity,
                depth,
            } = rated;
            let behind = match index {
                0 => String::new(),
                _ => format!(" ({:+.3})", equity - best),
            };
            say(format_args!(
                "{}. {:24} equity {equity:+.3}{behind}, depth {depth}",
                index + 1,
                G::play_text(play)
            ))?;
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<()> {
        say(format_args!("{}", self.player.opinion(&self.position)))
    }

    fn list_moves(&self) -> Result<()> {
        ensure!(self.position.dice().is_some(), "there are no dice yet");
        let texts: Vec<String> = self.position.plays().iter().map(G::play_text).collect();
        say(format_args!("{}", listed(&texts)))
    }

    fn position_text(&self) -> String {
        self.position.text()
    }

    fn load(&mut self, file: &Path) -> Result<()> {
        let text = files::read_text(file)?;
        let record = G::read_record(&text).with_context(|| file.display().to_string())?;
        self.file
            .load(file, &record.start.title(), G::read_heading(&text))?;
        self.recorded = G::read_result(&text);
        self.initial = record.start.start_of_variant();
        self.restart(record.start);
        for turn in record.turns {
            self.position = self.position.rolled(turn.dice);
            self.make(turn.play);
        }
        if let Some(dice) = record.dice {
            self.position = self.position.rolled(dice);
        }
        Ok(())
    }
}
