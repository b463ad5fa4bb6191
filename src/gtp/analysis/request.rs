//! The arguments of the analysis commands: a color and an interval, both of which may be missing,
//! then keys with values.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::super::arguments::Arguments;
use crate::games::go::{code, side};
use crate::go::{BoardSize, Color, Move};
use crate::search::{Detail, MoveCode, Restrictions};

/// Leela Zero's message for all mistakes.
const MISTAKE: &str = "cannot parse analyze tags";
/// Time between reports where no interval is given.
const USUAL_INTERVAL: Duration = Duration::from_secs(1);
/// Bounds of the interval, in centiseconds.
const SHORTEST_INTERVAL: f64 = 1.0;
const LONGEST_INTERVAL: f64 = 1e11;

/// Which program's lines are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Dialect {
    /// Leela Zero's: few fields, whole numbers.
    Leela,
    /// KataGo's.
    Kata,
    /// The computer Go server's: JSON.
    Cgos,
}

/// What an analysis is to tell, and of what.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct AnalysisRequest {
    pub(in super::super) dialect: Dialect,
    /// Who is to move, if not the side whose turn it is.
    pub(in super::super) color: Option<Color>,
    interval: Option<Duration>,
    pub(in super::super) restrictions: Restrictions,
    /// Moves to report, without visits too.
    pub(in super::super) min_moves: usize,
    pub(in super::super) max_moves: usize,
    pub(in super::super) root_info: bool,
    pub(in super::super) ownership: bool,
    pub(in super::super) ownership_stdev: bool,
    pub(in super::super) moves_ownership: bool,
    pub(in super::super) moves_ownership_stdev: bool,
    pub(in super::super) pv_visits: bool,
    pub(in super::super) pv_edge_visits: bool,
    pub(in super::super) no_result_value: bool,
}

impl AnalysisRequest {
    fn new(dialect: Dialect) -> AnalysisRequest {
        AnalysisRequest {
            dialect,
            color: None,
            interval: None,
            restrictions: Restrictions::default(),
            min_moves: 0,
            max_moves: usize::MAX,
            root_info: false,
            ownership: dialect == Dialect::Cgos,
            ownership_stdev: false,
            moves_ownership: false,
            moves_ownership_stdev: false,
            pv_visits: false,
            pv_edge_visits: false,
            no_result_value: false,
        }
    }

    /// Reads the arguments of a command.
    pub(in super::super) fn parse(
        arguments: &Arguments,
        dialect: Dialect,
        size: BoardSize,
    ) -> Result<AnalysisRequest> {
        let reader = Reader {
            words: arguments.words().iter(),
            size,
            named: Vec::new(),
        };
        reader.read(AnalysisRequest::new(dialect)).context(MISTAKE)
    }

    /// Time between reports while nothing but the next line ends the analysis.
    pub(in super::super) fn steady_interval(&self) -> Duration {
        self.interval.unwrap_or(USUAL_INTERVAL)
    }

    /// Time between reports before the last one, if they are wanted.
    pub(in super::super) fn interval(&self) -> Option<Duration> {
        self.interval
    }

    /// What a search must report.
    pub(in super::super) fn detail(&self, pv_length: usize) -> Detail {
        Detail {
            min_moves: self.min_moves,
            pv_length,
            ownership: self.ownership || self.ownership_stdev,
            moves_ownership: self.moves_ownership || self.moves_ownership_stdev,
            policy: false,
        }
    }

    /// The field that a key of KataGo's switches.
    fn switch(&mut self, key: &str) -> Option<&mut bool> {
        Some(match key {
            "rootInfo" => &mut self.root_info,
            "ownership" => &mut self.ownership,
            "ownershipStdev" => &mut self.ownership_stdev,
            "movesOwnership" => &mut self.moves_ownership,
            "movesOwnershipStdev" => &mut self.moves_ownership_stdev,
            "pvVisits" => &mut self.pv_visits,
            "pvEdgeVisits" => &mut self.pv_edge_visits,
            "noResultValue" => &mut self.no_result_value,
            _ => return None,
        })
    }
}

/// The words that are left, and what they are about.
struct Reader<'a> {
    words: std::slice::Iter<'a, &'a str>,
    size: BoardSize,
    /// Whose moves have been allowed or forbidden, and which of the two.
    named: Vec<(Color, bool)>,
}

impl<'a> Reader<'a> {
    fn read(mut self, mut request: AnalysisRequest) -> Result<AnalysisRequest> {
        let words = self.words.as_slice();
        for word in words.iter().take(2) {
            if let (None, Ok(color)) = (request.color, word.parse()) {
                request.color = Some(color);
            } else if let (None, Ok(interval)) = (request.interval, interval(word)) {
                request.interval = Some(interval);
            } else {
                break;
            }
            self.words.next();
        }
        while let Some(key) = self.words.next() {
            self.read_value(key, &mut request)?;
        }
        Ok(request)
    }

    fn read_value(&mut self, key: &str, request: &mut AnalysisRequest) -> Result<()> {
        match key {
            "interval" => request.interval = Some(interval(self.word()?)?),
            "minmoves" => request.min_moves = self.word()?.parse()?,
            "maxmoves" => request.max_moves = self.word()?.parse()?,
            "avoid" | "allow" => self.read_moves(key == "allow", &mut request.restrictions)?,
            _ => {
                let switch = request.switch(key).context("unknown key")?;
                *switch = self.word()?.to_ascii_lowercase().parse()?;
            }
        }
        ensure!(
            request.dialect == Dialect::Kata || request.switch(key).is_none(),
            "not known in this dialect"
        );
        Ok(())
    }

    /// A color, points and a depth. A color's moves may be forbidden several times, but not allowed
    /// besides.
    fn read_moves(&mut self, is_allowed: bool, restrictions: &mut Restrictions) -> Result<()> {
        let color: Color = self.word()?.parse().ok().context("no color")?;
        let codes = self.codes()?;
        let depth = self.word()?.parse()?;
        ensure!(depth > 0, "no depth");
        let clashes =
            |&(other, was_allowed): &(Color, bool)| other == color && (is_allowed || was_allowed);
        if self.named.iter().any(clashes) {
            bail!("allowed and forbidden");
        }
        self.named.push((color, is_allowed));
        if is_allowed {
            restrictions.allow(side(color), codes, depth);
        } else {
            restrictions.avoid(side(color), codes, depth);
        }
        Ok(())
    }

    fn codes(&mut self) -> Result<Vec<MoveCode>> {
        let vertices = self.word()?.split(',').filter(|vertex| !vertex.is_empty());
        let mut codes = Vec::new();
        for vertex in vertices {
            let mv: Move = vertex.parse()?;
            let is_there = mv.point().is_none_or(|point| self.size.contains(point));
            ensure!(is_there, "off the board");
            codes.push(code(mv));
        }
        Ok(codes)
    }

    fn word(&mut self) -> Result<&'a str> {
        self.words.next().copied().context("no value")
    }
}

/// An interval in centiseconds, which may have decimals.
fn interval(word: &str) -> Result<Duration> {
    let centiseconds: f64 = word.parse()?;
    ensure!(
        (0.0..LONGEST_INTERVAL).contains(&centiseconds),
        "no interval"
    );
    let seconds = centiseconds.max(SHORTEST_INTERVAL) / 100.0;
    Ok(Duration::from_secs_f64(seconds))
}
