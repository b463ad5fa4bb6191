//! The pages of `keima review` in a browser. Pictures of them are left in the folder of the test's files.

use serde_json::json;

use crate::browser::Browser;
use crate::review::games;
use crate::running::{finish, keima};
use crate::serve_browser::pictures;

/// Moves in the corners, where a network knows better.
const GAME: &str = "(;SZ[9]KM[7]PB[Ann]PW[Bob]RE[W+R]DT[2026-11-29];B[aa];W[ia];B[ai];W[ii];B[ba];W[ha];B[ab];W[ib]\
    ;B[ah];W[ih];B[bi];W[hi])";

#[test]
fn review_pages_tell_what_the_next_move_loses() {
    let home = games("browser", &[("a.sgf", GAME)]);
    let Some(mut browser) = Browser::start(&home) else {
        return;
    };
    let mut command = keima(&["review", "games", "--out", "out", "--config", "none"]);
    command.args(["--model", "small", "--visits", "20", "--mistake", "0.5"]);
    command.args(["--threads", "1"]).current_dir(&home);
    let output = finish(command, "");
    assert!(output.status.success(), "{output:?}");
    let address = |page: &str| format!("file://{}", home.join("out").join(page).display());
    let tab = browser.open(&address("a.html"));
    browser.wait(
        &tab,
        "document.querySelectorAll('#mistakes button').length > 0",
    );
    let title = browser.value(&tab, "document.querySelector('#mistakes-title').innerText");
    assert!(
        title
            .as_str()
            .unwrap()
            .starts_with("Mistakes and blunders ("),
        "{title}"
    );
    browser.click(&tab, "#mistakes button");
    // `Move 7, Black A8: −3.1, better E5`, and the page that it leads to.
    let next = "(() => {
        const [, move, lost] = document.querySelector('#mistakes button').innerText.match(/^(Move .*): −([0-9.]+)/);
        const told = `Next in the game: ${move[0].toLowerCase()}${move.slice(1)} (dashed ring): `;
        const status = document.querySelector('#status').innerText;
        return status.includes(told) && status.includes(`loses ${lost} points`) })()";
    browser.wait(&tab, next);
    // The slider leaves steps of ten to the page.
    browser.press(&tab, "Home");
    browser.value(&tab, "document.querySelector('#slider').focus()");
    browser.press(&tab, "PageDown");
    browser.wait(
        &tab,
        "document.querySelector('#status b').innerText === 'Move 10 of 12'",
    );
    browser.press(&tab, "PageUp");
    browser.wait(&tab, "location.hash === '#0'");
    // Only one of the moves that are symmetric to each other has a row and a number.
    let names = browser.value(
        &tab,
        "[...document.querySelectorAll('#moves tbody tr')].map((it) => it.cells[0].innerText)",
    );
    assert!(
        names[0].as_str().unwrap().contains(" or ") || names[0] == "E5",
        "{names}"
    );
    let best = "[...document.querySelectorAll('#board .candidates text')].filter((it) => it.textContent === 'best').length";
    assert_eq!(browser.value(&tab, best), json!(1));
    pictures(&mut browser, &tab, "page");
    let index = browser.open(&address("index.html"));
    browser.wait(&index, "document.querySelectorAll('tbody tr').length === 1");
    pictures(&mut browser, &index, "index");
}
