//! A network as the evaluator of a board game besides Go.

use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};

use super::backend::{Backend, Precision};
use super::desc::Net;
use super::features::InputBatch;
use super::output::RawOutput;
use super::runner::Runner;
use crate::games::coded::Coded;
use crate::games::network_inputs::NetworkInputs;
use crate::go::BoardSize;
use crate::minimax::Position;
use crate::search::evaluator::{Evaluation, Evaluator, Request};

/// Refuses a network that reads anything else than these inputs.
pub fn check<P: Position>(net: &Net, inputs: &NetworkInputs<P>) -> Result<()> {
    let name = inputs.name;
    let found = net.game_inputs.as_ref().with_context(|| {
        format!(
            "{} is a network for Go, not one with the inputs {name}",
            net.name
        )
    })?;
    ensure!(
        found.name == name && found.planes == inputs.planes && found.values == inputs.values,
        "{} has the inputs {} ({} planes, {} values), not {name} ({}, {})",
        net.name,
        found.name,
        found.planes,
        found.values,
        inputs.planes,
        inputs.values
    );
    Ok(())
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
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(net.identity());
        Ok(BoardEvaluator {
            runner: Arc::new(Runner::new(net, backend)?),
            inputs,
            fingerprint: hasher.finish(),
            solves: true,
        })
    }

    /// The same, but without looking for winning moves.
    #[must_use]
    pub fn without_solver(self) -> BoardEvaluator<P> {
        BoardEvaluator {
            solves: false,
            fingerprint: !self.fingerprint,
            ..self
        }
    }

    /// How the game is shown to it.
    pub fn inputs(&self) -> &NetworkInputs<P> {
        &self.inputs
    }

    /// A position as its searches need it.
    pub fn coded(&self, position: P, history: &[u64]) -> Coded<P> {
        Coded::with_moves(position, history, self.inputs.moves)
    }

    /// The number format that large layers are computed in.
    pub fn precision(&self) -> Precision {
        self.runner.precision()
    }

    /// For display: what computes it.
    pub fn computing(&self) -> &str {
        self.runner.computing()
    }

    /// The evaluation of a position.
    pub fn evaluation(&self, coded: &Coded<P>) -> Result<Evaluation> {
        let position = coded.position();
        if self.solves
            && let Some(won) = (self.inputs.winning_move)(position)
            && let Some(place) = coded.moves().iter().position(|&mv| mv == won)
        {
            let mut policy = vec![0.0; coded.moves().len()];
            policy[place] = 1.0;
            return Ok(Evaluation {
                policy,
                win_loss: 1.0,
                is_certain: true,
                ..Evaluation::default()
            });
        }
        let (width, height) = (self.inputs.size)(position);
        let (spatial, global) = self.inputs.of(position);
        let batch = InputBatch {
            size: BoardSize::new(width, height).context("no board of a network")?,
            spatial,
            global,
            metadata: Vec::new(),
        };
        let raw = self.runner.forward(&batch)?.pop().context("no answer")?;
        self.read(&raw, coded)
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
        let answer = |request: &Request<Coded<P>>| self.evaluation(&request.position);
        requests.iter().map(answer).collect()
    }

    fn fingerprint(&self, _is_root: bool) -> u64 {
        self.fingerprint
    }
}
