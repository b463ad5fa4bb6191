//! Board sizes to train on.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::go::BoardSize;

/// Boards by the longer of their sides, both bounds included. Written `2-11`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sides {
    pub from: usize,
    pub to: usize,
}

impl FromStr for Sides {
    type Err = String;

    fn from_str(text: &str) -> Result<Sides, String> {
        let bounds = text.split_once('-').and_then(|(from, to)| {
            let (from, to) = (from.parse().ok()?, to.parse().ok()?);
            (from <= to).then_some(Sides { from, to })
        });
        bounds.ok_or_else(|| format!("'{text}' is not two lengths such as 2-11"))
    }
}

/// Board sizes to train a network on; by default all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Boards {
    /// The sizes that the network supports, if limited.
    pub only_size: Option<BoardSize>,
    /// The sizes that the user selected, if any.
    pub sides: Option<Sides>,
}

impl Boards {
    /// Whether boards of this size are included.
    pub fn contain(&self, size: BoardSize) -> bool {
        let longer = size.longer_side();
        self.only_size.is_none_or(|only| only == size)
            && self
                .sides
                .is_none_or(|Sides { from, to }| (from..=to).contains(&longer))
    }

    /// A message about what is left out because of its board size, if any.
    pub fn remark(&self, left_out: usize) -> Option<String> {
        (left_out > 0).then(|| {
            format!("{left_out} on other boards are left out: this network is for {self} only")
        })
    }
}

/// For display: `boards`, `9x9 boards`, `boards whose longer side is 2 to 11`.
impl fmt::Display for Boards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(size) = self.only_size {
            write!(f, "{size} ")?;
        }
        f.write_str("boards")?;
        match self.sides {
            Some(Sides { from, to }) => write!(f, " whose longer side is {from} to {to}"),
            None => Ok(()),
        }
    }
}
