//! The frame of HTML pages: one file each, without anything from outside.

use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = "\
body { font: 15px/1.5 sans-serif; color: #222; max-width: 62em; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.6em } h2 { font-size: 1.2em; margin-top: 2em }
table { border-collapse: collapse; margin: .8em 0 }
th, td { padding: .2em .8em; border-bottom: 1px solid #ddd; text-align: right }
th { color: #666; font-weight: normal } td:first-child, th:first-child { text-align: left }
.left { text-align: left } .lead { font-size: 1.15em } .good { color: #17703a } .bad { color: #b3261e }
code { overflow-wrap: anywhere } svg { max-width: 100%; height: auto } figure { margin: 1em 0 }";

/// A page with a title.
pub fn page(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    };
    page.into_string()
}
