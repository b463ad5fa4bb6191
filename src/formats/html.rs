//! The frame of self-contained HTML pages.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Colors, light and dark, and what else pages have in common.
pub const BASE_STYLE: &str = include_str!("base.css");

/// The style of reports. Pictures of curves and what has their colors are made for light pages.
const STYLE: &str = "\
body { font: 15px/1.5 sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.6em } h2 { font-size: 1.2em; margin-top: 2em }
table { border-collapse: collapse; margin: .8em 0 }
th, td { padding: .2em .8em; border-bottom: 1px solid var(--rule); text-align: right }
th { color: var(--soft); font-weight: normal } td:first-child, th:first-child { text-align: left }
.left { text-align: left } .lead { font-size: 1.15em } .good { color: var(--good) } .bad { color: var(--bad) }
code { overflow-wrap: anywhere } svg { max-width: 100%; height: auto } figure { margin: 1em 0 }
.whole { white-space: nowrap } .note { color: var(--soft); font-size: .9em }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(22em, 1fr)); gap: .4em 1em }
.boards { display: grid; grid-template-columns: repeat(4, 1fr); gap: .3em .8em; margin: .4em 0 1.6em }
.boards:has(pre) { grid-template-columns: repeat(auto-fill, minmax(min(30em, 100%), 1fr)) }
.pictures figure, .boards figure { margin: 0; min-width: 0 } pre { overflow-x: auto } .pictures svg, .boards svg { width: 100% }
figcaption { color: var(--soft); font-size: .85em }
@media (max-width: 36em) {
.pictures { grid-template-columns: 1fr } .boards { grid-template-columns: 1fr 1fr }
th, td { padding: .2em .35em; font-size: .87em } }
@media (prefers-color-scheme: dark) {
figure svg, .legend i, td span[style] { filter: invert(.9) hue-rotate(180deg) } .boards svg { filter: none } }";

/// A page with the style of reports.
pub fn page(title: &str, body: &Markup) -> String {
    page_in_style(title, STYLE, body)
}

/// A page with a style of its own besides that of all pages.
pub fn page_in_style(title: &str, style: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(BASE_STYLE)) (PreEscaped(style)) }
            }
            body { (body) }
        }
    };
    page.into_string()
}

/// Text as part of a link: a path below a page's folder, or an absolute one.
pub fn href(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let escaped = |byte: &u8| match plain(*byte) {
        true => char::from(*byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    path.as_bytes().iter().map(escaped).collect()
}
