//! A line of input: a query, or an action.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::engine::Engine;
use super::fields::Fields;
use super::message::{ErrorMessage, FieldError, WarningMessage};
use super::query::Query;

const NO_ACTION: &str = "'action' field must be 'query_version' or 'query_models' or 'clear_cache' \
    or 'terminate' or 'terminate_all'";
const NO_TURNS: &str = "If provided, must be an array of integers indicating turns to terminate";
const NO_TERMINATE_ID: &str =
    "Requests for a terminate action must have a string \"terminateId\" field";
/// A line that cannot be read is quoted up to this length.
const QUOTED: usize = 1000;

/// What a line asks for.
pub(super) enum Request {
    /// Analyze positions.
    Analyze(Box<Query>),
    /// Something that is done at once and answered by the line itself, with additions.
    Act(Action, Map<String, Value>),
}

/// Done at once.
pub(super) enum Action {
    QueryVersion,
    QueryModels,
    ClearCache,
    Terminate(Targets),
}

/// Which analyses are to end.
pub(super) struct Targets {
    /// Of the query of this id, or of all.
    id: Option<String>,
    /// Of these turns, or of all.
    turns: Option<BTreeSet<i64>>,
}

impl Targets {
    /// Whether a query's analysis of a turn is among them.
    pub(super) fn contain(&self, query: &Query, turn: usize) -> bool {
        let turn = i64::try_from(turn).unwrap_or(i64::MAX);
        self.id.as_ref().is_none_or(|id| *id == query.id)
            && self
                .turns
                .as_ref()
                .is_none_or(|turns| turns.contains(&turn))
    }
}

/// Reads a line. Warnings are added even if there is a mistake, too.
pub(super) fn parse(
    line: &str,
    engine: &Engine,
    warnings: &mut Vec<WarningMessage>,
) -> Result<Request, ErrorMessage> {
    let object = match serde_json::from_str(line) {
        Ok(Value::Object(object)) => object,
        Ok(other) => {
            return Err(ErrorMessage::general(format!(
                "Request line was valid json but was not an object, ignoring: {}",
                shortened(&other.to_string())
            )));
        }
        Err(error) => {
            let line = shortened(line);
            return Err(ErrorMessage::general(format!(
                "{error} - could not parse input line as json request: {line}"
            )));
        }
    };
    let Some(Value::String(id)) = object.get("id") else {
        return Err(ErrorMessage::general(
            "Request must have a string \"id\" field",
        ));
    };
    let id = id.clone();
    let fields = Fields(&object);
    if let Some(Value::String(name)) = fields.get("action") {
        let action = match name.as_str() {
            "query_version" => Ok(Action::QueryVersion),
            "query_models" => Ok(Action::QueryModels),
            "clear_cache" => Ok(Action::ClearCache),
            "terminate" => termination(fields, true),
            "terminate_all" => termination(fields, false),
            _ => return Err(ErrorMessage::general(NO_ACTION)),
        };
        let action = action.map_err(|mistake| mistake.of_query(&id))?;
        return Ok(Request::Act(action, object));
    }
    let mut remarks = Vec::new();
    let query = Query::parse(&id, fields, engine, &mut remarks);
    warnings.extend(remarks.into_iter().map(|remark| WarningMessage {
        field: remark.field,
        id: id.clone(),
        warning: remark.error,
    }));
    let query = query.map_err(|mistake| mistake.of_query(&id))?;
    Ok(Request::Analyze(Box::new(query)))
}

fn termination(fields: Fields, is_of_one: bool) -> Result<Action, FieldError> {
    let id = match (
        is_of_one,
        fields.read::<String>("terminateId", NO_TERMINATE_ID),
    ) {
        (false, _) => None,
        (true, Ok(Some(id))) => Some(id),
        (true, _) => return Err(FieldError::new("terminateId", NO_TERMINATE_ID)),
    };
    let turns = fields.read("turnNumbers", NO_TURNS)?;
    Ok(Action::Terminate(Targets { id, turns }))
}

fn shortened(text: &str) -> &str {
    text.char_indices()
        .nth(QUOTED)
        .map_or(text, |(end, _)| &text[..end])
}
