//! Batches from positions of board games.

use anyhow::Result;

use super::batch::{Batch, SampleWeights, Targets};
use super::board_games::{LearningGame, default_inputs};
use super::stream::mixed;
use crate::games::board_game::BoardGame;
use crate::games::network_inputs::NetworkInputs;
use crate::go::{BoardSize, Symmetry};
use crate::minimax::Wanted;
use crate::nn::board_evaluator::{inputs_of, size_of};
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

/// A sample of one position; policies have a place for each move, the last for the pass that there is none of.
struct Sample {
    inputs: InputBatch,
    legal: Vec<bool>,
    policy: Vec<f32>,
    opponent_policy: Vec<f32>,
    outcome: [f32; 3],
    weights: SampleWeights,
}

/// The same number for games whose first moves are equal up to their order and symmetries of the board.
pub fn opening_hash<G: BoardGame>(game: &LearningGame<G>, plies: usize) -> Result<u64> {
    let inputs = default_inputs::<G>()?;
    let mut position = game.start.clone();
    let size = size_of(&inputs, &position)?;
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

/// Batches of the samples at these places with these inputs, one for each size of the board at least, of at most
/// `most` samples.
pub fn batches<G: BoardGame>(
    games: &[LearningGame<G>],
    places: &[Place],
    inputs: &NetworkInputs<G>,
    lessons: Lessons,
    most: usize,
) -> Result<Vec<Batch>> {
    let version = InputVersion::OfGame {
        planes: inputs.planes,
        values: inputs.values,
    };
    let mut by_size: Vec<(BoardSize, Vec<Sample>)> = Vec::new();
    for place in places {
        let sample = sample(&games[place.game], place.ply, inputs, lessons)?;
        match by_size
            .iter_mut()
            .find(|(size, _)| *size == sample.inputs.size)
        {
            Some((_, samples)) => samples.push(sample),
            None => by_size.push((sample.inputs.size, vec![sample])),
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
    let all_inputs = inputs_of(inputs, &position)?;
    let area = all_inputs.size.area();
    let mut legal = vec![false; area + 1];
    let mut moves = Vec::new();
    position.moves(Wanted::All, &mut moves);
    moves
        .iter()
        .for_each(|&mv| legal[(inputs.cell)(&position, mv)] = true);
    let search_at = |ply: usize| game.searches.iter().find(|search| search.ply == ply);
    let policy_at = |position: &G, ply: usize| -> Option<Vec<f32>> {
        let mut policy = vec![0.0; area + 1];
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
    // Unknown policies have no weight.
    let even = || legal.iter().map(|&legal| f32::from(legal)).collect();
    let known = |policy: Option<Vec<f32>>| policy.unwrap_or_else(even);
    let win = (value.unwrap_or(0.0) + 1.0) / 2.0;
    Ok(Sample {
        policy: known(own),
        opponent_policy: known(reply),
        inputs: all_inputs,
        legal,
        outcome: match is_drawn {
            true => [0.0, 0.0, 1.0],
            false => [win, 1.0 - win, 0.0],
        },
        weights,
    })
}

/// A batch of samples of one size, at least one. What board games do not have is 0.
fn joined(version: InputVersion, samples: &[Sample]) -> Result<Batch> {
    let (size, len) = (samples[0].inputs.size, samples.len());
    let all = |values: fn(&Sample) -> &[f32]| -> Vec<f32> {
        samples.iter().map(values).collect::<Vec<_>>().concat()
    };
    let unknown = vec![0.0; len];
    let targets = Targets {
        policy: all(|sample| &sample.policy),
        legal: samples
            .iter()
            .flat_map(|sample| sample.legal.iter().copied())
            .collect(),
        opponent_policy: all(|sample| &sample.opponent_policy),
        human_move: vec![None; len],
        outcome: samples.iter().map(|sample| sample.outcome).collect(),
        lead: unknown.clone(),
        score_mean: unknown.clone(),
        score_stdev: unknown.clone(),
        variance_time: unknown.clone(),
        shortterm_value_error: unknown.clone(),
        shortterm_score_error: unknown,
        is_expectation: vec![false; len],
        sibling_group: (0..len).collect(),
        ownership: vec![0.0; len * size.area()],
        weights: samples.iter().map(|sample| sample.weights).collect(),
    };
    let inputs: Vec<&InputBatch> = samples.iter().map(|sample| &sample.inputs).collect();
    let batch = Batch {
        size,
        version,
        inputs: InputBatch::joined(&inputs).into_owned(),
        targets,
    };
    batch.check()?;
    Ok(batch)
}
