//! Analyses for pages: first a short search of the position that is looked at, then of all that have none, if that is
//! wanted, then a long one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use super::client::Wish;
use super::game::Value;
use super::hub::Hub;
use super::outbox::Outbox;
use super::state::State;
use crate::go::{Move, Position};
use crate::player::search_player::SearchPlayer;
use crate::player::{Observer, Player, ReportTimes, Watch};
use crate::review::analysis::{PositionAnalysis, detail};
use crate::search::{Report, Restrictions};
use crate::threads;

/// Visits of the first search of the position that is looked at.
const FIRST_VISITS: u64 = 150;
/// Visits of each position of a whole game.
const SHORT_VISITS: u64 = 32;
/// Between reports to the page.
const INTERVAL: Duration = Duration::from_millis(250);

/// A search for a page.
struct Job {
    game: String,
    /// Of the game when the search began.
    course: u64,
    turn: usize,
    position: Position,
    played: Option<Move>,
    visits: u64,
    /// Whether it is the position that the page looks at, so that it gets reports.
    is_shown: bool,
    stop: Arc<AtomicBool>,
    outbox: Arc<Outbox>,
}

impl Hub {
    /// Has a thread search for a page, unless one does or there is nothing to do.
    pub(super) fn serve(self: &Arc<Self>, state: &mut State, id: &str) {
        let Some(client) = state.clients.get_mut(id) else {
            return;
        };
        if client.is_served || client.wish.is_none() {
            return;
        }
        client.is_served = true;
        let (hub, name) = (Arc::clone(self), id.to_owned());
        if let Err(error) = threads::start(move || hub.search_for(&name)) {
            client.is_served = false;
            client.outbox.failure(failure(&error.into()));
        }
    }

    /// Searches until the page has what it wants, or has gone. The tree of a position is kept only as long.
    fn search_for(self: &Arc<Self>, id: &str) {
        let mut player = None;
        while let Some(job) = self.next_job(id) {
            let Some(_slot) = self.analyzing.take(&job.stop) else {
                continue;
            };
            let found = self.searched(&mut player, &job);
            if job.stop.load(Ordering::SeqCst) {
                continue;
            }
            if let Err(error) = found {
                job.outbox.failure(failure(&error));
                self.give_up(id, &job);
            }
        }
    }

    /// What is to be searched next for a page; none if nothing is, or if it has gone.
    fn next_job(&self, id: &str) -> Option<Job> {
        let mut state = self.lock();
        let State { games, clients, .. } = &mut *state;
        let client = clients.get_mut(id)?;
        let game = games.get(&client.game).map(|held| &held.game);
        let next = client.wish.zip(game).and_then(|(wish, game)| {
            let last = game.position().turn();
            let done = (client.done, client.scanned);
            let (turn, visits) = next(&wish, done, last, &game.values())?;
            let position = game.tree.position_at(turn)?;
            Some((game, wish, turn, visits, position))
        });
        let Some((game, wish, turn, visits, position)) = next else {
            client.is_served = false;
            return None;
        };
        let is_shown = turn == wish.turn;
        match is_shown {
            true => client.done = visits,
            false => client.scanned = turn + 1,
        }
        Some(Job {
            game: client.game.clone(),
            course: game.course,
            turn,
            played: game.played(turn).map(|(_, mv)| mv),
            position,
            visits,
            is_shown,
            stop: Arc::clone(&client.stop),
            outbox: Arc::clone(&client.outbox),
        })
    }

    fn searched(&self, player: &mut Option<SearchPlayer>, job: &Job) -> Result<()> {
        let mut analyst = self.engines.analyst(job.visits)?;
        // The tree of the position that is looked at is kept for the long search.
        if let (true, Some(known)) = (job.is_shown, player.take()) {
            analyst = known;
            analyst.set_parameter("maxVisits", &job.visits.to_string())?;
        }
        let watch = Watch {
            stop: &job.stop,
            restrictions: &Restrictions::default(),
            detail: detail(),
            reports: job.is_shown.then(|| ReportTimes::every(INTERVAL)),
            observer: &mut Reporter { hub: self, job },
        };
        let report = analyst.analyze_within_limits(&job.position, watch)?;
        if let Some(report) = report.filter(|_| !job.stop.load(Ordering::SeqCst)) {
            self.tell(job, &report, true);
        }
        if job.is_shown {
            *player = Some(analyst);
        }
        Ok(())
    }

    /// Tells the page what a search has found, and all pages of the game the position's value.
    fn tell(&self, job: &Job, report: &Report, is_last: bool) {
        let color = job.position.to_move();
        let analysis = PositionAnalysis::of(job.turn, color, job.played, report);
        let value = Value {
            winrate: analysis.winrate,
            lead: analysis.lead,
            visits: analysis.visits,
        };
        if job.is_shown {
            let message = json!({
                "course": job.course,
                "is_last": is_last,
                "wanted": job.visits,
                "position": analysis,
            });
            job.outbox.analysis(message.to_string());
        }
        let mut state = self.lock();
        let held = state.games.get_mut(&job.game);
        let Some(held) = held.filter(|held| held.game.course == job.course) else {
            return;
        };
        if held.game.note(job.turn, value) {
            for client in state.clients_of(&job.game) {
                client.outbox.value(job.turn, value);
            }
        }
    }

    /// Ends the analysis of a page after an error.
    fn give_up(&self, id: &str, job: &Job) {
        let mut state = self.lock();
        let client = state.clients.get_mut(id);
        if let Some(client) = client.filter(|client| Arc::ptr_eq(&client.stop, &job.stop)) {
            client.turn_to(None);
        }
    }
}

/// The turn and the visits of the next search, when the position that is looked at has had so many
/// visits and the positions before a turn are done.
fn next(
    wish: &Wish,
    (done, scanned): (u64, usize),
    last: usize,
    values: &BTreeMap<usize, Value>,
) -> Option<(usize, u64)> {
    let first = wish.visits.min(FIRST_VISITS);
    if done < first {
        return Some((wish.turn, first));
    }
    // Values from moves of the program may have fewer visits.
    let has_few = |turn: &usize| {
        let known = values.get(turn);
        *turn != wish.turn && known.is_none_or(|value| u64::from(value.visits) < SHORT_VISITS)
    };
    let missing = (scanned..=last).find(has_few);
    match missing.filter(|_| wish.whole) {
        Some(turn) => Some((turn, SHORT_VISITS)),
        None => (done < wish.visits).then_some((wish.turn, wish.visits)),
    }
}

fn failure(error: &anyhow::Error) -> String {
    json!({ "message": format!("{error:#}") }).to_string()
}

/// Sends reports to the page.
struct Reporter<'a> {
    hub: &'a Hub,
    job: &'a Job,
}

impl Observer for Reporter<'_> {
    fn sees(&mut self, report: Report) {
        if !self.job.stop.load(Ordering::SeqCst) {
            self.hub.tell(self.job, &report, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_position_comes_first_then_the_game_then_depth() {
        let wish = Wish {
            turn: 1,
            visits: 1000,
            whole: true,
        };
        let value = Value {
            winrate: 0.5,
            lead: 0.0,
            visits: 100,
        };
        let known = |turns: &[usize]| turns.iter().map(|&turn| (turn, value)).collect();
        let first = (150, 0);
        assert_eq!(next(&wish, (0, 0), 2, &known(&[])), Some((1, FIRST_VISITS)));
        assert_eq!(next(&wish, first, 2, &known(&[1])), Some((0, SHORT_VISITS)));
        let few = Value { visits: 1, ..value };
        let mut played = known(&[1, 2]);
        played.insert(0, few);
        assert_eq!(next(&wish, first, 2, &played), Some((0, SHORT_VISITS)));
        assert_eq!(next(&wish, (150, 1), 2, &played), Some((1, 1000)));
        assert_eq!(next(&wish, first, 2, &known(&[0])), Some((2, SHORT_VISITS)));
        assert_eq!(next(&wish, first, 2, &known(&[0, 2])), Some((1, 1000)));
        assert_eq!(next(&wish, (1000, 3), 2, &known(&[0, 1, 2])), None);
        let single = Wish {
            whole: false,
            visits: 100,
            ..wish
        };
        assert_eq!(next(&single, (0, 0), 2, &known(&[])), Some((1, 100)));
        assert_eq!(next(&single, (100, 0), 2, &known(&[])), None);
    }
}
