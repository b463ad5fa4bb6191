//! Games given as trees, such as `((3 12 8) (2 4 6) (14 5 2))`: the side to move changes with each
//! level, leaves are values for the first side.

use keima::minimax::{Position, Score, StaticEval, Verdict, Wanted};
use keima::search::Side;

#[derive(Clone, Debug)]
pub enum Tree {
    Leaf(Score),
    Node(Vec<Tree>),
}

impl Tree {
    pub fn parse(text: &str) -> Tree {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut words = spaced.split_whitespace();
        Tree::read(&mut words).unwrap()
    }

    /// The next tree, or `None` at a closing parenthesis.
    fn read<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Tree> {
        match words.next().unwrap() {
            ")" => None,
            "(" => {
                let mut children = Vec::new();
                while let Some(child) = Tree::read(words) {
                    children.push(child);
                }
                Some(Tree::Node(children))
            }
            value => Some(Tree::Leaf(value.parse().unwrap())),
        }
    }
}

/// A node of a tree that is played as a game.
#[derive(Clone, Debug)]
pub struct WrittenGame {
    pub tree: Tree,
    pub to_move: Side,
}

impl Position for WrittenGame {
    type Move = u16;
    const SHAPES: usize = 16;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn key(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        format!("{self:?}").hash(&mut hasher);
        hasher.finish()
    }

    fn moves(&self, wanted: Wanted, list: &mut Vec<u16>) {
        if let (Tree::Node(children), Wanted::All) = (&self.tree, wanted) {
            list.extend(0..children.len() as u16);
        }
    }

    fn play(&mut self, mv: u16) {
        let Tree::Node(children) = &mut self.tree else {
            panic!("a leaf has no moves");
        };
        self.tree = children.swap_remove(usize::from(mv));
        self.to_move = !self.to_move;
    }

    fn verdict(&self, _is_stuck: bool) -> Option<Verdict> {
        None
    }

    fn is_settled(&self) -> bool {
        true
    }

    fn reversible(&self) -> u32 {
        0
    }

    fn code(&self, mv: u16) -> u16 {
        mv + 1
    }

    fn shape(&self, mv: u16) -> usize {
        usize::from(mv)
    }
}

/// The values of the leaves; counts them.
#[derive(Default)]
pub struct LeafValue(pub std::sync::atomic::AtomicU64);

impl StaticEval<WrittenGame> for LeafValue {
    fn evaluate(&self, position: &WrittenGame) -> Score {
        let Tree::Leaf(value) = position.tree else {
            return 0;
        };
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        value * position.to_move.sign() as Score
    }
}
