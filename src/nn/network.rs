//! Networks of any known family, told apart by the contents of their files.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};

use super::backend::Backend;
use super::desc::Net;
use super::desc::leela::{LeelaNet, SIDE};
use super::evaluator::{NetEvaluator, NetSettings};
use super::{checkpoint, default_network, default_small_network, katago, leela};
use crate::files;
use crate::go::BoardSize;
use crate::params::nearest;

/// A network of one of the families.
#[derive(Clone, Debug, PartialEq)]
pub enum Network {
    /// KataGo's, be it in a file of KataGo's or a checkpoint.
    KataGo(Box<Net>),
    /// Leela Zero's.
    LeelaZero(Box<LeelaNet>),
}

impl Network {
    /// Reads a file, whatever its name.
    pub fn read_file(path: &Path) -> Result<Network> {
        let stored = stored_bytes(path)?;
        Network::read_bytes(&stored).with_context(|| unusable(path))
    }

    /// Reads the contents of a file.
    pub fn read_bytes(stored: &[u8]) -> Result<Network> {
        if checkpoint::is_checkpoint(stored) {
            return Ok(Network::KataGo(checkpoint::read_bytes(stored)?.into()));
        }
        let bytes = katago::inflate(stored)?;
        if leela::is_leela_net(&bytes) {
            return Ok(Network::LeelaZero(leela::read_inflated(&bytes)?.into()));
        }
        Ok(Network::KataGo(katago::read_inflated(&bytes)?.into()))
    }

    /// The net, if it is not one of Leela Zero's.
    pub fn into_net(self) -> Result<Net> {
        match self {
            Network::KataGo(net) => Ok(*net),
            Network::LeelaZero(_) => bail!("this cannot be done with Leela Zero's networks"),
        }
    }

    /// For people: the name its makers gave it, or what it is.
    pub fn name(&self) -> String {
        match self {
            Network::KataGo(net) => net.name.clone(),
            Network::LeelaZero(net) => {
                let (blocks, width) = (net.blocks.len(), net.input.conv.outputs);
                format!("leela-zero-{blocks}x{width}-{SIDE}x{SIDE}")
            }
        }
    }

    /// The only boards that it is for, if it is not for all.
    pub fn only_size(&self) -> Option<BoardSize> {
        match self {
            Network::KataGo(net) => net.only_size(),
            Network::LeelaZero(_) => Some(BoardSize::square(SIDE)),
        }
    }

    /// Whether it needs to be told whom to play like.
    pub fn takes_profile(&self) -> bool {
        match self {
            Network::KataGo(net) => net.wants_metadata(),
            Network::LeelaZero(_) => false,
        }
    }

    /// Version of its file in KataGo's numbering; 0 for Leela Zero's.
    pub fn version(&self) -> u32 {
        match self {
            Network::KataGo(net) => net.version,
            Network::LeelaZero(_) => 0,
        }
    }

    /// Makes it ready to compute.
    pub fn evaluator(&self, backend: &Backend, settings: NetSettings) -> Result<NetEvaluator> {
        match self {
            Network::KataGo(net) => NetEvaluator::new(net, backend, settings),
            Network::LeelaZero(net) => NetEvaluator::of_leela(net, backend, settings),
        }
    }
}

/// For people: that a file holds no network, and what would.
pub fn unusable(path: &Path) -> String {
    format!(
        "{} is not a usable network (KataGo's .bin.gz or .txt.gz, Leela Zero's .txt.gz, or a checkpoint \
         .safetensors)",
        path.display()
    )
}

/// Names of the built-in networks.
pub const BUILT_IN: [&str; 2] = ["default", "small"];

/// Ends of the names of network files, the longest first.
const ENDINGS: [&str; 6] = [".bin.gz", ".txt.gz", ".safetensors", ".bin", ".txt", ".gz"];

/// The folder in which networks are searched by name.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Has networks searched by name in a folder from now on, which need not exist. The first folder counts.
pub fn search_in(folder: Option<PathBuf>) {
    if let Some(folder) = folder {
        // Set by an earlier call.
        let _ = FOLDER.set(folder);
    }
}

/// Whether [`stored_bytes`] takes this for the name of a network built in.
pub fn is_built_in(path: &Path) -> bool {
    built_in(path).is_some()
}

fn built_in(path: &Path) -> Option<Option<&'static [u8]>> {
    let network = match path.to_str()? {
        "default" => default_network(),
        "small" => default_small_network(),
        _ => return None,
    };
    (!path.exists()).then_some(network)
}

/// The contents of a network file. `default` and `small`, where there are no files called so, are the
/// networks built into the program; any other name that is no file is searched in the folder of networks.
pub fn stored_bytes(path: &Path) -> Result<Cow<'static, [u8]>> {
    match built_in(path) {
        Some(built_in) => built_in.map(Cow::Borrowed).with_context(|| {
            let name = path.display();
            format!("this program was built without a network called {name}: name a file")
        }),
        None => files::read_regular(&located(path)?, files::NETWORK_LIMIT).map(Cow::Owned),
    }
}

/// The file that a path or a name means.
fn located(path: &Path) -> Result<Cow<'_, Path>> {
    let has_folders = path.components().count() > 1;
    match (path.to_str(), FOLDER.get()) {
        (Some(name), folder) if !has_folders && !path.exists() => find(
            name,
            &folder.map_or_else(Vec::new, |folder| stored_in(folder)),
        )
        .map(Cow::Owned),
        _ => Ok(Cow::Borrowed(path)),
    }
}

/// The network files in a folder, by name.
pub fn stored_in(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| ENDINGS.iter().any(|end| name_of(path).ends_with(end)));
    files.sort();
    files
}

/// The file of a name: written in full, without its ending, or by a part that only one has.
fn find(name: &str, files: &[PathBuf]) -> Result<PathBuf> {
    let is_named = |path: &&PathBuf| {
        let file = name_of(path);
        file == name || without_ending(&file) == name
    };
    if let Some(file) = files.iter().find(is_named) {
        return Ok(file.clone());
    }
    let alike: Vec<&PathBuf> = files
        .iter()
        .filter(|path| name_of(path).contains(name))
        .collect();
    if let [file] = alike[..] {
        return Ok(file.clone());
    }
    let names: Vec<String> = files.iter().map(|path| name_of(path)).collect();
    let stems = names.iter().map(|name| without_ending(name));
    let meant = match alike.is_empty() {
        true => nearest(name, BUILT_IN.into_iter().chain(stems)).map(str::to_owned),
        false => Some(
            alike
                .iter()
                .map(|path| name_of(path))
                .collect::<Vec<_>>()
                .join(" or "),
        ),
    };
    let hint = match (meant, FOLDER.get()) {
        (Some(meant), _) => format!("did you mean {meant}?"),
        (None, Some(folder)) => {
            format!(
                "networks are searched in {}, {} are there",
                folder.display(),
                files.len()
            )
        }
        (None, None) => "name a file, default or small".to_owned(),
    };
    bail!("cannot read {name}: there is no such file or network; {hint}")
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn without_ending(name: &str) -> &str {
    let mut endings = ENDINGS.iter();
    endings
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_is_found_by_name_or_its_only_part() {
        let files = [
            "kata-b6.bin.gz",
            "kata-b18.bin.gz",
            "lz.txt.gz",
            "own.safetensors",
        ];
        let files = files.map(|name| Path::new("nets").join(name));
        let found = |name: &str| find(name, &files).map(|path| name_of(&path));
        assert_eq!(found("lz.txt.gz").unwrap(), "lz.txt.gz");
        assert_eq!(found("own").unwrap(), "own.safetensors");
        assert_eq!(found("b18").unwrap(), "kata-b18.bin.gz");
        let error = |name| found(name).unwrap_err().to_string();
        assert!(error("kata").ends_with("did you mean kata-b6.bin.gz or kata-b18.bin.gz?"));
        assert!(
            error("kata-b81").ends_with("did you mean kata-b18?"),
            "{}",
            error("kata-b81")
        );
        assert!(error("defualt").ends_with("did you mean default?"));
    }
}
