//! Leela Zero networks: reading, and evaluations against a slow model that follows the format's
//! description word by word, and against Leela Zero itself.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use flate2::{Compression, write::GzEncoder};

use keima::go::{BoardSize, Color, Komi, Move, Position, Rules, Symmetry};
use keima::nn::backend::{Backend, Precision};
use keima::nn::cpu::simd::Isa;
use keima::nn::evaluator::{NetEvaluator, NetRequest, NetSettings};
use keima::nn::network::Network;
use keima::nn::output::NetOutput;

use crate::skipped::skipped;

const SIDE: usize = 19;
const AREA: usize = SIDE * SIDE;
const CHANNELS: usize = 4;

/// Pseudorandom numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// Numbers around `middle`, at most `width` away.
    fn line(&mut self, count: usize, middle: f64, width: f64) -> Vec<f64> {
        let mut number = || middle + (self.below(2001) as f64 / 1000.0 - 1.0) * width;
        (0..count).map(|_| (number() * 1e6).round() / 1e6).collect()
    }
}

/// The lines after the first of a network with one block.
fn random_lines(seed: u64) -> Vec<Vec<f64>> {
    let mut random = Random(seed);
    let conv = |random: &mut Random, inputs: usize, outputs: usize, side: usize| {
        let count = inputs * outputs * side * side;
        [
            random.line(count, 0.05, 2.0 / (inputs * side) as f64),
            random.line(outputs, 0.0, 0.3),
            random.line(outputs, 0.1, 0.3),
            random.line(outputs, 0.6, 0.4),
        ]
    };
    let mut lines = Vec::new();
    for (inputs, outputs, side) in [
        (18, CHANNELS, 3),
        (CHANNELS, CHANNELS, 3),
        (CHANNELS, CHANNELS, 3),
        (CHANNELS, 2, 1),
    ] {
        lines.extend(conv(&mut random, inputs, outputs, side));
    }
    lines.push(random.line(362 * 722, 0.0, 0.05));
    lines.push(random.line(362, 0.0, 1.0));
    lines.extend(conv(&mut random, CHANNELS, 1, 1));
    for (count, width) in [(256 * 361, 0.1), (256, 0.3), (256, 0.1), (1, 0.2)] {
        lines.push(random.line(count, 0.0, width));
    }
    lines
}

fn text(version: &str, lines: &[Vec<f64>]) -> String {
    let numbers = |line: &Vec<f64>| {
        let words: Vec<String> = line.iter().map(f64::to_string).collect();
        words.join(" ")
    };
    let lines: Vec<String> = lines.iter().map(numbers).collect();
    format!("{version}\n{}\n", lines.join("\n"))
}

fn evaluator(text: &str) -> NetEvaluator {
    evaluator_on(&Backend::candle(), text)
}

fn evaluator_on(backend: &Backend, text: &str) -> NetEvaluator {
    let network = Network::read_bytes(text.as_bytes()).unwrap();
    network.evaluator(backend, NetSettings::default()).unwrap()
}

/// Everything that can compute a net here, with how far its probabilities may be off.
fn backends() -> Vec<(Backend, f64)> {
    let on_cpu = |isa| {
        let cpu = |precision| Backend::Cpu { isa, precision };
        [(cpu(Precision::F32), 1e-5), (cpu(Precision::Int16), 2e-4)]
    };
    let own = Isa::available().flat_map(on_cpu);
    own.chain([(Backend::candle(), 1e-5)]).collect()
}

/// The net's output without symmetry.
fn ask(evaluator: &NetEvaluator, position: &Position) -> NetOutput {
    evaluator
        .output_for(position, &NetRequest::raw(Symmetry::IDENTITY))
        .unwrap()
}

/// Positions of one game of random moves and passes, by number of moves.
fn positions() -> Vec<Position> {
    let mut random = Random(5);
    let rules = Rules {
        suicide: false,
        ..Rules::TROMP_TAYLOR
    };
    let mut position = Position::new(BoardSize::square(SIDE), rules, Komi::from_half(15));
    let mut positions = vec![position.clone()];
    while positions.len() < 20 {
        for _ in 0..=positions.len() {
            let moves: Vec<Move> = position.legal_moves().collect();
            let passes = random.below(10) == 0 && position.passes() == 0;
            let index = if passes {
                moves.len() - 1
            } else {
                random.below(moves.len() - 1)
            };
            position.play(moves[index]);
        }
        positions.push(position.clone());
    }
    positions
}

/// The format's own order of points: rows from the bottom.
fn point_from_bottom(position: &Position, cell: usize) -> usize {
    let from_top = position.size().height() - 1 - cell / SIDE;
    from_top * SIDE + cell % SIDE
}

/// The 18 planes, `[plane][cell]`.
fn slow_planes(position: &Position) -> Vec<Vec<f64>> {
    let mut planes = vec![vec![0.0; AREA]; 18];
    for back in 0..8.min(position.turn() + 1) {
        let mut earlier = position.clone();
        (0..back).for_each(|_| {
            earlier.undo();
        });
        for point in earlier.board().points() {
            if let Some(color) = earlier.board().color_at(point) {
                let side = if color == position.to_move() { 0 } else { 8 };
                planes[side + back][point.row() * SIDE + point.column()] = 1.0;
            }
        }
    }
    let turn = if position.to_move() == Color::Black {
        16
    } else {
        17
    };
    planes[turn].fill(1.0);
    planes
}

/// A convolution with its norm, of `[channel][cell]`; `lines` are its four.
fn slow_conv(input: &[Vec<f64>], lines: &[Vec<f64>], side: usize) -> Vec<Vec<f64>> {
    let [weights, biases, means, variances] = lines else {
        panic!("four lines")
    };
    let reach = (side / 2) as isize;
    let on_board = |at: isize| (0..SIDE as isize).contains(&at);
    let output = |channel: usize| {
        let cell = |cell: usize| {
            let mut sum = biases[channel];
            for (index, values) in input.iter().enumerate() {
                for (ky, kx) in (0..side * side).map(|k| (k / side, k % side)) {
                    let y = (cell / SIDE) as isize + ky as isize - reach;
                    let x = (cell % SIDE) as isize + kx as isize - reach;
                    if on_board(y) && on_board(x) {
                        let weight = ((channel * input.len() + index) * side + ky) * side + kx;
                        sum += values[y as usize * SIDE + x as usize] * weights[weight];
                    }
                }
            }
            (sum - means[channel]) / (variances[channel] + 1e-5).sqrt()
        };
        (0..AREA).map(cell).collect()
    };
    (0..biases.len()).map(output).collect()
}

fn relu(values: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let relu = |line: Vec<f64>| line.into_iter().map(|value| value.max(0.0)).collect();
    values.into_iter().map(relu).collect()
}

fn slow_dense(input: &[f64], weights: &[f64], biases: &[f64]) -> Vec<f64> {
    let output = |(index, bias): (usize, &f64)| {
        let row = &weights[index * input.len()..][..input.len()];
        bias + row
            .iter()
            .zip(input)
            .map(|(weight, value)| weight * value)
            .sum::<f64>()
    };
    biases.iter().enumerate().map(output).collect()
}

/// Logits of the points (in the format's order) and the pass, and the value's share of wins.
fn slow_forward(lines: &[Vec<f64>], planes: &[Vec<f64>]) -> (Vec<f64>, f64) {
    let stack = relu(slow_conv(planes, &lines[..4], 3));
    let inner = relu(slow_conv(&stack, &lines[4..8], 3));
    let mut sum = slow_conv(&inner, &lines[8..12], 3);
    for (sum, stack) in sum.iter_mut().flatten().zip(stack.iter().flatten()) {
        *sum += stack;
    }
    let tip = relu(sum);
    let policy = relu(slow_conv(&tip, &lines[12..16], 1)).concat();
    let logits = slow_dense(&policy, &lines[16], &lines[17]);
    let value = relu(slow_conv(&tip, &lines[18..22], 1)).concat();
    let hidden = relu(vec![slow_dense(&value, &lines[22], &lines[23])]).concat();
    let value = slow_dense(&hidden, &lines[24], &lines[25])[0];
    (logits, (1.0 + value.tanh()) / 2.0)
}

/// Weights of the points from the top left and of the pass, before their sum is brought to 1.
fn by_points(position: &Position, logits: &[f64]) -> Vec<f64> {
    let mut weights = vec![logits[AREA].exp(); AREA + 1];
    for (cell, logit) in logits[..AREA].iter().enumerate() {
        weights[point_from_bottom(position, cell)] = logit.exp();
    }
    weights
}

#[test]
fn evaluations_are_those_of_the_description() {
    for (backend, slack) in backends() {
        check_evaluations(&backend, slack);
    }
}

fn check_evaluations(backend: &Backend, slack: f64) {
    let lines = random_lines(1);
    let with = |version| evaluator_on(backend, &text(version, &lines));
    let (first, second) = (with("1"), with("2"));
    for position in positions() {
        let (logits, share) = slow_forward(&lines, &slow_planes(&position));
        let mut weights = by_points(&position, &logits);
        for (index, weight) in weights[..AREA].iter_mut().enumerate() {
            if !position.is_legal(Move::Play(position.size().point_at(index))) {
                *weight = 0.0;
            }
        }
        let sum: f64 = weights.iter().sum();
        let output = ask(&first, &position);
        for (found, weight) in output.policy.iter().zip(&weights) {
            let expected = if *weight > 0.0 { weight / sum } else { -1.0 };
            assert!(
                (*found as f64 - expected).abs() < slack,
                "{found}, expected {expected}"
            );
        }
        assert!(
            (output.win as f64 - share).abs() < slack,
            "{}, expected {share}",
            output.win
        );
        let blacks = ask(&second, &position).seen_by(Color::Black);
        assert!(
            (blacks.win as f64 - share).abs() < slack,
            "{}, expected {share}",
            blacks.win
        );
        assert!((output.win + output.loss - 1.0).abs() < 1e-6 && output.ownership.is_empty());
    }
}

/// The reference model of a transformed position equals the net with that symmetry.
#[test]
fn symmetries_transform_inputs_and_outputs() {
    let lines = random_lines(1);
    let evaluator = evaluator(&text("1", &lines));
    let mut position = Position::new(
        BoardSize::square(SIDE),
        Rules::TROMP_TAYLOR,
        Komi::from_half(15),
    );
    let moves = ["c4", "q16", "d17", "r3"].map(|mv| mv.parse::<Move>().unwrap());
    let mut image = position.clone();
    for symmetry in Symmetry::all() {
        for mv in moves {
            position.play(mv);
            image.play(symmetry.apply(position.size(), mv));
        }
        let turned = evaluator
            .output_for(&position, &NetRequest::raw(symmetry))
            .unwrap();
        let straight = ask(&evaluator, &image);
        for (index, found) in turned.policy[..AREA].iter().enumerate() {
            let size = position.size();
            let place = size.index(symmetry.point(size, size.point_at(index)));
            assert!((found - straight.policy[place]).abs() < 1e-6);
        }
        assert!((turned.win - straight.win).abs() < 1e-6);
        for _ in moves {
            position.undo();
            image.undo();
        }
    }
}

#[test]
fn other_sizes_are_refused() {
    let text = text("1", &random_lines(1));
    let own = Backend::Cpu {
        isa: Isa::Portable,
        precision: Precision::Auto,
    };
    for backend in [Backend::candle(), own] {
        refuses_other_sizes(&evaluator_on(&backend, &text));
    }
}

fn refuses_other_sizes(evaluator: &NetEvaluator) {
    for (width, height) in [(9, 9), (19, 18), (25, 25)] {
        let size = BoardSize::new(width, height).unwrap();
        let position = Position::new(size, Rules::CHINESE, Komi::from_half(15));
        let error = evaluator.output(&position, true).unwrap_err().to_string();
        assert!(error.contains("19x19 only"), "{error}");
    }
}

#[test]
fn compressed_and_plain_files_are_the_same_net() {
    let text = text("2", &random_lines(2));
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    let plain = Network::read_bytes(text.as_bytes()).unwrap();
    assert_eq!(
        Network::read_bytes(&encoder.finish().unwrap()).unwrap(),
        plain
    );
    assert_eq!(plain.name(), "leela-zero-1x4-19x19");
    let carriage_returns = text.replace('\n', " \r\n");
    assert_eq!(
        Network::read_bytes(carriage_returns.as_bytes()).unwrap(),
        plain
    );
}

#[test]
fn damaged_files_are_refused_by_line() {
    let lines = random_lines(1);
    let error_of = |version: &str, change: &dyn Fn(&mut Vec<Vec<f64>>)| {
        let mut lines = lines.clone();
        change(&mut lines);
        let error = Network::read_bytes(text(version, &lines).as_bytes()).unwrap_err();
        format!("{error:#}")
    };
    for (expected, change) in [
        ("number of lines", &|lines: &mut Vec<Vec<f64>>| {
            lines.truncate(25)
        }),
        ("number of lines", &|lines| lines.push(vec![0.0])),
        ("number of lines", &|lines| lines.truncate(3)),
        ("in line 2: convolution", &|lines| lines[0].truncate(600)),
        ("in line 4: means", &|lines| lines[2].push(0.0)),
        ("in line 5: a variance", &|lines| lines[3][1] = -0.1),
        ("in line 7: biases", &|lines| lines[5].truncate(3)),
        ("in line 7: biases: \"NaN\"", &|lines| {
            lines[5][0] = f64::NAN
        }),
        ("in line 18: matrix: \"inf\"", &|lines| {
            lines[16][9] = f64::INFINITY
        }),
        ("in line 18: matrix", &|lines| lines[16].truncate(722)),
        ("in line 27: biases", &|lines| lines[25].push(0.0)),
    ] as [(&str, &dyn Fn(&mut Vec<Vec<f64>>)); 11]
    {
        let error = error_of("1", change);
        assert!(error.contains(expected), "{error}, expected {expected}");
    }
    let whole = text("1", &lines);
    for permille in (0..1000).step_by(7) {
        assert!(Network::read_bytes(&whole.as_bytes()[..whole.len() * permille / 1000]).is_err());
    }
}

/// Leela Zero's program, where it is installed.
fn leela_zero() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/games")]);
    let found = folders
        .map(|folder| folder.join("leelaz"))
        .find(|file| file.exists());
    if found.is_none() {
        skipped("leelaz is not installed");
    }
    found
}

/// What Leela Zero prints about positions: per mille of each point from the top left and of the
/// pass, and the share of wins of the player to move.
fn heat_maps(program: PathBuf, weights: &str, positions: &[Position]) -> Vec<(Vec<u32>, f64)> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("weights.txt");
    std::fs::write(&file, weights).unwrap();
    let mut child = Command::new(program)
        .args(["-g", "--cpu-only", "--noponder", "-t", "1", "-w"])
        .arg(file)
        .env("HOME", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut commands = String::new();
    for position in positions {
        commands += "clear_board\n";
        for (color, mv) in position.moves() {
            let color = if color == Color::Black { "b" } else { "w" };
            commands += &format!("play {color} {mv}\n");
        }
        commands += "heatmap\n";
    }
    commands += "quit\n";
    child
        .stdin
        .take()
        .unwrap()
        .write_all(commands.as_bytes())
        .unwrap();
    let printed = child.wait_with_output().unwrap().stderr;
    let mut maps = Vec::new();
    let mut points = Vec::new();
    for line in String::from_utf8_lossy(&printed).lines() {
        let numbers: Option<Vec<u32>> = line
            .split_whitespace()
            .map(|word| word.parse().ok())
            .collect();
        if let Some(row) = numbers.filter(|row| row.len() == SIDE) {
            points.extend(row);
        } else if let Some(pass) = line.strip_prefix("pass: ") {
            points.push(pass.trim().parse().unwrap());
        } else if let Some(share) = line.strip_prefix("winrate: ") {
            maps.push((std::mem::take(&mut points), share.trim().parse().unwrap()));
        }
    }
    maps
}

/// The policy is printed in per mille without rounding, the winrate with six digits.
#[test]
fn evaluations_equal_leela_zero() {
    let Some(program) = leela_zero() else { return };
    let positions = positions();
    for version in ["1", "2"] {
        let lines = random_lines(3);
        let text = text(version, &lines);
        let own = Backend::Cpu {
            isa: Isa::chosen().unwrap(),
            precision: Precision::F32,
        };
        let evaluator = evaluator_on(&own, &text);
        let maps = heat_maps(program.clone(), &text, &positions);
        assert_eq!(maps.len(), positions.len());
        for (position, (points, share)) in positions.iter().zip(maps) {
            let output = ask(&evaluator, position);
            assert_eq!(points.len(), AREA + 1);
            assert!(
                (output.win as f64 - share).abs() < 1e-5,
                "{} {share}",
                output.win
            );
            // Leela Zero shares the whole among all points, keima among those that are legal.
            let (logits, _) = slow_forward(&lines, &slow_planes(position));
            let weights = by_points(position, &logits);
            let is_legal = |index: &usize| output.policy[*index] >= 0.0;
            let legal: f64 = (0..=AREA)
                .filter(is_legal)
                .map(|index| weights[index])
                .sum();
            let legal = legal / weights.iter().sum::<f64>();
            for index in (0..=AREA).filter(is_legal) {
                let share = output.policy[index] as f64 * legal * 1000.0;
                let cut = share - points[index] as f64;
                assert!(
                    (-0.01..1.01).contains(&cut),
                    "{share}, printed {}",
                    points[index]
                );
            }
        }
    }
}
