//! A network's evaluation of a position as text for the terminal.

use super::eval::Answer;
use super::picture;
use crate::cmd::terminal::{Style, Terminal};
use crate::formats::rules_json;
use crate::go::Color;
use crate::nn::symmetry_choice::SymmetryChoice;

/// Number of listed moves.
const BEST_MOVES: usize = 10;
/// Length of the bar of the best move.
const BAR: f32 = 24.0;
/// Width of the values left of the best moves.
const VALUE_COLUMNS: usize = 36;
/// Space between two boards.
const GAP: &str = "  ";

/// Heading, values, best moves, and two boards.
pub fn page(answer: &Answer, terminal: Terminal) -> String {
    let mut lines = heading(answer);
    lines.push(String::new());
    let best = best_moves(answer, terminal.style);
    lines.extend(side_by_side(values(answer), best, VALUE_COLUMNS));
    lines.push(String::new());
    lines.extend(boards(answer, terminal));
    lines.push(String::new());
    let legend = match answer.output.ownership.is_empty() {
        true => picture::POLICY_LEGEND,
        false => picture::legend(terminal.style),
    };
    lines.extend(legend.iter().map(|line| format!("    {line}")));
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n")
}

fn heading(answer: &Answer) -> Vec<String> {
    let position = &answer.position;
    let rules = rules_json::in_words(position.rules());
    let shown = match answer.symmetry {
        SymmetryChoice::Fixed(symmetry) => format!("symmetry {}", symmetry.number()),
        SymmetryChoice::Random | SymmetryChoice::Average => "average of all symmetries".to_owned(),
    };
    let like = answer.profile.map(|profile| format!(", {profile}"));
    let when = match position.turn() {
        0 => "at the start".to_owned(),
        turn => format!("after move {turn}"),
    };
    let to_move = match position.to_move() {
        Color::Black => "Black",
        Color::White => "White",
    };
    vec![
        format!(
            "{}, version {}, {shown}{}",
            answer.name,
            answer.version,
            like.unwrap_or_default()
        ),
        format!("{} {rules}, komi {}", position.size(), position.komi()),
        format!("{when}, {to_move} to move"),
    ]
}

fn values(answer: &Answer) -> Vec<String> {
    let output = &answer.output;
    let percent = |share: f32| format!("{:.1} %", 100.0 * share);
    let mean = points(output.score_mean);
    let mut rows = vec![
        ("Black wins", percent(output.win)),
        ("White wins", percent(output.loss)),
        ("no result", percent(output.no_result)),
        ("lead", points(output.lead)),
        ("score", format!("{mean} +- {:.1}", output.score_stdev())),
    ];
    if output.variance_time_left >= 0.0 {
        let moves = format!("{:.1} moves", output.variance_time_left);
        // In units of win less loss, which change wins by half.
        let wins = percent(output.shortterm_win_loss_error / 2.0);
        let score = format!("{:.1} points", output.shortterm_score_error);
        rows.extend([
            ("open for", moves),
            ("soon wins +-", wins),
            ("soon score +-", score),
        ]);
    }
    let line = |(label, text): &(&str, String)| format!("{label:<15}{text}");
    rows.iter().map(line).collect()
}

/// `B+3.5`, `W+0.2`, or `0` for less than that.
fn points(black: f32) -> String {
    let text = format!("{:.1}", black.abs());
    match black {
        _ if text == "0.0" => "0".to_owned(),
        0.0.. => format!("B+{text}"),
        _ => format!("W+{text}"),
    }
}

fn best_moves(answer: &Answer, style: Style) -> Vec<String> {
    let size = answer.position.size();
    let policy = answer.output.policy.iter().copied().enumerate();
    let mut legal: Vec<(usize, f32)> = policy.filter(|&(_, share)| share >= 0.0).collect();
    legal.sort_by(|a, b| b.1.total_cmp(&a.1));
    let best = legal.first().map_or(1.0, |best| best.1);
    let line = |&(index, share): &(usize, f32)| {
        let mv = size
            .move_at(index)
            .expect("a policy covers the board and the pass");
        let name = mv.to_string();
        let bar = style.bar(share / best, BAR);
        format!("{name:<5}{:>5.1} %  {bar}", 100.0 * share)
    };
    legal.iter().take(BEST_MOVES).map(line).collect()
}

/// Two columns of text, the first `width` wide.
fn side_by_side(left: Vec<String>, right: Vec<String>, width: usize) -> Vec<String> {
    let rows = left.len().max(right.len());
    let (mut left, mut right) = (left.into_iter(), right.into_iter());
    let row = |_| {
        let (left, right) = (left.next(), right.next());
        format!(
            "{:<width$}{}",
            left.unwrap_or_default(),
            right.unwrap_or_default()
        )
    };
    (0..rows).map(row).collect()
}

/// Side by side if there is room, else one below the other.
fn boards(answer: &Answer, terminal: Terminal) -> Vec<String> {
    let (position, output) = (&answer.position, &answer.output);
    let board = position.board();
    let last = position.moves().next_back();
    let last = last.and_then(|(_, mv)| mv.point());
    let mut policy = picture::policy(board, &output.policy, last, terminal.style);
    let width = picture::width(board.size());
    policy.insert(0, format!("{:<width$}", "    policy, in percent"));
    if output.ownership.is_empty() {
        return policy;
    }
    let mut owner = picture::ownership(board, &output.ownership, terminal.style);
    owner.insert(0, "    ownership".to_owned());
    if 2 * width + GAP.len() > terminal.columns {
        return [policy, vec![String::new()], owner].concat();
    }
    let pairs = policy.into_iter().zip(owner);
    pairs.map(|(policy, owner)| policy + GAP + &owner).collect()
}
