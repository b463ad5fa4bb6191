//! What a person at a terminal may type besides commands of the protocol, and is told.

use std::borrow::Cow;

use super::protocol::{Request, Response};

/// Said at the start.
pub const GREETING: &str = "Type genmove b to let the engine move, help for more, quit to end";

/// Commands that a person needs, each as it is typed, and what it does.
const USAGES: [(&str, &str); 11] = [
    ("boardsize 9", "an empty board of another size"),
    ("clear_board", "a new game"),
    ("komi 6.5", "points White gets"),
    ("play b D4", "a move of yours; play w pass passes"),
    ("genmove w", "let the engine move for a color"),
    ("undo", "take the last move back"),
    ("showboard", "draw the board"),
    ("final_score", "who wins, and by how much"),
    ("loadsgf FILE", "go on with a game record"),
    ("printsgf FILE", "write the game to a file"),
    ("list_commands", "all other commands; quit ends"),
];

/// The answer to what is no command of the protocol.
pub(super) fn answer(request: &Request) -> Option<Response> {
    matches!(request.name.as_str(), "help" | "?").then(|| {
        let lines = USAGES.map(|(usage, meaning)| format!("{usage:<14} {meaning}"));
        Response::success(lines.join("\n"))
    })
}

/// The request that is meant.
pub(super) fn meant(request: &Request) -> Cow<'_, Request> {
    match request.name.as_str() {
        "exit" | "q" => Cow::Owned(Request {
            name: "quit".to_owned(),
            ..request.clone()
        }),
        _ => Cow::Borrowed(request),
    }
}

/// The response with the way its command is typed, or where to find that, if it has failed.
pub(super) fn with_usage(response: Response, command: &str) -> Response {
    let Response::Failure(message) = response else {
        return response;
    };
    let mut usages = USAGES.iter().map(|(usage, _)| usage);
    let usage = usages.find(|usage| usage.split(' ').next() == Some(command));
    Response::Failure(match usage {
        Some(usage) => format!("{message}; it is typed like this: {usage}"),
        None => format!("{message}; help lists what may be typed"),
    })
}
