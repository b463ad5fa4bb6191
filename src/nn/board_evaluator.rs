//! A network as the evaluator of a board game besides Go.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};

use super::backend::Backend;
use super::desc::{GameInputs, Net};
use super::features::InputBatch;
use super::output::RawOutput;
use super::runner::Runner;
use crate::games::coded::Coded;
use crate::games::network_inputs::NetworkInputs;
use crate::go::BoardSize;
use crate::minimax::Position;
use crate::search::evaluator::{Evaluation, Evaluator, Request};

/// What a network for a game says that it reads.
pub fn described<P: Position>(inputs: &NetworkInputs<P>) -> GameInputs {
    GameInputs {
        name: inputs.name.to_owned(),
        planes: inputs.planes,
        values: inputs.values,
    }
}

/// Refuses a network that reads anything else than these inputs.
pub fn check<P: Position>(net: &Net, inputs: &NetworkInputs<P>) -> Result<()> {
    let (name, wanted) = (inputs.name, described(inputs));
    let found = net.game_inputs.as_ref().with_context(|| {
        format!(
            "{} is a network for Go, not one with the inputs {name}",
            net.name
        )
    })?;
    ensure!(
        *found == wanted,
        "{} has the inputs {} ({} planes, {} values), not {name} ({}, {})",
        net.name,
        found.name,
        found.planes,
        found.values,
        wanted.planes,
        wanted.values
    );
    Ok(())
}

/// The inputs of a position.
pub fn inputs_of<P: Position>(inputs: &NetworkInputs<P>, position: &P) -> Result<InputBatch> {
    let (spatial, global) = inputs.of(position);
    Ok(InputBatch {
        size: size_of(inputs, position)?,
        spatial,
        global,
        metadata: Vec::new(),
    })
}

/// The size of the board as networks see it.
pub fn size_of<P: Position>(inputs: &NetworkInputs<P>, position: &P) -> Result<BoardSize> {
    let (width, height) = (inputs.size)(position);
    BoardSize::new(width, height).context("no board of a network")
}

/// Evaluates positions whose moves are those of [`NetworkInputs::moves`]. A position with a winning move
/// is evaluated as won by it, without the network. Clones share the model.
pub struct BoardEvaluator<P: Position> {
    runner: Arc<Runner>,
    inputs: NetworkInputs<P>,
    fingerprint: u64,
    solves: bool,
}

impl<P: Position> Clone for BoardEvaluator<P> {
    fn clone(&self) -> BoardEvaluator<P> {
        BoardEvaluator {
            runner: Arc::clone(&self.runner),
            ..*self
        }
    }
}

impl<P: Position> BoardEvaluator<P> {
    /// Makes a network ready, which must have these inputs.
    pub fn new(
        net: &Net,
        inputs: NetworkInputs<P>,
        backend: &Backend,
    ) -> Result<BoardEvaluator<P>> {
        check(net, &inputs)?;
        Ok(BoardEvaluator {
            runner: Arc::new(Runner::new(net, backend)?),
            inputs,
            fingerprint: net.identity(),
            solves: true,
        })
    }

    /// The same, but without looking for winning moves.
    #[must_use]
    pub fn without_solver(self) -> BoardEvaluator<P> {
        BoardEvaluator {
            solves: false,
            fingerprint: match self.solves {
                true => !self.fingerprint,
                false => self.fingerprint,
            },
            ..self
        }
    }

    /// How the game is shown to it.
    pub fn inputs(&self) -> &NetworkInputs<P> {
        &self.inputs
    }

    /// The evaluation of a position that is won by a short search.
    fn won(&self, coded: &Coded<P>) -> Option<Evaluation> {
        let won = self
            .solves
            .then(|| (self.inputs.winning_move)(coded.position()))??;
        let place = coded.moves().iter().position(|&mv| mv == won)?;
        let mut policy = vec![0.0; coded.moves().len()];
        policy[place] = 1.0;
        Some(Evaluation {
            policy,
            win_loss: 1.0,
            is_certain: true,
            ..Evaluation::default()
        })
    }

    fn read(&self, raw: &RawOutput, coded: &Coded<P>) -> Result<Evaluation> {
        ensure!(
            raw.is_finite(),
            "the network's answer is not a number: its weights are damaged or too large"
        );
        let cell = |&mv: &P::Move| (self.inputs.cell)(coded.position(), mv);
        let logits = coded.moves().iter().map(|mv| raw.policy[cell(mv)]);
        let [win, loss, _] = softmax(raw.value.to_vec())[..] else {
            unreachable!("three outcomes");
        };
        Ok(Evaluation {
            policy: softmax(logits.collect()),
            win_loss: win - loss,
            ..Evaluation::default()
        })
    }
}

fn softmax(logits: Vec<f32>) -> Vec<f32> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights: Vec<f32> = logits.iter().map(|logit| (logit - most).exp()).collect();
    let sum: f32 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

impl<P: Position> Evaluator<Coded<P>> for BoardEvaluator<P> {
    fn evaluate(&self, requests: &[Request<Coded<P>>]) -> Result<Vec<Evaluation>> {
        let mut answers: Vec<Option<Evaluation>> = requests
            .iter()
            .map(|request| self.won(&request.position))
            .collect();
        let open: Vec<usize> = (0..requests.len())
            .filter(|&index| answers[index].is_none())
            .collect();
        let inputs = open
            .iter()
            .map(|&index| inputs_of(&self.inputs, requests[index].position.position()));
        let inputs: Vec<InputBatch> = inputs.collect::<Result<_>>()?;
        for (&index, raw) in open.iter().zip(self.runner.forward_each(&inputs)?) {
            answers[index] = Some(self.read(&raw, &requests[index].position)?);
        }
        Ok(answers.into_iter().flatten().collect())
    }

    fn fingerprint(&self, _is_root: bool) -> u64 {
        self.fingerprint
    }
}
