//! Queries: positions of a game to analyze, and how. Fields are checked in KataGo's order, so that of
//! several mistakes the same one is reported.

use std::collections::BTreeMap;

use serde_json::Value;

use super::engine::Engine;
use super::fields::Fields;
use super::message::FieldError;
use super::options::{Options, report_times};
use super::places::{board_size, moves, stones};
use super::restrictions::restrictions;
use super::settings::{Settings, settings};
use crate::formats::rules_json;
use crate::go::{Color, HandicapBonus, Komi, Move, Position, Rules, Setup, SetupError};
use crate::player::{Player, ReportTimes};
use crate::search::Restrictions;

/// Largest priority, and the smallest with the other sign.
const MAX_PRIORITY: i64 = (1 << 62) - 1;
/// Largest komi, and the smallest with the other sign.
const MAX_KOMI: f64 = 400.0;
const NO_RULES: &str = "Must specify rules string, such as \"chinese\" or \"tromp-taylor\", or a \
    JSON object with detailed rules parameters.";

/// Fields that set a parameter of the search: name, smallest and largest value, what they must be.
const NUMBERS: [(&str, f64, f64, &str); 2] = [
    (
        "rootFpuReductionMax",
        0.0,
        2.0,
        "Must be a number from 0.0 to 2.0",
    ),
    (
        "rootPolicyTemperature",
        0.01,
        100.0,
        "Must be a number from 0.01 to 100.0",
    ),
];

/// All fields of queries and actions.
const FIELDS: [&str; 31] = [
    "id",
    "action",
    "terminateId",
    "turnNumbers",
    "boardXSize",
    "boardYSize",
    "initialStones",
    "moves",
    "initialPlayer",
    "analyzeTurns",
    "priorities",
    "rules",
    "komi",
    "whiteHandicapBonus",
    "overrideSettings",
    "maxVisits",
    "analysisPVLen",
    "rootFpuReductionMax",
    "rootPolicyTemperature",
    "includeMovesOwnership",
    "includeMovesOwnershipStdev",
    "includeOwnership",
    "includeOwnershipStdev",
    "includePolicy",
    "includePVVisits",
    "includeNoResultValue",
    "reportDuringSearchEvery",
    "firstReportDuringSearchAfter",
    "priority",
    "allowMoves",
    "avoidMoves",
];

/// A query that can be answered.
pub struct Query {
    /// Chosen by the client.
    pub id: String,
    start: Position,
    moves: Vec<(Color, Move)>,
    /// Turns to analyze, each with its priority.
    pub turns: BTreeMap<usize, i64>,
    /// Parameters that differ from the program's.
    pub(super) settings: Settings,
    /// Moves to leave alone.
    pub(super) restrictions: Restrictions,
    /// What answers contain.
    pub(super) options: Options,
    /// When reports before the end are due, if they are wanted.
    pub(super) reports: Option<ReportTimes>,
}

impl Query {
    /// Reads a query. Warnings are added even if there is a mistake, too.
    pub(super) fn parse(
        id: &str,
        fields: Fields,
        engine: &Engine,
        warnings: &mut Vec<FieldError>,
    ) -> Result<Query, FieldError> {
        let size = board_size(fields)?;
        let stones = stones(fields, size)?;
        let no_moves =
            || FieldError::new("moves", "Must specify an array of [player,location] pairs");
        let moves = moves(fields, "moves", size)?.ok_or_else(no_moves)?;
        let first_player = fields.color("initialPlayer")?;
        let turns = turns(fields, moves.len())?;
        let (mut rules, usual_komi) = rules(fields)?;
        let komi = komi(fields)?.unwrap_or(usual_komi);
        if let Some(bonus) = handicap_bonus(fields)? {
            rules.handicap_bonus = bonus;
        }
        let (mut settings, unknown) = settings(fields, engine)?;
        if !unknown.is_empty() {
            let names = unknown.join(",");
            let warning = format!("Unknown config params: {names}");
            warnings.push(FieldError::new("overrideSettings", warning));
        }
        settings.extend(field_settings(fields)?);
        let options = Options::parse(fields)?;
        let reports = report_times(fields)?;
        let turns = with_priority(fields, turns)?;
        let restrictions = restrictions(fields, size)?;
        if engine.params.warn_unused_fields {
            warnings.extend(unused_fields(fields));
        }
        let setup = Setup {
            stones,
            ..Setup::new(size, rules, komi)
        };
        let start = start(&setup, first_player.or(moves.first().map(|made| made.0)))?;
        let query = Query {
            id: id.to_owned(),
            start,
            moves,
            turns,
            settings,
            restrictions,
            options,
            reports,
        };
        query.check(engine, warnings)?;
        Ok(query)
    }

    /// The position after `turn` moves, which must be legal.
    pub(super) fn position(&self, turn: usize) -> Result<Position, FieldError> {
        let mut position = self.start.clone();
        for (index, &(color, made)) in self.moves[..turn].iter().enumerate() {
            let illegal = |_| FieldError::new("moves", format!("Illegal move {index}: {made}"));
            position.play_reported(color, made).map_err(illegal)?;
        }
        Ok(position)
    }

    /// Refuses illegal moves and boards that cannot be evaluated, and warns of what will not be known.
    fn check(&self, engine: &Engine, warnings: &mut Vec<FieldError>) -> Result<(), FieldError> {
        self.position(self.moves.len())?;
        let (player, size) = ((engine.make_player)(), self.start.size());
        let evaluators = player.evaluators();
        if !evaluators.can_play_on(size) {
            let mistake = format!("The network cannot play on boards of {size}");
            return Err(FieldError::new("boardXSize", mistake));
        }
        let Some(field) = self.options.ownership_field() else {
            return Ok(());
        };
        let view = evaluators.view(self.start.to_move(), size);
        if !view.is_ok_and(|view| view.search_tells_ownership()) {
            let warning = "The evaluations of this search do not include ownership";
            warnings.push(FieldError::new(field, warning));
        }
        Ok(())
    }
}

/// The position before the first move. By default the side that moves first begins, or White if Black
/// has handicap stones.
fn start(setup: &Setup, first: Option<Color>) -> Result<Position, FieldError> {
    let mistake = |errors: Vec<SetupError>| {
        let errors: Vec<String> = errors.iter().map(SetupError::to_string).collect();
        FieldError::new("initialStones", errors.join("; "))
    };
    let with_first = |to_move| {
        Setup {
            to_move,
            ..setup.clone()
        }
        .position()
        .map_err(mistake)
    };
    let position = with_first(first.unwrap_or(Color::Black))?;
    match (first, position.handicap_stones()) {
        (None, 1..) => with_first(Color::White),
        _ => Ok(position),
    }
}

/// Turns to analyze with their priorities, as far as these are given one by one.
fn turns(fields: Fields, moves: usize) -> Result<BTreeMap<usize, i64>, FieldError> {
    let no_turns = "Must specify an array of integers indicating turns to analyze";
    let turns: Option<Vec<i64>> = fields.read("analyzeTurns", no_turns)?;
    let parsed = |turn: i64| {
        let index = usize::try_from(turn).ok().filter(|&index| index <= moves);
        let mistake = format!("Invalid turn number: {turn}");
        index.ok_or_else(|| FieldError::new("analyzeTurns", mistake))
    };
    let numbers = turns.clone().unwrap_or_else(|| vec![moves as i64]);
    let numbers: Vec<usize> = numbers.into_iter().map(parsed).collect::<Result<_, _>>()?;
    let field = "priorities";
    let no_priorities = "Must specify an array of integers indicating priorities";
    let Some(priorities): Option<Vec<i64>> = fields.read(field, no_priorities)? else {
        return Ok(numbers.into_iter().map(|turn| (turn, 0)).collect());
    };
    if turns.is_none() {
        let mistake = "Can only specify when also specifying analyzeTurns";
        return Err(FieldError::new(field, mistake));
    }
    if priorities.len() != numbers.len() {
        let mistake = "Must be of matching length to analyzeTurns";
        return Err(FieldError::new(field, mistake));
    }
    let is_allowed = |priority: &&i64| (-MAX_PRIORITY..=MAX_PRIORITY).contains(*priority);
    if let Some(priority) = priorities.iter().find(|priority| !is_allowed(priority)) {
        let mistake = format!("Invalid priority: {priority}");
        return Err(FieldError::new(field, mistake));
    }
    Ok(numbers.into_iter().zip(priorities).collect())
}

/// The same with one priority for all, if that is given.
fn with_priority(
    fields: Fields,
    turns: BTreeMap<usize, i64>,
) -> Result<BTreeMap<usize, i64>, FieldError> {
    let field = "priority";
    if fields.has(field) && fields.has("priorities") {
        let mistake = "Cannot specify both priority and priorities";
        return Err(FieldError::new(field, mistake));
    }
    let mistake = "Must be a number between -2^62 and 2^62";
    let priority = fields.number(field, -MAX_PRIORITY..=MAX_PRIORITY, mistake)?;
    Ok(match priority {
        Some(priority) => turns.into_keys().map(|turn| (turn, priority)).collect(),
        None => turns,
    })
}

/// The rules, and the komi that comes with them.
fn rules(fields: Fields) -> Result<(Rules, Komi), FieldError> {
    let field = "rules";
    let mistake = |text: &str| FieldError::new(field, format!("Could not parse rules: {text}"));
    match fields.get(field) {
        Some(Value::String(text)) => {
            let rules = rules_json::parse(text).map_err(|_| mistake(text))?;
            Ok((rules, rules.usual_komi()))
        }
        Some(Value::Object(object)) => {
            let no_rules = || mistake(&Value::Object(object.clone()).to_string());
            let mut object = object.clone();
            let komi = object.remove("komi");
            let text = Value::Object(object.clone()).to_string();
            let rules = rules_json::parse(&text).map_err(|_| no_rules())?;
            let komi = match komi {
                Some(komi) => allowed_komi(&komi).ok_or_else(no_rules)?,
                None => rules.usual_komi(),
            };
            Ok((rules, komi))
        }
        _ => Err(FieldError::new(field, NO_RULES)),
    }
}

fn komi(fields: Fields) -> Result<Option<Komi>, FieldError> {
    let mistake = "Must be a integer or half-integer from -400.0 to 400.0";
    let parsed = |value| allowed_komi(value).ok_or_else(|| FieldError::new("komi", mistake));
    fields.get("komi").map(parsed).transpose()
}

fn allowed_komi(value: &Value) -> Option<Komi> {
    let points = value.as_f64()?;
    let is_allowed = (-MAX_KOMI..=MAX_KOMI).contains(&points);
    is_allowed.then(|| Komi::exactly(points)).flatten()
}

fn handicap_bonus(fields: Fields) -> Result<Option<HandicapBonus>, FieldError> {
    let field = "whiteHandicapBonus";
    let parsed = |text: &str| {
        let mistake = format!("Invalid whiteHandicapBonus rule: {text}");
        HandicapBonus::from_text(text).ok_or_else(|| FieldError::new(field, mistake))
    };
    let text: Option<&str> = fields.read(field, "Must be a string")?;
    text.map(parsed).transpose()
}

/// Fields of the query itself that set parameters.
fn field_settings(fields: Fields) -> Result<Settings, FieldError> {
    let mut settings = Settings::new();
    let mut add = |name: &str, text: Option<String>| {
        settings.extend(text.map(|text| (name.to_owned(), text)));
    };
    let visits = fields.number(
        "maxVisits",
        1..=1_u64 << 50,
        "Must be an integer from 1 to 2^50",
    )?;
    add("maxVisits", visits.map(|visits| visits.to_string()));
    let length = fields.number(
        "analysisPVLen",
        1..=1000_u32,
        "Must be an integer from 1 to 1000",
    )?;
    add("analysisPVLen", length.map(|length| length.to_string()));
    for (name, low, high, mistake) in NUMBERS {
        let number: Option<f64> = fields.number(name, low..=high, mistake)?;
        add(name, number.map(|number| number.to_string()));
    }
    Ok(settings)
}

/// A warning for each field that means nothing.
fn unused_fields(fields: Fields<'_>) -> impl Iterator<Item = FieldError> + '_ {
    let names = fields
        .0
        .keys()
        .filter(|name| !FIELDS.contains(&name.as_str()));
    names.map(|name| {
        FieldError::new(
            name,
            "Unexpected or unused field, do you have a typo? (set warnUnusedFields=false in the \
             config to disable this warning)",
        )
    })
}
