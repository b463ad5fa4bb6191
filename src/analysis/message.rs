//! Answers that are no analyses, in KataGo's form.

use serde::Serialize;

/// A mistake in a query, which is not analyzed then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct ErrorMessage {
    pub error: String,
    /// The query's field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The query's id, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// A remark on a query, which is analyzed all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct WarningMessage {
    pub field: String,
    pub id: String,
    pub warning: String,
}

/// The answer for a position whose analysis was ended before it began.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoResults<'a> {
    pub id: &'a str,
    pub is_during_search: bool,
    pub no_results: bool,
    pub turn_number: usize,
}

impl<'a> NoResults<'a> {
    pub(super) fn new(id: &'a str, turn_number: usize) -> NoResults<'a> {
        NoResults {
            id,
            is_during_search: false,
            no_results: true,
            turn_number,
        }
    }
}

/// A mistake in a field, before it is known whose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldError {
    pub field: String,
    pub error: String,
}

impl FieldError {
    pub(super) fn new(field: &str, error: impl Into<String>) -> FieldError {
        FieldError {
            field: field.to_owned(),
            error: error.into(),
        }
    }

    /// The message about the query of this id.
    pub(super) fn of_query(self, id: &str) -> ErrorMessage {
        ErrorMessage {
            error: self.error,
            field: Some(self.field),
            id: Some(id.to_owned()),
        }
    }
}

impl ErrorMessage {
    /// A mistake that cannot be ascribed to a field.
    pub(super) fn general(error: impl Into<String>) -> ErrorMessage {
        ErrorMessage {
            error: error.into(),
            field: None,
            id: None,
        }
    }
}
