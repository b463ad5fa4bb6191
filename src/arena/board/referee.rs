//! One game between two players, with a referee that keeps the position and the clocks. A fault of a player
//! loses the game; only a player that cannot start one is an error.

use std::time::Duration;

use anyhow::ensure;

use super::adjudication::Judge;
use super::conditions::{BoardConditions, BoardMoves, BoardOpening};
use super::player::{BoardPlayer, Choice, GameStart, Turn};
use crate::arena::contest::GameReport;
use crate::arena::ending::Ending;
use crate::arena::referee::{Timed, start_both};
use crate::arena::terms::color_of;
use crate::clock::TimeControl;
use crate::games::board_game::{BoardGame, outcome};
use crate::go::{Color, PerColor};
use crate::minimax::Verdict;
use crate::minimax::score::plies_to_end;

/// Plays the game of this number. Fails if the opening ends the game or a player cannot start.
pub(super) fn play<G: BoardGame>(
    conditions: &BoardConditions<G>,
    number: usize,
    opening: &BoardOpening<G>,
    mut players: PerColor<&mut (dyn BoardPlayer<G> + 'static)>,
) -> anyhow::Result<GameReport<BoardMoves<G>>> {
    let names = start_both(|color| {
        let game = GameStart {
            conditions,
            start: &opening.start,
            number,
            color,
        };
        let player = &mut players[color];
        (player.start(&game), player.name().to_owned())
    })?;
    if conditions.time != TimeControl::Unlimited {
        conditions.initial.prepare();
    }
    let mut table = Table {
        conditions,
        start: opening.start.clone(),
        position: opening.start.clone(),
        players,
        timed: Timed::new(conditions.time, conditions.margin),
        judge: Judge::default(),
        history: Vec::new(),
        moves: Vec::new(),
        engine_moves: Vec::new(),
        comments: Vec::new(),
    };
    for &mv in &opening.moves {
        table.make(mv, String::new());
    }
    let is_over = outcome(&table.position, &table.history).is_some();
    ensure!(!is_over, "the opening {} ends the game", opening.name);
    let ending = table.play();
    Ok(GameReport {
        names,
        moves: BoardMoves {
            start: table.start,
            moves: table.moves,
            comments: table.comments,
        },
        opening_len: opening.moves.len(),
        time_used: table.timed.used,
        ending,
    })
}

/// A game in progress.
struct Table<'a, 'p, G: BoardGame> {
    conditions: &'a BoardConditions<G>,
    start: G,
    position: G,
    players: PerColor<&'p mut (dyn BoardPlayer<G> + 'static)>,
    timed: Timed,
    judge: Judge,
    /// Keys of the positions before this one.
    history: Vec<u64>,
    moves: Vec<G::Move>,
    engine_moves: Vec<String>,
    comments: Vec<String>,
}

impl<G: BoardGame> Table<'_, '_, G> {
    fn play(&mut self) -> Ending {
        loop {
            if let Some(ending) = self.ended() {
                return ending;
            }
            let color = color_of(self.position.to_move());
            let begun = self.timed.used[color];
            let choice = match self.next_move(color) {
                Ok(choice) => choice,
                Err(ending) => return ending,
            };
            let time = self.timed.used[color] - begun;
            self.make(choice.mv, comment(&choice, time));
            let (rules, ply) = (&self.conditions.adjudication, self.moves.len());
            if let Some(winner) = self.judge.note(rules, color, choice.score, ply) {
                // The rules come first.
                return self.ended().unwrap_or(Ending::Adjudicated { winner });
            }
        }
    }

    fn ended(&self) -> Option<Ending> {
        let loser = color_of(self.position.to_move());
        match outcome(&self.position, &self.history) {
            Some((Verdict::Lost, by)) => Some(Ending::Won { winner: !loser, by }),
            Some((Verdict::Drawn, by)) => Some(Ending::Drawn { by }),
            None => {
                let is_long = self.moves.len() >= self.conditions.max_moves;
                is_long.then_some(Ending::Drawn {
                    by: "too many moves",
                })
            }
        }
    }

    fn make(&mut self, mv: G::Move, comment: String) {
        let text = self.position.engine_move(&self.start, mv);
        self.engine_moves.push(text);
        self.history.push(self.position.key());
        self.moves.push(mv);
        self.comments.push(comment);
        self.position.play(mv);
    }

    /// A legal move within the time limit.
    fn next_move(&mut self, color: Color) -> Result<Choice<G::Move>, Ending> {
        let player = &mut self.players[color];
        player.rest();
        self.timed.ask(color, |clocks, limit| {
            let turn = Turn {
                conditions: self.conditions,
                start: &self.start,
                position: &self.position,
                engine_moves: &self.engine_moves,
                history: &self.history,
                color,
                clocks,
                limit,
            };
            player.choose(&turn)
        })
    }
}

/// `+0.31/12 0.10s`, as other match programs write it.
fn comment<M>(choice: &Choice<M>, time: Duration) -> String {
    let score = choice.score.map(|score| match plies_to_end(score) {
        Some(plies) if plies > 0 => format!("+M{}", (plies + 1) / 2),
        Some(plies) => format!("-M{}", -plies / 2),
        None => format!("{:+.2}", f64::from(score) / 100.0),
    });
    let depth = choice.depth.map(|depth| format!("/{depth}"));
    let words = score.map(|score| score + &depth.unwrap_or_default() + " ");
    format!("{}{:.3}s", words.unwrap_or_default(), time.as_secs_f64())
}
