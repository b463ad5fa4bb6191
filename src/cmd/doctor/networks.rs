//! The networks that are found.

use std::path::Path;

use super::Findings;
use crate::cmd::engine_config::{EngineConfig, file};
use crate::console::counted;
use crate::nn::network::{BUILT_IN, Network};
use crate::nn::network_folder::stored_in;

/// Names of files that are shown; more are only counted.
const SHOWN: usize = 5;

/// Looks at the built-in networks, the one configured, and the folder.
pub fn examine(findings: &mut Findings, config: &EngineConfig) {
    for name in BUILT_IN {
        match Network::read_file(Path::new(name)) {
            Ok(network) => {
                findings.add("networks", format!("{name}: {}, built in", network.name()))
            }
            Err(error) => findings.advise(format!("{error:#}")),
        }
    }
    let configured = [&config.model, &config.human_model];
    for model in configured.into_iter().flatten() {
        match Network::read_file(model) {
            Ok(network) => {
                findings.add(
                    "networks",
                    format!("{}: {}", model.display(), network.name()),
                );
            }
            Err(error) => {
                findings.refuse(format!("the configured network cannot be used: {error:#}"))
            }
        }
    }
    let Some(folder) = config.models.clone().or_else(file::user_networks) else {
        return;
    };
    let found = stored_in(&folder);
    let names = found.iter().filter_map(|path| path.file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let rest = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    if rest > 0 {
        names.push(format!("{rest} more"));
    }
    let count = counted(found.len(), "file");
    let colon = if names.is_empty() { "" } else { ": " };
    let names = names.join(", ");
    findings.add(
        "networks",
        format!("{count} in {}{colon}{names}", folder.display()),
    );
}
