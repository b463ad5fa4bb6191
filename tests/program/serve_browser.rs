//! The page of `keima serve` in a browser. Pictures of it are left in the folder of the test's files.

use std::fs;
use std::path::Path;

use crate::browser::{Browser, Tab};
use crate::folders::folder;
use crate::serve::{Server, play_one_more, wait_until_stored};

/// A window on a desk, and a phone, also on its side.
const SIZES: [(&str, u32, u32); 3] = [
    ("desk", 1280, 800),
    ("phone", 390, 844),
    ("turned", 844, 390),
];

/// A game on 9x9 with a blunder.
const GAME: &str = "(;GM[1]FF[4]SZ[9]KM[7]RU[Chinese]PB[Ann]PW[Bob]RE[W+R]C[Begin];B[ee];W[ge];B[gd];W[fe];B[fd]\
    ;W[ed];B[dd];W[ec];B[ff];W[gf];B[aa];W[gc];B[hd];W[he];B[hc];W[fg])";

/// A server and a browser; none, and said so, where no browser runs.
fn started(name: &str, arguments: &[&str]) -> Option<(Server, Browser, String)> {
    let home = folder(name);
    let browser = Browser::start(&home)?;
    let server = Server::start(&home, arguments);
    let address = format!("http://{}/{}/", server.host, server.token);
    Some((server, browser, address))
}

/// Pictures in all sizes, light and dark.
pub fn pictures(browser: &mut Browser, tab: &Tab, name: &str) {
    for (device, width, height) in SIZES {
        for theme in ["light", "dark"] {
            browser.look(tab, width, height, theme);
            browser.value(tab, "scrollTo(0, 0)");
            let wide = browser.value(
                tab,
                "document.documentElement.scrollWidth - document.documentElement.clientWidth",
            );
            assert!(
                wide.as_i64().unwrap() <= 0,
                "{name} on {device} is too wide by {wide}"
            );
            browser.picture(tab, &format!("{name}-{device}-{theme}"));
        }
    }
    browser.look(tab, 1280, 800, "light");
}

fn point(text: &str) -> String {
    format!("[data-point={text}]")
}

/// A game on 9x9 against keima with few visits, by the dialog.
fn begin_game(browser: &mut Browser, tab: &Tab) {
    begin_game_against(browser, tab, r#"{"kind":"engine","visits":1,"rank":null}"#);
}

/// The same where this player has White.
fn begin_game_against(browser: &mut Browser, tab: &Tab, player: &str) {
    browser.wait(tab, "document.querySelectorAll('.square').length > 0");
    browser.click(tab, "#new");
    browser.value(tab, "document.querySelector('#size').value = '9'");
    browser.value(
        tab,
        &format!("document.querySelector('#new-W').value = {player:?}"),
    );
    browser.value(tab, "document.querySelector('#handicap').value = '0'");
    browser.click(tab, "#new-game [value=start]");
    browser.wait(tab, "document.querySelectorAll('.square').length === 81");
}

const MOVES: &str = "Number(document.querySelector('#slider').max)";

/// Clicks the first of these points that are empty and not beside both edges until a move is made.
fn play_somewhere(browser: &mut Browser, tab: &Tab, moves: u64) {
    let rows = [
        "E5", "C3", "G7", "C7", "G3", "E3", "E7", "C5", "G5", "D4", "F6", "D6", "F4", "B4", "H6",
        "D8", "F2", "B6", "H4", "D2", "F8", "B2", "H8",
    ];
    for name in rows {
        let label = format!(
            "document.querySelector('{}').getAttribute('aria-label')",
            point(name)
        );
        let label = browser.value(tab, &label);
        if !label.as_str().unwrap().contains("empty") {
            continue;
        }
        browser.click(tab, &point(name));
        browser.wait(
            tab,
            &format!(
                "{MOVES} >= {} || !document.querySelector('#message').hidden",
                moves + 1
            ),
        );
        if browser.value(tab, MOVES).as_u64().unwrap() > moves {
            return;
        }
    }
    panic!("no move is possible");
}

#[test]
fn serve_browser_plays_a_game_by_clicks() {
    let Some((_server, mut browser, address)) = started("browser-game", &[]) else {
        return;
    };
    let tab = browser.open(&address);
    begin_game(&mut browser, &tab);
    let turn = "document.querySelector('#status').innerText.includes('Black to move')";
    let mut is_reloaded = false;
    while browser.value(&tab, MOVES).as_u64().unwrap() < 20 {
        browser.wait(&tab, turn);
        let moves = browser.value(&tab, MOVES).as_u64().unwrap();
        if moves == 10 && !is_reloaded {
            // A reload in the middle of the game loses nothing.
            browser.reload(&tab);
            browser.wait(&tab, &format!("{MOVES} === 10"));
            is_reloaded = true;
            continue;
        }
        play_somewhere(&mut browser, &tab, moves);
        browser.wait(&tab, &format!("{MOVES} >= {}", moves + 2));
    }
    assert_eq!(
        browser.value(
            &tab,
            "document.querySelectorAll('#board .stones .stone').length > 15"
        ),
        true
    );
    let announced = browser.value(&tab, "document.querySelector('#announcer').textContent");
    assert!(
        announced.as_str().unwrap().contains("White "),
        "{announced}"
    );
    assert_eq!(
        browser.value(&tab, "document.querySelector('#figures').hidden"),
        true
    );
    // A second click that comes too soon does nothing.
    browser.value(
        &tab,
        "for (const click of [1, 2]) document.querySelector('#undo').click()",
    );
    browser.wait(&tab, &format!("{MOVES} === 18"));
    pictures(&mut browser, &tab, "game");
    // Two persons end it by passes and count.
    browser.value(
        &tab,
        "document.querySelector('#seat-W').selectedIndex = 0, \
        document.querySelector('#seat-W').dispatchEvent(new Event('change'))",
    );
    browser.wait(&tab, turn);
    for moves in [19, 20] {
        browser.wait(&tab, "!document.querySelector('#pass').disabled");
        browser.click(&tab, "#pass");
        browser.wait(&tab, &format!("{MOVES} === {moves}"));
    }
    browser.wait(&tab, "!document.querySelector('#accept').hidden");
    let stone = "document.querySelector('.square[aria-label*=\"stone\"]:not([aria-label*=\"dead\"])').dataset.point";
    let stone = browser.value(&tab, stone);
    let stone = stone.as_str().unwrap();
    browser.click(&tab, &point(stone));
    browser.wait(
        &tab,
        &format!(
            "document.querySelector('{}').ariaLabel.includes('dead')",
            point(stone)
        ),
    );
    browser.picture(&tab, "counting");
    browser.click(&tab, "#accept");
    browser.wait(
        &tab,
        "document.querySelector('#status').innerText.includes('The game is over')",
    );
    // No search says otherwise than the count.
    browser.click(&tab, "#analysis");
    browser.press(&tab, "ArrowLeft");
    let best = "document.querySelectorAll('#board .candidate').length";
    browser.wait(&tab, &format!("{best} > 0"));
    browser.press(&tab, "ArrowRight");
    browser.wait(
        &tab,
        "/^Counted: [BW]\\+/.test(document.querySelector('#evaluation').innerText)",
    );
    assert_eq!(browser.value(&tab, best), 0);
    let end = "[...[...document.querySelectorAll('#graph polyline.winrate')].pop().points].pop().y";
    let end = browser.value(&tab, end).as_f64().unwrap();
    assert!(end == 8.0 || end == 178.0, "{end}");
    browser.picture(&tab, "counted");
}

#[test]
fn serve_browser_leads_back_to_earlier_games() {
    let Some((_server, mut browser, address)) = started("browser-back", &[]) else {
        return;
    };
    let tab = browser.open(&address);
    let person = r#"{"kind":"person"}"#;
    begin_game_against(&mut browser, &tab, person);
    browser.click(&tab, &point("E5"));
    browser.wait(&tab, &format!("{MOVES} === 1"));
    begin_game_against(&mut browser, &tab, person);
    browser.wait(&tab, &format!("{MOVES} === 0"));
    browser.value(&tab, "history.back()");
    browser.wait(&tab, &format!("{MOVES} === 1"));
    // The list has this game in front of the one before it.
    browser.click(&tab, "#games");
    let buttons = "[...document.querySelectorAll('#kept-games button')]";
    browser.wait(&tab, &format!("{buttons}.length === 3"));
    let listed = browser.value(&tab, &format!("{buttons}.map((it) => it.innerText)"));
    let shown = "a person – a person: 9×9, chinese rules, komi 7.5, 1 move";
    assert_eq!(listed[0], shown);
    pictures(&mut browser, &tab, "games-dialog");
    browser.click(&tab, "#kept-games li:nth-child(2) button");
    browser.wait(&tab, &format!("{MOVES} === 0"));
    browser.value(&tab, "history.back()");
    browser.wait(&tab, &format!("{MOVES} === 1"));
}

#[test]
fn serve_browser_has_one_row_for_symmetric_moves() {
    let Some((_server, mut browser, address)) = started("browser-symmetric", &[]) else {
        return;
    };
    let tab = browser.open(&address);
    begin_game_against(&mut browser, &tab, r#"{"kind":"person"}"#);
    browser.click(&tab, "#analysis");
    let rows =
        "[...document.querySelectorAll('#moves tbody tr')].map((it) => it.cells[0].innerText)";
    browser.wait(&tab, &format!("{rows}.some((it) => it.includes(' or '))"));
    let images = "[...document.querySelectorAll('.square')].filter((it) => /the same as/.test(it.ariaLabel))";
    let numbers =
        "[...document.querySelectorAll('#board .candidates text')].filter((it) => it.textContent)";
    let counts = browser.value(
        &tab,
        &format!("[{rows}.length, {numbers}.length, {images}.length > 0]"),
    );
    assert_eq!((&counts[0], &counts[2]), (&counts[1], &true.into()));
    pictures(&mut browser, &tab, "symmetric");
}

#[test]
fn serve_browser_analyzes_a_loaded_game_in_two_tabs() {
    let Some((_server, mut browser, address)) = started("browser-analysis", &[]) else {
        return;
    };
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser-analysis/ann-bob.sgf");
    fs::write(&file, GAME).unwrap();
    let tab = browser.open(&address);
    browser.wait(&tab, "document.querySelectorAll('.square').length > 0");
    browser.choose_file(&tab, "#sgf-file", &file);
    browser.wait(&tab, &format!("{MOVES} === 16"));
    browser.wait(
        &tab,
        "document.querySelector('#moves tbody').rows.length > 1",
    );
    // The whole game gets values, so that the graph is drawn to its end.
    browser.wait(
        &tab,
        "document.querySelector('#graph .winrate').points.length === 17",
    );
    browser.wait(
        &tab,
        "document.querySelectorAll('#graph .mistake').length > 0",
    );
    // A click on the graph goes to a position, whose analysis appears.
    browser.click(&tab, "#graph");
    browser.wait(
        &tab,
        "document.querySelector('#status').innerText.includes('Move 8 of 16')",
    );
    browser.wait(
        &tab,
        "document.querySelectorAll('#board .candidate').length > 0",
    );
    browser.value(&tab, "document.querySelector('#show-ownership').click()");
    browser.wait(
        &tab,
        "document.querySelectorAll('#board .ownership rect').length > 0",
    );
    pictures(&mut browser, &tab, "analysis");
    let best = browser.value(&tab, "document.querySelector('#moves button').textContent");
    let best = best.as_str().unwrap().to_owned();
    browser.value(&tab, "document.querySelector('#moves button').focus()");
    browser.wait(
        &tab,
        "document.querySelectorAll('#board .variation .number').length > 0",
    );
    browser.picture(&tab, "variation");
    // It stays when the table is made again, as it is where the best moves come in another order.
    let again = "document.querySelector('#moves tbody').dataset.order = '';
        document.querySelector('#visits').value = '10000';
        document.querySelector('#visits').dispatchEvent(new Event('change'))";
    browser.value(&tab, again);
    browser.wait(&tab, "document.querySelector('#moves tbody').dataset.order");
    let numbers = "document.querySelectorAll('#board .variation .number').length";
    let shown = browser.value(&tab, numbers);
    assert!(shown.as_u64().unwrap() > 0);
    browser.value(&tab, "document.activeElement.blur()");
    browser.press(&tab, "Home");
    browser.wait(
        &tab,
        "document.querySelector('#status').innerText.includes('Begin')",
    );
    // A second tab shows the same game and plays another move in it.
    let hash = browser.value(&tab, "location.hash");
    let other = browser.open(&format!("{address}{}", hash.as_str().unwrap()));
    browser.wait(&other, &format!("{MOVES} === 16"));
    browser.click(&other, "#undo");
    browser.wait(&tab, &format!("{MOVES} === 15"));
    // Each tab learns of it by itself.
    browser.wait(&other, "!document.querySelector('#go-back').hidden");
    browser.click(&other, "#go-back");
    browser.wait(&tab, &format!("{MOVES} === 16"));
    browser.close(&other);
    assert!(best == "pass" || best.len() <= 3, "{best}");
    browser.click(&tab, "#edit");
    browser.click(&tab, &point("A1"));
    pictures(&mut browser, &tab, "edit");
    browser.click(&tab, "#edit-done");
    browser.wait(
        &tab,
        &format!("{MOVES} === 0 && !document.querySelector('#go-back').hidden"),
    );
    let label = browser.value(&tab, "document.querySelector('[data-point=A1]').ariaLabel");
    assert_eq!(label, "A1, black stone");
}

/// The position that is looked at, its move, and whether it is in a variation.
const STATUS: &str = "document.querySelector('#status b').textContent";

#[test]
fn serve_browser_walks_through_variations() {
    let Some((_server, mut browser, address)) = started("browser-variations", &[]) else {
        return;
    };
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser-variations/ann-bob.sgf");
    fs::write(&file, GAME).unwrap();
    let tab = browser.open(&address);
    browser.wait(&tab, "document.querySelectorAll('.square').length > 0");
    browser.choose_file(&tab, "#sgf-file", &file);
    browser.wait(&tab, &format!("{MOVES} === 16"));
    let is =
        |browser: &mut Browser, text: &str| browser.wait(&tab, &format!("{STATUS} === {text:?}"));
    browser.press(&tab, "Home");
    browser.press(&tab, "ArrowRight");
    is(&mut browser, "Move 1 of 16, Black E5");
    browser.click(&tab, &point("C3"));
    is(&mut browser, "Move 2 of 2 (variation), White C3");
    browser.click(&tab, &point("C7"));
    is(&mut browser, "Move 3 of 3 (variation), Black C7");
    // Up and down lead from one to the other where they part, and each keeps its moves.
    browser.press(&tab, "ArrowLeft");
    is(&mut browser, "Move 2 of 3 (variation), White C3");
    browser.press(&tab, "ArrowUp");
    is(&mut browser, "Move 2 of 16, White G5");
    browser.press(&tab, "ArrowUp");
    browser.press(&tab, "ArrowDown");
    is(&mut browser, "Move 2 of 3 (variation), White C3");
    browser.press(&tab, "ArrowLeft");
    browser.wait(
        &tab,
        "document.querySelectorAll('#branches button').length === 2",
    );
    let pressed = "document.querySelector('#branches [aria-pressed=true]').textContent";
    assert_eq!(browser.value(&tab, pressed), "C3");
    // What the analysis says of the same point comes beside it.
    let label = "document.querySelector('[data-point=G5]').ariaLabel";
    browser.wait(&tab, &format!("/best move|loses/.test({label})"));
    let label = browser.value(&tab, label);
    assert!(label.as_str().unwrap().contains("variation a"), "{label}");
    assert_eq!(
        browser.value(&tab, "document.querySelector('#board .branch').textContent"),
        "a"
    );
    pictures(&mut browser, &tab, "variations");
    browser.click(&tab, "#branches button");
    is(&mut browser, "Move 2 of 16, White G5");
    browser.reload(&tab);
    browser.wait(&tab, &format!("{MOVES} === 16"));
    let saved = "fetch(document.location.pathname + 'sgf?game=' + location.hash.slice(1)).then((it) => it.text())";
    let saved = browser.value(&tab, saved);
    let saved = saved.as_str().unwrap();
    assert!(saved.contains("(;W[cg];B[cc])"), "{saved}");
}

#[test]
fn serve_browser_goes_on_after_a_restart_with_clocks() {
    let Some((server, mut browser, address)) = started("browser-restart", &["--state", "state"])
    else {
        return;
    };
    let tab = browser.open(&address);
    browser.wait(&tab, "document.querySelectorAll('.square').length > 0");
    browser.value(&tab, "document.querySelector('#time').value = '10m+30sx3'");
    begin_game(&mut browser, &tab);
    browser.click(&tab, &point("E5"));
    browser.wait(&tab, &format!("{MOVES} === 2"));
    let clock = "document.querySelector('#clock-B').textContent";
    let goes = format!("{clock} !== '10:00' && /^[0-9]+:[0-9][0-9]$/.test({clock})");
    browser.wait(&tab, &goes);
    pictures(&mut browser, &tab, "clocks");
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser-restart");
    wait_until_stored(&home, "];W[");
    drop(server);
    browser.wait(&tab, "!document.querySelector('#offline').hidden");
    // A click says why nothing comes of it, as long as that is so.
    browser.click(&tab, &point("C3"));
    let message = "document.querySelector('#message')";
    browser.wait(
        &tab,
        &format!("{message}.innerText === 'keima does not answer'"),
    );
    let _server = Server::start(&home, &["--state", "state"]);
    browser.wait(&tab, "document.querySelector('#offline').hidden");
    browser.wait(&tab, &format!("{message}.hidden"));
    assert_eq!(browser.value(&tab, MOVES), 2);
    browser.click(&tab, &point("C3"));
    browser.wait(&tab, &format!("{MOVES} === 4"));
    browser.reload(&tab);
    browser.wait(&tab, &format!("{MOVES} === 4 && {goes}"));
}

#[test]
fn serve_browser_tells_of_a_loss_on_time() {
    let Some((_server, mut browser, address)) = started("browser-late", &[]) else {
        return;
    };
    let tab = browser.open(&address);
    browser.wait(&tab, "document.querySelectorAll('.square').length > 0");
    browser.value(
        &tab,
        "document.querySelector('#time').value = '0.1s+0.2sx2'",
    );
    begin_game(&mut browser, &tab);
    let lost = "document.querySelector('#status').innerText.includes('White wins on time (W+T)')";
    browser.wait(&tab, lost);
    let clock = "document.querySelector('#clock-B').textContent";
    assert_eq!(browser.value(&tab, clock), "0:00, 1 period");
}

#[test]
fn serve_browser_obeys_keys_and_shows_dialogs() {
    let Some((_server, mut browser, address)) = started("browser-keys", &["--games", "."]) else {
        return;
    };
    let tab = browser.open(&address);
    begin_game(&mut browser, &tab);
    browser.value(
        &tab,
        "document.querySelector('.square[tabindex=\"0\"]').focus()",
    );
    browser.press(&tab, "ArrowUp");
    browser.press(&tab, "ArrowLeft");
    browser.press(&tab, "Enter");
    browser.wait(&tab, &format!("{MOVES} === 2"));
    let label = browser.value(&tab, "document.querySelector('[data-point=D6]').ariaLabel");
    assert!(
        label.as_str().unwrap().starts_with("D6, black stone"),
        "{label}"
    );
    browser.value(&tab, "document.activeElement.blur()");
    browser.press(&tab, "ArrowLeft");
    browser.wait(
        &tab,
        "document.querySelector('#status').innerText.includes('Move 1 of 2')",
    );
    // A game that cannot be leaves the dialog open.
    browser.click(&tab, "#new");
    browser.value(&tab, "document.querySelector('#time').value = 'soon'");
    browser.click(&tab, "#new-game [value=start]");
    browser.wait(
        &tab,
        "document.querySelector('#new-game[open] .message').innerText.includes('soon')",
    );
    browser.picture(&tab, "refused");
    browser.value(&tab, "document.querySelector('#new-game').close()");
    for (button, dialog) in [
        ("new", "new-game"),
        ("settings", "settings-dialog"),
        ("library", "library-dialog"),
    ] {
        browser.click(&tab, &format!("#{button}"));
        browser.wait(&tab, &format!("document.querySelector('#{dialog}').open"));
        pictures(&mut browser, &tab, dialog);
        browser.value(
            &tab,
            &format!("document.querySelector('#{dialog}').close()"),
        );
    }
    let unnamed = "[...document.querySelectorAll('button, input, select, [role=gridcell]')].filter((it) => \
        !it.ariaLabel && !it.innerText.trim() && !(it.labels && it.labels.length) && !it.hidden && it.offsetParent)\
        .map((it) => it.outerHTML)";
    assert_eq!(browser.value(&tab, unnamed), serde_json::json!([]));
    // As a person who has chosen dark colors.
    browser.value(
        &tab,
        "document.querySelector('#theme').value = 'dark', \
        document.querySelector('#theme').dispatchEvent(new Event('change'))",
    );
    browser.reload(&tab);
    browser.wait(
        &tab,
        "getComputedStyle(document.body).backgroundColor === 'rgb(25, 25, 25)'",
    );
}

#[test]
fn serve_browser_does_once_what_is_asked_twice() {
    let Some((_server, mut browser, address)) = started("browser-once", &[]) else {
        return;
    };
    let tab = browser.open(&address);
    let person = r#"{"kind":"person"}"#;
    begin_game_against(&mut browser, &tab, person);
    // The second click comes before the answer to the first.
    browser.value(
        &tab,
        "for (const at of ['C3', 'C4']) document.querySelector(`[data-point=${at}]`).click()",
    );
    browser.wait(&tab, &format!("{MOVES} === 1"));
    // Whoever holds P down passes once.
    browser.value(
        &tab,
        "for (const repeat of [false, true, true]) document.body.dispatchEvent(\
        new KeyboardEvent('keydown', { key: 'p', repeat, bubbles: true }))",
    );
    browser.wait(&tab, &format!("{MOVES} === 2"));
    // Whoever holds Enter down has not asked twice.
    browser.value(
        &tab,
        "document.querySelector('#confirm').value = 'always'; \
        for (const repeat of [false, true]) \
        document.querySelector('[data-point=D4]').dispatchEvent(\
        new KeyboardEvent('keydown', { key: 'Enter', repeat, bubbles: true }))",
    );
    let status = browser.value(&tab, "document.querySelector('#status').innerText");
    assert!(
        status.as_str().unwrap().contains("Touch D4 again"),
        "{status}"
    );
    browser.value(&tab, "document.querySelector('#confirm').value = 'auto'");
    // After a click on the board arrow keys step, and choose no other player.
    browser.value(&tab, "document.querySelector('#seat-W').focus()");
    browser.click(&tab, &point("E5"));
    browser.wait(&tab, &format!("{MOVES} === 3"));
    browser.press(&tab, "ArrowLeft");
    browser.press(&tab, "ArrowUp");
    browser.wait(&tab, &format!("{STATUS}.startsWith('Move 2 of 3,')"));
    // Only a move that is shown is taken back.
    let undo = "document.querySelector('#undo').disabled";
    assert_eq!(browser.value(&tab, undo), true);
    browser.press(&tab, "ArrowRight");
    assert_eq!(browser.value(&tab, undo), false);
    // An error is shown until another position is.
    browser.click(&tab, &point("E5"));
    browser.wait(&tab, "!document.querySelector('#message').hidden");
    browser.value(&tab, "document.querySelector('#slider').focus()");
    browser.press(&tab, "PageUp");
    browser.wait(&tab, &format!("{STATUS} === 'Start'"));
    browser.wait(&tab, "document.querySelector('#message').hidden");
    let seat = browser.value(&tab, "document.querySelector('#seat-W').value");
    assert_eq!(seat, person);
    let saved = "fetch(document.location.pathname + 'sgf?game=' + location.hash.slice(1)).then((it) => it.text())";
    let saved = browser.value(&tab, saved);
    let saved = saved.as_str().unwrap();
    assert!(saved.contains(";B[cg];W[];B[ee])"), "{saved}");
    // The number of the last move is not cut off.
    let anchor = "getComputedStyle(document.querySelector('#graph .turn:last-of-type')).textAnchor";
    assert_eq!(browser.value(&tab, anchor), "end");
    // An analysis of the whole game is an analysis.
    browser.click(&tab, "#whole");
    let is_on = "document.querySelector('#analysis').checked";
    assert_eq!(browser.value(&tab, is_on), true);
}

#[test]
fn serve_browser_asks_before_a_touch_plays() {
    let Some((_server, mut browser, address)) = started("browser-touch", &[]) else {
        return;
    };
    let tab = browser.open(&address);
    begin_game(&mut browser, &tab);
    browser.become_phone(&tab);
    browser.wait(&tab, "matchMedia('(pointer: coarse)').matches");
    browser.touch(&tab, &point("E5"));
    browser.wait(&tab, "document.querySelector('#board .ghost.asks')");
    browser.touch(&tab, &point("D5"));
    let ghost = "Number(document.querySelector('#board .ghost.asks').getAttribute('cx'))";
    browser.wait(&tab, &format!("{ghost} === 4.5"));
    browser.wait(
        &tab,
        "document.querySelector('#status').innerText.includes('Touch D5 again to play there')",
    );
    browser.picture(&tab, "touched");
    assert_eq!(browser.value(&tab, MOVES), 0);
    browser.touch(&tab, &point("D5"));
    browser.wait(&tab, &format!("{MOVES} === 2"));
    // On its side a phone has the whole board beside the rest.
    browser.look(&tab, 844, 390, "light");
    let beside = "(() => { const [board, side] = ['#place', '#side'].map((it) => document.querySelector(it).getBoundingClientRect()); \
        return board.right <= side.left && board.bottom <= innerHeight })()";
    browser.value(&tab, "scrollTo(0, 0)");
    browser.wait(&tab, beside);
    browser.picture(&tab, "turned");
}

#[test]
fn serve_browser_shows_a_training_run() {
    let home = folder("browser-run");
    let Some(mut browser) = Browser::start(&home) else {
        return;
    };
    play_one_more(&home);
    let server = Server::start(&home, &["RUN"]);
    let tab = browser.open(&format!("http://{}/{}/run", server.host, server.token));
    browser.wait(
        &tab,
        "document.querySelectorAll('#report table').length > 0",
    );
    pictures(&mut browser, &tab, "run");
    browser.look(&tab, 1280, 800, "dark");
    browser.wait(
        &tab,
        "getComputedStyle(document.body).backgroundColor === 'rgb(25, 25, 25)'",
    );
}
