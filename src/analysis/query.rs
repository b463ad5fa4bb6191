//! Queries: positions of a game to analyze, and how. Fields are checked in KataGo's order, so that of
//! several mistakes the same one is reported.

use std::collections::BTreeMap;

use super::engine::Engine;
use super::fields::Fields;
use super::message::FieldError;
use super::options::{Options, report_times};
use super::places::{board_size, moves, stones};
use super::restrictions::restrictions;
use super::rules::rules_and_komi;
use super::settings::{Settings, settings};
use super::turns::{turns, with_priority};
use crate::formats::rules_json;
use crate::go::{Color, Move, Position, Setup, SetupErrors};
use crate::player::search_player::SearchPlayer;
use crate::player::{Player, ReportTimes};
use crate::search::Restrictions;

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
        let (rules, komi) = rules_and_komi(fields)?;
        let mut player = (engine.make_player)();
        let (mut settings, unknown) = settings(fields, engine, &mut player)?;
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
        let start = start(&setup, first_player.or(moves.first().map(|mv| mv.0)))?;
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
        query.check(&player, warnings)?;
        Ok(query)
    }

    /// The position after `turn` moves, which must be legal.
    pub(super) fn position(&self, turn: usize) -> Result<Position, FieldError> {
        let mut position = self.start.clone();
        for (index, &(color, mv)) in self.moves[..turn].iter().enumerate() {
            let illegal = |_| FieldError::new("moves", format!("Illegal move {index}: {mv}"));
            // Out of turn the game begins anew, as in KataGo.
            position.set_to_move(color);
            position.play_recorded(color, mv).map_err(illegal)?;
        }
        Ok(position)
    }

    /// Refuses illegal moves and boards that cannot be evaluated, and warns of what will not be known.
    fn check(
        &self,
        player: &SearchPlayer,
        warnings: &mut Vec<FieldError>,
    ) -> Result<(), FieldError> {
        self.position(self.moves.len())?;
        let size = self.start.size();
        let evaluators = player.evaluators();
        let rules = self.start.rules();
        let known = evaluators.known_rules(rules, size);
        if known != *rules {
            let [rules, known] = [rules, &known].map(rules_json::text);
            let warning =
                format!("Rules {rules} not supported by neural net, using {known} instead");
            warnings.push(FieldError::new("rules", warning));
        }
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
    let mistake = |errors: SetupErrors| FieldError::new("initialStones", errors.to_string());
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
