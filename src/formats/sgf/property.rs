//! What single properties say. The crate gives those it understands typed, the others as
//! `Prop::Invalid` with their texts, in which the habits of other programs are looked for.

use anyhow::{Context, Result, anyhow, ensure};
use sgf_parse::SimpleText;
use sgf_parse::go::{self as sgf, Prop};

use crate::go::{BoardSize, Color, Move, Point};

use super::info::Source;

/// Parses the properties of one node.
pub(super) fn properties(node: &str) -> Result<Vec<Prop>> {
    let trees = sgf_parse::parse(&format!("(;{node})")).map_err(|error| anyhow!("{error}"))?;
    let tree = trees.into_iter().next().context("no node")?;
    let root = tree.into_go_node();
    Ok(root.map_err(|_| anyhow!("not a game of Go"))?.properties)
}

/// The board size a node states, if it does; one that is no number or out of range is an error.
pub(super) fn size(node: &[Prop]) -> Result<Option<BoardSize>> {
    for property in node {
        match property {
            &Prop::SZ((width, height)) => {
                let size = BoardSize::new(usize::from(width), usize::from(height));
                let unsupported = || format!("boards of {width}x{height} are not supported");
                return size.with_context(unsupported).map(Some);
            }
            Prop::Invalid(name, values) if name == "SZ" => {
                let is_empty = values.concat().trim().is_empty();
                ensure!(is_empty, "SZ[{}] is no board size", values.join("]["));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Who wrote the file of this root node.
pub(super) fn source(root: &[Prop]) -> Source {
    let application = root.iter().find_map(|property| match property {
        Prop::AP((name, _)) => Some(name.text.clone()),
        Prop::Invalid(name, values) if name == "AP" => Some(values.concat()),
        _ => None,
    });
    application.map_or(Source::Other, |name| Source::of_application(&name))
}

/// The move of a property, if it is one.
pub(super) fn made(property: &Prop, size: BoardSize) -> Result<Option<(Color, Move)>> {
    let (color, made) = match property {
        Prop::B(made) => (Color::Black, *made),
        Prop::W(made) => (Color::White, *made),
        Prop::Invalid(name, values) if matches!(name.as_str(), "B" | "W") => {
            let text = values.join("][");
            let made = text.trim().parse();
            let made = made.map_err(|_| anyhow!("{name}[{text}] is no move"))?;
            (
                if name == "B" {
                    Color::Black
                } else {
                    Color::White
                },
                made,
            )
        }
        _ => return Ok(None),
    };
    let has_tt = size.width() > 19 || size.height() > 19;
    let made = match made {
        sgf::Move::Pass => Move::Pass,
        sgf::Move::Move(sgf::Point { x: 19, y: 19 }) if !has_tt => Move::Pass,
        sgf::Move::Move(stated) => Move::Play(point(stated, size)?),
    };
    Ok(Some((color, made)))
}

fn point(stated: sgf::Point, size: BoardSize) -> Result<Point> {
    let (column, from_top) = (usize::from(stated.x), usize::from(stated.y));
    ensure!(
        column < size.width() && from_top < size.height(),
        "column {} of row {} from the top is not on a board of {size}",
        column + 1,
        from_top + 1
    );
    Ok(Point::new(column, size.height() - 1 - from_top))
}

/// What a node sets up.
#[derive(Default)]
pub(super) struct SetUp {
    /// Points with what is to be there.
    pub(super) points: Vec<(Point, Option<Color>)>,
    /// Whose turn it is to be.
    pub(super) turn: Option<Color>,
}

/// The set-up of a node; empty if it has none.
pub(super) fn set_up(node: &[Prop], size: BoardSize) -> Result<SetUp> {
    let mut all = SetUp::default();
    for property in node {
        let (points, content) = match property {
            Prop::AB(points) => (points, Some(Color::Black)),
            Prop::AW(points) => (points, Some(Color::White)),
            Prop::AE(points) => (points, None),
            Prop::PL(color) => {
                all.turn = Some(match color {
                    sgf_parse::Color::Black => Color::Black,
                    sgf_parse::Color::White => Color::White,
                });
                continue;
            }
            Prop::Invalid(name, values) => {
                read_odd_set_up(name, values, &mut all)?;
                continue;
            }
            _ => continue,
        };
        for &stated in points {
            all.points.push((point(stated, size)?, content));
        }
    }
    Ok(all)
}

/// Set-up that the crate does not take: empty lists, colors in full.
fn read_odd_set_up(name: &str, values: &[String], all: &mut SetUp) -> Result<()> {
    match name {
        "PL" => all.turn = values.concat().trim().parse().ok().or(all.turn),
        "AB" | "AW" | "AE" => {
            let is_empty = values.iter().all(|value| value.trim().is_empty());
            ensure!(is_empty, "{name}[{}]: no points", values.join("]["));
        }
        _ => {}
    }
    Ok(())
}

/// The comment of a property, unless it is empty.
pub(super) fn comment(property: &Prop) -> Option<String> {
    let text = match property {
        Prop::C(text) => text.text.clone(),
        Prop::Invalid(name, values) if name == "C" => values.join("\n"),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// Text on one line; none if empty.
pub(super) fn simple(text: &SimpleText) -> Option<String> {
    (!text.text.is_empty()).then(|| text.text.replace('\n', " "))
}
