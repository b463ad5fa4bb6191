//! Whatever the bytes of a controller, they fall into lines, and what is answered to them is framed
//! as the protocol demands.

#![no_main]

use libfuzzer_sys::fuzz_target;

use keima::gtp::protocol::{Line, LineReader, Response};

fuzz_target!(|bytes: &[u8]| {
    let mut reader = LineReader::new(bytes);
    while let Some(line) = reader.next_line().expect("reading from memory cannot fail") {
        if let Line::Request(request) = line {
            let argument_bytes: usize = request.arguments().iter().map(|word| word.len()).sum();
            assert!(!request.name.is_empty() && argument_bytes <= request.rest.len());
            let framed = Response::success(request.rest).framed(request.id);
            assert!(framed.starts_with('=') && framed.find("\n\n") == Some(framed.len() - 2));
        }
    }
});
