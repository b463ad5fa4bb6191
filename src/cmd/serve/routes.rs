//! What is answered to which request.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, StatusCode, header};
use serde_json::json;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::answer::{self, Answer, CSS, HTML, JSON, SCRIPT, SGF, TEXT};
use super::events::Events;
use super::gate::{Gate, Refusal};
use super::page;
use super::run_page::RunPage;
use crate::serve::{Action, Failure, Hub, MOST_SGF_BYTES};

/// Bytes of a request other than a record.
const MOST_BYTES: usize = 64 << 10;
/// Time for the body of a request.
const FOR_BODY: Duration = Duration::from_secs(30);
/// Characters of the name of a game.
const LONGEST_ID: usize = 64;

/// All that is served.
pub(super) struct Site {
    pub(super) gate: Gate,
    /// The page of games.
    pub(super) page: String,
    pub(super) hub: Arc<Hub>,
    /// The training run, if one is shown.
    pub(super) run_page: Option<Arc<RunPage>>,
}

impl Site {
    /// The answer to a request.
    pub(super) async fn answer(&self, request: Request<Incoming>) -> Answer {
        let path = match self.gate.admit(request.uri().path(), request.headers()) {
            Ok(Some(path)) => path.to_owned(),
            Ok(None) => return to_folder(request.uri().path()),
            Err(refusal) => return refused(refusal),
        };
        match (request.method(), &*path) {
            (&Method::GET, "") => answer::answer(StatusCode::OK, HTML, self.page.clone()),
            (&Method::GET, "app.js") => answer::answer(StatusCode::OK, SCRIPT, page::script()),
            (&Method::GET, "run.js") => answer::answer(StatusCode::OK, SCRIPT, page::RUN_SCRIPT),
            (&Method::GET, "style.css") => answer::answer(StatusCode::OK, CSS, page::style()),
            (&Method::GET, "events") => self.events(request.uri().query()),
            (&Method::GET, "sgf") => self.sgf(request.uri().query()),
            (&Method::GET, "status") => answer::json(StatusCode::OK, &self.hub.status()),
            (&Method::GET, "games") => answer::json(StatusCode::OK, &self.hub.games()),
            (&Method::GET, "files") => self.files().await,
            (&Method::GET, "run") => self.run(),
            (&Method::GET, "report") => self.report().await,
            (&Method::POST, "do") => self.act(request).await,
            (&Method::POST, "sgf") => self.load(request).await,
            (&Method::GET | &Method::POST, _) => {
                answer::error(StatusCode::NOT_FOUND, "there is nothing here")
            }
            _ => answer::error(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST"),
        }
    }

    fn events(&self, query: Option<&str>) -> Answer {
        let attached = game(query).and_then(|game| self.hub.attach(game));
        match attached {
            Ok(attached) => answer::events(Events::new(attached)),
            Err(failure) => answer::outcome(Err(failure)),
        }
    }

    fn sgf(&self, query: Option<&str>) -> Answer {
        match game(query).and_then(|game| self.hub.sgf(game)) {
            Ok(text) => answer::as_file(answer::answer(StatusCode::OK, SGF, text)),
            Err(failure) => answer::outcome(Err(failure)),
        }
    }

    async fn files(&self) -> Answer {
        let hub = Arc::clone(&self.hub);
        aside(move || {
            let names = hub.library()?.names()?;
            Ok(json!({ "names": names }))
        })
        .await
    }

    fn run(&self) -> Answer {
        match &self.run_page {
            Some(_) => {
                answer::with_own_styles(answer::answer(StatusCode::OK, HTML, page::run_page()))
            }
            None => answer::error(StatusCode::NOT_FOUND, "no training run is shown"),
        }
    }

    async fn report(&self) -> Answer {
        let Some(page) = self.run_page.clone() else {
            return answer::error(StatusCode::NOT_FOUND, "no training run is shown");
        };
        match spawn_blocking(move || page.current()).await {
            Ok(Ok(text)) => {
                answer::with_own_styles(answer::answer(StatusCode::OK, HTML, text.to_string()))
            }
            Ok(Err(error)) => answer::error(StatusCode::NOT_FOUND, &format!("{error:#}")),
            Err(_) => broken(),
        }
    }

    async fn act(&self, request: Request<Incoming>) -> Answer {
        let body = match read(request, JSON, MOST_BYTES).await {
            Ok(body) => body,
            Err(refused) => return refused,
        };
        let hub = Arc::clone(&self.hub);
        aside(move || {
            let action: Action =
                serde_json::from_slice(&body).map_err(|error| anyhow::anyhow!("{error}"))?;
            action.perform(&hub)
        })
        .await
    }

    async fn load(&self, request: Request<Incoming>) -> Answer {
        let body = match read(request, SGF, MOST_SGF_BYTES).await {
            Ok(body) => body,
            Err(refused) => return refused,
        };
        let hub = Arc::clone(&self.hub);
        aside(move || Ok(json!({ "game": hub.load(&body)? }))).await
    }
}

/// The answer of something that takes a moment.
async fn aside(
    work: impl FnOnce() -> Result<serde_json::Value, Failure> + Send + 'static,
) -> Answer {
    match spawn_blocking(work).await {
        Ok(outcome) => answer::outcome(outcome),
        Err(_) => broken(),
    }
}

fn broken() -> Answer {
    answer::error(StatusCode::INTERNAL_SERVER_ERROR, "the request has failed")
}

/// The game that a query names.
fn game(query: Option<&str>) -> Result<&str, Failure> {
    let parts = query.unwrap_or_default().split('&');
    let mut games = parts.filter_map(|part| part.strip_prefix("game="));
    let is_id =
        |id: &&str| id.len() <= LONGEST_ID && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let game = games.next().filter(is_id);
    game.ok_or_else(|| Failure::missing("there is no such game"))
}

/// The body of a request, which must have a type that other sites' pages cannot send without asking.
async fn read(request: Request<Incoming>, kind: &str, most: usize) -> Result<Bytes, Answer> {
    let given = request.headers().get(CONTENT_TYPE);
    let given = given
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let given = given.split(';').next().unwrap_or_default().trim();
    if !given.eq_ignore_ascii_case(kind) {
        let message = format!("the content type must be {kind}");
        return Err(answer::error(StatusCode::UNSUPPORTED_MEDIA_TYPE, &message));
    }
    let too_large = || {
        let message = format!("at most {most} bytes");
        answer::error(StatusCode::PAYLOAD_TOO_LARGE, &message)
    };
    let stated = request.headers().get(header::CONTENT_LENGTH);
    let stated = stated.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if stated.is_some_and(|stated| stated > most) {
        return Err(closing(too_large()));
    }
    let whole = Limited::new(request.into_body(), most).collect();
    match timeout(FOR_BODY, whole).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(closing(too_large())),
        Ok(Err(_)) => Err(closing(answer::error(
            StatusCode::BAD_REQUEST,
            "the request breaks off",
        ))),
        Err(_) => Err(closing(answer::error(
            StatusCode::REQUEST_TIMEOUT,
            "the request takes too long",
        ))),
    }
}

/// The same answer as the last one of its connection.
fn closing(mut answer: Answer) -> Answer {
    let close = HeaderValue::from_static("close");
    answer.headers_mut().insert(header::CONNECTION, close);
    answer
}

/// Sends a browser to the address with the slash that relative links need.
fn to_folder(path: &str) -> Answer {
    let mut answer = answer::answer(StatusCode::PERMANENT_REDIRECT, TEXT, "");
    match HeaderValue::try_from(format!("{path}/")) {
        Ok(location) => {
            answer.headers_mut().insert(header::LOCATION, location);
            answer
        }
        Err(_) => answer::error(StatusCode::NOT_FOUND, "there is nothing here"),
    }
}

fn refused(refusal: Refusal) -> Answer {
    let message = match refusal {
        Refusal::Host => "this server is not known by that name; see keima serve --host",
        Refusal::Origin => "requests from pages of other sites are refused",
        Refusal::Token => "open the whole address that keima serve printed",
    };
    answer::answer(StatusCode::FORBIDDEN, TEXT, message)
}
