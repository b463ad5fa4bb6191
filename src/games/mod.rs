//! What the searches can play.

pub mod drawn;
