//! Lines of the client, parsed.

use std::str::SplitWhitespace;

/// What a line asks for.
#[derive(Debug, PartialEq)]
pub enum Command {
    Uci,
    IsReady,
    NewGame,
    SetOption {
        name: String,
        value: String,
    },
    Position {
        fen: Option<String>,
        moves: Vec<String>,
    },
    Go(Box<GoRequest>),
    Stop,
    PonderHit,
    Display,
    Eval,
    Bench,
    Quit,
    /// Understood, without effect.
    Nothing,
    /// No known word is in the line.
    Unknown(String),
    /// Something is missing or wrong.
    Malformed(String),
}

/// The arguments of `go`. Times are milliseconds; negative ones are 0.
#[derive(Debug, Default, PartialEq)]
pub struct GoRequest {
    pub search_moves: Vec<String>,
    pub is_ponder: bool,
    pub is_infinite: bool,
    /// White's and Black's time.
    pub time: [Option<u64>; 2],
    pub increment: [Option<u64>; 2],
    pub moves_to_go: Option<u64>,
    pub depth: Option<u64>,
    pub nodes: Option<u64>,
    pub mate: Option<u64>,
    pub move_time: Option<u64>,
    pub perft: Option<u64>,
    /// Arguments that could not be read.
    pub problems: Vec<String>,
}

impl Command {
    /// Reads a line. Unknown words before the first known one are skipped, as the protocol asks.
    pub fn parse(line: &str) -> Command {
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            return match word {
                "uci" => Command::Uci,
                "isready" => Command::IsReady,
                "ucinewgame" => Command::NewGame,
                "setoption" => set_option(&mut words),
                "position" => position(&mut words),
                "go" => Command::Go(Box::new(go(&mut words))),
                "stop" => Command::Stop,
                "ponderhit" => Command::PonderHit,
                "d" => Command::Display,
                "eval" => Command::Eval,
                "bench" => Command::Bench,
                "quit" => Command::Quit,
                "debug" | "register" => Command::Nothing,
                _ => continue,
            };
        }
        match line.trim() {
            "" => Command::Nothing,
            text => Command::Unknown(text.chars().take(80).collect()),
        }
    }

    /// Whether it is obeyed while others wait for the end of a search.
    pub fn is_urgent(&self) -> bool {
        matches!(self, Command::IsReady | Command::Stop | Command::Quit)
    }
}

/// `name X value Y`, both perhaps of several words.
fn set_option(words: &mut SplitWhitespace) -> Command {
    if words.next() != Some("name") {
        return Command::Malformed("setoption needs a name: setoption name X value Y".to_string());
    }
    let (mut name, mut value) = (Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        if word == "value" {
            value.extend(words.by_ref());
        } else {
            name.push(word);
        }
    }
    Command::SetOption {
        name: name.join(" "),
        value: value.join(" "),
    }
}

fn position(words: &mut SplitWhitespace) -> Command {
    let fen = match words.next() {
        Some("startpos") => {
            // Up to `moves`.
            let next = words.next();
            return match next {
                None | Some("moves") => Command::Position {
                    fen: None,
                    moves: words.map(str::to_string).collect(),
                },
                Some(other) => {
                    Command::Malformed(format!("'{other}' after startpos; moves was expected"))
                }
            };
        }
        Some("fen") => words.by_ref().take_while(|word| *word != "moves"),
        _ => {
            let usage = "position needs startpos or fen: position startpos moves e2e4";
            return Command::Malformed(usage.to_string());
        }
    };
    let fen: Vec<&str> = fen.collect();
    Command::Position {
        fen: Some(fen.join(" ")),
        moves: words.map(str::to_string).collect(),
    }
}

fn go(words: &mut SplitWhitespace) -> GoRequest {
    const KEYWORDS: [&str; 13] = [
        "searchmoves",
        "ponder",
        "infinite",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "depth",
        "nodes",
        "mate",
        "movetime",
        "perft",
    ];
    let mut request = GoRequest::default();
    let words: Vec<&str> = words.collect();
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        at += 1;
        let place = match word {
            "ponder" => {
                request.is_ponder = true;
                continue;
            }
            "infinite" => {
                request.is_infinite = true;
                continue;
            }
            "searchmoves" => {
                let moves = words[at..]
                    .iter()
                    .take_while(|word| !KEYWORDS.contains(word));
                request.search_moves = moves.map(ToString::to_string).collect();
                at += request.search_moves.len();
                continue;
            }
            "wtime" => &mut request.time[0],
            "btime" => &mut request.time[1],
            "winc" => &mut request.increment[0],
            "binc" => &mut request.increment[1],
            "movestogo" => &mut request.moves_to_go,
            "depth" => &mut request.depth,
            "nodes" => &mut request.nodes,
            "mate" => &mut request.mate,
            "movetime" => &mut request.move_time,
            "perft" => &mut request.perft,
            _ => continue,
        };
        // Fractions are cut off, and what is too large becomes the largest.
        let number = words.get(at).and_then(|number| number.parse::<f64>().ok());
        match number.filter(|number| number.is_finite()) {
            Some(number) => {
                *place = Some(number as u64);
                at += 1;
            }
            None => request.problems.push(format!("go {word} needs a number")),
        }
    }
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_before_a_command_are_skipped() {
        assert_eq!(Command::parse("joho debug on"), Command::Nothing);
        assert_eq!(Command::parse(" \t isready\r"), Command::IsReady);
        assert_eq!(
            Command::parse("hello"),
            Command::Unknown("hello".to_string())
        );
    }

    #[test]
    fn options_may_have_blanks() {
        let parsed = Command::parse("setoption name Move  Overhead value 30 ms");
        let (name, value) = ("Move Overhead".to_string(), "30 ms".to_string());
        assert_eq!(parsed, Command::SetOption { name, value });
    }

    #[test]
    fn limits_are_read_in_any_order() {
        let line = "go wtime -5 searchmoves e2e4 d2d4 depth 7 nonsense nodes many btime 100";
        let Command::Go(request) = Command::parse(line) else {
            panic!("not a search");
        };
        assert_eq!(request.time, [Some(0), Some(100)]);
        assert_eq!(request.search_moves, ["e2e4", "d2d4"]);
        assert_eq!((request.depth, request.nodes), (Some(7), None));
        assert_eq!(request.problems, ["go nodes needs a number"]);
        let line = "go movetime 1e2 depth 7.5 nodes 99999999999999999999 wtime nan";
        let Command::Go(request) = Command::parse(line) else {
            panic!("not a search");
        };
        assert_eq!((request.move_time, request.depth), (Some(100), Some(7)));
        assert_eq!(request.nodes, Some(u64::MAX));
        assert_eq!(request.problems, ["go wtime needs a number"]);
    }
}
