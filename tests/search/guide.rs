//! A second policy, by which some visits of a search select their moves.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use keima::search::{
    Evaluation, Evaluator, Game, Limits, MoveCode, MoveReport, Report, Request, Search,
    SearchParams, UniformEvaluator,
};

use crate::tictactoe::TicTacToe;

/// All moves are equal, but the guide knows one only: the last of the list.
struct Guided;

impl Evaluator<TicTacToe> for Guided {
    fn evaluate(&self, requests: &[Request<TicTacToe>]) -> Result<Vec<Evaluation>> {
        let mut answers = UniformEvaluator.evaluate(requests)?;
        for answer in &mut answers {
            answer.guide = vec![0.0; answer.policy.len()];
            if let Some(last) = answer.guide.last_mut() {
                *last = 1.0;
            }
        }
        Ok(answers)
    }
}

/// A search of 400 visits of the empty board.
fn search(params: SearchParams) -> Search<TicTacToe> {
    let mut search = Search::new(params);
    search.set_root(TicTacToe::default());
    run(&mut search, 400);
    search
}

fn run(search: &mut Search<TicTacToe>, visits: u64) {
    let stop = AtomicBool::new(false);
    search.run(&Guided, &Limits::visits(visits), &stop).unwrap();
    search.validate().unwrap();
}

fn plain() -> SearchParams {
    SearchParams {
        graph_search: false,
        seed: 5,
        ..SearchParams::default()
    }
}

fn last(report: &Report) -> &MoveReport {
    let mut moves = report.moves.iter();
    moves.find(|mv| mv.code == MoveCode(8)).unwrap()
}

#[test]
fn weightless_visits_count_for_their_move_only() {
    let report = search(SearchParams {
        guide_root_weightless: 0.5,
        ..plain()
    })
    .report()
    .unwrap();
    let weightless = report.playouts + 1 - u64::from(report.visits);
    assert!((150..250).contains(&weightless), "{weightless}");
    assert_eq!(report.playouts, 399);
    let guided = last(&report);
    let beyond = u64::from(guided.visits - guided.edge_visits);
    assert!(beyond > weightless / 2, "{beyond} of {weightless}");
    let edges: u32 = report.moves.iter().map(|mv| mv.edge_visits).sum();
    assert_eq!(edges + 1, report.visits);
}

#[test]
fn weightful_visits_count_everywhere() {
    let unguided = search(plain()).report().unwrap();
    let report = search(SearchParams {
        guide_root_weightful: 0.5,
        ..plain()
    })
    .report()
    .unwrap();
    assert_eq!(report.visits, 400);
    let [guided, before] = [&report, &unguided].map(|it| last(it).edge_visits);
    assert!(guided > 2 * before, "{guided} against {before}");
}

#[test]
fn the_guide_is_followed_where_its_side_moves() {
    let second = |params: SearchParams| {
        let mut search = search(params);
        let position = TicTacToe::from_moves(&[4]);
        search.advance(MoveCode(4), position);
        let report = search.report().unwrap();
        let last = report.moves.iter().find(|mv| mv.code == MoveCode(8));
        (last.map_or(0, |mv| mv.visits), report.visits)
    };
    let (unguided, _) = second(plain());
    let (own, _) = second(SearchParams {
        guide_mover_weightful: 0.9,
        ..plain()
    });
    let (opponent, of) = second(SearchParams {
        guide_opponent_weightful: 0.9,
        ..plain()
    });
    assert!(own <= 3 * unguided.max(1), "{own} against {unguided}");
    assert!(opponent > of / 2, "{opponent} of {of}");
}

#[test]
fn a_tree_led_for_one_side_is_not_kept_for_the_other() {
    let after_move = |params: SearchParams| {
        let mut search = search(params);
        let position = TicTacToe::from_moves(&[4]);
        search.advance(MoveCode(4), position);
        run(&mut search, 1);
        search.report().unwrap().visits
    };
    let both = SearchParams {
        guide_root_weightful: 0.5,
        guide_mover_weightful: 0.5,
        guide_opponent_weightful: 0.5,
        ..plain()
    };
    assert!(after_move(both) > 1);
    let one = SearchParams {
        guide_opponent_weightful: 0.0,
        ..both
    };
    assert_eq!(after_move(one), 1);
}

#[test]
fn searches_with_several_threads_end_with_weightless_visits() {
    let report = search(SearchParams {
        guide_root_weightless: 1.0,
        guide_mover_weightless: 0.5,
        guide_opponent_weightless: 0.5,
        threads: 3,
        graph_search: true,
        ..SearchParams::default()
    })
    .report()
    .unwrap();
    assert_eq!((report.visits, report.playouts), (1, 399));
    assert!(last(&report).visits > 0);
    let mut moves = Vec::new();
    TicTacToe::default().legal_moves(&mut moves);
    assert_eq!(moves.len(), 9);
}
