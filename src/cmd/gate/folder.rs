//! Files of gates in a run: `gates/0003/` with players and settings (`gate.json`), openings, the nets and the
//! match; `gates/0003.json` with the verdict.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::arena::openings::Opening;
use crate::arena::pairs::Pairs;
use crate::arena::sprt::{Sprt, Verdict as Decision};
use crate::arena::standing::Standing;
use crate::arena::tally::elo_difference;
use crate::cmd::train::{refuse_other_game, refuse_other_sizes};
use crate::files;
use crate::go::BoardSize;
use crate::nn::metadata::check_profile;
use crate::nn::network::{Network, stored_bytes, unusable};
use crate::train::nets::{self, CurrentNet};

const MANIFEST: &str = "gate.json";
const OPENINGS: &str = "openings.json";

/// Settings of a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateSettings {
    pub sprt: Sprt,
    pub games: u32,
    pub sizes: Vec<String>,
    pub visits: Option<u32>,
    pub time: String,
    pub komi: String,
    pub rules: String,
    pub threads: u32,
    pub seed: u64,
}

/// A net of a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetIdentity {
    /// Name in the net's file.
    pub name: String,
    /// Checksum of its file.
    pub sha256: String,
    /// Its file, relative to the run.
    pub file: Option<String>,
    /// As in [`CurrentNet`].
    pub elo: Option<f64>,
}

/// Players and settings of a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct GateManifest {
    candidate: NetIdentity,
    /// None if the opponent is a rollout player.
    opponent: Option<NetIdentity>,
    settings: GateSettings,
}

/// A gate of a run.
pub struct Gate {
    /// From 1.
    pub number: u32,
    /// Folder of its files.
    pub folder: PathBuf,
    run: PathBuf,
    manifest: GateManifest,
}

/// Verdict of a gate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Verdict {
    gate: u32,
    /// `admitted` or `refused`.
    verdict: String,
    reason: String,
    #[serde(flatten)]
    manifest: GateManifest,
    games: usize,
    wins: u32,
    losses: u32,
    draws: u32,
    void: u32,
    /// Pairs by the candidate's points: 0, 1/2, 1, 3/2, 2.
    pairs: [u32; 5],
    llr: Option<f64>,
    bounds: (f64, f64),
    /// Elo difference with its 95 % interval; null where infinite.
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    /// Seconds since 1970.
    finished: u64,
}

impl NetIdentity {
    /// Of a net that is to be admitted; fails also if self-play cannot use it.
    pub fn of_candidate(bytes: &[u8], path: &Path, sizes: &[BoardSize]) -> Result<NetIdentity> {
        let net = read(bytes, path)?.into_net();
        let net = net.with_context(|| format!("{} cannot be admitted", path.display()))?;
        NetIdentity::of(&Network::KataGo(Box::new(net)), bytes, path, sizes)
    }

    /// Of an opponent; fails if the net is unusable, or cannot play on one of the boards.
    pub fn of_opponent(bytes: &[u8], path: &Path, sizes: &[BoardSize]) -> Result<NetIdentity> {
        NetIdentity::of(&read(bytes, path)?, bytes, path, sizes)
    }

    fn of(
        network: &Network,
        bytes: &[u8],
        path: &Path,
        sizes: &[BoardSize],
    ) -> Result<NetIdentity> {
        if let Network::KataGo(net) = network {
            refuse_other_game(net, path)?;
        }
        // A gate gives none.
        let profile = check_profile(network.takes_profile(), None);
        profile.with_context(|| format!("{} cannot play in a gate", path.display()))?;
        refuse_other_sizes(network.only_size(), sizes.iter().copied(), path.display())?;
        Ok(NetIdentity {
            name: network.name(),
            sha256: files::sha256(bytes),
            file: None,
            elo: None,
        })
    }
}

fn read(bytes: &[u8], path: &Path) -> Result<Network> {
    Network::read_bytes(bytes).with_context(|| unusable(path))
}

impl GateManifest {
    fn is_of(&self, candidate: &NetIdentity, settings: &GateSettings) -> bool {
        self.candidate.sha256 == candidate.sha256 && self.settings == *settings
    }

    fn is_against(&self, opponent: Option<&(PathBuf, NetIdentity)>) -> bool {
        let own = self.opponent.as_ref().map(|net| &net.sha256);
        own == opponent.map(|(_, net)| &net.sha256)
    }
}

impl Gate {
    /// An unfinished gate of an earlier process. It is not used if its opponent is no longer the
    /// current net, unless its candidate is.
    pub fn unfinished(
        run: &Path,
        candidate: &NetIdentity,
        opponent: Option<&(PathBuf, NetIdentity)>,
        settings: &GateSettings,
    ) -> Result<Option<Gate>> {
        let admitted = nets::current(run)?.map(|current| current.id);
        for number in numbers(run)? {
            let folder = gates(run).join(name(number));
            let file = folder.join(MANIFEST);
            if !files::exists(&file) || files::exists(&verdict_file(run, number)) {
                continue;
            }
            let manifest: GateManifest = files::read_json(&file)?;
            let has_admitted = admitted == Some(number);
            if manifest.is_of(candidate, settings)
                && (has_admitted || manifest.is_against(opponent))
            {
                let run = run.to_owned();
                return Ok(Some(Gate {
                    number,
                    folder,
                    run,
                    manifest,
                }));
            }
        }
        Ok(None)
    }

    /// The verdict of an earlier gate that refused the same candidate under the same settings.
    pub fn refused(
        run: &Path,
        candidate: &NetIdentity,
        opponent: Option<&(PathBuf, NetIdentity)>,
        settings: &GateSettings,
    ) -> Result<Option<Verdict>> {
        for number in numbers(run)? {
            let file = verdict_file(run, number);
            if !files::exists(&file) {
                continue;
            }
            let verdict: Verdict = files::read_json(&file)?;
            let manifest = &verdict.manifest;
            if manifest.is_of(candidate, settings)
                && manifest.is_against(opponent)
                && !verdict.is_admitted()
            {
                return Ok(Some(verdict));
            }
        }
        Ok(None)
    }

    /// A new gate with copies of files that may change.
    pub fn begin(
        run: &Path,
        (candidate_file, bytes): (&Path, &[u8]),
        mut candidate: NetIdentity,
        opponent: Option<(PathBuf, NetIdentity)>,
        settings: GateSettings,
    ) -> Result<Gate> {
        let number = numbers(run)?.last().map_or(1, |last| last + 1);
        let folder = gates(run).join(name(number));
        files::make_folder(&folder)?;
        let keep = |file: &Path, bytes: &[u8], role: &str| -> Result<String> {
            let copy = format!("{role}.{}", nets::ending(file));
            files::write_whole(&folder.join(&copy), bytes, true)?;
            Ok(format!("gates/{}/{copy}", name(number)))
        };
        candidate.file = Some(keep(candidate_file, bytes, "candidate")?);
        let opponent = match opponent {
            Some((file, mut net)) if net.file.is_none() => {
                let bytes = stored_bytes(&file)?;
                net.file = Some(keep(&file, &bytes, "opponent")?);
                Some(net)
            }
            opponent => opponent.map(|(_, net)| net),
        };
        let manifest = GateManifest {
            candidate,
            opponent,
            settings,
        };
        files::write_json(&folder.join(MANIFEST), &manifest, false)?;
        let run = run.to_owned();
        Ok(Gate {
            number,
            folder,
            run,
            manifest,
        })
    }

    /// The candidate's file.
    pub fn candidate(&self) -> PathBuf {
        self.file(&self.manifest.candidate)
    }

    /// The opponent's file, if it is a net.
    pub fn opponent(&self) -> Option<PathBuf> {
        self.manifest.opponent.as_ref().map(|net| self.file(net))
    }

    /// Identities of the players for the match log.
    pub fn identities(&self) -> [String; 2] {
        let opponent = self.manifest.opponent.as_ref();
        [Some(&self.manifest.candidate), opponent].map(|net| match net {
            Some(net) => format!("net {}", net.sha256),
            None => "rollouts".to_owned(),
        })
    }

    /// The openings on boards of each size, if they have been drawn.
    pub fn openings(&self) -> Result<Option<Vec<Vec<Opening>>>> {
        let file = self.folder.join(OPENINGS);
        if !files::exists(&file) {
            return Ok(None);
        }
        let stored: Vec<Vec<String>> = files::read_json(&file)?;
        let parsed = stored.iter().zip(&self.settings().sizes);
        let parsed = parsed.map(|(openings, size)| {
            let named = openings.iter().enumerate();
            named
                .map(|(index, moves)| Opening::parse(&opening_name(size, index), moves))
                .collect()
        });
        let parsed: Result<_> = parsed.collect();
        parsed
            .map(Some)
            .with_context(|| format!("damaged {}", file.display()))
    }

    /// Stores the openings: a network draws others in another number format, as on another machine.
    pub fn keep_openings(&self, drawn: &[Vec<Opening>]) -> Result<()> {
        let vertices = |opening: &Opening| {
            let vertices = opening.moves.iter().map(|(_, mv)| mv.to_string());
            vertices.collect::<Vec<_>>().join(" ")
        };
        let of_size = |openings: &Vec<Opening>| openings.iter().map(vertices).collect();
        let stored: Vec<Vec<String>> = drawn.iter().map(of_size).collect();
        files::write_json(&self.folder.join(OPENINGS), &stored, false)
    }

    /// Settings of the gate.
    pub fn settings(&self) -> &GateSettings {
        &self.manifest.settings
    }

    pub fn write(&self, verdict: &Verdict) -> Result<()> {
        files::write_json(&verdict_file(&self.run, self.number), verdict, true)
    }

    fn file(&self, net: &NetIdentity) -> PathBuf {
        self.run.join(net.file.as_deref().unwrap_or_default())
    }
}

impl Verdict {
    /// The verdict of a finished match. An undecided candidate is refused.
    pub fn new(gate: &Gate, standing: &Standing) -> Verdict {
        let sprt = gate.manifest.settings.sprt;
        let (pairs, tally) = (standing.pairs(), standing.tally());
        let (verdict, reason) = match standing.verdict() {
            Some(Decision::H1) => ("admitted", "H1 accepted".to_owned()),
            Some(Decision::H0) => ("refused", "H0 accepted".to_owned()),
            None => {
                let games = standing.games().len();
                ("refused", format!("undecided after {games} games"))
            }
        };
        let [elo, elo_low, elo_high] = elo(&pairs);
        Verdict {
            gate: gate.number,
            verdict: verdict.to_owned(),
            reason,
            manifest: gate.manifest.clone(),
            games: standing.games().len(),
            wins: tally.wins,
            losses: tally.losses,
            draws: tally.draws,
            void: tally.void,
            pairs: pairs.0,
            llr: standing.llr(),
            bounds: sprt.bounds(),
            elo,
            elo_low,
            elo_high,
            finished: files::since_1970().as_secs(),
        }
    }

    /// Whether the candidate was admitted.
    pub fn is_admitted(&self) -> bool {
        self.verdict == "admitted"
    }

    /// The admitted candidate, stored in this file, as the entry for the current net in place of the one before. A run's
    /// first net has the Elo 0, whatever its opponent was.
    pub fn net(&self, gate: &Gate, file: String, before: Option<&CurrentNet>) -> CurrentNet {
        // Where all games are won, one of two more is taken to be lost (Laplace's rule of succession).
        let games = self.games as f64;
        let shut_out = || elo_difference((games + 1.0) / (games + 2.0));
        let difference = self.elo.unwrap_or_else(shut_out);
        CurrentNet {
            id: gate.number,
            file,
            sha256: gate.manifest.candidate.sha256.clone(),
            elo: match (before, &gate.manifest.opponent) {
                // By an attempt that did not come to its verdict.
                (Some(admitted), _) if admitted.id == gate.number => admitted.elo,
                (Some(_), Some(opponent)) => opponent.elo.map(|elo| elo + difference),
                _ => Some(0.0),
            },
            since: self.finished,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.manifest.candidate.name;
        write!(f, "gate {}: {name} is {}", self.gate, self.verdict)?;
        write!(f, " ({}, {}-{})", self.reason, self.wins, self.losses)
    }
}

/// The difference in Elo and its interval.
fn elo(pairs: &Pairs) -> [Option<f64>; 3] {
    let interval = pairs.interval();
    let low = interval.map(|interval| interval.low);
    let high = interval.map(|interval| interval.high);
    [pairs.score(), low, high].map(|score| score.map(elo_difference).filter(|elo| elo.is_finite()))
}

fn gates(run: &Path) -> PathBuf {
    run.join("gates")
}

fn name(number: u32) -> String {
    format!("{number:04}")
}

/// What an opening is called in reports.
pub fn opening_name(size: impl fmt::Display, index: usize) -> String {
    format!("{size} {}", index + 1)
}

fn verdict_file(run: &Path, number: u32) -> PathBuf {
    gates(run).join(format!("{}.json", name(number)))
}

/// The numbers of all gates, in order.
fn numbers(run: &Path) -> Result<Vec<u32>> {
    let folder = gates(run);
    files::make_folder(&folder)?;
    let number = |path: &PathBuf| path.file_stem()?.to_str()?.parse().ok();
    let entries = files::entries(&folder)?;
    let mut numbers: Vec<u32> = entries.iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}
