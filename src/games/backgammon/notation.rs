//! Plays as text: `8/5 6/5`, `bar/22`, `6/off`, `24/18*/16`, `6/4(2)`; `pass` where no man can be moved.

use anyhow::{Context, Result, bail, ensure};

use super::board::{BAR, Board, Men};
use super::plays::{Dice, Play};
use super::position::BackgammonPosition;

/// Where a man goes in a play: its places in turn, and whether it hits there. 0 is off the board, 25 the bar.
type Route = Vec<(u8, bool)>;

/// The play as text.
pub fn play_text(play: &Play) -> String {
    let mut routes: Vec<Route> = Vec::new();
    for step in play.steps() {
        let (from, to) = (step.from + 1, step.to.map_or(0, |to| to + 1));
        let end = (to, step.is_hit);
        let goes_on = |route: &&mut Route| route.last().is_some_and(|(place, _)| *place == from);
        match routes.iter_mut().find(goes_on) {
            Some(route) => route.push(end),
            None => routes.push(vec![(from, false), end]),
        }
    }
    if routes.is_empty() {
        return "pass".to_owned();
    }
    routes.sort_by(|one, other| other.cmp(one));
    let mut words: Vec<(String, usize)> = Vec::new();
    for text in routes.iter().map(route_text) {
        match words.last_mut() {
            Some((last, count)) if *last == text => *count += 1,
            _ => words.push((text, 1)),
        }
    }
    let word = |(text, count): &(String, usize)| match count {
        1 => text.clone(),
        _ => format!("{text}({count})"),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Places in between are named only where a man is hit.
fn route_text(route: &Route) -> String {
    let last = route.len() - 1;
    let shown = route
        .iter()
        .enumerate()
        .filter(|(index, (_, is_hit))| *index == 0 || *index == last || *is_hit);
    let text = shown.map(|(_, &(place, is_hit))| {
        let name = match place {
            0 => "off".to_owned(),
            25 => "bar".to_owned(),
            _ => place.to_string(),
        };
        name + if is_hit { "*" } else { "" }
    });
    text.collect::<Vec<_>>().join("/")
}

/// Reads a legal play of the position's dice. Where men are hit on the way, the places have to be named.
pub fn read_play(position: &BackgammonPosition, text: &str) -> Result<Play> {
    let dice = position
        .dice
        .context("there are no dice to play: roll first")?;
    let plays = position.plays();
    let routes = read_routes(text)?;
    let own = moved(&position.board.own, &routes)?;
    let fitting: Vec<&Play> = plays.iter().filter(|play| play.after.own == own).collect();
    let sorted = |mut places: Vec<u8>| {
        places.sort_unstable();
        places
    };
    let marked = routes.iter().flatten().filter(|(_, is_hit)| *is_hit);
    let marked = sorted(marked.map(|(place, _)| *place).collect());
    let hits = |play: &Play| {
        let hits = play.steps().iter().filter(|step| step.is_hit);
        sorted(hits.filter_map(|step| step.to.map(|to| to + 1)).collect())
    };
    let as_marked: Vec<&Play> = fitting
        .iter()
        .copied()
        .filter(|play| hits(play) == marked)
        .collect();
    match (&fitting[..], &as_marked[..]) {
        ([], _) => bail!("{}", reason(&position.board, dice, &plays, &routes)),
        ([only], _) | (_, [only]) => Ok(**only),
        (several, _) => {
            let texts: Vec<String> = several.iter().map(|play| play_text(play)).collect();
            bail!("say where you hit: {}", texts.join(" or "))
        }
    }
}

fn read_routes(text: &str) -> Result<Vec<Route>> {
    let text = text.trim().to_ascii_lowercase();
    if ["pass", "-", "cannot move", ""].contains(&&*text) {
        return Ok(Vec::new());
    }
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    let mut routes = Vec::new();
    for word in words {
        let is_no_play = || {
            format!(
                "'{}' is no play: write it as 8/5 6/5, bar/22, 6/off or 24/18*/16",
                word.escape_debug()
            )
        };
        let (word, count) = match word.split_once('(') {
            Some((word, count)) => {
                let count = count.strip_suffix(')').and_then(|count| count.parse().ok());
                (word, count.with_context(is_no_play)?)
            }
            None => (word, 1),
        };
        let route: Option<Route> = word.split('/').map(read_place).collect();
        let route = route
            .filter(|route| route.len() > 1)
            .with_context(is_no_play)?;
        let is_forward = route.windows(2).all(|pair| pair[0].0 > pair[1].0);
        ensure!(
            is_forward,
            "'{word}' goes backward: men move towards point 1"
        );
        ensure!(
            (1..=4).contains(&count),
            "a play has at most four movements"
        );
        routes.extend(vec![route; count]);
    }
    ensure!(routes.len() <= 4, "a play has at most four movements");
    Ok(routes)
}

fn read_place(text: &str) -> Option<(u8, bool)> {
    let (name, is_hit) = match text.strip_suffix('*') {
        Some(name) => (name, true),
        None => (text, false),
    };
    let place = match name {
        "bar" | "b" => 25,
        "off" | "o" => 0,
        _ => name.parse().ok().filter(|place| *place <= 25)?,
    };
    Some((place, is_hit))
}

/// The own men after these movements.
fn moved(own: &Men, routes: &[Route]) -> Result<Men> {
    let mut men = *own;
    // Arrivals first: a man may go on that has just come.
    for &(to, _) in routes.iter().filter_map(|route| route.last()) {
        if to > 0 {
            men[usize::from(to) - 1] += 1;
        }
    }
    for &(from, _) in routes.iter().filter_map(|route| route.first()) {
        let count = from
            .checked_sub(1)
            .map(|index| &mut men[usize::from(index)]);
        match count {
            Some(count) if *count > 0 => *count -= 1,
            _ if usize::from(from) == BAR + 1 => bail!("you have no man on the bar"),
            _ => bail!("you have no man on point {from} for that"),
        }
    }
    Ok(men)
}

/// The rule that a play breaks.
fn reason(board: &Board, dice: Dice, plays: &[Play], routes: &[Route]) -> String {
    let roll = format!("{}-{}", dice.high, dice.low);
    let steps = plays.first().map_or(0, |play| play.steps().len());
    let enters = routes.iter().filter(|route| route[0].0 == 25).count();
    let on_bar = usize::from(board.own[BAR]);
    if steps == 0 {
        return format!("no man can be moved with {roll}: pass");
    }
    if routes.is_empty() {
        return format!("{roll} can be played, so you have to");
    }
    if on_bar > 0 && (enters == 0 || enters < on_bar && routes.len() > enters) {
        return "men on the bar come in first".to_owned();
    }
    let blocked = routes
        .iter()
        .flatten()
        .find(|(place, _)| (1..=24).contains(place) && board.opposing(usize::from(*place) - 1) > 1);
    if let Some((place, _)) = blocked {
        return format!("point {place} is the other side's");
    }
    let is_short = dice_used(dice, routes).is_some_and(|used| used < steps)
        && routes.iter().flatten().all(|(place, _)| *place > 0);
    match is_short {
        true => format!(
            "{roll}: as many dice as possible have to be played, as in {}",
            play_text(&plays[0])
        ),
        false => format!(
            "{roll} does not allow that, but for example {}",
            play_text(&plays[0])
        ),
    }
}

/// How many dice these movements take; none if they take both of two different dice, or are not made of the dice.
fn dice_used(dice: Dice, routes: &[Route]) -> Option<usize> {
    let length = |route: &Route| route[0].0 - route[route.len() - 1].0;
    let lengths: Vec<u8> = routes.iter().map(length).collect();
    match &lengths[..] {
        all if dice.is_double() => {
            let is_made = all.iter().all(|length| length.is_multiple_of(dice.high));
            is_made.then(|| usize::from(all.iter().sum::<u8>() / dice.high))
        }
        [length] => [dice.high, dice.low].contains(length).then_some(1),
        _ => None,
    }
}
