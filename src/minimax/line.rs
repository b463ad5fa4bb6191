//! The positions before the current one, for draws by repetition.

/// Keys of the positions of the game and of the search path, oldest first, without the current
/// position.
#[derive(Clone, Debug, Default)]
pub struct Line {
    keys: Vec<u64>,
    /// Number of positions before the root of the search.
    before_root: usize,
}

impl Line {
    /// A search from a position that these have led to.
    pub fn new(history: &[u64]) -> Line {
        Line {
            keys: history.to_vec(),
            before_root: history.len(),
        }
    }

    /// A move is made from the position with this key.
    pub fn push(&mut self, key: u64) {
        self.keys.push(key);
    }

    /// The last move is taken back.
    pub fn pop(&mut self) {
        self.keys.pop();
    }

    /// Whether a position counts as a draw: it has occurred once since the root, where the players
    /// could repeat it once more, or twice before.
    pub fn is_repetition(&self, key: u64, reversible: u32) -> bool {
        let first = self.keys.len().saturating_sub(reversible as usize);
        let earlier = (first..self.keys.len())
            .rev()
            .filter(|&at| self.keys[at] == key);
        let mut before = 0;
        for at in earlier {
            if at >= self.before_root {
                return true;
            }
            before += 1;
        }
        before >= 2
    }
}

/// How often a position has occurred in the game that led to it, itself included.
pub fn occurrences(history: &[u64], key: u64) -> usize {
    1 + history.iter().filter(|&&earlier| earlier == key).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_in_the_tree_or_twice_before() {
        let mut line = Line::new(&[1, 2, 1, 3]);
        assert!(line.is_repetition(1, 4));
        assert!(!line.is_repetition(3, 4));
        assert!(!line.is_repetition(1, 3));
        line.push(4);
        line.push(5);
        assert!(line.is_repetition(4, 6));
        assert!(!line.is_repetition(4, 1));
        line.pop();
        line.pop();
        assert!(!line.is_repetition(4, 6));
    }
}
