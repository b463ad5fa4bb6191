//! Monte Carlo tree search at chess.

use std::sync::atomic::AtomicBool;

use keima::games::board_game::BoardGame;
use keima::games::chess::{ChessPosition, Evaluation, fen};
use keima::games::coded::Coded;
use keima::games::coded_evaluators::{Heuristic, Playouts};
use keima::minimax::Position;
use keima::search::{Evaluator, Game, Limits, MoveCode, Outcome, Search, SearchParams};

/// The move that a search of so many visits chooses, and its value.
fn chosen(
    text: &str,
    params: SearchParams,
    evaluator: &dyn Evaluator<Coded<ChessPosition>>,
    visits: u64,
) -> (String, f64) {
    let position = fen::parse(text).unwrap();
    let mut search = Search::new(params);
    search.set_root(Coded::new(position.clone(), &[]));
    let stop = AtomicBool::new(false);
    search
        .run(evaluator, &Limits::visits(visits), &stop)
        .unwrap();
    search.validate().unwrap();
    let code = search.choose(0).unwrap();
    let mv = search.root().unwrap().mv(code);
    (position.move_text(mv), search.report().unwrap().win_loss)
}

const BACK_RANK: &str = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
/// The queen on d5 can be taken.
const QUEEN_HANGS: &str = "rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 1";

#[test]
fn tree_search_mates_in_one() {
    let heuristic = Heuristic {
        evaluation: Evaluation::default(),
    };
    let playouts = Playouts {
        evaluation: Evaluation::default(),
        games: 1,
        seed: 1,
    };
    let (by_evaluation, value) = chosen(BACK_RANK, SearchParams::plain(), &heuristic, 200);
    assert_eq!(by_evaluation, "Rd8#");
    assert!(value > 0.8, "{value}");
    let (by_games, _) = chosen(BACK_RANK, SearchParams::uct(), &playouts, 2000);
    assert_eq!(by_games, "Rd8#");
}

#[test]
fn tree_search_takes_a_queen() {
    let heuristic = Heuristic {
        evaluation: Evaluation::default(),
    };
    let (mv, value) = chosen(QUEEN_HANGS, SearchParams::plain(), &heuristic, 400);
    assert_eq!(mv, "Nxd5");
    assert!(value > 0.8, "{value}");
}

#[test]
fn random_games_are_the_same_for_the_same_seed() {
    let value = |seed| {
        let playouts = Playouts {
            evaluation: Evaluation::default(),
            games: 3,
            seed,
        };
        chosen(QUEEN_HANGS, SearchParams::uct(), &playouts, 100).1
    };
    assert_eq!(value(1), value(1));
    assert_ne!(value(1), value(2));
}

#[test]
fn repetitions_in_the_tree_and_mates_end_games() {
    let mut game = Coded::new(ChessPosition::start(), &[]);
    for text in ["Nf3", "Nf6", "Ng1"] {
        play(&mut game, text);
        assert_eq!(game.outcome(), None, "{text}");
    }
    play(&mut game, "Ng8");
    assert_eq!(game.outcome(), Some(Outcome::default()), "a draw");
    let mut mated = Coded::new(fen::parse(BACK_RANK).unwrap(), &[]);
    play(&mut mated, "Rd8");
    assert_eq!(mated.outcome().unwrap().win_loss, 1.0);
    // Once before the root is no draw yet.
    let start = ChessPosition::start();
    let game = Coded::new(start.clone(), &[start.key(), 1, 2, 3]);
    assert_eq!(game.outcome(), None);
}

fn play(game: &mut Coded<ChessPosition>, text: &str) {
    let mv = game.position().read_move(text).unwrap();
    let at = game.moves().iter().position(|&other| other == mv).unwrap();
    game.play(MoveCode(at as u16));
}
