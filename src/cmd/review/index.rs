//! The page that lists the games of a folder.

use maud::{Markup, PreEscaped, html};

use super::page::{named, points};
use crate::cmd::board_page::STYLE;
use crate::formats::html as frame;
use crate::review::folder::INDEX_TITLE;
use crate::review::review::Head;

/// The page.
pub fn page(heads: &[Head]) -> String {
    let has_dates = heads.iter().any(|head| head.date.is_some());
    let body = html! {
        header { h1 { (INDEX_TITLE) } }
        section {
            div.wide { table {
                thead { tr {
                    th.left { "game" } th.left { "Black" } th.left { "White" }
                    @if has_dates { th.left { "date" } }
                    th { "board" } th { "moves" } th.left { "result" }
                    th { abbr title="Average points lost by Black" { "Black lost" } }
                    th { abbr title="Average points lost by White" { "White lost" } }
                    th { "blunders" }
                } }
                tbody { @for head in heads { (row(head, has_dates)) } }
            } }
            p.note {
                "Lost: points lost on average by a move. Blunders: Black's and White's."
            }
        }
    };
    frame::page_in_style(INDEX_TITLE, STYLE, &body)
}

fn row(head: &Head, has_dates: bool) -> Markup {
    let [black, white] = [&head.summary.black, &head.summary.white];
    let [width, height] = head.size;
    let link = frame::href(&format!("{}.html", head.name));
    html! {
        tr {
            td.left { a href=(link) { (head.name) } }
            @for player in &head.players { td.left { (named(player)) } }
            @if has_dates { td.left.date { (head.date.as_deref().unwrap_or_default()) } }
            td.whole { (width) (PreEscaped("&times;")) (height) }
            td { (head.moves) }
            td.left { (head.result.as_deref().unwrap_or_default()) }
            td { (points(black.all.average_loss)) }
            td { (points(white.all.average_loss)) }
            td { (black.all.blunders) " – " (white.all.blunders) }
        }
    }
}
