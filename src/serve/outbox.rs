//! Messages that wait for a page. Only the latest of a kind is kept, so that a slow reader costs no memory.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use serde_json::json;

use super::game::Value;
use crate::threads::locked;

/// A message to a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its kind: `hello`, `game`, `values`, `analysis`, `failure`.
    pub event: &'static str,
    /// JSON in one line.
    pub data: String,
}

/// What has not been sent yet.
#[derive(Default)]
struct Pending {
    hello: Option<String>,
    game: Option<String>,
    values: BTreeMap<usize, Value>,
    analysis: Option<String>,
    failure: Option<String>,
    is_closed: bool,
    waker: Option<Waker>,
}

/// The messages of one page.
#[derive(Default)]
pub(super) struct Outbox(Mutex<Pending>);

impl Outbox {
    /// The first message.
    pub(super) fn hello(&self, data: String) {
        self.change(|pending| pending.hello = Some(data));
    }

    /// The whole game; values that have not been sent are part of it.
    pub(super) fn game(&self, data: String) {
        self.change(|pending| {
            pending.game = Some(data);
            pending.values.clear();
        });
    }

    /// What a search found about a position of the game.
    pub(super) fn value(&self, turn: usize, value: Value) {
        self.change(|pending| {
            pending.values.insert(turn, value);
        });
    }

    /// What the page's own search has found so far.
    pub(super) fn analysis(&self, data: String) {
        self.change(|pending| pending.analysis = Some(data));
    }

    /// Why its search has failed.
    pub(super) fn failure(&self, data: String) {
        self.change(|pending| pending.failure = Some(data));
    }

    /// Nothing more will come.
    pub(super) fn close(&self) {
        self.change(|pending| pending.is_closed = true);
    }

    fn change(&self, change: impl FnOnce(&mut Pending)) {
        let mut pending = locked(&self.0);
        change(&mut pending);
        let waker = pending.waker.take();
        drop(pending);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// The next message; none at the end.
    pub(super) fn poll(&self, context: &mut Context) -> Poll<Option<Message>> {
        let mut pending = locked(&self.0);
        if pending.is_closed {
            return Poll::Ready(None);
        }
        match next(&mut pending) {
            Some(message) => Poll::Ready(Some(message)),
            None => {
                pending.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

fn next(pending: &mut Pending) -> Option<Message> {
    let single = [
        ("hello", &mut pending.hello),
        ("game", &mut pending.game),
        ("failure", &mut pending.failure),
        ("analysis", &mut pending.analysis),
    ];
    for (event, data) in single {
        if let Some(data) = data.take() {
            return Some(Message { event, data });
        }
    }
    if pending.values.is_empty() {
        return None;
    }
    let values: Vec<_> = mem::take(&mut pending.values).into_iter().collect();
    Some(Message {
        event: "values",
        data: json!(values).to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_latest_of_a_kind_is_kept() {
        let outbox = Outbox::default();
        outbox.hello("{}".to_owned());
        for number in 0..1000 {
            outbox.analysis(number.to_string());
        }
        let value = Value {
            winrate: 0.5,
            lead: 1.0,
            visits: 3,
        };
        outbox.value(7, value);
        outbox.game("one".to_owned());
        outbox.value(8, value);
        let mut context = Context::from_waker(Waker::noop());
        let mut seen = Vec::new();
        while let Poll::Ready(Some(message)) = outbox.poll(&mut context) {
            seen.push((message.event, message.data));
        }
        let events: Vec<&str> = seen.iter().map(|(event, _)| *event).collect();
        assert_eq!(events, ["hello", "game", "analysis", "values"]);
        assert_eq!(seen[2].1, "999");
        // The value of move 7 is part of the game.
        assert!(seen[3].1.starts_with("[[8,"), "{}", seen[3].1);
        outbox.close();
        assert_eq!(outbox.poll(&mut context), Poll::Ready(None));
    }
}
