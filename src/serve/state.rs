//! The games and pages that a hub has at a time.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::client::Client;
use super::game::Game;
use super::view::{Entry, View};

/// All that changes.
#[derive(Default)]
pub(super) struct State {
    pub(super) games: BTreeMap<String, Held>,
    pub(super) clients: BTreeMap<String, Client>,
    /// Counts uses of games.
    uses: u64,
}

/// A game with what is done about it.
pub(super) struct Held {
    pub(super) game: Game,
    /// Ends the program's search for a move or for dead stones, if one runs.
    pub(super) task: Option<Arc<AtomicBool>>,
    /// When it was last used, by count.
    pub(super) used: u64,
}

impl Held {
    /// Ends the program's search; what it finds is dropped.
    pub(super) fn cancel(&mut self) {
        if let Some(stop) = self.task.take() {
            stop.store(true, Ordering::SeqCst);
        }
    }
}

impl State {
    /// The count of one more use.
    pub(super) fn next_use(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }

    /// The game that was used longest ago among those that no page shows.
    pub(super) fn oldest_unseen(&self) -> Option<String> {
        let is_seen = |id: &str| self.clients.values().any(|client| client.game == id);
        let unseen = self.games.iter().filter(|(id, _)| !is_seen(id));
        unseen
            .min_by_key(|(_, held)| held.used)
            .map(|(id, _)| id.clone())
    }

    /// The games in a list, those used last first.
    pub(super) fn entries(&self) -> Vec<Entry<'_>> {
        let mut games: Vec<(&String, &Held)> = self.games.iter().collect();
        games.sort_by_key(|(_, held)| Reverse(held.used));
        let games = games.into_iter();
        games.map(|(id, held)| Entry::new(id, &held.game)).collect()
    }

    /// Has a game's clock go on if a page shows it and moves are played, else stand still.
    pub(super) fn run_clock(&mut self, id: &str) {
        let is_seen = self.is_seen(id);
        if let Some(held) = self.games.get_mut(id) {
            held.game.run_clock(is_seen);
        }
    }

    /// Whether a page shows the game.
    pub(super) fn is_seen(&self, game: &str) -> bool {
        self.clients.values().any(|client| client.game == game)
    }

    /// The pages that show a game.
    pub(super) fn clients_of<'a>(&'a self, game: &'a str) -> impl Iterator<Item = &'a Client> {
        self.clients
            .values()
            .filter(move |client| client.game == game)
    }

    /// Sends a game to the pages that show it.
    pub(super) fn show(&self, id: &str) {
        let Some(held) = self.games.get(id).filter(|_| self.is_seen(id)) else {
            return;
        };
        let text = View::new(&held.game, held.task.is_some()).text();
        for client in self.clients_of(id) {
            client.outbox.game(text.clone());
        }
    }
}
