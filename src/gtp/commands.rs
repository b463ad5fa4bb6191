//! The table of commands. A handler gets the engine and arguments of the number the table allows;
//! it gives the result's text, or an error that becomes the failure's message and has changed
//! nothing.

mod analyze;
mod basic;
mod board;
mod gogui;
mod handicap;
mod moves;
mod network;
mod params;
mod record;
mod rules;
mod score;
mod setup;
mod time;

use std::ops::RangeInclusive;

use anyhow::Result;

use super::arguments::Arguments;
use super::engine::Engine;
use super::stream::Stream;
pub(super) use analyze::End;

/// One command.
pub(super) struct Command {
    /// As sent and listed; case-sensitive.
    pub(super) name: &'static str,
    /// How many arguments it takes.
    pub(super) arity: RangeInclusive<usize>,
    /// Carries it out.
    pub(super) run: Handler,
}

type Handler = fn(&mut Engine, &Arguments) -> Result<String>;

/// A command whose response is written while it runs; any number of arguments.
pub(super) struct StreamingCommand {
    /// As sent and listed.
    name: &'static str,
    /// Carries it out. An error before the response has begun becomes a failure.
    pub(super) run: StreamingHandler,
}

type StreamingHandler = fn(&mut Engine, &Arguments, &mut Stream) -> Result<End>;

/// Any number of arguments.
const ANY: usize = usize::MAX;

const fn command(name: &'static str, arity: RangeInclusive<usize>, run: Handler) -> Command {
    Command { name, arity, run }
}

/// All commands in the order of `list_commands`. `protocol_version` comes first: GUIs know the
/// list by it.
const COMMANDS: &[Command] = &[
    command("protocol_version", 0..=0, basic::protocol_version),
    command("name", 0..=0, basic::name),
    command("version", 0..=0, basic::version),
    command("known_command", 0..=1, basic::known_command),
    command("list_commands", 0..=0, basic::list_commands),
    command("quit", 0..=ANY, basic::quit),
    command("boardsize", 1..=2, setup::boardsize),
    command("rectangular_boardsize", 2..=2, setup::boardsize),
    command("query_boardsize", 0..=0, setup::query_boardsize),
    command("clear_board", 0..=0, setup::clear_board),
    command("set_position", 0..=ANY, setup::set_position),
    command("komi", 1..=1, setup::komi),
    command("get_komi", 0..=0, setup::get_komi),
    command("fixed_handicap", 1..=1, handicap::fixed_handicap),
    command("place_free_handicap", 1..=1, handicap::place_free_handicap),
    command("set_free_handicap", 0..=ANY, handicap::set_free_handicap),
    command("get_handicap", 0..=0, handicap::get_handicap),
    command("play", 2..=2, moves::play),
    command("gogui-play_sequence", 0..=ANY, moves::play_sequence),
    command("genmove", 1..=1, moves::genmove),
    command("reg_genmove", 1..=1, moves::reg_genmove),
    command("kgs-genmove_cleanup", 1..=1, moves::genmove_cleanup),
    command("undo", 0..=0, moves::undo),
    command("gg-undo", 0..=1, moves::undo_several),
    command("time_settings", 3..=3, time::time_settings),
    command("time_left", 3..=3, time::time_left),
    command("kgs-time_settings", 1..=4, time::named_time_settings),
    command("kata-time_settings", 1..=5, time::named_time_settings),
    command("kata-list_time_settings", 0..=0, time::list_time_settings),
    command("final_score", 0..=0, score::final_score),
    command("final_status_list", 1..=1, score::final_status_list),
    command("kata-get-rules", 0..=0, rules::kata_get_rules),
    command("kata-set-rules", 1..=ANY, rules::kata_set_rules),
    command("kata-set-rule", 2..=2, rules::kata_set_rule),
    command("kgs-rules", 1..=ANY, rules::kgs_rules),
    command("loadsgf", 1..=ANY, record::loadsgf),
    command("printsgf", 0..=ANY, record::printsgf),
    command("kata-raw-nn", 1..=3, network::kata_raw_nn),
    command("kata-raw-human-nn", 1..=2, network::kata_raw_human_nn),
    command("load_model", 1..=ANY, network::load_model),
    command("kata-get-models", 0..=0, network::kata_get_models),
    command("clear_cache", 0..=0, network::clear_cache),
    command("kata-list-params", 0..=0, params::list_params),
    command("kata-get-param", 1..=1, params::get_param),
    command("kata-set-param", 1..=2, params::set_param),
    command("kata-get-params", 0..=0, params::get_params),
    command("kata-set-params", 1..=ANY, params::set_params),
    command("showboard", 0..=0, board::showboard),
    command("list_stones", 1..=1, board::list_stones),
    command("captures", 1..=1, board::captures),
    command("color", 1..=1, board::color),
    command("countlib", 1..=1, board::countlib),
    command("findlib", 1..=1, board::findlib),
    command("is_legal", 2..=2, board::is_legal),
    command("all_legal", 1..=1, board::all_legal),
    command("last_move", 0..=0, board::last_move),
    command("move_history", 0..=0, board::move_history),
    command("cputime", 0..=0, basic::cputime),
    command("gomill-cpu_time", 0..=0, basic::cputime),
    command("stop", 0..=ANY, basic::stop),
    command("kgs-chat", 2..=ANY, basic::chat),
    command("kgs-game_over", 0..=ANY, basic::stop),
    command("cgos-gameover", 0..=ANY, basic::stop),
    command("cgos-opponent_name", 0..=ANY, basic::accept),
    command("cgos-opponent_rating", 0..=ANY, basic::accept),
    command("gogui-interrupt", 0..=ANY, basic::accept),
    command("gogui-analyze_commands", 0..=0, gogui::analyze_commands),
    command("keima-policy", 0..=0, gogui::policy_colors),
    command("keima-policy_percent", 0..=0, gogui::policy_percent),
    command("keima-ownership", 0..=0, gogui::ownership),
];

/// What only searching players can do.
const SEARCH_COMMANDS: &[Command] = &[
    command("kata-search", 1..=1, analyze::search),
    command(
        "kata-search_cancellable",
        1..=1,
        analyze::search_cancellable,
    ),
];

const fn streaming(name: &'static str, run: StreamingHandler) -> StreamingCommand {
    StreamingCommand { name, run }
}

/// What searching players tell while they search.
const STREAMING_COMMANDS: &[StreamingCommand] = &[
    streaming("lz-analyze", analyze::lz_analyze),
    streaming("lz-genmove_analyze", analyze::lz_genmove_analyze),
    streaming("kata-analyze", analyze::kata_analyze),
    streaming("kata-genmove_analyze", analyze::kata_genmove_analyze),
    streaming("cgos-genmove_analyze", analyze::cgos_genmove_analyze),
    streaming("kata-search_analyze", analyze::search_analyze),
    streaming(
        "kata-search_analyze_cancellable",
        analyze::search_analyze_cancellable,
    ),
];

/// The command of a name, if the player can do it.
pub(super) fn find(name: &str, searches: bool) -> Option<&'static Command> {
    let more = if searches { SEARCH_COMMANDS } else { &[] };
    let mut commands = COMMANDS.iter().chain(more);
    commands.find(|command| command.name == name)
}

/// As [`find`], for commands whose response is written while they run.
pub(super) fn find_streaming(name: &str, searches: bool) -> Option<&'static StreamingCommand> {
    let mut commands = STREAMING_COMMANDS.iter().filter(|_| searches);
    commands.find(|command| command.name == name)
}

/// All names in the order of the tables.
fn names(searches: bool) -> impl Iterator<Item = &'static str> {
    let more = SEARCH_COMMANDS.iter().map(|command| command.name);
    let streaming = STREAMING_COMMANDS.iter().map(|command| command.name);
    let of_search = more.chain(streaming).filter(move |_| searches);
    let of_all = COMMANDS.iter().map(|command| command.name);
    of_all.chain(of_search)
}

/// Items with a separator between them.
fn joined<T: ToString>(items: impl IntoIterator<Item = T>, separator: &str) -> String {
    let texts: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    texts.join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_the_first_is_protocol_version() {
        assert_eq!(names(true).next(), Some("protocol_version"));
        for name in names(true) {
            assert_eq!(
                names(true).filter(|&other| other == name).count(),
                1,
                "{name}"
            );
        }
    }

    #[test]
    fn no_name_makes_a_gui_expect_more_than_there_is() {
        for name in names(true) {
            assert!(!matches!(name, "analyze" | "genmove_analyze"));
            assert!(!name.starts_with("gogui-rules_"), "{name}");
        }
    }
}
