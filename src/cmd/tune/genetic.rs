//! `keima tune genetic`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;

use super::{GeneticArguments, Preset, UnitChoice, check_folder, page, starts};
use crate::cmd::board_games::GameTask;
use crate::cmd::interrupts::stop_flag;
use crate::cmd::matches::report::elo_with_interval;
use crate::console::say;
use crate::files;
use crate::games::board_game::BoardGame;
use crate::games::weighted::Weighted;
use crate::tune::genome::{Genome, Units, genome};
use crate::tune::knockout;
use crate::tune::run::{Event, Generation, Judged, Run, RunSettings, Until, write_weights};

const INTERRUPTED: &str =
    "interrupted; the same command goes on after the last finished generation";

impl GameTask for GeneticArguments {
    fn run<G: BoardGame>(&self) -> Result<()> {
        let initial = G::initial(self.variant.as_deref())?;
        let starts = starts::<G>(&self.start, self.evaluation.as_deref())?;
        let start = starts.iter().map(Weighted::weights).collect();
        let evaluation = starts[0].clone();
        match self.preset {
            Some(Preset::Thesis) => {
                let stop = stop_flag("interrupted; a knock-out begins anew", || ())?;
                self.knock_out((&initial, &evaluation), start, &stop)
            }
            None => {
                let stop = stop_flag(INTERRUPTED, || ())?;
                self.evolve((initial, evaluation), start, &stop)
            }
        }
    }
}

impl GeneticArguments {
    fn evolve<G: BoardGame>(
        &self,
        game: (G, G::Evaluation),
        start: Vec<Vec<i32>>,
        stop: &Arc<AtomicBool>,
    ) -> Result<()> {
        check_folder(&self.run, "games.jsonl")?;
        let settings = RunSettings {
            game: game.0.title(),
            grouped: self.units == UnitChoice::Groups,
            genetic: self.genetic(),
            duel: self.duel(),
            judge_every: self.judge_every,
            judge_games: self.judge_games as usize,
            start,
        };
        let mut run = Run::open(&self.run, game, settings)?;
        let known = run.generations().len();
        if known > 0 {
            say(format_args!("{known} generations are there already"))?;
        }
        let until = Until {
            generations: self.generations,
            stall: self.stall,
            threads: self.threads as usize,
        };
        let file = self.run.join("report.html");
        run.go_on(until, stop, |run, event| {
            match event {
                Event::Generation(generation) => say(format_args!("{}", line(generation)))?,
                Event::Judged(judged) => say(format_args!("{}", judged_line(judged)))?,
                Event::Stalled(stall) => {
                    say(format_args!(
                        "no better match within {stall} generations: the end"
                    ))?;
                }
            }
            files::write_whole(&file, page::genetic(run)?.as_bytes(), true)
        })?;
        files::write_whole(&file, page::genetic(&run)?.as_bytes(), true)?;
        say(format_args!("report: {}", file.display()))
    }

    fn knock_out<G: BoardGame>(
        &self,
        (initial, evaluation): (&G, &G::Evaluation),
        start: Vec<Vec<i32>>,
        stop: &Arc<AtomicBool>,
    ) -> Result<()> {
        check_folder(&self.run, "games.jsonl")?;
        check_folder(&self.run, "generations.jsonl")?;
        let contestants: Vec<Genome> = start.iter().map(|weights| genome(weights)).collect();
        let units = Units::of(&evaluation.groups(), self.units == UnitChoice::Groups);
        let random = (self.seed, self.threads as usize);
        let contestants = (evaluation, &contestants[..]);
        let found = knockout::play(initial, contestants, &units, &self.duel(), random, stop)?;
        for bout in &found.bouts {
            say(format_args!(
                "round {}: {} beats {} with {:.3} a game",
                bout.round,
                self.start[bout.winner].display(),
                self.start[bout.loser].display(),
                bout.score
            ))?;
        }
        files::make_folder(&self.run)?;
        for (number, child) in (1..).zip(&found.children) {
            let file = self.run.join(format!("child-{number}.json"));
            write_weights::<G>(&file, evaluation, child)?;
            say(format_args!("{}", file.display()))?;
        }
        Ok(())
    }
}

fn line(generation: &Generation) -> String {
    let scores = &generation.scores;
    let best = scores.iter().copied().fold(0.0, f64::max);
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    format!(
        "generation {}: best {best:.3}, mean {mean:.3} a game",
        generation.number + 1
    )
}

fn judged_line(judged: &Judged) -> String {
    format!(
        "champion of generation {} against the start: {}, Elo {}",
        judged.generation + 1,
        judged.tally,
        elo_with_interval(judged.score, judged.interval)
    )
}
