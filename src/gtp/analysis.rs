//! Analysis: what may be asked of a search while it runs, and how it is told.

mod cgos;
pub(super) mod ogs;
pub(super) mod request;
pub(super) mod text;
