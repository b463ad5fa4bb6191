//! `keima net info`: contents of a network file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

use super::info_text;
use super::stored::{self, StoredFile};
use crate::console::say;
use crate::go::BoardSize;
use crate::nn::desc::{Block, Heads, InputVersion, Net};
use crate::nn::plan::Plan;

/// Board sizes for which the operations are stated.
const SIDES: [usize; 3] = [9, 13, 19];
/// Names of the score outputs in order; older nets have fewer.
const SCORE_OUTPUTS: [&str; 6] = [
    "score mean",
    "score stdev",
    "lead",
    "variance time",
    "short-term win-loss error",
    "short-term score error",
];

/// Show the contents of a network file
#[derive(clap::Args)]
pub struct InfoArguments {
    /// Network: a KataGo file or a checkpoint, or a built-in one: default or small
    #[arg(value_name = "FILE", default_value = "default")]
    file: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Description of a network file; these are the keys of the JSON.
#[derive(Serialize)]
pub struct NetInfo {
    /// As given.
    pub file: String,
    /// Format of the file.
    #[serde(flatten)]
    pub stored: StoredFile,
    /// Name in the file.
    pub name: String,
    /// KataGo's model version.
    pub version: u32,
    /// Number of blocks of the trunk by kind.
    pub blocks: BTreeMap<&'static str, usize>,
    /// Number of blocks inside those, at any depth.
    pub inner_blocks: BTreeMap<&'static str, usize>,
    /// Widths.
    pub channels: Channels,
    /// Inputs.
    pub inputs: Inputs,
    /// The only board size it supports, if limited.
    pub only_size: Option<String>,
    /// Policy outputs of each point: ordinary, optimistic, and two that are not move probabilities.
    pub policy_channels: usize,
    /// Score outputs.
    pub score_outputs: Vec<&'static str>,
    /// Whether pass-alive areas in its inputs assume that suicide is legal.
    pub pass_alive_under_suicide: bool,
    /// Number of weights, including statistics of norms.
    pub parameters: usize,
    /// Memory of the weights in f32.
    pub weight_bytes: usize,
    /// Billions of floating-point operations per evaluation, by board size.
    pub gflop: BTreeMap<String, f64>,
}

/// Widths of a net's parts.
#[derive(Serialize)]
pub struct Channels {
    /// The trunk that the heads read.
    pub trunk: usize,
    /// The trunk at first, and after each plain block.
    pub stacks: Vec<usize>,
    /// Of the policy head.
    pub policy_head: usize,
    /// Of the value head.
    pub value_head: usize,
    /// Of the value head's hidden layer.
    pub value_hidden: usize,
}

/// A net's inputs.
#[derive(Serialize)]
pub struct Inputs {
    /// KataGo's input version; seed-9x9 nets have none, nor have networks for other games.
    pub version: Option<u32>,
    /// Name of another game's inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// Values per point.
    pub planes: usize,
    /// Values of the whole position.
    pub globals: usize,
    /// Whether it has inputs for the rank of the players to imitate.
    pub human_profile: bool,
}

pub fn run(arguments: &InfoArguments) -> Result<()> {
    let (stored, net) = stored::read(&arguments.file)?;
    let info = NetInfo::new(arguments.file.display().to_string(), stored, &net);
    if arguments.json {
        say(format_args!("{}", serde_json::to_string_pretty(&info)?))
    } else {
        say(format_args!("{}", info_text::table(&info)))
    }
}

impl NetInfo {
    fn new(file: String, stored: StoredFile, net: &Net) -> NetInfo {
        let parameters = net.parameters();
        let sizes = SIDES.map(BoardSize::square).into_iter();
        let is_known = |size: &BoardSize| net.only_size().is_none_or(|only| only == *size);
        let products = Plan::new(net).products();
        let gflop = |size: BoardSize| (size.to_string(), products.gflop(size));
        let scores = net.heads.pooled().map_or(0, |it| it.value.score.outputs);
        let scores = scores.min(SCORE_OUTPUTS.len());
        let mut inner_blocks = BTreeMap::new();
        for block in &net.trunk.blocks {
            count_kinds(block.inner(), true, &mut inner_blocks);
        }
        let mut blocks = BTreeMap::new();
        count_kinds(&net.trunk.blocks, false, &mut blocks);
        NetInfo {
            file,
            stored,
            name: net.name.clone(),
            version: net.version,
            blocks,
            inner_blocks,
            channels: Channels::of(net),
            inputs: Inputs::of(net),
            only_size: net.only_size().map(|size| size.to_string()),
            policy_channels: net.policy_channels(),
            score_outputs: SCORE_OUTPUTS[..scores].to_vec(),
            pass_alive_under_suicide: net.pass_alive_under_suicide,
            parameters,
            weight_bytes: parameters * size_of::<f32>(),
            gflop: sizes.filter(is_known).map(gflop).collect(),
        }
    }
}

impl Channels {
    fn of(net: &Net) -> Channels {
        let [policy_head, value_head, value_hidden] = match &net.heads {
            Heads::Pooled(heads) => [
                heads.policy.conv.outputs,
                heads.value.conv.outputs,
                heads.value.hidden.outputs,
            ],
            Heads::Flat(heads) => [
                heads.policy.conv.outputs,
                heads.value.conv.outputs,
                heads.value.layers[0].matmul.outputs,
            ],
        };
        Channels {
            trunk: net.tip_channels(),
            stacks: stacks(net),
            policy_head,
            value_head,
            value_hidden,
        }
    }
}

impl Inputs {
    fn of(net: &Net) -> Inputs {
        let (planes, globals) = net.input_version().channels();
        let version = match net.input_version() {
            InputVersion::V3 => Some(3),
            InputVersion::V4 => Some(4),
            InputVersion::V5 => Some(5),
            InputVersion::V6 => Some(6),
            InputVersion::V7 => Some(7),
            InputVersion::Seed | InputVersion::Hu | InputVersion::OfGame { .. } => None,
            InputVersion::LeelaZero => unreachable!("the net is one of KataGo's"),
        };
        Inputs {
            version,
            game: net.game_inputs.as_ref().map(|inputs| inputs.name.clone()),
            planes,
            globals,
            human_profile: net.wants_metadata(),
        }
    }
}

fn stacks(net: &Net) -> Vec<usize> {
    let plain = net.trunk.blocks.iter().filter_map(|block| match block {
        Block::Plain(block) => Some(block.conv.outputs),
        _ => None,
    });
    [net.trunk.initial_conv.outputs]
        .into_iter()
        .chain(plain)
        .collect()
}

/// Adds the blocks of a list to the counts, optionally with those inside them.
fn count_kinds(blocks: &[Block], with_inner: bool, counts: &mut BTreeMap<&'static str, usize>) {
    for block in blocks {
        *counts.entry(block.kind()).or_default() += 1;
        if with_inner {
            count_kinds(block.inner(), true, counts);
        }
    }
}
