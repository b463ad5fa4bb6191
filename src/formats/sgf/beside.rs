//! What a file holds beside the moves of its main line: variations, marks on the board, other properties.

use std::fmt::Write;

use super::other_info::OTHER_INFO;
use super::property;
use super::scan::{Node, Property, Tree};
use super::write::{escaped, point_text};
use crate::go::{BoardSize, Color, Move};

/// Properties that are written anew, are fields of a record, or are moves and set-ups. With those of [`Info`] they are
/// all that is not kept as it stands.
///
/// [`Info`]: super::other_info::Info
const READ_OTHERWISE: [&str; 22] = [
    "AB", "AE", "AP", "AW", "B", "BR", "C", "CA", "DT", "EV", "FF", "GM", "HA", "KM", "PB", "PL",
    "PW", "RE", "RU", "SZ", "W", "WR",
];

/// What a file holds beside the moves of its main line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Variations, in the order of the file.
    pub lines: Vec<SideLine>,
    /// Other properties of the main line, known or not, with the number of moves before them, in the order of the file.
    pub properties: Vec<(usize, Property)>,
}

/// A variation with its own variations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideLine {
    /// Moves of the main line before it.
    pub turn: usize,
    /// Its nodes, at least one; none comes before its parent.
    pub nodes: Vec<SideNode>,
}

/// A node of a variation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideNode {
    /// The place of the parent among the nodes of the variation; none for the first.
    pub parent: Option<usize>,
    /// As in the file, unescaped.
    pub properties: Vec<Property>,
}

impl Beside {
    /// Variations and other properties of a tree, when the first `turns.len()` nodes of its main line come after so
    /// many moves of the record; none after moves that are not part of it. Also whether nothing was left out for
    /// that.
    pub(super) fn of(tree: Tree, turns: &[Option<usize>]) -> (Beside, bool) {
        let (mut beside, mut is_whole) = (Beside::default(), true);
        // Places of nodes in the main line, or in a variation: which one, and where in it.
        let mut places: Vec<Option<Place>> = Vec::with_capacity(tree.nodes.len());
        let mut main_line = 0;
        for (node, parent) in tree.nodes.into_iter().zip(tree.parents) {
            let place = match parent {
                None if main_line == 0 => Some(Place::Main(0)),
                None => None,
                Some(parent) => match places[parent] {
                    Some(Place::Main(at)) if at + 1 == main_line => Some(Place::Main(main_line)),
                    Some(Place::Main(at)) if turns.get(at) == Some(&None) => {
                        is_whole = false;
                        None
                    }
                    Some(Place::Main(at)) => turns.get(at).copied().flatten().map(|turn| {
                        let nodes = vec![SideNode {
                            parent: None,
                            properties: Vec::new(),
                        }];
                        beside.lines.push(SideLine { turn, nodes });
                        Place::Beside(beside.lines.len() - 1, 0)
                    }),
                    Some(Place::Beside(line, at)) => {
                        let nodes = &mut beside.lines[line].nodes;
                        nodes.push(SideNode {
                            parent: Some(at),
                            properties: Vec::new(),
                        });
                        Some(Place::Beside(line, nodes.len() - 1))
                    }
                    None => None,
                },
            };
            match place {
                Some(Place::Main(at)) => {
                    main_line += 1;
                    let mut kept = node.into_iter().filter(is_kept);
                    match turns.get(at) {
                        Some(&Some(turn)) => beside.properties.extend(kept.map(|it| (turn, it))),
                        Some(None) => is_whole &= kept.next().is_none(),
                        None => {}
                    }
                }
                Some(Place::Beside(line, at)) => {
                    beside.lines[line].nodes[at].properties = node;
                }
                None => {}
            }
            places.push(place);
        }
        (beside, is_whole)
    }

    /// Leaves out what follows more than `most` moves of the main line.
    pub fn truncate(&mut self, most: usize) {
        self.lines.retain(|line| line.turn <= most);
        self.properties.retain(|(turn, _)| *turn <= most);
    }
}

/// Where a node of a file is.
#[derive(Clone, Copy)]
enum Place {
    /// In the main line, from 0.
    Main(usize),
    /// In this variation, at this place.
    Beside(usize, usize),
}

fn is_kept(property: &Property) -> bool {
    let name = property.name.as_str();
    !READ_OTHERWISE.contains(&name) && !OTHER_INFO.contains(&name)
}

impl SideLine {
    /// The variation as it stands between parentheses. Written without recursion, since variations may be long.
    pub fn text(&self) -> String {
        let mut children = vec![0_usize; self.nodes.len()];
        for parent in self.nodes.iter().filter_map(|node| node.parent) {
            children[parent] += 1;
        }
        let (mut text, mut open) = (String::new(), Vec::new());
        for (index, node) in self.nodes.iter().enumerate() {
            while open.last().is_some_and(|&(at, _)| Some(at) != node.parent) {
                close(&mut text, open.pop());
            }
            let is_branch = node.parent.is_some_and(|parent| children[parent] > 1);
            if is_branch {
                text.push_str("\n(");
            }
            open.push((index, is_branch));
            write_node(&mut text, &node.properties);
        }
        while let Some(last) = open.pop() {
            close(&mut text, Some(last));
        }
        text
    }
}

fn close(text: &mut String, node: Option<(usize, bool)>) {
    if let Some((_, true)) = node {
        text.push(')');
    }
}

fn write_node(text: &mut String, properties: &Node) {
    text.push(';');
    for property in properties {
        text.push_str(&property.name);
        write_values(text, property);
    }
}

/// The values of a property, with their escapes as in the file that they come from.
pub(super) fn write_values(text: &mut String, property: &Property) {
    for (place, value) in property.values.iter().enumerate() {
        let _ = match property.raw.get(&place) {
            Some(raw) => write!(text, "[{raw}]"),
            None => write!(text, "[{}]", escaped(value)),
        };
    }
}

impl SideNode {
    /// A node with a move and what is said of it, which may be empty.
    pub fn of_move(
        parent: Option<usize>,
        size: BoardSize,
        (color, mv): (Color, Move),
        comment: &str,
    ) -> SideNode {
        let property = |name: &str, value: String| Property {
            name: name.to_owned(),
            values: vec![value],
            ..Property::default()
        };
        let value = mv.point().map(|point| point_text(size, point));
        let mut properties = vec![property(
            &color.letter().to_string(),
            value.unwrap_or_default(),
        )];
        if !comment.is_empty() {
            properties.push(property("C", comment.to_owned()));
        }
        SideNode { parent, properties }
    }

    /// Its first move; none if it has none, or one that is off the board.
    pub fn first_move(&self, size: BoardSize) -> Option<(Color, Move)> {
        let mut moves = self.properties.iter();
        moves.find_map(|it| property::parse_move(it, size).ok().flatten())
    }

    /// Whether it changes the board otherwise than by a move.
    pub fn sets_up(&self) -> bool {
        let mut names = self.properties.iter().map(|it| it.name.as_str());
        names.any(|name| matches!(name, "AB" | "AW" | "AE" | "PL"))
    }

    /// Its comments, one per line.
    pub fn comment(&self) -> String {
        let comments: Vec<String> = self
            .properties
            .iter()
            .filter_map(property::comment)
            .collect();
        comments.join("\n")
    }
}
