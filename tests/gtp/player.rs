//! A player without a search for the tests of the protocol, and a session with an engine that
//! uses it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use anyhow::{Result, anyhow};
use keima::clock::Clock;
use keima::games::rollout::is_eye;
use keima::go::area::{AreaParts, area};
use keima::go::{Answer, BoardSize, Color, Komi, Move, Point, Position, Rules, Symmetry};
use keima::gtp::protocol::Response;
use keima::gtp::reply::Reply;
use keima::gtp::{Engine, Identity};
use keima::nn::output::NetOutput;
use keima::player::Player;
use keima::player::evaluators::Evaluators;
use keima::player::view::View;
use keima::search::{Evaluation, Evaluator, Request, UniformEvaluator};

/// Inputs from a test to its player, and what the player recorded.
#[derive(Default)]
pub struct Wires {
    /// Answers to give, before the player's own ones; an error is a failure to think.
    pub answers: VecDeque<Result<Answer, String>>,
    /// The clocks the player was shown.
    pub clocks: Vec<Clock>,
    /// Number of requests for ownership.
    pub judgements: usize,
    /// Stones that are taken for dead, besides the hopelessly enclosed ones.
    pub sees_dead: Vec<Point>,
    /// How long an answer to a request for ownership takes.
    pub judging_takes: Duration,
    /// Time that the player has left for a move it has chosen; unlimited if none.
    pub time_left: Option<Duration>,
}

/// Plays the first legal point that is no eye of its own, starting further on with each move;
/// judges by the area map, in which only hopelessly enclosed stones are dead, and by what a test says.
#[derive(Clone)]
pub struct Plain {
    pub wires: Arc<Mutex<Wires>>,
    view: View,
}

impl Default for Plain {
    fn default() -> Plain {
        let wires = Arc::<Mutex<Wires>>::default();
        let evaluator = Arc::new(AreaEvaluator(wires.clone()));
        Plain {
            wires,
            view: View::new(evaluator).with_raw_outputs(Arc::new(known_outputs)),
        }
    }
}

impl Player for Plain {
    fn choose(&mut self, position: &Position, clock: &Clock) -> Result<Answer> {
        let mut wires = self.wires.lock().unwrap();
        wires.clocks.push(*clock);
        if let Some(answer) = wires.answers.pop_front() {
            return answer.map_err(|message| anyhow!(message));
        }
        let (size, color) = (position.size(), position.to_move());
        let points: Vec<Point> = size.points().collect();
        let start = position.turn() * 7 % points.len();
        let fits = |&point: &Point| {
            position.is_legal(Move::Play(point)) && !is_eye(position.board(), point, color)
        };
        let point = points[start..]
            .iter()
            .chain(&points[..start])
            .copied()
            .find(fits);
        Ok(Answer::Move(point.map_or(Move::Pass, Move::Play)))
    }

    fn time_left(&self) -> Option<Duration> {
        self.wires.lock().unwrap().time_left
    }

    fn evaluators(&self) -> &dyn Evaluators {
        &self.view
    }

    fn evaluators_mut(&mut self) -> &mut dyn Evaluators {
        &mut self.view
    }
}

/// Takes every move for as good, and all but hopelessly enclosed stones for alive.
struct AreaEvaluator(Arc<Mutex<Wires>>);

impl Evaluator<Position> for AreaEvaluator {
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        let mut answers = UniformEvaluator.evaluate(requests)?;
        for (request, answer) in requests.iter().zip(&mut answers) {
            if request.wants_ownership {
                let mut wires = self.0.lock().unwrap();
                wires.judgements += 1;
                thread::sleep(wires.judging_takes);
                let mover = request.position.to_move();
                answer.ownership = ownership(&request.position, mover, &wires.sees_dead);
            }
        }
        Ok(answers)
    }
}

/// +1 for a player's points, those of the stones `dead` being the opponent's.
fn ownership(position: &Position, player: Color, dead: &[Point]) -> Vec<f32> {
    let map = area(position.board(), AreaParts::ALL, true);
    let owner = |point: Point| match position.board().color_at(point) {
        Some(color) if dead.contains(&point) => Some(!color),
        _ => map.owner(point),
    };
    let sign = |point| match owner(point) {
        Some(owner) if owner == player => 1.0,
        Some(_) => -1.0,
        None => 0.0,
    };
    position.size().points().map(sign).collect()
}

/// Values of which the tests know the text, with a uniform policy.
fn known_outputs(position: &Position, _: Symmetry, optimism: Option<f32>) -> Result<NetOutput> {
    let probability = 1.0 / position.legal_moves().count() as f32;
    let of = |point| match position.is_legal(Move::Play(point)) {
        true => probability,
        false => -1.0,
    };
    let policy = position.size().points().map(of);
    Ok(NetOutput {
        viewpoint: Color::White,
        policy: policy.chain([probability]).collect(),
        win: 0.52743,
        loss: 0.47257,
        no_result: 0.0,
        lead: 0.0321,
        score_mean: -1.5,
        score_mean_square: 250.0,
        variance_time_left: optimism.unwrap_or(-1.0),
        shortterm_win_loss_error: -1.0,
        shortterm_score_error: -1.0,
        ownership: ownership(position, Color::White, &[]),
    })
}

/// An engine with the plain player: Tromp-Taylor rules, komi 7.5.
pub fn engine(player: &Plain, size: usize) -> Engine {
    engine_of(Box::new(player.clone()), size)
}

/// An engine with a player of a test's own.
pub fn engine_of(player: Box<dyn Player>, size: usize) -> Engine {
    let identity = Identity {
        name: "keima".to_owned(),
        version: "0.1.0".to_owned(),
    };
    let komi = Komi::from_half(15);
    let size = BoardSize::square(size);
    Engine::new(player, identity, size, Rules::TROMP_TAYLOR, komi)
}

/// Asserts that this is one well-formed response, and parses it.
pub fn parse(framed: &str) -> Reply {
    let body = framed
        .strip_suffix("\n\n")
        .unwrap_or_else(|| panic!("no empty line: {framed:?}"));
    assert!(body.starts_with(['=', '?']), "{framed:?}");
    let after_id = body[1..].trim_start_matches(|c: char| c.is_ascii_digit());
    assert!(after_id.starts_with(' '), "no space: {framed:?}");
    for (number, line) in body.split('\n').enumerate() {
        assert!(!line.is_empty(), "an inner empty line: {framed:?}");
        assert!(
            !line.chars().any(char::is_control),
            "a control character: {framed:?}"
        );
        assert!(
            number == 0 || line.trim_end() == line,
            "trailing blanks: {framed:?}"
        );
    }
    Reply::parse(framed).unwrap_or_else(|| panic!("no response: {framed:?}"))
}

/// An engine from a client's point of view.
pub struct Session {
    pub player: Plain,
    pub engine: Engine,
}

impl Session {
    pub fn new(size: usize) -> Session {
        let player = Plain::default();
        let engine = engine(&player, size);
        Session { player, engine }
    }

    /// The reply to a line; the id is checked against the digits that the line begins with.
    pub fn reply(&mut self, line: &str) -> Reply {
        let framed = self.engine.handle(line.as_bytes());
        let reply = parse(&framed.unwrap_or_else(|| panic!("no answer to {line:?}")));
        let digits: String = line.chars().take_while(char::is_ascii_digit).collect();
        assert_eq!(reply.id, digits.parse().ok(), "{line:?}");
        reply
    }

    /// The result of a command that must succeed.
    pub fn ok(&mut self, line: &str) -> String {
        match self.reply(line).response {
            Response::Success(text) => text,
            Response::Failure(message) => panic!("{line:?} failed: {message}"),
        }
    }

    /// The message of a command that must fail.
    pub fn fails(&mut self, line: &str) -> String {
        match self.reply(line).response {
            Response::Success(text) => panic!("{line:?} did not fail: {text}"),
            Response::Failure(message) => message,
        }
    }

    /// The answer the player gives to the next `genmove`.
    pub fn will_answer(&mut self, answer: Answer) {
        self.player
            .wires
            .lock()
            .unwrap()
            .answers
            .push_back(Ok(answer));
    }
}
