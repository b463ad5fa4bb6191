//! Round robins: a match of every two players of a file, and the table of all of them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, ensure};

use super::MatchArguments;
use crate::arena::tally::Tally;
use crate::console::{counted, say};
use crate::files;

/// Plays the matches one after another, each in a folder of its own below `--out`, and prints the table. The same
/// command goes on after an interruption, as every match does.
pub fn play(arguments: &MatchArguments, file: &Path, stop: &Arc<AtomicBool>) -> Result<()> {
    let text = files::read_text(file)?;
    let players = players(&text).with_context(|| format!("cannot use {}", file.display()))?;
    let out = arguments.out.as_deref().context("give --out")?;
    let mut table = Table::new(players.len());
    for first in 0..players.len() {
        for second in first + 1..players.len() {
            let mut pair = arguments.clone();
            pair.players = None;
            pair.first = Some(players[first].to_owned());
            pair.second = Some(players[second].to_owned());
            pair.out = Some(out.join(format!("{}-{}", first + 1, second + 1)));
            table.add([first, second], super::play(&pair, stop)?.tally());
        }
    }
    say(format_args!("{}", table.text(&players)))
}

/// One player on each line; blank lines and lines that begin with `#` are left out.
fn players(text: &str) -> Result<Vec<&str>> {
    let lines = text.lines().map(str::trim);
    let players: Vec<&str> = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    ensure!(
        players.len() > 1,
        "a round robin needs two players or more, one on each line"
    );
    let mut seen = BTreeSet::new();
    let twice = players.iter().find(|player| !seen.insert(**player));
    if let Some(player) = twice {
        anyhow::bail!("the player '{player}' is there twice");
    }
    Ok(players)
}

/// What players have scored against each other.
struct Table {
    /// By player and opponent.
    tallies: Vec<Vec<Tally>>,
}

impl Table {
    fn new(players: usize) -> Table {
        Table {
            tallies: vec![vec![Tally::default(); players]; players],
        }
    }

    /// Adds a match of two players, counted for the first.
    fn add(&mut self, [first, second]: [usize; 2], tally: Tally) {
        self.tallies[first][second] = tally;
        self.tallies[second][first] = tally.reversed();
    }

    /// The games of a player.
    fn total(&self, player: usize) -> Tally {
        let all = self.tallies[player].iter();
        all.fold(Tally::default(), |sum, tally| sum + *tally)
    }

    /// The table, the best player first.
    fn text(&self, players: &[&str]) -> String {
        let mut order: Vec<usize> = (0..players.len()).collect();
        let score = |player: usize| self.total(player).score().unwrap_or(0.0);
        order.sort_by(|&left, &right| score(right).total_cmp(&score(left)));
        let widths = players.iter().map(|player| player.chars().count());
        let width = widths.max().unwrap_or(0);
        let mut text = format!("\n{:>3}  {:width$}", "", "");
        for place in 1..=players.len() {
            text += &format!("{place:>7}");
        }
        text += "   score";
        for (place, &player) in (1..).zip(&order) {
            text += &format!("\n{place:>3}  {:width$}", players[player]);
            for &opponent in &order {
                text += &match self.tallies[player][opponent].score() {
                    Some(share) => format!("{:>6.1}%", 100.0 * share),
                    None => format!("{:>7}", "-"),
                };
            }
            let total = self.total(player);
            let games = counted(total.len() as usize, "game");
            text += &format!("  {:>5.1}% of {games}", 100.0 * score(player));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_best_player_first() {
        let mut table = Table::new(3);
        let tally = |wins, draws, losses| Tally {
            wins,
            draws,
            losses,
            void: 0,
        };
        table.add([0, 1], tally(1, 0, 3));
        table.add([0, 2], tally(0, 2, 2));
        table.add([1, 2], tally(4, 0, 0));
        let text = table.text(&["a", "b", "c"]);
        let expected = "\n            1      2      3   score\n  1  b      - 100.0%  75.0%   87.5% of 8 games\n  2  c";
        assert!(text.starts_with(expected), "{text}");
        assert!(
            text.ends_with("3  a  25.0%  25.0%      -   25.0% of 8 games"),
            "{text}"
        );
    }

    #[test]
    fn files_without_two_players_are_refused() {
        assert_eq!(
            players("# all\n\n alphabeta \nrandom\n").unwrap(),
            ["alphabeta", "random"]
        );
        let message = |text| players(text).unwrap_err().to_string();
        assert!(message("random\n").contains("two players or more"));
        assert!(message("random\nmcts\nrandom").contains("'random' is there twice"));
    }
}
