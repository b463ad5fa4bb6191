//! `keima tune texel`.

use anyhow::{Result, ensure};

use super::{TexelArguments, check_folder, page, starts};
use crate::cmd::board_games::GameTask;
use crate::cmd::interrupts::stop_flag;
use crate::console::say;
use crate::files;
use crate::games::board_game::BoardGame;
use crate::games::weighted::Weighted;
use crate::tune::texel_run::{self, TexelEvent, TexelPlan, TexelSettings};

/// Epochs from one line of output to the next.
const TOLD_EVERY: usize = 20;

impl GameTask for TexelArguments {
    fn run<G: BoardGame>(&self) -> Result<()> {
        ensure!(
            self.rate > 0.0 && self.rate <= 100.0,
            "--rate is from 0 to 100"
        );
        ensure!(
            self.prior > 0.0,
            "--prior is a number of hundredths above 0"
        );
        check_folder(&self.run, "generations.jsonl")?;
        let initial = G::initial(self.variant.as_deref())?;
        let files: Vec<_> = self.start.iter().cloned().collect();
        let evaluation = starts::<G>(&files, self.evaluation.as_deref())?.remove(0);
        let settings = TexelSettings {
            game: initial.title(),
            nodes: self.nodes,
            seed: self.seed,
            start: evaluation.weights(),
        };
        let plan = TexelPlan {
            games: self.games as usize,
            epochs: self.epochs as usize,
            rate: self.rate,
            prior: self.prior,
            threads: self.threads as usize,
        };
        let stop = stop_flag("interrupted: games under way are given up", || ())?;
        let result = texel_run::run(
            &self.run,
            (&initial, &evaluation),
            &settings,
            plan,
            &stop,
            |event| match event {
                TexelEvent::Games(games) => say(format_args!("{games} games of {}", plan.games)),
                TexelEvent::Epoch(epoch, errors) if epoch.is_multiple_of(TOLD_EVERY) => {
                    say(format_args!(
                        "epoch {epoch}: error {:.6}, held out {:.6}",
                        errors.training, errors.held_out
                    ))
                }
                TexelEvent::Epoch(..) => Ok(()),
            },
        )?;
        let file = self.run.join("report.html");
        let page = page::texel::<G>(&settings, &evaluation, &result)?;
        files::write_whole(&file, page.as_bytes(), true)?;
        let [training, held_out] = result.positions;
        let errors = result.fit.course.iter().map(|errors| errors.held_out);
        say(format_args!(
            "{training} positions, {held_out} held out, scale {:.3}\n\
             error on those held out: {:.6} before, {:.6} after\nweights: {}\nreport: {}",
            result.fit.scale,
            result.fit.course[0].held_out,
            errors.fold(f64::INFINITY, f64::min),
            self.run.join("weights.json").display(),
            file.display()
        ))
    }
}
