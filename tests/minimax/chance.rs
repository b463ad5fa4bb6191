//! Expectiminimax, Star1 and Star2: worked trees of a lecture, random trees.

use keima::minimax::chance::player::{SearchSettings, rated};
use keima::minimax::chance::tree::{Method, Tree};
use keima::minimax::chance::{Bounds, Chance, ExpectedValue, Node};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A tree that is written down. Inner nodes count as unknown at depth 0.
#[derive(Clone, Debug)]
enum Written {
    Leaf(f64),
    Max(Vec<Written>),
    Min(Vec<Written>),
    Roll(Vec<(f64, Written)>),
}

impl Chance for Written {
    fn node(&self) -> Node {
        match self {
            Written::Leaf(value) => Node::Over(*value),
            Written::Max(_) => Node::Max,
            Written::Min(_) => Node::Min,
            Written::Roll(_) => Node::Roll,
        }
    }

    /// Different trees have different texts.
    fn key(&self) -> u64 {
        let text = format!("{self:?}");
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        })
    }

    fn choices(&self, list: &mut Vec<Written>) {
        if let Written::Max(after) | Written::Min(after) = self {
            list.extend(after.iter().cloned());
        }
    }

    fn outcomes(&self, list: &mut Vec<(f64, Written)>) {
        if let Written::Roll(after) = self {
            list.extend(after.iter().cloned());
        }
    }
}

/// Inner nodes look like the mean of their leaves, rounded; leaves lie within the bounds.
struct Look(Bounds);

impl Look {
    fn within(least: f64, greatest: f64) -> Look {
        Look(Bounds { least, greatest })
    }

    fn unbounded() -> Look {
        Look::within(f64::NEG_INFINITY, f64::INFINITY)
    }
}

impl ExpectedValue<Written> for Look {
    fn value(&self, tree: &Written) -> f64 {
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        match tree {
            Written::Leaf(value) => *value,
            Written::Max(after) | Written::Min(after) => {
                mean(after.iter().map(|after| self.value(after)).collect()).round()
            }
            Written::Roll(after) => {
                mean(after.iter().map(|(_, after)| self.value(after)).collect())
            }
        }
    }

    fn bounds(&self) -> Bounds {
        self.0
    }
}

fn leaves(values: &[f64]) -> Vec<Written> {
    values.iter().map(|&value| Written::Leaf(value)).collect()
}

/// Max chooses between two rolls with these probabilities, behind which Min chooses.
fn min_behind_rolls(rolls: [[&[f64]; 2]; 2], p: f64) -> Written {
    let roll = |mins: [&[f64]; 2]| {
        let [one, other] = mins.map(|values| Written::Min(leaves(values)));
        Written::Roll(vec![(p, one), (1.0 - p, other)])
    };
    Written::Max(rolls.map(roll).into())
}

/// Value and leaves of a search of the whole tree.
fn searched(tree: &Written, look: &Look, method: Method) -> (f64, u64) {
    let mut search = Tree::new(look, method);
    (search.value(tree, 9), search.leaves)
}

#[test]
fn coin_tree_of_the_lecture_has_value_3() {
    let tree = min_behind_rolls(
        [[&[2.0, 4.0], &[7.0, 4.0]], [&[6.0, 0.0], &[5.0, -2.0]]],
        0.5,
    );
    let look = Look::unbounded();
    assert_eq!(searched(&tree, &look, Method::Expectiminimax), (3.0, 8));
    let Written::Max(rolls) = &tree else {
        unreachable!()
    };
    let value = |roll| searched(roll, &look, Method::Expectiminimax).0;
    assert_eq!((value(&rolls[0]), value(&rolls[1])), (3.0, -1.0));
}

#[test]
fn star1_reads_7_of_8_leaves_and_with_bounds_5() {
    let tree = min_behind_rolls(
        [[&[2.0, 2.0], &[2.0, 1.0]], [&[0.0, 1.0], &[1.0, 1.0]]],
        0.5,
    );
    let (free, bounded) = (Look::unbounded(), Look::within(-2.0, 2.0));
    assert_eq!(searched(&tree, &free, Method::Expectiminimax), (1.5, 8));
    assert_eq!(searched(&tree, &free, Method::Star1), (1.5, 7));
    assert_eq!(searched(&tree, &bounded, Method::Star1), (1.5, 5));
}

#[test]
fn with_chance_not_only_the_order_of_values_matters() {
    let tree = |values: [f64; 4]| {
        let roll = |one, other| {
            Written::Roll(vec![(0.9, Written::Leaf(one)), (0.1, Written::Leaf(other))])
        };
        [roll(values[0], values[1]), roll(values[2], values[3])]
    };
    let close = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
    let look = Look::unbounded();
    let value = |roll: &Written| searched(roll, &look, Method::Star2).0;
    let [one, other] = tree([2.0, 3.0, 1.0, 4.0]);
    assert!(close(value(&one), 2.1) && close(value(&other), 1.3));
    let [one, other] = tree([20.0, 30.0, 1.0, 400.0]);
    assert!(close(value(&one), 21.0) && close(value(&other), 40.9));
}

/// A random tree with whole leaves from -10 to 10; kinds of nodes in any order.
fn random_tree(random: &mut ChaCha8Rng, height: u32) -> Written {
    if height == 0 || random.random_bool(0.05) {
        return Written::Leaf(f64::from(random.random_range(-10..=10)));
    }
    let count = random.random_range(1..=4);
    let after: Vec<Written> = (0..count)
        .map(|_| random_tree(random, height - 1))
        .collect();
    match random.random_range(0..4) {
        0 => Written::Max(after),
        1 => Written::Min(after),
        _ => {
            let parts: Vec<f64> = after
                .iter()
                .map(|_| random.random_range(0.1..1.0))
                .collect();
            let sum: f64 = parts.iter().sum();
            Written::Roll(parts.iter().map(|part| part / sum).zip(after).collect())
        }
    }
}

#[test]
fn stars_return_the_value_of_expectiminimax() {
    let look = Look::within(-10.0, 10.0);
    let mut counts = [0; 2];
    for seed in 0..1_000 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let tree = random_tree(&mut random, 5);
        let depth = random.random_range(1..=5);
        let mut expected = Tree::new(&look, Method::Expectiminimax);
        let value = expected.value(&tree, depth);
        counts[0] += expected.leaves;
        for method in [Method::Star1, Method::Star2] {
            let mut plain = Tree::new(&look, method);
            let mut full = Tree::new(&look, method).with_order_and_table(10);
            for search in [&mut plain, &mut full] {
                for depth in 1..=depth {
                    let found = search.value(&tree, depth);
                    let mut expected = Tree::new(&look, Method::Expectiminimax);
                    let expected = expected.value(&tree, depth);
                    assert!((found - expected).abs() < 1e-12, "seed {seed}, {method:?}");
                }
            }
            let mut once = Tree::new(&look, method);
            assert!((once.value(&tree, depth) - value).abs() < 1e-12);
            counts[1] += u64::from(method == Method::Star1) * once.leaves;
        }
    }
    let [all, star1] = counts;
    assert!(star1 < all * 9 / 10, "{star1} of {all}");
}

#[test]
fn player_takes_the_choice_that_looks_worse_but_is_better() {
    // The first choice looks best; what follows shows that it is not.
    let trap = Written::Min(leaves(&[9.0, 9.0, -9.0]));
    let sound = Written::Min(leaves(&[1.0, 1.0, 1.0]));
    let choices = [sound, trap];
    let look = Look::within(-10.0, 10.0);
    let settings = |depth| SearchSettings {
        depth,
        margin: 5.0,
        ..SearchSettings::default()
    };
    let best = |depth| rated(&choices, true, &look, &settings(depth))[0];
    assert_eq!((best(1).index, best(1).value), (1, 3.0));
    assert_eq!((best(2).index, best(2).value), (0, 1.0));
}
