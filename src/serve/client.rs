//! A page that listens.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use super::hub::Hub;
use super::outbox::{Message, Outbox};

/// What a page wants to have analyzed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    /// The position after so many moves.
    pub(super) turn: usize,
    /// Up to so many visits.
    pub(super) visits: u64,
    /// Whether all positions of the game get a short search.
    pub(super) whole: bool,
}

/// A page with the game it shows.
pub(super) struct Client {
    pub(super) game: String,
    pub(super) outbox: Arc<Outbox>,
    pub(super) wish: Option<Wish>,
    /// Visits of the wished position that are done.
    pub(super) done: u64,
    /// The positions of the whole game before this turn need no more short searches.
    pub(super) scanned: usize,
    /// Ends the search that runs for it.
    pub(super) stop: Arc<AtomicBool>,
    /// Whether a thread searches for it.
    pub(super) is_served: bool,
}

impl Client {
    pub(super) fn new(game: String) -> Client {
        Client {
            game,
            outbox: Arc::default(),
            wish: None,
            done: 0,
            scanned: 0,
            stop: Arc::default(),
            is_served: false,
        }
    }

    /// Ends what is searched for it, and has something else searched.
    pub(super) fn turn_to(&mut self, wish: Option<Wish>) {
        self.stop.store(true, Ordering::SeqCst);
        self.stop = Arc::default();
        self.wish = wish;
        (self.done, self.scanned) = (0, 0);
    }
}

/// A page's messages. When it is dropped, the page counts as closed.
pub struct Attached {
    pub(super) hub: Arc<Hub>,
    pub(super) id: String,
    pub(super) outbox: Arc<Outbox>,
}

impl Attached {
    /// The next message; none at the end.
    pub fn poll(&self, context: &mut Context) -> Poll<Option<Message>> {
        self.outbox.poll(context)
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.hub.detach(&self.id);
    }
}
