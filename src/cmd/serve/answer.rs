//! Answers: their headers, and bodies that are there at once or come as events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

use super::events::Events;
use crate::serve::{Failure, Kind};

/// An answer.
pub(super) type Answer = Response<AnswerBody>;

/// What the page may load: only its own scripts and styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The same where the report brings its styles with it.
const POLICY_OF_REPORTS: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Types of contents.
pub(super) const HTML: &str = "text/html; charset=utf-8";
pub(super) const CSS: &str = "text/css; charset=utf-8";
pub(super) const SCRIPT: &str = "text/javascript; charset=utf-8";
pub(super) const TEXT: &str = "text/plain; charset=utf-8";
pub(super) const JSON: &str = "application/json";
pub(super) const SGF: &str = "application/x-go-sgf";

/// The body of an answer.
pub(super) enum AnswerBody {
    /// All of it, unless it has been sent.
    Whole(Option<Bytes>),
    /// Events until one side ends them.
    Events(Events),
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match self.get_mut() {
            AnswerBody::Whole(bytes) => Poll::Ready(bytes.take()),
            AnswerBody::Events(events) => events.poll(context),
        };
        next.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, AnswerBody::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            AnswerBody::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64)
            }
            AnswerBody::Events(_) => SizeHint::default(),
        }
    }
}

/// An answer of a type.
pub(super) fn answer(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Answer {
    with_headers(status, kind, AnswerBody::Whole(Some(body.into())))
}

/// Events.
pub(super) fn events(events: Events) -> Answer {
    with_headers(
        StatusCode::OK,
        "text/event-stream",
        AnswerBody::Events(events),
    )
}

/// JSON.
pub(super) fn json(status: StatusCode, value: &Value) -> Answer {
    answer(status, JSON, value.to_string())
}

/// What a request has come to.
pub(super) fn outcome(outcome: Result<Value, Failure>) -> Answer {
    match outcome {
        Ok(value) => json(StatusCode::OK, &value),
        Err(failure) => {
            let status = match failure.kind {
                Kind::Refused => StatusCode::BAD_REQUEST,
                Kind::Missing => StatusCode::NOT_FOUND,
                Kind::Full => StatusCode::SERVICE_UNAVAILABLE,
            };
            error(status, &failure.message)
        }
    }
}

/// An error with a message.
pub(super) fn error(status: StatusCode, message: &str) -> Answer {
    json(status, &json!({ "error": message }))
}

/// The same answer, allowed the styles that reports bring with them.
pub(super) fn with_own_styles(mut answer: Answer) -> Answer {
    let policy = HeaderValue::from_static(POLICY_OF_REPORTS);
    answer
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, policy);
    answer
}

/// The same answer as a file to be stored.
pub(super) fn as_file(mut answer: Answer) -> Answer {
    let value = HeaderValue::from_static("attachment; filename=\"game.sgf\"");
    answer
        .headers_mut()
        .insert(header::CONTENT_DISPOSITION, value);
    answer
}

fn with_headers(status: StatusCode, kind: &'static str, body: AnswerBody) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    let headers: [(HeaderName, &'static str); 6] = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in headers {
        answer
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    answer
}
