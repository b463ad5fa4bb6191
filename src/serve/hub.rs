//! Games and the pages that show them.

use std::sync::{Arc, Mutex, MutexGuard};

use anyhow::Result;
use serde_json::{Value, json};

use super::MOST_GAMES;
use super::client::{Attached, Client, Wish};
use super::engines::{Engines, MakePlayer};
use super::failure::Failure;
use super::game::Game;
use super::library::Library;
use super::seat::Seat;
use super::slots::Slots;
use super::start;
use super::state::{Held, State};
use super::store::Store;
use super::stored::Stored;
use crate::files;
use crate::formats::sgf::ReadOptions;
use crate::go::{Color, PerColor};
use crate::threads::locked;

/// What a hub is made of.
pub struct Options {
    /// Makes players, which share everything but parameters and trees.
    pub make_player: Box<MakePlayer>,
    /// Searches for moves at once, and as many for analyses; trees of so many colors are kept.
    pub searches: usize,
    /// Rules and komi of records that state none.
    pub reading: ReadOptions,
    /// The folder of records that pages may use.
    pub library: Option<Library>,
    /// Where games are kept for the next run.
    pub store: Option<Store>,
}

/// Games and the pages that show them.
pub struct Hub {
    state: Mutex<State>,
    pub(super) engines: Engines,
    /// Room for searches for moves.
    pub(super) playing: Slots,
    /// Room for searches of analyses.
    pub(super) analyzing: Slots,
    reading: ReadOptions,
    library: Option<Library>,
    store: Option<Store>,
}

/// A name that cannot be guessed.
fn new_id() -> String {
    files::hexadecimal(&rand::random::<[u8; 16]>())
}

fn no_game() -> Failure {
    Failure::missing("this game is not here any more")
}

impl Hub {
    /// With the games that were kept in the last run; `warn` gets remarks on those that cannot be read.
    pub fn new(options: Options, warn: &mut dyn FnMut(String)) -> Arc<Hub> {
        let mut state = State::default();
        let kept = options.store.as_ref().map(|store| store.games(warn));
        for (id, game) in kept.into_iter().flatten() {
            let used = state.next_use();
            let held = Held {
                game,
                task: None,
                used,
            };
            state.games.insert(id, held);
        }
        Arc::new(Hub {
            state: Mutex::new(state),
            engines: Engines::new(options.make_player, options.searches),
            playing: Slots::new(options.searches),
            analyzing: Slots::new(options.searches),
            reading: options.reading,
            library: options.library,
            store: options.store,
        })
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    /// The ranks that the program may have, the weakest first.
    pub fn ranks(&self) -> Vec<String> {
        self.engines.ranks()
    }

    /// The folder of records.
    pub fn library(&self) -> Result<&Library, Failure> {
        let library = self.library.as_ref();
        library.ok_or_else(|| Failure::missing("keima serve was started without --games"))
    }

    /// Games, pages that listen, and searches that run at this moment, as JSON.
    pub fn status(&self) -> Value {
        let searches = self.playing.taken() + self.analyzing.taken();
        let state = self.lock();
        let (games, pages) = (state.games.len(), state.clients.len());
        json!({ "games": games, "pages": pages, "searches": searches })
    }

    /// The games, those used last first, as JSON.
    pub fn games(&self) -> Value {
        json!({ "games": self.lock().entries() })
    }

    /// Adds a game; its name.
    pub fn add(&self, game: Game) -> Result<String, Failure> {
        for color in Color::BOTH {
            self.engines.check(&game.seats[color], game.position())?;
        }
        let mut state = self.lock();
        let mut removed = None;
        if state.games.len() >= MOST_GAMES {
            let oldest = state.oldest_unseen();
            let oldest = oldest.ok_or_else(|| Failure::full("there are too many games"))?;
            state.games.remove(&oldest);
            self.engines.forget(&oldest);
            removed = Some(oldest);
        }
        let id = new_id();
        let used = state.next_use();
        let held = Held {
            game,
            task: None,
            used,
        };
        state.games.insert(id.clone(), held);
        drop(state);
        for id in removed.iter().chain([&id]) {
            self.keep(id);
        }
        Ok(id)
    }

    /// Adds the game of a record; its name.
    pub fn load(&self, sgf: &[u8]) -> Result<String, Failure> {
        self.add(start::loaded(sgf, &self.reading)?)
    }

    /// Changes a game, and tells all pages that show it. What the program was about to do is dropped, and what it
    /// has to do now begins.
    pub fn change<T>(
        self: &Arc<Self>,
        id: &str,
        change: impl FnOnce(&mut Game) -> Result<T>,
    ) -> Result<T, Failure> {
        let mut state = self.lock();
        let used = state.next_use();
        let held = state.games.get_mut(id).ok_or_else(no_game)?;
        held.used = used;
        let result = change(&mut held.game)?;
        held.cancel();
        state.run_clock(id);
        self.go_on(&mut state, id);
        state.show(id);
        drop(state);
        self.keep(id);
        Ok(result)
    }

    /// Ends a game whose time is up; whether it is. Unlike a change this disturbs no search of another game in time.
    pub(super) fn end_if_late(self: &Arc<Self>, id: &str) -> Result<bool, Failure> {
        let mut state = self.lock();
        let held = state.games.get_mut(id).ok_or_else(no_game)?;
        let is_late = held.game.end_if_late();
        if is_late {
            held.cancel();
            state.run_clock(id);
            state.show(id);
            drop(state);
            self.keep(id);
        }
        Ok(is_late)
    }

    /// Changes who plays.
    pub fn seat(self: &Arc<Self>, id: &str, seats: PerColor<Seat>) -> Result<(), Failure> {
        let position = {
            let state = self.lock();
            let held = state.games.get(id).ok_or_else(no_game)?;
            held.game.position().clone()
        };
        for seat in &seats.0 {
            self.engines.check(seat, &position)?;
        }
        self.change(id, |game| {
            game.set_seats(seats);
            Ok(())
        })
    }

    /// The game as SGF.
    pub fn sgf(&self, id: &str) -> Result<String, Failure> {
        let state = self.lock();
        let held = state.games.get(id).ok_or_else(no_game)?;
        Ok(held.game.sgf()?)
    }

    /// Lets a page listen to a game.
    pub fn attach(self: &Arc<Self>, id: &str) -> Result<Attached, Failure> {
        let mut state = self.lock();
        let used = state.next_use();
        let held = state.games.get_mut(id).ok_or_else(no_game)?;
        held.used = used;
        let client = Client::new(id.to_owned());
        let name = new_id();
        let attached = Attached {
            hub: Arc::clone(self),
            id: name.clone(),
            outbox: Arc::clone(&client.outbox),
        };
        let hello = json!({ "client": name, "version": env!("CARGO_PKG_VERSION") });
        client.outbox.hello(hello.to_string());
        state.clients.insert(name, client);
        state.run_clock(id);
        self.go_on(&mut state, id);
        state.show(id);
        Ok(attached)
    }

    /// A page has gone: its search ends, and so does the game's if nobody else looks.
    pub(super) fn detach(&self, client: &str) {
        let mut state = self.lock();
        let Some(mut client) = state.clients.remove(client) else {
            return;
        };
        client.turn_to(None);
        let game = client.game;
        let is_seen = state.clients.values().any(|other| other.game == game);
        if let Some(held) = state.games.get_mut(&game).filter(|_| !is_seen) {
            held.cancel();
            held.game.run_clock(false);
            self.engines.forget(&game);
        }
    }

    /// Writes a game as it stands for the next run, or removes it there if it is gone. Pages that show it are told
    /// if that fails.
    pub(super) fn keep(&self, id: &str) {
        let Some(store) = &self.store else {
            return;
        };
        let kept = store.keep(id, || {
            let state = self.lock();
            state.games.get(id).map(|held| Stored::of(&held.game))
        });
        if let Err(error) = kept {
            let state = self.lock();
            for client in state.clients_of(id) {
                let message = json!({ "message": format!("{error:#}") });
                client.outbox.failure(message.to_string());
            }
        }
    }

    /// Has a position analyzed for a page, or ends that.
    pub(super) fn analyze(self: &Arc<Self>, id: &str, wish: Option<Wish>) -> Result<(), Failure> {
        let mut state = self.lock();
        let client = state.clients.get_mut(id);
        let client = client.ok_or_else(|| Failure::missing("the page is not connected"))?;
        client.turn_to(wish);
        self.serve(&mut state, id);
        Ok(())
    }

    /// Ends all searches and connections.
    pub fn close(&self) {
        let mut state = self.lock();
        for client in state.clients.values_mut() {
            client.turn_to(None);
            client.outbox.close();
        }
        for held in state.games.values_mut() {
            held.cancel();
            held.game.run_clock(false);
        }
        // In the order of use, by which the next run knows the oldest.
        let games = state.games.iter().map(|(id, held)| (held.used, id.clone()));
        let mut games: Vec<(u64, String)> = games.collect();
        games.sort();
        drop(state);
        for (_, id) in &games {
            self.keep(id);
        }
    }
}
