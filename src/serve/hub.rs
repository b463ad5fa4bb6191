//! Games and the pages that show them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
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
use super::view::View;
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
}

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
    used: u64,
}

impl Held {
    /// Ends the program's search; what it finds is dropped.
    fn cancel(&mut self) {
        if let Some(stop) = self.task.take() {
            stop.store(true, Ordering::SeqCst);
        }
    }
}

/// A name that cannot be guessed.
fn new_id() -> String {
    files::hexadecimal(&rand::random::<[u8; 16]>())
}

fn no_game() -> Failure {
    Failure::missing("this game is not here any more")
}

impl Hub {
    /// Without games.
    pub fn new(options: Options) -> Arc<Hub> {
        Arc::new(Hub {
            state: Mutex::default(),
            engines: Engines::new(options.make_player, options.searches),
            playing: Slots::new(options.searches),
            analyzing: Slots::new(options.searches),
            reading: options.reading,
            library: options.library,
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

    /// Adds a game; its name.
    pub fn add(&self, game: Game) -> Result<String, Failure> {
        for color in Color::BOTH {
            self.engines.check(&game.seats[color], game.position())?;
        }
        let mut state = self.lock();
        if state.games.len() >= MOST_GAMES {
            let oldest = state.oldest_unseen();
            let oldest = oldest.ok_or_else(|| Failure::full("there are too many games"))?;
            state.games.remove(&oldest);
            self.engines.forget(&oldest);
        }
        let id = new_id();
        let used = state.next_use();
        let held = Held {
            game,
            task: None,
            used,
        };
        state.games.insert(id.clone(), held);
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
        self.go_on(&mut state, id);
        state.show(id);
        Ok(result)
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
        Ok(held.game.sgf())
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
            self.engines.forget(&game);
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
        }
    }
}

impl State {
    fn next_use(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }

    fn oldest_unseen(&self) -> Option<String> {
        let is_seen = |id: &str| self.clients.values().any(|client| client.game == id);
        let unseen = self.games.iter().filter(|(id, _)| !is_seen(id));
        unseen
            .min_by_key(|(_, held)| held.used)
            .map(|(id, _)| id.clone())
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
