//! The messages to a page as server-sent events.

use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::Bytes;
use tokio::time::{Interval, interval};

use crate::serve::Attached;

/// Between signs of life, by which a connection that has gone is noticed.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// The events of a page. When they are dropped, since the page was closed, its search ends.
pub(super) struct Events {
    attached: Attached,
    signs: Interval,
}

impl Events {
    pub(super) fn new(attached: Attached) -> Events {
        Events {
            attached,
            signs: interval(SIGN_OF_LIFE),
        }
    }

    /// The next event as text; none at the end.
    pub(super) fn poll(&mut self, context: &mut Context) -> Poll<Option<Bytes>> {
        match self.attached.poll(context) {
            Poll::Ready(Some(message)) => {
                let text = format!("event: {}\ndata: {}\n\n", message.event, message.data);
                Poll::Ready(Some(text.into()))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => self
                .signs
                .poll_tick(context)
                .map(|_| Some(Bytes::from_static(b":\n\n"))),
        }
    }
}
