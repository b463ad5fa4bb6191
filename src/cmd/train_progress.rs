//! Terminal output of a training run: a progress bar, or lines.

use std::time::Instant;

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressStyle};

use crate::console::tell;
use crate::train::run::session::Event;

/// Losses shown, with short names.
const SHOWN: [(&str, &str); 5] = [
    ("loss/total", "loss"),
    ("loss/policy", "policy"),
    ("loss/outcome", "outcome"),
    ("loss/lead", "lead"),
    ("loss/ownership", "ownership"),
];
/// Validation metrics shown.
const SHOWN_HELD_OUT: [(&str, &str); 8] = [
    ("val/all/policy_kl", "policy divergence"),
    ("val/all/policy_agreement", "agreement"),
    ("val/all/human_top1", "human moves"),
    ("val/all/human_top5", "among five"),
    ("val/all/outcome_excess", "outcome KL"),
    ("val/all/value_square_error", "squared value error"),
    ("val/all/lead_error", "lead error"),
    ("val/all/ownership_brier", "ownership"),
];

/// Shows the progress of a run.
pub struct Progress {
    bar: ProgressBar,
    /// Samples planned.
    all: Option<u64>,
    until: Option<Instant>,
}

impl Progress {
    /// For a run with this many samples so far.
    pub fn new(all: Option<u64>, samples: u64, until: Option<Instant>) -> Progress {
        let (bar, template) = match all {
            Some(all) => (
                ProgressBar::new(all),
                "{bar:20} {human_pos} of {human_len} samples, {per_sec}, {elapsed} past, {eta} left {wide_msg}",
            ),
            None => (
                ProgressBar::no_length(),
                "{spinner} {human_pos} samples, {per_sec}, {elapsed} past {wide_msg}",
            ),
        };
        let style = ProgressStyle::with_template(template).expect("the template is valid");
        let bar = bar.with_style(style).with_position(samples);
        bar.reset_eta();
        Progress { bar, all, until }
    }

    /// Shows an event.
    pub fn see(&mut self, event: &Event) {
        match event {
            Event::Remark(text) => self.bar.suspend(|| tell(format_args!("{text}"))),
            Event::Step(samples) => self.bar.set_position(*samples),
            Event::Metrics(samples, values) => self.values(*samples, values),
        }
    }

    fn values(&self, samples: u64, values: &[(String, f64)]) {
        let find = |name: &str| values.iter().find(|(it, _)| it == name).map(|(_, f)| *f);
        let texts = |shown: &[(&str, &str)]| -> Vec<String> {
            let found = shown
                .iter()
                .filter_map(|(name, called)| Some((called, find(name)?)));
            found
                .map(|(called, value)| format!("{called} {value:.3}"))
                .collect()
        };
        let (mut of_training, of_held_out) = (texts(&SHOWN), texts(&SHOWN_HELD_OUT));
        of_training.extend(find("rate").map(|rate| format!("rate {rate:.2e}")));
        let text = match of_held_out.is_empty() {
            true => of_training.join(", "),
            false => format!("validation: {}", of_held_out.join(", ")),
        };
        let speed = find("samples_per_second");
        if let (false, Some(_)) = (self.bar.is_hidden(), speed) {
            self.bar.set_message(text);
            return;
        }
        let count = HumanCount(samples);
        let pace = speed.map_or(String::new(), |speed| {
            format!(", {speed:.0}/s{}", self.left(samples, speed))
        });
        let line = || tell(format_args!("{count} samples{pace}: {text}"));
        self.bar.suspend(line);
    }

    fn left(&self, samples: u64, speed: f64) -> String {
        let by_samples = self
            .all
            .map(|all| all.saturating_sub(samples) as f64 / speed);
        let now = Instant::now();
        let by_clock = self
            .until
            .map(|until| until.saturating_duration_since(now).as_secs_f64());
        let left = by_samples.into_iter().chain(by_clock).reduce(f64::min);
        let left = left.and_then(|left| std::time::Duration::try_from_secs_f64(left).ok());
        left.map_or(String::new(), |left| {
            format!(", {} left", HumanDuration(left))
        })
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
