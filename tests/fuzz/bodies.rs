//! Bodies of the fuzz targets, shared with a test that replays their seeds. Each says whether it got as far as to check
//! something of what it read.

use keima::formats::sgf as records;
use keima::go::{BoardSize, Komi, Position, Rules, Symmetry};
use keima::gtp::protocol::{Line, LineReader, Response};
use keima::nn::backend::{DeviceChoice, Precision, open};
use keima::nn::evaluator::{NetRequest, NetSettings};
use keima::nn::network::Network;

/// Whatever the bytes of a network file, reading it ends with a network or an error.
pub fn network(bytes: &[u8]) -> bool {
    let Ok(network) = Network::read_bytes(bytes) else {
        return false;
    };
    assert!(!network.name().is_empty());
    true
}

/// Whatever network a file holds, if it can be read, asking it ends with figures or an error.
pub fn evaluate(bytes: &[u8]) -> bool {
    let Ok(network) = Network::read_bytes(bytes) else {
        return false;
    };
    let opened = open(DeviceChoice::Cpu, Precision::F32).expect("there is a CPU");
    let Ok(evaluator) = network.evaluator(&opened.backend, NetSettings::default()) else {
        return false;
    };
    let komi = Komi::from_half(15);
    let position = Position::new(BoardSize::square(5), Rules::TROMP_TAYLOR, komi);
    let Ok(output) = evaluator.output_for(&position, &NetRequest::raw(Symmetry::IDENTITY)) else {
        return false;
    };
    assert!(output.policy.iter().all(|chance| chance.is_finite()));
    assert!(output.win.is_finite() && output.lead.is_finite());
    true
}

/// Whatever the bytes of a game record, reading it ends with a record or an error, what is written
/// of it reads the same, and replaying it ends with a position or an error.
pub fn sgf(bytes: &[u8]) -> bool {
    let Ok(record) = records::parse(bytes) else {
        return false;
    };
    let written = records::write(&record);
    let again = records::parse(written.as_bytes()).expect("our own file");
    assert_eq!(records::write(&again), written);
    let _ = record.position();
    true
}

/// Whatever the bytes of a controller, they fall into lines, and what is answered to them is framed
/// as the protocol demands.
pub fn gtp(bytes: &[u8]) -> bool {
    let mut has_request = false;
    let mut reader = LineReader::new(bytes);
    while let Some(line) = reader.next_line().expect("reading from memory cannot fail") {
        if let Line::Request(request) = line {
            let argument_bytes: usize = request.arguments().iter().map(|word| word.len()).sum();
            assert!(!request.name.is_empty() && argument_bytes <= request.rest.len());
            let framed = Response::success(request.rest).framed(request.id);
            assert!(framed.starts_with('=') && framed.find("\n\n") == Some(framed.len() - 2));
            has_request = true;
        }
    }
    has_request
}
