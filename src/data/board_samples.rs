//! Batches from positions of board games.

use anyhow::{Context, Result};

use super::batch::{Batch, SampleWeights, Targets};
use super::board_games::{LearningGame, no_networks};
use super::stream::mixed;
use crate::games::board_game::BoardGame;
use crate::games::network_inputs::NetworkInputs;
use crate::go::{BoardSize, Symmetry};
use crate::minimax::Wanted;
use crate::nn::desc::InputVersion;
use crate::nn::features::InputBatch;
use crate::nn::symmetrized::PointMap;

/// What is learned from games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lessons {
    /// Share of the result in the value of a searched position; the rest is the search's.
    pub result_share: f32,
    /// Whether only the winner's moves of records are learned.
    pub only_winners: bool,
}

/// A position of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the game.
    pub game: usize,
    /// Moves before the position.
    pub ply: usize,
}

/// The positions of games that something can be learned from: the searched ones, and in records all after the opening.
pub fn places<G: BoardGame>(games: &[LearningGame<G>], from: usize) -> Vec<Place> {
    let of_game = |(game, its): (usize, &LearningGame<G>)| -> Vec<Place> {
        let searched = its.searches.iter().map(|search| search.ply);
        let plies = searched.chain(its.opening..its.moves.len());
        plies.map(|ply| Place { game, ply }).collect()
    };
    let games = games.iter().enumerate().skip(from);
    games.flat_map(of_game).collect()
}

/// A sample of one position.
struct Sample {
    size: BoardSize,
    inputs: InputBatch,
    targets: Targets,
}

/// The same number for games whose first moves are equal up to their order and symmetries of the board.
pub fn opening_hash<G: BoardGame>(game: &LearningGame<G>, plies: usize) -> Result<u64> {
    let inputs = G::NETWORK_INPUTS.with_context(no_networks::<G>)?;
    let mut position = game.start.clone();
    let size = size_of_board(&inputs, &position)?;
    let mut stones = vec![0.0; size.area()];
    for (number, &mv) in game.moves.iter().take(plies).enumerate() {
        stones[(inputs.cell)(&position, mv)] = (1 + number % 2) as f32;
        position.play(mv);
    }
    let hash = |symmetry| {
        let map = PointMap::new(symmetry, size);
        let turned = map.turn(&stones, 1).into_iter();
        let width = map.size().width() as u64;
        turned.fold(width, |hash, stone| mixed(hash, stone.to_bits().into()))
    };
    Ok(Symmetry::all().map(hash).min().unwrap_or_default())
}

fn size_of_board<G: BoardGame>(inputs: &NetworkInputs<G>, position: &G) -> Result<BoardSize> {
    let (width, height) = (inputs.size)(position);
    BoardSize::new(width, height).context("no board of a network")
}

/// Batches of the samples at these places, one for each size of the board at least, of at most `most` samples.
pub fn batches<G: BoardGame>(
    games: &[LearningGame<G>],
    places: &[Place],
    lessons: Lessons,
    most: usize,
) -> Result<Vec<Batch>> {
    let inputs = G::NETWORK_INPUTS.with_context(|| no_networks::<G>())?;
    let version = InputVersion::OfGame {
        planes: inputs.planes,
        values: inputs.values,
    };
    let mut by_size: Vec<(BoardSize, Vec<Sample>)> = Vec::new();
    for place in places {
        let sample = sample(&games[place.game], place.ply, &inputs, lessons)?;
        match by_size.iter_mut().find(|(size, _)| *size == sample.size) {
            Some((_, samples)) => samples.push(sample),
            None => by_size.push((sample.size, vec![sample])),
        }
    }
    let parts = by_size
        .iter()
        .flat_map(|(_, samples)| samples.chunks(most.max(1)));
    parts.map(|samples| joined(version, samples)).collect()
}

fn sample<G: BoardGame>(
    game: &LearningGame<G>,
    ply: usize,
    inputs: &NetworkInputs<G>,
    lessons: Lessons,
) -> Result<Sample> {
    let mut position = game.start.clone();
    game.moves[..ply].iter().for_each(|&mv| position.play(mv));
    let size = size_of_board(inputs, &position)?;
    let area = size.area();
    let cells = |values: Vec<f32>| -> Vec<f32> {
        // No passes.
        [values, vec![0.0]].concat()
    };
    let mut legal = vec![0.0; area];
    let mut moves = Vec::new();
    position.moves(Wanted::All, &mut moves);
    moves
        .iter()
        .for_each(|&mv| legal[(inputs.cell)(&position, mv)] = 1.0);
    let search_at = |ply: usize| game.searches.iter().find(|search| search.ply == ply);
    let policy_at = |position: &G, ply: usize| -> Option<Vec<f32>> {
        let mut policy = vec![0.0; area];
        match search_at(ply) {
            Some(search) => {
                let sum: f32 = search.policy.iter().map(|(_, share)| share).sum();
                for &(cell, share) in &search.policy {
                    policy[usize::from(cell)] += share / sum;
                }
            }
            None => policy[(inputs.cell)(position, *game.moves.get(ply)?)] = 1.0,
        }
        Some(policy)
    };
    let own = policy_at(&position, ply);
    let reply = game.moves.get(ply).and_then(|&mv| {
        let mut after = position.clone();
        after.play(mv);
        policy_at(&after, ply + 1)
    });
    let result = game.result_at(&position);
    let search = search_at(ply);
    let value = match (result, search) {
        (Some(result), Some(search)) => {
            let share = lessons.result_share;
            Some(share * result + (1.0 - share) * search.win_loss)
        }
        (result, search) => result.or(search.map(|search| search.win_loss)),
    };
    let is_drawn = result == Some(0.0) && search.is_none();
    let is_learned = search.is_some() || !lessons.only_winners || result == Some(1.0);
    let weight = |is_known: bool| f32::from(is_known);
    let weights = SampleWeights {
        policy: weight(own.is_some() && is_learned),
        soft_policy: weight(search.is_some()),
        opponent: weight(reply.is_some()),
        outcome: weight(value.is_some()),
        ..SampleWeights::NONE
    };
    let (planes, values) = inputs.of(&position);
    let spread = |policy: Option<Vec<f32>>| cells(policy.unwrap_or_else(|| legal.clone()));
    let win = (value.unwrap_or(0.0) + 1.0) / 2.0;
    let targets = Targets {
        policy: spread(own),
        legal: cells(legal.clone())
            .into_iter()
            .map(|legal| legal > 0.0)
            .collect(),
        opponent_policy: spread(reply),
        human_move: vec![None],
        outcome: vec![if is_drawn {
            [0.0, 0.0, 1.0]
        } else {
            [win, 1.0 - win, 0.0]
        }],
        lead: vec![0.0],
        score_mean: vec![0.0],
        score_stdev: vec![0.0],
        variance_time: vec![0.0],
        shortterm_value_error: vec![0.0],
        shortterm_score_error: vec![0.0],
        is_expectation: vec![false],
        sibling_group: vec![0],
        ownership: vec![0.0; area],
        weights: vec![weights],
    };
    let inputs = InputBatch {
        size,
        spatial: planes,
        global: values,
        metadata: Vec::new(),
    };
    Ok(Sample {
        size,
        inputs,
        targets,
    })
}

fn joined(version: InputVersion, samples: &[Sample]) -> Result<Batch> {
    let mut targets = Targets::default();
    for (number, sample) in samples.iter().enumerate() {
        let own = &sample.targets;
        targets.policy.extend(&own.policy);
        targets.legal.extend(&own.legal);
        targets.opponent_policy.extend(&own.opponent_policy);
        targets.human_move.extend(&own.human_move);
        targets.outcome.extend(&own.outcome);
        targets.lead.extend(&own.lead);
        targets.score_mean.extend(&own.score_mean);
        targets.score_stdev.extend(&own.score_stdev);
        targets.variance_time.extend(&own.variance_time);
        targets
            .shortterm_value_error
            .extend(&own.shortterm_value_error);
        targets
            .shortterm_score_error
            .extend(&own.shortterm_score_error);
        targets.is_expectation.extend(&own.is_expectation);
        targets.sibling_group.push(number);
        targets.ownership.extend(&own.ownership);
        targets.weights.extend(&own.weights);
    }
    let batch = Batch {
        size: samples[0].size,
        version,
        inputs: InputBatch::joined(samples.iter().map(|sample| &sample.inputs)),
        targets,
    };
    batch.check()?;
    Ok(batch)
}
