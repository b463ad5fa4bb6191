//! The evaluations that players can use, as one.

use std::sync::{Arc, OnceLock};

use anyhow::{Result, ensure};

use super::bearoff::BearOff;
use super::board::{Board, men_left, men_off};
use super::linear::Linear;
use super::net::Net;
use super::outcome::Outcome;
use super::position::{BackgammonPosition, Stakes, points_lost};
use crate::games::weighted::Weighted;
use crate::minimax::chance::{Bounds, Chance, ExpectedValue, Node};

/// The network that comes with the program.
const BUILT_IN: &[u8] = include_bytes!("../../../weights/backgammon.net");

/// An evaluation.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// Features times weights.
    Linear(Linear),
    /// A network.
    Net(Net),
}

impl Model {
    /// The network that comes with the program, read once.
    pub fn built_in_net() -> Result<Arc<Model>> {
        static NET: OnceLock<Arc<Model>> = OnceLock::new();
        if let Some(net) = NET.get() {
            return Ok(Arc::clone(net));
        }
        let net = Arc::new(Model::Net(Net::from_bytes(BUILT_IN)?));
        Ok(Arc::clone(NET.get_or_init(|| net)))
    }

    /// Reads a file of `keima backgammon train`: a network, or linear weights as JSON.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model> {
        match bytes.first() {
            Some(b'{') => Ok(Model::Linear(Linear::from_json(&String::from_utf8_lossy(
                bytes,
            ))?)),
            _ => Ok(Model::Net(Net::from_bytes(bytes)?)),
        }
    }

    /// What [`Model::from_bytes`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Model::Linear(linear) => linear.to_json().into_bytes(),
            Model::Net(net) => net.to_bytes(),
        }
    }

    /// All weights.
    pub fn numbers(&self) -> Vec<f32> {
        match self {
            Model::Linear(linear) => linear.numbers().to_vec(),
            Model::Net(net) => net.numbers(),
        }
    }

    /// Sets all weights, as many as [`Model::numbers`] gives.
    pub fn set_numbers(&mut self, numbers: &[f32]) -> Result<()> {
        ensure!(
            numbers.len() == self.numbers().len(),
            "a wrong number of weights"
        );
        match self {
            Model::Linear(linear) => linear.set_numbers(numbers),
            Model::Net(net) => net.set_numbers(numbers),
        }
        Ok(())
    }

    /// The evaluation's own probabilities for the side to roll.
    pub fn guess(&self, board: &Board) -> Outcome {
        match self {
            Model::Linear(linear) => linear.outcome(board),
            Model::Net(net) => net.outcome(board),
        }
    }

    /// The probabilities for the side to roll: exact where they are [`known`], elsewhere the evaluation's without
    /// impossible gammons.
    pub fn outcome(&self, board: &Board, stakes: Stakes) -> Outcome {
        if let Some(outcome) = known(board, stakes) {
            return outcome;
        }
        let mut guess = self.guess(board);
        // Who has borne off a man cannot lose a gammon.
        if men_off(&board.own) > 0 {
            (guess.lose_gammon, guess.lose_backgammon) = (0.0, 0.0);
        }
        if men_off(&board.other) > 0 {
            (guess.win_gammon, guess.win_backgammon) = (0.0, 0.0);
        }
        guess.consistent()
    }

    /// A step of gradient descent towards a target.
    pub fn learn(&mut self, board: &Board, target: &Outcome, rate: f32) {
        match self {
            Model::Linear(linear) => linear.learn(board, target, rate),
            Model::Net(net) => net.learn(board, target, rate),
        }
    }
}

/// The exact outcome for the side to roll, if it is known: the game is over, or both sides bear off and gammons do not
/// count or are impossible.
pub fn known(board: &Board, stakes: Stakes) -> Option<Outcome> {
    if men_left(&board.other) == 0 {
        return Some(Outcome::won(points_lost(board)).turned());
    }
    let no_gammons = men_off(&board.own) > 0 && men_off(&board.other) > 0;
    if stakes == Stakes::Points && !no_gammons {
        return None;
    }
    let win = BearOff::shared().win(board)?;
    Some(Outcome {
        win: win as f32,
        ..Outcome::default()
    })
}

/// An evaluation as searches use it.
#[derive(Clone, Debug)]
pub struct Judge {
    /// Gives probabilities.
    pub model: Arc<Model>,
    /// What they are worth.
    pub stakes: Stakes,
}

impl Judge {
    /// The probabilities for the side to move before its roll.
    pub fn outcome(&self, board: &Board) -> Outcome {
        self.model.outcome(board, self.stakes)
    }
}

impl ExpectedValue<BackgammonPosition> for Judge {
    /// Dice that are to be played are not looked at.
    fn value(&self, position: &BackgammonPosition) -> f64 {
        match position.node() {
            Node::Over(result) => result,
            _ => self.outcome(&position.board).equity(self.stakes) * position.turn.sign(),
        }
    }

    fn bounds(&self) -> Bounds {
        let greatest = match self.stakes {
            Stakes::OnePoint => 1.0,
            Stakes::Points => 3.0,
        };
        Bounds {
            least: -greatest,
            greatest,
        }
    }
}
