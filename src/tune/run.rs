//! A genetic run: a folder that goes on after any interruption.
//!
//! `settings.json` says what is tuned and how, `generations.jsonl` has the scores and the champion of each finished
//! generation, `population.json` the last one's individuals or those of the one in progress,
//! `matches/0010/games.jsonl` a match of a champion against the start, `champion.json` the last champion, `best.json`
//! the champion that did best against the start. A killed process loses the games of the generation in progress.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::duel::{Duel, DuelSettings};
use super::genetic::GeneticSettings;
use super::genome::{Genome, Units, genome, spread, weights};
use super::judge::Judgement;
use super::select::ranking;
use crate::arena::tally::{Interval, Tally};
use crate::files;
use crate::files::difference::stored_difference;
use crate::files::lines::JsonLines;
use crate::games::board_game::BoardGame;
use crate::games::weighted::Weighted;

/// The file with the individuals.
const POPULATION: &str = "population.json";
/// Champions of earlier generations among the opponents.
const FORMER: usize = 3;

/// What is tuned, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    /// The game with its variant.
    pub game: String,
    /// Whether groups of weights are inherited as a whole.
    pub grouped: bool,
    /// The algorithm.
    pub genetic: GeneticSettings,
    /// The games.
    pub duel: DuelSettings,
    /// Generations from one match against the start to the next; 0 for none.
    pub judge_every: usize,
    /// Games of such a match.
    pub judge_games: usize,
    /// The weights to start from; the first are those that champions are measured against.
    pub start: Vec<Vec<i32>>,
}

/// How long a run goes on in this process.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    /// Number of generations.
    pub generations: usize,
    /// Generations without a better match against the start, after which the run ends.
    pub stall: Option<usize>,
    /// Threads that play.
    pub threads: usize,
}

/// A finished generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// From 0.
    pub number: usize,
    /// The individuals' points per game.
    pub scores: Vec<f64>,
    /// The individual with the most points.
    pub champion: Genome,
    /// How much the individuals differ, see [`spread`].
    pub spread: f64,
}

/// The individuals of a generation.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Population {
    /// The generation's number.
    generation: usize,
    individuals: Vec<Genome>,
}

/// A match of a champion against the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Number of the generation.
    pub generation: usize,
    /// The games.
    pub tally: Tally,
    /// The champion's points per game.
    pub score: f64,
    /// Their 95 % interval, by pairs of games.
    pub interval: Interval,
}

/// What happens in a run.
pub enum Event<'a> {
    /// A generation was played.
    Generation(&'a Generation),
    /// A match was played.
    Judged(&'a Judged),
    /// The run ends, since so many generations have brought no better match.
    Stalled(usize),
}

/// An open run.
pub struct Run<G: BoardGame> {
    folder: PathBuf,
    initial: G,
    evaluation: G::Evaluation,
    settings: RunSettings,
    units: Units,
    lines: JsonLines,
    generations: Vec<Generation>,
    population: Option<Population>,
    judged: Vec<Judged>,
}

impl<G: BoardGame> Run<G> {
    /// Opens or creates a run. Other settings than those of its folder are an error.
    pub fn open(
        folder: &Path,
        (initial, evaluation): (G, G::Evaluation),
        settings: RunSettings,
    ) -> Result<Run<G>> {
        settings.genetic.check()?;
        ensure!(
            !settings.start.is_empty(),
            "there are no weights to start from"
        );
        ensure!(
            settings.start.len() <= settings.genetic.population,
            "{} vectors of weights to start from do not fit into a population of {}",
            settings.start.len(),
            settings.genetic.population
        );
        files::make_folder(folder)?;
        keep_settings(folder, &settings)?;
        let (lines, generations) = JsonLines::open(&folder.join("generations.jsonl"))?;
        let population = known_population(folder, &generations)?;
        let units = Units::of(&evaluation.groups(), settings.grouped);
        Ok(Run {
            folder: folder.to_owned(),
            initial,
            evaluation,
            settings,
            units,
            lines,
            generations,
            population,
            judged: Vec::new(),
        })
    }

    /// The generations so far.
    pub fn generations(&self) -> &[Generation] {
        &self.generations
    }

    /// The matches so far, once [`Run::go_on`] has looked at them.
    pub fn judged(&self) -> &[Judged] {
        &self.judged
    }

    /// The evaluation whose weights are tuned.
    pub fn evaluation(&self) -> &G::Evaluation {
        &self.evaluation
    }

    /// The settings.
    pub fn settings(&self) -> &RunSettings {
        &self.settings
    }

    /// Goes on until enough has been played, or `stop` is set.
    pub fn go_on(
        &mut self,
        until: Until,
        stop: &Arc<AtomicBool>,
        mut tell: impl FnMut(&Run<G>, Event) -> Result<()>,
    ) -> Result<()> {
        ensure!(
            until.stall.is_none() || self.settings.judge_every > 0,
            "without matches against the start, no stall can be seen: leave out --stall or --judge-every 0"
        );
        let known = self.generations.len();
        if let Some(last) = self.generations.last() {
            self.write("champion.json", &last.champion)?;
        }
        // What is known counts, even if less is asked for.
        for number in 0..until.generations.max(known) {
            if number >= known {
                self.play_generation(number, until.threads, stop)?;
                tell(self, Event::Generation(&self.generations[number]))?;
            }
            if !self.is_judged(number) {
                continue;
            }
            let judged = self.judge(number, until.threads, stop)?;
            self.judged.push(judged);
            if number + 1 < known {
                continue;
            }
            self.write_best()?;
            if let Some(judged) = self.judged.last() {
                tell(self, Event::Judged(judged))?;
            }
            let best = self.best().map_or(0, |judged| judged.generation);
            if let Some(stall) = until.stall.filter(|stall| number >= best + stall) {
                tell(self, Event::Stalled(stall))?;
                break;
            }
        }
        self.write_best()
    }

    /// The match that went best.
    pub fn best(&self) -> Option<&Judged> {
        let mut matches = self.judged.iter();
        let first = matches.next()?;
        Some(matches.fold(
            first,
            |best, next| if next.score > best.score { next } else { best },
        ))
    }

    fn play_generation(
        &mut self,
        number: usize,
        threads: usize,
        stop: &Arc<AtomicBool>,
    ) -> Result<()> {
        let start = self.start();
        let genetic = &self.settings.genetic;
        let individuals = match (self.population.take(), self.generations.last()) {
            (Some(begun), _) if begun.generation == number => begun.individuals,
            (Some(before), Some(last)) => genetic.next(
                last.number,
                before.individuals,
                last.scores.clone(),
                &self.units,
            ),
            _ => genetic.first(&start, &self.units),
        };
        let population = Population {
            generation: number,
            individuals,
        };
        let text = serde_json::to_string(&population)?;
        files::write_whole(&self.folder.join(POPULATION), text.as_bytes(), true)?;
        let former = self.generations.iter().rev().take(FORMER);
        let former = former.map(|generation| generation.champion.clone());
        let duel = Duel {
            initial: &self.initial,
            evaluation: &self.evaluation,
            settings: &self.settings.duel,
            seed: self.settings.genetic.seed,
            threads,
            opponents: [start[0].clone()].into_iter().chain(former).collect(),
            stop,
        };
        let scores = duel.scores(number, &population.individuals)?;
        let generation = Generation {
            number,
            champion: population.individuals[ranking(&scores)[0]].clone(),
            spread: spread(&population.individuals),
            scores,
        };
        self.lines.add(&generation)?;
        self.write("champion.json", &generation.champion)?;
        self.generations.push(generation);
        self.population = Some(population);
        Ok(())
    }

    fn is_judged(&self, number: usize) -> bool {
        let every = self.settings.judge_every;
        every > 0 && (number + 1).is_multiple_of(every)
    }

    fn judge(&self, number: usize, threads: usize, stop: &Arc<AtomicBool>) -> Result<Judged> {
        let judgement = Judgement {
            initial: &self.initial,
            evaluation: &self.evaluation,
            nodes: self.settings.duel.nodes,
            games: self.settings.judge_games,
            // Openings that no generation has seen, the same for all matches.
            seed: !self.settings.genetic.seed,
            threads,
            stop,
        };
        let folder = self.folder.join(format!("matches/{:04}", number + 1));
        let champion = &self.generations[number].champion;
        let standing = judgement.play(&folder, [champion, &self.start()[0]])?;
        let found = standing.score_with_interval();
        let (score, interval) = found.context("the match has no games")?;
        Ok(Judged {
            generation: number,
            tally: standing.tally(),
            score,
            interval,
        })
    }

    fn start(&self) -> Vec<Genome> {
        let starts = self.settings.start.iter();
        starts.map(|weights| genome(weights)).collect()
    }

    fn write_best(&self) -> Result<()> {
        match self.best() {
            Some(best) => self.write("best.json", &self.generations[best.generation].champion),
            None => Ok(()),
        }
    }

    fn write(&self, name: &str, genome: &Genome) -> Result<()> {
        write_weights::<G>(&self.folder.join(name), &self.evaluation, genome)
    }
}

/// The individuals that a run goes on with. An error if they are not there, or if a generation is missing.
fn known_population(folder: &Path, generations: &[Generation]) -> Result<Option<Population>> {
    let next = generations.len();
    ensure!(
        generations.iter().map(|line| line.number).eq(0..next),
        "generations are missing in {}; the run cannot go on",
        folder.join("generations.jsonl").display()
    );
    let path = folder.join(POPULATION);
    let known: Option<Population> = match files::exists(&path) {
        false => None,
        true => Some(files::read_json(&path)?),
    };
    let fits = match &known {
        None => next == 0,
        Some(known) => known.generation == next || known.generation + 1 == next,
    };
    ensure!(
        fits,
        "{} does not have the individuals of generation {next}; the run cannot go on",
        path.display()
    );
    Ok(known)
}

/// Writes weights of an evaluation as the engine reads them.
pub fn write_weights<G: BoardGame>(
    path: &Path,
    evaluation: &G::Evaluation,
    genome: &Genome,
) -> Result<()> {
    let evaluation = evaluation.with_weights(&weights(genome));
    files::write_whole(path, evaluation.to_json().as_bytes(), true)
}

/// Stores the settings of a new run; those of an old one must be the same.
pub fn keep_settings<S: Serialize + DeserializeOwned>(folder: &Path, settings: &S) -> Result<()> {
    let path = folder.join("settings.json");
    if let Some(difference) = stored_difference(&path, settings)? {
        bail!(
            "{} is of a run with other settings: {difference}; give the same ones, or another folder",
            path.display()
        );
    }
    Ok(())
}
