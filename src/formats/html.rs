//! The frame of self-contained HTML pages.

use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = "\
body { font: 15px/1.5 sans-serif; color: #222; max-width: 62em; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.6em } h2 { font-size: 1.2em; margin-top: 2em }
table { border-collapse: collapse; margin: .8em 0 }
th, td { padding: .2em .8em; border-bottom: 1px solid #ddd; text-align: right }
th { color: #666; font-weight: normal } td:first-child, th:first-child { text-align: left }
.left { text-align: left } .lead { font-size: 1.15em } .good { color: #17703a } .bad { color: #b3261e }
code { overflow-wrap: anywhere } svg { max-width: 100%; height: auto } figure { margin: 1em 0 }
.wide { overflow-x: auto } .whole { white-space: nowrap } .note { color: #555; font-size: .9em }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(22em, 1fr)); gap: .4em 1em }
.boards { display: grid; grid-template-columns: repeat(4, 1fr); gap: .3em .8em; margin: .4em 0 1.6em }
.pictures figure, .boards figure { margin: 0 } .pictures svg, .boards svg { width: 100% }
figcaption { color: #555; font-size: .85em }
@media (max-width: 36em) {
.pictures { grid-template-columns: 1fr } .boards { grid-template-columns: 1fr 1fr }
th, td { padding: .2em .35em; font-size: .87em } }";

/// A page with the style of reports.
pub fn page(title: &str, body: &Markup) -> String {
    page_in_style(title, STYLE, body)
}

/// A page with a style sheet of its own.
pub fn page_in_style(title: &str, style: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(style)) }
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
