//! What tells the analyses of a review from those under other settings.

use anyhow::Result;

use crate::cmd::analysis::Prepared;
use crate::cmd::engine_config::EngineConfig;
use crate::files;
use crate::formats::rules_json;
use crate::go::BoardSize;
use crate::nn::is_for_small_network;
use crate::nn::network::stored_bytes;
use crate::params::Parameters;
use crate::review::game::Game;
use crate::review::settings::MadeOf;

/// Parameters that change nothing about what a search finds.
const WITHOUT_EFFECT: [&str; 3] = [
    "numSearchThreads",
    "maxTreeBytes",
    "reportAnalysisWinratesAs",
];

/// What the analysis of a game is made of under a configuration.
pub(super) fn made_of(
    config: &EngineConfig,
    engine: &Prepared,
) -> Result<impl Fn(&Game) -> MadeOf + Sync + use<>> {
    let names = engine.models.iter().map(|model| &model.internal_name);
    let networks: Vec<String> = names.cloned().collect();
    let visits = config.player.limits.max_visits;
    let mut parameters = config.player.list();
    parameters.extend(config.net.list());
    parameters.extend(config.rollouts.list());
    let counts = parameters
        .iter()
        .filter(|entry| !WITHOUT_EFFECT.contains(&entry.name));
    let mut lines: Vec<String> = counts
        .map(|entry| format!("{}={}", entry.name, entry.value))
        .collect();
    // Different networks may have the same name in their files.
    if let Some(file) = &config.model {
        lines.push(format!("model={}", files::sha256(&stored_bytes(file)?)));
    }
    if let Some(file) = &config.rollout_weights {
        let bytes = files::read_regular(file, files::TEXT_LIMIT)?;
        lines.push(format!("rollout-weights={}", files::sha256(&bytes)));
    }
    let settings = files::sha256(lines.join("\n").as_bytes());
    let defaults = format!(
        "{} {}",
        rules_json::text(&config.rules),
        config.start_komi()
    );
    Ok(move |game: &Game| MadeOf {
        // What holds where a file states neither rules nor komi counts as part of the file.
        game: files::sha256(format!("{} {defaults}", game.sha256).as_bytes()),
        network: network(&networks, game.record.setup.size).to_owned(),
        visits,
        settings: settings.clone(),
    })
}

/// The name of the network that looks at boards of a size: of two, the second is for small and narrow ones.
fn network(networks: &[String], size: BoardSize) -> &str {
    match networks {
        [] => "none (rollouts)",
        [_, small, ..] if is_for_small_network(size) => small,
        [default, ..] => default,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_boards_have_the_second_network() {
        let networks = ["large".to_owned(), "small".to_owned()];
        let name = |count, side| network(&networks[..count], BoardSize::square(side));
        assert_eq!([name(2, 9), name(2, 19)], ["small", "large"]);
        assert_eq!([name(1, 9), name(0, 9)], ["large", "none (rollouts)"]);
    }
}
