//! The lines of an analysis, in the dialects of Leela Zero and KataGo (that of the computer Go server
//! is in [`super::cgos`]). Fractions always have a
//! decimal point, as GUIs tell the dialects apart by it.

use std::fmt::{Display, Write};

use super::cgos;
use super::request::{AnalysisRequest, Dialect};
use crate::games::go::decode;
use crate::player::analysis::{Perspective, PointOfView, shown_variation};
use crate::search::evaluator::Errors;
use crate::search::{MoveReport, Ownership, Report};

/// A report as one line, without its end; `None` if it tells of no move.
pub(in super::super) fn line(
    report: &Report,
    request: &AnalysisRequest,
    perspective: Perspective,
) -> Option<String> {
    if request.dialect == Dialect::Cgos {
        return Some(cgos::line(report));
    }
    let is_shown = |(index, mv): &(usize, &MoveReport)| mv.visits > 0 || *index < request.min_moves;
    let shown = report.moves.iter().enumerate().filter(is_shown);
    let mut writer = Writer {
        text: String::new(),
        request,
        seen: perspective.of(report.to_move),
    };
    for (order, (_, mv)) in shown.take(request.max_moves).enumerate() {
        match request.dialect {
            Dialect::Leela => writer.leela_info(order, mv),
            Dialect::Kata | Dialect::Cgos => writer.kata_info(order, mv),
        }
    }
    if writer.text.is_empty() {
        return None;
    }
    if request.root_info {
        writer.root_info(report);
    }
    let ownership = report.ownership.as_ref();
    writer.ownership(request.ownership, "ownership", ownership);
    writer.deviations(request.ownership_stdev, "ownershipStdev", ownership);
    Some(writer.text)
}

/// A line in the making.
struct Writer<'a> {
    text: String,
    request: &'a AnalysisRequest,
    /// Converts values of the side to move.
    seen: PointOfView,
}

impl Writer<'_> {
    fn leela_info(&mut self, order: usize, mv: &MoveReport) {
        let share = |share: f64| (share * 10_000.0).round() as i64;
        self.info(mv);
        self.field("winrate", share(self.seen.winrate(mv.win_loss)));
        self.field("prior", share(f64::from(mv.prior)));
        self.field("lcb", share(self.seen.winrate(mv.win_loss_lcb)));
        self.field("order", order);
        self.variation(mv);
    }

    fn kata_info(&mut self, order: usize, mv: &MoveReport) {
        self.info(mv);
        self.field("edgeVisits", mv.edge_visits);
        self.number("utility", self.seen.value(mv.utility));
        self.number("winrate", self.seen.winrate(mv.win_loss));
        self.scores(mv.score_mean, mv.score_stdev, mv.lead);
        if self.request.no_result_value {
            self.number("noResultValue", mv.no_result);
        }
        self.number("prior", f64::from(mv.prior));
        self.number("lcb", self.seen.winrate(mv.win_loss_lcb));
        self.number("utilityLcb", self.seen.value(mv.utility_lcb));
        self.number("weight", mv.position_weight);
        if let Some(twin) = mv.twin_of {
            self.field("isSymmetryOf", decode(twin));
        }
        self.field("order", order);
        let length = self.variation(mv);
        if self.request.pv_visits {
            self.list("pvVisits", &mv.pv_visits[..length]);
        }
        if self.request.pv_edge_visits {
            self.list("pvEdgeVisits", &mv.pv_edge_visits[..length]);
        }
        let ownership = mv.ownership.as_ref();
        let request = self.request;
        self.ownership(request.moves_ownership, "movesOwnership", ownership);
        self.deviations(
            request.moves_ownership_stdev,
            "movesOwnershipStdev",
            ownership,
        );
    }

    fn root_info(&mut self, report: &Report) {
        self.word("rootInfo");
        self.field("visits", report.visits);
        self.number("utility", self.seen.value(report.utility));
        self.number("winrate", self.seen.winrate(report.win_loss));
        self.scores(report.score_mean, report.score_stdev, report.lead);
        self.number("weight", report.weight);
        // KataGo's GTP has the error of win minus loss here, its JSON that of the win rate. Unknown ones are -1.
        let errors = report.raw.errors;
        let known = |error: fn(&Errors) -> f32| errors.as_ref().map_or(-1.0, |it| error(it).into());
        self.number("rawStWrError", known(|it| it.win_loss));
        self.number("rawStScoreError", known(|it| it.score));
        self.number("rawVarTimeLeft", known(|it| it.time_left));
    }

    /// Which move, and how often it was visited.
    fn info(&mut self, mv: &MoveReport) {
        self.word("info");
        self.field("move", decode(mv.code));
        self.field("visits", mv.visits);
    }

    /// What GUIs call the mean is the lead.
    fn scores(&mut self, mean: f64, stdev: f64, lead: f64) {
        self.number("scoreMean", self.seen.value(lead));
        self.number("scoreStdev", stdev);
        self.number("scoreLead", self.seen.value(lead));
        self.number("scoreSelfplay", self.seen.value(mean));
    }

    /// The variation; its length.
    fn variation(&mut self, mv: &MoveReport) -> usize {
        let moves = shown_variation(mv);
        self.list("pv", &moves);
        moves.len()
    }

    fn ownership(&mut self, is_wanted: bool, key: &str, ownership: Option<&Ownership>) {
        if let (true, Some(ownership)) = (is_wanted, ownership) {
            self.word(key);
            for &owner in &ownership.mean {
                self.decimal(self.seen.value(owner));
            }
        }
    }

    fn deviations(&mut self, is_wanted: bool, key: &str, ownership: Option<&Ownership>) {
        if let (true, Some(ownership)) = (is_wanted, ownership) {
            self.word(key);
            for &deviation in &ownership.stdev {
                self.decimal(f64::from(deviation));
            }
        }
    }

    fn list<T: Display>(&mut self, key: &str, values: &[T]) {
        self.word(key);
        for value in values {
            self.word(value);
        }
    }

    fn field(&mut self, key: &str, value: impl Display) {
        self.word(key);
        self.word(value);
    }

    fn number(&mut self, key: &str, value: f64) {
        self.word(key);
        self.decimal(value);
    }

    fn decimal(&mut self, value: f64) {
        self.word(format_args!("{value:.6}"));
    }

    /// Writes a word, separated from those before by one blank.
    fn word(&mut self, word: impl Display) {
        let blank = if self.text.is_empty() { "" } else { " " };
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{blank}{word}");
    }
}
