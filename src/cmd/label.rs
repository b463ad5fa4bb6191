//! `keima label`: labels positions with a network, as training data.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::value_parser;
use indicatif::{ProgressBar, ProgressStyle};

use super::device::{DeviceArguments, evaluating_threads};
use super::settings::from_to;
use super::train::refuse_other_sizes;
use crate::console::{counted, say, tell};
use crate::data::check;
use crate::data::collection::{Collection, HELD_OUT, Part};
use crate::data::label_folder::{GamesIdentity, LabelFolder, LabelSettings, NetIdentity, Outcome};
use crate::data::network_games;
use crate::data::plan::SizeMix;
use crate::data::sampler::{Sampler, SamplerSettings};
use crate::data::stream::files_of;
use crate::files;
use crate::go::BoardSize;
use crate::nn::backend::Opened;
use crate::nn::evaluator::{NetEvaluator, NetSettings};
use crate::nn::network::{Network, stored_bytes};

/// Default maximum of labels per shard.
const DEFAULT_SHARD: u64 = 1024;

/// Label positions with a network, as training data
///
/// Positions come from games and from games that the network plays against itself, under many
/// combinations of rules and komi. They are stored in shards. Several processes may fill one
/// folder; the same command resumes an interrupted one.
#[derive(clap::Args)]
pub struct LabelArguments {
    /// Game records (.sgf, the first game of a file) or tables (.tsv), also with .gz, or folders
    /// of them; without any, only the network's own games are used
    #[arg(long, value_name = "FILE", num_args = 1..)]
    games: Vec<PathBuf>,

    /// Network that labels: a KataGo file, a checkpoint, or a built-in one: default or small
    #[arg(long, value_name = "FILE", required_unless_present = "check")]
    model: Option<PathBuf>,

    /// Small network that plays the moves between labels in the labelling network's games, to save
    /// time: then few positions of each game are labelled, and there are more games; by default the
    /// labelling network
    #[arg(long, value_name = "FILE")]
    player: Option<PathBuf>,

    /// Folder for the shards
    #[arg(long, value_name = "FOLDER", required_unless_present = "check")]
    out: Option<PathBuf>,

    /// Number of labels, at least: games are not cut, so that the last one of each shard gives some more
    #[arg(long, value_name = "N", required_unless_present = "check", value_parser = value_parser!(u64).range(1..=1 << 40))]
    count: Option<u64>,

    /// Verify all shards of a folder, or of a generation of self-play, and print statistics
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["games", "model", "player", "out", "count"])]
    check: Option<PathBuf>,

    /// With --check: write the games that networks played for these labels as a table (.tsv or .tsv.gz), whose
    /// positions can be labelled as those of other games with --games
    #[arg(long, value_name = "FILE", requires = "check")]
    network_games: Option<PathBuf>,

    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Shards made at the same time, each on a thread; by default the number of cores, and more on
    /// a GPU, which evaluates positions of many shards together
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Board sizes with their weights, as in 19:50,13:15,9x7:1; by default those of the folder, in
    /// a new one all from 7 to 19, or with --game-share 1 those of the games
    #[arg(long, value_name = "SIZE:SHARE,...", value_delimiter = ',')]
    sizes: Vec<String>,

    /// Labels after which a shard ends; by default those of the folder, or up to 1024 in a new one
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1 << 15))]
    shard: Option<u32>,

    /// Fraction of games held out; by default that of the folder, 0.05 in a new one, as in `keima train`
    #[arg(long, value_name = "SHARE", value_parser = from_to::<f64>(0.0, 1.0))]
    held_out: Option<f64>,

    /// Label only the held-out games
    #[arg(long)]
    validation: bool,

    /// Fraction of labels from the given games, on boards that occur in them; the others come from
    /// the network's own. By default 0.65, less where there are fewer than 1000 games
    #[arg(long, value_name = "SHARE", value_parser = from_to::<f64>(0.0, 1.0), requires = "games")]
    game_share: Option<f64>,

    /// Sources of games whose moves should not be imitated ("sgf" for .sgf files)
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    not_imitated: Vec<String>,

    /// Side positions for each labelled position, on average: reached by a few moves that a search
    /// might try; fewer in decided games. With 1 they are a third of all labels, with 3 two thirds
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0, value_parser = from_to::<f64>(0.0, 100.0))]
    side_positions: f64,

    /// Maximal number of side positions after different moves from one position; the loss
    /// `siblings` compares them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u8).range(1..=16))]
    siblings: u8,

    /// Label only positions with stones on at least this fraction of the points: 0.2 is about from
    /// move 75 on 19x19
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = from_to::<f64>(0.0, 1.0))]
    min_occupancy: f64,

    /// Share of the given games of which only one position is labelled, with side positions, after a cyclic group
    /// has been put on it: a ring around stones of the other color, itself surrounded; not on boards under 9x9
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = from_to::<f64>(0.0, 1.0), requires = "games")]
    rings: f64,

    /// Do not store ownership, which makes shards a third of the size
    #[arg(long)]
    no_ownership: bool,

    /// Device and number format.
    #[command(flatten)]
    device: DeviceArguments,
}

pub fn run(arguments: &LabelArguments) -> Result<ExitCode> {
    match &arguments.check {
        Some(folder) => run_check(folder, arguments.network_games.as_deref()),
        None => run_label(arguments),
    }
}

fn run_check(folder: &Path, network_games: Option<&Path>) -> Result<ExitCode> {
    // Before the check, which may take long.
    let table = network_games.map(|file| anyhow::Ok((file, is_zipped(file)?)));
    let table = table.transpose()?;
    let shards = files_of(&[folder.to_owned()])?;
    let bar = bar(shards.len() as u64, "shards");
    let report = check::check(folder, &|| bar.inc(1))?;
    bar.finish_and_clear();
    say(format_args!("{report}"))?;
    if let Some((file, is_zipped)) = table {
        write_network_games(&shards, file, is_zipped)?;
    }
    Ok(match report.faults.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Whether a table of this name is compressed; it is an error if it is no table.
fn is_zipped(file: &Path) -> Result<bool> {
    let name = file.to_string_lossy().to_ascii_lowercase();
    let is_zipped = name.ends_with(".tsv.gz");
    ensure!(
        is_zipped || name.ends_with(".tsv"),
        "{} should end with .tsv or .tsv.gz",
        file.display()
    );
    Ok(is_zipped)
}

fn write_network_games(shards: &[PathBuf], file: &Path, is_zipped: bool) -> Result<()> {
    let (table, games) = network_games::table(shards)?;
    let contents = match is_zipped {
        true => files::gzipped(table.as_bytes())?,
        false => table.into_bytes(),
    };
    files::write_whole(file, &contents, false)?;
    let games = counted(games, "game");
    say(format_args!("{games} of networks: {}", file.display()))
}

fn run_label(arguments: &LabelArguments) -> Result<ExitCode> {
    let needed = |option: &Option<PathBuf>| option.clone().context("--model and --out are needed");
    let (model, out) = (needed(&arguments.model)?, needed(&arguments.out)?);
    let opened = arguments.device.open()?;
    let (teacher, teacher_identity) = network(&model, Role::Teacher, &opened)?;
    let player = arguments.player.as_ref();
    let player = player.map(|file| network(file, Role::Player, &opened));
    let (player, player_identity) = player.transpose()?.unzip();
    let there = LabelFolder::open(&out).ok();
    let known = there.as_ref().map(LabelFolder::settings);
    let collection = read_games(&arguments.games)?;
    remark_on_sources(&collection, &arguments.not_imitated);
    let settings = sampler_settings(arguments, known);
    let sizes = sizes(arguments, known, &collection, &settings)?;
    let players = arguments.player.iter().zip(&player);
    for (file, network) in [(&model, &teacher)].into_iter().chain(players) {
        refuse_other_sizes(network.only_size(), sizes.sizes(), file.display())?;
    }
    let games = GamesIdentity {
        count: collection.len(),
        digest: collection.digest(),
    };
    let made_of = LabelSettings::new(&settings, &sizes, teacher_identity, player_identity, games);
    let folder = LabelFolder::create(&out, &made_of)?;
    let shards = arguments
        .count
        .unwrap_or(1)
        .div_ceil(settings.labels as u64);
    let shards = u32::try_from(shards).context("too many shards: make them larger")?;
    let threads = evaluating_threads(arguments.threads, &opened.backend);
    let mut sampler = Sampler::new(&teacher, &collection, settings).with_player(player.as_ref());
    if opened.backend.prefers_batches() {
        sampler = sampler.in_batches(threads);
    }
    let bar = bar(missing_labels(&folder, shards)?, "labels");
    let outcome = folder.fill(&sampler, shards, threads, &|labels| bar.inc(labels as u64))?;
    bar.finish_and_clear();
    say(format_args!("{}", summary(outcome)))?;
    Ok(ExitCode::SUCCESS)
}

/// Estimated labels of the missing shards.
fn missing_labels(folder: &LabelFolder, shards: u32) -> Result<u64> {
    let missing = shards.saturating_sub(folder.present(shards)?);
    Ok(u64::from(missing).saturating_mul(folder.settings().labels_per_shard as u64))
}

/// Labels per shard: as given, or as in the folder; in a new folder such that the last shard ends
/// near the wanted total.
fn labels_per_shard(arguments: &LabelArguments, known: Option<&LabelSettings>) -> u32 {
    let count = arguments.count.unwrap_or(1);
    let even = count.div_ceil(count.div_ceil(DEFAULT_SHARD)) as u32;
    let there = || known?.labels_per_shard.try_into().ok();
    arguments.shard.or_else(there).unwrap_or(even)
}

/// The board sizes as given, or those of the existing folder, or the default; if all labels come
/// from games, those of the games. Games of other sizes are reported; if no game is left, it is an
/// error.
fn sizes(
    arguments: &LabelArguments,
    known: Option<&LabelSettings>,
    collection: &Collection,
    settings: &SamplerSettings,
) -> Result<SizeMix> {
    let games: Vec<(BoardSize, usize)> = collection
        .part(settings.part, settings.held_out)
        .into_iter()
        .filter_map(|((width, height), games)| Some((BoardSize::new(width, height)?, games.len())))
        .collect();
    let all_from_games = arguments.game_share == Some(1.0) && !games.is_empty();
    let texts = |(size, count): &(BoardSize, usize)| format!("{size}:{count}");
    let sizes = match (arguments.sizes.is_empty(), known) {
        (false, _) => SizeMix::parse(&arguments.sizes)?,
        (true, Some(known)) => SizeMix::parse(&known.sizes)?,
        (true, None) if all_from_games => {
            SizeMix::parse(&games.iter().map(texts).collect::<Vec<_>>())?
        }
        (true, None) => SizeMix::default(),
    };
    if collection.is_empty() || arguments.game_share == Some(0.0) {
        return Ok(sizes);
    }
    ensure!(
        !games.is_empty(),
        "none of the games is labelled: --held-out {} leaves all of them to the other part, see --validation",
        settings.held_out
    );
    let (used, left): (Vec<_>, Vec<_>) = games.iter().partition(|(size, _)| sizes.has(*size));
    let listed = |games: &[(BoardSize, usize)]| {
        let text = |(size, count): &(BoardSize, usize)| format!("{count} on {size}");
        games.iter().map(text).collect::<Vec<_>>().join(", ")
    };
    ensure!(
        !used.is_empty(),
        "none of the games is labelled: they are {}, and --sizes has none of these boards",
        listed(&left)
    );
    if !left.is_empty() {
        let left = listed(&left);
        tell(format_args!(
            "games left out because --sizes does not have their boards: {left}"
        ));
    }
    Ok(sizes)
}

fn sampler_settings(arguments: &LabelArguments, known: Option<&LabelSettings>) -> SamplerSettings {
    SamplerSettings {
        seed: arguments.seed,
        part: match arguments.validation {
            true => Part::HeldOut,
            false => Part::Train,
        },
        held_out: arguments
            .held_out
            .or(known.map(|known| known.held_out))
            .unwrap_or(HELD_OUT),
        labels: labels_per_shard(arguments, known) as usize,
        ownership: !arguments.no_ownership,
        game_share: arguments.game_share,
        not_imitated: arguments.not_imitated.clone(),
        side_positions: arguments.side_positions,
        siblings: arguments.siblings.into(),
        min_occupancy: arguments.min_occupancy,
        rings: arguments.rings,
    }
}

/// What a network is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Teacher,
    Player,
}

/// Loads a network.
fn network(file: &Path, role: Role, opened: &Opened) -> Result<(NetEvaluator, NetIdentity)> {
    let stored = stored_bytes(file)?;
    let unusable = || format!("{} cannot label", file.display());
    let network = Network::read_bytes(&stored).with_context(unusable)?;
    let net = network.into_net().with_context(unusable)?;
    ensure!(
        role == Role::Player || !net.heads.are_flat(),
        "{}: it knows win and loss only, and labels tell score and ownership, too",
        unusable()
    );
    let evaluator = NetEvaluator::new(&net, &opened.backend, NetSettings::default());
    let evaluator = evaluator.with_context(unusable)?;
    let computing = opened.describe(evaluator.computing());
    tell(format_args!("{} on {computing}", net.name));
    let identity = NetIdentity {
        name: net.name.clone(),
        sha256: files::sha256(&stored),
        precision: evaluator.precision().to_string(),
    };
    Ok((evaluator, identity))
}

/// Says which of these names no source of the games has.
pub(super) fn remark_on_sources(games: &Collection, names: &[String]) {
    let sources = games.sources();
    for name in names.iter().filter(|name| !sources.contains(name)) {
        let sources = sources.join(", ");
        tell(format_args!(
            "--not-imitated {name}: no game has this source; there are {sources}"
        ));
    }
}

pub(super) fn read_games(paths: &[PathBuf]) -> Result<Collection> {
    let spinner = ProgressBar::new_spinner();
    spinner.enable_steady_tick(Duration::from_millis(200));
    let (collection, tally) = Collection::read(paths, &|games| {
        spinner.set_message(format!("{games} games read"));
    })?;
    spinner.finish_and_clear();
    ensure!(
        paths.is_empty() || !collection.is_empty(),
        "there are no usable games\n{tally}"
    );
    if !paths.is_empty() {
        tell(format_args!("{tally}"));
    }
    Ok(collection)
}

fn summary(outcome: Outcome) -> String {
    let Outcome {
        made,
        labels,
        present,
        busy,
    } = outcome;
    let (shards, labels) = (counted(made as usize, "shard"), counted(labels, "label"));
    let mut text = format!("{shards} made with {labels}, {present} existed");
    if busy > 0 {
        text += &format!(", {busy} in the making by other processes");
    }
    text
}

fn bar(length: u64, what: &str) -> ProgressBar {
    let template = format!(
        "{{bar:30}} {{human_pos}} of about {{human_len}} {what}, {{per_sec}}, {{elapsed}} past, {{eta}} left"
    );
    let style = ProgressStyle::with_template(&template).expect("the template is valid");
    ProgressBar::new(length).with_style(style)
}
