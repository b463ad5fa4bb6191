//! A strict reader of analysis lines.

use std::collections::HashMap;
use std::str::SplitAsciiWhitespace;

use keima::go::Move;

/// One candidate of a report.
#[derive(Debug, Default)]
pub struct Info {
    pub mv: String,
    /// Move whose image it is.
    pub twin_of: Option<String>,
    pub figures: HashMap<String, f64>,
    pub pv: Vec<String>,
    pub pv_visits: Vec<u32>,
    pub pv_edge_visits: Vec<u32>,
    pub ownership: Vec<f64>,
    pub ownership_stdev: Vec<f64>,
}

/// A line of an analysis.
#[derive(Debug, Default)]
pub struct Line {
    pub infos: Vec<Info>,
    pub root: HashMap<String, f64>,
    pub ownership: Vec<f64>,
    pub ownership_stdev: Vec<f64>,
}

const LEELA_KEYS: [&str; 4] = ["visits", "winrate", "prior", "lcb"];
const KATA_KEYS: [&str; 12] = [
    "visits",
    "edgeVisits",
    "utility",
    "winrate",
    "scoreMean",
    "scoreStdev",
    "scoreLead",
    "scoreSelfplay",
    "prior",
    "lcb",
    "utilityLcb",
    "weight",
];
const ROOT_KEYS: [&str; 11] = [
    "visits",
    "utility",
    "winrate",
    "scoreMean",
    "scoreStdev",
    "scoreLead",
    "scoreSelfplay",
    "weight",
    "rawStWrError",
    "rawStScoreError",
    "rawVarTimeLeft",
];
const WHOLE: [&str; 3] = ["visits", "edgeVisits", "order"];

/// Words of a line, read from left to right.
struct Words<'a> {
    words: std::iter::Peekable<SplitAsciiWhitespace<'a>>,
    is_leela: bool,
    points: usize,
}

impl<'a> Words<'a> {
    fn expect(&mut self, word: &str) {
        assert_eq!(self.words.next(), Some(word));
    }

    fn take(&mut self, word: &str) -> bool {
        self.words.next_if_eq(&word).is_some()
    }

    fn vertex(&mut self) -> String {
        self.vertices().into_iter().next().unwrap()
    }

    /// All that come, in upper case or `pass`.
    fn vertices(&mut self) -> Vec<String> {
        let is_vertex = |word: &&str| {
            let is_point = word.starts_with(|c: char| c.is_ascii_uppercase())
                && word[1..].bytes().all(|byte| byte.is_ascii_digit());
            *word == "pass" || is_point && word.parse::<Move>().is_ok()
        };
        let mut vertices = Vec::new();
        while let Some(word) = self.words.next_if(is_vertex) {
            vertices.push(word.to_owned());
            if self.words.peek() == Some(&"visits") {
                break;
            }
        }
        vertices
    }

    /// A number as GUIs want it: whole, or with a point and six digits after it.
    fn number(&mut self, is_whole: bool) -> f64 {
        let word = self.words.next().unwrap();
        let digits = word.strip_prefix('-').unwrap_or(word);
        let parts: Vec<&str> = digits.split('.').collect();
        assert_eq!(parts.len(), if is_whole { 1 } else { 2 }, "{word}");
        assert!(is_whole || parts[1].len() == 6, "{word}");
        for part in parts {
            assert!(!part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        }
        word.parse().unwrap()
    }

    fn figures(&mut self, keys: &[&str]) -> HashMap<String, f64> {
        let mut figures = HashMap::new();
        for &key in keys {
            self.expect(key);
            let is_whole = self.is_leela || WHOLE.contains(&key);
            figures.insert(key.to_owned(), self.number(is_whole));
        }
        figures
    }

    fn counts(&mut self, key: &str, len: usize) -> Vec<u32> {
        match self.take(key) {
            true => (0..len).map(|_| self.number(true) as u32).collect(),
            false => Vec::new(),
        }
    }

    fn ownership(&mut self, key: &str, least: f64) -> Vec<f64> {
        if !self.take(key) {
            return Vec::new();
        }
        let ownership: Vec<f64> = (0..self.points).map(|_| self.number(false)).collect();
        let is_possible = |owner: &f64| (least..=1.0).contains(owner);
        assert!(ownership.iter().all(is_possible), "{ownership:?}");
        ownership
    }

    fn info(&mut self, has_no_result: bool) -> Info {
        self.expect("move");
        let mv = self.vertex();
        let mut figures = match (self.is_leela, has_no_result) {
            (true, _) => self.figures(&LEELA_KEYS),
            (false, false) => self.figures(&KATA_KEYS),
            (false, true) => {
                let mut keys = KATA_KEYS.to_vec();
                keys.insert(8, "noResultValue");
                self.figures(&keys)
            }
        };
        let twin_of = match self.take("isSymmetryOf") {
            true => self.words.next().map(str::to_owned),
            false => None,
        };
        figures.extend(self.figures(&["order"]));
        self.expect("pv");
        let pv = self.vertices();
        assert_eq!(pv[0], mv);
        Info {
            mv,
            twin_of,
            figures,
            pv_visits: self.counts("pvVisits", pv.len()),
            pv_edge_visits: self.counts("pvEdgeVisits", pv.len()),
            pv,
            ownership: self.ownership("movesOwnership", -1.0),
            ownership_stdev: self.ownership("movesOwnershipStdev", 0.0),
        }
    }
}

/// Reads a line of an analysis; anything that is not as it should be is a failure.
pub fn parse(line: &str, is_leela: bool, has_no_result: bool, size: (usize, usize)) -> Line {
    assert!(line.starts_with("info move "), "{line}");
    assert_eq!(
        line.split_ascii_whitespace().collect::<Vec<_>>().join(" "),
        line
    );
    let mut words = Words {
        words: line.split_ascii_whitespace().peekable(),
        is_leela,
        points: size.0 * size.1,
    };
    let mut parsed = Line::default();
    while words.take("info") {
        parsed.infos.push(words.info(has_no_result));
    }
    if words.take("rootInfo") {
        parsed.root = words.figures(&ROOT_KEYS);
    }
    parsed.ownership = words.ownership("ownership", -1.0);
    parsed.ownership_stdev = words.ownership("ownershipStdev", 0.0);
    assert_eq!(words.words.next(), None, "{line}");
    check_sense(&parsed, is_leela);
    parsed
}

fn check_sense(line: &Line, is_leela: bool) {
    let unit = if is_leela { 10_000.0 } else { 1.0 };
    let mut priors = 0.0;
    for (order, info) in line.infos.iter().enumerate() {
        assert_eq!(info.figures["order"], order as f64);
        assert!((0.0..=unit).contains(&info.figures["winrate"]), "{info:?}");
        assert!(info.figures["lcb"] <= info.figures["winrate"], "{info:?}");
        priors += info.figures["prior"];
        if !is_leela {
            assert_eq!(info.figures["scoreMean"], info.figures["scoreLead"]);
            assert!(info.figures["edgeVisits"] <= info.figures["visits"]);
            assert!(info.figures["utilityLcb"] <= info.figures["utility"]);
        }
        for (all, of_edge) in info.pv_visits.iter().zip(&info.pv_edge_visits) {
            assert!(of_edge <= all, "{info:?}");
        }
    }
    assert!(priors <= unit * 1.0002 + line.infos.len() as f64 * unit / 10_000.0);
    if let Some(&visits) = line.root.get("visits") {
        let searched = line.infos.iter().filter(|info| info.twin_of.is_none());
        let edges = searched.map(|info| info.figures["edgeVisits"]);
        assert!(edges.sum::<f64>() < visits, "{line:?}");
    }
}

/// A line of Leela Zero's on 9x9.
pub fn leela(line: &str) -> Line {
    parse(line, true, false, (9, 9))
}

/// A line of KataGo's.
pub fn kata(line: &str, size: (usize, usize)) -> Line {
    parse(line, false, false, size)
}
